"""Domain files (delimited text, Parquet) larger than memory: read once, encoded, divided by person, read in parts.

The functions for whole files decide what a column means, from its distinct values and their counts; so memory contains
the distinct values, one block, and the rows of some people.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from disclosure_control.basics.encoding.dictionary import as_texts
from disclosure_control.basics.telling.faults import FaultyInputError, stop_at
from disclosure_control.basics.telling.progress import progress
from disclosure_control.basics.telling.words import counted
from disclosure_control.records.columns import ColumnOfRecords, kept_records
from disclosure_control.records.disk import with_progress
from disclosure_control.records.limits import USUAL_LIMITS, Limits
from disclosure_control.records.spill import Aside, Columns, SpilledPieces
from disclosure_control.records.sql import REMEDY_IN_MEMORY, ROWS_AT_ONCE, Database
from disclosure_control.records.texts import TextsBeingRead, put_aside
from study.formats.delimited_blocks import BlocksOfText, Dialect
from study.formats.foreign_content import foreign_content_faults
from study.formats.header_rows import DELIMITER_NAMES, USUAL_DELIMITERS, guess_delimiter
from study.formats.meanings import columns_as_meant
from study.formats.messages import shown_name, unquoted_missing_note
from study.formats.packed import opened
from study.formats.parquet_domains import BlocksOfParquetDomain
from study.formats.quotes import BytesOfFile, n_unquoted_missing
from study.formats.row_numbers import may_be_row_numbers
from study.formats.rows_of_nobody import ROWS_AT_ENDS, faults_of_rows_on_disk
from study.formats.rows_of_people import SUBJECT, RowsOfPeople, starts_of_parts
from study.formats.tables import (
    GZIP_SUFFIX,
    FileContents,
    FileOptions,
    Piece,
    Pieces,
    SourceTable,
    domain_of,
    suffix_of,
)
from study.formats.values import frame_of, name_faults

REMEDY = (
    "to be read from disk a file is UTF-8 text with a line of names, quotes around whole values alone and doubled "
    "within; export it so, or use --engine memory on a machine with enough memory"
)
PARQUET = ".parquet"
_SAMPLE_BYTES = 1 << 18
COLUMNS_AT_ONCE = 64  # what a sort takes in memory grows with the columns, hardly with the rows


@dataclass(frozen=True)
class LargeFile(SourceTable):
    """A file whose records are on disk, so that ``frame`` has no row: ``held`` are its columns, in the same order.

    ``codes`` is where they are, in the ``database``'s folder.
    """

    held: Sequence[ColumnOfRecords] = field(kw_only=True, repr=False)
    codes: Aside = field(kw_only=True)
    database: Database = field(kw_only=True, repr=False)

    @property
    def n_rows(self) -> int:
        return sum(self.codes.lengths)

    @property
    def names(self) -> list[str]:
        """Those of the columns."""
        return [str(name) for name in self.frame]

    def _held(self, column: str) -> ColumnOfRecords:
        return self.held[self.names.index(column)]

    def counts_of(self, column: str) -> pd.Series:
        """The values of a column, and how many records have each; those without one are not counted."""
        held = self._held(column)  # once cleaned, values may repeat
        return pd.Series(held.people).groupby(held.values.array, sort=False).sum()[lambda found: found > 0]

    def counted_column(self, column: str) -> tuple[pd.Series, np.ndarray | None]:
        """The distinct values of a column, missing among them, and how many records have each."""
        held = self._held(column)
        return held.values, held.people

    def source_ids(self, column: str | None) -> tuple[pd.Series, np.ndarray]:
        """The distinct ids of the file, missing where there are records without, and how many records have each."""
        if column is None:
            raise FaultyInputError(
                f'{self.file_name}: subject_id: {{"column": None}} numbers the rows of a file, which is done in memory '
                "alone; give the file a column that holds the id, or use --engine memory"
            )
        held = self._held(column)
        if (held.people[1:] > 0).all():  # all but the missing one, as usual: no second list of all ids
            first = 0 if held.people[0] else 1
            return held.values.iloc[first:], held.people[first:]
        return held.values.iloc[held.occurs], held.people[held.occurs]

    def _codes_of(self, columns: Iterable[str]) -> Iterator[tuple[np.ndarray, ...]]:
        """The codes of these columns, block by block."""
        return zip(*(self._held(name).texts for name in columns), strict=True)

    def where(self, column: str, is_kept: Callable[[pd.Series], np.ndarray]) -> LargeFile:
        asked = self._held(column)
        of_code = is_kept(asked.values)
        held, codes = kept_records(self.held, (of_code[one] for one in asked.texts), self.database)
        self.codes.remove()
        return dataclasses.replace(self, codes=codes, held=held)

    def with_column_of_ids(self, column: str | None, name: str, of_ids: Callable[[pd.Series], pd.Series]) -> LargeFile:
        """See ``SourceTable``: each record gets the code of its id, whose value is made once."""
        assert column is not None
        held = self._held(column)
        added = dataclasses.replace(held, values=pd.Series(of_ids(held.values).array, dtype="str"))
        frame = self.frame.assign(**{name: pd.Series(dtype="str")})
        return dataclasses.replace(self, frame=frame, held=[*self.held, added])

    def has_several(
        self, column: str, beside: str, is_meant: Callable[[pd.Series], np.ndarray], least: int = 2
    ) -> bool:
        meant = is_meant(self._held(beside).values)
        of_code, _ = pd.factorize(self._held(column).values)
        found: set[int] = set()
        for codes, codes_beside in self._codes_of([column, beside]):
            found |= set(np.unique(of_code[codes[meant[codes_beside]]]).tolist()) - {-1}
            if len(found) >= least:
                return True
        return False

    def fits(self, most: int) -> bool:
        return self.n_rows <= most

    def column(self, name: str) -> pd.Series:
        """A column whole (n_rows,)."""
        return pd.Series(self._held(name).taken(self._held(name).places()), name=name)

    def columns_together(self, names: Iterable[str]) -> Iterator[list[tuple[str, pd.Series]]]:
        """See ``SourceTable``: one at a time."""
        for name in names:
            yield [(name, self.column(name))]

    def give_back(self) -> None:
        """Give back what the rows take on the disk: they are not asked for again."""
        self.codes.remove()

    def rows_in_order(self, lengths: Iterable[int], columns: Sequence[str] | None = None) -> Iterator[pd.DataFrame]:
        """The rows in the order of the file, in blocks; of some ``columns``, None for all."""
        names = self.names if columns is None else list(columns)
        waiting, blocks = [np.zeros(0, dtype=np.int32)] * len(names), self._codes_of(names)
        for length in lengths:
            while len(waiting[0]) < length:
                waiting = [np.append(both[0], both[1]) for both in zip(waiting, next(blocks), strict=True)]
            yield self._taken(names, [one[:length] for one in waiting])
            waiting = [one[length:] for one in waiting]

    def combinations(self, columns: Sequence[str], most: int | None) -> pd.DataFrame | None:
        """Each combination of values of some columns once, at its last row; None if there are more than ``most``.

        Counting stops at the first block that exceeds it.
        """
        met = pd.DataFrame({i: np.zeros(0, dtype=np.int32) for i in range(len(columns))})
        for codes in self._codes_of(columns):
            block = pd.DataFrame(dict(enumerate(codes)))
            met = pd.concat([met, block.drop_duplicates(keep="last")]).drop_duplicates(keep="last")
            if most is not None and len(met) > most:
                return None
        return self._taken(columns, [*met.to_numpy().T])

    def _taken(self, columns: Sequence[str], codes: Sequence[np.ndarray]) -> pd.DataFrame:
        return pd.DataFrame(
            {name: self._held(name).taken(one) for name, one in zip(columns, codes, strict=True)}, copy=False
        )

    def starts_of_parts(self, n_people: int, rows_per_part: int) -> np.ndarray:
        return starts_of_parts(n_people, self.n_rows, rows_per_part)

    def pieces(self, made: Callable[..., Piece]) -> Pieces[Piece]:
        """See ``SourceTable``: on disk, beside the rows."""
        return SpilledPieces(self.database.new_folder() / "made", made)

    def of_people(self, person: np.ndarray, column: str | None) -> RowsOfPeople:
        """The rows in the order of their people, on disk; the file before that is removed."""
        assert column is not None
        ids = self._held(column)
        person_of_code = np.full(len(ids.people), -1, dtype=np.int32)
        person_of_code[ids.occurs] = person
        of_people = person_of_code >= 0
        n_rows = np.bincount(person_of_code[of_people], ids.people[of_people]).astype(np.int64)
        divided = [
            self._divided(person_of_code, ids, self.held[start : start + COLUMNS_AT_ONCE])
            for start in range(0, len(self.held), COLUMNS_AT_ONCE)
        ]
        self.codes.remove()
        return _Divided(self.names, self.held, n_rows, divided)

    def _divided(self, person_of_code: np.ndarray, ids: ColumnOfRecords, some: Sequence[ColumnOfRecords]) -> Aside:
        """The rows by person: their codes in some of the columns."""
        kinds = [pa.int32(), pa.int64(), *[pa.int32()] * len(some)]
        remedy = f"leave columns out of {self.file_name} that the merge does not need, or {REMEDY_IN_MEMORY}"
        rows_of_people = self._rows(person_of_code, ids, some)
        in_order = self.database.in_order(rows_of_people, kinds, 2, ROWS_AT_ONCE, remedy)
        with contextlib.closing(Aside(self.database.new_folder() / "divided", kinds[2:])) as divided:
            for rows in in_order:
                divided.append(rows.columns[2:])
        self.database.give_memory_back()
        return divided

    def _rows(
        self, person_of_code: np.ndarray, ids: ColumnOfRecords, some: Sequence[ColumnOfRecords]
    ) -> Iterator[Columns]:
        """The rows of people by block, each with its person, its number and its codes."""
        n_before = 0
        with progress(f"Dividing {self.file_name}", self.n_rows, "rows") as advance:
            for of_ids, *codes in zip(ids.texts, *(one.texts for one in some), strict=True):
                of_row = person_of_code[of_ids]
                rows = np.flatnonzero(of_row >= 0)
                yield [of_row[rows], rows + n_before, *(one[rows] for one in codes)]
                n_before += len(of_row)
                advance(len(of_row))


@dataclass(frozen=True)
class _Divided:
    """The rows of a file in the order of their people, of whom each has ``n_rows``: codes on disk, in each of the files
    some of the columns.
    """

    columns: list[str]
    held: Sequence[ColumnOfRecords] = field(repr=False)
    n_rows: np.ndarray
    divided: Sequence[Aside]

    def part(self, start: int, stop: int) -> pd.DataFrame:
        """The rows of the people from ``start`` to ``stop``, with the place of each among these in ``SUBJECT``."""
        n_rows, first = self.n_rows[start:stop], int(self.n_rows[:start].sum())
        rows = np.arange(first, first + int(n_rows.sum()))
        codes = [column.to_numpy() for one in self.divided for column in one.take(rows).columns]
        found = {name: one.taken(code) for name, one, code in zip(self.columns, self.held, codes, strict=True)}
        return pd.DataFrame({**found, SUBJECT: np.repeat(np.arange(len(n_rows)), n_rows)}, copy=False)


def read_large_file(path: Path, options: FileOptions, database: Database, limits: Limits = USUAL_LIMITS) -> SourceTable:
    """Read a file of delimited text, or of Parquet, once and put its records aside in the folder of a ``database``.

    Raises ``FaultyInputError`` where it is not as ``REMEDY`` says, or a column has more distinct values than fit.
    """
    blocks = BlocksOfParquetDomain if suffix_of(path) == PARQUET else functools.partial(_BlocksOfText, options=options)
    file = blocks(path, limits.file_block_bytes)
    stop_at(name_faults(file.columns, path))
    read = {name: TextsBeingRead(is_cleaned=False) for name in file.columns}
    remedy = "leave it out of the file where the merge does not need it, or use --engine memory"
    columns, codes = put_aside(with_progress(file), read, database, limits.n_values, remedy, f"{path.name}: ")
    whole = {name: one for name, one in columns.items() if isinstance(one, ColumnOfRecords)}
    distinct = {name: as_texts(one.values) for name, one in whole.items()}
    contents = file.contents(distinct, {name: one.people for name, one in whole.items()})
    if suffix_of(path) != PARQUET and not options.is_written_as_meant:
        n_first, n_rows = min(ROWS_AT_ENDS, file.n_records), file.n_records
        rows = codes.take(np.r_[:n_first, max(n_rows - ROWS_AT_ENDS, n_first) : n_rows])
        at_ends = {
            name: pa.chunked_array([texts.take(place) for place in row.chunks])
            for row, (name, texts) in zip(rows.columns, distinct.items(), strict=True)
        }
        stop_at(faults_of_rows_on_disk(path.name, contents.columns, at_ends, REMEDY_IN_MEMORY))
    del columns, distinct
    meant, _, notes = columns_as_meant(contents, path, options)
    held = [
        dataclasses.replace(one, values=frame_of({name: values})[name])
        for one, (name, values) in zip(whole.values(), meant.items(), strict=True)
    ]
    nothing = frame_of({name: values[:0] for name, values in meant.items()})
    table = LargeFile(
        domain_of(path), path.name, file.sha256, nothing, contents.labels, (*contents.notes, *notes),
        label=contents.label, held=held, codes=codes, database=database,
    )  # fmt: skip
    return table.under_names(options.called)


class _BlocksOfText(BlocksOfText):
    """Delimited text whose dialect is guessed, if it is not declared; ``contents`` are asked for at the end."""

    def __init__(self, path: Path, block_bytes: int, options: FileOptions):
        dialect, self._notes, self._n_missing = _dialect_of(path, options)
        super().__init__(path, block_bytes, dialect)
        first = self.columns[0]
        if may_be_row_numbers(first) and first not in options.keep:
            raise FaultyInputError(
                f"{path.name}: the first column is named as row numbers are ({shown_name(first)}), and whether it "
                "holds them is told with all records in memory alone; take it out of the file, or use --engine memory"
            )

    def contents(self, distinct: Mapping[str, pa.Array], n_records: Mapping[str, np.ndarray]) -> FileContents:
        """The content of the file, from the ``distinct`` texts of each column and their counts."""
        notes = list(self._notes)
        if self._n_missing:
            notes.append(unquoted_missing_note(self._n_missing))
        if self.n_empty_end:
            notes.append(f"{counted(self.n_empty_end, 'record')} at the end without any value left out")
        columns = {name: pa.chunked_array([texts]) for name, texts in distinct.items()}
        return FileContents(columns, notes, may_guess_comma=self.dialect.delimiter != ",", n_records=n_records)


def _dialect_of(path: Path, options: FileOptions) -> tuple[Dialect, list[str], int]:
    """The dialect of the text, notes on what was guessed, and how often NA occurs without quotes, as in R."""
    suffix = suffix_of(path).removesuffix(GZIP_SUFFIX)
    if options.encoding is not None and options.encoding.lower().replace("_", "-") not in ("utf-8", "utf-8-sig"):
        raise FaultyInputError(f"{path.name}: declared to be {options.encoding}; {REMEDY}")
    with opened(path) as file:
        beginning, is_whole = file.read(_SAMPLE_BYTES), not file.read(1)
    stop_at(foreign_content_faults(path, beginning))
    sample = beginning.decode("utf-8-sig", errors="ignore")
    usual, notes = USUAL_DELIMITERS[suffix], []
    delimiter = options.delimiter
    if delimiter is None:
        delimiter = guess_delimiter(sample, is_whole, usual)
        if delimiter != usual:
            notes.append(f"delimiter {DELIMITER_NAMES[delimiter]} guessed")
    n_missing = 0
    if options.missing is None:
        with opened(path) as file:
            file.read(len(BOM_UTF8) if beginning.startswith(BOM_UTF8) else 0)
            n_missing = n_unquoted_missing(BytesOfFile(file), delimiter)
    return Dialect(delimiter, n_missing > 0, REMEDY), notes, n_missing
