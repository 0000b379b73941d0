"""Rates of two groups against published figures, another library, and worked examples."""

from __future__ import annotations

import json
from math import exp, log, sqrt
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import contingency

from disclosure_control.fairness import TwoGroups, fairness_of, pool_strata

SHARED = Path(__file__).resolve().parents[3] / "shared"
# Admissions to the six largest departments of Berkeley, 1973: applied and admitted, men and then women. Source: Bickel,
# Hammel and O'Connell 1975, doi:10.1126/science.187.4175.398, as R's UCBAdmissions has them.
BERKELEY = np.array(
    [
        [825, 512, 108, 89],
        [560, 353, 25, 17],
        [325, 120, 593, 202],
        [417, 138, 375, 131],
        [191, 53, 393, 94],
        [373, 22, 341, 24],
    ]
)
counts = st.integers(1, 500).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n)))


def test_the_published_example_comes_out():
    path = SHARED / "oracles" / "published.json"
    if not path.is_file():
        pytest.skip("shared/oracles is not beside the clone")
    published = json.loads(path.read_text(encoding="utf-8"))["fairness_example"]
    total, favourable = published["total"], published["favourable"]
    both = TwoGroups(total["White"], favourable["White"], total["Black"], favourable["Black"])
    assert round(both.statistical_parity_difference, 7) == published["statistical_parity_difference"]
    assert round(both.disparate_impact, 6) == published["disparate_impact_non_sensitive_over_sensitive"]
    assert round(both.massaging_label_changes, 3) == published["massaging_label_changes_M"]
    assert both.disparate_impact_inverse == pytest.approx(1 / both.disparate_impact)
    assert not both.meets_four_fifths


def test_the_interval_of_a_difference_is_newcombes():
    """His worked examples, table II, method 10: 56 of 70 against 48 of 80, and 9 of 10 against 3 of 10."""
    low, high = TwoGroups(70, 56, 80, 48).difference_interval()
    assert (round(low, 4), round(high, 4)) == (0.0524, 0.3339)
    low, high = TwoGroups(10, 9, 10, 3).difference_interval()
    assert (round(low, 4), round(high, 4)) == (0.1705, 0.8090)


@given(counts, counts)
def test_the_interval_of_a_ratio_is_scipys(reference, group):
    both = TwoGroups(*reference, *group)
    if not reference[1] or not group[1]:
        assert both.ratio_interval() is None
        return
    other = contingency.relative_risk(reference[1], reference[0], group[1], group[0])
    assert both.disparate_impact == pytest.approx(other.relative_risk)
    assert both.ratio_interval() == pytest.approx(tuple(other.confidence_interval(0.95)), rel=1e-9)


@given(counts, counts)
def test_what_holds_for_any_two_groups(reference, group):
    both, turned = TwoGroups(*reference, *group), TwoGroups(*group, *reference)
    low, high = both.difference_interval()
    assert -1 <= low <= both.statistical_parity_difference + 1e-12
    assert both.statistical_parity_difference <= high + 1e-12
    assert high <= 1
    assert both.statistical_parity_difference == -turned.statistical_parity_difference
    assert both.disparate_impact == turned.disparate_impact_inverse
    assert both.meets_four_fifths == turned.meets_four_fifths
    # So many up in one group and down in the other make the rates equal.
    m = both.massaging_label_changes
    after = (reference[1] - m) / reference[0] - (group[1] + m) / group[0]
    assert after == pytest.approx(0, abs=1e-12)


def test_the_four_fifths_line_itself_is_met():
    assert TwoGroups(100, 50, 100, 40).meets_four_fifths
    assert not TwoGroups(100, 50, 1000, 399).meets_four_fifths
    assert not TwoGroups(1000, 399, 100, 50).meets_four_fifths
    assert TwoGroups(5, 0, 5, 0).meets_four_fifths


def test_berkeley_in_all_and_within_departments():
    """In all, men are favoured by 14 points; within departments nobody is. R: mantelhaen.test(UCBAdmissions) gives
    X-squared 1.4269 and p-value 0.2323."""
    total = TwoGroups(*BERKELEY.sum(axis=0).tolist())
    assert round(total.statistical_parity_difference, 4) == 0.1416  # 1198 of 2691 against 557 of 1835
    within = pool_strata(BERKELEY)
    assert (round(within.chi_squared, 4), round(within.p_value, 4)) == (1.4269, 0.2323)
    assert within.difference < 0 < within.difference_interval[1]
    assert (within.n_strata, within.n_strata_compared, within.n_compared, within.n_not_compared) == (6, 6, 4526, 0)


@given(st.lists(st.tuples(counts, counts), min_size=1, max_size=6))
def test_pooled_figures_equal_a_slow_referee(strata):
    within = pool_strata(np.array([[*reference, *group] for reference, group in strata]))
    weights = [r[0] * g[0] / (r[0] + g[0]) for r, g in strata]
    difference = sum(w * (r[1] / r[0] - g[1] / g[0]) for w, (r, g) in zip(weights, strata, strict=True)) / sum(weights)
    assert within.difference == pytest.approx(difference, abs=1e-12)
    above = sum(r[1] * g[0] / (r[0] + g[0]) for r, g in strata)
    below = sum(g[1] * r[0] / (r[0] + g[0]) for r, g in strata)
    assert within.ratio == (pytest.approx(above / below) if below and above else None if not below else 0.0)
    # Adding up M over the strata gives the labels to change so that no stratum differs.
    m = sum(TwoGroups(*r, *g).massaging_label_changes for r, g in strata)
    assert within.difference * sum(weights) == pytest.approx(m, abs=1e-9)


@given(counts, counts)
def test_one_stratum_alone_has_the_figures_of_all(reference, group):
    assume(reference[1] > 0 and group[1] > 0)
    both, within = TwoGroups(*reference, *group), pool_strata(np.array([[*reference, *group]]))
    assert within.difference == pytest.approx(both.statistical_parity_difference, abs=1e-12)
    assert within.ratio == pytest.approx(both.disparate_impact)
    # With one stratum the pooled variances are those of the difference and of Katz's logarithm.
    p, q = both.reference_rate, both.group_rate
    half = 1.959964 * sqrt(p * (1 - p) / both.n_reference + q * (1 - q) / both.n_group)
    assert within.difference_interval[0] == pytest.approx(max(-1, p - q - half), abs=1e-6)
    spread = 1.959964 * sqrt((1 - p) / reference[1] + (1 - q) / group[1])
    assert within.ratio_interval[1] == pytest.approx(exp(log(p / q) + spread), rel=1e-5)


def test_strata_with_one_group_cannot_tell_and_are_counted():
    within = pool_strata(np.array([[10, 5, 10, 2], [30, 30, 0, 0], [0, 0, 7, 1]]))
    assert (within.n_strata, within.n_strata_compared, within.n_compared, within.n_not_compared) == (3, 1, 20, 37)
    assert within.difference == pytest.approx(0.3)
    nothing = pool_strata(np.array([[30, 30, 0, 0], [0, 0, 7, 1]]))
    assert (nothing.difference, nothing.ratio, nothing.p_value, nothing.n_not_compared) == (None, None, None, 37)


# ---------------------------------------------------------------- from records


def records_of(strata: np.ndarray) -> pd.DataFrame:
    rows = []
    for i, (n_men, men, n_women, women) in enumerate(strata.tolist()):
        for sex, n, n_favoured in (("M", n_men, men), ("F", n_women, women)):
            rows += [(sex, f"dept {i}", "yes")] * n_favoured + [(sex, f"dept {i}", "no")] * (n - n_favoured)
    return pd.DataFrame(rows, columns=["sex", "dept", "admitted"], dtype="str")


SETTINGS = {"favourable": {"column": "admitted", "equals": ["yes"]}, "sensitive": "sex", "reference": "M"}


def test_berkeley_from_records_in_any_order():
    frame = records_of(BERKELEY)
    figures = fairness_of(frame, {**SETTINGS, "strata": ["dept"]})
    assert (figures["n_reference"], figures["n_group"]) == (2691, 1835)
    assert figures["reference_rate"] == 1198 / 2691
    assert round(figures["within_strata"]["chi_squared"], 4) == 1.4269
    shuffled = frame.sample(frac=1, random_state=3)
    assert fairness_of(shuffled, {**SETTINGS, "strata": ["dept"]}) == figures
    json.dumps(figures, allow_nan=False)


def test_at_least_the_mean():
    """Mean of 1, 2, 3 and 6 is 3: the values 3 and 6 are favourable; a text has no outcome."""
    frame = pd.DataFrame({"x": ["1", "2", "3", "6", "text", None], "g": list("aabbab")}, dtype="str")
    settings = {"favourable": {"column": "x", "at_least": "mean"}, "sensitive": "g", "reference": "b", "group": "a"}
    figures = fairness_of(frame, settings)
    assert (figures["reference_rate"], figures["group_rate"]) == (1.0, 0.0)
    assert figures["statistical_parity_difference"] == 1.0
    assert figures["disparate_impact"] is None
    assert figures["disparate_impact_inverse"] == 0.0
    assert figures["people"] == {
        "total": 6,
        "compared": 4,
        "without_outcome": 2,
        "without_group": 0,
        "in_other_groups": 0,
    }
    below = fairness_of(frame, {**settings, "favourable": {"column": "x", "at_most": 2}})
    assert (below["reference_rate"], below["group_rate"]) == (0.0, 1.0)


def test_whoever_is_not_compared_is_counted():
    frame = pd.DataFrame({"y": ["1", "1.0", "0", None, "1", "0"], "g": ["a", "b", "b", "a", None, "c"]}, dtype="str")
    rule = {"column": "y", "equals": [1]}
    figures = fairness_of(frame, {"favourable": rule, "sensitive": "g", "reference": "a", "group": "b"})
    assert figures["people"] == {
        "total": 6,
        "compared": 3,
        "without_outcome": 1,
        "without_group": 1,
        "in_other_groups": 1,
    }
    assert (figures["reference_rate"], figures["group_rate"]) == (1.0, 0.5)
    others = fairness_of(frame, {"favourable": rule, "sensitive": "g", "reference": "a"})
    assert others["group"] == "(all others)"
    assert (others["n_group"], others["group_rate"]) == (3, 1 / 3)
