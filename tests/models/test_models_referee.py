"""k, l and t of every record against the referee, under all three policies for missing quasi-identifiers."""

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import Anonymization_Models as models
from disclosure_control.basics.encoding import wildcards
from disclosure_control.basics.encoding.binning import OUT_OF_RANGE_POLICIES
from tests.cases import each
from tests.models import referee
from tests.models.model_frames import BRIEF, MANY, columns, edge_lists, frames, numbers

policies = st.sampled_from(models.MISSING_POLICIES)
TEXT_KINDS = ["text", "str", "string", "mixed", "category", "bool", "boolean"]


def texts(n_records: int):
    return columns(n_records, TEXT_KINDS)


def assert_measures(result: models.ModelResult, expected: list, tolerance: float = 0.0) -> None:
    """Evaluated, measure and the figures derived from them are what the referee says."""
    assert result.evaluated.tolist() == [value is not None for value in expected]
    for found, value in zip(result.measure.tolist(), expected, strict=True):
        assert math.isnan(found) if value is None else abs(found - value) <= tolerance
    assert result.n_total == len(expected)
    assert result.n_evaluated == sum(value is not None for value in expected)
    assert result.n_risky == sum(result.risky.tolist())
    assert not (result.risky & ~result.evaluated).any()
    if result.n_evaluated:
        worst = max if result.model == "t_closeness" else min
        assert abs(result.worst - worst(value for value in expected if value is not None)) <= tolerance
        assert result.risky_rate == result.n_risky / result.n_evaluated
    else:
        assert result.worst is None
        assert result.risky_rate is None


# ---------------------------------------------------------------- k


@MANY
@given(frames(), policies, st.integers(1, 8))
def test_k_anonymity(made, missing_qis, k):
    frame, names = made
    expected = referee.k_of_records(referee.columns_of(frame), names, missing_qis)
    result = models.run_k_anonymity(frame, names, k, missing_qis)
    assert_measures(result, expected)
    assert result.risky.tolist() == [value is not None and value < k for value in expected]


@MANY
@given(frames(), st.integers(1, 8))
def test_the_three_policies_side_by_side(made, k):
    frame, names = made
    table = referee.columns_of(frame)
    expected = {}
    for missing_qis in models.MISSING_POLICIES:
        frequency = [value for value in referee.k_of_records(table, names, missing_qis) if value is not None]
        expected[missing_qis] = {
            "evaluated": len(frequency),
            "not_evaluated": len(frame) - len(frequency),
            "risky": sum(value < k for value in frequency),
        }
    assert models.count_by_missing_policy(models.form_equivalence_classes(frame, names), k) == expected


@MANY
@given(frames(kinds=["text", "mixed", "Int64", "boolean"]), st.sampled_from([0, 0.25, 0.5, 1]))
def test_wildcard_frequency_compares_every_pair_of_records(made, alpha):
    frame, names = made
    classes = models.form_equivalence_classes(frame, names)
    frequency = models.wildcard_frequency(classes, alpha)[classes.class_of_record]
    assert frequency.tolist() == [float(value) for value in referee.wildcard_k(referee.columns_of(frame), names, alpha)]


def test_wildcards_over_many_quasi_identifiers_and_patterns():
    rng = np.random.default_rng(3)
    values = rng.integers(0, 2, (120, 8)).astype(float)
    values[rng.random((120, 8)) < 0.4] = np.nan
    frame = pd.DataFrame(values).rename(columns="q{}".format)
    names = list(frame.columns)
    for alpha in (0, 0.5, 1):
        classes = models.form_equivalence_classes(frame, names)
        found = models.wildcard_frequency(classes, alpha)[classes.class_of_record].tolist()
        assert found == [float(value) for value in referee.wildcard_k(referee.columns_of(frame), names, alpha)]


# ---------------------------------------------------------------- l


@MANY
@given(frames(sensitive=texts), policies, st.integers(1, 4))
def test_l_diversity_of_categories(made, missing_qis, least):
    frame, names = made
    expected = referee.l_of_records(referee.columns_of(frame), names, "s", missing_qis=missing_qis)
    result = models.run_l_diversity(frame, names, "s", least, missing_qis=missing_qis)
    assert_measures(result, expected)
    assert result.risky.tolist() == [value is not None and value < least for value in expected]


@pytest.mark.thorough("0.2 s")
@MANY
@given(frames(sensitive=numbers), policies, st.none() | edge_lists, st.sampled_from(OUT_OF_RANGE_POLICIES))
def test_l_diversity_of_numbers_with_and_without_bins(made, missing_qis, edges, out_of_range):
    frame, names = made
    expected = referee.l_of_records(referee.columns_of(frame), names, "s", edges, out_of_range, missing_qis)
    result = models.run_l_diversity(frame, names, "s", 3, edges, out_of_range, missing_qis)
    assert_measures(result, expected)
    assert result.risky.tolist() == [value is not None and value < 3 for value in expected]


# ---------------------------------------------------------------- t


def assert_t_closeness(frame, names, distance: str, missing_qis: str, share: float) -> None:
    """``share`` places the threshold between 0 and the largest t; close to it, rounding decides and nothing is said."""
    expected = referee.t_of_records(referee.columns_of(frame), names, "s", distance, missing_qis)
    found = [value for value in expected if value is not None]
    unit = 1.0
    if distance in ("wasserstein", "mean_difference"):
        values = [abs(value) for value in frame["s"].dropna().astype(float)]
        unit = max(values, default=0.0) or 1.0
    threshold = share * float(max(found, default=0))
    result = models.run_t_closeness(frame, names, "s", threshold, distance, missing_qis)
    assert_measures(result, expected, 1e-11 * unit)
    for value, flag in zip(expected, result.risky.tolist(), strict=True):
        if value is None or value <= Fraction(threshold):
            assert not flag
        elif value > threshold + 1e-9 * unit:
            assert flag


shares = st.sampled_from([0.0, 0.25, 0.5, 0.9, 1.0])


@MANY
@given(
    frames(sensitive=numbers),
    st.sampled_from(["wasserstein", "mean_difference", "ordered", "total_variation"]),
    policies,
    shares,
)
def test_t_closeness_of_numbers(made, distance, missing_qis, share):
    assert_t_closeness(*made, distance, missing_qis, share)


@MANY
@given(frames(sensitive=texts), policies, shares)
def test_t_closeness_of_categories(made, missing_qis, share):
    assert_t_closeness(*made, "total_variation", missing_qis, share)


@BRIEF
@given(frames(sensitive=numbers))
def test_numbers_are_measured_in_their_unit_by_default(made):
    frame, names = made
    result = models.run_t_closeness(frame, names, "s", 1.0)
    assert result.distance == "wasserstein"
    np.testing.assert_array_equal(result.measure, models.run_t_closeness(frame, names, "s", 1.0, "wasserstein").measure)
    values = frame["s"].dropna().astype(float)
    assert result.value_range == (values.max() - values.min() if len(values) else None)


def test_only_evaluated_records_are_everybody():
    """Who has a missing quasi-identifier is not compared with, and adds no value to the scale."""
    frame = pd.DataFrame({"q": ["a", "a", "b", "b", None, None], "s": [1.0, 2.0, 3.0, 4.0, 2.5, 1000.0]})
    for distance in models.DISTANCES:
        apart = models.run_t_closeness(frame.iloc[:4], ["q"], "s", 0, distance)
        within = models.run_t_closeness(frame, ["q"], "s", 0, distance, missing_qis="exclude")
        assert within.measure[:4].tolist() == apart.measure.tolist(), distance
        if models.DISTANCES[distance].needs_numbers:
            assert within.value_range == apart.value_range == 3.0
        assert within.evaluated.tolist() == [True] * 4 + [False] * 2


# ---------------------------------------------------------------- limit cases


@pytest.mark.parametrize("missing_qis", models.MISSING_POLICIES)
@pytest.mark.parametrize("kind", ["float64", "str", object, "Int64", "category"])
def test_no_records(kind, missing_qis):
    frame = pd.DataFrame({"q": pd.Series([], dtype=kind), "s": pd.Series([], dtype=kind)})
    for result in (
        models.run_k_anonymity(frame, ["q"], 5, missing_qis),
        models.run_l_diversity(frame, ["q"], "s", 2, missing_qis=missing_qis),
        models.run_t_closeness(frame, ["q"], "s", 0, missing_qis=missing_qis),
    ):
        assert (result.n_total, result.n_evaluated, result.n_risky) == (0, 0, 0)
        assert (result.worst, result.risky_rate) == (None, None)
        assert not result.risky.any()


@pytest.mark.parametrize("distance", [None, *models.DISTANCES])
@pytest.mark.parametrize("kind", ["float64", "Float64", "str", object, "category"])
def test_a_sensitive_column_without_any_value_is_not_assessable(kind, distance):
    """An empty column has no kind: it holds no text that could be at fault."""
    frame = pd.DataFrame({"q": ["a", "a", "b"], "s": pd.Series([None, None, None], dtype=kind)})
    result = models.run_t_closeness(frame, ["q"], "s", 0, distance)
    assert (result.n_evaluated, result.n_risky, result.worst) == (0, 0, None)
    assert np.isnan(result.measure).all()
    diversity = models.run_l_diversity(frame, ["q"], "s", 1, bins=[0, 1])
    assert (diversity.n_evaluated, diversity.n_risky, diversity.worst) == (3, 3, 0)


def test_without_quasi_identifiers_everybody_is_one_class():
    assert models.run_k_anonymity(pd.DataFrame({"x": [1, 2, 3]}), [], 2).measure.tolist() == [3, 3, 3]


@BRIEF
@given(frames(sensitive=numbers), policies)
def test_classes_and_counts_may_be_handed_in(made, missing_qis):
    frame, names = made
    classes = models.form_equivalence_classes(frame, names)
    counts = models.count_sensitive_values(models.form_equivalence_classes(frame, names), frame["s"])
    given_ = {"missing_qis": missing_qis, "classes": classes}
    nothing = frame.iloc[:0].drop(columns=names)  # what is handed in is not computed again
    for alone, shared in (
        (models.run_k_anonymity(frame, names, 3, missing_qis), models.run_k_anonymity(nothing, names, 3, **given_)),
        (
            models.run_l_diversity(frame, names, "s", 2, missing_qis=missing_qis),
            models.run_l_diversity(nothing, names, "s", 2, counts=counts, **given_),
        ),
        (
            models.run_t_closeness(frame, names, "s", 1, missing_qis=missing_qis),
            models.run_t_closeness(nothing, names, "s", 1, counts=counts, **given_),
        ),
    ):
        np.testing.assert_array_equal(shared.measure, alone.measure)
        np.testing.assert_array_equal(shared.risky, alone.risky)
        np.testing.assert_array_equal(shared.evaluated, alone.evaluated)


# ---------------------------------------------------------------- what is refused

FRAME = pd.DataFrame({"q": ["a", "b"], "s": ["MARKER", "x"], "n": [1.0, np.inf]})


@each(
    ("run", "words"),
    [
        (lambda: models.run_k_anonymity(FRAME, ["q"], 2, "ignore"), ("missing_qis", "ignore", "exclude")),
        (lambda: models.run_l_diversity(FRAME, ["q"], "s", 2, missing_qis="skip"), ("missing_qis", "skip", "wildcard")),
        (lambda: models.run_t_closeness(FRAME, ["q"], "s", 1, missing_qis=None), ("missing_qis", "category")),
        (lambda: models.run_l_diversity(FRAME, ["q"], "s", 2, bins=[0, 1]), ("'s'", "fewer than 10 of 2 values")),
        (lambda: models.run_l_diversity(FRAME, ["q"], "s", 2, bins=[1, 0]), ("'s'", "rising")),
        (lambda: models.run_l_diversity(FRAME, ["q"], "n", 2, bins=[0, 1], out_of_range="x"), ("out_of_range", "tail")),
        (lambda: models.run_t_closeness(FRAME, ["q"], "s", 1, "wasserstein"), ("'s'", "text", "total_variation")),
        (lambda: models.run_t_closeness(FRAME, ["q"], "s", 1, "ordered"), ("'s'", "text")),
        (lambda: models.run_t_closeness(FRAME, ["q"], "s", 1, "mean_difference"), ("'s'", "text")),
        (lambda: models.run_t_closeness(FRAME, ["q"], "s", 1, "emd"), ("emd", "wasserstein")),
        (lambda: models.run_t_closeness(FRAME, ["q"], "n", 1), ("'n'", "infinite")),
    ],
)
def test_faults_name_the_column_or_the_setting_and_no_value(run, words):
    with pytest.raises(models.FaultyInputError) as caught:
        run()
    assert all(word in str(caught.value) for word in words)
    assert "MARKER" not in str(caught.value)


@pytest.mark.parametrize("classes_per_pattern", [0, 10**6], ids=["by patterns", "by pairs of classes"])
@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0])
def test_both_ways_to_count_wildcards_are_by_the_definition(alpha, classes_per_pattern, monkeypatch):
    monkeypatch.setattr(wildcards, "DENSE_CELLS", -(10**9))
    monkeypatch.setattr(wildcards, "CLASSES_PER_PATTERN", classes_per_pattern)
    rng = np.random.default_rng(7)
    frame = pd.DataFrame({f"q{i}": pd.Series(rng.integers(0, 2, 1800)).where(rng.random(1800) > 0.3) for i in range(7)})
    classes = models.form_equivalence_classes(frame, list(frame))
    assert classes.n_classes > 1_000  # several blocks
    expected = slow_wildcards(classes, alpha)
    np.testing.assert_allclose(models.wildcard_frequency(classes, alpha), expected, rtol=1e-12)


def slow_wildcards(classes, alpha):
    """By the definition, pair by pair of classes."""
    codes = classes.class_codes  # (n_columns, n_classes)
    fits = np.ones((classes.n_classes, classes.n_classes), dtype=bool)
    for column in codes:
        fits &= (column[:, None] == column) | (column[:, None] < 0) | (column < 0)
    np.fill_diagonal(fits, False)
    return classes.size + fits @ (classes.size * np.where((codes < 0).any(axis=0), alpha, 1.0))
