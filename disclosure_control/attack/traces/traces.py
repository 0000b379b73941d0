"""Originals that are still in the released files: ids, their digits, dates, values of removed identifiers.

What a recipient reads is searched: every cell of every file, and the texts beside them. The count has to be 0. What
chance explains is no trace: a number that is somebody's id, and the digits of one within a date, count where people
have their own more often than exchanged ids would give. See ``chance``.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from disclosure_control.attack.answerers.forms import OwnDigits
from disclosure_control.attack.dates.dated_rows import released_days
from disclosure_control.attack.traces.originals import (
    ids_of_people,
    last_digits,
    long_ones,
    short_ids,
    values_of_removed_identifiers,
)
from disclosure_control.attack.traces.originals_found import (
    Exchange,
    FoundForm,
    OriginalKind,
    OriginalsFound,
    Searched,
    in_text_beside,
)
from disclosure_control.basics.encoding.dictionary import Dictionary, as_texts
from disclosure_control.basics.encoding.text_codes import text_codes
from disclosure_control.basics.kept import Kept, print_of
from disclosure_control.basics.telling.progress import going_through, progress
from disclosure_control.measures.moved_dates import NO_DAY
from disclosure_control.release.deidentify import ReleasedFile, ReleasedRows, ReleasedStudy
from disclosure_control.release.people import ReleasePeople, texts_of
from disclosure_control.release.recodings import RESULTS
from disclosure_control.release.study import Study
from study.formats.tables import SourceTable
from study.operations import OperationKind

_DATE = "^[0-9]{4}-[0-9]{2}-[0-9]{2}"


@dataclass(frozen=True)
class Traces:
    """How many of the cells ``searched`` contain an original, by kind; ``where`` names file and column of each.

    ``forms``: by place, how the originals stand there, with the number of cells. ``by_chance``: by place, the cells
    that look like an original and that chance explains; they are no traces. ``not_asked``: data sets, and columns of
    others, that are too large to search for digits of a person's own id and days. ``of_tests``: by place, the columns
    of the merged table whose rows hold all digits there: other results of the file may leave.
    """

    searched: int
    original_ids: int
    id_digits: int
    original_dates: int
    removed_identifiers: int
    people_left_out: int
    where: Mapping[str, int]
    forms: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    by_chance: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    not_asked: tuple[str, ...] = ()
    of_tests: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def total(self) -> int:
        counts = (self.original_ids, self.id_digits, self.original_dates, self.removed_identifiers)
        return sum(counts) + self.people_left_out


class _Counts:
    """What was found, by kind, and by place and form."""

    def __init__(self) -> None:
        self.kinds: Counter[str] = Counter()
        self.traces: dict[str, Counter[str]] = {}
        self.by_chance: dict[str, Counter[str]] = {}
        self.of_tests: dict[str, Sequence[str]] = {}

    def add(self, place: str, kind: str, form: str, n_traces: int, n_by_chance: int = 0) -> None:
        self.kinds[kind] += n_traces
        for found, n in ((self.traces, n_traces), (self.by_chance, n_by_chance)):
            if n:
                found.setdefault(place, Counter())[form] += n


def find_traces(
    study: Study,
    released: ReleasedStudy,
    opened: Mapping[str, SourceTable],
    people: ReleasePeople,
    texts: Mapping[str, str],
    subject_column: str | None,
    kept: Kept | None = None,
    most_rows: int = sys.maxsize,
) -> Traces:
    """Search the files as they were ``opened`` from disk, by data set, and the ``texts`` beside them by file name.

    ``kept``: what was found in the same columns before. In files of more than ``most_rows`` that are not in memory,
    people's own digits are not looked for.
    """
    searched, kept = _searched(study, released, people, subject_column), kept or Kept()
    wanted = searched.print, print_of(people.pseudonyms)
    recoded = {
        (account.file, account.variable)
        for account in released.accounts
        if account.operation.operation == OperationKind.RECODE_ID and not account.rows_of
    }
    counts, n_searched = _Counts(), len(texts)
    of_tables = [(name, column, table) for name, table in opened.items() for column in map(str, table.frame)]
    for name, column, table in going_through("Searching for traces", of_tables, lambda one: one[2].n_rows, "values"):
        asked = _ColumnOpened(
            table, column, subject_column, (name, column) in recoded, released.files[name].overview.lengths
        )
        find = partial(_in_column, asked, searched, people)
        n_cells, found = kept.of((*wanted, *asked.key), find) if table.fits(0) else find()
        n_searched += n_cells
        for one in found:
            counts.add(f"{name}.{column}", *one)
    for name, text in texts.items():
        counts.add(f"{name}.text", OriginalKind.ID, FoundForm.WHOLE, in_text_beside(searched, text))
    _dates_that_stayed(released, opened, people, counts)
    not_asked = tuple(_own_digits(study, released, opened, people, subject_column, counts, most_rows))
    _rows_of_others(opened, people, subject_column, counts)
    return Traces(
        **{kind: counts.kinds[kind] for kind in (*OriginalKind, "original_dates", "people_left_out")},
        where={place: found.total() for place, found in sorted(counts.traces.items())},
        forms={place: dict(found) for place, found in sorted(counts.traces.items())},
        by_chance={place: dict(found) for place, found in sorted(counts.by_chance.items())},
        searched=n_searched,
        not_asked=not_asked,
        of_tests=counts.of_tests,
    )


def _searched(study: Study, released: ReleasedStudy, people: ReleasePeople, subject_column: str | None) -> Searched:
    ids = ids_of_people(study, people, subject_column)
    long = long_ones(ids)
    # Also texts that are somebody's id: a subject's number is part of the longer id of the study as well.
    written = long.where(pc.invert(pc.match_substring_regex(long.texts, "^[0-9]+$")))
    removed = long_ones(values_of_removed_identifiers(study, released, people))
    removed = removed.where(pa.array(Dictionary(long.texts).positions(removed.texts) < 0))
    by_kind = {OriginalKind.ID: long, OriginalKind.DIGITS: long_ones(written.digits()), OriginalKind.REMOVED: removed}
    return Searched(by_kind, short_ids(ids), last_digits(ids))


@dataclass(frozen=True)
class _ColumnOpened:
    """A ``column`` of a table as it was opened; ``may_be_ids``: its cells are pseudonyms of records."""

    table: SourceTable
    column: str
    subject_column: str | None
    may_be_ids: bool
    lengths: Sequence[int]

    @property
    def person(self) -> str | None:
        """The column that names the person of each row, None in a table of nobody."""
        return self.subject_column if self.subject_column in self.table.frame else None

    @property
    def key(self) -> tuple[object, ...]:
        """All that decides what is found in it, beside what is searched for."""
        columns = (self.table.column(name) for name in (self.column, self.person) if name is not None)
        return "traces", self.may_be_ids, self.column == self.person, print_of(*columns)


def _in_column(
    asked: _ColumnOpened, searched: Searched, people: ReleasePeople
) -> tuple[int, list[tuple[OriginalKind, FoundForm, int, int]]]:
    """How many cells a column has; and by kind and form how many are traces, and how many chance explains."""
    values, n_cells = _distinct(asked.table, asked.column)
    if values.dtype.kind == "f":
        hits = searched.in_numbers(values, n_cells)
    else:
        hits = searched.in_texts(as_texts(values), n_cells, people.known_pseudonyms, asked.may_be_ids)
    if asked.column == asked.subject_column:
        hits = [one for one in hits if one.form is not FoundForm.SHORT]
    return int(n_cells.sum()), list(_judged(asked, hits, people)) if hits else []


def _judged(
    asked: _ColumnOpened, hits: Sequence[OriginalsFound], people: ReleasePeople
) -> Iterator[tuple[OriginalKind, FoundForm, int, int]]:
    """Ask whether chance explains the hits of a column; all rows of a person are in one part."""
    exchanges = [(Exchange(n_people=len(people.ids)), 0) for _ in hits]
    columns = list(dict.fromkeys(name for name in (asked.column, asked.person) if name is not None))
    for frame in asked.table.rows_in_order(asked.lengths, columns):
        of_rows = np.full(len(frame), -1)
        if asked.person is not None:
            codes, pseudonyms = pd.factorize(frame[asked.person])
            of_rows = np.append(people.known_pseudonyms.positions(texts_of(pd.Series(pseudonyms))), -1)[codes]
        values, codes = _values_of(frame[asked.column])
        met = [one.met_by(of_rows, values, codes) for one in hits]
        exchanges = [(all_ + one, n + more) for (all_, n), (one, more) in zip(exchanges, met, strict=True)]
    for one, exchange in zip(hits, exchanges, strict=True):
        n_traces = one.traces(*exchange)
        # Last digits of ids are in numbers of nearly every column by chance.
        n_by_chance = 0 if one.form is FoundForm.END else int(one.n_cells.sum()) - n_traces
        yield one.kind, one.form, n_traces, n_by_chance


def _values_of(column: pd.Series) -> tuple[pa.LargeStringArray, np.ndarray]:
    """The different values of a column as they were searched, and the code of each row's."""
    if column.dtype.kind == "f":
        codes, values = pd.factorize(column)
        return texts_of(pd.Series(values)), codes
    known = text_codes(column)
    return as_texts(known.texts), known.codes


def _distinct(table: SourceTable, column: str) -> tuple[pd.Series, np.ndarray]:
    """The values of a column (n,), each once, and how many cells have each."""
    counted = table.counts_of(column)
    return counted.index.to_series(), counted.to_numpy()


def _side_by_side(
    name: str, file: ReleasedFile, people: ReleasePeople, opened: SourceTable, columns: Sequence[str]
) -> Iterator[tuple[pd.DataFrame, ReleasedRows, pd.DataFrame]]:
    """Part by part, the rows of the source, their released values, and the same rows in the released file as read."""
    with progress(f"Searching {name}", file.n_records, "rows") as advance:
        found = opened.rows_in_order(file.overview.lengths, columns)
        for source, made, frame in zip(file.source.parts(people), file.parts, found, strict=True):
            yield source.table.frame, made, frame
            advance(len(frame))


def _dates_that_stayed(
    released: ReleasedStudy, opened: Mapping[str, SourceTable], people: ReleasePeople, counts: _Counts
) -> None:
    """Complete dates of a person that are still in their original record, whatever the operation.

    Dates as numbers are examined if the table declares them as dates.
    """
    numeric = {
        (account.file, account.variable)
        for account in released.accounts
        if account.operation.operation == OperationKind.OFFSET and not account.rows_of
    }
    for name, file in released.files.items():
        table = opened[name]
        names = map(str, table.frame)
        columns = [one for one in names if (name, one) in numeric or _has_dates(_distinct(table, one)[0])]
        for source, made, frame in _side_by_side(name, file, people, table, columns) if columns else ():
            somebody = made.people >= 0
            for column in frame.columns.intersection(source.columns):
                before, after = source[column].iloc[made.rows].reset_index(drop=True), frame[column]
                if before.dtype.kind == "f":
                    complete = before.notna().to_numpy() & ((name, column) in numeric)
                else:
                    complete = _are_dates(before)
                rows = np.flatnonzero(complete & somebody)
                if len(rows):
                    same = before.iloc[rows].to_numpy() == after.iloc[rows].to_numpy()
                    counts.add(f"{name}.{column}", "original_dates", "dates that were not moved", int(same.sum()))


def _own_digits(
    study: Study,
    released: ReleasedStudy,
    opened: Mapping[str, SourceTable],
    people: ReleasePeople,
    subject_column: str | None,
    counts: _Counts,
    most_rows: int,
) -> Iterator[str]:
    """People whose id or true day is within the numbers and texts of their rows, in whatever order it is written.

    Dates and pseudonyms, which look so, are not asked; nor is a column in which an original was found. Yields what is
    too large to ask.
    """
    if subject_column is None:
        return
    disguised = {(one.file, one.variable) for one in released.accounts if one.is_disguised}
    moved = {(one.file, one.variable) for one in released.accounts if one.operation.operation == OperationKind.OFFSET}
    days, whose = _true_days(study, people, moved)
    stays = np.append(people.stays, False)
    ids = pd.Series(people.ids).astype("str")
    own = OwnDigits.of(ids, np.arange(len(ids)), days, whose, len(ids))
    for name, table in opened.items():
        if subject_column not in table.frame:
            continue
        if not table.fits(most_rows):
            yield name
            continue
        person = people.known_pseudonyms.positions(texts_of(table.column(subject_column)))
        person = np.where(stays[person], person, -1)
        for column in map(str, table.frame):
            if column == subject_column or (name, column) in disguised or f"{name}.{column}" in counts.traces:
                continue
            found = own.found(table.column(column), person)
            if found is None:
                yield f"{name}.{column}"
                continue
            n_people, is_chance = found
            if n_people and not is_chance:
                counts.add(f"{name}.{column}", OriginalKind.DIGITS, FoundForm.OWN_DIGITS, n_people)
                tests = _tests_with_digits(own, name, column, table, person, released)
                counts.of_tests |= {f"{name}.{column}": tests} if tests else {}


def _tests_with_digits(
    own: OwnDigits, name: str, column: str, table: SourceTable, person: np.ndarray, released: ReleasedStudy
) -> list[str]:
    """The tests whose results hold digits of people, as columns of the merged table; none if others hold them, too."""
    model = released.model.table(name)
    if model is None or column not in map(model.called, RESULTS) or model.called("TEST") not in table.frame:
        return []
    test = model.called("TEST")
    of_rows = model.in_words(test, pd.DataFrame({test: table.column(test)})).astype("str")
    cells, found = table.column(column), list[str]()
    rest = np.ones(len(of_rows), dtype=bool)
    for one in of_rows.dropna().unique().tolist():
        rows = of_rows.eq(one).to_numpy(dtype=bool)
        n_people, is_chance = own.found(cells[rows], person[rows]) or (0, True)
        if n_people and not is_chance:
            found.append(f"{released.model.domain(name)}__{one}")
            rest &= ~rows
    _, is_rest_chance = own.found(cells[rest], person[rest]) or (0, True)
    return found if is_rest_chance else []


def _true_days(
    study: Study, people: ReleasePeople, moved: Collection[tuple[str, str]]
) -> tuple[np.ndarray, np.ndarray]:
    """The true days of people since 1970 in columns whose dates were ``moved``, each once: the days, and whose."""
    found = [pd.DataFrame({"day": np.zeros(0, np.int64), "person": np.zeros(0, np.int64)})]
    for file in study.files:
        columns = [column for name, column in moved if name == file.name and column in file.table.frame]
        for part in file.parts(people) if columns else ():
            for column in columns:
                day = released_days(part.table.frame[column])
                known = (day != NO_DAY) & (part.people >= 0)
                found.append(pd.DataFrame({"day": day[known], "person": part.people[known]}).drop_duplicates())
    each = pd.concat(found).drop_duplicates()
    return each["day"].to_numpy(np.int64), each["person"].to_numpy(np.int64)


def _has_dates(values: pd.Series) -> bool:
    return values.dtype.kind != "f" and bool(pc.any(pc.match_substring_regex(as_texts(values), _DATE)).as_py())


def _are_dates(column: pd.Series) -> np.ndarray:
    """Which cells (n_rows,) of a column of text are complete dates."""
    known = text_codes(column)
    is_date = pc.match_substring_regex(known.texts, _DATE).to_numpy(zero_copy_only=False)
    return known.taken(is_date, False).astype(bool)


def _rows_of_others(
    opened: Mapping[str, SourceTable], people: ReleasePeople, subject_column: str | None, counts: _Counts
) -> None:
    """Rows under any other name than the pseudonyms of those who stay."""
    stays = np.append(people.stays, False)
    for name, table in opened.items():
        if subject_column is not None and subject_column in table.frame:
            ids, n_cells = _distinct(table, subject_column)
            person = people.known_pseudonyms.positions(texts_of(ids))
            n_others = int(n_cells[~stays[person]].sum())
            counts.add(f"{name}.{subject_column}", "people_left_out", "rows of people left out", n_others)
