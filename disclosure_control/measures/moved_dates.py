"""What the calendar discloses about moved dates: how many offsets remain possible for each person.

An attacker may know that some dates contain one day for everyone (a cut-off, the day on which the sponsor ended the
study), or only Tuesdays, firsts of a month or working days. Such an attacker tries every offset: those that move a
person's dates back onto the calendar remain possible. Dates are days since 1970-01-01, people are numbers from 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.keys import count_keys, count_pairs, number_groups

NEARLY_ALL = 0.95  # of the dates of a column, from which on outsiders may count on a pattern
MOST = 0.5  # share of the people from which on one day counts as everyone's
SHARED = 0.1  # of the people; from this share on one day is reported
FEWEST_DATES = 10
FEW = 10  # offsets left, from which on a person's dates are nearly known
FEWEST_TOLD = 3  # people who share a value, from which on chance does not explain that they share a part of a date
NO_DAY = np.iinfo(np.int64).min
MOST_GROUPS = 500  # a column with more values says what is measured, not when


@dataclass(frozen=True)
class ColumnOfDates:
    """Released dates of a column: whose each is (n,), and its day (n,).

    ``groups``: other columns -> the code of the value beside each date (n,), below 0 of none. ``is_released`` (n,), of
    one date of each person: not of those that make a pattern, and were removed since; None: all are.
    """

    name: str
    people: np.ndarray = field(repr=False)
    days: np.ndarray = field(repr=False)
    groups: Mapping[str, np.ndarray] = field(default_factory=dict, repr=False)
    is_released: np.ndarray | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Pattern:
    """``n_holding`` of ``n_dates`` dates of a ``column`` have one value of a ``feature`` of the calendar: ``value``.

    Each date of a person counts once; of one day, each person once. ``group``: the column whose value the rows of these
    dates share, "" for all rows. ``people`` and ``days`` (n,) are those dates as released. ``is_of_all_dates``: it is
    said of each date of a person, and not of one among several. ``value`` is one per date where the group's column says
    a part of it.
    """

    column: str
    group: str
    feature: str
    value: int | np.ndarray
    n_dates: int
    n_holding: int
    people: np.ndarray = field(repr=False)
    days: np.ndarray = field(repr=False)
    is_of_all_dates: bool = True

    @property
    def share(self) -> float:
        """The share of the dates with the pattern; from 0 to 1, larger is riskier."""
        return self.n_holding / self.n_dates


def days_known(texts: pd.Series) -> np.ndarray:
    """The days (n,) since 1970 of dates that are known to the day; ``NO_DAY`` of all others, intervals too."""
    texts = texts.astype("str").str.strip()
    is_day = texts.str.fullmatch(r"\d{4}-\d{2}-\d{2}(T[^/]*)?").fillna(False).astype(bool)
    days = pd.to_datetime(texts.where(is_day).str.slice(0, 10), format="%Y-%m-%d", errors="coerce")
    return days.to_numpy("datetime64[D]").astype(np.int64)  # no date is the least number: NO_DAY


# ---------------------------------------------------------------- features of a day


def _month(days: np.ndarray) -> np.ndarray:
    return days.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)


def _day_of_month(days: np.ndarray) -> np.ndarray:
    return days - _month(days).astype("datetime64[M]").astype("datetime64[D]").astype(np.int64) + 1


def _day_of_year(days: np.ndarray) -> np.ndarray:
    return 100 * (_month(days) % 12 + 1) + _day_of_month(days)


def _weekday(days: np.ndarray) -> np.ndarray:
    return (days + 3) % 7 + 1  # Monday is 1


# The calendar features that a day may share with others. The two holidays are kept almost everywhere.
FEATURES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "day": lambda days: days,
    "day of the year": _day_of_year,
    "day of the month": _day_of_month,
    "end of a month": lambda days: (_month(days + 1) > _month(days)).astype(np.int64),
    "month": _month,
    "month of the year": lambda days: _month(days) % 12 + 1,
    "year": lambda days: _month(days) // 12,
    "weekday": _weekday,
    "working day": lambda days: (_weekday(days) <= 5).astype(np.int64),
    "holiday": lambda days: np.isin(_day_of_year(days), (101, 1225)).astype(np.int64),
}
# Their commonest value means nothing if it is this: most days are no end of a month.
SAYS_NOTHING = {"end of a month": 0, "working day": 0, "holiday": 1}
# With fewer dates, chance explains the pattern: of 900, five would fall on one of two holidays.
FEWEST_OF = {"working day": 30, "holiday": 900}
LEAST_OF = {"holiday": 0.999}
# In groups of rows, a pattern that one of the other features implies; of a part of a date, that groups differ in it.
IN_GROUPS = ("day", "day of the month", "end of a month", "weekday")
PARTS_OF_DATES = ("month", "month of the year", "year")


# ---------------------------------------------------------------- patterns of a column


def calendar_patterns(column: ColumnOfDates, offsets: np.ndarray) -> list[Pattern]:
    """The patterns of the original dates of a column, and of groups of its rows; ``offsets`` (n_people,) moved them.

    One day is a pattern from a tenth of the people on, all others from 95% of the dates. A pattern that follows from
    another one of the list is listed, too, except one of a group that all rows have. There are none with fewer than
    ten dates.
    """
    if len(column.days) < FEWEST_DATES:
        return []
    days, day = _numbered(column.days - offsets[column.people])
    found = list(_patterns(_Dates.of(column, "", np.zeros(len(day), dtype=np.int64), days, day), FEATURES, offsets))
    known = {one.feature for one in found if one.share >= NEARLY_ALL}
    in_groups = [feature for feature in (*IN_GROUPS, *PARTS_OF_DATES) if feature not in known]
    for name, codes in column.groups.items():
        if 0 < codes.max(initial=-1) < MOST_GROUPS:
            dates = _Dates.of(column, name, codes, days, day)
            found += _patterns(dates, [one for one in in_groups if one in IN_GROUPS], offsets)
            found += _parts_said(dates, [one for one in in_groups if one in PARTS_OF_DATES], offsets)
    if column.is_released is None:
        return found
    people = column.people[column.is_released]
    still_there = [np.isin(one.people, people) for one in found]
    return [
        replace(one, people=one.people[there], days=one.days[there])
        for one, there in zip(found, still_there, strict=True)
    ]


def _distinct(people: np.ndarray, days: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each date of each person once."""
    if not len(days):
        return people, days
    first, width = days.min(), days.max() - days.min() + 1
    dates, _ = count_keys(people * width + (days - first), (int(people.max()) + 1) * int(width))
    person, day = np.divmod(dates, width)
    return person, day + first


def _numbered(days: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The days that there are, rising, and the number of each one's (n,): as there are few, they are not sorted."""
    first = int(days.min())
    day, n_rows = number_groups(days - first, int(days.max()) - first + 1)
    found = np.empty(len(n_rows), dtype=days.dtype)
    found[day] = days
    return found, day


@dataclass(frozen=True)
class _Dates:
    """Each date of each person once in each group of rows (n,): the ``group``, the person, and the place of the day.

    ``days`` (n_days,) are the days that there are; ``people_of_group`` (n_groups,) counts people.
    """

    column: str
    name: str
    group: np.ndarray
    people: np.ndarray
    day: np.ndarray
    days: np.ndarray
    people_of_group: np.ndarray

    @classmethod
    def of(cls, column: ColumnOfDates, name: str, codes: np.ndarray, days: np.ndarray, day: np.ndarray) -> _Dates:
        """Of the dates beside a code of 0 or more; ``day`` (n_dates,) is the place of each among the ``days``."""
        n_people, kept = int(column.people.max()) + 1, codes >= 0
        of_group, day = _distinct(codes[kept] * n_people + column.people[kept], day[kept])
        group, people = np.divmod(of_group, n_people)
        whose = np.flatnonzero(np.diff(of_group, prepend=-1))
        return cls(column.name, name, group, people, day, days, np.bincount(group[whose]))

    def counted(self, feature: str) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """The values of a feature, and the place of each date's (n,); of each group (n_groups,) the commonest, and how
        many dates have it.
        """
        values, code = np.unique(FEATURES[feature](self.days), return_inverse=True)
        n_groups = len(self.people_of_group)
        group, value, n = count_pairs(self.group, code[self.day], n_groups, len(values))
        order = np.lexsort((-value, n, group))
        commonest, n_holding = np.zeros((2, n_groups), dtype=np.int64)
        commonest[group[order]], n_holding[group[order]] = value[order], n[order]
        return values, code[self.day], commonest, n_holding


def _patterns(dates: _Dates, features: Iterable[str], offsets: np.ndarray) -> Iterator[Pattern]:
    """The patterns of all rows, or of each group of rows, in some features."""
    n_dates = np.bincount(dates.group, minlength=len(dates.people_of_group))
    for feature in features:
        values, _, commonest, n_holding = dates.counted(feature)
        n = dates.people_of_group if feature == "day" else n_dates
        of_day = MOST if dates.name else SHARED
        least = of_day if feature == "day" else LEAST_OF.get(feature, NEARLY_ALL)
        enough = (n >= FEWEST_OF.get(feature, FEWEST_DATES)) & (n_holding >= np.maximum(least * n, FEWEST_DATES))
        for group in np.flatnonzero(enough).tolist():
            value, rows = int(values[commonest[group]]), dates.group == group
            if SAYS_NOTHING.get(feature) != value:
                people, is_each = dates.people[rows], bool(n[group] == n_dates[group])
                released = dates.days[dates.day[rows]] + offsets[people]
                counts = int(n[group]), int(n_holding[group])
                yield Pattern(dates.column, dates.name, feature, value, *counts, people, released, is_each)


def _parts_said(dates: _Dates, features: Iterable[str], offsets: np.ndarray) -> Iterator[Pattern]:
    """A column that says a part of the dates beside it, such as the year: nearly all that share a value share the part.

    Values that fewer than three people have are left aside, for chance explains these.
    """
    shared = (dates.people_of_group >= FEWEST_TOLD)[dates.group]
    n_shared = int(shared.sum())
    for feature in features:
        values, code, commonest, _ = dates.counted(feature)
        said = commonest[dates.group[shared]]
        n_holding = int((code[shared] == said).sum())
        several = len(np.unique(said)) > 1
        if several and n_shared >= MOST * len(shared) and n_holding >= NEARLY_ALL * n_shared >= FEWEST_DATES:
            people = dates.people[shared]
            released = dates.days[dates.day[shared]] + offsets[people]
            yield Pattern(dates.column, dates.name, feature, values[said], n_shared, n_holding, people, released)


# ---------------------------------------------------------------- offsets that remain


@dataclass(frozen=True)
class Span:
    """The ``first`` and the ``last`` day of a study, which registers publish; those of each person as released.

    ``known`` (n_people,): who has any.
    """

    first: int
    last: int
    firsts: np.ndarray = field(repr=False)
    lasts: np.ndarray = field(repr=False)
    known: np.ndarray = field(repr=False)


def offsets_left(
    patterns: Sequence[Pattern], people: np.ndarray, n_people: int, days: int, span: Span | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Which offsets, -``days`` to ``days`` without 0, move all dates of a person back onto the patterns.

    Returns the offsets (2 ``days``,), and for each of the ``people`` (n,) and offset whether it is left
    (n, 2 ``days``): fewer are riskier, one left is the person's dates as they were. ``span``: no person began before
    the study or stayed on after it.
    """
    tried, left = _left(patterns, people, n_people, days, span)
    return np.delete(tried, days), np.delete(left, days, axis=1)


def _left(
    patterns: Sequence[Pattern], people: np.ndarray, n_people: int, days: int, span: Span | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """The same with the offset 0, which moves nothing."""
    tried = np.arange(-days, days + 1)
    left = np.ones((len(people), len(tried)), dtype=bool)
    place = np.full(n_people, -1)
    place[people] = np.arange(len(people))
    for feature in dict.fromkeys(pattern.feature for pattern in patterns):
        _restrict(left, feature, [one for one in patterns if one.feature == feature], place, days)
    if span is not None:
        known = span.known[people]
        low, high = span.lasts[people] - span.last, span.firsts[people] - span.first
        left[known] &= (tried >= low[known, None]) & (tried <= high[known, None])
    return tried, left


_WEEKLY = ("weekday", "working day")
_ROWS_AT_ONCE = 8192


def _restrict(left: np.ndarray, feature: str, alike: Sequence[Pattern], place: np.ndarray, days: int) -> None:
    """Take away the offsets that do not move the dates of patterns of one feature onto them."""
    dates = np.concatenate([pattern.days for pattern in alike])
    wanted = np.concatenate([np.broadcast_to(pattern.value, len(pattern.days)) for pattern in alike])
    rows = place[np.concatenate([pattern.people for pattern in alike])], dates % 7 if feature in _WEEKLY else dates
    places, dates, wanted = _each_once(*rows, wanted)
    if not len(places):
        return
    last = dates.max() + days
    backwards = np.arange(last, dates.min() - days - 1, -1)
    values = FEATURES[feature](backwards).astype(np.int32)
    of_day = np.lib.stride_tricks.sliding_window_view(values, 2 * days + 1)
    begins = np.flatnonzero(np.diff(places, prepend=-1))
    for of_chunk in np.split(begins, np.flatnonzero(np.diff(begins // _ROWS_AT_ONCE)) + 1):
        following = np.searchsorted(begins, of_chunk[-1], "right")
        part = slice(of_chunk[0], begins[following] if following < len(begins) else len(places))
        fits = of_day[last - days - dates[part]] == wanted[part, None]
        left[places[of_chunk]] &= np.logical_and.reduceat(fits, of_chunk - of_chunk[0], axis=0)


def _each_once(places: np.ndarray, dates: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Different dates and wanted values of those with a place, in the order of the places."""
    there = places >= 0
    places, dates, (known, value) = places[there], dates[there], np.unique(values[there], return_inverse=True)
    place, rest = _distinct(places, dates * max(len(known), 1) + value)
    day, value = np.divmod(rest, max(len(known), 1))
    return place, day, known[value]


def n_offsets_left(
    patterns: Sequence[Pattern], people: np.ndarray, offsets: np.ndarray, days: int, span: Span | None = None
) -> np.ndarray:
    """How many offsets remain possible for each of the ``people`` (n,), the true one of ``offsets`` (n_people,) among
    them; all 2 ``days`` if the calendar misleads.

    Patterns without an exception are combined, and those that hold for nearly everyone with them. A day that most
    people share is tried separately, because it misleads for all others. A day that fewer share is not tried:
    outsiders would have to know who has it.
    """
    true, fewest = offsets[people], np.full(len(people), 2 * days)
    exact, nearly = _exact_and_nearly(patterns)
    for tried in (exact, nearly):
        if tried or (span is not None and tried is exact):
            possible, left = offsets_left(tried, people, len(offsets), days, span)
            is_left = (left & (possible[None, :] == true[:, None])).any(axis=1)
            fewest = np.where(is_left, np.minimum(fewest, left.sum(axis=1)), fewest)
    return np.minimum(fewest, _n_left_by_days(patterns, offsets, days)[people])


def n_left_by_offset(
    patterns: Sequence[Pattern], people: np.ndarray, offsets: np.ndarray, days: int
) -> tuple[np.ndarray, np.ndarray]:
    """How many offsets would remain possible for each of the ``people`` (n,) if another one had moved their dates.

    Returns the offsets (2 ``days``,), and the numbers (n, 2 ``days``): at the true offset those of ``n_offsets_left``.
    A window of offsets around another one contains other days of the calendar; a day that most people share stays.
    """
    original = [replace(one, days=one.days - offsets[one.people]) for one in patterns]
    fewest = np.full((len(people), 2 * days + 1), 2 * days)
    for tried in _exact_and_nearly(original):
        if tried:
            moves = _left(tried, people, len(offsets), 2 * days)[1][:, ::-1]  # by how many days, -2 days to 2 days
            until = np.pad(moves.cumsum(axis=1), ((0, 0), (1, 0)))
            around = until[:, 2 * days + 1 :] - until[:, : 2 * days + 1] - moves[:, days : 3 * days + 1]
            fewest = np.where(moves[:, 2 * days, None], np.minimum(fewest, around), fewest)
    fewest = np.minimum(fewest, _n_left_by_days(patterns, offsets, days)[people, None])
    return np.delete(np.arange(-days, days + 1), days), np.delete(fewest, days, axis=1)


def _exact_and_nearly(patterns: Sequence[Pattern]) -> tuple[list[Pattern], list[Pattern]]:
    """The patterns without an exception; and all that hold for nearly everyone, if these are more."""
    nearly = [pattern for pattern in patterns if pattern.share >= NEARLY_ALL and pattern.is_of_all_dates]
    exact = [pattern for pattern in nearly if pattern.n_holding == pattern.n_dates]
    return exact, nearly if len(nearly) > len(exact) else []


def _n_left_by_days(patterns: Sequence[Pattern], offsets: np.ndarray, days: int) -> np.ndarray:
    """How many offsets (n_people,) remain where an attacker knows the day that most people share."""
    of_days = np.full(len(offsets), 2 * days)
    for pattern in patterns:
        if pattern.feature == "day" and pattern.share >= MOST:
            n_dates = np.bincount(pattern.people, minlength=len(offsets))
            holds = pattern.people[pattern.days - offsets[pattern.people] == pattern.value]
            of_days[holds] = np.minimum(of_days[holds], n_dates[holds])
    return of_days
