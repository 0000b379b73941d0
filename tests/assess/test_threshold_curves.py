"""The curve of a model says at each threshold what a run with this threshold flags."""

from __future__ import annotations

import pandas as pd
import pytest

from config.model_settings import validate_config
from disclosure_control.assess.assessment import assess
from disclosure_control.assess.report import class_sizes
from disclosure_control.assess.threshold_curves import ThresholdCurve, threshold_curves
from disclosure_control.basics.telling.small_counts import EXACT, MASKED
from tests.cases import each

SEX = list("ffffmmmm")
DOSE = [0.0, 0.0, 0.0, 1e6, 0.0, 1e6, 1e6, 1e6]  # each sex 0.25 from everybody by shares, 250,000 by the dose


def assessed(column: str = "DOSE", **settings):
    frame = pd.DataFrame({"SEX": SEX, "DOSE": DOSE, "ARM": ["low" if dose == 0 else "high" for dose in DOSE]})
    literal = {"categorical_qis": ["SEX"], "continuous_qis": [], "binning_config": {}, "sensitive_feature": column}
    return assess(frame, validate_config({**literal, "K": 5, "L": 2, "T": 0.1, **settings}, frame.columns))


def curve_of(model: str, assessment, **options) -> ThresholdCurve:
    (found,) = [one for one in threshold_curves(assessment, **options) if one.model == model]
    return found


@pytest.mark.parametrize(("model", "key"), [("k_anonymity", "K"), ("l_diversity", "L")])
def test_a_curve_is_what_runs_with_these_thresholds_flag(model, key):
    curve = curve_of(model, assessed())
    assert curve.thresholds[0] == 2
    assert curve.risky[:5] == tuple(
        next(one for one in assessed(**{key: int(threshold)}).results if one.model == model).n_risky
        for threshold in curve.thresholds[:5]
    )


@pytest.mark.parametrize(
    ("column", "distance", "t", "beyond_rounding"),
    [
        ("DOSE", "wasserstein", 250_000.0, 1e-6),  # rounding is relative to the range of the doses
        ("DOSE", "mean_difference", 250_000.0, 1e-6),
        ("DOSE", "total_variation", 0.25, 1e-12),  # and of a share to 1
        ("DOSE", "ordered", 0.25, 1e-12),
        ("ARM", "total_variation", 0.25, 1e-12),
    ],
)
def test_a_distance_that_equals_t_up_to_rounding_is_not_above_it(column, distance, t, beyond_rounding):
    for below, n_risky in ((0.0, 0), (0.5, 0), (1.5, 8)):
        assessment = assessed(column, T=t - below * beyond_rounding, t_distance=distance)
        curve = curve_of("t_closeness", assessment)
        assert curve.risky[curve.thresholds.index(curve.in_use)] == n_risky
        assert assessment.t_closeness[column].n_risky == n_risky


@pytest.mark.parametrize(
    ("settings", "step"),
    [
        ({"T": 1e5}, 2e4),  # a fortieth of the range, 1e6, in one digit
        ({"T": 6e5}, 3e4),  # of twice the one in use, where this is more
        ({"t_distance": "total_variation", "T": 0.6}, 0.03),  # of the largest share
    ],
)
def test_thresholds_of_t_are_round_numbers_whatever_was_measured(settings, step):
    thresholds = curve_of("t_closeness", assessed(**settings)).thresholds
    assert thresholds == pytest.approx([step * i for i in range(1, 41)])


def test_coarse_thresholds_are_powers_of_two_of_the_one_in_use():
    assert curve_of("t_closeness", assessed(T=4.0), coarse=True).thresholds == (1.0, 2.0, 4.0, 8.0, 16.0)


@each(("policy", "three"), [(EXACT, "3"), (MASKED, "masked")])
def test_bars_of_class_sizes_by_hand(policy, three):
    """Twelve people alone, ten in pairs, three together, twenty together; few people have no bar for others."""
    sites = [f"s{i}" for i in range(12)] + [f"p{i}" for i in range(5)] * 2 + ["three"] * 3 + ["twenty"] * 20
    literal = {"categorical_qis": ["SITE"], "continuous_qis": [], "binning_config": {}, "sensitive_feature": []}
    found = assess(pd.DataFrame({"SITE": sites}), validate_config({**literal, "K": 5}, ["SITE"]))
    bars = class_sizes(policy, threshold_curves(found)).described.partition("risk. ")[2].split("; ")
    none_between = [f"k = {size}: 0" for size in range(4, 13)]
    assert bars == ["k = 1: 12", "k = 2: 10", f"k = 3: {three}", *none_between, "k > 12: 20"]
