"""The outcome that a config names: regressions against scipy's, survival against published figures, and settings."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.stats import linregress

from disclosure_control.basics.settings.fields import faults_of
from disclosure_control.basics.settings.kinds import Place
from disclosure_control.study_tables.comparison import State, compared_tables
from disclosure_control.study_tables.registry import study_tables
from disclosure_control.study_tables.regression import OutcomeAsked, cox, least_squares, logistic
from disclosure_control.study_tables.rows import PersonRows
from disclosure_control.study_tables.side import StudySide
from tests.cases import each
from tests.study_tables.sides import model_of, row
from tests.study_tables.test_survival import EVENT, GROUP, TIME

PLACE = Place("outcome")
N = 300
RNG = np.random.default_rng(5)
AGE, SEX = RNG.normal(60, 10, N).round(1), RNG.choice(["F", "M"], N)
STROKE = RNG.random(N) < 1 / (1 + np.exp(-(0.08 * (AGE - 62) + 0.9 * (SEX == "M"))))
PATIENTS = pd.DataFrame(
    {
        "ID": [f"P{i:03}" for i in range(N)],
        "age": AGE,
        "sex": SEX,
        "stroke": np.where(STROKE, "yes", "no"),
        "pressure": (90 + 0.7 * AGE + RNG.normal(0, 5, N)).round(1),
    }
).astype({"ID": "str", "sex": "str", "stroke": "str"})
# The logarithm of the white blood cells of the 42 children, in the order of WEEKS: Kleinbaum and Klein, table 1.
BLOOD_CELLS = [
    *(2.31, 4.06, 3.28, 3.20, 4.43, 2.80, 2.96, 2.70, 2.60, 2.88, 3.60, 2.16, 2.05, 2.01, 2.32, 2.57, 1.78, 2.20, 2.53),
    *(1.47, 1.45, 2.80, 5.00, 4.91, 4.48, 4.01, 4.36, 2.42, 3.49, 3.97, 3.52, 3.05, 2.32, 3.26, 3.49, 2.12, 1.50, 3.06),
    *(2.30, 2.95, 2.73, 1.97),
]
CHILDREN = pd.DataFrame(
    {
        "ID": [f"P{i:02}" for i in range(42)],
        "weeks": TIME,
        "relapse": np.where(EVENT, "1", "0"),
        "treatment": np.where(GROUP == 0, "6-MP", "Placebo"),
        "cells": BLOOD_CELLS,
    }
).astype({"ID": "str", "relapse": "str", "treatment": "str"})


def side_with(frame: pd.DataFrame, outcome: OutcomeAsked, like: StudySide | None = None) -> StudySide:
    model = model_of({"PATIENTS": frame}, "ID") if like is None else like.model
    rows = {"PATIENTS": PersonRows(frame, np.arange(len(frame)))}
    return StudySide(rows, model, np.ones(len(frame), dtype=bool), like, outcome)


def asked(column: str, *by: str, time: str | None = None) -> OutcomeAsked:
    return OutcomeAsked(f"PATIENTS__{column}", tuple(f"PATIENTS__{name}" for name in by), time and f"PATIENTS__{time}")


@given(st.integers(0, 2**31), st.integers(8, 60))
def test_least_squares_is_that_of_scipy(seed, n):
    rng = np.random.default_rng(seed)
    x, y = rng.normal(5, 2, n), rng.normal(0, 1, n)
    found, expected = least_squares(np.column_stack([np.ones(n), x]), y), linregress(x, y)
    assert found is not None
    assert found.value == pytest.approx([expected.intercept, expected.slope])
    assert found.error == pytest.approx([expected.intercept_stderr, expected.stderr])


@given(st.integers(0, 2**31), st.integers(30, 80))
def test_the_logistic_regression_has_the_largest_likelihood(seed, n):
    rng = np.random.default_rng(seed)
    design = np.column_stack([np.ones(n), rng.normal(0, 1, n)])
    outcome = (rng.random(n) < 1 / (1 + np.exp(-design @ [0.2, 0.8]))).astype(float)
    found = logistic(design, outcome)
    assume(found is not None)

    def loss(value: np.ndarray) -> float:
        linear = design @ value
        return float(np.logaddexp(0, linear).sum() - outcome @ linear)

    best = minimize(loss, np.zeros(2), method="BFGS", options={"gtol": 1e-8})
    np.testing.assert_allclose(found.value, best.x, atol=1e-4)
    share = 1 / (1 + np.exp(-design @ found.value))
    information = sum(p * (1 - p) * np.outer(x, x) for p, x in zip(share, design, strict=True))
    np.testing.assert_allclose(found.error, np.sqrt(np.diag(np.linalg.inv(information))), rtol=1e-6)


def test_outcomes_that_a_predictor_separates_have_no_coefficients():
    design = np.column_stack([np.ones(20), np.arange(20.0)])
    assert logistic(design, (np.arange(20) >= 10).astype(float)) is None
    assert least_squares(np.column_stack([design, design[:, 1]]), np.arange(20.0)) is None


def test_an_outcome_of_two_values_has_log_odds_and_one_of_numbers_a_slope():
    found = study_tables(side_with(PATIENTS, asked("stroke", "age", "sex")))["outcome.PATIENTS__stroke"]
    assert found.value[row(found, "PATIENTS__age"), 0] == pytest.approx(0.08, abs=0.04)
    assert any(name.startswith("PATIENTS__sex ") for name in found.rows)
    slope = study_tables(side_with(PATIENTS, asked("pressure", "age")))["outcome.PATIENTS__pressure"]
    expected = linregress(PATIENTS["age"], PATIENTS["pressure"])
    assert slope.value[0, 0] == pytest.approx(expected.slope)
    assert slope.error[0, 0] == pytest.approx(expected.stderr)


def test_a_coefficient_that_noise_destroys_moved_and_one_of_a_column_that_goes_is_lost():
    before = side_with(PATIENTS, asked("stroke", "age"))
    shuffled = PATIENTS.assign(age=PATIENTS["age"].sample(frac=1, random_state=1).to_numpy())
    key, analysis, came_in = "outcome.PATIENTS__stroke", asked("stroke", "age"), study_tables(before)
    moved = compared_tables(came_in, study_tables(side_with(shuffled, analysis, before)))[key]
    assert moved.states.tolist() == [[State.MOVED]]
    lost = compared_tables(came_in, study_tables(side_with(PATIENTS.drop(columns="age"), analysis, before)))[key]
    assert lost.states.tolist() == [[State.LOST]]
    same = compared_tables(came_in, study_tables(side_with(PATIENTS, analysis, before)))[key]
    assert same.states.tolist() == [[State.HELD]]


def test_an_outcome_with_a_time_is_tested_as_published():
    """The leukaemia data of Freireich: chi-squared 16.79 with one degree of freedom."""
    found = study_tables(side_with(CHILDREN, asked("relapse", "treatment", time="weeks")))["outcome.PATIENTS__relapse"]
    assert found.columns == ("6-MP", "Placebo")
    assert found.p_value == pytest.approx(4.17e-5, rel=0.01)
    np.testing.assert_allclose(found.value[row(found, "day 30")], [0.4482, 0.0], atol=5e-5)


def test_several_predictors_of_a_time_have_hazards_as_published():
    """R: coxph(Surv(time, status) ~ treatment + log_wbc) prints 1.386 (0.425) and 1.691 (0.336)."""
    both = asked("relapse", "treatment", "cells", time="weeks")
    found = study_tables(side_with(CHILDREN, both))["outcome.PATIENTS__relapse"]
    treated = next(name for name in found.rows if name.startswith("PATIENTS__treatment "))
    sign = 1 if "Placebo against" in treated else -1
    np.testing.assert_allclose(sign * found.value[row(found, treated), 0], 1.386, atol=5e-4)
    np.testing.assert_allclose(found.error[row(found, treated), 0], 0.425, atol=5e-4)
    cells = row(found, "PATIENTS__cells")
    np.testing.assert_allclose([found.value[cells, 0], found.error[cells, 0]], [1.691, 0.336], atol=5e-4)


@pytest.mark.thorough("0.6 s")
def test_predictors_that_say_who_is_first_have_no_hazards():
    time = np.arange(1.0, 31)
    assert cox(np.column_stack([-time, np.ones(30)]), time, np.ones(30, dtype=bool)) is None
    assert cox(-time[:, None], time, np.ones(30, dtype=bool)) is None
    # Of one group nobody has the event: the fit stops at a coefficient of 26, with an error of thousands.
    group = np.arange(30.0) % 2
    assert cox(group[:, None], time, group == 1) is None


def test_without_the_library_several_predictors_of_a_time_are_a_fault(monkeypatch):
    monkeypatch.setitem(sys.modules, "statsmodels", None)
    given = {"column": "A__x", "by": ["A__y", "A__z"], "time": "A__t"}
    (fault,) = faults_of(OutcomeAsked, given, PLACE)
    assert "pip install -r requirements/survival.txt" in fault
    assert faults_of(OutcomeAsked, {**given, "by": ["A__y"]}, PLACE) == []


@each(
    "given, words",
    [
        ({"column": "A__x"}, "['by']: missing"),
        ({"by": ["A__y"]}, "['column']: missing"),
        ({"column": "A__x", "by": []}, "allowed: a list"),
        ({"column": "A__x", "by": ["A__y"], "times": "A__t"}, "unknown key 'times'"),
    ],
)
def test_faults_of_an_outcome_are_told(given, words):
    assert any(words in fault for fault in faults_of(OutcomeAsked, given, PLACE))


def test_an_outcome_may_be_without_fault():
    assert faults_of(OutcomeAsked, {"column": "A__x", "by": ["A__y"]}, PLACE) == []
