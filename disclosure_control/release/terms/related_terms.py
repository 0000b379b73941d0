"""What else tells a rare term of a record: codes and words beside it, rows of SUPP--; and keys that name the record."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pandas as pd

from disclosure_control.release.deidentify import ReleasedFile, ReleasedRows
from disclosure_control.release.people import labels
from study.models.coded_terms import VERBATIM
from study.models.roles import Role
from study.models.sdtm import LEVELS
from study.models.study_model import StudyModel

# Dictionaries of terms by which supplements name what they add: ATC classes of drugs, codes of MedDRA or the ICD.
_DICTIONARIES = ("ATC", "ICD", "MEDDRA", "WHO", "SNOMED", "SCT", "SMQ", "CQ")


def emptied(frame: pd.DataFrame, columns: Iterable[str], at: np.ndarray) -> pd.DataFrame:
    """The frame without the values of some columns, those that it has, in the rows ``at``."""
    frame = frame.copy(deep=False)
    for name in set(columns) & set(frame):
        cells = frame[name].to_numpy(dtype=object, copy=True)
        cells[at] = np.nan if frame[name].dtype.kind == "f" else None
        frame[name] = pd.Series(cells, frame.index, dtype=frame[name].dtype)
    return frame


def with_part(file: ReleasedFile, part: ReleasedRows) -> ReleasedFile:
    """The file with these rows in place of its own."""
    return replace(file, parts=[part])


def without_related(
    prefix: str, files: dict[str, ReleasedFile], parent: ReleasedFile, stays: np.ndarray, is_raised: np.ndarray
) -> tuple[dict[str, ReleasedFile], int]:
    """SUPP-- and RELREC without rows of removed records, and without terms of generalised or hidden records."""
    found, total = dict(files), 0
    for name, file in files.items():
        frame = file.frame
        if not {"IDVAR", "IDVARVAL"} <= set(frame):
            continue
        related = frame["RDOMAIN"] if "RDOMAIN" in frame else pd.Series(file.source.domain, frame.index, dtype="str")
        is_term = _tells_a_term(prefix, frame)
        kept = np.ones(len(frame), dtype=bool)
        for variable in sorted(set(frame["IDVAR"].dropna().unique()) & set(parent.frame)):
            at = (related.isin([prefix, parent.source.name]) & frame["IDVAR"].eq(variable)).to_numpy(dtype=bool)
            mine = _record_keys(file.people, labels(frame["IDVARVAL"]))
            theirs = _record_keys(parent.people, labels(parent.frame[str(variable)]))
            without_parent = mine.isin(theirs[~stays]) & ~mine.isin(theirs[stays])
            of_raised = mine.isin(theirs[is_raised]) & is_term
            kept &= ~(at & (without_parent | of_raised))
        total += int((~kept).sum())
        found[name] = with_part(file, file.whole.where(kept))
    return found, total


def without_dangling_keys(
    files: dict[str, ReleasedFile], parent: ReleasedFile, stays: np.ndarray, model: StudyModel
) -> dict[str, ReleasedFile]:
    """The files with no value in keys that named removed records."""
    domain, found = model.domain(parent.source.name), dict(files)
    known = model.table(parent.source.name)
    keys = [name for name in (known.of_role(Role.RECORD_KEY) if known else ()) if name in parent.frame][:1]
    for name, file in files.items() if keys and not stays.all() else ():
        frame, values = file.frame, labels(parent.frame[keys[0]])
        gone = set(values[~stays]) - set(values[stays]) - {None}
        for column in map(str, frame):
            of_column = model.column(name, column)
            if of_column is not None and of_column.role is Role.FOREIGN_KEY and of_column.refers_to == domain:
                frame = frame.assign(**{column: frame[column].where(~np.isin(labels(frame[column]), list(gone)))})
        found[name] = with_part(file, file.whole._replace(frame=frame))
    return found


def _record_keys(people: np.ndarray, values: np.ndarray) -> pd.Index:
    return pd.Index([f"{person}\0{value}" for person, value in zip(people.tolist(), values.tolist(), strict=True)])


def _tells_a_term(prefix: str, frame: pd.DataFrame) -> np.ndarray:
    """Which rows of a supplement (n_rows,) contain the term, or one of its levels or codes, in other words."""
    if "QNAM" not in frame:
        return np.zeros(len(frame), dtype=bool)
    own = "|".join((*LEVELS, *LEVELS.values(), *VERBATIM))
    others = "|".join(_DICTIONARIES)
    pattern = rf"(?i:{prefix}(?:{own})\d*|(?:{prefix})?(?:{others})\w*)"
    return frame["QNAM"].str.fullmatch(pattern).fillna(False).to_numpy(dtype=bool)
