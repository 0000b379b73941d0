"""Dates as hospitals write them, to ISO 8601: 31/12/2014, 12/31/2014, 31.12.2014, 31DEC2014, and numbers of days.

A column is converted if its values allow only one reading. If 03/04/2014 may be March or April, the other columns of
the file and a setting decide; otherwise the column is unchanged, and a note says so.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

DAY_FIRST, MONTH_FIRST = "DMY", "MDY"
ORDERS = (DAY_FIRST, MONTH_FIRST)
SERIALS = ("SAS", "Excel")
KEEP = "keep"
READINGS = (*ORDERS, *SERIALS, KEEP)
YEAR_FIRST = "YMD"  # read under any order, and written otherwise than ISO 8601: with a blank before the time
IN_WORDS = {
    YEAR_FIRST: "year, month, day",
    DAY_FIRST: "day, month, year",
    MONTH_FIRST: "month, day, year",
    "SAS": "days since 1960-01-01 (SAS)",
    "Excel": "days since 1899-12-30 (Excel)",
}

_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_TIME = r"(?:[ T:]+(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:\.0+)?)?(?: ?(?P<half>[AaPp])[Mm])?)?$"
_PARTS = (
    r"^(?P<first>\d{1,2})[/.-](?P<middle>\d{1,2})[/.-](?P<last>\d{4})" + _TIME,
    r"^(?P<first>\d{1,2})[ /.-]?(?P<middle>[A-Za-z]{3})[ /.-]?(?P<last>\d{4})" + _TIME,
    r"^(?P<first>\d{4})[/.-](?P<middle>\d{1,2})[/.-](?P<last>\d{1,2})" + _TIME,
)
_ISO = r"^\d{4}(-\d{2}(-\d{2}(T\d{2}(:\d{2}(:\d{2}(\.\d+)?)?)?([Zz]|[+-]\d{2}:?\d{2})?)?)?)?$"
SHORT_YEAR = r"^\d{1,2}([/.-])\d{1,2}[/.-]\d{2}$"
_NOTHING = pa.scalar("", pa.large_string())
EARLIEST_YEAR, LATEST_YEAR = 1800, 2200

SERIAL_ORIGINS = {"SAS": np.datetime64("1960-01-01"), "Excel": np.datetime64("1899-12-30")}
# A number of days is taken for a date between these years; within them 19,724 may be 2014 in SAS and 1953 in Excel.
_EARLIEST, _LATEST = np.datetime64("1900-01-01"), np.datetime64("2050-01-01")
# A column of serial dates is recognised by its name alone: those of CDISC, and those with a word for it.
SERIAL_NAME = r"(?i)(dtc?|dtm|date|datum)$|^(date|datum)"
_FEWEST_DAYS = 1000


@dataclass(frozen=True)
class DateReading:
    """A column of dates: its distinct values, and what they are under each order that reads all of them.

    ``is_iso``: they are ISO 8601 already. ``by_order`` is empty where no one order reads every value.
    """

    by_order: dict[str, pa.Array] = field(repr=False)
    is_iso: bool


def read_dates(values: pa.Array) -> DateReading | None:
    """Return how distinct text values (n_values,) read as dates; None if some value is no date in any order.

    ``values`` contains no missing value.
    """
    if not len(values):
        return None
    is_iso = pc.match_substring_regex(values, _ISO)
    if pc.all(is_iso).as_py():
        return DateReading({}, is_iso=True)
    others = values.filter(pc.invert(is_iso))
    shaped = [pc.match_substring_regex(others, pattern) for pattern in _PARTS]
    if not pc.all(pc.or_(pc.or_(shaped[0], shaped[1]), shaped[2])).as_py():
        return None
    read = {order: iso_dates(values, order) for order in ORDERS}
    either = pc.or_(*(pc.is_valid(found) for found in read.values()))
    if not pc.all(either).as_py():
        return None
    by_order = {order: found for order, found in read.items() if not found.null_count}
    if len(by_order) > 1 and (read[DAY_FIRST].equals(read[MONTH_FIRST]) or _has_points_alone(values)):
        del by_order[MONTH_FIRST]
    return DateReading(by_order, is_iso=False)


def _has_points_alone(values: pa.Array) -> bool:
    """Whether dates are written 31.12.2014, which is a habit of those alone who put the day first."""
    return bool(pc.all(pc.match_substring_regex(values, r"^\d{1,2}\.\d{1,2}\.\d{4}")).as_py())


def iso_dates(values: pa.Array, order: str) -> pa.Array:
    """Return text values (n,) as ISO 8601 where they are dates in this order, null where they are none.

    A time of day stays, unless all of them are midnight: then they are dates that a program wrote as moments.
    """
    result = pc.if_else(pc.match_substring_regex(values, _ISO), values, pa.scalar(None, values.type))
    moments = [_moments(values, pattern, order) for pattern in _PARTS]
    times = pa.chunked_array([time for _, time in moments])
    has_time_of_day = pc.any(pc.not_equal(times, "T00:00:00")).as_py()
    for days, time in moments:
        tail = pc.fill_null(time, _NOTHING) if has_time_of_day else _NOTHING
        written = pc.binary_join_element_wise(days, tail, _NOTHING).cast(values.type)
        result = pc.coalesce(result, written)
    return result


def _moments(values: pa.Array, pattern: str, order: str) -> tuple[pa.Array, pa.Array]:
    """The day of each value as ``2014-12-31`` and its time as ``T10:30:00``; null where there is none."""
    found = pc.extract_regex(values, pattern)
    text = {name: pc.struct_field(found, name) for name in ("first", "middle", "last", "hour", "minute", "second")}
    if pattern is _PARTS[1]:
        places = pc.index_in(pc.utf8_upper(text["middle"]), value_set=pa.array(_MONTHS, type=values.type))
        text["middle"] = pc.cast(pc.fill_null(pc.add(places, 1), 0), values.type)
    part = {name: _whole_numbers(column) for name, column in text.items()}
    if pattern is _PARTS[2]:
        year, month, day = part["first"], part["middle"], part["last"]
    elif pattern is _PARTS[0] and order == MONTH_FIRST:
        year, month, day = part["last"], part["first"], part["middle"]
    else:
        year, month, day = part["last"], part["middle"], part["first"]
    half = pc.fill_null(pc.utf8_upper(pc.struct_field(found, "half")), "").to_numpy(zero_copy_only=False)
    hour = np.where(half == "", part["hour"], part["hour"] % 12 + 12 * (half == "P"))
    is_date = pc.is_valid(found).to_numpy(zero_copy_only=False) & _is_day(year, month, day)
    is_date &= (hour < 24) & (part["minute"] < 60) & (part["second"] < 60)
    has_time = is_date & pc.not_equal(pc.fill_null(text["hour"], ""), "").to_numpy(zero_copy_only=False)
    days = _joined(["", "-", "-"], [4, 2, 2], [year, month, day], is_date)
    return days, _joined(["T", ":", ":"], [2, 2, 2], [hour, part["minute"], part["second"]], has_time)


def _whole_numbers(text: pa.Array) -> np.ndarray:
    filled = pc.if_else(pc.equal(pc.fill_null(text, ""), ""), "0", text)
    return np.asarray(pc.cast(filled, pa.int64()).to_numpy(zero_copy_only=False))


def _is_day(year: np.ndarray, month: np.ndarray, day: np.ndarray) -> np.ndarray:
    """Which parts are a day of the calendar within the years that are dates of people."""
    is_sound = (year >= EARLIEST_YEAR) & (year <= LATEST_YEAR) & (month >= 1) & (month <= 12) & (day >= 1)
    months = (np.where(is_sound, year, 1970) - 1970) * 12 + np.where(is_sound, month, 1) - 1
    first = months.astype("datetime64[M]")
    n_days = ((first + 1).astype("datetime64[D]") - first.astype("datetime64[D]")).astype(int)
    return np.asarray(is_sound & (day <= n_days))


def _joined(before: list[str], widths: list[int], parts: list[np.ndarray], is_there: np.ndarray) -> pa.Array:
    """Numbers side by side as text with leading zeros, null where ``is_there`` is not."""
    pieces = []
    for mark, width, part in zip(before, widths, parts, strict=True):
        text = pc.utf8_lpad(pc.cast(pa.array(np.where(is_there, part, 0)), pa.large_string()), width, "0")
        pieces += [pa.scalar(mark, pa.large_string()), text]
    written = pc.binary_join_element_wise(*pieces, _NOTHING)
    return pc.if_else(pa.array(is_there), written, pa.scalar(None, written.type))


# Dates as numbers


def serial_readings(numbers: np.ndarray, n_records: np.ndarray | None = None) -> tuple[str, ...]:
    """Return which of ``SERIALS`` a column (n_values,), NaN where missing, may be: all between 1900 and 2050.

    ``n_records`` (n_values,) have each value; None: one each.
    """
    is_there = ~np.isnan(numbers) if n_records is None else ~np.isnan(numbers) & (n_records > 0)
    present = numbers[is_there]
    if not len(present) or _median(np.abs(present), None if n_records is None else n_records[is_there]) < _FEWEST_DAYS:
        return ()
    low, high = present.min(), present.max()
    if low >= EARLIEST_YEAR and high <= LATEST_YEAR:  # years
        return ()
    bounds = {
        name: ((_EARLIEST - origin).astype(int), (_LATEST - origin).astype(int))
        for name, origin in SERIAL_ORIGINS.items()
    }
    # A fraction is a time of day, which Excel alone keeps in the number of days.
    is_whole = bool((present == np.trunc(present)).all())
    return tuple(
        name for name, (first, last) in bounds.items() if first <= low and high < last and (is_whole or name == "Excel")
    )


def _median(numbers: np.ndarray, n_records: np.ndarray | None) -> float:
    if n_records is None:
        return float(np.median(numbers))
    order = np.argsort(numbers, kind="stable")
    ends = np.cumsum(n_records[order])
    middle = numbers[order][np.searchsorted(ends, [(ends[-1] - 1) // 2, ends[-1] // 2], side="right")]
    return float(middle.mean())


def iso_of_days(days: np.ndarray, origin: np.datetime64) -> pa.Array:
    """Return numbers of days since an origin (n_records,) as ISO 8601 dates, with the time where there is a fraction.

    Null where missing, or where there is no such day in the years 1 to 9999.
    """
    return iso_of_seconds(days * 86_400.0, origin)


def iso_of_seconds(seconds: np.ndarray, origin: np.datetime64) -> pa.Array:
    """Return numbers of seconds since an origin (n_records,) as ISO 8601, dates alone where all are midnight."""
    whole = np.round(seconds)
    low, high = ((np.datetime64(day, "s") - origin).astype("int64") for day in ("0001-01-01", "9999-12-31"))
    is_there = (whole >= low) & (whole <= high)
    moments = origin.astype("datetime64[s]") + np.where(is_there, whole, 0).astype("int64")
    at_midnight = bool((moments[is_there] == moments[is_there].astype("datetime64[D]")).all())
    text = np.datetime_as_string(moments, unit="D" if at_midnight else "s")
    return pa.array(np.where(is_there, text, None), type=pa.large_string())


def time_of_seconds(seconds: np.ndarray) -> pa.Array:
    """Return seconds since midnight (n_records,) as ``10:30:00``; null where missing or no time of one day."""
    is_there = (seconds >= 0) & (seconds < 86_400)
    whole = np.where(is_there, np.floor(seconds), 0).astype("int64")
    return _joined(["", ":", ":"], [2, 2, 2], [whole // 3600, whole // 60 % 60, whole % 60], is_there)
