"""What else tells a rare term of a record: codes and words beside it, and rows of SUPP--."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pandas as pd

from disclosure_control.release.deidentify import ReleasedFile
from disclosure_control.release.people import labels
from disclosure_control.release.study import RELATIONS, related_domains
from study.models.coded_terms import VERBATIM
from study.models.sdtm import LEVELS

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


def without_related(
    prefix: str, files: dict[str, ReleasedFile], parent: ReleasedFile, is_changed: np.ndarray
) -> tuple[dict[str, ReleasedFile], int]:
    """SUPP-- and RELREC without the terms of records whose own term was raised or hidden, (n_rows,) of the parent."""
    found, total = dict(files), 0
    for name, file in files.items():
        frame = file.frame
        if not {str(one) for one in frame} >= RELATIONS:
            continue
        related = related_domains(frame, file.source.domain)
        kept = np.ones(len(frame), dtype=bool)
        for variable in sorted(set(frame["IDVAR"].dropna().unique()) & set(parent.frame)):
            at = (related.isin([prefix, parent.source.name]) & frame["IDVAR"].eq(variable)).to_numpy(dtype=bool)
            mine = _record_keys(file.people, labels(frame["IDVARVAL"]))
            theirs = _record_keys(parent.people[is_changed], labels(parent.frame[str(variable)])[is_changed])
            kept &= ~(at & mine.isin(theirs) & _tells_a_term(prefix, frame))
        total += int((~kept).sum())
        found[name] = replace(file, parts=[file.whole.where(kept)])
    return found, total


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
