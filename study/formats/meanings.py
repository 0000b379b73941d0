"""What the columns of a file mean, whatever its format: missing values, numbers, dates, codes for missing."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from study.formats.coded_missing import with_codes_missing
from study.formats.column_reading import ColumnReading, read_columns, reading_notes
from study.formats.dated_columns import with_iso_dates
from study.formats.tables import FileContents, FileOptions
from study.formats.thousands import without_thousands
from study.formats.values import Column


def columns_as_meant(
    contents: FileContents, path: Path, options: FileOptions
) -> tuple[dict[str, Column], Mapping[str, ColumnReading], list[str]]:
    """The columns of a file as they are meant, how each was read, and the decisions in words.

    Raises ``FaultyInputError`` where the config names columns that the file does not have, or a sign means two things.
    """
    contents, notes_on_thousands = without_thousands(contents, path, options)
    readings = read_columns(contents, path, options)
    dated, notes_on_dates = with_iso_dates(readings, path, options)
    meant, notes_on_codes = with_codes_missing(dated, readings, path, options)
    notes = [*notes_on_thousands, *reading_notes(readings, path, options), *notes_on_dates, *notes_on_codes]
    return meant, readings, notes
