"""One side of a comparison: the rows of a study as they came in or as they leave, by person, and everybody's arm."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from disclosure_control.basics.encoding.keys import count_keys, number_groups
from disclosure_control.study_tables.regression import OutcomeAsked
from disclosure_control.study_tables.rows import DomainRows, Levels, PersonRows
from disclosure_control.study_tables.table import CellKind, Cells, StudyTable
from study.models.roles import Role, TableKind
from study.models.study_model import StudyModel

EVERYBODY = "All people"
YES = ("Y", "YES", "1", "TRUE")
MOST_ARMS, MOST_LEVELS = 12, 30
_NO_ARM = re.compile(r"(?i)scr.*fail|not.?assg?n|not assigned|not treated|unplanned|noarm|^na$")
# Which of several columns of an arm is read: the planned one in words, or that of the treatment that people had.
_PLANNED, _ACTUAL = ("ARM", "TRT01P", "ACTARM", "TRT01A"), ("ACTARM", "TRT01A", "ARM", "TRT01P")
_SAY_ARMS = (TableKind.PEOPLE, TableKind.ROWS, TableKind.FINDINGS, TableKind.EVENTS)
_STARTS = ("RFXSTDTC", "RFSTDTC", "TRTSDT")  # of the treatment; the first with a value counts
TIME_TO_EVENT = "CNSR"  # a data set with this column has times, and no results


class StudySide:
    """The rows of a study on one side, by data set; ``there`` (n_people,): who is in it.

    ``like``: the side that came in, whose arms, and whose decision on what is a number, hold for this side.
    ``outcome``: the analysis that the config asks for.
    """

    def __init__(
        self,
        rows: Mapping[str, PersonRows],
        model: StudyModel,
        there: np.ndarray,
        like: StudySide | None = None,
        outcome: OutcomeAsked | None = None,
    ) -> None:
        self.model, self.there, self._like = model, there, like
        self.outcome: OutcomeAsked | None = outcome if like is None else like.outcome
        self.n_people = len(there)
        parts: dict[str, list[PersonRows]] = {}
        for name in sorted(rows):
            domain = name if model.tables.get(name) is not None else model.domain(name)
            parts.setdefault(domain, []).append(rows[name])
        tables = {domain: table for domain in parts if (table := model.table(domain)) is not None}
        self._domains = {domain: DomainRows(domain, table, parts[domain]) for domain, table in tables.items()}
        self._decided: dict[Hashable, Any] = {}
        self._arm_names = _PLANNED

    def domain(self, name: str) -> DomainRows | None:
        """The rows of a domain; None where it has none on this side."""
        return self._domains.get(name)

    def domains(self, *kinds: TableKind) -> Iterator[DomainRows]:
        """The domains whose rows are of one of the kinds, in the order of their names."""
        return (rows for rows in self._domains.values() if rows.table.kind in kinds)

    def events(self, *prefixes: str) -> Iterator[DomainRows]:
        """The domains of events whose columns begin with one of the letters of SDTM."""
        return (rows for rows in self.domains(TableKind.EVENTS) if rows.table.prefix in prefixes)

    def findings(self, are_times: bool = False) -> Iterator[DomainRows]:
        """The domains of results, or those of times to an event."""
        return (rows for rows in self.domains(TableKind.FINDINGS) if (TIME_TO_EVENT in rows) is are_times)

    def as_before(self, question: Hashable, find: Callable[[], Any]) -> Any:
        """What the side that came in answers to a question on its tables, so that both sides have the same rows."""
        if self._like is not None and question in self._like._decided:
            return self._like._decided[question]
        if question not in self._decided:
            self._decided[question] = find()
        return self._decided[question]

    def is_number(self, rows: DomainRows, column: str) -> bool:
        """Whether a column is read as numbers: by its role, else because it has many and no other values."""

        def find() -> bool:
            known, (_, labels) = rows.table.columns.get(column), rows.codes(column)
            is_said = known is not None and known.role in (Role.NUMBER, Role.AGE, Role.BIRTH_YEAR)
            has_enough = len(labels) > (0 if is_said else MOST_LEVELS // 3) and not rows.bands(column)
            return has_enough and not np.isnan(rows.numbers_of_codes(column)).any()

        return bool(self.as_before(("number", rows.domain, column), find))

    @cached_property
    def start(self) -> np.ndarray:
        """When the treatment of each person began (n_people,), as ``moments`` are; NaN where that is not known."""
        return self.first_known(_STARTS)

    def first_known(self, columns: Sequence[str]) -> np.ndarray:
        """The first of some dates of the table of people that each person (n_people,) has, as ``moments`` are."""
        found, rows = np.full(self.n_people, np.nan), self.domain(self.model.base or "")
        for column in columns if rows is not None else ():
            if rows is not None and column in rows:
                found = np.where(np.isnan(found), self.least(rows.people, rows.moments(column)), found)
        return found

    def since_start(self, rows: DomainRows, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Of some rows (n_at,) of people the days since the treatment began, as dates or study days have them, NaN
        where that is not known; and whether they were on or before its first dose. On its day those without a time
        were.
        """
        date, day = rows.called("DTC"), rows.called("DY")
        start, since = self.start[rows.people[at]], np.full(len(at), np.nan)
        if day is not None:
            days = rows.numbers(day)[at]
            since = np.where(days > 0, days - 1, days)
        if date is not None:
            dated = np.flatnonzero(~(since > 0))  # what came later by its study day needs no date
            moments = rows.moments(date, at[dated]) - np.floor(start[dated])
            since[dated] = np.where(np.isnan(moments), since[dated], moments)
        time, of_start = since % 1, np.nan_to_num(start % 1)
        is_first_day = (since >= 0) & (since < 1)
        return since, (since < 0) | (is_first_day & ((time == 0) | (of_start == 0) | (time <= of_start)))

    @cached_property
    def as_treated(self) -> StudySide:
        """The same people by the arm that they were treated in, as a safety population is; itself where the plan was
        kept in everybody.
        """
        found = copy.copy(self)
        for name in ("_arm_column", "_arms", "people_in_arms"):
            vars(found).pop(name, None)
        found._arm_names, found._like = _ACTUAL, None if self._like is None else self._like.as_treated
        is_same = found.arms == self.arms and bool((found.arm == self.arm).all())
        return self if (is_same if self._like is None else found._like is self._like) else found

    @cached_property
    def _arm_column(self) -> tuple[str, str] | None:
        """The domain and the column with everybody's arm: of the table of people, else of rows that all say the same
        of a person.
        """
        if self._like is not None:
            return self._like._arm_column
        found = sorted(self.domains(*_SAY_ARMS), key=lambda one: one.domain != self.model.base)
        for rows in sorted(found, key=lambda one: _SAY_ARMS.index(one.table.kind)):
            named = [name for name in rows.table.of_role(Role.ARM) if name in rows]
            for name in sorted(named, key=[*self._arm_names, *named].index):
                is_one = rows.table.kind is TableKind.PEOPLE or self.one_code(rows, name).min(initial=-1) == -1
                if is_one and 2 <= sum(not _NO_ARM.search(arm) for arm in rows.codes(name)[1]) <= MOST_ARMS:
                    return rows.domain, name
        return None

    @cached_property
    def _arms(self) -> tuple[tuple[str, ...], np.ndarray]:
        found = self._arm_column
        if found is None:
            return (EVERYBODY,), np.where(self.there, 0, -1)
        rows, column = self.domain(found[0]), found[1]
        if rows is None or column not in rows:
            return (), np.full(self.n_people, -1)
        labels = rows.codes(column)[1]
        is_arm = np.array([not _NO_ARM.search(label) for label in labels] + [False])
        arm = np.where(is_arm, np.cumsum(is_arm) - 1, -1)[np.maximum(self.one_code(rows, column), -1)]
        return tuple(labels[is_arm[:-1]].tolist()), np.where(self.there, arm, -1)

    @property
    def arms(self) -> tuple[str, ...]:
        """The arms by name, one column of everybody without arms."""
        return self._arms[0]

    @property
    def arm(self) -> np.ndarray:
        """The arm of each person (n_people,), -1 without one, as of those who failed the screening."""
        return self._arms[1]

    @cached_property
    def people_in_arms(self) -> np.ndarray:
        """How many people each arm has (n_arms,)."""
        return np.bincount(self.arm[self.arm >= 0], minlength=len(self.arms))

    def least(self, people: np.ndarray, values: np.ndarray) -> np.ndarray:
        """The least value of each person (n_people,), by those of rows (n_rows,), NaN without one."""
        found, known = np.full(self.n_people, np.nan), people >= 0
        np.fmin.at(found, people[known], values[known])
        return found

    def one_code(self, rows: DomainRows, column: str) -> np.ndarray:
        """The code of each person (n_people,) in a column; -1 without one, -2 of those with several."""
        codes = np.where(rows.codes(column)[0] < 0, np.nan, rows.codes(column)[0])
        least, most = self.least(rows.people, codes), -self.least(rows.people, -codes)
        return np.where(least < most, -2, np.nan_to_num(least, nan=-1)).astype(np.int64)

    def mean(self, people: np.ndarray, values: np.ndarray) -> np.ndarray:
        """The mean value of each person (n_people,), by those of rows (n_rows,), NaN without one."""
        known = (people >= 0) & ~np.isnan(values)
        return mean_by_place(people[known], values[known], self.n_people)

    def is_counted(self, people: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """Which rows (n_rows,) are of people with an arm and have a code; both are below 0 of none."""
        return (people >= 0) & (codes >= 0) & (np.append(self.arm, -1)[people] >= 0)

    def count(self, people: np.ndarray, codes: np.ndarray, n_codes: int) -> tuple[np.ndarray, np.ndarray]:
        """People and records with each code, by arm (n_codes, n_arms)."""
        kept, n, n_arms = self.is_counted(people, codes), max(n_codes, 1), len(self.arms)
        pairs, n_records = count_keys(people[kept].astype(np.int64) * n + codes[kept], self.n_people * n)
        place = pairs % n * n_arms + self.arm[pairs // n]
        found = (np.bincount(place, of_pair, n_codes * n_arms) for of_pair in (None, n_records))
        n_people, n_rows = (one.astype(np.int64).reshape(n_codes, n_arms) for one in found)
        return n_people, n_rows

    def shares(
        self,
        name: str,
        rows: DomainRows,
        title: str,
        parts: Sequence[Levels],
        people: np.ndarray | None = None,
        with_records: bool = False,
        **further: Any,
    ) -> StudyTable:
        """A table of the people with each level of some parts, by records (n_records,) of ``people``, or all rows.

        ``further``: fields of the table; its ``source``, if that is not the domain.
        """
        people, none = rows.people if people is None else people, np.zeros((0, len(self.arms)), np.int64)
        counted = [self.count(people, part.codes, len(part.levels)) for part in parts]
        n, records = (np.vstack([none, *(one[at] for one in counted)]) for at in (0, 1))
        of_parts = [self.people_in_arms if part.of is None else part.of for part in parts]
        of = np.vstack([none, *(np.broadcast_to(one, of[0].shape) for one, of in zip(of_parts, counted, strict=True))])
        levels, groups = [one for part in parts for one in part.levels], [one for part in parts for one in part.groups]
        further |= {"events": records} if with_records else {}
        about = name, further.pop("source", rows.domain), title, self.arms
        return StudyTable.of_cells(CellKind.SHARE, about, levels, Cells.of_shares(n, of), of, groups=groups, **further)

    def means(
        self, name: str, rows: DomainRows, title: str, measured: Mapping[str, np.ndarray], **further: Any
    ) -> StudyTable:
        """A table of the mean of each number that was ``measured`` of people (n_people,), NaN of those without."""
        n = len(measured)
        people, codes = np.tile(np.arange(self.n_people), n), np.repeat(np.arange(n), self.n_people)
        cells = self.mean_cells(people, codes, np.concatenate([np.zeros(0), *measured.values()]), n)
        about = name, rows.domain, title, self.arms
        return StudyTable.of_cells(CellKind.MEAN, about, list(measured), cells, self.people_in_arms, **further)

    def mean_cells(self, people: np.ndarray, codes: np.ndarray, values: np.ndarray, n_codes: int) -> Cells:
        """Means of ``values`` (n_rows,) by code and arm; the rows of a person with one code count by their mean."""
        kept = self.is_counted(people, codes) & ~np.isnan(values)
        key, values = people[kept] * n_codes + codes[kept], values[kept]
        group, size = number_groups(key, self.n_people * n_codes)
        if len(size) < len(key):
            values, of_rows = mean_by_place(group, values, len(size)), key
            key = np.zeros(len(size), dtype=np.int64)
            key[group] = of_rows
        place = key % n_codes * len(self.arms) + self.arm[key // n_codes]
        return means_by_place(place, values, (n_codes, len(self.arms)))


def mean_by_place(place: np.ndarray, values: np.ndarray, size: int) -> np.ndarray:
    """Means (size,) of values (n,) by their place, NaN of none, added as they rise: no digit depends on the order."""
    n = np.bincount(place, minlength=size)
    if n.max(initial=0) > 2:  # two numbers have one sum in whatever order
        order = np.argsort(values)
        place, values = place[order], values[order]
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.bincount(place, values, size) / n)


def means_by_place(place: np.ndarray, values: np.ndarray, shape: tuple[int, int]) -> Cells:
    """Means of values (n,) by their place in an array of this shape."""
    size = shape[0] * shape[1]
    order = np.argsort(values)  # as mean_by_place
    place, values = place[order], values[order]
    n = np.bincount(place, minlength=size)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.bincount(place, values, size) / n
        error = np.bincount(place, (values - mean[place]) ** 2, size)
        error = np.sqrt(error / (n - 1) / n)
    error[n < 2] = np.nan
    return Cells(n.reshape(shape), mean.reshape(shape), error.reshape(shape))
