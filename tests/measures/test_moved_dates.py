"""Offsets that the calendar leaves: the calendar of Python as referee, every offset tried by hand."""

from __future__ import annotations

import calendar
from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disclosure_control.measures.moved_dates import Pattern, calendar_patterns, features_of, offsets_left
from tests.examples import examples

DAYS = st.dates(date(1900, 1, 1), date(2100, 12, 31))


def by_python(day: date) -> dict[str, int]:
    last = calendar.monthrange(day.year, day.month)[1]
    return {
        "day": (day - date(1970, 1, 1)).days,
        "day of the year": 100 * day.month + day.day,
        "day of the month": day.day,
        "end of a month": int(day.day == last),
        "weekday": day.isoweekday(),
        "working day": int(day.isoweekday() <= 5),
    }


@examples(100)
@given(day=DAYS)
def test_features_are_those_of_the_calendar(day):
    found = features_of(np.array([day], dtype="datetime64[D]"))
    assert {name: int(values[0]) for name, values in found.items()} == by_python(day)


@examples(60)
@given(
    people=st.lists(st.tuples(DAYS, st.none() | DAYS), min_size=1, max_size=4),
    feature=st.sampled_from(list(by_python(date(2000, 1, 1)))),
    days=st.integers(1, 40),
    data=st.data(),
)
def test_offsets_left_are_those_that_lead_back(people, feature, days, data):
    value = by_python(data.draw(st.sampled_from([one for one, _ in people])))[feature]
    moved = {
        name: np.array([person[i] for person in people], dtype="datetime64[D]") for i, name in enumerate(("a", "b"))
    }
    patterns = [Pattern(name, feature, value, 1, 1) for name in moved]
    offsets, left = offsets_left(moved, patterns, days)
    assert offsets.tolist() == [o for o in range(-days, days + 1) if o]
    for row, person in zip(left, people, strict=True):
        expected = [
            all(by_python(day - timedelta(days=o))[feature] == value for day in person if day is not None)
            for o in offsets.tolist()
        ]
        assert row.tolist() == expected


@pytest.mark.parametrize(
    ("days", "patterns"),
    [
        (["2020-03-02"] * 30, {"day", "day of the year", "day of the month", "weekday", "working day"}),
        ([f"20{i:02d}-01-01" for i in range(30)], {"day of the year", "day of the month"}),
        ([f"20{i:02d}-{1 + i % 12:02d}-15" for i in range(30)], {"day of the month"}),
        ([f"20{i:02d}-{(1, 4, 6)[i % 3]:02d}-{(31, 30, 30)[i % 3]}" for i in range(30)], {"end of a month"}),
        ([np.datetime64("2020-03-03") + 7 * i for i in range(30)], {"weekday", "working day"}),
        ([np.datetime64("2020-03-02") + i + 2 * (i // 5) for i in range(30)], {"working day"}),
        ([np.datetime64("2020-03-02") + i for i in range(30)], set()),
        (["2020-03-02"] * 10 + [f"20{i}-0{1 + i % 9}-{i}" for i in range(11, 28)], {"day"}),
        (["2020-03-02"] * 9 + [f"20{i}-0{1 + i % 9}-{i}" for i in range(11, 28)], set()),
        (["2020-03-02"] * 9, set()),  # too few to speak of
    ],
)
def test_patterns_by_hand(days, patterns):
    dates = np.array([*days, "NaT"], dtype="datetime64[D]")
    found = calendar_patterns("D", dates)
    assert {pattern.feature for pattern in found} == patterns
    assert all(pattern.n_dates == len(days) for pattern in found)
