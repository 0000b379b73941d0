"""What the columns of a file mean, whatever its format: missing values, decimal signs, numbers.

The distinct values of a column are read, and a column in which nothing has to change is passed on unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from disclosure_control.basics.encoding.text_codes import TextCodes
from disclosure_control.basics.telling.faults import nearest_name, stop_at
from disclosure_control.basics.telling.side_by_side import side_by_side
from disclosure_control.basics.telling.words import listed
from study.concepts import concept_of
from study.countries import MOST_COUNTRIES, are_codes_of_countries
from study.formats.dates import ORDERS, PACKED, may_hold_dates, read_dates
from study.formats.epochs import may_name_months
from study.formats.matches import all_match, which_match
from study.formats.messages import all_files_setting, counted_note, setting_of, shown_name
from study.formats.tables import ColumnFound, FileContents, FileOptions
from study.formats.values import (
    COMPARATOR,
    NUMBER_PATTERN,
    Column,
    as_large_text,
    clean_name,
    clean_numbers,
    clean_values,
    declared_missing,
    n_records_of,
)
from study.words import words_for_missing_among_numbers, yes_and_no

# Missing among numbers and dates alone: elsewhere they may be values (NA is Namibia, None an answer).
MISSING_TOKENS = (
    *("NA", "N/A", "NaN", "nan", "null", "NULL", ".", "-", "--", "–", "—", "−"),
    *("n/a", "N.A.", "<NA>", "None", "NaT"),
    # Errors of formulas, as spreadsheets in several languages write them into a text.
    *(
        "#N/A",
        "#NV",
        "#N/D",
        "#REF!",
        "#BEZUG!",
        "#DIV/0!",
        "#VALUE!",
        "#WERT!",
        "#VALEUR!",
        "#NUM!",
        "#ZAHL!",
        "#NAME?",
    ),
    *(f".{letter}" for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ_"),  # SAS, for reasons that are told apart
)
# Tokens that are reported if they are kept as text.
_SUSPECT_TOKENS = tuple(token for token in MISSING_TOKENS if token != "None")

_REGIONS = {"EU", "EMEA", "APAC", "LATAM", "LA", "SA", "AS", "ASIA", "AF", "ROW", "US", "JP"}
_SALTS, _FEWEST_COUNTRIES = {"K", "CL", "Cl", "CA", "Ca", "MG", "Mg", "LI", "Li"}, 5

_COMMA_NUMBER_PATTERN = NUMBER_PATTERN.replace(r"\.", ",")
_POINT_PATTERN = r"^[+-]?(\d+\.\d*|\.\d+)([eE][+-]?\d+)?$"
# A number with a decimal comma in it, or the limit of a measurement: <3,42.
_COMMA_RESULT_PATTERN = rf"^({COMPARATOR}\s*)?[+-]?(\d+,\d*|,\d+)([eE][+-]?\d+)?$"

# Which bytes at the edge of a value call for a look at it: white space (all of ASCII that Unicode takes for it), and
# those of a token for missing. Tokens of dashes are known by their end: numbers below zero begin like them.
_MAY_END_UNCLEAN = np.isin(np.arange(256), list(b" \t\n\v\f\r\x1c\x1d\x1e\x1f-"))
_MAY_BEGIN_UNCLEAN = np.isin(np.arange(256), list(b" \t\n\v\f\r\x1c\x1d\x1e\x1f"))
_MAY_BEGIN_UNCLEAN[[token.encode()[0] for token in MISSING_TOKENS if not token.startswith("-")]] = True
_IS_DIGIT = np.isin(np.arange(256), list(b"0123456789"))
_IS_LETTER = np.isin(np.arange(256) | 0x20, list(range(ord("a"), ord("z") + 1)))
# What parts a day from a month, or is the beginning of a month's name; and what follows a year or a day with its time.
_PARTS_DAY = np.isin(np.arange(256), list(b"/.- JFMASONDjfmasond"))
_PARTS_YEAR = np.isin(np.arange(256), list(b"/."))
# Fewer are read before the threads have started.
_MANY_VALUES = 200_000
_LOOKED_AT = 64
_SHORTEST_DATE, _LONGEST_SHORT, _SHORTEST_MOMENT = len("1/1/2014"), len("2016-10-4"), len("2014-01-01 0:00")


@dataclass(frozen=True)
class ColumnRules:
    """How a column is to be read: the declared ``decimal`` sign (None: to be guessed) and ``missing`` tokens.

    ``may_guess_comma``: a comma in it cannot be the file's delimiter. ``guess_missing``: no tokens were declared.
    ``is_number``: it was declared as numbers, so that all else is missing. ``may_be_dates``: dates are looked for;
    ``is_dated``: an order of their parts was declared. ``may_be_months``: 03/2016 is a date, as the heading names one.
    """

    decimal: str | None
    may_guess_comma: bool
    missing: frozenset[str]
    guess_missing: bool
    is_number: bool
    may_be_dates: bool
    is_dated: bool
    may_be_months: bool


# What is noted of values, by its short name.
_NOTED = {
    "unread": "values that are not numbers, in columns declared as numbers, read as missing: {}",
    "points": "values with a decimal point in columns of decimal commas, left unchanged: {}",
    "commas left": "numbers with a comma kept as text: {}; if the comma is a decimal sign, declare it: {}",
}


@dataclass(frozen=True)
class ColumnReading:
    """One column, and how it was read; the counts are of records.

    ``n_noted``: how many have what ``_NOTED`` names. ``n_missing_tokens`` were read as missing, and ``n_tokens_kept``
    stayed text. ``dates``: all values are dates, in these orders. ``n_records`` (n_values,) have each value; None: one
    each. ``encoded``: the column of these texts, the missing one last, if a value may have several records.
    """

    values: pa.ChunkedArray | np.ndarray = field(repr=False)
    has_decimal_comma: bool = False
    n_missing_tokens: Mapping[str, int] = field(default_factory=dict)
    n_tokens_kept: Mapping[str, int] = field(default_factory=dict)
    n_noted: Mapping[str, int] = field(default_factory=dict)
    dates: frozenset[str] | None = None
    n_records: np.ndarray | None = None
    encoded: TextCodes | None = field(default=None, repr=False)


def read_columns(contents: FileContents, path: Path, options: FileOptions) -> dict[str, ColumnReading]:
    """Return each column of a file as the config declares it, or as its values allow one reading.

    Raises FaultyInputError where the config names columns that the file does not have.
    """
    numbers = {clean_name(name) for name in options.numbers}
    dated = {clean_name(name) for name in options.dates} if isinstance(options.dates, Mapping) else set()
    stop_at(
        f"{path.name}: declared as {what}, but not in the file: {listed(map(repr, absent), at_most=8)}"
        f"{nearest_name(absent[0], contents.columns)}"
        for what, named in (("numbers", numbers), ("dates", dated))
        if (absent := sorted(named - set(contents.columns)))
    )
    missing = declared_missing(options.missing)
    codes = {clean_name(name): declared_missing(found) for name, found in options.codes.items()}
    of_columns = [
        ColumnRules(
            decimal=options.decimal,
            may_guess_comma=contents.may_guess_comma,
            missing=missing | codes.get(name, codes.get(name.upper(), frozenset())),
            guess_missing=options.missing is None,
            is_number=name in numbers,
            may_be_dates=options.date_order_of(name) != "keep" and name not in options.keep,
            is_dated=options.date_order_of(name) in ORDERS,
            may_be_months=may_name_months(name),
        )
        for name in contents.columns
    ]
    columns = contents.columns.values()
    n_records = [contents.n_records.get(name) for name in contents.columns]
    in_turn = map if sum(map(len, columns)) < _MANY_VALUES else side_by_side
    return dict(zip(contents.columns, in_turn(read_column, columns, of_columns, n_records), strict=True))


def read_column(column: ColumnFound, rules: ColumnRules, n_records: np.ndarray | None = None) -> ColumnReading:
    """Return a column cleaned, numbers with a decimal point, and missing values missing.

    ``n_records`` (n_values,) have each value; None: one each.

    Declarations apply value by value, so that no value decides how another one is read. Everything else is guessed from
    all values of the column: a decimal comma if they are numbers with it and no numbers without, NA and similar tokens
    as missing only among numbers and dates.
    """
    if isinstance(column, np.ndarray):
        return ColumnReading(clean_numbers(column, rules.missing), n_records=n_records)
    encoded = column if isinstance(column, TextCodes) else None
    values = as_large_text(_with_missing(column.texts) if isinstance(column, TextCodes) else column)
    needs_a_look = any(_needs_a_look(chunk, rules) for chunk in values.chunks)
    if not (rules.missing or rules.is_number or rules.is_dated or needs_a_look):
        return ColumnReading(values, n_records=n_records if encoded is None else encoded.people, encoded=encoded)
    if n_records is None and encoded is None:
        encoded = TextCodes.of(values)
        values = as_large_text(_with_missing(encoded.texts))
    n_records = n_records if encoded is None else encoded.people
    n_with = partial(n_records_of, n_records=n_records)
    cleaned = clean_values(values.combine_chunks(), rules.missing)
    is_token = _is_token(cleaned)
    has_tokens = bool(rules.guess_missing and pc.any(is_token).as_py())
    others = cleaned.filter(pc.invert(is_token)).drop_null() if has_tokens else cleaned.drop_null()
    if rules.is_number:
        others = others.filter(pc.or_(which_match(others, NUMBER_PATTERN), which_match(others, _COMMA_NUMBER_PATTERN)))
    has_comma = _has_comma(cleaned, others, rules)
    counts: dict[str, int] = {}
    has_decimal_comma = has_comma is not None and bool(pc.any(has_comma).as_py())
    if has_comma is None:
        counts["commas left"] = _n_commas_left(cleaned, n_with) if rules.decimal is None else 0
    elif has_decimal_comma and not rules.is_number:
        counts["points"] = n_with(which_match(cleaned, _POINT_PATTERN))
    if rules.is_number:
        pattern = NUMBER_PATTERN if has_comma is None else _COMMA_NUMBER_PATTERN
        unread = pc.and_(pc.is_valid(cleaned), pc.invert(which_match(cleaned, pattern)))
        unread = pc.and_(unread, pc.invert(is_token)) if has_tokens else unread
        counts["unread"] = n_with(unread)
        cleaned = pc.if_else(unread, pa.scalar(None, type=cleaned.type), cleaned)
    if has_comma is not None:
        cleaned = pc.if_else(has_comma, pc.replace_substring(cleaned, ",", "."), cleaned)
        others = pc.replace_substring(others, ",", ".")
    are_numbers = rules.is_number or all_match(others, NUMBER_PATTERN)
    may_be_dates = rules.may_be_dates and (not are_numbers or all_match(others, PACKED))
    dates = read_dates(others, rules.may_be_months) if may_be_dates else None
    tokens = pc.unique(cleaned.filter(is_token)).to_pylist() if has_tokens else []
    n_tokens = {token: n_with(pc.equal(cleaned, token)) for token in sorted(tokens)}
    are_missing = are_numbers or dates is not None
    if has_tokens and are_missing:
        cleaned = pc.if_else(is_token, pa.scalar(None, type=cleaned.type), cleaned)
    return ColumnReading(
        values=pa.chunked_array([cleaned]),
        has_decimal_comma=has_decimal_comma,
        n_missing_tokens=n_tokens if are_missing else {},
        n_tokens_kept={} if are_missing else n_tokens,
        dates=dates,
        n_records=n_records,
        encoded=encoded,
        n_noted=counts,
    )


def _is_token(values: pa.Array) -> pa.BooleanArray:
    """Which distinct values are a sign or a word for missing, in any language."""
    is_sign, is_word = (
        pc.is_in(some, value_set=pa.array(sorted(known), type=values.type))
        for some, known in ((values, MISSING_TOKENS), (pc.utf8_lower(values), words_for_missing_among_numbers()))
    )
    return pc.fill_null(pc.or_(is_sign, is_word), False)


def _has_comma(cleaned: pa.Array, others: pa.Array, rules: ColumnRules) -> pa.BooleanArray | None:
    """Which distinct values have a decimal comma, value by value where it is declared; None where it is no such sign.

    ``others`` are those that a guess is made from: all, or in a column of numbers those that may be numbers.
    """
    if rules.decimal is None and not (rules.may_guess_comma and all_match(others, _COMMA_NUMBER_PATTERN)):
        return None
    return None if rules.decimal == "." else which_match(cleaned, _COMMA_RESULT_PATTERN)


def _with_missing(texts: pa.Array) -> pa.Array:
    return pa.concat_arrays([texts, pa.nulls(1, texts.type)])


def _n_commas_left(cleaned: pa.Array, n_with: Callable[[pa.BooleanArray], int]) -> int:
    """How many records have a decimal comma, where they are more than those that have neither that nor a number."""
    if not pc.any(pc.match_substring(cleaned, ",")).as_py():
        return 0
    has_comma = which_match(cleaned, _COMMA_RESULT_PATTERN)
    is_other = pc.and_(pc.is_valid(cleaned), pc.invert(pc.or_(has_comma, which_match(cleaned, NUMBER_PATTERN))))
    n_commas, n_others = map(n_with, (has_comma, is_other))
    return n_commas if n_commas > n_others else 0


def _needs_a_look(chunk: pa.LargeStringArray, rules: ColumnRules) -> bool:
    """Whether some value may be padded, blank, not in NFC, a token for missing, a date, or have a decimal comma.

    Bytes at certain places of values and the presence of a comma show quickly that most columns have none of that.
    Missing values take the byte of a neighbour, which can only cause an unnecessary check.
    """
    _, offsets, characters = chunk.buffers()
    if characters is None or characters.size == 0:
        return chunk.null_count < len(chunk)
    characters = np.frombuffer(characters, dtype=np.uint8)
    offsets = np.frombuffer(offsets, dtype=np.int64)[chunk.offset : chunk.offset + len(chunk) + 1]
    first = characters.take(offsets[:-1], mode="clip")
    last = characters.take(offsets[1:] - 1, mode="clip")
    lengths = np.diff(offsets)
    return bool(
        _MAY_BEGIN_UNCLEAN.take(first).any()
        or _MAY_END_UNCLEAN.take(last).any()
        or np.count_nonzero(lengths == 0) > chunk.null_count
        or characters.max() >= 0x80
        or (_IS_DIGIT.take(first).any() and _IS_LETTER.take(first).any())  # 12 beside "unknown"
        or (rules.decimal != "." and (characters == ord(",")).any())
        or (rules.may_be_dates and _may_hold_dates(characters, offsets[:-1], lengths, first))
        or (rules.may_be_dates and may_hold_dates(chunk.slice(0, _LOOKED_AT).drop_null()))
    )


def _may_hold_dates(characters: np.ndarray, starts: np.ndarray, lengths: np.ndarray, first: np.ndarray) -> bool:
    """Whether some value begins as a date does that is not written in ISO 8601."""
    long_enough = np.flatnonzero((lengths >= _SHORTEST_DATE) & _IS_DIGIT.take(first))
    if not len(long_enough):
        return False
    starts, lengths = starts[long_enough], lengths[long_enough]
    if (lengths <= _LONGEST_SHORT).any():  # 20161022, 2016-1-4
        return True
    after_day = _PARTS_DAY.take(characters.take(starts + 1)) | _PARTS_DAY.take(characters.take(starts + 2))
    if after_day.any() or _PARTS_YEAR.take(characters.take(starts + 4)).any():
        return True
    moments = starts[lengths >= _SHORTEST_MOMENT]
    return bool((characters.take(moments + 10, mode="clip") == ord(" ")).any())


def reading_notes(readings: Mapping[str, ColumnReading], path: Path, options: FileOptions) -> Iterator[str]:
    """The decisions about columns, in words."""
    with_comma = [shown_name(name) for name, reading in readings.items() if reading.has_decimal_comma]
    if with_comma:
        how = "declared" if options.decimal else "guessed"
        yield f"decimal comma {how} in {listed(with_comma, at_most=8)}"
    yield from missing_notes({name: reading.n_missing_tokens for name, reading in readings.items()})
    for what, words in _NOTED.items():
        counts = {name: reading.n_noted.get(what, 0) for name, reading in readings.items()}
        yield from counted_note(words, counts, setting_of(path, "decimal", ","))
    yield from _kept_notes(readings)


def missing_notes(n_tokens: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    """The tokens read as missing among numbers and dates, from column to token to number of records."""
    for token in sorted({token for tokens in n_tokens.values() for token in tokens}):
        counts = {name: counts.get(token, 0) for name, counts in n_tokens.items()}
        yield from counted_note(f"'{token}' in columns of numbers or dates read as missing: {{}}", counts)


def _kept_notes(readings: Mapping[str, ColumnReading]) -> Iterator[str]:
    """Notes on tokens that may mean missing and were kept, among text or alone, where they may also be values."""
    words = "'{token}' kept as text: {{}}; if that means missing, declare it for all files: {{}}"
    found = {token for reading in readings.values() for token in reading.n_tokens_kept}
    for token in (one for one in _SUSPECT_TOKENS if one in found):
        kept = {name: n for name, reading in readings.items() if (n := reading.n_tokens_kept.get(token, 0))}
        counts = {name: n for name, n in kept.items() if not _is_a_value(token, name, readings[name].values)}
        yield from counted_note(words.format(token=token), counts, all_files_setting("missing", [token]))


def _is_a_value(token: str, name: str, column: Column) -> bool:
    """Whether NA or - is plainly a value: Namibia, sodium among the salts of the blood, the other one of +."""
    if token not in ("NA", "-") or isinstance(column, np.ndarray):
        return False
    texts = {str(one) for one in pc.unique(column).drop_null().slice(0, MOST_COUNTRIES).to_pylist()} - {*MISSING_TOKENS}
    if token == "-":
        return texts == {"+"}
    if name.endswith("TESTCD"):  # of SDTM, which no record is without
        return True
    concept = concept_of(name)
    are_many = len(texts) >= _FEWEST_COUNTRIES and yes_and_no().isdisjoint(map(str.lower, texts))
    is_told = are_many or (concept is not None and concept.name == "country")
    of_a_list = any(texts <= one for one in (_SALTS, _REGIONS)) and len(texts) > 1
    return of_a_list or (is_told and are_codes_of_countries(texts))
