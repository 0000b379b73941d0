"""What the calendar discloses about moved dates: how many offsets remain possible for each person.

An attacker may know that a column contains one day for everyone (a cut-off), or only Tuesdays, firsts of a month or
working days. Such an attacker tries every offset: those that move a person's dates back onto the calendar remain
possible.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

NEARLY_ALL = 0.95  # of the dates of a column, from which on outsiders may count on a pattern
MOST = 0.5  # share of the dates from which on one day counts as everyone's
SHARED = 0.1  # of the dates; from this share on one day is reported
FEWEST_DATES = 10


@dataclass(frozen=True)
class Pattern:
    """``n_holding`` of ``n_dates`` dates of a ``column`` have one value of a ``feature`` of the calendar: ``value``."""

    column: str
    feature: str
    value: int
    n_dates: int
    n_holding: int

    @property
    def share(self) -> float:
        """The share of the dates with the pattern; from 0 to 1, larger is riskier."""
        return self.n_holding / self.n_dates


def features_of(days: np.ndarray) -> dict[str, np.ndarray]:
    """The calendar features that a date may share with others; ``days`` (n,) is datetime64[D] without missing
    values.
    """
    month = days.astype("datetime64[M]")
    day_of_month = (days - month.astype("datetime64[D]")).astype(np.int64) + 1
    month_of_year = month.astype(np.int64) % 12 + 1
    weekday = (days.astype(np.int64) + 3) % 7 + 1  # Monday is 1
    is_last = (days + np.timedelta64(1, "D")).astype("datetime64[M]") > month
    return {
        "day": days.astype(np.int64),
        "day of the year": 100 * month_of_year + day_of_month,
        "day of the month": day_of_month,
        "end of a month": is_last.astype(np.int64),
        "weekday": weekday,
        "working day": (weekday <= 5).astype(np.int64),
    }


# Their commonest value means nothing if it is this: most days are no end of a month.
SAYS_NOTHING = {"end of a month": 0, "working day": 0}


def calendar_patterns(column: str, dates: np.ndarray) -> list[Pattern]:
    """The patterns of a column of original dates (n_people,), datetime64[D], NaT where missing.

    One day is a pattern from a tenth of the dates on, all others from 95%. A pattern that follows from another one of
    the list is listed, too. There are none with fewer than ten dates.
    """
    known = dates[~np.isnat(dates)]
    if len(known) < FEWEST_DATES:
        return []
    found = []
    for feature, values in features_of(known).items():
        distinct, people = np.unique(values, return_counts=True)
        value, n = int(distinct[people.argmax()]), int(people.max())
        enough = max(SHARED * len(known), FEWEST_DATES) if feature == "day" else NEARLY_ALL * len(known)
        if n >= enough and SAYS_NOTHING.get(feature) != value:
            found.append(Pattern(column, feature, value, len(known), n))
    return found


def offsets_left(
    moved: Mapping[str, np.ndarray], patterns: Sequence[Pattern], days: int
) -> tuple[np.ndarray, np.ndarray]:
    """Which offsets, -``days`` to ``days`` without 0, move all dates of a person back onto the patterns.

    ``moved``: column -> released dates (n_people,), datetime64[D], NaT where there is none. Returns the offsets
    (2 ``days``,), and for each person and offset whether it is left (n_people, 2 ``days``): fewer are riskier, one left
    is the person's dates as they were.
    """
    offsets = np.concatenate((np.arange(-days, 0), np.arange(1, days + 1)))
    n_people = len(next(iter(moved.values()))) if moved else 0
    left = np.ones((n_people, len(offsets)), dtype=bool)
    for pattern in patterns:
        dates = moved[pattern.column]
        known = np.flatnonzero(~np.isnat(dates))
        if not len(known):
            continue
        numbers = dates[known].astype(np.int64)
        first = numbers.min() - days
        calendar = np.arange(first, numbers.max() + days + 1).astype("datetime64[D]")
        fits = features_of(calendar)[pattern.feature] == pattern.value
        left[known] &= fits[numbers[:, None] - offsets[None, :] - first]
    return offsets, left
