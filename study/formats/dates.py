"""Dates as people and programs write them, to ISO 8601: 31/12/2014, 12/31/2014, 31. prosince 2014, 20141231, 08-DEC-17.

A column is converted if its values allow only one reading. If 03/04/2014 may be March or April, the other columns of
the file and a setting decide; otherwise the column is unchanged, and a note says so. Names of months are those of
European languages (``months.json``): a column is read by the languages that have all its words, where these agree.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from disclosure_control.basics.column_names import folded
from study.formats.matches import all_match, any_match, which_match

DAY_FIRST, MONTH_FIRST = "DMY", "MDY"
ORDERS = (DAY_FIRST, MONTH_FIRST)
ISO = frozenset({"ISO 8601"})  # no order is asked for
YEAR_FIRST = "YMD"  # read under any order, and written otherwise than ISO 8601: with a blank before the time
IN_WORDS = {
    YEAR_FIRST: "year, month, day",
    DAY_FIRST: "day, month, year",
    MONTH_FIRST: "month, day, year",
}
EARLIEST_YEAR, LATEST_YEAR = 1800, 2200  # some date of a column is within these, or it has no dates

_TIME = (
    r"(?:[ T:,]+(?P<hour>\d{1,2})[:.](?P<minute>\d{2})(?:[:.](?P<second>\d{2})(?:[.,]0+)?)?"
    r"(?: ?(?P<half>[AaPp])[Mm])?)?(?: ?(?:Z|UTC|GMT|[+-]00:?00))?$"
)
_YEAR, _BETWEEN = r"(?P<year>\d{4})(?: ?[гgрr]\.?)?\.?", r" ?[/.-] ?"  # 1942 г.
_LETTER = r"[A-Za-z\x{80}-\x{10FFFF}]"
_MONTH = "(?i:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
_MONTH += "|nov(?:ember)?|dec(?:ember)?)"
_OUR_YEAR = r"(?P<year>(?:19|20)\d\d)"
_NAME, _NTH = rf"(?P<name>{_LETTER}+)\.?", r"(?:\.|º|ª|st|nd|rd|th|er)?"
_WEEKDAY = rf"(?:{_LETTER}+\.?,? )?"
_SHAPES = (
    rf"^(?P<one>\d{{1,2}})(?:{_BETWEEN}| )(?P<other>\d{{1,2}})(?:{_BETWEEN}| ){_YEAR}{_TIME}",
    rf"^{_WEEKDAY}(?P<day>\d{{1,2}}){_NTH}[ /.-]*(?:(?:de|of|di) |d['’])?{_NAME}[ /.,-]*(?:(?:de|del|of) )?{_YEAR}"
    rf"{_TIME}",
    rf"^(?P<day>\d{{1,2}})[ /.-]*{_NAME}[ /.-]*['’]?(?P<short>\d\d){_TIME}",
    rf"^(?P<year>\d{{4}})(?:{_BETWEEN}| )(?P<month>\d{{1,2}})(?:{_BETWEEN}| )(?P<day>\d{{1,2}})\.?{_TIME}",
    r"^(?P<year>\d{4})(?P<month>\d{2})(?P<day>\d{2})(?:T?(?P<hour>\d{2}):?(?P<minute>\d{2}):?(?P<second>\d{2})?)?$",
    rf"^{_WEEKDAY}{_NAME}[ -]*(?P<day>\d{{1,2}})(?:st|nd|rd|th)?[, -]+{_YEAR}{_TIME}",
    rf"^(?P<year>\d{{4}})(?:\.| m\.)?[ -]?{_NAME}[ -]?(?P<day>\d{{1,2}})(?: d)?\.?{_TIME}",
    rf"^(?P<year>\d{{4}})\. gada (?P<day>\d{{1,2}})\. {_NAME}{_TIME}",
    # A month alone, or with a sign for a day that is not known: Mar-2016, UN-MAR-2016, MAR2016.
    rf"^(?:(?:UNK?|NK|XX|00|\?\?|--)[ /.-]*)?(?P<name>{_MONTH})\.?[ /.,-]*{_OUR_YEAR}$",
)
# 03/2016 and 2016/03, which elsewhere are numbers of sites, seasons and titers: under a heading of dates alone.
_MONTHS = (rf"^(?P<month>\d{{1,2}}) ?[/-] ?{_OUR_YEAR}$", rf"^{_OUR_YEAR}/(?P<month>\d{{1,2}})$")
# Read by those who look for dates of people, and by nobody who has to know the century.
_SHORT = rf"^(?P<one>\d{{1,2}}){_BETWEEN}(?P<other>\d{{1,2}}){_BETWEEN}(?P<short>\d\d)(?: ?[гgрr]\.?)?{_TIME}"
_ISO = r"^\d{4}(-\d{2}(-\d{2}(T\d{2}(:\d{2}(:\d{2}(\.\d+)?)?)?([Zz]|[+-]\d{2}:?\d{2})?)?)?)?$"
PACKED = r"^(?:1[89]|20)\d{2}[01]\d[0-3]\d$"  # 20161022, which is a number as well
SHORT_YEAR = r"^\d{1,2}([/.-])\d{1,2}[/.-]\d{2}$"
_THREE_DIGITS = r"(?s)\d.*\d.*\d"  # every shape has as many
_NUMBER = r"^[+-]?(\d{0,7}|\d*[.,]\d*)$"  # no shape is such: it has eight digits together, or two signs or letters
ROMAN = "Roman"
_TEXT = pa.large_string()
_NOTHING = pa.scalar("", _TEXT)
_LATEST_SHORT = 40  # of two digits, up to this after 2000 where all are, and before it where none is


def may_hold_dates(values: pa.Array, with_months: bool = False) -> bool:
    """Whether more than half of some text values (n_values,) are written as dates are, other than in ISO 8601 alone.

    ``with_months``, here and below: months in digits such as 03/2016 are dates.
    """
    some = values.filter(may_be_dates(values))
    if 2 * len(some) <= len(values):
        return False
    return 2 * (pc.sum(pc.match_substring_regex(some, _any_shape(with_months))).as_py() or 0) > len(values)


def may_be_dates(values: pa.Array) -> pa.Array:
    """Which text values (n_values,) may be dates at all: the shapes of dates cost ten times as much to read."""
    return pc.and_not(pc.match_substring_regex(values, _THREE_DIGITS), pc.match_substring_regex(values, _NUMBER))


@cache
def _any_shape(with_months: bool) -> str:
    return "|".join(f"(?:{re.sub(r'[?]P<[a-z]+>', '?:', shape)})" for shape in _shapes(with_months))


def _shapes(with_months: bool) -> tuple[str, ...]:
    return (*_SHAPES, *_MONTHS) if with_months else _SHAPES


def read_dates(values: pa.Array, with_months: bool = False) -> frozenset[str] | None:
    """Return the orders that read all text values (n_values,) as dates, or ``ISO``; None if some is no date in any.

    They are none where some begin with the day and some with the month. ``values`` contains no missing value.
    """
    if not len(values):
        return None
    is_iso = pc.match_substring_regex(values, _ISO)
    if pc.all(is_iso).as_py():
        return ISO
    others = values.filter(pc.invert(is_iso))
    rows = [shape for shape in _shapes(with_months) if any_match(others, shape)]
    if not rows:
        return None
    orders = ORDERS if _SHAPES[0] in rows else (DAY_FIRST,)
    read = {order: iso_dates(values, order, with_months=with_months) for order in orders}
    is_date = pc.is_valid(read[orders[0]])
    for found in read.values():
        is_date = pc.or_(is_date, pc.is_valid(found))
    if not pc.all(is_date).as_py() or not any(map(has_our_time, read.values())):
        return None
    possible = frozenset(order for order, found in read.items() if not found.null_count)
    # 31.12.2014 is a habit of those alone who put the day first.
    has_points = all_match(values, r"^\d{1,2}\. ?\d{1,2}\. ?\d{4}")
    if len(possible) > 1 and (read[DAY_FIRST].equals(read[MONTH_FIRST]) or has_points):
        possible -= {MONTH_FIRST}
    return possible


def has_our_time(dates: pa.Array) -> bool:
    """Whether any of some dates in ISO 8601 (n,) is one of a person of our time, or of their parents."""
    years = pc.cast(pc.utf8_slice_codeunits(dates.drop_null(), 0, 4), pa.int64())
    return bool(pc.any(pc.and_(pc.greater_equal(years, EARLIEST_YEAR), pc.less_equal(years, LATEST_YEAR))).as_py())


def iso_dates(values: pa.Array, order: str, any_century: bool = False, with_months: bool = False) -> pa.Array:
    """Return text values (n,) as ISO 8601 where they are dates in this order, null where they are none.

    A time of day stays, unless all of them are midnight: then they are dates that a program wrote as moments.
    ``any_century``: years of two digits are read, the late ones as of 1900: good enough to see that they are dates.
    """
    is_left = pc.fill_null(pc.invert(pc.match_substring_regex(values, _ISO)), False)
    if not pc.any(is_left).as_py():
        return values
    result = pc.if_else(is_left, pa.scalar(None, values.type), values)
    moments = []
    for shape in (*_shapes(with_months), *([_SHORT] if any_century else [])):
        rows = pc.and_(is_left, which_match(values, shape))
        if pc.any(rows).as_py():
            moments.append((rows, *_moments(values.filter(rows), shape, order, any_century)))
            is_left = pc.and_not(is_left, rows)
            if not pc.any(is_left).as_py():
                break
    has_time_of_day = any(pc.any(pc.not_equal(times, "T00:00:00")).as_py() for _, _, times in moments)
    for rows, days, times in moments:
        tail = pc.fill_null(times, _NOTHING) if has_time_of_day else _NOTHING
        written = pc.binary_join_element_wise(days, tail, _NOTHING).cast(values.type)
        result = pc.replace_with_mask(result, rows, written)
    return result


def _moments(values: pa.Array, shape: str, order: str, any_century: bool) -> tuple[pa.Array, pa.Array]:
    """The day of each value of a shape as ``2014-12-31`` and its time as ``T10:30:00``; null where there is none."""
    found = pc.extract_regex(values, shape)
    text = {found.type.field(i).name: found.field(i) for i in range(found.type.num_fields)}
    part = {name: _whole_numbers(column) for name, column in text.items() if name not in ("name", "half")}
    if "one" in part:
        part["day"], part["month"] = (part[one] for one in ("other", "one")[:: 1 if order == MONTH_FIRST else -1])
    if "name" in text:
        part["month"] = _months(text["name"])
    if "short" in part:
        short = part["short"]
        part["year"] = short + np.where(short <= 30, 2000, 1900) if any_century else _whole_years(short)
    nothing = np.zeros(len(values), dtype=np.int64)
    year, month = part["year"], part["month"]
    if "day" not in part:
        return _joined(["", "-"], [4, 2], [year, month], _is_day(year, month, nothing + 1)), pa.nulls(
            len(values), _TEXT
        )
    day = part["day"]
    hour, minute, second = (part.get(name, nothing) for name in ("hour", "minute", "second"))
    if "half" in text:
        half = pc.fill_null(pc.utf8_upper(text["half"]), "").to_numpy(zero_copy_only=False)
        hour = np.where(half == "", hour, hour % 12 + 12 * (half == "P"))
    is_date = _is_day(year, month, day) & (hour < 24) & (minute < 60) & (second < 60)
    has_time = is_date & pc.not_equal(pc.fill_null(text["hour"], ""), "").to_numpy(zero_copy_only=False)
    days = _joined(["", "-", "-"], [4, 2, 2], [year, month, day], is_date)
    return days, _joined(["T", ":", ":"], [2, 2, 2], [hour, minute, second], has_time)


def _whole_numbers(text: pa.Array) -> np.ndarray:
    filled = pc.if_else(pc.equal(pc.fill_null(text, ""), ""), "0", text)
    return np.asarray(pc.cast(filled, pa.int64()).to_numpy(zero_copy_only=False))


def _whole_years(short: np.ndarray) -> np.ndarray:
    """Years of two digits (n,) with their century, 0 of all where some may be of either."""
    is_late = short <= _LATEST_SHORT
    return np.where(is_late.all(), short + 2000, np.where(is_late.any(), 0, short + 1900))


def _is_day(year: np.ndarray, month: np.ndarray, day: np.ndarray) -> np.ndarray:
    """Which parts are a day of the calendar."""
    is_sound = (year >= 1) & (year <= 9999) & (month >= 1) & (month <= 12) & (day >= 1)
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


def time_of_seconds(seconds: np.ndarray) -> pa.Array:
    """Return seconds since midnight (n_records,) as ``10:30:00``; null where missing or no time of one day."""
    is_there = (seconds >= 0) & (seconds < 86_400)
    whole = np.where(is_there, np.floor(seconds), 0).astype("int64")
    return _joined(["", ":", ":"], [2, 2, 2], [whole // 3600, whole // 60 % 60, whole % 60], is_there)


# ---------------------------------------------------------------- names of months


@cache
def months_by_language() -> Mapping[str, Mapping[str, int]]:
    """The number of each month by its names, folded, in each language; Roman numbers are a language of their own."""
    contents = json.loads(Path(__file__).with_name("months.json").read_text(encoding="utf-8"))
    roman = ["i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii"]
    return {
        language: {name: number for number, names in enumerate(months, start=1) for name in names.split()}
        for language, months in {**contents["months"], ROMAN: roman}.items()
    }


def months_of(words: set[str]) -> dict[str, int]:
    """The month that each of the words, as one column has them, names; words that may name two are left out.

    The languages that have all the words decide; where none has, all languages do: Croatian ``lip`` is June, Polish
    ``lip`` is July.
    """
    listed = months_by_language().values()
    of_column = [names for names in listed if words <= names.keys()] or list(listed)
    found = {word: {names[word] for names in of_column if word in names} for word in words}
    return {word: numbers.pop() for word, numbers in found.items() if len(numbers) == 1}


def _months(names: pa.Array) -> np.ndarray:
    """The number of the month that each text (n,) names, 0 of others."""
    encoded = names.dictionary_encode()
    words = [folded(name.lower()).replace(" ", "") for name in encoded.dictionary.to_pylist()]
    number_of = months_of(set(words))
    return np.array([number_of.get(word, 0) for word in words] or [0], dtype=np.int64)[encoded.indices.to_numpy()]
