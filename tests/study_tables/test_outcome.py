"""The outcome that a config names: regressions against scipy's, survival against published figures, and settings."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.stats import linregress

from disclosure_control.basics.settings.fields import faults_of
from disclosure_control.basics.settings.kinds import Place
from disclosure_control.study_tables.asked import OutcomeAsked
from disclosure_control.study_tables.comparison import State, compared_tables
from disclosure_control.study_tables.registry import study_tables
from disclosure_control.study_tables.regression import least_squares, logistic
from disclosure_control.study_tables.side import PersonRows, StudySide
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
    frame = pd.DataFrame(
        {
            "ID": [f"P{i:02}" for i in range(42)],
            "weeks": TIME,
            "relapse": np.where(EVENT, "1", "0"),
            "treatment": np.where(GROUP == 0, "6-MP", "Placebo"),
        }
    ).astype({"ID": "str", "relapse": "str", "treatment": "str"})
    found = study_tables(side_with(frame, asked("relapse", "treatment", time="weeks")))["outcome.PATIENTS__relapse"]
    assert found.columns == ("6-MP", "Placebo")
    assert found.p_value == pytest.approx(4.17e-5, rel=0.01)
    np.testing.assert_allclose(found.value[row(found, "day 30")], [0.4482, 0.0], atol=5e-5)


@each(
    "given, words",
    [
        ({"column": "A__x"}, "['by']: missing"),
        ({"by": ["A__y"]}, "['column']: missing"),
        ({"column": "A__x", "by": []}, "allowed: a list"),
        ({"column": "A__x", "by": ["A__y", "A__z"], "time": "A__t"}, "found 2 columns"),
        ({"column": "A__x", "by": ["A__y"], "times": "A__t"}, "unknown key 'times'"),
    ],
)
def test_faults_of_an_outcome_are_told(given, words):
    assert any(words in fault for fault in faults_of(OutcomeAsked, given, PLACE))


def test_an_outcome_may_be_without_fault():
    assert faults_of(OutcomeAsked, {"column": "A__x", "by": ["A__y"]}, PLACE) == []
