"""One side of a comparison: the rows of a study as they came in or as they leave, by person, and everybody's arm."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from disclosure_control.basics.encoding.columns import number_text, parse_numbers
from disclosure_control.basics.encoding.interval_labels import interval_of
from disclosure_control.basics.encoding.keys import count_keys
from disclosure_control.basics.encoding.text_codes import TextCodes, text_codes
from disclosure_control.study_tables.asked import OutcomeAsked
from disclosure_control.study_tables.columns_on_disk import ColumnsOnDisk
from study.formats.days import days_of
from study.models.roles import Role, TableKind, TableModel
from study.models.study_model import StudyModel

EVERYBODY = "All people"
YES = ("Y", "YES", "1", "TRUE")
MOST_ARMS, MOST_LEVELS = 12, 30
_NO_ARM = re.compile(r"(?i)scr.*fail|not.?assg?n|not assigned|not treated|unplanned|noarm|^na$")
# Which of several columns of an arm is read: the planned one in words, or that of the treatment that people had.
_PLANNED, _ACTUAL = ("ARM", "TRT01P", "ACTARM", "TRT01A"), ("ACTARM", "TRT01A", "ARM", "TRT01P")
_STARTS = ("RFXSTDTC", "RFSTDTC", "TRTSDT")  # of the treatment; the first with a value counts
_TIME_OF_DAY = r"T(\d\d):(\d\d)(?::(\d\d))?"


@dataclass(frozen=True)
class PersonRows:
    """Some columns of a data set, and the person of each row (n_rows,), below 0 of nobody."""

    frame: pd.DataFrame | ColumnsOnDisk = field(repr=False)
    people: np.ndarray = field(repr=False)

    def of_columns(self, names: Sequence[str]) -> pd.DataFrame:
        """A frame with at least some columns, those of them that are there."""
        if isinstance(self.frame, pd.DataFrame):
            return self.frame
        return pd.DataFrame({name: self.frame[name] for name in names if name in self.frame}, index=self.frame.index)


class DomainRows:
    """All rows of a domain, of its parts one after the other: columns by the names of the merge, or by their own."""

    def __init__(self, domain: str, table: TableModel, parts: Sequence[PersonRows]) -> None:
        self.domain, self.table, self.parts = domain, table, parts
        self.people = np.concatenate([part.people for part in parts])
        self._columns: dict[str, list[TextCodes | pd.Series]] = {}
        self._codes: dict[str, tuple[np.ndarray, np.ndarray]] = {}
        self.found: dict[str, Any] = {}  # by several tables

    def __contains__(self, column: str) -> bool:
        return any(column in part.frame for part in self.parts)

    def _of_parts(self, column: str) -> list[TextCodes | pd.Series]:
        """A column of each part, read once: the codes of texts, or other values; no code where it is missing."""
        if column not in self._columns:
            found = [part.frame[column] if column in part.frame else len(part.people) for part in self.parts]
            self._columns[column] = [
                TextCodes(np.full(one, -1), pa.array([], "large_string"))
                if isinstance(one, int)
                else (text_codes(one) if one.dtype == "str" else one)
                for one in found
            ]
        return self._columns[column]

    def has(self, column: str) -> bool:
        """Whether some row has a value in a column."""
        return any(
            bool((one.codes >= 0).any() if isinstance(one, TextCodes) else one.notna().any())
            for one in self._of_parts(column)
        )

    def called(self, short: str) -> str | None:
        """The column that the merge knows by this name; None where no part has it with a value."""
        name = self.table.called(short)
        return name if self.has(name) else None

    def codes(self, column: str) -> tuple[np.ndarray, np.ndarray]:
        """The code of each row (n_rows,), -1 where missing, and the labels as text: those by which it is known."""
        if column not in self._codes:
            parts = [_codes_and_labels(one) for one in self._of_parts(column)]
            if len(parts) > 1:
                place, labels = pd.factorize(np.concatenate([own for _, own in parts]))
                of_parts = np.split(place, np.cumsum([len(own) for _, own in parts])[:-1])
                codes = [np.append(own, -1)[one] for own, (one, _) in zip(of_parts, parts, strict=True)]
                parts = [(np.concatenate(codes), labels)]
            self._codes[column] = parts[0]
        return self._codes[column]

    def numbers(self, column: str) -> np.ndarray:
        """A column as numbers (n_rows,): of an interval its middle, NaN where no number is known."""
        if self._are_numbers(column):
            return np.concatenate([one.to_numpy() for one in self._of_parts(column) if isinstance(one, pd.Series)])
        codes, _ = self.codes(column)
        return np.append(self.numbers_of_codes(column), np.nan)[codes]

    def _are_numbers(self, column: str) -> bool:
        return all(isinstance(one, pd.Series) and one.dtype.kind == "f" for one in self._of_parts(column))

    def numbers_of_codes(self, column: str) -> np.ndarray:
        """The number of each label of a column (n_labels,), as ``numbers`` has it."""
        return numbers_of_labels(self.codes(column)[1])

    def bands(self, column: str) -> int:
        """How many intervals the column has in place of numbers."""
        if self._are_numbers(column):
            return 0
        return sum(interval_of(label) is not None for label in self.codes(column)[1].tolist())

    def is_one_of(self, column: str, *words: str) -> np.ndarray:
        """Which rows (n_rows,) have one of the words, in capitals or not."""
        codes, labels = self.codes(column)
        return np.append([label.strip().upper() in words for label in labels.tolist()], False)[codes].astype(bool)

    def days(self, column: str) -> np.ndarray:
        """The complete dates of a column (n_rows,) as days since 1970, NaN of all others."""
        return np.floor(self.moments(column))

    def moments(self, column: str, at: np.ndarray | None = None) -> np.ndarray:
        """The complete dates ``at`` some places as days since 1970, the time of day as a part; NaN of all others."""
        codes, all_labels = self.codes(column)
        codes, moments = codes if at is None else codes[at], np.full(len(all_labels) + 1, np.nan)
        used = np.flatnonzero(np.bincount(codes + 1, minlength=len(moments))[1:])
        labels = all_labels[used].astype("str")
        days, length = _days_of_labels(labels), np.strings.str_len(labels)
        found = np.where(np.isnat(days), np.nan, days.astype("int64").astype(float))
        if (timed := length > len("2000-01-01")).any():
            parts = pd.Series(labels[timed]).str.extract(_TIME_OF_DAY).astype(float).fillna(0).to_numpy()
            found[timed] += parts @ (1 / 24, 1 / 1440, 1 / 86400)
        moments[used] = found
        return moments[codes]


def _codes_and_labels(column: TextCodes | pd.Series) -> tuple[np.ndarray, np.ndarray]:
    if isinstance(column, TextCodes):
        return column.codes.astype(np.intp), np.array(column.texts.to_pylist(), dtype=object)
    codes, distinct = pd.factorize(column)
    texts = [number_text(one) if isinstance(one, float) else str(one) for one in distinct.tolist()]
    return codes, np.array(texts, dtype=object)


def _days_of_labels(labels: np.ndarray) -> np.ndarray:
    """As ``days_of``, of distinct texts (n_labels,): in a tenth of the time where all complete dates are dates."""
    days = np.full(len(labels), np.datetime64("NaT"), dtype="datetime64[D]")
    is_complete = np.strings.str_len(labels) >= len("2000-01-01")
    try:
        days[is_complete] = labels[is_complete].astype("U10").astype("datetime64[D]")
    except ValueError:
        return days_of(pd.Series(labels, dtype="str"))
    return days


def numbers_of_labels(labels: np.ndarray) -> np.ndarray:
    """The number of each label (n_labels,): itself, or the middle of an interval; the end of an open one."""
    numbers = parse_numbers(pd.Series(labels, dtype="str"))
    for place in np.flatnonzero(np.isnan(numbers)):
        interval = interval_of(str(labels[place]).strip())
        if interval is not None:
            ends = [end for end in (interval.low, interval.high) if np.isfinite(end)]
            numbers[place] = sum(ends) / len(ends)
    return numbers


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
        by_domain: dict[str, list[str]] = {}
        for name in sorted(rows):
            if model.table(name) is not None:
                domain = name if model.tables.get(name) is not None else model.domain(name)
                by_domain.setdefault(domain, []).append(name)
        self._domains = {domain: [rows[name] for name in names] for domain, names in by_domain.items()}
        self._opened: dict[str, DomainRows] = {}
        self._decided: dict[Hashable, Any] = {}
        self._arm_names = _PLANNED

    def domain(self, name: str) -> DomainRows | None:
        """The rows of a domain; None where it has none on this side."""
        if name not in self._domains:
            return None
        if name not in self._opened:
            table = self.model.table(name)
            assert table is not None
            self._opened[name] = DomainRows(name, table, self._domains[name])
        return self._opened[name]

    def domains(self, *kinds: TableKind) -> Iterator[DomainRows]:
        """The domains whose rows are of one of the kinds, in the order of their names."""
        for name in self._domains:
            if (rows := self.domain(name)) is not None and rows.table.kind in kinds:
                yield rows

    def as_before(self, question: Hashable, find: Callable[[], Any]) -> Any:
        """What the side that came in answers to a question on its tables, so that both sides have the same rows."""
        if self._like is not None and question in self._like._decided:
            return self._like._decided[question]
        if question not in self._decided:
            self._decided[question] = find()
        return self._decided[question]

    # ------------------------------------------------------------ time

    @cached_property
    def start(self) -> np.ndarray:
        """When the treatment of each person began (n_people,), as ``moments`` are; NaN where that is not known."""
        return self.first_known(_STARTS)

    def first_known(self, columns: Sequence[str]) -> np.ndarray:
        """The first of some dates of the table of people that each person (n_people,) has, as ``moments`` are."""
        found, rows = np.full(self.n_people, np.nan), self.domain(self.model.base or "")
        for column in columns if rows is not None else ():
            if rows is not None and column in rows:
                moments, known = np.full(self.n_people, np.nan), rows.people >= 0
                np.fmin.at(moments, rows.people[known], rows.moments(column)[known])
                found = np.where(np.isnan(found), moments, found)
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

    # ------------------------------------------------------------ arms

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
        """The domain and the column with everybody's arm."""
        if self._like is not None:
            return self._like._arm_column
        for rows in sorted(self.domains(TableKind.PEOPLE), key=lambda one: one.domain != self.model.base):
            named = [name for name in rows.table.of_role(Role.ARM) if name in rows]
            named.sort(
                key=lambda name: self._arm_names.index(name) if name in self._arm_names else len(self._arm_names)
            )
            for name in named:
                arms = [arm for arm in rows.codes(name)[1] if not _NO_ARM.search(arm)]
                if 2 <= len(arms) <= MOST_ARMS:
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
        codes, labels = rows.codes(column)
        order = np.argsort(labels, kind="stable")
        kept = [place for place in order.tolist() if not _NO_ARM.search(labels[place])]
        rank = np.full(len(labels) + 1, -1)
        rank[kept] = np.arange(len(kept))
        arm = np.full(self.n_people, -1)
        known = rows.people >= 0
        arm[rows.people[known]] = rank[codes[known]]
        return tuple(labels[kept].tolist()), np.where(self.there, arm, -1)

    @property
    def arms(self) -> tuple[str, ...]:
        """The arms by name, one column of everybody without arms."""
        return self._arms[0]

    @property
    def arm(self) -> np.ndarray:
        """The arm of each person (n_people,), -1 without one, as of those who failed the screening."""
        return self._arms[1]

    @property
    def has_arms(self) -> bool:
        return self._arm_column is not None

    @cached_property
    def people_in_arms(self) -> np.ndarray:
        """How many people each arm has (n_arms,)."""
        return np.bincount(self.arm[self.arm >= 0], minlength=len(self.arms))

    # ------------------------------------------------------------ counts

    def is_number(self, rows: DomainRows, column: str) -> bool:
        """Whether a column is read as numbers: by its role, else because it has many and no other values."""
        return bool(self.as_before(("number", rows.domain, column), lambda: self._is_number(rows, column)))

    def _is_number(self, rows: DomainRows, column: str) -> bool:
        known, (_, labels) = rows.table.columns.get(column), rows.codes(column)
        numbers = numbers_of_labels(labels) if rows.bands(column) == 0 else np.zeros(0)
        are_numbers = len(labels) > 0 and len(numbers) == len(labels) and not np.isnan(numbers).any()
        is_said = known is not None and known.role in (Role.NUMBER, Role.AGE, Role.BIRTH_YEAR)
        return are_numbers and (is_said or len(labels) > MOST_LEVELS // 3)

    def count_people(self, people: np.ndarray, codes: np.ndarray, n_codes: int) -> np.ndarray:
        """People with each code, by arm (n_codes, n_arms); ``people`` and ``codes`` (n_rows,), below 0 of none."""
        person, code = self._pairs(people, codes, n_codes)
        return self._by_arm(person, code, n_codes)

    def count_records(self, people: np.ndarray, codes: np.ndarray, n_codes: int) -> np.ndarray:
        """Records with each code, by arm (n_codes, n_arms)."""
        kept = self._are_counted(people, codes)
        return self._by_arm(people[kept], codes[kept], n_codes)

    def means(self, people: np.ndarray, codes: np.ndarray, values: np.ndarray, n_codes: int) -> Means:
        """Means of ``values`` (n_rows,) by code and arm; a person has at most one row with a code."""
        kept = self._are_counted(people, codes) & ~np.isnan(values)
        place = codes[kept] * len(self.arms) + self.arm[people[kept]]
        return means_by_place(place, values[kept], (n_codes, len(self.arms)))

    def _are_counted(self, people: np.ndarray, codes: np.ndarray) -> np.ndarray:
        kept = (people >= 0) & (codes >= 0)
        kept[kept] = self.arm[people[kept]] >= 0
        return kept

    def _pairs(self, people: np.ndarray, codes: np.ndarray, n_codes: int) -> tuple[np.ndarray, np.ndarray]:
        kept = self._are_counted(people, codes)
        n = max(n_codes, 1)
        keys, _ = count_keys(people[kept].astype(np.int64) * n + codes[kept], self.n_people * n)
        return keys // n, keys % n

    def _by_arm(self, people: np.ndarray, codes: np.ndarray, n_codes: int) -> np.ndarray:
        n_arms = len(self.arms)
        counts = np.bincount(codes * n_arms + self.arm[people], minlength=n_codes * n_arms)
        return counts.reshape(n_codes, n_arms)


@dataclass(frozen=True)
class Means:
    """People with a number, their mean, and its standard error, all of one shape; NaN of nobody, or of one."""

    n: np.ndarray
    mean: np.ndarray
    error: np.ndarray


def sums_by_place(place: np.ndarray, values: np.ndarray, size: int) -> np.ndarray:
    """Sums (size,) of values (n,) by their place, added as they rise: no digit depends on the order of rows."""
    order = np.argsort(values)
    return np.bincount(place[order], values[order], size)


def mean_by_place(place: np.ndarray, values: np.ndarray, size: int) -> np.ndarray:
    """Means (size,) of values (n,) by their place, NaN of none."""
    n = np.bincount(place, minlength=size)
    with np.errstate(invalid="ignore", divide="ignore"):
        # Two numbers have one sum in whatever order.
        sums = sums_by_place(place, values, size) if n.max(initial=0) > 2 else np.bincount(place, values, size)
        return np.asarray(sums / n)


def means_by_place(place: np.ndarray, values: np.ndarray, shape: tuple[int, int]) -> Means:
    """Means of values (n,) by their place in an array of this shape."""
    size = shape[0] * shape[1]
    order = np.argsort(values)  # as sums_by_place
    place, values = place[order], values[order]
    n = np.bincount(place, minlength=size)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.bincount(place, values, size) / n
        squares = np.bincount(place, (values - mean[place]) ** 2, size)
        error = np.sqrt(squares / (n - 1) / n)
    error[n < 2] = np.nan
    return Means(n.reshape(shape), mean.reshape(shape), error.reshape(shape))
