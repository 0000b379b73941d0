"""SUPP-- folds into its parent: each QNAM becomes a variable of the parent's records."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from Anonymization_Models import number_text


@dataclass(frozen=True)
class Folded:
    """The parent with its supplemental variables, and how many supplemental records found no parent record."""

    frame: pd.DataFrame
    n_folded: int
    n_without_parent: int
    faults: tuple[str, ...] = ()


def fold_supplemental(parent: pd.DataFrame, supplemental: pd.DataFrame, file_name: str) -> Folded:
    """Both frames carry the column ``_subject``, the code of each row's subject.

    Rows with an empty IDVAR belong to the subject; others to the parent record whose IDVAR variable equals IDVARVAL
    (numbers as numbers: ``"  12"`` is 12.0). A parent record with two values for one QNAM is a fault.
    """
    frame, n_folded, n_orphans, faults = parent.copy(deep=False), 0, 0, []
    variable = supplemental["IDVAR"].fillna("") if "IDVAR" in supplemental else pd.Series("", supplemental.index)
    for (identifier, name), rows in supplemental.groupby([variable, "QNAM"], sort=True):
        if identifier and identifier not in parent:
            n_orphans += len(rows)
            continue
        keys = ["_subject", "_record"]
        left = pd.DataFrame({"_subject": parent["_subject"], "_record": _record_key(parent, identifier)})
        right = pd.DataFrame({"_subject": rows["_subject"], "_record": _record_value(rows, identifier)})
        right["value"] = rows["QVAL"]
        n_repeated = int(right.duplicated(keys).sum())
        if n_repeated:
            faults.append(
                f"{file_name}: {n_repeated} records give a second {name} to a parent record that has one; "
                "allowed: one value; correct the file"
            )
            continue
        left["_order"] = np.arange(len(left))
        joined = left.merge(right, how="left", on=keys, validate="many_to_one")
        matched = right.merge(left[keys].drop_duplicates(), how="inner", on=keys, validate="one_to_one")
        n_folded += len(matched)
        n_orphans += len(right) - len(matched)
        value = joined["value"].to_numpy(dtype=object, na_value=np.nan)
        before = frame[name].to_numpy(dtype=object, na_value=np.nan) if name in frame else np.nan
        frame[name] = pd.Series(np.where(pd.isna(value), before, value), index=frame.index, dtype="str")
    return Folded(frame, n_folded, n_orphans, tuple(faults))


def _record_key(parent: pd.DataFrame, identifier: str) -> pd.Series:
    return _as_key(parent[identifier]) if identifier else pd.Series("", index=parent.index, dtype="str")


def _record_value(rows: pd.DataFrame, identifier: str) -> pd.Series:
    return _as_key(rows["IDVARVAL"]) if identifier else pd.Series("", index=rows.index, dtype="str")


def _as_key(values: pd.Series) -> pd.Series:
    """Text for comparing: ``"  12"``, ``12.0`` and ``"12.0"`` are one key. Distinct values are converted once."""
    codes, distinct = pd.factorize(values)
    keys = []
    for value in distinct:
        number = pd.to_numeric(value, errors="coerce")
        keys.append(str(value).strip() if pd.isna(number) else number_text(float(number)))
    return pd.Series(np.array([*keys, None], dtype=object)[codes], index=values.index, dtype="str")
