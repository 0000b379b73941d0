"""The summaries of the rows of released files, column by column; all rows of a column at once."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd

from disclosure_control.attack.answerers.levels import LevelMembers, RankedPeople
from disclosure_control.attack.tells.figures_of_rows import (
    CHANGE,
    NEARLY_ALL,
    ROW_OF_CHANGE,
    ROWS,
    Changes,
    by_order_and_size,
    digits_of_codes,
    row_by_row,
)
from disclosure_control.attack.tells.summaries import LEAST_IN_LEVEL, SummariesOfFiles, Summary
from disclosure_control.attack.tells.written_numbers import forms_of_numbers, numbers_within
from disclosure_control.basics.encoding.columns import encode_column, parse_numbers
from disclosure_control.basics.encoding.keys import count_keys
from disclosure_control.basics.encoding.text_codes import text_codes
from disclosure_control.release.recodings import RESULTS
from study.formats.days import day_numbers
from study.models.coded_terms import term_ladders
from study.models.roles import Role, TableKind, TableModel

MANY_VALUES = 10  # a column of more numbers is summarised by size
MOST_VALUES = 100  # of a column of numbers, or of each term, up to which each value is looked at
MOST_TERMS = 2_000  # of a topic, up to which values are looked at within each term
MOST_NUMBERS_WITHIN = 400  # terms times numeric columns of a file, up to which numbers are summarised within each term
FORM = "the form of"  # of numbers: decimals, signs, zeros
ORDER, PRESENCE = "the order of", "a value of"
PROBED = 40  # labels that show whether they may be dates or numbers
# A day, a month (with its hyphen), or a year in a column of dates.
_DATE, _YEAR, _NUMBER = re.compile(r"\d{4}-\d\d"), re.compile(r"\d{4}$"), re.compile(r"[+-]?[.\d]")
# The columns that say what a row is about, by the names that the merge gives them; it names a test as the first does.
TOPICS = ("TEST", "TESTCD", "DECOD", "TRT", "TERM")
# Columns on when a row is: they are summarised over all rows, not within each term.
_OF_TIME = (Role.DATE, Role.STUDY_DAY, Role.VISIT, Role.RECORD_KEY, Role.FOREIGN_KEY, Role.TIME)


@dataclass(frozen=True)
class RowsOfFile:
    """The rows of a released file that are of people who are looked at: ``person`` (n_rows,) is the place of each.

    ``table``: what the data model says of it. ``columns`` of the ``frame`` are all but the person's id.
    """

    name: str
    domain: str
    frame: pd.DataFrame = field(repr=False)
    person: np.ndarray = field(repr=False)
    table: TableModel | None

    def is_of(self, column: str, *roles: Role) -> bool:
        """Whether the data model gives one of the roles to a column."""
        known = None if self.table is None else self.table.columns.get(column)
        return known is not None and known.role in roles

    def summary(self, column: str, how: str = "", term: str = "") -> Summary:
        """A summary of a column of the file; results of the only test of a file are those of the test."""
        is_result = column in self.results
        return Summary(self.name, self.domain, column, how, term or (self._only_test if is_result else ""), is_result)

    @cached_property
    def results(self) -> set[str]:
        """The columns with the results of tests."""
        return set() if self.table is None else {self.table.called(short) for short in RESULTS}

    @cached_property
    def _only_test(self) -> str:
        tests = [] if self.topic is None else _encoded(self.in_words(self.topic))[1].tolist()
        return str(tests[0]) if len(tests) == 1 else ""

    def in_words(self, column: str) -> pd.Series:
        """A column (n_rows,) as the merge writes it."""
        return self.frame[column] if self.table is None else self.table.in_words(column, self.frame)

    @property
    def adds_up(self) -> bool:
        """Whether sums over its rows mean something: of doses and durations, not of results."""
        return self.table is not None and self.table.kind in (TableKind.EVENTS, TableKind.ROWS)

    @property
    def terms(self) -> set[str]:
        """The columns with a coded term."""
        ladders = term_ladders(self.domain, self.table, map(str, self.frame))
        return {column for ladder in ladders for column in ladder.columns}

    @property
    def topic(self) -> str | None:
        """The column that says what a row is about: a test, a term, a drug; None if each row is of one kind."""
        table = self.table
        if table is None:
            return None
        if table.kind is TableKind.SUPPLEMENTAL:
            return "QNAM" if "QNAM" in self.frame else None
        named = [table.called(short) for short in TOPICS]
        coded = sorted(table.of_role(Role.CODED_TERM), key=lambda name: table.columns[name].level)
        return next((name for name in (*named, *coded) if name in self.frame), None)


def summaries_of(
    files: Sequence[RowsOfFile],
    people: np.ndarray,
    starts: np.ndarray,
    not_read: Sequence[str] = (),
    dropped: Mapping[str, pd.Series] | None = None,
) -> SummariesOfFiles:
    """The summaries of all files, one file after the other.

    ``people`` are positions in the pilot; ``starts`` (n_people,) their released first days as numbers, NaN if unknown.
    """
    made = _Made(len(people))
    for file in files:
        _summarise(file, starts, made)
    terms = {(file.name, column) for file in files for column in file.terms}
    found = made.together(people)
    return dataclasses.replace(found, terms=frozenset(terms), not_read=not_read, dropped=dropped or {})


class _Made:
    """The summaries of the files so far."""

    def __init__(self, n_people: int):
        self.n_people = n_people
        self.summaries: list[Summary] = []
        self._members: list[np.ndarray] = []
        self._texts: list[np.ndarray] = []
        self._of_levels: list[np.ndarray] = []
        self._n_levels = 0
        self._numbers: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        self.same: dict[tuple[str, str], list[str]] = {}  # columns of a file that divide its rows as another one does

    def add_levels(
        self,
        summaries: Sequence[Summary],
        which: np.ndarray,
        texts: np.ndarray,
        pairs: np.ndarray,
        n_others: int | np.ndarray,
    ) -> None:
        """Levels (n_levels,) with the summary and the text of each, and who is in which, as ``level * n_people +
        person`` (n_pairs,).

        Levels of few people disclose nothing, nor do those of as many as ``n_others``, of all levels or of
        each: everybody with such rows.
        """
        self._keep(which + len(self.summaries), texts, *np.divmod(pairs, self.n_people), n_others)
        self.summaries += summaries

    def add_level(self, summary: Summary, texts: np.ndarray, pairs: np.ndarray, n_others: int) -> None:
        """The same of one summary."""
        self.add_levels([summary], np.zeros(len(texts), np.int64), texts, pairs, n_others)

    def _keep(
        self, of_level: np.ndarray, texts: np.ndarray, level: np.ndarray, person: np.ndarray, most: int | np.ndarray
    ) -> None:
        size = np.bincount(level, minlength=len(texts))
        kept = (size >= LEAST_IN_LEVEL) & (size < most)
        entries = kept[level]
        renumbered = np.cumsum(kept) - 1 + self._n_levels
        self._members.append(np.stack([renumbered[level[entries]], person[entries]]))
        self._texts.append(texts[kept])
        self._of_levels.append(of_level[kept])
        self._n_levels += int(kept.sum())

    def add_numbers(
        self, summaries: Sequence[Summary], which: np.ndarray | int, person: np.ndarray, numbers: np.ndarray
    ) -> None:
        """Numbers (n,) of people: each person once for each of the ``summaries``, which one ``which`` says."""
        self._numbers.append((np.broadcast_to(which + len(self.summaries), len(person)), person, numbers))
        self.summaries += summaries

    def together(self, people: np.ndarray) -> SummariesOfFiles:
        """All of them; numbers that several people have are levels, too."""
        nothing = (np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))
        summary, person, number = (np.concatenate(one) for one in zip(nothing, *self._numbers, strict=True))
        order = np.lexsort((number, summary))
        summary, person, number = summary[order], person[order], number[order]
        is_first = np.append(True, np.diff(summary) > 0)[: len(summary)]
        of_summary = np.cumsum(is_first) - 1
        starts = np.append(np.flatnonzero(is_first), len(summary))
        varies = number[starts[:-1]] < number[starts[1:] - 1]
        kept = varies[of_summary]
        summary, person, number = summary[kept], person[kept], number[kept]
        is_other = np.append(True, (np.diff(summary) > 0) | (np.diff(number) > 0))[: len(summary)]
        level = np.cumsum(is_other) - 1
        self._keep(summary[is_other], number[is_other].astype(object), level, person, self.n_people)
        level, member = np.concatenate([np.zeros((2, 0), np.int64), *self._members], axis=1)
        of_levels = np.concatenate([np.zeros(0, np.int64), *self._of_levels])
        texts = np.concatenate([np.zeros(0, object), *self._texts])
        members = LevelMembers(level.astype(np.int32), member.astype(np.int32), len(of_levels))
        of_ranked, n_ranked = np.unique(summary, return_counts=True)
        ranked = RankedPeople(person, np.append(0, np.cumsum(n_ranked)).astype(np.int64))
        return SummariesOfFiles(people, self.summaries, members, of_levels, texts, ranked, of_ranked, number, self.same)


# ---------------------------------------------------------------- the columns of a file


@dataclass(frozen=True)
class _Topic:
    """What each row (n_rows,) is about: the code of its term, -1 of none, the terms, and how many people have each.

    ``column`` is "" where all rows are of one term, which has no name.
    """

    column: str
    codes: np.ndarray
    terms: np.ndarray
    n_people: np.ndarray

    @classmethod
    def of(cls, column: str, codes: np.ndarray, terms: np.ndarray, person: np.ndarray) -> _Topic:
        """Of the rows (n_rows,) of each ``person``."""
        there, n_people = codes >= 0, int(person.max(initial=0)) + 1
        pairs, _ = count_keys(codes[there].astype(np.int64) * n_people + person[there], len(terms) * n_people)
        return cls(column, codes.astype(np.int64), terms, np.bincount(pairs // n_people, minlength=len(terms)))


@dataclass(frozen=True)
class _Column:
    """A column of a file: the ``codes`` (n_rows,) of its ``labels``, -1 where missing."""

    name: str
    codes: np.ndarray
    labels: np.ndarray


_NOTHING = np.array([""], dtype=object)


def _summarise(file: RowsOfFile, starts: np.ndarray, made: _Made) -> None:
    n_rows = np.bincount(file.person, minlength=made.n_people)
    with_rows = np.flatnonzero(n_rows)
    made.add_numbers([file.summary("", "the number of rows in")], 0, np.arange(made.n_people), n_rows.astype(float))
    made.add_level(file.summary("", "rows in"), _NOTHING, with_rows, made.n_people)
    topic, whole = _topic_of(file), _Topic.of("", np.zeros(len(file.person), np.int64), _NOTHING, file.person)
    n_within, met = 0, dict[bytes, str]()
    for name in map(str, file.frame):
        codes, labels = _encoded(file.frame[name])
        # Each column of the merged table is asked by itself: a copy of a hidden one is no released form of it.
        again = met.setdefault(pd.factorize(codes)[0].tobytes(), name) if file.name else name
        if not len(labels) or again != name:
            made.same.setdefault((file.name, again), []).append(name)
            continue
        numbers, is_date = _as_numbers(labels, file.is_of(name, Role.DATE, Role.DEATH_DATE))
        values = None if numbers is None else np.append(numbers, np.nan)[codes]
        if values is not None and is_date:
            _add_days(file, name, values - starts[file.person], made)
            continue
        column, is_of_time = _Column(name, codes, np.asarray(labels, dtype=object)), file.is_of(name, *_OF_TIME)
        is_within = topic is not None and name != topic.column and not is_of_time
        if (codes < 0).any():
            _add_levels(file, name, PRESENCE, np.where(codes < 0, -1, 0), _NOTHING, whole, made)
        if not file.is_of(name, Role.RECORD_KEY):
            if values is None or len(labels) <= MOST_VALUES:
                _add_values(file, column, whole, made)
            if topic is not None and is_within:
                _add_levels(file, name, "", codes, column.labels, topic, made)
        if values is None:
            if not is_of_time:
                _add_changes(file, column, topic if topic is not None and is_within else whole, made)
            if len(labels) > MANY_VALUES and len(with_rows) == len(file.person):
                made.add_numbers([file.summary(name, ORDER)], 0, file.person[codes >= 0], _in_order(codes, labels))
            continue
        of_label, forms = forms_of_numbers(labels)  # with decimals, signs, zeros
        for one in (whole, topic) if len(forms) > 1 and not is_of_time else ():
            if one is not None:
                _add_levels(file, name, FORM, np.append(of_label, -1)[codes], forms, one, made)
        _add_numbers(file, name, values, whole, made, with_rows=topic is None or name not in file.results)
        if topic is not None and is_within:
            n_within += len(topic.terms)
            if n_within <= MOST_NUMBERS_WITHIN:
                _add_numbers(file, name, values, topic, made)


def _encoded(column: pd.Series) -> tuple[np.ndarray, np.ndarray]:
    """The codes (n_rows,) of a column, -1 where missing, and the labels (n_labels,)."""
    if column.dtype == "str":
        known = text_codes(column)
        return known.codes, known.texts.to_numpy(zero_copy_only=False)
    encoded = encode_column(column)
    return encoded.codes, encoded.labels


def _topic_of(file: RowsOfFile) -> _Topic | None:
    if file.topic is None:
        return None
    codes, labels = _encoded(file.in_words(file.topic))
    return _Topic.of(file.topic, codes, labels, file.person) if 1 < len(labels) <= MOST_TERMS else None


def _as_numbers(labels: np.ndarray, are_dates: bool) -> tuple[np.ndarray | None, bool]:
    """The labels as numbers, or as days, where nearly all can be read so; and whether they are days.

    None if they are neither, or numbers of few values. ``are_dates``: by the data model; then four digits are a year.
    """
    if labels.dtype.kind == "f":
        return (labels, False) if len(labels) > MANY_VALUES else (None, False)
    some = [str(text) for text in labels[:PROBED]]
    if _are_nearly_all([_DATE.match(text) or (are_dates and _YEAR.match(text)) for text in some]):
        return _days_of_dates(pd.Series(labels, dtype="str")), True
    if len(labels) <= MANY_VALUES:
        return None, False
    if any(map(_NUMBER.match, some)):
        numbers = parse_numbers(pd.Series(labels, dtype="str"))
        if _are_nearly_all(np.isfinite(numbers)):
            return numbers, False
    return numbers_within(labels, some), False


def _days_of_dates(texts: pd.Series) -> np.ndarray:
    """The days of dates as numbers (n,): of a month its middle, of a year the first of July; NaN for other texts."""
    whole, length = texts.str.slice(0, 10), texts.str.len().to_numpy()
    for letters, middle in ((7, "-15"), (4, "-07-01")):
        if (length == letters).any():
            whole = whole.mask(length == letters, whole + middle)
    return day_numbers(pd.to_datetime(whole, format="%Y-%m-%d", errors="coerce").to_numpy("datetime64[D]"))


def _are_nearly_all(found: Sequence[object] | np.ndarray) -> bool:
    return sum(map(bool, found)) >= NEARLY_ALL * len(found) > 0


def _add_days(file: RowsOfFile, name: str, days: np.ndarray, made: _Made) -> None:
    """The first and last day of a date from the person's start, and days between: these do not move."""
    called = {"the smallest": "the first day in", "the largest": "the last day in"}
    for how, person, found in by_order_and_size(file.person, days):
        if how in called:
            made.add_numbers([file.summary(name, called[how])], 0, person, found)
    known = np.flatnonzero(np.isfinite(days))
    known = known[np.lexsort((days[known], file.person[known]))]
    person, days = file.person[known], days[known]
    is_other = np.append(True, (np.diff(person) > 0) | (np.diff(days) > 0))[: len(known)]
    for how, who, found in row_by_row(person[is_other], days[is_other]):
        if how not in ROWS:  # the days themselves are as many, and moved
            made.add_numbers([file.summary(name, how.replace("row", "day"))], 0, who, found)


def _in_order(codes: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The place of each text (n_with_value,) among all of a column: the next postal code may be of the same region."""
    place = np.empty(len(labels))
    place[np.argsort(labels.astype(str), kind="stable")] = np.arange(len(labels))
    found: np.ndarray = place[codes[codes >= 0]]
    return found


def _add_levels(
    file: RowsOfFile, name: str, how: str, codes: np.ndarray, texts: np.ndarray, topic: _Topic, made: _Made
) -> tuple[np.ndarray, np.ndarray]:
    """Which ``texts``, by their ``codes`` (n_rows,), a person has in the rows of each term.

    Of a topic nothing where the term says the text, or there are many. Returns who is in which level, as ``add_levels``
    takes it, and in how many rows (n_pairs,).
    """
    there = (codes >= 0) & (topic.codes >= 0)
    key = topic.codes[there] * len(texts) + codes[there]
    cells, _ = count_keys(key, len(topic.terms) * len(texts))
    of_term, of_text = np.divmod(cells, len(texts))
    terms, which = np.unique(of_term, return_inverse=True)
    n_texts = len(np.unique(of_text))
    says_more = len(terms) < len(cells) <= MOST_VALUES * len(terms) and n_texts < len(cells)
    if topic.column and not says_more:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    cell = np.searchsorted(cells, key)
    pairs, n_rows = count_keys(cell * np.int64(made.n_people) + file.person[there], len(cells) * made.n_people)
    summaries = [file.summary(name, how, str(term)) for term in topic.terms[terms]]
    made.add_levels(summaries, which, texts[of_text], pairs, topic.n_people[of_term])
    return pairs, n_rows


def _add_values(file: RowsOfFile, column: _Column, whole: _Topic, made: _Made) -> None:
    """Which values a person has in all rows: any, how many different ones, first, last, commonest."""
    pairs, n_rows = _add_levels(file, column.name, "", column.codes, column.labels, whole, made)
    code_of_pair, person_of_pair = np.divmod(pairs, made.n_people)
    n_values = np.bincount(person_of_pair, minlength=made.n_people)
    if n_values.max() <= 1:
        return
    has, there = np.flatnonzero(n_values), column.codes >= 0
    different = file.summary(column.name, "the number of different values of")
    made.add_numbers([different], 0, has, n_values[has].astype(float))
    code, person = column.codes[there].astype(np.int64), file.person[there]
    for how, who, which in _one_each(code, person, code_of_pair, person_of_pair, n_rows):
        level = which * made.n_people + who
        made.add_level(file.summary(column.name, how), column.labels, level, int(whole.n_people[0]))


def _add_changes(file: RowsOfFile, column: _Column, topic: _Topic, made: _Made) -> None:
    """Which value becomes which other one in the rows of each term, in any row and in which one."""
    there = (column.codes >= 0) & (topic.codes >= 0)
    group, n_codes = topic.codes[there] * made.n_people + file.person[there], len(column.labels)
    found = Changes.of(group, column.codes[there], n_codes, made.n_people)
    of_term, person = np.divmod(found.group, made.n_people)
    labels = column.labels
    for how, row in ((CHANGE, np.zeros_like(found.row)), (ROW_OF_CHANGE, found.row)):
        level = np.stack([of_term, found.before, found.after, row])
        distinct, which = np.unique(level, axis=1, return_inverse=True)
        terms, summary = np.unique(distinct[0], return_inverse=True)
        texts = [f"{labels[one]} to {labels[other]}{f' in row {n}' if n else ''}" for _, one, other, n in distinct.T]
        summaries = [file.summary(column.name, how, str(term)) for term in topic.terms[terms]]
        pairs = which.reshape(-1) * made.n_people + person
        made.add_levels(summaries, summary, np.array(texts, dtype=object), np.unique(pairs), made.n_people)


def _one_each(
    code: np.ndarray, person: np.ndarray, code_of_pair: np.ndarray, person_of_pair: np.ndarray, n_rows: np.ndarray
) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """One value of each person: the first, the last, the commonest; who, and which."""
    who, first = np.unique(person, return_index=True)
    yield "the first", who, code[first]
    who, last = np.unique(person[::-1], return_index=True)
    yield "the last", who, code[::-1][last]
    order = np.lexsort((n_rows, person_of_pair))
    ends = np.flatnonzero(np.append(np.diff(person_of_pair[order]) > 0, len(order) > 0))
    yield "the commonest", person_of_pair[order[ends]], code_of_pair[order[ends]]


def _add_numbers(
    file: RowsOfFile, name: str, values: np.ndarray, topic: _Topic, made: _Made, *, with_rows: bool = True
) -> None:
    """The figures of each person in the rows of each term; ``with_rows``: and the number in each row, and digits."""
    there = topic.codes >= 0
    group, values = topic.codes[there] * made.n_people + file.person[there], values[there]
    figures = list(by_order_and_size(group, values, file.adds_up))
    if with_rows:
        figures += [*row_by_row(group, values), *digits_of_codes(group, values, made.n_people)]
    for how, of_group, found in figures:
        term, person = np.divmod(of_group, made.n_people)
        terms, which = np.unique(term, return_inverse=True)
        made.add_numbers([file.summary(name, how, str(topic.terms[one])) for one in terms], which, person, found)
