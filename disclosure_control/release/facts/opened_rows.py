"""The rows of a package as facts are read from them: whose each is, and in which month of the person's course it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.dictionary import Dictionary
from disclosure_control.release.study import people_of_rows
from study.formats.days import days_of
from study.formats.tables import SourceTable
from study.merge.subject_ids import SubjectIdRule
from study.models.coded_terms import TermLadder, term_ladders
from study.models.roles import Role, TableKind, TableModel
from study.models.study_model import StudyModel

DAYS_PER_MONTH = 30
NO_MONTH = ""
BEGINS = ("STDY", "DY", "STDTC", "DTC")
# What a date's name says about its precision, not about what happened then.
_PRECISION = re.compile(r"(?i)[_\W]*(datetime|date|time|dttm|dtm|dtc|dt|ts|datum)(?![a-z])|[_\W]+$")
# Tables that say something about the course of a person.
OF_THE_COURSE = (TableKind.FINDINGS, TableKind.EVENTS, TableKind.TIMING, TableKind.ROWS)


@dataclass(frozen=True)
class RowsOfTable:
    """Some columns of a table, each combination of values at least once, and how many rows each id has.

    ``ids`` (n_ids,) and ``n_rows`` (n_ids,), None for one row each, count all rows of the table; both None: the frame
    has them all.
    """

    frame: pd.DataFrame = field(repr=False)
    ids: pd.Series | None = field(default=None, repr=False)
    n_rows: np.ndarray | None = None

    @classmethod
    def of(cls, table: SourceTable, columns: Sequence[str], person: str | None, most: int | None) -> RowsOfTable | None:
        """The rows of a table of the package; None if they are more than ``most``."""
        frame = table.combinations(columns, most)
        if frame is None:
            return None
        return cls(frame, *table.source_ids(person)) if person in table.frame else cls(frame)


class OpenedRows:
    """The files as they leave, and of each row (n_rows,) the position of its person, below 0 of nobody."""

    def __init__(
        self, rows: Mapping[str, RowsOfTable], people: pd.Index, rule: SubjectIdRule, model: StudyModel
    ) -> None:
        self.frames = {name: of_table.frame for name, of_table in rows.items()}
        self.model, self.n_people = model, len(people)
        self._rows, self._ids, self._rule = rows, Dictionary(people), rule
        self._people: dict[str, np.ndarray] = {}
        of_visits = set(model.tables_of_visits)
        self.visits = [name for name in rows if model.domain(name) in of_visits]  # files with a visit in each row

    def people(self, name: str) -> np.ndarray:
        """Asked of the files with facts alone: laboratory values of a million rows may have none."""
        if name not in self._people:
            self._people[name] = people_of_rows(self.frames[name], self._rule, self._ids)
        return self._people[name]

    def table(self, name: str) -> TableModel | None:
        """What the model says of a file."""
        return self.model.table(name)

    def described(self) -> Iterator[tuple[str, TableModel, pd.DataFrame]]:
        """The files that the model describes: name, table and frame."""
        tables = ((name, self.table(name), frame) for name, frame in self.frames.items())
        yield from ((name, table, frame) for name, table, frame in tables if table is not None)

    def rows_of_people(self, name: str) -> np.ndarray:
        """How many rows of a file each person has (n_people,)."""
        rows = self._rows[name]
        if rows.ids is None:
            people, each = self.people(name), None
        else:
            people, each = people_of_rows(rows.ids.to_frame(self._rule.column), self._rule, self._ids), rows.n_rows
        known = people >= 0
        n_rows = np.bincount(people[known], None if each is None else each[known], self.n_people)
        return n_rows.astype(np.int64)

    def ladders(self, name: str) -> list[TermLadder]:
        """The coded terms of a file."""
        return term_ladders(self.model.domain(name), self.table(name), map(str, self.frames[name]))

    # ------------------------------------------------------------ time

    @cached_property
    def starts(self) -> np.ndarray:
        """The released first day of each person (n_people,), as datetime64[D]; NaT if no file has it.

        The table of people has precedence. Of a study that names no such day it is the person's earliest date.
        """
        start = np.full(self.n_people, np.datetime64("NaT", "D"))
        for column in reversed(self.model.starts):
            holding = [name for name, frame in self.frames.items() if column in frame]
            for name in sorted(holding, key=lambda one: (one != self.model.base, one)):
                people, days = self.people(name), days_of(self.frames[name][column])
                tells = (people >= 0) & ~np.isnat(days)
                tells[tells] = np.isnat(start[people[tells]])
                start[people[tells]] = days[tells]
        return start if self.model.starts else self._earliest(start)

    def _earliest(self, start: np.ndarray) -> np.ndarray:
        far = np.datetime64("9999-12-31", "D")
        first = np.full(self.n_people, far)
        for name, frame in self.frames.items():
            for column in dates_that_begin(self.table(name), map(str, frame)):
                days = days_of(frame[column])
                known = (self.people(name) >= 0) & ~np.isnat(days)
                np.minimum.at(first, self.people(name)[known], days[known])
        return np.where(first == far, start, first)

    def months(self, name: str, ladder: TermLadder | None = None) -> np.ndarray:
        """The month of the course in which each row (n_rows,) begins, as text."""
        return months_of(self.days_since_start(name, ladder))

    def days_since_start(self, name: str, ladder: TermLadder | None = None) -> np.ndarray:
        """The day (n_rows,) on which each row begins, from the start (0): by its study day, else by its dates."""
        days = np.full(len(self.frames[name]), np.nan)  # since the first one, which is study day 1; the one before: -1
        for study_day in self._columns(name, ladder, ("STDY", "DY"), Role.STUDY_DAY):
            number = pd.to_numeric(study_day, errors="coerce").to_numpy(dtype=float)
            days = np.where(np.isnan(days), number - (number > 0), days)
        for date in self._columns(name, ladder, ("STDTC", "DTC"), Role.DATE):
            days = np.where(np.isnan(days), self._since_start(name, days_of(date)), days)
        return days

    def months_of_days(self, name: str, days: np.ndarray) -> np.ndarray:
        """The month of the course of a day of each row (n_rows,), as text."""
        return months_of(self._since_start(name, days))

    def _since_start(self, name: str, days: np.ndarray) -> np.ndarray:
        people = self.people(name)
        began = np.append(self.starts, np.datetime64("NaT", "D"))[np.where(people >= 0, people, self.n_people)]
        since: np.ndarray = (days - began) / np.timedelta64(1, "D")
        return since

    def _columns(self, name: str, ladder: TermLadder | None, short: Sequence[str], role: Role) -> list[pd.Series]:
        """Columns on when a row begins: by the names of the merge, else by their role."""
        frame, table = self.frames[name], self.table(name)
        read = ladder.read if ladder is not None else table.read if table is not None else None
        known = [] if read is None else [found for one in short if (found := read(one, frame)) is not None]
        if known or table is None or (ladder is not None and ladder.prefix):
            return known
        if role is Role.DATE:
            return [frame[column] for column in dates_that_begin(table, map(str, frame))]
        return [frame[column] for column in table.of_role(role) if column in frame][:1]


def columns_of_time(table: TableModel, columns: Sequence[str]) -> list[str]:
    """The columns that the month of a row is read from."""
    named = [table.called(short) for short in BEGINS]
    by_role = [] if table.prefix else [*table.of_role(Role.STUDY_DAY)[:1], *dates_that_begin(table, columns)]
    return [*named, *by_role]


def dates_that_begin(table: TableModel | None, columns: Iterable[str]) -> list[str]:
    """The columns with the date on which a row begins: the first date of the table, with or without a time."""
    found = spans_of(table, columns)
    return found[0] if found else []


def spans_of(table: TableModel | None, columns: Iterable[str]) -> list[list[str]]:
    """The dates of a table of the course in their order, each as the columns that have it, with or without a time.

    ``visit_start_date`` and ``visit_start_datetime`` are one date.
    """
    if table is None or table.kind not in OF_THE_COURSE:
        return []
    there = set(columns)
    dates: dict[str, list[str]] = {}
    for column in table.of_role(Role.DATE, Role.DEATH_DATE):
        if column in there:
            dates.setdefault(_PRECISION.sub("", column).lower(), []).append(column)
    return list(dates.values())


def months_of(days: np.ndarray) -> np.ndarray:
    """The month of each day (n_rows,) since the person's start, as text; ``NO_MONTH`` where it is not known."""
    month = np.floor(days / DAYS_PER_MONTH)
    return np.where(np.isnan(month), NO_MONTH, np.nan_to_num(month).astype(np.int64).astype(str))


# ---------------------------------------------------------------- facts


def fact_entries(
    person: np.ndarray, kind: str, values: np.ndarray, months: np.ndarray | str = NO_MONTH
) -> pd.DataFrame:
    """Facts of people: who, the fact as a text, and its month; rows of nobody and without a value are none."""
    facts = pd.Series(values.astype(object))
    rows = pd.DataFrame({"person": person, "fact": kind + "\0" + facts.astype("str"), "month": months})
    return rows[(person >= 0) & facts.notna().to_numpy()].astype({"month": "str"}).drop_duplicates()


NO_FACTS = pd.DataFrame({"person": np.zeros(0, dtype=np.int64), "fact": [], "month": []}).astype(
    {"fact": "str", "month": "str"}
)


def rows_as_facts(known: OpenedRows, name: str, kind: str) -> pd.DataFrame:
    """How many rows of a file each person has, of those with any."""
    n_rows = known.rows_of_people(name)
    people = np.flatnonzero(n_rows)
    return fact_entries(people, kind, n_rows[people])
