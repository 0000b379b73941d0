"""What the columns of a file mean, whatever its format: missing values, numbers, dates, codes for missing.

Codes for missing are read as missing and reported with the setting: ``placeholders`` judges the distinct values of one
column; here are the columns that may have such codes, and the words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from disclosure_control.basics.encoding.columns import number_text
from disclosure_control.basics.encoding.one_meaning import one_spelling
from disclosure_control.basics.telling.words import listed
from study.concepts import concept_of, names_a_measure, names_an_examination
from study.formats.column_reading import ColumnReading, read_columns, reading_notes
from study.formats.dated_columns import with_iso_dates
from study.formats.days import beginning, counted, days_in, numbers_of
from study.formats.matches import any_match
from study.formats.messages import Note, all_files_setting, counted_note, shown_name
from study.formats.placeholders import (
    CODES,
    COUNTS_DAYS,
    MAY_BE_0,
    MAY_BE_BELOW_0,
    Apart,
    dates_apart,
    is_usual,
    life_of_file,
    n_in_another_unit,
    numbers_apart,
)
from study.formats.tables import FileContents, FileOptions, domain_of
from study.formats.thousands import without_thousands
from study.formats.values import Column, clean_name, n_records_of
from study.models.role_words import is_key, role_of_heading, unit_beside
from study.models.roles import Role

_CODE_TEXTS = pa.array(
    sorted({text for code in CODES for text in (number_text(code), f"{code:.1f}", f"{code:.2f}", f"{code:+g}")}),
    pa.large_string(),
)
_TWENTY_YEARS = 20 * 365  # days
_LONG_TIME_OR_BELOW = r"^(?:29[0-3]\d{4}|-\d+|0)(?:\.0+)?$"  # days to the end of the year 9999, and up to 0
# Numbers of rows, visits, people and places, and terms in codes: any number may be one of these.
_COUNTED_ON = (Role.VISIT, Role.SITE, Role.PLACE, Role.IDENTIFIER, Role.CODED_TERM, Role.RECORD_KEY, Role.FOREIGN_KEY)
_OF_SDTM = r"[A-Z0-9]*(?:SEQ|NUM|ID|CD|NO|N)"
_MOST_SHOWN = 6
_MOST_VALUES, _WORD = 1_000, r"[^\x00-\x40]{2}"  # of a column of words


def columns_as_meant(
    contents: FileContents, path: Path, options: FileOptions
) -> tuple[dict[str, Column], Mapping[str, ColumnReading], list[str]]:
    """The columns of a file as they are meant, how each was read, and the decisions in words.

    No code for missing is looked for in what is written as meant. Raises ``FaultyInputError`` where the config names
    columns that the file does not have, or a sign means two things.
    """
    contents, notes_on_thousands = without_thousands(contents, path, options)
    readings = read_columns(contents, path, options)
    dated, notes_on_dates = with_iso_dates(readings, path, options)
    notes = [*notes_on_thousands, *reading_notes(readings, path, options), *notes_on_dates]
    if options.is_written_as_meant:
        return dict(dated), readings, notes
    meant, notes_on_codes = _with_codes_missing(dated, readings, path, options)
    further = (*_notes_on_units(meant, readings), *_notes_on_spellings(meant, readings))
    return meant, readings, [*notes, *notes_on_codes, *further]


def _notes_on_units(columns: Mapping[str, Column], readings: Mapping[str, ColumnReading]) -> list[str]:
    """A note on measurements of which a few are as the others are in another unit: a height of 1.72 beside 165."""
    found = {}
    for name, column in columns.items():
        is_measured = names_an_examination(name) or (names_a_measure(name) and not _names_an_age(name))
        if is_measured and not _in_units(name, columns) and (numbers := numbers_of(column)) is not None:
            found[name] = n_in_another_unit(numbers, readings[name].n_records)
    words = "numbers far from all others, left unchanged: {}; they may be in another unit; check them"
    return counted_note(words, found)


def _notes_on_spellings(columns: Mapping[str, Column], readings: Mapping[str, ColumnReading]) -> list[str]:
    """A note on columns of words that have one value in several spellings, and the records with one of these."""
    found = {}
    for name, column in columns.items():
        if isinstance(column, np.ndarray) or not any_match(beginning(column), _WORD):
            continue
        if len(pc.unique(column[: 2 * _MOST_VALUES])) > _MOST_VALUES + 1:
            continue
        counts = pc.value_counts(column.combine_chunks().drop_null())
        if len(counts) > _MOST_VALUES:
            continue
        texts = counts.field("values").to_pylist()
        alike = Counter(map(one_spelling, texts))
        n_records = readings[name].n_records
        several = pa.array([text for text in texts if alike[one_spelling(text)] > 1], column.type)
        found[name] = n_records_of(pc.is_in(column.combine_chunks(), value_set=several), n_records)
    words = "values that differ in letter case or blanks alone, one value for l and t: {}; to make them one: {}"
    return counted_note(words, found, '"treatment": [{"method": "group", "column": "...", "groups": {"new": ["old"]}}]')


# ---------------------------------------------------------------- codes for missing


@dataclass(frozen=True)
class _Seen:
    """The distinct values that were looked at, and how many records have each: which are codes, and may be shown."""

    texts: list[str]
    n_records: np.ndarray
    apart: Apart
    may_be_shown: np.ndarray
    are_dates: bool


def _with_codes_missing(
    columns: Mapping[str, Column], readings: Mapping[str, ColumnReading], path: Path, options: FileOptions
) -> tuple[dict[str, Column], list[str]]:
    """The columns of a file, dates in ISO 8601, with codes for missing read as missing, and notes on them.

    Dates that may be codes are missing too; of numbers that may be, a note asks. ``options.kept`` are values.
    """
    found, notes = dict(columns), list[str]()
    judged = [name for name in columns if name not in options.keep]
    dates = {name: one for name in judged if (one := days_in(columns[name], readings[name].n_records)) is not None}
    of_file = life_of_file((days, n_records) for days, n_records, _ in dates.values())
    for name in judged:
        if name in dates:
            days, n_records, texts = dates[name]
            # A day that nobody but one person has is no code that may be shown.
            seen = _Seen(texts, n_records, dates_apart(days, n_records, of_file), is_usual(days), are_dates=True)
        elif (numbers := _numbers_of(name, columns[name], readings[name].n_records)) is not None:
            values, n_records = numbers
            says = (re.search(words, name) is not None for words in (COUNTS_DAYS, MAY_BE_0, MAY_BE_BELOW_0))
            apart = numbers_apart(values, n_records, _names_an_age(name) and not _in_units(name, columns), *says)
            may_be_shown = np.isin(values, list(CODES)) | ((values >= -10) & (values <= 0))
            seen = _Seen([number_text(one) for one in values], n_records, apart, may_be_shown, are_dates=False)
        else:
            continue
        kept = {clean_name(value) for value in options.kept.get(name, ())}
        is_open = np.array([text not in kept for text in seen.texts], dtype=bool)
        sure, may_be = seen.apart.sure & is_open, seen.apart.may_be & is_open
        codes = {seen.texts[place] for place in np.flatnonzero(sure | may_be if seen.are_dates else sure)}
        if codes:
            found[name] = _without(columns[name], codes, seen.are_dates)
        notes += [_note(name, path, seen, which, which is sure) for which in (sure, may_be) if which.any()]
    return found, notes


def _numbers_of(name: str, column: Column, n_records: np.ndarray | None) -> tuple[np.ndarray, np.ndarray] | None:
    """The distinct numbers of a column and how many records have each; None where none may be a code."""
    first = numbers_of(beginning(column))
    if not _may_have_codes(name) or first is None or not len(first):
        return None
    is_searched = re.search(COUNTS_DAYS, name) is not None or _names_an_age(name)
    if isinstance(column, np.ndarray):
        present = column[~np.isnan(column)]
        ends = {float(present.min()), float(present.max())} if len(present) else {1.0}
        may_have = bool(ends & CODES) or min(ends) <= 0 or max(map(abs, ends)) > _TWENTY_YEARS
    else:
        values = column.combine_chunks()
        may_have = bool(pc.any(pc.is_in(values, value_set=_CODE_TEXTS)).as_py())
        may_have = may_have or any_match(values, _LONG_TIME_OR_BELOW)
    numbers = numbers_of(column) if may_have or is_searched else None
    return None if numbers is None else counted(numbers, n_records)


def _names_an_age(name: str) -> bool:
    """Whether a heading names the age of a person."""
    concept = concept_of(name)
    return concept is not None and concept.name == "age"


def _in_units(name: str, columns: Mapping[str, Column]) -> bool:
    """Whether numbers are of several units: 180 months are an age."""
    unit = unit_beside(name, list(columns))
    units = None if unit is None else columns[unit]
    return isinstance(units, pa.ChunkedArray) and len(pc.unique(units).drop_null()) > 1


def _may_have_codes(name: str) -> bool:
    """Whether a heading is that of a measurement or an answer, and not that of a number of a row, visit or place."""
    says = role_of_heading(name)
    if says is not None and says.role in _COUNTED_ON:
        return False
    return concept_of(name) is not None or not (is_key(name) or re.fullmatch(_OF_SDTM, name))


def _without(column: Column, codes: set[str], are_dates: bool) -> Column:
    """The column with the codes missing, dates with whatever time of day."""
    if isinstance(column, np.ndarray):
        return np.where(np.isin(column, [float(code) for code in codes]), np.nan, column)
    values = column.combine_chunks()
    if are_dates:
        is_code = pc.is_in(pc.utf8_slice_codeunits(values, 0, 10), value_set=pa.array(sorted(codes), pa.large_string()))
    else:
        is_code = pc.is_in(values.cast(pa.float64()), value_set=pa.array([float(code) for code in sorted(codes)]))
    return pa.chunked_array([pc.if_else(is_code, pa.scalar(None, values.type), values)])


def _note(name: str, path: Path, seen: _Seen, which: np.ndarray, is_sure: bool) -> Note:
    """The note on ``which`` values of a column are codes for missing, or may be."""
    texts = [seen.texts[place] for place in np.flatnonzero(which & seen.may_be_shown)]
    of_column = f"{domain_of(path)}__{name}"
    keep, drop = (all_files_setting("columns", {of_column: {key: texts or ["..."]}}) for key in ("kept", "missing"))
    what = listed(map(repr, texts), at_most=_MOST_SHOWN) if 0 < len(texts) <= _MOST_SHOWN else "values"
    if is_sure:
        why = f"read as missing, because far from all other {'dates' if seen.are_dates else 'values'}"
        then = f"if they are values: {keep}"
    else:
        is_read = "read as missing until you decide" if seen.are_dates else "left as numbers until you decide"
        why, then = f"may mean missing, {is_read}", f"decide: {drop} or {keep}"
    n = int(seen.n_records[which].sum())
    return Note.of(lambda told: f"{what} {why}: {shown_name(name)} ({told(n)}); {then}")
