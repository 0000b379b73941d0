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
_POINT_PATTERN = r"^[+-]?(\d+\.\d*|\.\d+)([eE][+-]?\d+)?$"
# A number with a decimal comma in it, or the limit of a measurement: <3,42.
_COMMA_RESULT_PATTERN = r"^([<>]=?\s*)?[+-]?(\d+,\d*|,\d+)([eE][+-]?\d+)?$"
_DATA_LIKE_PATTERN = r"^([+-]?[\d.,]*\d[\d.,]*([eE][+-]?\d+)?|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}.*)$"
_SAMPLE_RECORDS = 200

# Which bytes at the edge of a value call for a look at it: white space (all of ASCII that Unicode takes for
# it), and at the beginning also that of a token for missing.
_MAY_END_UNCLEAN = np.isin(np.arange(256), list(b" \t\n\v\f\r\x1c\x1d\x1e\x1f"))
_MAY_BEGIN_UNCLEAN = _MAY_END_UNCLEAN | np.isin(np.arange(256), [ord(token[0]) for token in NUMERIC_MISSING])


@dataclass(frozen=True)
class ColumnRules:
    """How a column is to be read: the declared ``decimal`` sign (None: to be guessed) and ``missing`` tokens.

    ``may_guess_comma``: a comma in it cannot be the file's delimiter. ``guess_missing``: no tokens were declared.
    ``is_number``: it was declared to hold numbers, so that all else is missing.
    """

    decimal: str | None = None
    may_guess_comma: bool = True
    missing: frozenset[str] = frozenset()
    guess_missing: bool = True
    is_number: bool = False


@dataclass(frozen=True)
class ColumnReading:
    """One column as text, and what was decided about it; the counts are of records.

    ``n_points`` have a decimal point where the comma is the sign, ``n_commas_left`` a decimal comma that was taken for
    text, ``n_unread`` were no numbers in a column of numbers.
    """

    values: pa.ChunkedArray
    has_decimal_comma: bool = False
    n_missing_tokens: Mapping[str, int] = field(default_factory=dict)
    holds_tokens_alone: bool = False
    n_points: int = 0
    n_commas_left: int = 0
    n_unread: int = 0


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


def read_column(column: pa.ChunkedArray, rules: ColumnRules) -> ColumnReading:
    """Return a column of large_string cleaned, numbers with a decimal point, and missing values missing.

    What is declared holds value by value, so that no value decides how another one is read. What is not declared is
    guessed from all values of the column: a decimal comma where they are numbers with it and no numbers without, NA
    and the like as missing among numbers alone.
    """
    needs_a_look = any(_needs_a_look(chunk, rules.decimal != ".") for chunk in column.chunks)
    if not (rules.missing or rules.is_number or needs_a_look):
        return ColumnReading(column)
    distinct = pc.unique(column)
    cleaned = clean_values(distinct, rules.missing)
    is_token = pc.fill_null(pc.is_in(cleaned, value_set=pa.array(NUMERIC_MISSING, type=cleaned.type)), False)
    has_tokens = rules.guess_missing and pc.any(is_token).as_py()
    others = cleaned.filter(pc.invert(is_token)).drop_null() if has_tokens else cleaned
    if rules.is_number:
        others = others.filter(pc.or_(_matches(others, NUMBER_PATTERN), _matches(others, _COMMA_NUMBER_PATTERN)))
    has_comma = _has_comma(cleaned, others, rules)
    counts: dict[str, int] = {}
    has_decimal_comma = has_comma is not None and bool(pc.any(has_comma).as_py())
    if has_comma is None:
        counts["n_commas_left"] = _n_commas_left(column, distinct, cleaned) if rules.decimal is None else 0
    elif has_decimal_comma and not rules.is_number:
        counts["n_points"] = _n_records(column, distinct, _matches(cleaned, _POINT_PATTERN))
    if rules.is_number:
        pattern = NUMBER_PATTERN if has_comma is None else _COMMA_NUMBER_PATTERN
        unread = pc.and_(pc.is_valid(cleaned), pc.invert(_matches(cleaned, pattern)))
        unread = pc.and_(unread, pc.invert(is_token)) if has_tokens else unread
        counts["n_unread"] = _n_records(column, distinct, unread)
        cleaned = pc.if_else(unread, pa.scalar(None, type=cleaned.type), cleaned)
    if has_comma is not None:
        cleaned = pc.if_else(has_comma, pc.replace_substring(cleaned, ",", "."), cleaned)
        others = pc.replace_substring(others, ",", ".")
    n_missing_tokens = {}
    if has_tokens and (rules.is_number or _all_match(others, NUMBER_PATTERN)):
        n_missing_tokens = _token_counts(with_values_replaced(column, distinct, cleaned))
        cleaned = pc.if_else(is_token, pa.scalar(None, type=cleaned.type), cleaned)
    return ColumnReading(
        values=with_values_replaced(column, distinct, cleaned),
        has_decimal_comma=has_decimal_comma,
        n_missing_tokens=n_missing_tokens,
        holds_tokens_alone=bool(has_tokens) and len(others) == 0 and not rules.is_number,
        **counts,
    )


def _has_comma(cleaned: pa.Array, others: pa.Array, rules: ColumnRules) -> pa.BooleanArray | None:
    """Which distinct values have a decimal comma, value by value where it is declared; None where it is no such sign.

    ``others`` are those that a guess is made from: all, or in a column of numbers those that may be numbers.
    """
    if rules.decimal is None and not (rules.may_guess_comma and _all_match(others, _COMMA_NUMBER_PATTERN)):
        return None
    return None if rules.decimal == "." else _matches(cleaned, _COMMA_RESULT_PATTERN)


def _n_commas_left(column: pa.ChunkedArray, distinct: pa.Array, cleaned: pa.Array) -> int:
    """How many records have a decimal comma, where they are more than those that have neither that nor a number."""
    if not pc.any(pc.match_substring(cleaned, ",")).as_py():
        return 0
    has_comma = _matches(cleaned, _COMMA_RESULT_PATTERN)
    is_other = pc.and_(pc.is_valid(cleaned), pc.invert(pc.or_(has_comma, _matches(cleaned, NUMBER_PATTERN))))
    n_commas, n_others = _n_records(column, distinct, has_comma), _n_records(column, distinct, is_other)
    return n_commas if n_commas > n_others else 0


def _matches(values: pa.Array, pattern: str) -> pa.BooleanArray:
    """Which values match, False where missing."""
    return pc.fill_null(pc.match_substring_regex(values, pattern), False)


def _n_records(column: pa.ChunkedArray, distinct: pa.Array, is_meant: pa.BooleanArray) -> int:
    """How many records have one of the distinct values that are meant."""
    return int(pc.sum(pc.is_in(column, value_set=distinct.filter(is_meant))).as_py() or 0)


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
        counts = {name: reading.n_missing_tokens.get(token, 0) for name, reading in readings.items()}
        notes += _counted_note(f"'{token}' in columns of numbers read as missing: {{}}", counts)
    counts = {name: reading.n_unread for name, reading in readings.items()}
    notes += _counted_note("declared as numbers, and missing where they are none: {}", counts)
    counts = {name: reading.n_points for name, reading in readings.items()}
    notes += _counted_note("a decimal point beside decimal commas, left as it stands: {}", counts)
    counts = {name: reading.n_commas_left for name, reading in readings.items()}
    words = "numbers with a comma kept as text: {}; if that is a decimal sign, declare it: {}"
    notes += _counted_note(words, counts, setting_of(path, "decimal", ","))
    alone = [shown_name(name) for name, reading in readings.items() if reading.holds_tokens_alone]
    if alone:
        notes.append(
            f"kept as text because nothing but {listed(NUMERIC_MISSING)} stands in {listed(alone, at_most=8)}; "
            f"if that means missing, declare it, e.g. {setting_of(path, 'missing', ['NA'])}"
        )
    return notes


def _counted_note(words: str, counts: Mapping[str, int], *more: str) -> list[str]:
    """The note with the columns that have such records, and how many; none where no column has."""
    where = [f"{shown_name(name)} ({number:,})" for name, number in counts.items() if number]
    return [words.format(listed(where, at_most=8), *more)] if where else []
