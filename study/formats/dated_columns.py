"""Which columns of a file are dates, the order of their parts, and notes on them.

One program writes one file: columns with two possible readings follow those with one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from study.concepts import names_a_measure
from study.formats.column_reading import ColumnReading
from study.formats.dates import (
    DAY_FIRST,
    IN_WORDS,
    MONTH_FIRST,
    ORDERS,
    SHORT_YEAR,
    YEAR_FIRST,
    has_our_time,
    iso_dates,
    may_hold_dates,
)
from study.formats.epochs import (
    EPOCHS,
    may_count_time,
    may_name_months,
    names_a_date,
    serial_readings,
    within_life,
)
from study.formats.messages import counted_note, setting_of
from study.formats.placeholders import life_of
from study.formats.tables import KEEP, FileOptions
from study.formats.values import NUMBER_PATTERN, Column, n_records_of
from study.models.role_words import is_key, names_a_code

_DAY = r"^\d{4}-\d{2}-\d{2}(?:T|$)"
_LOOKED_AT = 64
_NEARLY_ALL = 0.8  # of the records of a column have a date: the others are no dates, or written in no known way


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
_NEAR_OTHERS = "the only reading near the other dates of the file"
_TWO_ORDERS, _NO_ORDER, _SHORT, _TWO_SERIALS = "two orders", "no order", "short", "two serials"
_MAY_BE_TIME, _UNREAD = "may be time", "unread"


def with_iso_dates(
    readings: Mapping[str, ColumnReading], path: Path, options: FileOptions
) -> tuple[dict[str, Column], list[str]]:
    """Return the columns of a file with dates as ISO 8601 where one reading is left, and notes on them."""
    columns: dict[str, Column] = {name: reading.values for name, reading in readings.items()}
    found = _Found()
    for name, reading in readings.items():
        declared = options.date_order_of(name)
        if declared in ORDERS:
            _convert_declared(columns, name, str(declared), reading.n_records, found)
        elif declared in EPOCHS and (isinstance(options.dates, Mapping) or names_a_date(name)):
            _convert_numbers(columns, name, str(declared), _DECLARED, reading.n_records, found)
        elif declared != KEEP and isinstance(reading.values, pa.ChunkedArray) and reading.dates is None:
            _note_short_years(reading.values, name, reading, found)
    open_names = [name for name in readings if options.date_order_of(name) is None]
    _convert_by_order({name: readings[name] for name in open_names}, columns, found)
    left = [name for name in open_names if name not in options.keep]
    _convert_most({name: readings[name] for name in left}, columns, found)
    _convert_serials({name: readings[name] for name in left}, columns, found)
    return columns, _notes(found, path)


def may_be_dates(name: str, numbers: np.ndarray) -> bool:
    """Whether numbers (n_values,) beneath a heading, NaN where missing, may count from a day that is not declared."""
    if names_a_date(name):
        return bool(serial_readings(numbers) or may_count_time(numbers))
    return not (names_a_measure(name) or names_a_code(name)) and bool(may_count_time(numbers))


def days_in(column: Column, n_records: np.ndarray | None) -> tuple[np.ndarray, np.ndarray, list[str]] | None:
    """The distinct days of a column in ISO 8601, since 1970, how many records have each, and as text; None without."""
    if isinstance(column, np.ndarray) or not pc.any(pc.match_substring_regex(beginning(column), _DAY)).as_py():
        return None
    values = column.combine_chunks()
    is_day = pc.fill_null(pc.match_substring_regex(values, _DAY), False)
    encoded = pc.utf8_slice_codeunits(values.filter(is_day), 0, 10).dictionary_encode()
    texts = encoded.dictionary.to_pylist()
    rows = is_day.to_numpy(zero_copy_only=False)
    weights = None if n_records is None else n_records[rows]
    counts = np.bincount(encoded.indices.to_numpy(), weights, len(texts)).astype(np.int64)
    return np.array([day_of(text) for text in texts], dtype=np.int64), counts, texts


def day_of(text: str) -> int:
    """A day of ISO 8601 as days since 1970; of one that no calendar has, the first of its year."""
    try:
        return int(np.datetime64(text, "D").astype(np.int64))
    except ValueError:
        return int(np.datetime64(f"{text[:4]}-01-01", "D").astype(np.int64))


def beginning(column: pa.ChunkedArray) -> pa.Array:
    """The first values of a column that are there."""
    return column.slice(0, _LOOKED_AT * 4).combine_chunks().drop_null().slice(0, _LOOKED_AT)


# Dates as text


def _convert_declared(
    columns: dict[str, Column], name: str, order: str, n_records: np.ndarray | None, found: _Found
) -> None:
    """Convert value by value; a value that is not a date in the declared order is unchanged."""
    column = columns[name]
    if isinstance(column, np.ndarray):
        return
    values = column.combine_chunks()
    written = iso_dates(values, order, with_months=may_name_months(name))
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
        columns[name] = pa.chunked_array([iso_dates(column.combine_chunks(), order, with_months=True)])


def _begin_with_years(column: pa.ChunkedArray) -> bool:
    return bool(pc.all(pc.match_substring_regex(column, r"^\s*\d{4}(?:\D|\d{4})")).as_py())


def _note_short_years(column: pa.ChunkedArray, name: str, reading: ColumnReading, found: _Found) -> None:
    beginning = column.slice(0, 64)
    if pc.all(pc.match_substring_regex(beginning, SHORT_YEAR)).as_py() is False:
        return
    if column.null_count < len(column) and pc.all(pc.match_substring_regex(column, SHORT_YEAR)).as_py():
        found.leave(_SHORT, name, n_records_of(column.is_valid(), reading.n_records))


def _convert_most(readings: Mapping[str, ColumnReading], columns: dict[str, Column], found: _Found) -> None:
    """Columns in which nearly all values are dates that allow one reading: the others stay as they are."""
    for name, reading in readings.items():
        column = columns[name]
        with_months = may_name_months(name)
        if isinstance(column, np.ndarray) or reading.dates is not None:
            continue
        if not may_hold_dates(beginning(column), with_months):
            continue
        values = column.combine_chunks()
        n_present = n_records_of(values.is_valid(), reading.n_records)
        read = {order: iso_dates(values, order, with_months=with_months) for order in ORDERS}
        n_read = {order: n_records_of(one.is_valid(), reading.n_records) for order, one in read.items()}
        best = max(n_read.values())
        most = [order for order in ORDERS if n_read[order] == best]
        if not has_our_time(read[most[0]]):
            found.leave(_UNREAD, name, n_present)
            continue
        if best < _NEARLY_ALL * n_present or (len(most) > 1 and not read[DAY_FIRST].equals(read[MONTH_FIRST])):
            if best >= n_present / 2:
                found.leave(_UNREAD, name, n_present)
            continue
        written = read[most[0]]
        found.leave(_UNREAD, name, n_present - best)
        if not written.equals(values):
            found.convert(most[0], _ONE_READING, name, best)
            columns[name] = pa.chunked_array([pc.coalesce(written, values)])


# Dates as numbers


def _convert_serials(readings: Mapping[str, ColumnReading], columns: dict[str, Column], found: _Found) -> None:
    """Numbers in columns that are named as dates, counted from one day in the whole file; others that may be days."""
    of_days = {name: days for name in readings if (days := _may_be_serial(name, columns[name])) is not None}
    if not of_days:
        return
    possible = {name: serial_readings(of_days[name], readings[name].n_records) for name in of_days}
    known = [days_in(columns[name], readings[name].n_records) for name in readings if name not in of_days]
    lives = [life for one in known if one is not None and (life := life_of(*one[:2])) is not None]
    life = (min(first for first, _ in lives), max(last for _, last in lives)) if lives else None
    near = {name: within_life(of_days[name], several, life) if life else () for name, several in possible.items()}
    named = {name: several for name, several in possible.items() if several and names_a_date(name)}
    decided = {one for several in named.values() if len(several) == 1 for one in several}
    for name, several in possible.items():
        n_present = _n_present(of_days[name], readings[name].n_records)
        shared = decided & set(several)
        if name not in named:
            if may_be_dates(name, np.unique(of_days[name])):
                found.leave(_MAY_BE_TIME, name, n_present)
        elif len(near[name]) == 1 or len(shared) == 1:
            [reading] = near[name] if len(near[name]) == 1 else shared
            why = _NEAR_OTHERS if len(near[name]) == 1 else _ONE_READING if len(several) == 1 else _BY_OTHERS
            _convert_numbers(columns, name, reading, why, readings[name].n_records, found)
        else:
            found.leave(_TWO_SERIALS, name, n_present)


def _may_be_serial(name: str, column: Column) -> np.ndarray | None:
    """The numbers of a column that is named as a date, or has the size of days or seconds and is named as nothing."""
    if names_a_date(name):
        return numbers_of(column)
    first = column[:_LOOKED_AT] if isinstance(column, np.ndarray) else beginning(column)
    if isinstance(first, pa.Array):
        if not pc.all(pc.match_substring_regex(first, NUMBER_PATTERN)).as_py():
            return None
        first = first.cast(pa.float64()).to_numpy()
    if not may_count_time(first, fewest=1) or names_a_measure(name) or names_a_code(name) or is_key(name):
        return None
    return numbers_of(column)


def numbers_of(column: Column) -> np.ndarray | None:
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
    numbers = numbers_of(columns[name])
    if numbers is not None:
        columns[name] = pa.chunked_array([EPOCHS[reading].iso(numbers)])
        found.convert(reading, why, name, _n_present(numbers, n_records))


# Words


def _notes(found: _Found, path: Path) -> list[str]:
    notes = []
    for (reading, why), counts in sorted(found.converted.items()):
        meant = IN_WORDS[reading] if reading in IN_WORDS else EPOCHS[reading].words
        notes += counted_note(f"dates read as {meant} ({why}), now ISO 8601: {{}}", counts)
    for why, counts in found.left.items():
        declare = [setting_of(path, "dates", one) for one in _CHOICES.get(why, ())]
        if why == _MAY_BE_TIME:
            declare = [setting_of(path, "dates", {name: "R"}) for name in list(counts)[:1]]
        notes += counted_note(_LEFT[why], counts, *([" or ".join(declare)] if declare else []))
    return notes


_LEFT = {
    _TWO_ORDERS: "dates that may begin with the day or the month, left unchanged: {}; declare which: {}",
    _NO_ORDER: "dates left unchanged, because some begin with the day and others with the month: {}; correct them in "
    "the source",
    _SHORT: "dates with a year of two digits, left unchanged: {}; export them with four digits",
    _TWO_SERIALS: "numbers in columns named as dates, left unchanged: {}; if they count days, declare how: {}",
    _MAY_BE_TIME: "numbers that may be dates, left unchanged: {}; declare from when they count, such as {}; allowed: "
    + ", ".join(EPOCHS),
    _UNREAD: "values among dates that could not be read as dates, left unchanged: {}; a release empties them; correct "
    "them in the source",
}
_CHOICES = {_TWO_ORDERS: (DAY_FIRST, MONTH_FIRST), _TWO_SERIALS: ("SAS", "Excel", "R")}
