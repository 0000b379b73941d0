"""What ``recommend`` finds by every engine: the same bytes, and what the treatments do to the records themselves."""

from __future__ import annotations

import json
import os

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from disclosure_control.assess.assessment import Assessment, evaluate
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.basics.telling.small_counts import Policy
from disclosure_control.remedy.treatments.treat import treat
from disclosure_control.steps.running import StepResult, run_steps
from tests.examples import examples
from tests.records.written_pilots import configs, limits, opened_with, rows, text_of


@pytest.fixture(autouse=True)
def quick_flush(monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


@st.composite
def asked(draw) -> dict:
    """Settings of the key; hierarchies of a binned column begin with its exact values, or with its bins."""
    ages = draw(st.sampled_from([{}, {"AGE": {"intervals": [2, 10]}}, {"AGE": "mask"}]))
    sexes = draw(st.sampled_from([{}, {"SEX": "mask"}]))
    metric = draw(st.sampled_from(["loss", "discernibility"]))
    limit = draw(st.sampled_from([0.0, 0.3, 1.0]))
    return {"hierarchies": ages | sexes, "metric": metric, "suppression_limit": limit, "time_limit": 600}


def recommended(opened, folder) -> StepResult:
    assessment = evaluate(opened.people, opened.config)
    return run_steps("P", folder, opened.dataset, assessment, left_out=("identifiers", "risk"))["recommend"]


def found_or_refused(engine, path, config, parts, folder) -> StepResult | list[str]:
    """What the step found, or the faults for which it is not taken."""
    with opened_with(engine, path, config, parts) as opened:
        try:
            return recommended(opened, folder)
        except FaultyInputError as error:
            return error.faults


@pytest.mark.thorough("1.7 s")
@examples(18)
@given(rows(), configs, limits, asked())
def test_the_same_bytes_as_in_memory(tmp_path_factory, people, config, parts, settings):
    folder = tmp_path_factory.mktemp("pilot")
    path = folder / "combined_dataset.csv"
    path.write_bytes(text_of(people))
    config = config | {"recommend": settings}
    found, expected = (found_or_refused(one, path, config, parts, folder) for one in ("disk", "memory"))
    if isinstance(expected, list):  # a column of nothing but missing values has no hierarchy
        assert found == expected
        return
    assert isinstance(found, StepResult)
    assert json.dumps(found.figures) == json.dumps(expected.figures)
    assert (found.report, found.short, found.outcome) == (expected.report, expected.short, expected.outcome)


@pytest.mark.parametrize("engine", [pytest.param("memory", marks=pytest.mark.thorough("0.3 s")), "disk"])
@examples(12)
@given(rows(16), configs, limits, asked())
def test_every_answer_is_what_its_treatment_does_to_the_records(
    tmp_path_factory, engine, people, config, parts, settings
):
    assume(any(person[1].strip() for person in people))  # a column without values has no hierarchy
    folder = tmp_path_factory.mktemp("pilot")
    path = folder / "combined_dataset.csv"
    path.write_bytes(text_of(people))
    config = config | {"recommend": settings}
    with pytest.MonkeyPatch.context() as unmasked:  # counts to the last person
        unmasked.setattr(Policy, "are_small", lambda self, counts: np.zeros(np.shape(counts), dtype=bool))
        with opened_with(engine, path, config, parts) as opened:
            figures = recommended(opened, folder).figures
    with opened_with("memory", path, config, parts) as opened:
        table, before = opened.dataset.everybody.typed_table, evaluate(opened.people, opened.config)
    assert figures["anybody_at_risk"] == any(at_risk(before, figures["models"]))
    for answer in figures["short_list"]:
        released = treat(table, opened.config, answer["treatment"], folder=folder)
        assert answer["suppressed"] == released.n_records_removed
        assert not any(at_risk(released.assessment, figures["models"]))


def at_risk(assessment: Assessment, models: list[str]) -> list[bool]:
    """Whom any of the models flags, record by record."""
    flags = [result.risky for result in assessment.results if result.model[0] in models]
    return [any(one) for one in zip(*flags, strict=True)] if flags else [False] * assessment.classes.n_records
