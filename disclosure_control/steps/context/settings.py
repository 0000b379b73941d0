"""The config key ``context``: what no file contains about a release, stated by the controller."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from config import COMBINED_DATASET
from config.model_settings import PilotConfig
from disclosure_control.basics.settings.fields import SettingsGroup, nested, setting, settings_in
from disclosure_control.basics.settings.kinds import DATE, SENTENCE, SHARE, Place, dictionary_of, one_of
from disclosure_control.basics.telling.faults import nearest_name
from disclosure_control.records.needs import no_records
from disclosure_control.rules.registry import references

PUBLIC = "public"
ENVIRONMENTS = (PUBLIC, "under agreement", "secure environment", "in the house")
MODELS = ("K", "L", "T")
_ROLES = dictionary_of(SENTENCE, "a dictionary, column -> why it has its role", are_columns=True)
_THRESHOLDS = dictionary_of(SENTENCE, "a dictionary, K, L or T -> why this number", known=MODELS)


@dataclass(frozen=True)
class DecisionOnRule(SettingsGroup):
    """What a person decided on a rule that no run can judge."""

    by: str = setting(SENTENCE, "who decided, by function rather than by name")
    on: str = setting(DATE, "when")
    says: str = setting(SENTENCE, "what was decided, and why")


@dataclass(frozen=True)
class ContextSettings(SettingsGroup):
    """The controller's statements; None, or a missing entry, is an open point.

    ``attempt_probability`` in [0, 1]: that somebody tries to find a person, higher is riskier. ``roles``: by column,
    why it has its role. ``thresholds``: by K, L and T, why that number. ``rules``: by the reference of a rule, what a
    person decided on it. Dates are ISO 8601.
    """

    purpose: str | None = setting(SENTENCE, "What are the data released for?", None)
    legal_basis: str | None = setting(SENTENCE, "On what legal basis?", None)
    recipient: str | None = setting(SENTENCE, "Who receives them?", None)
    environment: str | None = setting(one_of(*ENVIRONMENTS), "Where will they be kept and used?", None)
    controls: str | None = setting(
        SENTENCE, "What binds the recipient: contract, technical and organisational measures?", None
    )
    threat_model: str | None = setting(
        SENTENCE, "Who might try to find a person, with what knowledge and motive?", None
    )
    attempt_probability: float | None = setting(SHARE, "How probable is it that somebody tries?", None)
    roles: Mapping[str, str] = setting(_ROLES, "Why is each column a quasi-identifier, or sensitive?", {})
    thresholds: Mapping[str, str] = setting(_THRESHOLDS, "Why these thresholds K, L and T?", {})
    missing_values: str | None = setting(SENTENCE, "Why this policy for missing values?", None)
    utility: str | None = setting(SENTENCE, "What must the data still be good for?", None)
    residual_risk: str | None = setting(SENTENCE, "Why is the risk that is left acceptable?", None)
    approver: str | None = setting(SENTENCE, "Who approves the release?", None)
    approved_on: str | None = setting(DATE, "When was it approved?", None)
    review_date: str | None = setting(DATE, "When is this decision looked at again?", None)
    custodian: str | None = setting(
        SENTENCE, "Who keeps the key of the pseudonyms, where, and who may re-identify whom, how?", None
    )
    rules: Mapping[str, DecisionOnRule] = setting(
        dictionary_of(nested(DecisionOnRule), "a dictionary, rule -> {by, on, says}", names="rule"),
        "What was decided on a rule that no run can judge? evidence/rules.html lists them",
        {},
    )

    def check(self, place: Place, given: Mapping[str, Any]) -> Iterator[str]:
        """A probability that does not fit a public release, a review before the approval, and rules that nobody has.

        A combined dataset that was edited on purpose is declared as a decision, too.
        """
        known = tuple(references()) if self.rules else ()
        for name in self.rules:
            if name not in known and name.partition(" ")[0] != COMBINED_DATASET:
                nearest = nearest_name(name, known)
                yield f"{place['rules']}: unknown rule {name!r}{nearest}; evidence/rules.html lists all"
        if self.environment == PUBLIC and self.attempt_probability not in (None, 1):
            yield (
                f"{place['attempt_probability']}: found {self.attempt_probability!r}; whatever is public is attacked, "
                "so 1 is allowed there (EMA Policy 0070, Health Canada); set 1, or another environment"
            )
        if self.approved_on and self.review_date and self.review_date <= self.approved_on:
            yield f"{place['review_date']}: not after approved_on; allowed: a later date"


SETTINGS = ContextSettings
records_needed = no_records
QUESTIONS: dict[str, str] = {name: one.says for name, one in settings_in(ContextSettings).items() if name != "rules"}


def open_points(settings: ContextSettings, config: PilotConfig) -> list[str]:
    """Names of the settings without a complete statement: roles of every named column, reasons for every threshold."""
    named = [*config.quasi_identifiers, *config.sensitive_features]
    models = MODELS if config.sensitive_features else MODELS[:1]
    wanted = {"roles": set(named) - set(settings.roles), "thresholds": set(models) - set(settings.thresholds)}
    return [name for name in QUESTIONS if wanted.get(name, getattr(settings, name) is None)]
