"""The key context: what it may hold, and which points stand open."""

from __future__ import annotations

import pytest

from config.model_settings import config_of_valid_keys
from disclosure_control.steps.context.settings import QUESTIONS, ContextSettings, open_points
from disclosure_control.steps.context.step import run_step
from disclosure_control.steps.running import StepResult
from tests.cases import each
from tests.config_keys import faults_of_key, settings_of_key
from tests.kept import changed_since_kept
from tests.ninety_people import step_on_ninety
from tests.run.synthetic_pilot import CONFIG, DISTRICT

ROLES = dict.fromkeys(("DM__SEX", f"SC__{DISTRICT}", "DM__AGE", "VS__BMI"), "a neighbour knows it")
EVERYTHING = {
    "purpose": "a study of growth",
    "legal_basis": "consent",
    "recipient": "the University of Nowhere",
    "environment": "under agreement",
    "controls": "contract of 2026",
    "threat_model": "a curious colleague",
    "attempt_probability": 0.3,
    "roles": ROLES | {"LB__Cholesterol": "a finding"},
    "thresholds": {"K": "house rule", "L": "house rule", "T": "30 mg/dL is a class of treatment"},
    "missing_values": "everybody is evaluated",
    "utility": "mean cholesterol by age",
    "residual_risk": "accepted by the board",
    "approver": "the data protection officer",
    "approved_on": "2026-01-15",
    "review_date": "2027-01-15",
    "custodian": "the trustee of the hospital, by vote of the ethics committee",
}


def points(**settings) -> list[str]:
    return open_points(ContextSettings(**settings), config_of_valid_keys(CONFIG))


@each("name", QUESTIONS)
def test_each_point_is_open_by_itself(name):
    assert points(**{key: value for key, value in EVERYTHING.items() if key != name}) == [name]


def test_one_column_or_threshold_without_a_reason_leaves_the_point_open():
    assert points(**EVERYTHING | {"roles": ROLES}) == ["roles"]
    assert points(**EVERYTHING | {"thresholds": {"K": "x", "L": "y"}}) == ["thresholds"]


def test_what_is_said_is_read():
    assert settings_of_key("context", EVERYTHING) == ContextSettings(**EVERYTHING)


@each(
    ("changes", "says"),
    [
        ({"porpose": "x"}, "did you mean 'purpose'"),
        ({"purpose": " "}, "a text that is not blank"),
        ({"environment": "the internet"}, '"public" or'),
        ({"attempt_probability": 1.2}, "from 0 to 1"),
        ({"attempt_probability": True}, "from 0 to 1"),
        ({"environment": "public"}, "whatever is public is attacked"),
        ({"roles": {"DM__SEXX": "x"}}, "did you mean 'DM__SEX'"),
        ({"roles": ["DM__SEX"]}, "column -> why"),
        ({"thresholds": {"M": "x"}}, "known: K, L, T"),
        ({"approved_on": "15.1.2026"}, "a date such as"),
        ({"approved_on": "20260115"}, "a date such as"),
        ({"review_date": "2026-01-15"}, "not after approved_on"),
        ({"word": True}, "gone since version 4.0.0; pandoc evidence/anonymisation_report.md -o report.docx"),
        ({"catalogue": {}}, "gone since version 4.0.0; describe the dataset"),
    ],
)
def test_faults(changes, says):
    columns = ["USUBJID", *EVERYTHING["roles"]]
    (fault,) = faults_of_key("context", EVERYTHING | changes, CONFIG, columns)
    assert fault.startswith("context")
    assert says in fault


def test_all_faults_at_once():
    assert len(faults_of_key("context", {"purpose": 5, "approver": "", "recipients": "x"})) == 3
    assert len(faults_of_key("context", "research")) == 1


def test_a_public_release_may_say_nothing_of_attempts_or_that_they_are_certain():
    for attempt in ({}, {"attempt_probability": 1}, {"attempt_probability": 1.0}):
        assert faults_of_key("context", {"environment": "public", **attempt}) == []


@pytest.mark.parametrize("said", ["everything", "most", "nothing"])
def test_the_chapters_of_the_evidence(said):
    """With a treatment that drops and changes columns, an attack and averages of the risk, or without any of them."""
    settings = {"everything": EVERYTHING, "most": EVERYTHING | {"roles": ROLES}, "nothing": {}}[said]
    treated = {"as_released": {"marketer_risk": 0.125}, "columns_dropped": ["SC__STATE", "DM__ZIP"]}
    treated["steps"] = [{"changed": {"DM__AGE": 3, "DM__SEX": 0}}]
    found = {"treatment": treated, "risk": {"prosecutor": {"average": 0.5}}, "linkage_attack": {}}
    earlier = {name: StepResult(figures) for name, figures in found.items() if said != "nothing"}
    result = run_step(step_on_ninety(ContextSettings(**settings), earlier))
    assert changed_since_kept(f"context_{said}", {"figures": result.figures, "sections": result.sections}) == {}
