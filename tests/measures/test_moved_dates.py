"""Offsets that the calendar leaves: the calendar of Python as referee, every offset tried by hand."""

from __future__ import annotations

import calendar
from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disclosure_control.measures.moved_dates import (
    FEATURES,
    ColumnOfDates,
    Pattern,
    Span,
    calendar_patterns,
    n_left_by_offset,
    n_offsets_left,
    offsets_left,
)
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
        "month": (day.year - 1970) * 12 + day.month - 1,
        "month of the year": day.month,
        "year": day.year - 1970,
        "holiday": int((day.month, day.day) in ((1, 1), (12, 25))),
    }


def number(day: date) -> int:
    return (day - date(1970, 1, 1)).days


@examples(75)
@given(day=DAYS)
def test_features_are_those_of_the_calendar(day):
    assert {name: int(of(np.array([number(day)]))[0]) for name, of in FEATURES.items()} == by_python(day)


@examples(60)
@given(
    people=st.lists(st.tuples(DAYS, st.none() | DAYS), min_size=1, max_size=4),
    feature=st.sampled_from(list(by_python(date(2000, 1, 1)))),
    days=st.integers(1, 40),
    data=st.data(),
)
def test_offsets_left_are_those_that_lead_back(people, feature, days, data):
    value = by_python(data.draw(st.sampled_from([one for one, _ in people])))[feature]
    pairs = [[(row, number(person[i])) for row, person in enumerate(people) if person[i] is not None] for i in (0, 1)]
    patterns = [
        Pattern(name, "", feature, value, 1, 1, *np.array(of_column, dtype=np.int64).reshape(-1, 2).T)
        for name, of_column in zip("ab", pairs, strict=True)
    ]
    offsets, left = offsets_left(patterns, np.arange(len(people)), len(people), days)
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
    dates = np.array(days, dtype="datetime64[D]").astype(np.int64)
    found = calendar_patterns(ColumnOfDates("D", np.arange(len(days)), dates), np.zeros(len(days), dtype=np.int64))
    parts = {"month", "month of the year", "year"}
    assert {pattern.feature for pattern in found} - parts == patterns
    assert all(pattern.n_dates == len(days) for pattern in found)


@examples(60)
@given(
    starts=st.lists(st.integers(0, 60), min_size=1, max_size=6),
    lengths=st.lists(st.integers(0, 30), min_size=6, max_size=6),
    days=st.integers(1, 40),
    data=st.data(),
)
def test_the_first_and_the_last_day_of_the_study_leave_what_lies_between(starts, lengths, days, data):
    n = len(starts)
    offsets = np.array(data.draw(st.lists(st.integers(-days, days).filter(bool), min_size=n, max_size=n)))
    begin = np.array(starts)
    end = begin + lengths[:n]
    span = Span(begin.min(), end.max(), begin + offsets, end + offsets, np.ones(n, dtype=bool))
    tried, left = offsets_left([], np.arange(n), n, days, span)
    for row in range(n):
        expected = [
            begin.min() <= begin[row] + offsets[row] - o and end[row] + offsets[row] - o <= end.max()
            for o in tried.tolist()
        ]
        assert left[row].tolist() == expected
    counted = n_offsets_left([], np.arange(n), offsets, days, span)
    assert counted.tolist() == left.sum(axis=1).tolist()


def test_a_group_of_rows_with_one_day_is_found_and_each_person_counts_once():
    """Twelve of forty people have one day in the rows of one term, many rows each; all other rows spread."""
    rng = np.random.default_rng(1)
    people = np.concatenate([np.repeat(np.arange(12), 3), np.arange(12, 40)])
    days = np.concatenate([np.full(36, 500), rng.integers(0, 3000, 28)])
    codes = np.concatenate([np.zeros(36, dtype=np.int64), np.ones(28, dtype=np.int64)])
    offsets = rng.integers(1, 50, 40)
    column = ColumnOfDates("D", people, days + offsets[people], {"TERM": codes})
    found = {(one.group, one.feature): one for one in calendar_patterns(column, offsets)}
    assert (found["TERM", "day"].n_holding, found["TERM", "day"].n_dates, found["TERM", "day"].value) == (12, 12, 500)
    n_left = n_offsets_left(list(found.values()), np.arange(40), offsets, 50)
    assert n_left[:12].tolist() == [1] * 12
    assert n_left[12:].min() > 1


@examples(60)
@given(
    starts=st.lists(st.integers(0, 330), min_size=12, max_size=20),
    days=st.integers(5, 60),
    feature=st.sampled_from(["year", "weekday", "month of the year", "working day"]),
    seed=st.integers(0, 99),
)
def test_what_another_offset_would_leave_is_what_it_leaves_once_it_is_the_offset(starts, days, feature, seed):
    """Every offset of everybody, by moving the dates with it and asking again."""
    chance, n = np.random.default_rng(seed), len(starts)
    original = np.array(starts) // 7 * 7 + number(date(2014, 1, 7))
    people, all_offsets = np.repeat(np.arange(n), 2), [o for o in range(-days, days + 1) if o]
    both = np.stack([original, original + 14], axis=1).ravel()

    def patterns_of(offsets):
        column = ColumnOfDates("a", people, both + offsets[people])
        return [one for one in calendar_patterns(column, offsets) if one.feature == feature]

    offsets = chance.choice(all_offsets, n)
    possible, n_left = n_left_by_offset(patterns_of(offsets), np.arange(n), offsets, days)
    assert possible.tolist() == all_offsets
    for tried in chance.choice(len(all_offsets), 3):
        other = np.full(n, all_offsets[tried])
        assert n_left[:, tried].tolist() == n_offsets_left(patterns_of(other), np.arange(n), other, days).tolist()
