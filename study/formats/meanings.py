"""What the columns of a file mean, whatever its format: missing values, numbers, dates, codes for missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from disclosure_control.basics.encoding.one_meaning import one_spelling
from study.concepts import names_a_measure, names_an_examination
from study.formats.coded_missing import names_an_age, with_codes_missing
from study.formats.column_reading import ColumnReading, read_columns, reading_notes
from study.formats.dated_columns import beginning, numbers_of, with_iso_dates
from study.formats.messages import counted_note
from study.formats.placeholders import n_in_another_unit
from study.formats.tables import FileContents, FileOptions
from study.formats.thousands import without_thousands
from study.formats.values import Column, n_records_of

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
    meant, notes_on_codes = with_codes_missing(dated, readings, path, options)
    further = (*_notes_on_units(meant, readings), *_notes_on_spellings(meant, readings))
    return meant, readings, [*notes, *notes_on_codes, *further]


def _notes_on_units(columns: Mapping[str, Column], readings: Mapping[str, ColumnReading]) -> list[str]:
    """A note on measurements of which a few are as the others are in another unit: a height of 1.72 beside 165."""
    found = {}
    for name, column in columns.items():
        is_measured = names_an_examination(name) or (names_a_measure(name) and not names_an_age(name))
        if is_measured and (numbers := numbers_of(column)) is not None:
            found[name] = n_in_another_unit(numbers, readings[name].n_records)
    words = "numbers far from all others, left unchanged: {}; they may be in another unit; check them"
    return counted_note(words, found)


def _notes_on_spellings(columns: Mapping[str, Column], readings: Mapping[str, ColumnReading]) -> list[str]:
    """A note on columns of words that have one value in several spellings, and the records with one of these."""
    found = {}
    for name, column in columns.items():
        if isinstance(column, np.ndarray) or not pc.any(pc.match_substring_regex(beginning(column), _WORD)).as_py():
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
