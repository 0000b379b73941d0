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

from disclosure_control.basics.telling.faults import FaultyInputError, stop_at
from disclosure_control.basics.telling.progress import progress
from disclosure_control.basics.telling.words import counted
from disclosure_control.records.counted_texts import CountedDictionary
from disclosure_control.records.disk import with_progress
from disclosure_control.records.limits import USUAL_LIMITS, Limits
from disclosure_control.records.spill import Aside, SpilledPieces, put_codes
from disclosure_control.records.sql import REMEDY_IN_MEMORY, ROWS_AT_ONCE, Database
from study.formats.delimited_blocks import BlocksOfText, Dialect
from study.formats.foreign_content import foreign_content_faults
from study.formats.header_rows import DELIMITER_NAMES, USUAL_DELIMITERS, guess_delimiter
from study.formats.meanings import columns_as_meant
from study.formats.messages import shown_name, unquoted_missing_note
from study.formats.packed import opened
from study.formats.parquet_domains import BlocksOfParquetDomain
from study.formats.quotes import BytesOfFile, n_unquoted_missing
from study.formats.row_numbers import may_be_row_numbers
from study.formats.rows_of_nobody import faults_of_rows_on_disk
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
    """A file whose records are on disk, so that ``frame`` has no row: ``values`` are those of each column by code.

    ``counts`` is how many records have each code, ``codes`` those of the records, put aside in the ``database``'s
    folder; ``stored`` is where in ``codes`` a column is: several may have the same.
    """

    values: Sequence[pa.ChunkedArray | np.ndarray] = field(kw_only=True, repr=False)
    counts: Sequence[np.ndarray] = field(kw_only=True)
    codes: Aside = field(kw_only=True)
    stored: Sequence[int] = field(kw_only=True)
    database: Database = field(kw_only=True, repr=False)

    @property
    def n_rows(self) -> int:
        return int(self.counts[0].sum())

    def _place(self, column: str) -> int:
        return list(self.frame.columns).index(column)

    def counts_of(self, column: str) -> pd.Series:
        """The values of a column, and how many records have each; those without one are not counted."""
        place = self._place(column)
        values = self.values[place]
        if isinstance(values, np.ndarray):
            return pd.Series(self.counts[place]).groupby(values, sort=False).sum()[lambda n_records: n_records > 0]
        encoded = values.combine_chunks().dictionary_encode(null_encoding="encode")  # once cleaned, they may repeat
        n_records = np.bincount(encoded.indices, self.counts[place], len(encoded.dictionary)).astype(np.int64)
        found = pd.Series(n_records, index=pd.Index(pd.array(encoded.dictionary, dtype="str")))
        return found[(n_records > 0) & found.index.notna()]

    def counted_column(self, column: str) -> tuple[pd.Series, np.ndarray | None]:
        """The distinct values of a column, missing among them, and how many records have each."""
        place = self._place(column)
        return frame_of({column: self.values[place]})[column], self.counts[place]

    def source_ids(self, column: str | None) -> tuple[pd.Series, np.ndarray]:
        """The distinct ids of the file, missing where there are records without, and how many records have each."""
        if column is None:
            raise FaultyInputError(
                f'{self.file_name}: subject_id: {{"column": None}} numbers the rows of a file, which is done in memory '
                "alone; give the file a column that holds the id, or use --engine memory"
            )
        ids, n_records = self.counted_column(column)
        present = n_records > 0 if n_records is not None else ids.notna().to_numpy()
        if present[1:].all():  # all but the missing one, as usual: no second list of all ids
            first = 0 if present[0] else 1
            return ids.iloc[first:], np.asarray(n_records)[first:]
        return ids[present], np.asarray(n_records)[present]

    def _codes_of(self, columns: Iterable[str]) -> Iterable[list[np.ndarray]]:
        """The codes of these columns, block by block."""
        return self.codes.codes(*(self.stored[self._place(name)] for name in columns))

    def where(self, column: str, is_kept: Callable[[pd.Series], np.ndarray]) -> LargeFile:
        of_code, place = is_kept(self.counted_column(column)[0]), self.stored[self._place(column)]
        counts = [np.zeros_like(one) for one in self.counts]

        def kept() -> Iterator[list[np.ndarray]]:
            for codes in self.codes.codes():
                block = [one[of_code[codes[place]]] for one in codes]
                for count, i in zip(counts, self.stored, strict=True):
                    count += np.bincount(block[i], minlength=len(count))
                yield block

        codes = put_codes(self.database.new_folder() / "rows", kept(), len(self.codes.schema))
        self.codes.remove()
        return dataclasses.replace(self, codes=codes, counts=counts)

    def with_column_of_ids(self, column: str | None, name: str, of_ids: Callable[[pd.Series], pd.Series]) -> LargeFile:
        """See ``SourceTable``: each record gets the code of its id, whose value is made once."""
        assert column is not None
        place = self._place(column)
        added = pa.chunked_array([pa.array(of_ids(self.counted_column(column)[0]), pa.large_string())])
        return dataclasses.replace(
            self,
            frame=self.frame.assign(**{name: pd.Series(dtype="str")}),
            values=[*self.values, added],
            counts=[*self.counts, self.counts[place]],
            stored=[*self.stored, self.stored[place]],
        )

    def has_several(
        self, column: str, beside: str, is_meant: Callable[[pd.Series], np.ndarray], least: int = 2
    ) -> bool:
        meant = is_meant(self.counted_column(beside)[0])
        of_code, _ = pd.factorize(self.counted_column(column)[0])
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
        (whole,) = self.rows_in_order([self.n_rows], [name]) if self.n_rows else [self.frame]
        return whole[name]

    def columns_together(self, names: Iterable[str]) -> Iterator[list[tuple[str, pd.Series]]]:
        """See ``SourceTable``: one at a time."""
        for name in names:
            yield [(name, self.column(name))]

    def give_back(self) -> None:
        """Give back what the rows take on the disk: they are not asked for again."""
        self.codes.remove()

    def rows_in_order(self, lengths: Iterable[int], columns: Sequence[str] | None = None) -> Iterator[pd.DataFrame]:
        """The rows in the order of the file, in blocks; of some ``columns``, None for all."""
        names = [str(name) for name in self.frame] if columns is None else list(columns)
        places, start = [self.stored[self._place(name)] for name in names], 0
        for length in lengths:
            codes = self.codes.take(np.arange(start, start + length), places)
            yield self._taken(names, [one.to_numpy() for one in codes.columns])
            start += length

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
        values = [self.values[self._place(name)] for name in columns]
        return frame_of({name: _taken(*both) for name, *both in zip(columns, values, codes, strict=True)})

    def starts_of_parts(self, n_people: int, rows_per_part: int) -> np.ndarray:
        return starts_of_parts(n_people, self.n_rows, rows_per_part)

    def pieces(self, made: Callable[..., Piece]) -> Pieces[Piece]:
        """See ``SourceTable``: on disk, beside the rows."""
        return SpilledPieces(self.database.new_folder() / "made", made)

    def of_people(self, person: np.ndarray, starts: np.ndarray, column: str | None) -> RowsOfPeople:
        """The rows in the order of their people, on disk; the file before that is removed."""
        assert column is not None
        place = self._place(column)
        n_rows = self.counts[place]
        person_of_code = np.full(len(n_rows), -1, dtype=np.int32)
        person_of_code[n_rows > 0] = person
        of_people = person_of_code >= 0
        n_rows_of_people = np.bincount(person_of_code[of_people], n_rows[of_people]).astype(np.int64)
        columns = range(len(self.codes.schema))
        divided = [
            self._divided(person_of_code, [self.stored[place], *columns[start : start + COLUMNS_AT_ONCE]])
            for start in columns[::COLUMNS_AT_ONCE]
        ]
        self.codes.remove()
        return _Divided(self, n_rows_of_people, divided)

    def _divided(self, person_of_code: np.ndarray, places: list[int]) -> Aside:
        """The rows by person: their codes at all ``places`` but the first, which is that of the ids."""
        schema = pa.schema([("person", pa.int32()), ("row", pa.int64()), *((f"c{i}", pa.int32()) for i in places[1:])])
        remedy = f"leave columns out of {self.file_name} that the merge does not need, or {REMEDY_IN_MEMORY}"
        in_order = self.database.in_order(self._rows(person_of_code, places, schema), schema, 2, ROWS_AT_ONCE, remedy)
        with contextlib.closing(Aside(self.database.new_folder() / "divided", schema.types[2:])) as divided:
            for rows in in_order:
                divided.append(rows.columns[2:])
        self.database.give_memory_back()
        return divided

    def _rows(self, person_of_code: np.ndarray, places: list[int], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        """The rows of people by block, each with its person, its number and its codes; first come those of ids."""
        n_before = 0
        with progress(f"Dividing {self.file_name}", self.n_rows, "rows") as advance:
            for ids, *codes in self.codes.codes(*places):
                of_row = person_of_code[ids]
                rows = np.flatnonzero(of_row >= 0)
                arrays = [of_row[rows], rows + n_before, *(one[rows] for one in codes)]
                yield pa.RecordBatch.from_arrays([pa.array(one) for one in arrays], schema=schema)
                n_before += len(of_row)
                advance(len(of_row))


def _taken(values: pa.ChunkedArray | np.ndarray, codes: np.ndarray | pa.ChunkedArray) -> pa.ChunkedArray | np.ndarray:
    if isinstance(values, np.ndarray):
        return values.take(codes if isinstance(codes, np.ndarray) else codes.to_numpy())
    return values.take(pa.array(codes) if isinstance(codes, np.ndarray) else codes)


class _Divided:
    """The rows of a file in the order of their people, of whom each has ``n_rows``: codes on disk, in each of the files
    some of the columns.
    """

    def __init__(self, table: LargeFile, n_rows: np.ndarray, divided: Sequence[Aside]):
        self._table, self._n_rows, self._divided = table, n_rows, divided

    @property
    def columns(self) -> list[str]:
        return [str(name) for name in self._table.frame]

    def part(self, start: int, stop: int) -> pd.DataFrame:
        """The rows of the people from ``start`` to ``stop``, with the place of each among these in ``SUBJECT``."""
        n_rows, first = self._n_rows[start:stop], int(self._n_rows[:start].sum())
        rows = np.arange(first, first + int(n_rows.sum()))
        codes = [column for one in self._divided for column in one.take(rows).columns]
        columns = {
            name: _taken(values, codes[place])
            for name, values, place in zip(self.columns, self._table.values, self._table.stored, strict=True)
        }
        frame = frame_of(columns)
        frame[SUBJECT] = np.repeat(np.arange(len(n_rows)), n_rows)
        return frame


def read_large_file(path: Path, options: FileOptions, database: Database, limits: Limits = USUAL_LIMITS) -> SourceTable:
    """Read a file of delimited text, or of Parquet, once and put its records aside in the folder of a ``database``.

    Raises ``FaultyInputError`` where it is not as ``REMEDY`` says, or a column has more distinct values than fit.
    """
    blocks = BlocksOfParquetDomain if suffix_of(path) == PARQUET else functools.partial(_BlocksOfText, options=options)
    file = blocks(path, limits.file_block_bytes)
    stop_at(name_faults(file.columns, path))
    met = [CountedDictionary(is_cleaned=False) for _ in file.columns]
    codes = Aside(database.new_folder() / "rows", [pa.int32()] * len(met))
    with contextlib.closing(codes):
        for block in with_progress(file):
            codes.append([one.encode(column) for one, column in zip(met, block.columns, strict=True)])
            stop_at(_faults_of_many_values(path, file.columns, met, limits.n_values))
    found = [met.pop(0).all_texts() for _ in file.columns]  # one column's hashes are given up after the other
    counts = [one.people for one in found]
    distinct = {name: one.texts for name, one in zip(file.columns, found, strict=True)}
    contents = file.contents(distinct, dict(zip(file.columns, counts, strict=True)))
    if suffix_of(path) != PARQUET:
        stop_at(faults_of_rows_on_disk(path.name, contents.columns, REMEDY_IN_MEMORY))
    del found, distinct
    meant, _, notes = columns_as_meant(contents, path, options)
    nothing = frame_of({name: values[:0] for name, values in meant.items()})
    table = LargeFile(
        domain_of(path), path.name, file.sha256, nothing, contents.labels, (*contents.notes, *notes),
        label=contents.label, values=list(meant.values()), counts=counts, codes=codes, stored=range(len(counts)),
        database=database,
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


def _faults_of_many_values(
    path: Path, names: Sequence[str], met: Sequence[CountedDictionary], n_most: int
) -> list[str]:
    return [
        f"{path.name}: column {name!r} has more than {n_most:,} distinct values, which is more than fit in memory; "
        "leave it out of the file where the merge does not need it, or use --engine memory"
        for name, one in zip(names, met, strict=True)
        if len(one) > n_most
    ]
