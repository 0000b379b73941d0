"""The config key ``context``: what a file alone cannot tell of a release, said by the controller."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from config.model_settings import PilotConfig
from disclosure_control.basics.settings.settings import SHARE, Check, faults_of_settings, is_value, one_of
from disclosure_control.basics.telling.faults import faults_of_columns, stop_at

KEY = "context"
PUBLIC = "public"
ENVIRONMENTS = (PUBLIC, "under agreement", "secure environment", "in the house")
MODELS = ("K", "L", "T")


def _open(question: str) -> Any:
    return field(default=None, metadata={"question": question})


@dataclass(frozen=True)
class ContextSettings:
    """What the controller says; None, or an entry that is not there, is an open point.

    ``attempt_probability`` in [0, 1]: that somebody tries to find a person, higher is riskier. ``roles``: by column,
    why it has its role. ``thresholds``: by K, L and T, why that number. Dates are ISO 8601.
    """

    purpose: str | None = _open("What are the data released for?")
    legal_basis: str | None = _open("On what legal basis?")
    recipient: str | None = _open("Who receives them?")
    environment: str | None = _open("Where will they be kept and used?")
    controls: str | None = _open("What binds the recipient: contract, technical and organisational measures?")
    threat_model: str | None = _open("Who might try to find a person, with what knowledge and motive?")
    attempt_probability: float | None = _open("How probable is it that somebody tries?")
    roles: Mapping[str, str] = field(
        default_factory=dict, metadata={"question": "Why is each column a quasi-identifier, or sensitive?"}
    )
    thresholds: Mapping[str, str] = field(
        default_factory=dict, metadata={"question": "Why these thresholds K, L and T?"}
    )
    missing_values: str | None = _open("Why this policy for missing values?")
    utility: str | None = _open("What must the data still be good for?")
    residual_risk: str | None = _open("Why is the risk that is left acceptable?")
    approver: str | None = _open("Who approves the release?")
    approved_on: str | None = _open("When was it approved?")
    review_date: str | None = _open("When is this decision looked at again?")


QUESTIONS: dict[str, str] = {one.name: one.metadata["question"] for one in fields(ContextSettings)}


def _is_date(value: object) -> bool:
    try:
        return isinstance(value, str) and datetime.date.fromisoformat(value).isoformat() == value
    except ValueError:
        return False


def _is_said(value: object) -> bool:
    return isinstance(value, str) and is_value(value)


def _are_said(value: object) -> bool:
    return isinstance(value, dict) and all(map(_is_said, value)) and all(map(_is_said, value.values()))


_TEXT: Check = (_is_said, "a text that is not blank")
_DATE: Check = (_is_date, "a date such as 2026-06-30")
_CHECKS: dict[str, Check] = dict.fromkeys(QUESTIONS, _TEXT) | {
    "environment": one_of(*ENVIRONMENTS),
    "attempt_probability": SHARE,
    "roles": (_are_said, "a dictionary, column -> why it has its role"),
    "thresholds": (
        lambda value: isinstance(value, dict) and _are_said(value) and set(value) <= set(MODELS),
        "a dictionary, K, L or T -> why this number",
    ),
    "approved_on": _DATE,
    "review_date": _DATE,
}


def read_settings(value: object, config: PilotConfig, columns: Sequence[str] | None) -> ContextSettings:
    """The settings of the key. Raises ``FaultyInputError`` with every fault of them."""
    faults = faults_of_settings(KEY, value, _CHECKS)
    stop_at(faults)
    assert isinstance(value, dict)
    settings = ContextSettings(**value)
    faults = faults_of_columns(f"{KEY}['roles']", settings.roles, columns)
    if settings.environment == PUBLIC and settings.attempt_probability not in (None, 1):
        faults.append(
            f"{KEY}['attempt_probability']: found {settings.attempt_probability!r}; whatever is public is attacked, so "
            "1 is allowed there (EMA Policy 0070, Health Canada); set 1, or another environment"
        )
    if settings.approved_on and settings.review_date and settings.review_date <= settings.approved_on:
        faults.append(f"{KEY}['review_date']: not after approved_on; allowed: a later date")
    stop_at(faults)
    return settings


def faults_without_records(settings: ContextSettings, config: PilotConfig) -> list[str]:
    """None: nothing here looks at records."""
    return []


def open_points(settings: ContextSettings, config: PilotConfig) -> list[str]:
    """Names of the settings that say nothing, or not all: roles of every named column, reasons for every threshold."""
    named = [*config.quasi_identifiers, *config.sensitive_features]
    models = MODELS if config.sensitive_features else MODELS[:1]
    wanted = {"roles": set(named) - set(settings.roles), "thresholds": set(models) - set(settings.thresholds)}
    return [name for name in QUESTIONS if wanted.get(name, getattr(settings, name) is None)]
