"""Risk under sampling weights: the exact form against 60 digits, and records and households against a slow referee."""

import itertools
import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from Anonymization_Models import form_equivalence_classes
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.measures.sampling_weights import (
    RISK_FORMULAS,
    SampleRisk,
    checked_weights,
    exact_risk,
    frequencies,
    household_risk,
    risk_of_classes,
    series_risk,
)
from tests.cases import each
from tests.examples import examples

SETTINGS = examples(60)
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


@each("f", [1.0000001, 1.25, 1.5, 1.999, 2.5, 3.7, 11.1, 19.9, 20.5, 1234.5])
@each("x", [1e-9, 0.3, 0.99, 1.01, 7.0, 1e3, 1e6])
def test_exact_risk_of_frequencies_that_are_not_whole(f, x):
    def integrand(t: float) -> float:
        return math.exp(-f * t) / (1.0 + x * math.exp(-t))

    cuts = [0.0, 0.5 / f, 2.0 / f, 10.0 / f, max(math.log(x), 0.0), max(math.log(x), 0.0) + 5.0, 200.0]
    expected = sum(quad(integrand, a, b, epsabs=0, epsrel=1e-13)[0] for a, b in itertools.pairwise(sorted(cuts)))
    assert exact_risk(np.array([f]), np.array([f + x * f]))[0] == pytest.approx(expected, rel=1e-11)


def test_limits_of_the_risk():
    f = np.array([1.0, 1.5, 2.0, 3.0, 50.0])
    for formula in RISK_FORMULAS.values():
        np.testing.assert_allclose(formula(f, f), 1.0 / f, rtol=1e-15)  # the sample is the population
        assert (formula(f, f * 1e12) < 1e-10).all()
        assert (formula(f, f * 1e12) > 0).all()
    # p = 1/100 by hand: p/(1-p) ln(1/p), and the second one with its square.
    assert series_risk([1.0], [100.0])[0] == pytest.approx(math.log(100) / 99, rel=1e-14)
    assert series_risk([2.0], [200.0])[0] == pytest.approx(1 / 99 - math.log(100) / 99**2, rel=1e-12)
    assert series_risk([3.0], [300.0])[0] == pytest.approx(0.01 / (3 - 0.99), rel=1e-14)
    assert series_risk([2.0 + 4e-16], [200.0])[0] == pytest.approx(series_risk([2.0], [200.0])[0], rel=1e-12)


@SETTINGS
@given(st.floats(1.0, 1e7), st.floats(0.0, 1e9))
def test_bounds_and_recurrence(f, x):
    population_f = f + x * f
    exact, series = exact_risk([f], [population_f])[0], series_risk([f], [population_f])[0]
    assert f / population_f / f * (1 - 1e-12) <= exact <= 1.0 / f * (1 + 1e-12)  # Jensen: at least 1/E[F]
    assert exact <= series * (1 + 1e-12)
    assert exact_risk([f], [population_f * 1.5])[0] < exact
    above = exact_risk([f + 1.0], [(f + 1.0) * (1.0 + x)])[0]
    assert above * x == pytest.approx(1.0 / f - exact, rel=1e-9, abs=1e-12 / f)


# ---------------------------------------------------------------- records and households


def agree(a: tuple, b: tuple) -> bool:
    return all(x is None or y is None or x == y for x, y in zip(a, b, strict=True))


@st.composite
def weighted_tables(draw):
    n = draw(st.integers(1, 25))
    values = st.sampled_from(["a", "b", "c", None, None])
    rows = draw(st.lists(st.tuples(values, values, values), min_size=n, max_size=n))
    weights = draw(st.lists(st.sampled_from([1, 2, 5.5, 40, 100]), min_size=n, max_size=n))
    return rows, weights


def frame_of(rows: list[tuple]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["x", "y", "z"], dtype=object)


@SETTINGS
@given(weighted_tables(), st.sampled_from([0.0, 0.25, 1.0]), st.sampled_from(["category", "exclude", "wildcard"]))
def test_frequencies_by_pairs_of_records(table, alpha, missing_qis):
    rows, weights = table
    classes = form_equivalence_classes(frame_of(rows), ["x", "y", "z"])
    f, population_f = (
        figures[classes.class_of_record]
        for figures in frequencies(classes, np.bincount(classes.class_of_record, weights), missing_qis, alpha)
    )
    for i, mine in enumerate(rows):
        shares = [Fraction(int(mine == other)) for other in rows]
        if missing_qis == "wildcard":
            for j, other in enumerate(rows):
                if mine != other and agree(mine, other):
                    shares[j] = Fraction(alpha) if None in other else Fraction(1)
        if missing_qis == "exclude" and None in mine:
            continue
        assert f[i] == pytest.approx(float(sum(shares)), rel=1e-12)
        by_weights = sum(share * Fraction(w) for share, w in zip(shares, weights, strict=True))
        assert population_f[i] == pytest.approx(float(by_weights), rel=1e-12)


@SETTINGS
@given(st.lists(st.tuples(st.sampled_from([0.0, 0.1, 0.5, 1.0, None]), st.sampled_from(["a", "b", None]))))
def test_household_risk_by_hand(people):
    own = np.array([np.nan if r is None else r for r, _ in people], dtype=float)
    found = household_risk(own, pd.Series([h for _, h in people], dtype=object)).of_each
    for i, (mine, household) in enumerate(people):
        members = [people[i]] if household is None else [p for p in people if p[1] == household]
        expected = 1.0 - math.prod(1.0 - (r or 0.0) for r, _ in members)
        assert math.isnan(found[i]) if mine is None else found[i] == pytest.approx(expected, rel=1e-12)


def test_tiny_risks_of_a_household_do_not_vanish():
    found = household_risk(np.array([1e-18, 3e-18]), pd.Series([1, 1]))
    np.testing.assert_allclose(found.of_each, 4e-18, rtol=1e-12)


def test_weights_below_one_never_make_a_population_smaller_than_the_sample():
    classes = form_equivalence_classes(pd.DataFrame({"x": ["a", "a", "b"]}), ["x"])
    assert risk_of_classes(classes, np.array([0.5, 0.5])).of_each.tolist() == [0.5, 1.0]


def test_no_records_at_all():
    classes = form_equivalence_classes(pd.DataFrame({"x": pd.Series([], dtype=object)}), ["x"])
    found = risk_of_classes(classes, np.empty(0), "wildcard")
    assert (found.n_evaluated, found.global_risk, found.highest) == (0, None, None)
    assert household_risk(found.of_each, pd.Series([], dtype=object)).expected_reidentifications == 0.0


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([1.0, None, None], "2 of 3 are missing"),
        ([1.0, 0.0, -3.0], "2 of 3 are 0 or below"),
        (["1", "2", "many"], "fewer than 10 of 3 values are text"),
        ([1.0, 2.0, float("inf")], "fewer than 10 of 3 values are infinite"),
    ],
)
def test_faulty_weights(weights, words):
    with pytest.raises(FaultyInputError, match=words) as caught:
        checked_weights(pd.Series(weights, name="w"))
    assert "many" not in str(caught.value)


@pytest.mark.parametrize("wrong", [{"alpha": 2.0}, {"empty_records": "drop"}])
def test_faulty_settings(wrong):
    classes = form_equivalence_classes(pd.DataFrame({"x": ["a", None]}, dtype=object), ["x"])
    with pytest.raises(FaultyInputError, match="allowed"):
        risk_of_classes(classes, **{"missing_qis": "wildcard", **wrong})


@examples(120)
@given(st.lists(st.tuples(st.integers(1, 40), st.floats(0, 50)), min_size=1, max_size=12))
def test_figures_by_class_are_those_by_record_to_the_last_digit(groups):
    """Of each class its people, and the population that they stand for beside themselves."""
    sizes = np.array([size for size, _ in groups])
    frame = pd.DataFrame({"x": np.repeat([f"class {i:02}" for i in range(len(groups))], sizes)})
    classes = form_equivalence_classes(frame, ["x"])
    weights = np.array([size + beyond for size, beyond in groups])
    for method in RISK_FORMULAS:
        by_class = risk_of_classes(classes, weights, method=method)
        by_record = SampleRisk(by_class.of_each[classes.class_of_record], np.ones(classes.n_records))
        for figure in ("n_evaluated", "expected_reidentifications", "global_risk", "highest"):
            assert getattr(by_class, figure) == getattr(by_record, figure), figure
