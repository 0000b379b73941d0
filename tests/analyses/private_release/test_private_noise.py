"""Noise by its distribution, epsilon by the library's own map, accuracies by how often they hold.

OpenDP's noise cannot be seeded, so each test here is made to raise a false alarm once in a million runs at most.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from disclosure_control.analyses.private_release.answers import STEPS, Records, mechanism_of
from tests.analyses.private_release.publish_pilots import FALSE_ALARM, answer_of, query
from tests.cases import each
from tests.examples import examples

N_DRAWS = 4000
TEN = Records(pd.DataFrame({"sex": list("FFFFFFMMMM"), "x": [str(i) for i in range(10)]}, dtype="str"))
EVERY_KIND = {
    "count": query("count", 0.5),
    "sum": query("sum", 0.5, column="x", bounds=[0, 8]),
    "mean": query("mean", 0.5, column="x", bounds=[0, 8]),
    "histogram": query("histogram", 0.5, column="sex", categories=["F", "M"]),
}


def draws(one: str, n: int = N_DRAWS) -> list[dict]:
    return [answer_of(EVERY_KIND[one], TEN) for _ in range(n)]


def p_of_discrete_laplace(noise: np.ndarray, scale: float) -> float:
    """How well whole numbers fit P(x) ~ exp(-|x| / scale): chi-squared over x from -6 to 6 and the tails."""
    cells = np.arange(-6, 7)
    shares = stats.dlaplace.pmf(cells, 1 / scale)
    outside = stats.dlaplace.sf(6, 1 / scale)
    found = [int((noise < -6).sum()), *(int((noise == x).sum()) for x in cells), int((noise > 6).sum())]
    return stats.chisquare(found, np.array([outside, *shares, outside]) * len(noise)).pvalue


@pytest.mark.thorough("2 s: many draws; one of each kind in the quick run")
def test_counts_bear_discrete_laplace_noise_of_the_scale_of_their_epsilon():
    noise = np.array([answer["value"] for answer in draws("count")]) - 10
    assert p_of_discrete_laplace(noise, 1 / mechanism_of(EVERY_KIND["count"]).epsilon) > FALSE_ALARM


def test_each_cell_of_a_histogram_bears_noise_of_its_own():
    """Six people are F and four M: one draw for all cells would leave the difference of 2 as it is."""
    found = {cells[0]["value"] - cells[1]["value"] for cells in (answer["cells"] for answer in draws("histogram", 40))}
    assert len(found) > 1


@pytest.mark.parametrize("scale", [1.6, 2.5])
def test_noise_of_another_scale_would_be_seen(scale):
    """What makes the tests above able to fail: a fifth less noise, or a quarter more."""
    wrong = stats.dlaplace.rvs(1 / scale, size=N_DRAWS, random_state=np.random.default_rng(1))
    right = stats.dlaplace.rvs(1 / 2, size=N_DRAWS, random_state=np.random.default_rng(1))
    assert p_of_discrete_laplace(wrong, 2.0) < FALSE_ALARM
    assert p_of_discrete_laplace(right, 2.0) > FALSE_ALARM


@pytest.mark.thorough("1 s; the noise of counts is measured in the quick run")
def test_a_mean_is_a_noisy_sum_over_a_noisy_count_both_of_half_the_epsilon():
    steps = np.array([-STEPS, STEPS, STEPS, 0], dtype=np.int64)
    measurement = mechanism_of(EVERY_KIND["mean"]).measurement
    found = np.array([measurement(steps) for _ in range(N_DRAWS)], dtype=float)
    of_sum, of_count = found[:, 0] / STEPS - 1, found[:, 1] - 4
    assert stats.kstest(of_sum, stats.laplace(scale=4).cdf).pvalue > FALSE_ALARM
    assert p_of_discrete_laplace(of_count, 4.0) > FALSE_ALARM
    assert stats.spearmanr(of_sum, of_count).pvalue > FALSE_ALARM


@each("kind", sorted(EVERY_KIND))
def test_epsilon_is_the_librarys_own(kind):
    mechanism = mechanism_of(EVERY_KIND[kind])
    assert mechanism.epsilon == mechanism.measurement.map(1)
    assert mechanism.measurement.map(2) >= 1.999 * mechanism.epsilon


@examples(30)
@given(epsilon=st.decimals("0.0001", "10", places=4), kind=st.sampled_from(sorted(EVERY_KIND)))
def test_the_map_never_exceeds_what_is_charged_and_nothing_is_given_away(epsilon, kind):
    one = EVERY_KIND[kind]
    settings_of = {"column": one.column, "bounds": one.bounds}
    settings_of = {name: value for name, value in settings_of.items() if value is not None}
    settings_of |= {"categories": list(one.categories)} if one.categories else {}
    found = Fraction(mechanism_of(query(kind, str(epsilon), **settings_of)).epsilon)
    assert Fraction(epsilon) * (1 - Fraction(1, 10**9)) <= found <= Fraction(epsilon)


# ---------------------------------------------------------------- accuracy


def holds_often_enough(n_within: int, n: int) -> bool:
    return stats.binomtest(n_within, n, 0.95, alternative="less").pvalue > FALSE_ALARM


@pytest.mark.thorough("3 s; the noise of counts is measured in the quick run")
@pytest.mark.parametrize(("kind", "true"), [("count", 10), ("sum", 44), ("mean", 4.4)])
def test_accuracies_hold_in_nineteen_of_twenty(kind, true):
    found = draws(kind)
    within = sum(abs(answer["value"] - true) <= answer["accuracy_95"] for answer in found)
    assert holds_often_enough(within, len(found))
    if kind != "mean":  # whose bound is careful
        assert within / len(found) < 0.99


def test_a_mean_of_nobody_says_that_it_knows_nothing():
    nobody = Records(pd.DataFrame({"x": [None, "text"]}, dtype="str"))
    found = [answer_of(query("mean", 0.1, column="x", bounds=[10, 30]), nobody) for _ in range(200)]
    assert all(10 <= answer["value"] <= 30 for answer in found)
    assert sum(answer["accuracy_95"] >= 10 for answer in found) > 150  # all but one in eighty
