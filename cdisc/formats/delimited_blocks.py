"""Delimited text read block by block, for files that do not fit in memory.

What comes out is what ``delimited_text`` reads of the same file at once, but nothing is guessed: the text is UTF-8 with
commas and quotes, as this tool writes it. Every block passes the checks that the whole text would; whatever a block's
end cuts in two (a letter, a line break, a quoted value) comes out whole.
"""

from __future__ import annotations

import codecs
import csv
import hashlib
import io
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cdisc.formats.messages import no_record_fault
from cdisc.formats.values import clean_name
from disclosure_control.basics.faults import FaultyInputError
from disclosure_control.basics.words import counted, listed

BLOCK_BYTES = 1 << 24
_CHECKED_AT_ONCE = 1 << 16  # few enough for what is found in them to stay in the processor's cache
_QUOTE, _CR = ord('"'), ord("\r")
_NOT_UTF8 = "not UTF-8 text"


@dataclass(frozen=True)
class Dialect:
    """How a text is taken apart, and what helps where that fails; ``na_is_missing``: NA without quotes is missing."""

    delimiter: str = ","
    na_is_missing: bool = False
    remedy: str = "run Create_Combined_Pilot_Dataset.py again, which writes it as it is read here"


AS_WRITTEN = Dialect()


class BlocksOfText:
    """The records of a CSV file, some at a time: iterate once, then ask for ``sha256`` and ``n_records``.

    Each block is a table of text with the file's ``columns``, its values as they stand in the file, empty ones missing.
    Records at the end that hold nothing are left out, as everywhere. Raises ``FaultyInputError`` where the file is not
    as this tool writes it; messages hold counts and no value.
    """

    def __init__(self, path: Path, block_bytes: int = BLOCK_BYTES, dialect: Dialect = AS_WRITTEN):
        self.path, self.block_bytes, self.dialect = path, block_bytes, dialect
        self.columns = _header(path, dialect)
        self.n_empty_at_end = 0
        self.sha256, self.n_records = "", 0
        self.n_bytes, self.n_bytes_read = path.stat().st_size, 0

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        n_fields_of_ragged: list[int] = []
        with self.path.open("rb") as file:
            checked = _CheckedText(file, self.path.name, self.dialect)
            n_empty = 0  # records without a value that wait for one with a value after them
            for block in self._blocks(checked, n_fields_of_ragged):
                self.n_bytes_read = checked.n_bytes
                n_kept = _n_without_empty_end(block)
                if n_kept and n_empty:
                    yield _empty_records(block.schema, n_empty)
                    self.n_records += n_empty
                    n_empty = 0
                n_empty += block.num_rows - n_kept
                if n_kept:
                    yield block.slice(0, n_kept)
                    self.n_records += n_kept
            checked.check_end()
            self.n_empty_at_end = n_empty
        if n_fields_of_ragged:
            raise FaultyInputError(self._ragged_fault(Counter(n_fields_of_ragged)))
        if not self.n_records:
            raise FaultyInputError(no_record_fault(self.path))
        self.sha256 = checked.hash.hexdigest()

    def _blocks(self, checked: _CheckedText, n_fields_of_ragged: list[int]) -> Iterator[pa.RecordBatch]:
        from pyarrow import csv as arrow_csv

        def leave_out(row: arrow_csv.InvalidRow) -> str:
            n_fields_of_ragged.append(row.actual_columns)
            return "skip"

        try:
            reader = arrow_csv.open_csv(
                pa.PythonFile(checked, mode="r"),
                arrow_csv.ReadOptions(column_names=self.columns, skip_rows_after_names=1, block_size=self.block_bytes),
                arrow_csv.ParseOptions(
                    delimiter=self.dialect.delimiter, newlines_in_values=True, invalid_row_handler=leave_out
                ),
                arrow_csv.ConvertOptions(
                    column_types=dict.fromkeys(self.columns, pa.large_string()),
                    null_values=["", "NA"] if self.dialect.na_is_missing else [""],
                    strings_can_be_null=True,
                    quoted_strings_can_be_null=not self.dialect.na_is_missing,
                ),
            )
            yield from reader
        except pa.ArrowInvalid as error:  # its message may quote a record
            if checked.fault is not None:
                raise checked.fault from None
            if "UTF" in str(error):
                raise FaultyInputError(f"{self.path.name}: {_NOT_UTF8}; {self.dialect.remedy}") from None
            raise FaultyInputError(
                f"{self.path.name}: a record is longer than {self.block_bytes:,} bytes, or the text cannot be split "
                f"into records; {self.dialect.remedy}"
            ) from None

    def _ragged_fault(self, n_fields: Counter[int]) -> str:
        kinds = listed((f"{counted(n, 'record')} with {fields}" for fields, n in sorted(n_fields.items())), at_most=5)
        return (
            f"{self.path.name}: {counted(n_fields.total(), 'record')} with another number of fields than the "
            f"{counted(len(self.columns), 'column')} of the header: {kinds}; {self.dialect.remedy}"
        )


class _CheckedText(io.RawIOBase):
    """The bytes of a file, hashed and checked on their way to the parser."""

    def __init__(self, file: io.BufferedReader, name: str, dialect: Dialect):
        self.file, self.name, self.remedy = file, name, dialect.remedy
        self._is_edge = np.isin(np.arange(256), [ord(dialect.delimiter), *b'\r\n"'])
        self.hash = hashlib.sha256()
        self.fault: FaultyInputError | None = None
        self.n_bytes = 0
        self._is_start = True
        self._held_back = b""
        self._last = np.array([ord("\n")], dtype=np.uint8)
        self._n_quotes = 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        data = self._held_back + self.file.read(max(size - len(self._held_back), 1))
        self._held_back = b""
        # The parser drops a line feed at the beginning of a block: right between records, wrong in a quoted value.
        if len(data) > 1 and data[-1] == _CR:
            data, self._held_back = data[:-1], data[-1:]
        self.hash.update(data)
        self.n_bytes += len(data)
        if self._is_start:
            data, self._is_start = data.removeprefix(codecs.BOM_UTF8), False
        characters = np.frombuffer(data, dtype=np.uint8)
        for start in range(0, len(characters), _CHECKED_AT_ONCE):
            self._check(characters[start : start + _CHECKED_AT_ONCE])
        return data

    def _check(self, data: np.ndarray) -> None:
        if data.size and data.min() == 0:
            self._stop(f"{self.name}: not a text file, it holds NUL bytes; {self.remedy}")
        # A quote at the very end waits for what comes after it.
        text = np.concatenate([self._last, data])
        places = np.flatnonzero(text[1:-1] == _QUOTE) + 1
        is_opening = (np.arange(len(places)) + self._n_quotes) % 2 == 0
        beside = text[np.where(is_opening, places - 1, places + 1)]
        if not self._is_edge[beside].all():
            self._stop(f"{self.name}: quotes within values that are not quoted, or not doubled; {self.remedy}")
        self._n_quotes += len(places)
        self._last = text[-2:]

    def check_end(self) -> None:
        """Check what waited for the end; raises ``FaultyInputError`` where a quote is opened and never closed."""
        self._check(np.array([ord("\n")], dtype=np.uint8))
        if self._n_quotes % 2:
            self._stop(f"{self.name}: a quote is opened and never closed; {self.remedy}")

    def _stop(self, fault: str) -> None:
        self.fault = FaultyInputError(fault)
        raise self.fault


def _header(path: Path, dialect: Dialect) -> list[str]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            header = next(csv.reader(file, delimiter=dialect.delimiter), [])
    except UnicodeDecodeError:
        raise FaultyInputError(f"{path.name}: {_NOT_UTF8}; {dialect.remedy}") from None
    except csv.Error:
        header = []
    if not header or len(set(header)) < len(header) or [clean_name(name) for name in header] != header or "" in header:
        raise FaultyInputError(f"{path.name}: no line of column names, each once and none empty; {dialect.remedy}")
    return header


def _n_without_empty_end(block: pa.RecordBatch) -> int:
    """The number of records without those at the end that hold nothing; those of one column are missing values."""
    n_rows = int(block.num_rows)
    if not n_rows or block.num_columns == 1 or any(_has_value(column[-1:])[0] for column in block.columns):
        return n_rows
    has_value = np.logical_or.reduce([_has_value(column) for column in block.columns])
    return int(np.flatnonzero(has_value)[-1]) + 1 if has_value.any() else 0


def _has_value(column: pa.Array) -> np.ndarray:
    return pc.fill_null(pc.binary_length(pc.utf8_trim_whitespace(column)), 0).to_numpy() > 0


def _empty_records(schema: pa.Schema, n: int) -> pa.RecordBatch:
    columns: Sequence[pa.Array] = [pa.nulls(n, field.type) for field in schema]
    return pa.RecordBatch.from_arrays(columns, schema=schema)
