"""Distances between distributions: against SciPy, against the referee, and where they must be exactly 0."""

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from hypothesis import assume, given
from hypothesis import strategies as st

import Anonymization_Models as models
from tests.cases import each
from tests.models import referee
from tests.models.model_frames import MANY

offsets = st.sampled_from([0.0, 1e9, -1e9, 1e-9, 12345.678])
units = st.sampled_from([1.0, 1e9, 1e-9, 0.1, 1 / 3])


@st.composite
def samples(draw, min_size: int = 1, max_size: int = 30):
    """Two samples on one scale: whole multiples of a unit with many ties, or free numbers; anywhere on the line."""
    unit, offset = draw(units), draw(offsets)
    step = draw(st.sampled_from([st.integers(-9, 9), st.floats(-1e3, 1e3), st.just(4)]))
    one_sample = st.lists(step.map(lambda value: offset + value * unit), min_size=min_size, max_size=max_size)
    return draw(one_sample), draw(one_sample)


def tolerance(*parts: list[float]) -> float:
    """Rounding that any sum of these numbers may show, far below the differences between them."""
    values = [value for part in parts for value in part]
    return 1e-11 * (max(values) - min(values)) + 1e-14 * max(abs(value) for value in values)


@MANY
@given(samples())
def test_numerical_distance_is_that_of_scipy_and_of_the_referee(made):
    mine, theirs = made
    found = models.numerical_distance(mine, theirs)
    assert found == pytest.approx(scipy.stats.wasserstein_distance(mine, theirs), rel=0, abs=tolerance(mine, theirs))
    assert found == pytest.approx(float(referee.wasserstein(mine, theirs)), rel=0, abs=tolerance(mine, theirs))


def test_many_classes_against_a_table_of_all_cells():
    """A quarter of a million cells, more than are worked on at once, against one dense table of classes by values."""
    rng = np.random.default_rng(12)
    n_records, n_classes, n_values = 300_000, 3_000, 400
    levels = np.sort(rng.normal(200, 40, n_values))
    group, value = rng.integers(0, n_classes, n_records), rng.integers(0, n_values, n_records)
    group[:500] = 0  # one large class among the small ones
    people = np.zeros((n_classes, n_values))
    np.add.at(people, (group, value), 1)
    shares = people.cumsum(axis=1) / people.sum(axis=1, keepdims=True)
    everybody = people.sum(axis=0).cumsum() / n_records
    expected = (np.abs(shares - everybody)[:, :-1] * np.diff(levels)).sum(axis=1)
    frame = pd.DataFrame({"q": group, "s": levels[value]})
    classes = models.form_equivalence_classes(frame, ["q"])
    counts = models.count_sensitive_values(models.form_equivalence_classes(frame, ["q"]), frame["s"])
    assert len(counts.table.people) == np.count_nonzero(people) > 200_000
    result = models.run_t_closeness(frame, ["q"], "s", 10, classes=classes, counts=counts)
    np.testing.assert_allclose(result.measure, expected[group], rtol=0, atol=1e-9)
    assert result.n_risky == (expected[group] > 10).sum() > 0


@MANY
@given(st.lists(st.sampled_from("abcde"), min_size=1), st.lists(st.sampled_from("cdefg"), min_size=1))
def test_categorical_distance_is_that_of_the_referee(mine, theirs):
    assert models.categorical_distance(mine, theirs) == pytest.approx(float(referee.total_variation(mine, theirs)))


@each(
    ("mine", "theirs", "distance"),
    [
        ([1], [1], 0),
        ([0], [10], 10),
        ([0, 10], [5], 5),
        ([1, 2, 3], [1, 1, 2, 2, 3, 3], 0),
        ([0, 0, 1], [0, 1, 1], 1 / 3),
        ([-5], [5], 10),
        ([1e9], [-1e9], 2e9),
        ([3e-9], [1e-9], 2e-9),
        ([1, None, math.nan], [2], 1),
        ([1, pd.NA], [2], 1),
        (pd.Series([1, None], dtype="Int64"), pd.Series([2, 4], index=[0, 0]), 2),
        (np.array([1, 2]), (1, 2), 0),
        (pd.Series([1.0, 5.0, None], dtype="float64[pyarrow]"), [3], 2),
    ],
)
def test_numerical_distance_by_hand(mine, theirs, distance):
    assert models.numerical_distance(mine, theirs) == pytest.approx(distance, rel=1e-12, abs=0)


@each(
    ("mine", "theirs", "distance"),
    [
        (["a"], ["a"], 0),
        (["a"], ["b"], 1),
        (["a", "b"], ["a"], 0.5),
        (["a", "b"], ["b", "b", "a", "a"], 0),
        (["a", "", None, " "], ["a ", math.nan], 0),
        (["1", 1, 1.0], ["01"], 1),
        ([1, 1.0], ["1"], 0),
        ([True, False], [True], 0.5),
        (pd.Series(["e\u0301"]), pd.Categorical(["\u00e9"]), 0),
    ],
)
def test_categorical_distance_by_hand(mine, theirs, distance):
    assert models.categorical_distance(mine, theirs) == distance


@each("distance", [models.numerical_distance, models.categorical_distance])
@each(("mine", "theirs"), [([], [1]), ([1], []), ([None], [1]), ([1], [math.nan]), ([], [])])
def test_a_side_without_a_value_is_refused(distance, mine, theirs):
    with pytest.raises(models.FaultyInputError, match="at least one value"):
        distance(mine, theirs)


@each("mine", [["MARKER"], [1, "MARKER"], [math.inf], [1, -math.inf]])
def test_numerical_distance_refuses_what_is_not_a_number_and_does_not_show_it(mine):
    with pytest.raises(models.FaultyInputError) as caught:
        models.numerical_distance(mine, [1, 2])
    assert "MARKER" not in str(caught.value)


# ---------------------------------------------------------------- exactly 0, exactly T


@pytest.mark.parametrize("distance", models.DISTANCES)
@pytest.mark.parametrize("offset", [0.0, 1.7e9], ids=["near zero", "far from zero"])
@pytest.mark.thorough("0.3 s each")
def test_rounding_over_very_many_values_is_not_a_distance(offset, distance):
    """Sums of half a million terms drift by more than one bit; a class that is everybody has distance 0 still."""
    values = offset + np.random.default_rng(2).normal(size=500_000).cumsum()
    result = models.run_t_closeness(pd.DataFrame({"q": 1, "s": values}), ["q"], "s", 0, distance)
    assert result.worst == 0.0
    assert result.n_risky == 0


@st.composite
def decimal_tables(draw):
    """Whole numbers of tenths, hundredths or thousandths, whose floats and sums are not exact."""
    scale = draw(st.sampled_from([10, 100, 1000]))
    whole = draw(st.lists(st.integers(-300, 300), min_size=2, max_size=20))
    groups = draw(st.lists(st.sampled_from("abc"), min_size=len(whole), max_size=len(whole)))
    return scale, whole, groups


@MANY
@given(decimal_tables(), st.sampled_from(sorted(models.DISTANCES)))
def test_a_distance_equal_to_the_threshold_is_not_flagged(made, distance):
    """T is the exact distance as a person would work it out from the decimals, then written as a float."""
    scale, whole, groups = made
    frame = pd.DataFrame({"q": groups, "s": [value / scale for value in whole]})
    exact = referee.t_of_records({"q": groups, "s": [Fraction(v, scale) for v in whole]}, ["q"], "s", distance)
    positive = [value for value in exact if value > 0]
    assume(positive)
    largest = max(positive)
    result = models.run_t_closeness(frame, ["q"], "s", float(largest), distance)
    assert result.n_risky == 0
    just_below = models.run_t_closeness(frame, ["q"], "s", float(largest) * (1 - 1e-6), distance)
    assert just_below.risky.tolist() == [value > largest * Fraction(999999, 1000000) for value in exact]
    assert just_below.n_risky > 0


def test_one_tenth_and_two_tenths_are_three_tenths():
    """0.1 + 0.2 is 0.30000000000000004 in floats, which no T of 0.3 may flag."""
    frame = pd.DataFrame({"q": ["a", "b"], "s": [0.0, 2 * (0.1 + 0.2)]})
    result = models.run_t_closeness(frame, ["q"], "s", 0.3)
    assert result.measure.max() > 0.3
    assert result.n_risky == 0
    assert models.run_t_closeness(frame, ["q"], "s", 0.3 - 1e-9).n_risky == 2


# ---------------------------------------------------------------- laws of distances


def test_distances_in_units_are_also_told_as_a_share_of_the_range():
    frame = pd.DataFrame({"q": ["a", "a", "b", "b"], "s": [100.0, 150.0, 200.0, 300.0]})
    for distance, in_units in (("wasserstein", True), ("mean_difference", True), ("ordered", False)):
        result = models.run_t_closeness(frame, ["q"], "s", 30, distance)
        assert result.value_range == 200.0
        assert result.share_of_range(30) == (0.15 if in_units else None)
        assert result.share_of_range(None) is None
    constant = models.run_t_closeness(frame.assign(s=7.0), ["q"], "s", 30)
    assert (constant.worst, constant.value_range, constant.share_of_range(30)) == (0.0, 0.0, None)
    words = models.run_t_closeness(frame.assign(s=["x", "y", "x", "y"]), ["q"], "s", 0.3)
    assert (words.worst, words.value_range, words.share_of_range(0.3)) == (0.0, None, None)
