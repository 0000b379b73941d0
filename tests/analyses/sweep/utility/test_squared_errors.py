"""Squared errors of numbers, by hand and against a slow referee that goes from record to record."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.analyses.sweep.utility.test_utility import config_of, figures
from tests.examples import examples

NAMES = ["mean_squared_error", "record_squared_error", "aggregation_squared_error"]


def errors(original, released):
    found = figures(original, released, config_of(continuous=list(original)))
    return [found[name] for name in NAMES]


def test_by_hand():
    """0, 2, 4 become 1, 1 and nothing; the farthest each can be off are 4, 2 and 4."""
    column, record, within = errors(pd.DataFrame({"x": [0.0, 2.0, 4.0]}), pd.DataFrame({"x": [1.0, 1.0, np.nan]}))
    assert column == {"x": pytest.approx((1 + 1 + 16) / (16 + 4 + 16))}
    assert record == pytest.approx((1 + 1 + 4) / (4 + 2 + 4))
    assert within == pytest.approx((1 + 1 + 4) / (4 + 0 + 4))


def test_an_interval_counts_by_its_farther_end_and_within_groups_by_its_middle():
    original, released = pd.DataFrame({"x": [0.0, 2.0, 4.0]}), pd.DataFrame({"x": ["0--3", "0--3", ">3"]})
    column, _, within = errors(original, released)
    # 0 may be 3; 2 may be 0; 4 may be 3 or, at the end of the original numbers, 4.
    assert column == {"x": pytest.approx((9 + 4 + 1) / (16 + 4 + 16))}
    assert within == pytest.approx((1.5**2 + 0.5**2 + 4) / 8)


def test_groups_of_means_lose_the_share_of_the_squares_within_them():
    numbers = np.array([1.0, 2.0, 3.0, 11.0, 12.0, 13.0])
    released = np.repeat([2.0, 12.0], 3)
    assert errors(pd.DataFrame({"x": numbers}), pd.DataFrame({"x": released}))[2] == pytest.approx(4 / (4 + 6 * 25))


def test_what_does_not_vary_has_no_squared_error():
    same = pd.DataFrame({"x": [3.0, 3.0]})
    assert errors(same, same) == [{"x": None}, None, None]


rows = st.lists(
    st.tuples(*[st.integers(0, 9) | st.none(), st.integers(-12, 12) | st.none()] * 2), min_size=2, max_size=12
)


@examples(150)
@given(rows)
def test_figures_are_those_of_a_slow_referee(rows):
    original = pd.DataFrame({"x": [row[0] for row in rows], "y": [row[2] for row in rows]}, dtype=float)
    released = pd.DataFrame({"x": [row[1] for row in rows], "y": [row[3] for row in rows]}, dtype=float)
    column, record, within = errors(original, released)
    points = [[0.0, 0.0] for _ in rows]
    sse = sst = 0.0
    for name in ("x", "y"):
        true = [value for value in original[name] if not math.isnan(value)]
        if not true:
            assert column[name] is None
            continue
        low, high, mean = min(true), max(true), math.fsum(true) / len(true)
        variance = math.fsum((value - mean) ** 2 for value in true) / len(true)
        squares = [0.0, 0.0]
        for i, (value, after) in enumerate(zip(original[name], released[name], strict=True)):
            if math.isnan(value):
                continue
            most = max(value - low, high - value)
            off = most if math.isnan(after) else min(abs(value - after), most)
            squares = [squares[0] + off**2, squares[1] + most**2]
            sse += ((mean if math.isnan(after) else after) - value) ** 2
            sst += (value - mean) ** 2
            if variance:
                points[i] = [points[i][0] + off**2 / variance, points[i][1] + most**2 / variance]
        expected = squares[0] / squares[1] if squares[1] else None
        assert column[name] == (None if expected is None else pytest.approx(expected, abs=1e-12))
    moved, farthest = (math.fsum(math.sqrt(point[i]) for point in points) for i in (0, 1))
    assert record == (pytest.approx(moved / farthest, abs=1e-12) if farthest else None)
    assert within == (pytest.approx(sse / sst, abs=1e-12) if sst else None)
