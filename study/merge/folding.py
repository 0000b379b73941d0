"""The supplemental files of a merge: checked whole, then folded into each part of their domains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from disclosure_control.basics.telling.small_counts import people_on_screen
from study.formats.messages import Note
from study.formats.rows_of_people import RowsInMemory
from study.formats.tables import SourceTable
from study.merge.parts import CountedFaults, added
from study.merge.state import MergeState
from study.merge.supplemental import fold_supplemental, supplemental_variables
from study.models.sdtm import supplemental_parent


@dataclass(frozen=True)
class ForDomain:
    """The records of a supplemental file that belong to one domain, and the variables that they add."""

    file_name: str
    rows: RowsInMemory
    variables: Sequence[str]


def planned_folds(
    tables: Sequence[SourceTable],
    rows: Mapping[str, RowsInMemory],
    columns: dict[str, list[str]],
    state: MergeState,
) -> dict[str, list[ForDomain]]:
    """What is folded into each domain, in the order of the files; the new variables are added to ``columns``."""
    folds: dict[str, list[ForDomain]] = {}
    for table in tables:
        for parent, records in _by_parent(table, rows[table.file_name].frame, columns, state).items():
            variables = supplemental_variables(records, columns[parent])
            columns[parent] += [name for name in variables if name not in columns[parent]]
            of_domain = ForDomain(table.file_name, RowsInMemory(records), variables)
            folds.setdefault(parent, []).append(of_domain)
    return folds


def _by_parent(
    table: SourceTable, frame: pd.DataFrame, merged: Mapping[str, object], state: MergeState
) -> dict[str, pd.DataFrame]:
    """The records of a file by their domain; records of no domain are a fault, or left out."""
    needs = ["QNAM", "QVAL", *(["IDVARVAL"] if "IDVAR" in frame and frame["IDVAR"].notna().any() else [])]
    absent = [name for name in needs if name not in frame]
    if absent:
        state.faults.append(f"{table.file_name}: no column {' and '.join(absent)}; a supplemental file needs them")
        return {}
    parents = pd.Series(supplemental_parent(table.domain), frame.index, dtype="str")
    if "RDOMAIN" in frame:
        parents = frame["RDOMAIN"].fillna(parents)
    # A part such as LBHE belongs to its whole domain.
    parts = [name for name in parents.unique() if name not in merged and name[:2] in merged]
    parents = parents.replace({name: name[:2] for name in parts})
    no_domain = ~parents.isin([*merged]) & ~parents.str.fullmatch(r"[A-Z][A-Z0-9]{1,7}")
    if no_domain.any():  # a shifted column, say: its content is not shown
        state.faults.append(
            f"{table.file_name}: {people_on_screen(int(no_domain.sum()))} values of RDOMAIN name no domain; "
            "correct them"
        )
    found = {}
    for parent, records in frame[~no_domain].groupby(parents[~no_domain]):
        if parent in merged:
            found[str(parent)] = records
        else:
            state.left_out[f"{table.file_name} ({parent})"] = _without_parent(len(records), str(parent))
    return found


def _without_parent(n_records: int, parent: str) -> Note:
    return Note.of(lambda told: f"{told(n_records, 'record')} for {parent}, which is not in the folder")


def fold_into(
    part: pd.DataFrame, folds: Sequence[ForDomain], start: int, stop: int
) -> tuple[pd.DataFrame, dict[str, int], CountedFaults]:
    """Fold supplemental variables into the rows of some people; returns the rows, counts and faults."""
    given: dict[str, np.ndarray] = {}
    counts: dict[str, int] = {}
    faults: CountedFaults = {}
    for fold in folds:
        folded = fold_supplemental(part, fold.rows.part(start, stop), fold.file_name, given)
        part = folded.frame
        for name in fold.variables:  # these people may have no supplemental records
            if name not in part:
                part[name] = pd.Series(np.nan, part.index, dtype="str")
        numbers = {"supplemental_folded": folded.n_folded, "supplemental_without_parent": folded.n_without_parent}
        counts = added(counts, numbers)
        faults = added(faults, folded.faults)
    return part, counts, faults
