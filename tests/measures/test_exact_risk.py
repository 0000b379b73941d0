"""The expectation of 1/F in a sample, against 60 digits and its own recurrence."""

import itertools
import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disclosure_control.measures.reidentification import exact_risk
from tests.examples import examples

FREQUENCIES = [1, 2, 3, 4, 7, 15, 19, 20, 21, 50, 1000, 10**6, 7 * 10**6]
ODDS = [10.0**i for i in range(-12, 13, 2)] + [0.5, 0.999999, 1.0, 1.000001, 2.0]  # (F - f) / f


def risk_to_many_digits(f: int, population_f: float) -> float:
    """(p/f) 2F1(1, 1; f+1; q): for small f by the recurrence with digits to spare, for large f by the series."""
    with localcontext() as context:
        context.prec = 900
        total, sample = Decimal(population_f), Decimal(f)
        x = (total - sample) / sample
        if x == 0:
            return 1.0 / f
        if f <= 60:
            risk = (1 + x).ln() / x
            for k in range(1, f):
                risk = (1 / Decimal(k) - risk) / x
            return float(risk)
        context.prec = 60
        q = (total - sample) / total
        term, series = Decimal(1), Decimal(1)
        for k in itertools.count(1):
            term *= k * q / (sample + k)
            series += term
            if term < Decimal("1e-40"):
                return float(series / total)


@pytest.mark.thorough("0.5 s; risks of other frequencies are compared below")
@pytest.mark.parametrize("f", FREQUENCIES)
def test_exact_risk_to_many_digits(f):
    population_f = np.array([f + x * f for x in ODDS])
    expected = [risk_to_many_digits(f, float(total)) for total in population_f]
    np.testing.assert_allclose(exact_risk(np.full(len(ODDS), f), population_f), expected, rtol=2e-13, atol=0.0)


def test_limits_of_the_risk():
    f = np.array([1.0, 2.0, 3.0, 50.0])
    np.testing.assert_allclose(exact_risk(f, f), 1.0 / f, rtol=1e-15)  # the sample is the population
    assert (exact_risk(f, f * 1e12) < 1e-10).all()
    assert (exact_risk(f, f * 1e12) > 0).all()
    # p = 1/100 by hand: p/(1-p) ln(1/p), and the second one with its square.
    assert exact_risk([1.0], [100.0])[0] == pytest.approx(math.log(100) / 99, rel=1e-14)
    assert exact_risk([2.0], [200.0])[0] == pytest.approx(1 / 99 - math.log(100) / 99**2, rel=1e-12)


@examples(80)
@given(st.integers(1, 10**7), st.floats(0.0, 1e9))
def test_bounds_and_recurrence(f, x):
    population_f = f + x * f
    exact = exact_risk([f], [population_f])[0]
    assert 1 / population_f * (1 - 1e-12) <= exact <= 1.0 / f * (1 + 1e-12)  # Jensen: at least 1/E[F]
    assert exact_risk([f], [population_f * 1.5])[0] < exact
    above = exact_risk([f + 1.0], [(f + 1.0) * (1.0 + x)])[0]
    assert above * x == pytest.approx(1.0 / f - exact, rel=1e-9, abs=1e-12 / f)
