"""The rows of a study as they came in and as they leave, by person: what the tables of the study are made of."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd

from disclosure_control.basics.telling.faults import FaultyInputError, nearest_name
from disclosure_control.basics.telling.small_counts import MASKED, Policy
from disclosure_control.basics.telling.words import listed
from disclosure_control.release.deidentify import ReleasedFile, ReleasedStudy
from disclosure_control.release.people import ReleasePeople
from disclosure_control.release.study import NOBODY, Study, StudyFile
from disclosure_control.study_tables.comparison import ComparedTable, State, compared_tables
from disclosure_control.study_tables.fit import FitForUse, FitForUseSettings, HiddenColumns, LedgerLine, fit_for_use
from disclosure_control.study_tables.registry import study_tables
from disclosure_control.study_tables.regression import OutcomeAsked
from disclosure_control.study_tables.rows import ColumnsOnDisk, PersonRows
from disclosure_control.study_tables.side import EVERYBODY, StudySide
from disclosure_control.study_tables.table import StudyTable
from study.models.roles import TableKind

_OF_PEOPLE = (TableKind.PEOPLE, TableKind.FINDINGS, TableKind.EVENTS, TableKind.ROWS, TableKind.TIMING)


def _columns_of_parts(file: ReleasedFile, asked: Sequence[str]) -> ColumnsOnDisk:
    """Those of a file as it leaves: what was ``asked`` of the file that came in is read at once."""
    names = [str(name) for name in file.columns]
    first = [name for name in asked if name in names]

    def read(name: str) -> dict[str, pd.Series]:
        together = list(dict.fromkeys([name, *first]))
        first.clear()
        whole = pd.concat([part.frame[together] for part in file.parts], ignore_index=True)
        return {str(column): whole[column] for column in whole}

    return ColumnsOnDisk(names, file.n_records, read)


@dataclass(frozen=True)
class CameIn:
    """The study before anything is done to it: its ``side``, the ``tables`` made of it by their keys.

    ``not_read``: data sets on disk with more rows than are read, which have no table.
    """

    side: StudySide = field(repr=False)
    tables: Mapping[str, StudyTable] = field(repr=False)
    not_read: tuple[str, ...]
    _rows: Mapping[str, PersonRows] = field(repr=False)
    _people: Mapping[str, np.ndarray] = field(repr=False)

    def people_of_rows(self, name: str) -> np.ndarray:
        """The person of each row of a data set (n_rows,); of one that was not read, of each id in it."""
        return self._rows[name].people if name in self._rows else self._people[name]

    @property
    def not_made(self) -> tuple[str, ...]:
        """The data sets of which no table could be made, and the outcome asked for, if it has none, with the reason."""
        asked, has_outcome = self.side.outcome, any(table.name == "outcome" for table in self.tables.values())
        made = {table.source.partition(".")[0] for table in self.tables.values()}
        found = [
            f"{rows.domain}: none of its columns has results in numbers, coded terms, visits or categories of people"
            for rows in self.side.domains(*_OF_PEOPLE)
            if rows.domain not in made
        ]
        if asked is not None and not has_outcome:
            found.append(
                f"the outcome {asked.column}: it has neither numbers nor two values, a column of the analysis is not "
                "one of people or a test, or its predictors determine it or each other"
            )
        return tuple(found)

    def check_arm(self, compare_with: str | None) -> None:
        """Raises ``FaultyInputError`` if the study has no such arm."""
        arms = (
            [*dict.fromkeys((*self.side.arms, *self.side.as_treated.arms))] if EVERYBODY not in self.side.arms else []
        )
        if compare_with is not None and compare_with not in arms:
            raise FaultyInputError(
                f"release['fit_for_use']['compare_with']: the study has no arm {compare_with!r}"
                f"{nearest_name(compare_with, arms)}; allowed: {listed(map(repr, arms)) or 'nothing, it has no arms'}"
            )

    @classmethod
    def of(cls, study: Study, n_people: int, most: int, outcome: OutcomeAsked | None = None) -> CameIn:
        """The study of so many people, before its rows are divided; of a file on disk at most ``most`` rows are read.

        ``outcome``: the analysis that the config asks for.
        """
        files, model = (*study.files, *study.withheld), study.whole
        came = [file for file in files if (known := model.table(file.name)) and known.kind in _OF_PEOPLE]
        not_read = tuple(file.name for file in came if not file.table.fits(most))
        rows = {file.name: _rows_of(file) for file in came if file.name not in not_read}
        side = StudySide(rows, model, np.ones(n_people, dtype=bool), outcome=outcome)
        return cls(side, study_tables(side), not_read, rows, {file.name: file.people for file in files})

    def as_it_leaves(self, released: ReleasedStudy, people: ReleasePeople) -> Mapping[str, StudyTable]:
        """The tables of what leaves, of its frames as they are written; rows have the positions of their people."""
        rows = {
            name: _rows_that_leave(one, self._rows[name]) for name, one in released.files.items() if name in self._rows
        }
        return study_tables(StudySide(rows, self.side.model, people.stays, self.side))


def _rows_of(file: StudyFile) -> PersonRows:
    if file.table.fits(0):
        return PersonRows(file.table.frame, file.people)
    table = file.table
    columns = ColumnsOnDisk([*map(str, table.frame)], table.n_rows, lambda name: {name: table.column(name)})
    ids, _ = table.source_ids(file.id_column)
    places = pd.Index(ids).get_indexer(pd.Index(table.column(str(file.id_column))))
    return PersonRows(columns, np.append(file.people, NOBODY)[places])


def _rows_that_leave(file: ReleasedFile, before: PersonRows) -> PersonRows:
    if not file.is_in_parts:
        return PersonRows(file.frame, file.people)
    asked = before.frame.asked if isinstance(before.frame, ColumnsOnDisk) else ()
    return PersonRows(_columns_of_parts(file, asked), np.concatenate([part.people for part in file.parts]))


@dataclass(frozen=True)
class StudyCompared:
    """All tables of a release compared, and the answer: ``fit`` is for others, ``fit_for`` makes it for any reader.

    ``not_read``: data sets that were too large to be compared; ``not_made``: those without a table, and why.
    """

    tables: Mapping[str, ComparedTable] = field(repr=False)
    fit_for: Callable[[Policy], FitForUse] = field(repr=False)
    not_read: tuple[str, ...]
    not_made: tuple[str, ...] = ()

    @cached_property
    def fit(self) -> FitForUse:
        """The answer for others."""
        return self.fit_for(MASKED)

    @property
    def rows(self) -> pd.DataFrame:
        """Every cell before and after: restricted, because small counts stand in it."""
        return pd.concat([pd.DataFrame(_CELLS), *map(cells_of, self.tables.values())], ignore_index=True)


def study_compared(
    came_in: CameIn,
    released: ReleasedStudy,
    people: ReleasePeople,
    settings: FitForUseSettings,
    ledger: Callable[[Policy], Iterable[LedgerLine]],
    by_role: Collection[str] = (),
) -> StudyCompared:
    """The tables of what came in and of what leaves, and whether what leaves is fit for use.

    ``ledger``: what does not leave, in lines for a reader; ``by_role``: columns that do not because of their role.
    """
    leaving = came_in.as_it_leaves(released, people)
    tables = compared_tables(came_in.tables, leaving, settings.compare_with, by_role)
    n_left_out, n_people = int((~people.stays).sum()), len(people.stays)
    names = tuple(name.partition("__")[2] for name in people.hidden_columns)
    hidden = HiddenColumns(names, people.n_hidden) if people.n_hidden else None

    def fit_for(policy: Policy) -> FitForUse:
        return fit_for_use(policy, tables, n_left_out, n_people, settings, came_in.not_read, hidden, ledger(policy))

    return StudyCompared(tables, fit_for, came_in.not_read, came_in.not_made)


# The columns of the file with all cells, by what they hold.
_CELLS: dict[str, Sequence[object]] = {"table": (), "row": (), "group": (), "arm": (), "kind": ()}


def cells_of(table: ComparedTable) -> pd.DataFrame:
    """The cells of a table (n_cells, ...): people, margin, value and interval on both sides, and the comparison."""
    before, after = table.before, table.after
    n_rows, n_columns = before.value.shape
    (low, high), (low_now, high_now) = before.interval, after.interval
    found: dict[str, object] = {
        "table": before.key,
        "row": np.repeat(np.array(before.rows, dtype=object), n_columns),
        "group": np.repeat(np.array(before.groups, dtype=object), n_columns),
        "arm": np.tile(np.array(before.columns, dtype=object), n_rows),
        "kind": str(before.kind),
    }
    arrays = {
        "people_before": before.n,
        "of_before": before.of,
        "records_before": before.events,
        "value_before": before.value,
        "low_before": low,
        "high_before": high,
        "people_after": after.n,
        "of_after": after.of,
        "records_after": after.events,
        "value_after": after.value,
        "low_after": low_now,
        "high_after": high_now,
        "overlap": table.overlap,
        "difference_before": table.before_differences.value,
        "difference_after": table.after_differences.value,
    }
    found |= {name: np.nan if one is None else np.ravel(one) for name, one in arrays.items()}
    found["comparison"] = [State(state).name.lower() for state in np.ravel(table.states).tolist()]
    return pd.DataFrame(found)
