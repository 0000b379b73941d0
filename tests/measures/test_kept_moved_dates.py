"""Patterns of made dates, and how many offsets they leave for each person: as they are kept."""

from __future__ import annotations

import numpy as np

from disclosure_control.measures.moved_dates import (
    ColumnOfDates,
    Span,
    calendar_patterns,
    n_left_by_offset,
    n_offsets_left,
    offsets_left,
)
from tests.kept import changed_since_kept

FROM, N = int(np.datetime64("2012-01-02").astype(int)), 24  # a Monday


def made_days(draw: np.random.Generator) -> dict[str, np.ndarray]:
    """Three days of each person, by the pattern that they have."""
    any_day, place = FROM + draw.integers(0, 900, 3 * N), np.arange(3 * N)
    month = any_day.astype("datetime64[D]").astype("datetime64[M]")
    tuesdays = any_day - (any_day - FROM) % 7 + 1
    return {
        "any": any_day,
        "tuesdays": tuesdays,
        "nearly tuesdays": tuesdays + (place % 24 == 5),
        "working days": any_day - np.where((any_day - FROM) % 7 > 4, 2, 0),
        "firsts of a month": month.astype("datetime64[D]").astype(int),
        "ends of a month": (month + 1).astype("datetime64[D]").astype(int) - 1,
        "one day": np.where(place % 6 < 3, FROM + 40, any_day),
        "one day of a few": np.where(place % 18 < 2, FROM + 40, any_day),
        "one year": FROM + (any_day - FROM) % 360,
        "new year": np.full(3 * N, FROM - 1),
    }


def test_patterns_and_the_offsets_they_leave():
    draw, found = np.random.default_rng(8), {}
    people, offsets = np.repeat(np.arange(N), 3), draw.integers(1, 20, N) * draw.choice([-1, 1], N)
    for name, days in made_days(draw).items():
        since = days.astype("datetime64[D]").astype("datetime64[M]").astype(int)
        groups = {
            "month": since - since.min(),
            "year": since // 12 - since.min() // 12,
            "visit": np.tile(np.arange(3), N) - 1,
            "site": people % 4,
            "nearly the month": np.where(np.arange(3 * N) % 30 == 0, 0, since - since.min()),
        }
        released = days + offsets[people]
        some = np.arange(3 * N) % 3 == 0 if name == "ends of a month" else None
        patterns = calendar_patterns(ColumnOfDates("X", people, released, groups, some), offsets)
        firsts, lasts = released.reshape(N, 3).min(axis=1), released.reshape(N, 3).max(axis=1)
        span, asked = Span(int(days.min()), int(days.max()), firsts, lasts, np.arange(N) % 5 > 0), np.arange(0, N, 2)
        tried, left = offsets_left(patterns, asked, N, 20, span)
        moved, by_offset = n_left_by_offset(patterns, asked, offsets, 20)
        found[name] = {
            f"{one.group} {one.feature}": [one.n_dates, one.n_holding, one.is_of_all_dates, len(one.people)]
            + [int(np.sum(of)) for of in (one.value, one.people, one.days)]
            for one in patterns
        }
        found[name] |= {"tried": [tried.sum(), moved.sum()], "left": left.sum(axis=1)}
        found[name]["n"] = [n_offsets_left(patterns, asked, offsets, 20, one) for one in (None, span)]
        found[name]["by offset"] = [by_offset.sum(axis=0), by_offset.min(axis=1)]
    assert changed_since_kept("moved_dates", found) == {}


def test_fewer_than_ten_dates_have_no_pattern():
    one_day = np.full(10, FROM)
    found = [calendar_patterns(ColumnOfDates("X", np.arange(n), one_day[:n]), np.zeros(n, dtype=int)) for n in (9, 10)]
    assert [bool(one) for one in found] == [False, True]
