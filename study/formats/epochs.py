"""Dates as numbers: days, seconds or months since the day from which a program counts.

A number shows its epoch by nothing but its size: 19,724 is 2014 in SAS, 2024 in R and 1953 in Excel. So a column is
read where one epoch alone puts it among the other dates of its file, or into our time under a heading of a date.
Other numbers that may be days stay as they are, and their column is not understood until the epoch is declared.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from study.formats.placeholders import is_usual
from study.models.role_words import is_key, role_of_heading
from study.models.roles import Role

_DAY = 86_400


@dataclass(frozen=True)
class Epoch:
    """A way to count time: from a day on (years 1 to 9999), in units of ``seconds`` (0: months; -7: Stata's weeks)."""

    words: str
    origin: np.datetime64
    seconds: float = _DAY
    months: int = 1

    def iso(self, numbers: np.ndarray) -> pa.Array:
        """Numbers (n,) as ISO 8601: to the month where months are counted; null where missing or no such day."""
        if self.seconds > 0:
            return _iso_of_seconds(numbers * self.seconds, self.origin)
        if self.seconds < 0:  # a year has 52, the first from its first day on
            years, weeks = np.divmod(numbers, 52)
            first = (years + 1960 - 1970).astype("datetime64[Y]").astype("datetime64[D]")
            days = np.where(np.isnan(numbers), np.datetime64("NaT"), first + (7 * np.nan_to_num(weeks)).astype(int))
            return _written(days.astype("datetime64[s]"), "D")
        counted = np.nan_to_num(numbers) * self.months + self.origin.astype("datetime64[M]").astype(int)
        months = np.where(np.isnan(numbers), np.datetime64("NaT"), counted.astype("datetime64[M]"))
        return _written(months, "M" if self.months < 12 else "Y")

    def days(self, numbers: np.ndarray) -> np.ndarray:
        """Numbers (n,) as days since 1970, of those that count days or seconds."""
        from_1970 = (self.origin - np.datetime64("1970-01-01")).astype(int)
        return np.floor(numbers * (self.seconds / _DAY)) + from_1970


def _epoch(words: str, origin: str, seconds: float = _DAY, months: int = 1) -> Epoch:
    return Epoch(words, np.datetime64(origin), seconds, months)


# Sources: the manuals of each program on dates.
EPOCHS = {
    "SAS": _epoch("days since 1960-01-01 (SAS, Stata %td)", "1960-01-01"),
    "Excel": _epoch("days since 1899-12-30 (Excel)", "1899-12-30"),
    "R": _epoch("days since 1970-01-01 (R)", "1970-01-01"),
    "Excel-1904": _epoch("days since 1904-01-01 (Excel on old Macs)", "1904-01-01"),
    "SAS-seconds": _epoch("seconds since 1960-01-01 (SAS)", "1960-01-01", 1),
    "SPSS": _epoch("seconds since 1582-10-14 (SPSS)", "1582-10-14", 1),
    "Unix": _epoch("seconds since 1970-01-01 (Unix, R)", "1970-01-01", 1),
    "Unix-milliseconds": _epoch("milliseconds since 1970-01-01", "1970-01-01", 1 / 1000),
    "Stata-milliseconds": _epoch("milliseconds since 1960-01-01 (Stata %tc)", "1960-01-01", 0.001),
    "Stata-weeks": _epoch("weeks since 1960 (Stata %tw)", "1960-01-01", -7),
    "Stata-months": _epoch("months since 1960-01 (Stata %tm)", "1960-01-01", 0),
    "Stata-quarters": _epoch("quarters since 1960 (Stata %tq)", "1960-01-01", 0, 3),
    "Stata-halfyears": _epoch("half-years since 1960 (Stata %th)", "1960-01-01", 0, 6),
    "Stata-years": _epoch("years (Stata %ty)", "0000-01-01", 0, 12),
    "MATLAB": _epoch("days since year 0 (MATLAB)", "-001-12-31"),
    "Julian": _epoch("Julian days", "-4713-11-24"),
}
# Those that numbers under a heading of a date are tried by; and those that any whole numbers may be.
_BY_HEADING = ("SAS", "Excel", "R")
_BY_VALUES = (*_BY_HEADING, "SAS-seconds", "SPSS", "Unix", "Unix-milliseconds", "Stata-milliseconds")
# A column of serial dates is recognised by its name alone: those of CDISC, and those with a word for it.
_SERIAL_NAME = r"(?i)(dtc?|dtm|date|datum)$|^(date|datum)"
_OF_TIME = (Role.DATE, Role.BIRTH, Role.DEATH_DATE)
_FEWEST_DAYS = 1000
_YEARS = (1800, 2200)
# Under a heading of a date, a number of days is a date between the first two; any other, between the last two.
_NAMED = [np.datetime64(day).astype(int) for day in ("1900-01-01", "2050-01-01")]
_OURS = [np.datetime64(day).astype(int) for day in ("1990-01-01", "2035-01-01")]
_FEWEST_DATES, _NEARLY_ALL, _LIFE_AROUND = 5, 0.95, 3 * 365  # days before and after the other dates of a file


def names_a_date(name: str) -> bool:
    """Whether a heading names a date."""
    says = role_of_heading(name)
    return re.search(_SERIAL_NAME, name) is not None or (says is not None and says.role in _OF_TIME)


def may_name_months(name: str) -> bool:
    """Whether a heading names a date or a month, and no key."""
    return not is_key(name) and (names_a_date(name) or re.search(r"(?i)month|monat", name) is not None)


def serial_readings(numbers: np.ndarray) -> tuple[str, ...]:
    """Return which epochs a column of days (n_values,), NaN where missing, may have: all between 1900 and 2050."""
    present = numbers[~np.isnan(numbers)]
    if not len(present) or np.median(np.abs(present)) < _FEWEST_DAYS:
        return ()
    if present.min() >= _YEARS[0] and present.max() <= _YEARS[1]:  # years
        return ()
    # A fraction is a time of day, which Excel alone keeps in the number of days.
    is_whole = bool((present == np.trunc(present)).all())
    return tuple(name for name in _within(present, _BY_HEADING, _NAMED) if is_whole or name == "Excel")


def _within(numbers: np.ndarray, epochs: tuple[str, ...], between: list[int], share: float = 1.0) -> Iterator[str]:
    low, high = between
    for name in epochs:
        days = EPOCHS[name].days(numbers)
        days = days[~(is_usual(days) & ((days < low) | (days >= high)))]
        if len(days) and np.mean((days >= low) & (days < high)) >= share:
            yield name


def within_life(numbers: np.ndarray, names: tuple[str, ...], life: tuple[int, int]) -> tuple[str, ...]:
    """Those epochs under which nearly all numbers (n_values,) are days near the ``life`` of a file: its other dates."""
    present = np.unique(numbers[~np.isnan(numbers)])
    low, high = life[0] - _LIFE_AROUND, life[1] + _LIFE_AROUND
    days = {name: EPOCHS[name].days(present) for name in names}
    return tuple(
        name for name, of in days.items() if np.mean(((of >= low) & (of <= high))[~is_usual(of)]) >= _NEARLY_ALL
    )


def may_count_time(numbers: np.ndarray, fewest: int = _FEWEST_DATES) -> tuple[str, ...]:
    """The epochs under which nearly all distinct numbers (n_values,), NaN where missing, are moments of our time.

    Empty for ordinary measurements: few of these are whole, and nearly all within so narrow a range so far from 0.
    """
    present = numbers[~np.isnan(numbers)]
    if len(present) < fewest:
        return ()
    is_whole = bool((present == np.trunc(present)).all())
    return tuple(_within(present, _BY_VALUES if is_whole else ("Excel",), _OURS, _NEARLY_ALL))


def _iso_of_seconds(seconds: np.ndarray, origin: np.datetime64) -> pa.Array:
    """Return numbers of seconds since an origin (n_records,) as ISO 8601, dates alone where all are midnight.

    Null where missing, or where there is no such day in the years 1 to 9999.
    """
    whole = np.round(seconds)
    low, high = ((np.datetime64(day, "s") - origin).astype("int64") for day in ("0001-01-01", "9999-12-31"))
    is_there = (whole >= low) & (whole <= high)
    counted = origin.astype("datetime64[s]") + np.where(is_there, whole, 0).astype("int64")
    moments = np.where(is_there, counted, np.datetime64("NaT"))
    at_midnight = bool((moments[is_there] == moments[is_there].astype("datetime64[D]")).all())
    return _written(moments, "D" if at_midnight else "s")


def _written(moments: np.ndarray, unit: str) -> pa.Array:
    text = np.datetime_as_string(moments.astype(f"datetime64[{unit}]")).astype(object)
    text[np.isnat(moments)] = None
    return pa.array(text, type=pa.large_string())
