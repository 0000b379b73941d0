"""Which columns of a file are dates, the order of their parts, and notes on them.

One program writes one file: columns with two possible readings follow those with one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from study.formats.column_reading import ColumnReading
from study.formats.dates import (
    DAY_FIRST,
    IN_WORDS,
    KEEP,
    MONTH_FIRST,
    ORDERS,
    SERIAL_NAME,
    SERIAL_ORIGINS,
    SHORT_YEAR,
    YEAR_FIRST,
    iso_dates,
    iso_of_days,
    serial_readings,
)
from study.formats.messages import counted_note, setting_of
from study.formats.tables import FileOptions
from study.formats.values import NUMBER_PATTERN, n_records_of

Column: TypeAlias = pa.ChunkedArray | np.ndarray


@dataclass
class _Found:
    """The dates of a file: column to number of records, by how they were read."""

    converted: dict[tuple[str, str], dict[str, int]] = field(default_factory=dict)
    left: dict[str, dict[str, int]] = field(default_factory=dict)

    def convert(self, reading: str, why: str, name: str, n: int) -> None:
        self.converted.setdefault((reading, why), {})[name] = n

    def leave(self, why: str, name: str, n: int) -> None:
        self.left.setdefault(why, {})[name] = n


_ONE_READING, _BY_OTHERS, _DECLARED = "the only possible reading", "as in other columns of the file", "declared"
_TWO_ORDERS, _NO_ORDER, _SHORT, _TWO_SERIALS = "two orders", "no order", "short", "two serials"


def with_iso_dates(
    readings: Mapping[str, ColumnReading], path: Path, options: FileOptions
) -> tuple[dict[str, Column], list[str]]:
    """Return the columns of a file with dates as ISO 8601 where one reading is left, and notes on them."""
    columns: dict[str, Column] = {name: reading.values for name, reading in readings.items()}
    found = _Found()
    for name, reading in readings.items():
        declared = options.date_order_of(name)
        if declared in ORDERS:
            _convert_declared(columns, name, declared, reading.n_records, found)
        elif declared in SERIAL_ORIGINS and (isinstance(options.dates, Mapping) or re.search(SERIAL_NAME, name)):
            _convert_numbers(columns, name, declared, _DECLARED, reading.n_records, found)
        elif declared != KEEP and isinstance(reading.values, pa.ChunkedArray) and reading.dates is None:
            _note_short_years(reading.values, name, reading, found)
    open_names = [name for name in readings if options.date_order_of(name) is None]
    _convert_by_order({name: readings[name] for name in open_names}, columns, found)
    _convert_serials({name: readings[name] for name in open_names}, columns, found)
    return columns, _notes(found, path)


# Dates as text


def _convert_declared(
    columns: dict[str, Column], name: str, order: str, n_records: np.ndarray | None, found: _Found
) -> None:
    """Convert value by value; a value that is not a date in the declared order is unchanged."""
    column = columns[name]
    if isinstance(column, np.ndarray):
        return
    values = column.combine_chunks()
    written = iso_dates(values, order)
    changed = pc.fill_null(pc.and_(pc.is_valid(written), pc.not_equal(written, values)), False)
    if pc.any(changed).as_py():
        found.convert(order, _DECLARED, name, n_records_of(changed, n_records))
        columns[name] = pa.chunked_array([pc.coalesce(written, values)])


def _convert_by_order(readings: Mapping[str, ColumnReading], columns: dict[str, Column], found: _Found) -> None:
    dated = {name: one.dates for name, one in readings.items() if one.dates is not None and not one.dates.is_iso}
    orders = {order for dates in dated.values() if len(dates.by_order) == 1 for order in dates.by_order}
    for name, dates in dated.items():
        column = columns[name]
        assert not isinstance(column, np.ndarray)  # numbers have no dates as text
        n_records = n_records_of(column.is_valid(), readings[name].n_records)
        if not dates.by_order:
            found.leave(_NO_ORDER, name, n_records)
            continue
        shared = orders & set(dates.by_order)
        if len(dates.by_order) > 1 and len(shared) != 1:
            found.leave(_TWO_ORDERS, name, n_records)
            continue
        [order] = shared or dates.by_order
        why = _ONE_READING if len(dates.by_order) == 1 else _BY_OTHERS
        found.convert(YEAR_FIRST if _begin_with_years(column) else order, why, name, n_records)
        columns[name] = pa.chunked_array([iso_dates(column.combine_chunks(), order)])


def _begin_with_years(column: pa.ChunkedArray) -> bool:
    return bool(pc.all(pc.match_substring_regex(column, r"^\s*\d{4}\D")).as_py())


def _note_short_years(column: pa.ChunkedArray, name: str, reading: ColumnReading, found: _Found) -> None:
    beginning = column.slice(0, 64)
    if pc.all(pc.match_substring_regex(beginning, SHORT_YEAR)).as_py() is False:
        return
    if column.null_count < len(column) and pc.all(pc.match_substring_regex(column, SHORT_YEAR)).as_py():
        found.leave(_SHORT, name, n_records_of(column.is_valid(), reading.n_records))


# Dates as numbers


def _convert_serials(readings: Mapping[str, ColumnReading], columns: dict[str, Column], found: _Found) -> None:
    """Numbers in columns that are named as dates: of SAS or of Excel, one of them for the whole file."""
    names = list(readings)
    named = pc.match_substring_regex(pa.array(names, type=pa.string()), SERIAL_NAME).to_pylist()
    numbers = {name: _numbers_of(columns[name]) for name, is_date in zip(names, named, strict=True) if is_date}
    present = {name: days for name, days in numbers.items() if days is not None}
    possible = {name: serial_readings(days, readings[name].n_records) for name, days in present.items()}
    decided = {reading for several in possible.values() if len(several) == 1 for reading in several}
    for name, several in possible.items():
        if not several:
            continue
        shared = decided & set(several)
        if len(shared) == 1:
            [reading] = shared
            why = _ONE_READING if len(several) == 1 else _BY_OTHERS
            _convert_numbers(columns, name, reading, why, readings[name].n_records, found)
        else:
            found.leave(_TWO_SERIALS, name, _n_present(present[name], readings[name].n_records))


def _numbers_of(column: Column) -> np.ndarray | None:
    """A column as numbers, NaN where missing; None if it contains other text, or nothing."""
    if isinstance(column, np.ndarray):
        return column
    if column.null_count == len(column) or not pc.all(pc.match_substring_regex(column, NUMBER_PATTERN)).as_py():
        return None
    return np.asarray(column.cast(pa.float64()).to_numpy())


def _n_present(numbers: np.ndarray, n_records: np.ndarray | None) -> int:
    return n_records_of(pa.array(~np.isnan(numbers)), n_records)


def _convert_numbers(
    columns: dict[str, Column], name: str, reading: str, why: str, n_records: np.ndarray | None, found: _Found
) -> None:
    numbers = _numbers_of(columns[name])
    if numbers is not None:
        columns[name] = pa.chunked_array([iso_of_days(numbers, SERIAL_ORIGINS[reading])])
        found.convert(reading, why, name, _n_present(numbers, n_records))


# Words


def _notes(found: _Found, path: Path) -> list[str]:
    notes = []
    for (reading, why), counts in sorted(found.converted.items()):
        notes += counted_note(f"dates read as {IN_WORDS[reading]} ({why}), now ISO 8601: {{}}", counts)
    settings = {name: " or ".join(setting_of(path, "dates", order) for order in pair) for name, pair in _PAIRS.items()}
    words = {
        _TWO_ORDERS: "dates that may begin with the day or the month, left unchanged: {}; declare which: {}",
        _NO_ORDER: "dates left unchanged, because some begin with the day and others with the month: {}; correct "
        "them in the source",
        _SHORT: "dates with a year of two digits, left unchanged: {}; export them with four digits",
        _TWO_SERIALS: "numbers in columns named as dates, left unchanged: {}; if they count days, declare how: {}",
    }
    for why, counts in found.left.items():
        notes += counted_note(words[why], counts, *([settings[why]] if why in settings else []))
    return notes


_PAIRS = {_TWO_ORDERS: (DAY_FIRST, MONTH_FIRST), _TWO_SERIALS: tuple(SERIAL_ORIGINS)}
