"""The rows of a study as they came in and as they leave, by person: what the tables of the study are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from disclosure_control.release.deidentify import ReleasedFile, ReleasedStudy
from disclosure_control.release.people import ReleasePeople
from disclosure_control.release.study import NOBODY, Study, StudyFile
from disclosure_control.study_tables.asked import OutcomeAsked
from disclosure_control.study_tables.columns_on_disk import ColumnsOnDisk
from disclosure_control.study_tables.registry import study_tables
from disclosure_control.study_tables.side import PersonRows, StudySide
from disclosure_control.study_tables.table import StudyTable
from study.formats.tables import SourceTable
from study.models.roles import TableKind

_OF_PEOPLE = (TableKind.PEOPLE, TableKind.FINDINGS, TableKind.EVENTS, TableKind.ROWS)


class _ColumnsOfTable(ColumnsOnDisk):
    """Those of a file as it came in, in the order of its rows."""

    def __init__(self, table: SourceTable) -> None:
        super().__init__([str(name) for name in table.frame], table.n_rows)
        self._table = table

    def read(self, name: str) -> dict[str, pd.Series]:
        return {name: self._table.column(name)}


class _ColumnsOfParts(ColumnsOnDisk):
    """Those of a file as it leaves: what was ``asked`` of the file that came in is read at once."""

    def __init__(self, file: ReleasedFile, asked: Sequence[str]) -> None:
        super().__init__([str(name) for name in file.columns], file.n_records)
        self._file, self._first = file, [name for name in asked if name in self]

    def read(self, name: str) -> dict[str, pd.Series]:
        names = list(dict.fromkeys([name, *self._first]))
        self._first = []
        parts = [part.frame[names] for part in self._file.parts]
        whole = pd.concat(parts, ignore_index=True)
        return {str(column): whole[column] for column in whole}


@dataclass(frozen=True)
class CameIn:
    """The study before anything is done to it: its ``side``, the ``tables`` made of it by their keys.

    ``not_read``: data sets on disk with more rows than are read, which have no table.
    """

    side: StudySide = field(repr=False)
    tables: Mapping[str, StudyTable] = field(repr=False)
    not_read: tuple[str, ...]
    _rows: Mapping[str, PersonRows] = field(repr=False)

    @classmethod
    def of(cls, study: Study, n_people: int, most: int, outcome: OutcomeAsked | None = None) -> CameIn:
        """The study of so many people, before its rows are divided; of a file on disk at most ``most`` rows are read.

        ``outcome``: the analysis that the config asks for.
        """
        came = [file for file in study.files if (known := study.model.table(file.name)) and known.kind in _OF_PEOPLE]
        not_read = tuple(file.name for file in came if not file.table.fits(most))
        rows = {file.name: _rows_of(file) for file in came if file.name not in not_read}
        side = StudySide(rows, study.model, np.ones(n_people, dtype=bool), outcome=outcome)
        return cls(side, study_tables(side), not_read, rows)

    def as_it_leaves(self, released: ReleasedStudy, people: ReleasePeople) -> Mapping[str, StudyTable]:
        """The tables of what leaves, of its frames as they are written; rows have the positions of their people."""
        rows = {
            name: _rows_that_leave(one, self._rows[name]) for name, one in released.files.items() if name in self._rows
        }
        return study_tables(StudySide(rows, released.model, people.stays, self.side))


def _rows_of(file: StudyFile) -> PersonRows:
    if file.table.fits(0):
        return PersonRows(file.table.frame, file.people)
    columns = _ColumnsOfTable(file.table)
    ids, _ = file.table.source_ids(file.id_column)
    places = pd.Index(ids).get_indexer(pd.Index(file.table.column(str(file.id_column))))
    return PersonRows(columns, np.append(file.people, NOBODY)[places])


def _rows_that_leave(file: ReleasedFile, before: PersonRows) -> PersonRows:
    if len(file.overview.lengths) == 1:
        return PersonRows(file.frame, file.people)
    asked = before.frame.asked if isinstance(before.frame, ColumnsOnDisk) else ()
    return PersonRows(_ColumnsOfParts(file, asked), np.concatenate([part.people for part in file.parts]))
