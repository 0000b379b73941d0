"""A released column that gives a sensitive feature away: a reason to hold, and a yes to the third question."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from config.model_settings import validate_config
from disclosure_control.assess.assessment import assess
from disclosure_control.attack.leaving import Leaving, ReleaseFinding
from disclosure_control.attack.questions import beside_reasons, three_questions
from disclosure_control.attack.release_findings import ReleaseFindings
from disclosure_control.basics.telling.small_counts import EXACT
from disclosure_control.remedy.treatments.treat import treat
from disclosure_control.steps import READERS

N = 120
GENERATOR = np.random.default_rng(3)
ARM = GENERATOR.integers(0, 4, N)
TRIAL = pd.DataFrame(
    {
        "sex": np.where(np.arange(N) % 2, "F", "M"),
        "age": GENERATOR.integers(30, 80, N).astype(float),
        "arms": np.array(["A", "B", "C", "D"])[ARM],
        "treat": np.where(ARM, "yes", "no"),
        "cells": GENERATOR.normal(300, 80, N).round(),
    }
)
CONFIG = {
    "categorical_qis": ["sex"],
    "continuous_qis": ["age"],
    "binning_config": {},
    "sensitive_feature": ["treat"],
    "sensitive_binning_config_for_L": {},
    "K": 5,
    "L": 2,
    "T": 0.9,
}
BANDS = [{"method": "band", "column": "age", "width": 25}]


def findings(trial: pd.DataFrame, steps: list[dict], harmless: dict[str, str] | None = None, **asked):
    frame = trial.assign(USUBJID=[f"S{i}" for i in range(N)]).set_index("USUBJID")
    config = validate_config(CONFIG, list(frame.columns), READERS)
    treated = treat(frame, config, steps)
    return ReleaseFindings.of(Leaving.of(assess(frame, config), treated, harmless), **asked)(EXACT), treated


def test_an_arm_gives_the_sensitive_treatment_away():
    found, treated = findings(TRIAL, BANDS)
    (reason,) = (one for one in found.reasons() if one.infers)
    assert reason.sentence == (
        f"Released columns disclose the sensitive treat for {N} of {N} people with a value, by the column arms "
        f"(for {N})."
    )
    assert reason.changes[0].value == {"method": "drop_column", "columns": ["arms"]}
    answers = three_questions(EXACT, treated.as_released)
    assert answers["inference"].answer == "no"
    assert beside_reasons(answers, [reason])["inference"].answer == "yes"
    assert beside_reasons(answers, [reason])["singling_out"] == answers["singling_out"]


def test_nothing_is_attacked_where_what_single_facts_tell_is_enough():
    """The reasons found so far are those that ``is_enough`` is asked about."""
    assert [
        type(findings(TRIAL, BANDS, is_enough=is_enough)[0].attacked) is ReleaseFinding
        for is_enough in (bool, lambda reasons: not reasons)
    ] == [True, False]


def test_without_the_arm_nothing_gives_it_away():
    found, _ = findings(TRIAL, [*BANDS, {"method": "drop_column", "columns": ["arms"]}])
    assert not [one for one in found.reasons() if one.infers]


def test_a_dropped_feature_is_hidden_and_no_config_is_said_to_name_none():
    found, treated = findings(TRIAL, [*BANDS, {"method": "drop_column", "columns": ["treat"]}])
    assert [one.sentence.split(" for ")[0] for one in found.reasons() if one.infers] == [
        "Released columns disclose the original treat"
    ]
    answer = three_questions(EXACT, treated.as_released, sensitive=["treat"])["inference"]
    assert answer.sentence == "Not assessable: treat is not released."


def test_a_column_declared_harmless_is_not_counted_in_the_reason():
    """Arms give the treatment to everybody and are declared, a copy to the 30 people who have a value in it."""
    copy = TRIAL["arms"].where(np.arange(N) < 30)
    found, _ = findings(TRIAL.assign(copy=copy), BANDS)
    n_told = {one.variable: one.people_told for one in found.telling.told[0].by}
    assert n_told["arms"] == N
    assert 20 <= n_told["copy"] <= 30
    found, _ = findings(TRIAL.assign(copy=copy), BANDS, {"arms": "the study's design"})
    (reason,) = (one for one in found.reasons() if one.infers)
    assert "arms" not in reason.sentence
    assert f"of {N} people with a value, by the column copy" in reason.sentence
    assert reason.changes[0].value == {"method": "drop_column", "columns": ["copy"]}


@pytest.mark.parametrize("steps", [BANDS, [{"method": "drop_column", "columns": ["age", "arms", "cells", "sex"]}]])
def test_a_feature_without_any_value_and_columns_that_are_gone_end_nothing(steps):
    found, _ = findings(TRIAL.assign(treat=pd.Series([None] * N, dtype="str")), steps)
    assert not [one for one in found.reasons() if one.infers]
