"""Reading delimited text: every column is text, guesses are noted, broken records are counted."""

from __future__ import annotations

import contextlib
import csv
import dataclasses
import io
import itertools
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv

from disclosure_control.basics.encoding.text_codes import TextCodes
from disclosure_control.basics.files import SourceFile
from disclosure_control.basics.telling.faults import FaultyInputError, stop_at
from disclosure_control.basics.telling.words import counted
from study.formats.delimited_blocks import converted_to, ragged_records
from study.formats.encodings import read_text
from study.formats.header_rows import (
    DELIMITER_NAMES,
    SAMPLE_BYTES,
    SAMPLE_ROWS,
    USUAL_DELIMITERS,
    header_looks_like_data,
    header_of_text,
    likely_header_row,
    looks_like_a_table,
    looks_like_data,
)
from study.formats.messages import (
    empty_file_fault,
    in_our_words,
    leave_out_setting,
    no_record_fault,
    setting_of,
    unquoted_missing_note,
)
from study.formats.outgoing import FileWriter, OutgoingTable
from study.formats.quotes import END, QUOTE, QuoteCheck, n_unquoted_missing
from study.formats.registry import Format, Recognised
from study.formats.tables import GZIP_SUFFIX, FileContents, FileOptions, suffix_of
from study.formats.values import (
    MOST_COLUMNS,
    clean_name,
    has_value,
    n_without_empty_end,
    name_faults,
    with_repeats_numbered,
)

# Larger than pyarrow's own megabyte: records that straddle two blocks cost time, and a large one is an error.
_BLOCK_BYTES = 1 << 22
_LARGEST_BLOCK_BYTES = (1 << 31) - 2
_SMALL_BLOCK_BYTES = 1 << 16
_PROBED_BYTES = 1 << 17
_MOST_LINES_OF_A_FOOTER = 20
_WORDS = re.compile(r"\S\s+\S|[=:*#]")  # of a remark, and not of an id
_FEWEST_RECORDS = 4  # that show how many fields a record has
_ENCODED = pa.dictionary(pa.int32(), pa.large_string())


@dataclass(frozen=True)
class _Text:
    """The text of a file in UTF-8 and its dialect; ``na_is_missing``: NA without quotes, beside quoted text.

    ``has_breaks``: there may be line breaks within quotes. ``first_line`` is the file's line with which the text
    begins, its header; ``names`` are the columns' if these are not in that line alone.
    """

    path: Path
    data: pa.Buffer
    delimiter: str
    first_line: int
    names: Sequence[str]
    has_breaks: bool = False
    na_is_missing: bool = False

    def reader(self, strict: bool = False) -> Any:
        """Return a reader of the csv module over the text: slow, for the header and for faults alone."""
        lines = io.TextIOWrapper(pa.BufferReader(self.data), encoding="utf-8", newline="")
        return csv.reader(lines, delimiter=self.delimiter, strict=strict)

    def first_rows(self) -> list[list[str]]:
        """The first rows from the header on, blank ones too, as rows are counted where a config declares the header."""
        return list(itertools.islice(self.reader(), SAMPLE_ROWS))

    def records(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the line on which each record begins, and its fields."""
        reader = self.reader()
        line = self.first_line
        for fields in reader:
            if fields:
                yield line, fields
            line = self.first_line + reader.line_num


def read_csv(source: SourceFile, options: FileOptions) -> FileContents:
    """Read a file of delimited text (.csv, .tsv, .txt) with every column as text.

    Delimiter and encoding are those declared, or guessed and noted. Raises FaultyInputError with the faults of the
    header together with those of records that have a wrong number of fields.
    """
    path = source.path
    text, notes = _opened(source, options)
    header, table, nameless, n_of_footer = _checked_records(text)
    n_records = n_without_empty_end(table)
    if n_records == 0:
        raise FaultyInputError(no_record_fault(path))
    left_out = (
        (table.num_rows - n_records, "record", "at the end without any value left out"),
        (n_of_footer, "line", "of text below the records left out, as no record of a person"),
        (len(nameless), "column", "without a name and without any value left out"),
    )
    notes += [f"{counted(n, noun)} {what}" for n, noun, what in left_out if n]
    named = [place for place in range(len(header)) if place not in nameless]
    parsed = dict(enumerate(table.columns))
    del table  # each column is given up as it is handed on
    columns = {header[place]: _handed_on(parsed.pop(place).slice(0, n_records)) for place in named}
    depends_on_keep = bool(text.names) or not all(header)
    may_guess_comma = text.delimiter != ","
    return FileContents(columns, notes, {}, may_guess_comma, depends_on_keep=depends_on_keep, is_typed_by_hand=True)


def _handed_on(column: pa.ChunkedArray) -> TextCodes | pa.ChunkedArray:
    """A column as it was parsed; encoded if it has few distinct texts, which its beginning alone may not show."""
    if not pa.types.is_dictionary(column.type):
        return column
    n_texts = sum(len(chunk.dictionary) for chunk in column.chunks)
    return TextCodes.of(column) if 2 * n_texts <= len(column) else column.cast(pa.large_string())


def _opened(source: SourceFile, options: FileOptions) -> tuple[_Text, list[str]]:
    """Return the file's text with its delimiter, and notes on what was guessed."""
    path = source.path
    data, notes = read_text(source, options.encoding)
    beginning = data[:SAMPLE_BYTES].to_pybytes()
    if not beginning.strip() and not data.to_pybytes().strip():
        raise FaultyInputError(empty_file_fault(path))
    # Blank lines before the header are no header.
    n_blank = len(beginning) - len(beginning.lstrip(b"\r\n"))
    n_lines = len(beginning[:n_blank].splitlines())
    data = data[n_blank:]
    sample = data[:SAMPLE_BYTES].to_pybytes().decode("utf-8", errors="ignore")
    header = header_of_text(sample, data.size <= SAMPLE_BYTES, path, options, first_number=1 + n_lines)
    above = "".join(itertools.islice(io.StringIO(sample, newline=""), header.n_lines_above))
    data = data[len(above.encode()) :]
    if options.delimiter is None and header.delimiter != USUAL_DELIMITERS[suffix_of(path).removesuffix(GZIP_SUFFIX)]:
        notes.append(f"delimiter {DELIMITER_NAMES[header.delimiter]} guessed")
    first_line = 1 + n_lines + header.n_lines_above
    text = _Text(path, data, header.delimiter, first_line, header.names)
    text = dataclasses.replace(text, has_breaks=_checked_quotes(text))
    notes += header.notes
    if options.missing is None and (n := n_unquoted_missing(np.frombuffer(data, dtype=np.uint8), text.delimiter)):
        return dataclasses.replace(text, na_is_missing=True), [*notes, unquoted_missing_note(n)]
    return text, notes


# Quoting


def _checked_quotes(text: _Text) -> bool:
    """Whether there may be line breaks within quotes.

    Raises FaultyInputError if quotes do not pair up: pyarrow would swallow the following records silently.

    Broken quoting moves text between fields, even into the header, so nothing else is examined after it.
    """
    if not any((block == QUOTE).any() for block in _small_blocks(text.data)):
        return False
    quotes = QuoteCheck(text.delimiter)
    if all(map(quotes.are_regular, (*_small_blocks(text.data), END))) and quotes.n_quotes % 2 == 0:
        return quotes.have_breaks
    # Quotes inside unquoted fields, as in 5" tube, are ordinary characters; the csv module handles them.
    reader = text.reader(strict=True)
    line = text.first_line
    try:
        for _ in reader:
            line = text.first_line + reader.line_num
    except csv.Error as error:
        follows = "expected after" in str(error)
        what = "text follows a closing quote" if follows else "a quote is opened and never closed"
        raise FaultyInputError(
            f"{text.path.name}: unbalanced quotes: in the record that begins at line {line:,}, {what}. A quote "
            "inside a quoted value has to be doubled. Correct the line, or export the file again."
        ) from None
    return True


def _small_blocks(data: pa.Buffer) -> Iterator[np.ndarray]:
    """Yield the bytes in blocks, small enough for the results of one to stay in the cache."""
    characters = np.frombuffer(data, dtype=np.uint8)
    for start in range(0, len(characters), _SMALL_BLOCK_BYTES):
        yield characters[start : start + _SMALL_BLOCK_BYTES]


# Header and records


def _checked_records(text: _Text) -> tuple[list[str], pa.Table, list[int], int]:
    """Return the column names, the records, the places of columns that are left out, and the lines of a footer.

    Raises FaultyInputError with all that is wrong with the names and with the records.
    """
    with in_our_words(_unreadable_fault(text), csv.Error):
        first_records = list(itertools.islice(text.records(), 2))
    header = with_repeats_numbered([clean_name(name) for name in text.names or first_records[0][1]])
    if len(header) > MOST_COLUMNS:
        raise FaultyInputError(name_faults(header, text.path))
    may_be_record = not text.names and header_looks_like_data(header)
    a_record = (
        f"{text.path.name}: the first line looks like a record, not like column names (most of its "
        f"{counted(len(header), 'field')} are numbers or dates). Put a line with the column names first, "
        f"or leave the domain out by {leave_out_setting(text.path)}."
    )
    is_empty = len(first_records) < 2
    nothing = pa.table({}), [no_record_fault(text.path)], 0
    table, of_records, n_of_footer = nothing if is_empty else _parsed(text, len(header))
    nameless = [] if is_empty else _nameless_without_values(header, table)
    likely = likely_header_row(text.first_rows(), text.first_line) if "" in header else 1
    faults = name_faults(header, text.path, not may_be_record, True, nameless, likely)
    stop_at([*faults, *([a_record] if may_be_record else []), *of_records])
    return header, table, nameless, n_of_footer


def _nameless_without_values(header: Sequence[str], table: pa.Table) -> list[int]:
    """The places of columns without a name and without any value: delimiters at the end of all lines."""
    places = [place for place, name in enumerate(header) if not name and any(header)]
    return [place for place in places if not has_value(table.column(place)).any()]


def _parsed(text: _Text, n_columns: int) -> tuple[pa.Table, list[str], int]:
    """Return the records as a table of text with columns '0', '1', ..., the faults of ragged records, and how many
    lines of a footer there are.
    """
    block_bytes = _BLOCK_BYTES
    while True:
        n_fields: list[int] = []
        if text.has_breaks:
            block_bytes = _block_keeping_line_ends(text.data, block_bytes)
        try:
            table = _parsed_in_blocks(text, n_columns, block_bytes, n_fields)
            if not n_fields or (len(n_fields) <= _MOST_LINES_OF_A_FOOTER and _are_footer(text, n_columns)):
                return table, [], len(n_fields)
            return table, [_ragged_fault(text, n_columns, Counter(n_fields))], 0
        except pa.ArrowInvalid:
            # A single record may be larger than a block; pyarrow's message would quote it.
            if block_bytes >= min(text.data.size, _LARGEST_BLOCK_BYTES):
                raise FaultyInputError(_unreadable_fault(text)) from None
            block_bytes = min(text.data.size, _LARGEST_BLOCK_BYTES)


def _block_keeping_line_ends(data: pa.Buffer, block_bytes: int) -> int:
    """Return the next block size at which no block ends between CR and LF.

    pyarrow drops a LF there, which is right between records and wrong within a quoted value.
    """
    characters = np.frombuffer(data, dtype=np.uint8)
    while True:
        starts = np.arange(block_bytes, len(characters), block_bytes)
        if not np.any((characters[starts - 1] == ord("\r")) & (characters[starts] == ord("\n"))):
            return block_bytes
        block_bytes += 1


def _parsed_in_blocks(text: _Text, n_columns: int, block_bytes: int, n_fields_of_ragged: list[int]) -> pa.Table:
    def leave_out(row: arrow_csv.InvalidRow) -> str:
        n_fields_of_ragged.append(row.actual_columns)
        return "skip"

    # Positions serve as names while parsing: the header may contain duplicates.
    positions = [str(position) for position in range(n_columns)]

    def parsed(data: pa.Buffer, encoded: Collection[str], leave_out: Callable[[arrow_csv.InvalidRow], str]) -> pa.Table:
        types = {name: _ENCODED if name in encoded else pa.large_string() for name in positions}
        return arrow_csv.read_csv(
            pa.BufferReader(data),
            read_options=arrow_csv.ReadOptions(column_names=positions, skip_rows_after_names=1, block_size=block_bytes),
            parse_options=arrow_csv.ParseOptions(
                delimiter=text.delimiter, newlines_in_values=text.has_breaks, invalid_row_handler=leave_out
            ),
            # Whether it is UTF-8 was known before: to check it needs a search of the whole text.
            convert_options=converted_to(types, text.na_is_missing, check_utf8=False),
        )

    beginning = text.data[: text.data[:_PROBED_BYTES].to_pybytes().rfind(b"\n") + 1]
    encoded: list[str] = []
    with contextlib.suppress(pa.ArrowInvalid):  # of a record that is longer, or is cut within quotes
        probed = parsed(beginning, (), lambda row: "skip")
        share = len(beginning) / max(len(text.data), 1)
        encoded = [name for name in probed.column_names if _repeats(probed.column(name), share)]
    return parsed(text.data, encoded, leave_out)


def _repeats(beginning: pa.ChunkedArray, share: float) -> bool:
    """Whether a column repeats its texts at the beginning, a ``share`` of it, as if it took one for eight records.

    Of n records with D equally frequent texts, about n^2 / 2D repeat one.
    """
    n = len(beginning)
    return bool(2 * (n - pc.count_distinct(beginning).as_py()) >= n * min(8 * share, 1))


def _are_footer(text: _Text, n_columns: int) -> bool:
    """Whether all lines with another number of fields are at the end, have few of them, and begin with words.

    A record that was cut off begins with an id.
    """
    fields = [fields for _, fields in text.records()]
    n_records = next((n for n, one in enumerate(fields) if len(one) != n_columns), len(fields))
    n_of_words = sum(_WORDS.search(one[0].strip()) is not None for one in fields[1:n_records])
    return 2 * n_of_words < n_records - 1 and all(
        2 * len(one) <= n_columns and _WORDS.search(one[0].strip()) for one in fields[n_records:]
    )


def _ragged_fault(text: _Text, n_columns: int, n_fields: Counter[int]) -> str:
    first_line = next((line for line, fields in text.records() if len(fields) != n_columns), None)
    where = f"; the first begins at line {first_line:,}" if first_line else ""
    [(n_usual, n_records)] = n_fields.most_common(1)
    if n_usual > 2 and len(n_fields) == 1 and n_records >= _FEWEST_RECORDS:
        place, first = next(((i, one) for i, one in enumerate(text.first_rows()) if len(one) == n_usual), (0, ["0"]))
        row = place + text.first_line
        if not looks_like_data(first[0]):
            where += f". If the headings are in row {row}, declare it: {setting_of(text.path, 'header_row', row)}"
    return (
        f"{text.path.name}: {ragged_records(n_fields, n_columns)}{where}. Quote values that contain the delimiter, "
        "correct these lines, or declare the delimiter, e.g. "
        f"{setting_of(text.path, 'delimiter', ';' if text.delimiter == ',' else ',')}."
    )


def _unreadable_fault(text: _Text) -> str:
    return f"{text.path.name}: the text cannot be split into records. Export the file again as CSV."


def write_csv(table: OutgoingTable) -> bytes:
    """Comma separated UTF-8: text in quotes, numbers without, an empty cell for missing, 38 and not 38.0."""
    return write_csv_rows(table.frame, has_header=True)


def write_csv_rows(frame: pd.DataFrame, has_header: bool) -> bytes:
    """Some rows of such a file, one part of it after the other, the first one with the header."""
    # Arrow writes whatever is in its memory where a column begins with an empty chunk and there is no header.
    rows = pa.Table.from_pandas(frame, preserve_index=False).combine_chunks()
    content = io.BytesIO()
    arrow_csv.write_csv(rows, content, arrow_csv.WriteOptions(include_header=has_header))
    return content.getvalue()


def recognised_as_prose(path: Path, beginning: bytes) -> Recognised | None:
    """A ``.txt`` may be a letter to the reader: then it is left out."""
    is_prose = suffix_of(path) == ".txt" and not looks_like_a_table(beginning)
    return Recognised(left_out="text, but not a table") if is_prose else None


FORMAT = Format(
    readers={".csv": read_csv, ".tsv": read_csv, ".txt": read_csv},
    writers={"csv": FileWriter(".csv", write_csv, opened_by_spreadsheets=True, write_rows=write_csv_rows)},
    documentation="delimited text (`.csv`, `.tsv`, `.txt`: comma, semicolon, tab or bar; decimal comma; UTF-8, UTF-16, "
    "Windows pages; the merge report names what was guessed)",
    place=1,
    is_text=True,
    recognised=recognised_as_prose,
)
