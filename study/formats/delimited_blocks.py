"""Delimited text read block by block, for files that do not fit in memory, with or without gzip.

The result is that of ``delimited_text`` for the whole file, but nothing is guessed: the text is UTF-8, and a
``Dialect`` says what is between its values; by default it is the form that this tool writes. Every block passes the
checks of the whole text; a letter, a line break or a quoted value that the end of a block cuts in two is put together
again.
"""

from __future__ import annotations

import codecs
import contextlib
import csv
import hashlib
import io
from collections import Counter, deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import csv as arrow_csv

from disclosure_control.basics.telling.faults import FaultyInputError, stop_at
from disclosure_control.basics.telling.words import counted, listed
from study.formats.messages import no_record_fault
from study.formats.packed import opened
from study.formats.quotes import END, QuoteCheck
from study.formats.values import clean_name, n_without_empty_end

BLOCK_BYTES = 1 << 24
_CHECKED_AT_ONCE = 1 << 16  # few enough for the results to stay in the processor's cache
_CR = ord("\r")
_NOT_UTF8 = "not UTF-8 text"


@dataclass(frozen=True)
class Dialect:
    """How a text is taken apart, and what helps where that fails; ``na_is_missing``: NA without quotes is missing."""

    delimiter: str = ","
    na_is_missing: bool = False
    remedy: str = "run Create_Combined_Pilot_Dataset.py again, which writes it in the right form"


AS_WRITTEN = Dialect()


class BlocksOfText:
    """The records of a file of delimited text, some at a time: iterate once, then ask for ``sha256`` and ``n_records``.

    Each block is a table of text with the file's ``columns``, its values unchanged, empty ones missing. Empty records
    at the end, ``n_empty_end``, are left out, as everywhere; one with too many or too few fields is a fault. Raises
    ``FaultyInputError`` if the text does not follow its ``dialect``; messages contain counts and no value.
    """

    def __init__(self, path: Path, block_bytes: int = BLOCK_BYTES, dialect: Dialect = AS_WRITTEN):
        self.path, self.block_bytes, self.dialect = path, block_bytes, dialect
        self.columns = _header(path, dialect)
        self.sha256, self.n_bytes, self.n_bytes_read = "", path.stat().st_size, 0
        self.n_records, self.n_empty_end, self._n_fields_of_ragged = 0, 0, Counter[int]()

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        content_hash = hashlib.sha256()

        def seen(data: memoryview) -> None:
            content_hash.update(data)
            self.n_bytes_read += len(data)

        with opened(self.path, seen) as file:
            checked = _CheckedText(file, self.path.name, self.dialect)
            for block in self._blocks(checked):
                n_kept = n_without_empty_end(block)
                if n_kept and self.n_empty_end:  # they waited for one with a value after them
                    nothing = [pa.nulls(self.n_empty_end, one.type) for one in block.schema]
                    yield pa.RecordBatch.from_arrays(nothing, schema=block.schema)
                    self.n_records += self.n_empty_end
                    self.n_empty_end = 0
                self.n_empty_end += block.num_rows - n_kept
                if n_kept:
                    yield block.slice(0, n_kept)
                    self.n_records += n_kept
            checked.check_end()
        stop_at(self._faults_of_records())
        self.sha256 = content_hash.hexdigest()

    def _faults_of_records(self) -> list[str]:
        """That of records with another number of fields than there are columns, or else that there is no record."""
        if not self._n_fields_of_ragged:
            return [] if self.n_records else [no_record_fault(self.path)]
        what = ragged_records(self._n_fields_of_ragged, len(self.columns))
        return [f"{self.path.name}: {what}; {self.dialect.remedy}"]

    def _blocks(self, checked: _CheckedText) -> Iterator[pa.RecordBatch]:
        def leave_out(row: arrow_csv.InvalidRow) -> str:
            self._n_fields_of_ragged[row.actual_columns] += 1
            return "skip"

        try:
            blocks = arrow_csv.open_csv(
                pa.PythonFile(checked, mode="r"),
                arrow_csv.ReadOptions(column_names=self.columns, skip_rows_after_names=1, block_size=self.block_bytes),
                arrow_csv.ParseOptions(
                    delimiter=self.dialect.delimiter, newlines_in_values=True, invalid_row_handler=leave_out
                ),
                converted_to(dict.fromkeys(self.columns, pa.large_string()), self.dialect.na_is_missing),
            )
            try:
                yield from blocks
            finally:  # threads that read ahead for nobody would break the process at its end
                checked.is_at_end = True
                with contextlib.suppress(pa.ArrowException, FaultyInputError):
                    deque(blocks, maxlen=0)
        except pa.ArrowInvalid as error:  # its message may quote a record
            if checked.fault is not None:
                raise checked.fault from None
            if "UTF" in str(error):
                raise FaultyInputError(f"{self.path.name}: {_NOT_UTF8}; {self.dialect.remedy}") from None
            raise FaultyInputError(
                f"{self.path.name}: a record is longer than {self.block_bytes:,} bytes, or the text cannot be split "
                f"into records; {self.dialect.remedy}"
            ) from None


class _CheckedText(io.RawIOBase):
    """The bytes of a file, checked on their way to the parser."""

    def __init__(self, file: io.BufferedReader, name: str, dialect: Dialect):
        self.file, self.name, self.remedy = file, name, dialect.remedy
        self.fault: FaultyInputError | None = None
        self._is_start, self._held_back, self.is_at_end = True, b"", False  # where no more is wanted
        self._quotes = QuoteCheck(dialect.delimiter)

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        if self.is_at_end:
            return b""
        data = self._held_back + self.file.read(max(size - len(self._held_back), 1))
        self._held_back = b""
        # The parser drops a line feed at the beginning of a block: right between records, wrong in a quoted value.
        if len(data) > 1 and data[-1] == _CR:
            data, self._held_back = data[:-1], data[-1:]
        if self._is_start:
            data, self._is_start = data.removeprefix(codecs.BOM_UTF8), False
        characters = np.frombuffer(data, dtype=np.uint8)
        for start in range(0, len(characters), _CHECKED_AT_ONCE):
            self._check(characters[start : start + _CHECKED_AT_ONCE])
        return data

    def _check(self, data: np.ndarray) -> None:
        if data.size and data.min() == 0:
            self._stop(f"{self.name}: not a text file, as it contains NUL bytes; {self.remedy}")
        if not self._quotes.are_regular(data):
            self._stop(f"{self.name}: quotes within values that are not quoted, or not doubled; {self.remedy}")

    def check_end(self) -> None:
        """Check what waited for the end; raises ``FaultyInputError`` where a quote is opened and never closed."""
        self._check(END)
        if self._quotes.n_quotes % 2:
            self._stop(f"{self.name}: a quote is opened and never closed; {self.remedy}")

    def _stop(self, fault: str) -> None:
        self.fault = FaultyInputError(fault)
        raise self.fault


def ragged_records(n_fields: Counter[int], n_columns: int) -> str:
    """In words, how many records have other numbers of fields than there are columns, and how many each."""
    kinds = listed((f"{counted(n, 'record')} with {fields}" for fields, n in sorted(n_fields.items())), at_most=5)
    columns = counted(n_columns, "column")
    return (
        f"{counted(n_fields.total(), 'record')} with another number of fields than the {columns} of the header: {kinds}"
    )


def converted_to(
    types: Mapping[str, pa.DataType], na_is_missing: bool, check_utf8: bool = True
) -> arrow_csv.ConvertOptions:
    """How Arrow makes columns of the text: nothing is guessed, and NA is missing only without quotes."""
    return arrow_csv.ConvertOptions(
        check_utf8=check_utf8,
        column_types=types,
        null_values=["", "NA"] if na_is_missing else [""],
        strings_can_be_null=True,
        quoted_strings_can_be_null=not na_is_missing,
    )


def _header(path: Path, dialect: Dialect) -> list[str]:
    try:
        with io.TextIOWrapper(opened(path), encoding="utf-8-sig", newline="") as file:
            header = next(csv.reader(file, delimiter=dialect.delimiter), [])
    except UnicodeDecodeError:
        raise FaultyInputError(f"{path.name}: {_NOT_UTF8}; {dialect.remedy}") from None
    except csv.Error:
        header = []
    if not header or len(set(header)) < len(header) or [clean_name(name) for name in header] != header or "" in header:
        raise FaultyInputError(f"{path.name}: the first line does not name every column once; {dialect.remedy}")
    return header
