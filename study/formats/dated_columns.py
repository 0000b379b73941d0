"""Which columns of a file are dates, the order of their parts, and notes on them.

One program writes one file: columns with two possible readings follow those with one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from study.concepts import names_a_measure
from study.formats.column_reading import ColumnReading
from study.formats.dates import (
    DAY_FIRST,
    IN_WORDS,
    ISO,
    MONTH_FIRST,
    ORDERS,
    SHORT_YEAR,
    YEAR_FIRST,
    has_our_time,
    iso_dates,
    may_hold_dates,
)
from study.formats.days import beginning, counted, days_in, numbers_of
from study.formats.epochs import (
    EPOCHS,
    may_count_time,
    may_name_months,
    names_a_date,
    serial_readings,
    within_life,
)
from study.formats.matches import all_match
from study.formats.messages import counted_note, setting_of
from study.formats.placeholders import life_of_file
from study.formats.tables import KEEP, FileOptions
from study.formats.values import Column, n_records_of
from study.models.role_words import is_key, names_a_code

_NEARLY_ALL = 0.8  # of the records of a column have a date: the others are no dates, or written in no known way


@dataclass(frozen=True)
class _Dated:
    """A column after dates were looked for in it.

    ``n_read`` records have dates that were ``read_as`` an order or an epoch, for a reason ``why``; ``n_left`` others
    stay as they are, for the reason ``left``.
    """

    values: Column
    read_as: str = ""
    why: str = ""
    n_read: int = 0
    left: str = ""
    n_left: int = 0


_ONE_READING, _BY_OTHERS, _DECLARED = "the only possible reading", "as in other columns of the file", "declared"
_NEAR_OTHERS = "the only reading near the other dates of the file"
_TWO_ORDERS, _NO_ORDER, _SHORT, _TWO_SERIALS = "two orders", "no order", "short", "two serials"
_MAY_BE_TIME, _UNREAD = "may be time", "unread"


def with_iso_dates(
    readings: Mapping[str, ColumnReading], path: Path, options: FileOptions
) -> tuple[dict[str, Column], list[str]]:
    """Return the columns of a file with dates as ISO 8601 where one reading is left, and notes on them."""
    undeclared = {name: one for name, one in readings.items() if options.date_order_of(name) is None}
    certain = (one.dates for one in undeclared.values() if one.dates and len(one.dates) == 1)
    orders = frozenset().union(*certain) - ISO
    dated = {
        name: _undeclared(name, one, orders, name in options.keep)
        if name in undeclared
        else _declared(name, one, options)
        for name, one in readings.items()
    }
    dated |= _serials({name: one for name, one in undeclared.items() if name not in options.keep}, readings, dated)
    return {name: one.values for name, one in dated.items()}, list(_notes(dated, path))


def may_be_dates(name: str, numbers: np.ndarray) -> bool:
    """Whether numbers (n_values,) beneath a heading, NaN where missing, may count from a day that is not declared."""
    if names_a_date(name):
        return bool(serial_readings(numbers) or may_count_time(numbers))
    return not (names_a_measure(name) or names_a_code(name)) and bool(may_count_time(numbers))


# Dates as text


def _declared(name: str, reading: ColumnReading, options: FileOptions) -> _Dated:
    """A value that is not a date in the declared order is unchanged."""
    column, declared = reading.values, str(options.date_order_of(name))
    if declared in ORDERS:
        if isinstance(column, np.ndarray):
            return _Dated(column)
        values = column.combine_chunks()
        written = iso_dates(values, declared, with_months=may_name_months(name))
        changed = pc.fill_null(pc.and_(pc.is_valid(written), pc.not_equal(written, values)), False)
        n_changed = n_records_of(changed, reading.n_records)
        filled = pa.chunked_array([pc.coalesce(written, values)]) if n_changed else column
        return _Dated(filled, declared, _DECLARED, n_changed)
    if declared in EPOCHS and (isinstance(options.dates, Mapping) or names_a_date(name)):
        return _counted(reading, declared, _DECLARED)
    return _Dated(column) if declared == KEEP else _with_short_years(reading)


def _undeclared(name: str, reading: ColumnReading, orders: frozenset[str], is_kept: bool) -> _Dated:
    if reading.dates is not None and reading.dates != ISO:
        return _by_order(reading, reading.dates, orders)
    if reading.dates is not None or isinstance(reading.values, np.ndarray):
        return _Dated(reading.values)
    short = _with_short_years(reading)
    return short if short.left or is_kept else _most(reading, may_name_months(name))


def _by_order(reading: ColumnReading, possible: frozenset[str], orders: frozenset[str]) -> _Dated:
    column = reading.values
    assert not isinstance(column, np.ndarray)  # numbers have no dates as text
    n_records = n_records_of(column.is_valid(), reading.n_records)
    left_over = possible if len(possible) == 1 else possible & orders
    if len(left_over) != 1:
        return _Dated(column, left=_TWO_ORDERS if possible else _NO_ORDER, n_left=n_records)
    [order] = left_over
    begin_with_years = all_match(column, r"^\s*\d{4}(?:\D|\d{4})")
    written = pa.chunked_array([iso_dates(column.combine_chunks(), order, with_months=True)])
    why = _ONE_READING if len(possible) == 1 else _BY_OTHERS
    return _Dated(written, YEAR_FIRST if begin_with_years else order, why, n_records)


def _with_short_years(reading: ColumnReading) -> _Dated:
    column = reading.values
    if isinstance(column, np.ndarray) or reading.dates is not None or column.null_count == len(column):
        return _Dated(column)
    are_short = all(all_match(some, SHORT_YEAR) for some in (beginning(column), column))
    n_left = n_records_of(column.is_valid(), reading.n_records) if are_short else 0
    return _Dated(column, left=_SHORT if are_short else "", n_left=n_left)


def _most(reading: ColumnReading, with_months: bool) -> _Dated:
    """A column in which nearly all values are dates that allow one reading: the others stay as they are."""
    column = reading.values
    assert not isinstance(column, np.ndarray)
    if not may_hold_dates(beginning(column), with_months):
        return _Dated(column)
    values = column.combine_chunks()
    n_present = n_records_of(values.is_valid(), reading.n_records)
    read = {order: iso_dates(values, order, with_months=with_months) for order in ORDERS}
    n_read = {order: n_records_of(one.is_valid(), reading.n_records) for order, one in read.items()}
    best = max(n_read.values())
    most = [order for order in ORDERS if n_read[order] == best]
    is_one = len(most) == 1 or read[DAY_FIRST].equals(read[MONTH_FIRST])
    if not has_our_time(read[most[0]]) or (not is_one and 2 * best >= n_present):
        return _Dated(column, left=_UNREAD, n_left=n_present)
    if best < _NEARLY_ALL * n_present:
        return _Dated(column, left=_UNREAD, n_left=n_present) if 2 * best >= n_present else _Dated(column)
    written = pa.chunked_array([pc.coalesce(read[most[0]], values)])
    is_new = not read[most[0]].equals(values)
    return _Dated(written, most[0], _ONE_READING, best if is_new else 0, _UNREAD, n_present - best)


# Dates as numbers


def _serials(
    open_columns: Mapping[str, ColumnReading], readings: Mapping[str, ColumnReading], dated: Mapping[str, _Dated]
) -> dict[str, _Dated]:
    """Numbers in columns that are named as dates, counted from one day in the whole file; others that may be days."""
    of_days = {name: days for name in open_columns if (days := _may_be_serial(name, dated[name].values)) is not None}
    if not of_days:
        return {}
    possible = {name: serial_readings(counted(days, readings[name].n_records)[0]) for name, days in of_days.items()}
    known = [days_in(dated[name].values, readings[name].n_records) for name in open_columns if name not in of_days]
    life = life_of_file(one[:2] for one in known if one is not None)
    decided = {one for name, several in possible.items() if len(several) == 1 and names_a_date(name) for one in several}
    found = {}
    for name, several in possible.items():
        n_present = n_records_of(pa.array(~np.isnan(of_days[name])), readings[name].n_records)
        near = within_life(of_days[name], several, life) if life else ()
        shared = decided & set(several)
        if not several or not names_a_date(name):
            if may_be_dates(name, np.unique(of_days[name])):
                found[name] = replace(dated[name], left=_MAY_BE_TIME, n_left=n_present)
        elif len(near) == 1 or len(shared) == 1:
            [reading] = near if len(near) == 1 else shared
            why = _NEAR_OTHERS if len(near) == 1 else _ONE_READING if len(several) == 1 else _BY_OTHERS
            found[name] = _counted(readings[name], reading, why)
        else:
            found[name] = replace(dated[name], left=_TWO_SERIALS, n_left=n_present)
    return found


def _may_be_serial(name: str, column: Column) -> np.ndarray | None:
    """The numbers of a column that is named as a date, or has the size of days or seconds and is named as nothing."""
    if names_a_date(name):
        return numbers_of(column)
    first = numbers_of(beginning(column))
    if first is None or not may_count_time(first, fewest=1):
        return None
    return None if names_a_measure(name) or names_a_code(name) or is_key(name) else numbers_of(column)


def _counted(reading: ColumnReading, epoch: str, why: str) -> _Dated:
    """A column of numbers as days counted so; of other texts unchanged."""
    numbers = numbers_of(reading.values)
    if numbers is None:
        return _Dated(reading.values)
    n_present = n_records_of(pa.array(~np.isnan(numbers)), reading.n_records)
    return _Dated(pa.chunked_array([EPOCHS[epoch].iso(numbers)]), epoch, why, n_present)


# Words


def _notes(dated: Mapping[str, _Dated], path: Path) -> Iterator[str]:
    for read_as, why in sorted({(one.read_as, one.why) for one in dated.values() if one.n_read}):
        counts = {name: one.n_read for name, one in dated.items() if (one.read_as, one.why) == (read_as, why)}
        meant = IN_WORDS[read_as] if read_as in IN_WORDS else EPOCHS[read_as].words
        yield from counted_note(f"dates read as {meant} ({why}), now ISO 8601: {{}}", counts)
    for why, words in _LEFT.items():
        counts = {name: one.n_left for name, one in dated.items() if one.left == why}
        declare = [setting_of(path, "dates", one) for one in _CHOICES.get(why, ())]
        if why == _MAY_BE_TIME:
            declare = [setting_of(path, "dates", {name: "R"}) for name in list(counts)[:1]]
        yield from counted_note(words, counts, *([" or ".join(declare)] if declare else []))


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
