"""Originals that are still in the released files: ids, their digits, dates, values of removed identifiers.

What a recipient reads is searched: every cell of every file, and the texts beside them. The count has to be 0. What
chance explains is no trace: a number that is somebody's id, and the digits of one within a date, count where people
have their own more often than exchanged ids would give. See ``chance``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
import pandas as pd
import pyarrow as pa

from disclosure_control.attack.dates.dated_rows import released_days
from disclosure_control.attack.traces.originals import (
    Originals,
    ids_of_people,
    last_digits,
    long_ones,
    own_digits,
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
from study.formats.matches import any_match, are_matching
from study.formats.tables import SourceTable
from study.models.roles import TableModel
from study.operations import OperationKind

_DATE = "^[0-9]{4}-[0-9]{2}-[0-9]{2}"


@dataclass(frozen=True)
class Traces:
    """How many of the cells ``searched`` contain an original, by kind; ``where`` names file and column of each.

    ``forms``: by place, how the originals stand there, with the number of cells. ``by_chance``: by place, the cells
    that look like an original and that chance explains; they are no traces. ``of_tests``: by place, the
    columns of the merged table whose rows hold all own digits there: other results of the file may leave.
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
) -> Traces:
    """Search the files as they were ``opened`` from disk, by data set, and the ``texts`` beside them by file name.

    ``kept``: what was found in the same columns before.
    """
    searched, kept = _searched(study, released, people, subject_column), kept or Kept()
    in_disguised = replace(searched, own=Originals.of([]))
    wanted = searched.print, print_of(people.pseudonyms)
    disguised = {
        (account.file, account.variable): account.operation.operation
        for account in released.accounts
        if account.is_disguised and not account.rows_of
    }
    counts, n_searched = _Counts(), len(texts)
    of_tables = [(name, column, table) for name, table in opened.items() for column in map(str, table.frame)]
    for name, column, table in going_through("Searching for traces", of_tables, lambda one: one[2].n_rows, "values"):
        operation, lengths = disguised.get((name, column)), released.files[name].overview.lengths
        is_recoded = operation == OperationKind.RECODE_ID
        asked = _ColumnOpened(table, column, subject_column, is_recoded, lengths, released.model.table(name))
        is_disguised = operation is not None or column == subject_column  # dates and pseudonyms look like own digits
        find = partial(_in_column, asked, in_disguised if is_disguised else searched, people)
        n_cells, found, tests = kept.of((*wanted, is_disguised, *asked.key), find) if table.fits(0) else find()
        n_searched += n_cells
        counts.of_tests |= (
            {f"{name}.{column}": [f"{released.model.domain(name)}__{one}" for one in tests]} if tests else {}
        )
        for one in found:
            counts.add(f"{name}.{column}", *one)
    for name, text in texts.items():
        counts.add(f"{name}.text", OriginalKind.ID, FoundForm.WHOLE, in_text_beside(searched, text))
    _dates_that_stayed(released, opened, people, counts)
    _rows_of_others(opened, people, subject_column, counts)
    return Traces(
        **{kind: counts.kinds[kind] for kind in (*OriginalKind, "original_dates", "people_left_out")},
        where={place: found.total() for place, found in sorted(counts.traces.items())},
        forms={place: dict(found) for place, found in sorted(counts.traces.items())},
        by_chance={place: dict(found) for place, found in sorted(counts.by_chance.items())},
        searched=n_searched,
        of_tests=counts.of_tests,
    )


def _searched(study: Study, released: ReleasedStudy, people: ReleasePeople, subject_column: str | None) -> Searched:
    ids = ids_of_people(study, people, subject_column)
    long = long_ones(ids)
    # Also texts that are somebody's id: a subject's number is part of the longer id of the study as well.
    written = long.where(~are_matching(long.texts, "^[0-9]+$"))
    removed = long_ones(values_of_removed_identifiers(study, released, people))
    removed = removed.where(Dictionary(long.texts).positions(removed.texts) < 0)
    by_kind = {OriginalKind.ID: long, OriginalKind.DIGITS: long_ones(written.digits()), OriginalKind.REMOVED: removed}
    own = own_digits(ids, *_true_days(study, released, people))
    return Searched(by_kind, short_ids(ids), own, last_digits(ids))


@dataclass(frozen=True)
class _ColumnOpened:
    """A ``column`` of a table as it was opened; ``may_be_ids``: its cells are pseudonyms of records."""

    table: SourceTable
    column: str
    subject_column: str | None
    may_be_ids: bool
    lengths: Sequence[int]
    model: TableModel | None

    @property
    def person(self) -> str | None:
        """The column that names the person of each row, None in a table of nobody."""
        return self.subject_column if self.subject_column in self.table.frame else None

    @property
    def key(self) -> tuple[object, ...]:
        """All that decides what is found in it, beside what is searched for."""
        columns = (self.table.column(name) for name in (self.column, self.person, self.test) if name is not None)
        return "traces", self.may_be_ids, self.column == self.person, print_of(*columns)

    @property
    def test(self) -> str | None:
        """The column that names the test of each row, None where the column is no result of tests."""
        if self.model is None or self.column not in map(self.model.called, RESULTS):
            return None
        name = self.model.called("TEST")
        return name if name in self.table.frame else None

    def rows(self, people: ReleasePeople) -> Iterator[tuple[pd.Series, np.ndarray, pd.Series | None]]:
        """Part by part, all rows of a person in one: the cells, whose each is, and of which test, as the merge says."""
        columns = list(dict.fromkeys(name for name in (self.column, self.person, self.test) if name is not None))
        for frame in self.table.rows_in_order(self.lengths, columns):
            of_rows, test = np.full(len(frame), -1), None
            if self.person is not None:
                codes, pseudonyms = pd.factorize(frame[self.person])
                of_rows = np.append(people.known_pseudonyms.positions(texts_of(pd.Series(pseudonyms))), -1)[codes]
            if self.model is not None and self.test is not None:
                test = self.model.in_words(self.test, frame).astype("str")
            yield frame[self.column], of_rows, test


def _in_column(
    asked: _ColumnOpened, searched: Searched, people: ReleasePeople
) -> tuple[int, list[tuple[OriginalKind, FoundForm, int, int]], list[str]]:
    """How many cells a column has; by kind and form how many are traces, and how many chance explains; and the tests
    whose rows hold all of the own digits.
    """
    values, n_cells = _distinct(asked.table, asked.column)
    if values.dtype.kind == "f":
        hits = searched.in_numbers(values, n_cells)
    else:
        hits = searched.in_texts(as_texts(values), n_cells, people.known_pseudonyms, asked.may_be_ids)
    if asked.column == asked.subject_column:
        hits = [one for one in hits if one.form is not FoundForm.SHORT]
    found, tests = [], list[str]()
    for hit, n_traces in zip(hits, _n_traces(asked, hits, people) if hits else (), strict=True):
        # Last digits of ids, and any digits, are in numbers of nearly every column by chance.
        is_of_digits = hit.form in (FoundForm.END, FoundForm.OWN_DIGITS)
        found.append((hit.kind, hit.form, n_traces, 0 if is_of_digits else int(hit.n_cells.sum()) - n_traces))
        if hit.form is FoundForm.OWN_DIGITS and n_traces and asked.test is not None:
            tests = _tests_with(asked, hit, people)
    return int(n_cells.sum()), found, tests


def _tests_with(asked: _ColumnOpened, hit: OriginalsFound, people: ReleasePeople) -> list[str]:
    """The tests in whose rows the traces are; none if the others have some together."""
    named = pd.concat([test for _, _, test in asked.rows(people) if test is not None]).dropna().unique().tolist()
    found = [one for one in named if _n_traces(asked, [hit], people, [one])[0]]
    return [] if _n_traces(asked, [hit], people, [one for one in named if one not in found])[0] else found


def _n_traces(
    asked: _ColumnOpened, hits: Sequence[OriginalsFound], people: ReleasePeople, tests: Sequence[str] | None = None
) -> list[int]:
    """How many cells of each hit chance does not explain; ``tests``: in the rows of some tests alone."""
    exchanges = [(Exchange(n_people=len(people.ids)), 0) for _ in hits]
    for cells, of_rows, test in asked.rows(people):
        values, codes = _values_of(cells)
        kept = slice(None) if tests is None or test is None else test.isin(tests).to_numpy(dtype=bool)
        met = [hit.met_by(of_rows[kept], values, codes[kept]) for hit in hits]
        exchanges = [(whole + one, n + more) for (whole, n), (one, more) in zip(exchanges, met, strict=True)]
    return [hit.traces(*exchange) for hit, exchange in zip(hits, exchanges, strict=True)]


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
    numeric = {(one.file, one.variable) for one in released.accounts if one.is_moved and not one.rows_of}
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


def _true_days(study: Study, released: ReleasedStudy, people: ReleasePeople) -> tuple[np.ndarray, np.ndarray]:
    """The true days of people since 1970 in columns whose dates were moved, each once: the days, and whose."""
    moved = [(one.file, one.variable) for one in released.accounts if one.is_moved]
    found = [pd.DataFrame({"person": np.zeros(0, np.int64), "day": np.zeros(0, np.int64)})]
    for file in study.files:
        columns = [column for name, column in moved if name == file.name and column in file.table.frame]
        for part in file.parts(people) if columns else ():
            for column in columns:
                day = released_days(part.table.frame[column])
                known = (day != NO_DAY) & (part.people >= 0)
                found.append(pd.DataFrame({"person": part.people[known], "day": day[known]}).drop_duplicates())
    each = pd.concat(found).drop_duplicates().sort_values(["person", "day"])
    return each["day"].to_numpy(np.int64), each["person"].to_numpy(np.int64)


def _has_dates(values: pd.Series) -> bool:
    return values.dtype.kind != "f" and any_match(as_texts(values), _DATE)


def _are_dates(column: pd.Series) -> np.ndarray:
    """Which cells (n_rows,) of a column of text are complete dates."""
    known = text_codes(column)
    return known.taken(are_matching(known.texts, _DATE), False).astype(bool)


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
