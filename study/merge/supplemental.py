"""SUPP-- folds into its parent: each QNAM becomes a variable of the parent's records."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import number_text
from study.formats.column_reading import MISSING_TOKENS
from study.formats.rows_of_people import SUBJECT
from study.merge.parts import CountedFaults, added


@dataclass(frozen=True)
class Folded:
    """The parent with its supplemental variables, and how many supplemental records found no parent record."""

    frame: pd.DataFrame = field(repr=False)
    n_folded: int
    n_without_parent: int
    faults: CountedFaults


def fold_supplemental(
    parent: pd.DataFrame, supplemental: pd.DataFrame, file_name: str, given: dict[str, np.ndarray]
) -> Folded:
    """Both frames have the column ``SUBJECT``, the code of each row's subject.

    Rows with an empty IDVAR, or one that means missing, belong to the subject; others to the parent records whose IDVAR
    variable equals IDVARVAL (numbers as numbers: ``"  12"`` is 12.0). Two values of one QNAM for one parent record are
    a fault; ``given`` has the parent records with a value of a QNAM from this file or an earlier one, and is updated.
    """
    frame, n_folded = parent.copy(deep=False), 0
    faults: CountedFaults = {}
    rows, identifiers = _with_value(supplemental)
    for (identifier, name), group in rows.groupby([identifiers, "QNAM"], sort=True):
        identifier, name = str(identifier), str(name)
        if identifier and identifier not in parent:
            continue
        keys = [SUBJECT, "_record"]
        left = pd.DataFrame({SUBJECT: parent[SUBJECT], "_record": _as_key(parent[identifier]) if identifier else ""})
        own = _as_key(group["IDVARVAL"]) if identifier else ""
        right = pd.DataFrame({SUBJECT: group[SUBJECT], "_record": own, "value": group["QVAL"]})
        right = right.dropna(subset="_record")
        n_repeated = int(right.duplicated(keys).sum())
        right = right.drop_duplicates(keys)
        joined = left.merge(right, how="left", on=keys, validate="many_to_one")
        value = joined["value"].to_numpy(dtype=object, na_value=np.nan)
        has_value = ~pd.isna(value)
        before = parent[name].to_numpy(dtype=object, na_value=np.nan) if name in parent else np.nan
        has_other = has_value & pd.notna(before) & (before != value)
        n_repeated += int((has_value & given.get(name, False) | has_other).sum())
        if n_repeated:
            words = (
                f"{file_name}: %(n) records give a parent record a second {_shown(name)}; allowed: one value; correct "
                "the file"
            )
            faults = added(faults, {words: {"n": n_repeated}})
        given[name] = has_value | given.get(name, False)
        n_folded += len(right.merge(left[keys].drop_duplicates(), how="inner", on=keys, validate="one_to_one"))
        earlier = frame[name].to_numpy(dtype=object, na_value=np.nan) if name in frame else np.nan
        frame[name] = pd.Series(np.where(has_value, value, earlier), index=frame.index, dtype="str")
    n_orphans = int(supplemental["QVAL"].notna().sum()) - n_folded
    return Folded(frame, n_folded, n_orphans, faults)


def supplemental_variables(supplemental: pd.DataFrame, columns: Sequence[str]) -> list[str]:
    """The variables that ``fold_supplemental`` adds to a parent with these columns, in their order there."""
    rows, identifiers = _with_value(supplemental)
    named = pd.DataFrame({"identifier": identifiers, "name": rows["QNAM"]}).drop_duplicates()
    pairs = sorted(map(tuple, named.astype(str).to_numpy().tolist()))
    return list(dict.fromkeys(name for identifier, name in pairs if not identifier or identifier in columns))


def _with_value(supplemental: pd.DataFrame) -> tuple[pd.DataFrame, pd.Series]:
    """The records with a name and a value, and the parent's variable that identifies their record, "" for none."""
    rows = supplemental[supplemental["QVAL"].notna() & supplemental["QNAM"].notna()]
    identifiers = pd.Series("", rows.index)
    if "IDVAR" in rows:  # no variable is called NA: a program wrote it for a missing one
        identifiers = rows["IDVAR"].mask(rows["IDVAR"].isin(MISSING_TOKENS)).fillna("")
    return rows, identifiers


def _shown(name: str) -> str:
    """A QNAM for a message; hidden if it is no SAS name, as it may be a value in a shifted column."""
    return name if re.fullmatch(r"[A-Z_][A-Z0-9_]{0,7}", name) else "value"


def _as_key(values: pd.Series) -> pd.Series:
    """Text for comparing: ``"  12"``, ``12.0`` and ``"12.0"`` are one key. Distinct values are converted once."""
    codes, distinct = pd.factorize(values)
    keys = []
    for value in distinct:
        number = pd.to_numeric(value, errors="coerce")
        keys.append(str(value).strip() if pd.isna(number) else number_text(float(number)))
    return pd.Series(np.array([*keys, None], dtype=object)[codes], index=values.index, dtype="str")
