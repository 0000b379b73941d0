"""What a CSV file does not say: its delimiter, whether it has a header, which columns are numbers."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cdisc.formats.messages import setting_of, shown_name
from cdisc.formats.tables import FileOptions
from cdisc.formats.values import NUMBER_PATTERN, clean_values, with_values_replaced
from disclosure_control.basics.words import listed

USUAL_DELIMITERS = {".csv": ",", ".tsv": "\t"}
DELIMITER_NAMES = {",": "','", ";": "';'", "\t": "tab", "|": "'|'"}

# Missing in a column of numbers alone: elsewhere they may be values (NA is Namibia).
NUMERIC_MISSING = ("NA", "N/A", "NaN", "nan", "null", "NULL", ".")

_COMMA_NUMBER_PATTERN = NUMBER_PATTERN.replace(r"\.", ",")
_DATA_LIKE_PATTERN = r"^([+-]?[\d.,]*\d[\d.,]*([eE][+-]?\d+)?|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}.*)$"
_SAMPLE_RECORDS = 200

# Which bytes at the edge of a value call for a look at it: white space (all of ASCII that Unicode takes for
# it), and at the beginning also that of a token for missing.
_MAY_END_UNCLEAN = np.isin(np.arange(256), list(b" \t\n\v\f\r\x1c\x1d\x1e\x1f"))
_MAY_BEGIN_UNCLEAN = _MAY_END_UNCLEAN | np.isin(np.arange(256), [ord(token[0]) for token in NUMERIC_MISSING])


@dataclass(frozen=True)
class ColumnReading:
    """One column as text, and what was decided about it."""

    values: pa.ChunkedArray
    has_decimal_comma: bool = False
    n_missing_tokens: Mapping[str, int] = field(default_factory=dict)
    holds_tokens_alone: bool = False


def guess_delimiter(sample: str, is_whole: bool, usual: str) -> str:
    """Return the delimiter under which the first records have as many fields as the header, and most of them.

    ``sample`` is the beginning of the text; ``usual`` is the delimiter that the file's suffix stands for and
    wins among equals.
    """

    def merit(delimiter: str) -> tuple[bool, float, int, bool]:
        n_fields = _fields_per_record(sample, delimiter, is_whole)
        agreement = sum(n == n_fields[0] for n in n_fields) / len(n_fields)
        return n_fields[0] > 1, agreement, n_fields[0], delimiter == usual

    return max(DELIMITER_NAMES, key=merit)


def _fields_per_record(sample: str, delimiter: str, is_whole: bool) -> list[int]:
    n_fields: list[int] = []
    reader = csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter)
    try:
        for fields in reader:
            if fields:
                n_fields.append(len(fields))
            if len(n_fields) > _SAMPLE_RECORDS:
                return n_fields
    except csv.Error:
        # A field beyond csv's limit: what was seen so far is enough to choose by.
        return n_fields or [1]
    # The last record of a sample may be cut.
    return n_fields if is_whole or len(n_fields) == 1 else n_fields[:-1]


def header_looks_like_data(header: list[str]) -> bool:
    """Whether most names of a header are numbers or dates: then it is more likely the first record."""
    names = pa.array([name for name in header if name], type=pa.string())
    return len(names) > 0 and 2 * pc.sum(pc.match_substring_regex(names, _DATA_LIKE_PATTERN)).as_py() > len(names)


def read_column(
    column: pa.ChunkedArray, comma_allowed: bool, missing: frozenset[str], guess_missing: bool = True
) -> ColumnReading:
    """Return a column of large_string cleaned, numbers with a decimal point, and missing values missing.

    ``comma_allowed``: a column of numbers that are numbers only with a decimal comma is one. ``missing`` holds
    the tokens that are declared to be missing everywhere; ``guess_missing``: NA and the like are missing among numbers.
    """
    if not missing and not any(_needs_a_look(chunk, comma_allowed) for chunk in column.chunks):
        return ColumnReading(column)
    distinct = pc.unique(column)
    cleaned = clean_values(distinct, missing)
    is_token = pc.fill_null(pc.is_in(cleaned, value_set=pa.array(NUMERIC_MISSING, type=cleaned.type)), False)
    has_tokens = guess_missing and pc.any(is_token).as_py()
    others = cleaned.filter(pc.invert(is_token)).drop_null() if has_tokens else cleaned
    has_comma = comma_allowed and bool(pc.any(pc.match_substring(others, ",")).as_py())
    has_decimal_comma = has_comma and _all_match(others, _COMMA_NUMBER_PATTERN)
    if has_decimal_comma:
        cleaned = pc.replace_substring(cleaned, ",", ".")
    n_missing_tokens = {}
    if has_tokens and (has_decimal_comma or _all_match(others, NUMBER_PATTERN)):
        n_missing_tokens = _token_counts(with_values_replaced(column, distinct, cleaned))
        cleaned = pc.if_else(is_token, pa.scalar(None, type=cleaned.type), cleaned)
    return ColumnReading(
        values=with_values_replaced(column, distinct, cleaned),
        has_decimal_comma=has_decimal_comma,
        n_missing_tokens=n_missing_tokens,
        holds_tokens_alone=bool(has_tokens) and len(others) == 0,
    )


def _needs_a_look(chunk: pa.LargeStringArray, comma_allowed: bool) -> bool:
    """Whether some value may be padded, not in NFC, a token for missing, or a number with a decimal comma.

    Bytes at the edges of values and the presence of a comma tell quickly that most columns have none of that.
    Values that are missing take the byte of a neighbour, which can only make for a needless look.
    """
    _, offsets, characters = chunk.buffers()
    if characters is None or characters.size == 0:
        return False
    characters = np.frombuffer(characters, dtype=np.uint8)
    offsets = np.frombuffer(offsets, dtype=np.int64)[chunk.offset : chunk.offset + len(chunk) + 1]
    first = characters.take(offsets[:-1], mode="clip")
    last = characters.take(offsets[1:] - 1, mode="clip")
    return bool(
        _MAY_BEGIN_UNCLEAN.take(first).any()
        or _MAY_END_UNCLEAN.take(last).any()
        or characters.max() >= 0x80
        or (comma_allowed and (characters == ord(",")).any())
    )


def _all_match(values: pa.Array, pattern: str) -> bool:
    """Whether there are values and all that are not missing match."""
    return bool(pc.all(pc.match_substring_regex(values, pattern)).as_py())


def _token_counts(column: pa.ChunkedArray) -> dict[str, int]:
    tokens = column.filter(pc.is_in(column, value_set=pa.array(NUMERIC_MISSING, type=column.type)))
    return {entry["values"]: entry["counts"] for entry in pc.value_counts(tokens).to_pylist()}


def reading_notes(readings: Mapping[str, ColumnReading], path: Path, options: FileOptions) -> list[str]:
    """Return what was decided about columns, in words."""
    notes = []
    with_comma = [shown_name(name) for name, reading in readings.items() if reading.has_decimal_comma]
    if with_comma:
        how = "declared" if options.decimal else "guessed"
        notes.append(f"decimal comma {how} in {listed(with_comma, at_most=8)}")
    for token in NUMERIC_MISSING:
        counts = {
            name: reading.n_missing_tokens[token]
            for name, reading in readings.items()
            if token in reading.n_missing_tokens
        }
        if counts:
            where = listed((f"{shown_name(name)} ({number:,})" for name, number in counts.items()), at_most=8)
            notes.append(f"'{token}' in columns of numbers read as missing: {where}")
    alone = [shown_name(name) for name, reading in readings.items() if reading.holds_tokens_alone]
    if alone:
        notes.append(
            f"kept as text because nothing but {listed(NUMERIC_MISSING)} stands in {listed(alone, at_most=8)}; "
            f"if that means missing, declare it, e.g. {setting_of(path, 'missing', ['NA'])}"
        )
    return notes
