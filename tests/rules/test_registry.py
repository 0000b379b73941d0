"""Books of rules: what their format allows, and that every figure that they name is one of a run."""

from __future__ import annotations

import pytest

from disclosure_control.identifiers.registry import kinds
from disclosure_control.rules.registry import book_of, references, rule_books
from disclosure_control.steps.context.settings import QUESTIONS
from study.operations import OperationKind
from tests.cases import each

BOOK = {"place": 1, "title": "T", "short": "H", "source": "S", "checked_against": "C", "address": "A", "about": "B"}
RULE = {"id": "a", "clause": "1", "asks": "what", "person": "Is it so?"}


def test_the_sources_that_were_asked_for_have_a_book():
    assert [book.name for book in rule_books()] == [
        *("hipaa_safe_harbor", "hipaa_expert_determination", "gdpr_wp216", "edpb_pseudonymisation", "ehds"),
        *("ema_policy_0070", "iso_27559", "nist_800_188", "phuse_sdtm"),
    ]


def test_safe_harbor_has_its_eighteen_identifiers_and_actual_knowledge():
    (book,) = (book for book in rule_books() if book.name == "hipaa_safe_harbor")
    assert [rule.clause for rule in book.rules] == [
        *(f"(b)(2)(i)({letter})" for letter in "ABCDEFGHIJKLMNOPQR"),
        "(b)(2)(ii)",
    ]
    assert all(rule.columns for rule in book.rules[:-1])


def test_every_title_speaks_of_evidence():
    assert [book.title for book in rule_books() if not book.title.startswith("Evidence ")] == []


def test_rules_name_what_the_house_has():
    rules = [rule for book in rule_books() for rule in book.rules]
    asked = [rule.columns for rule in rules if rule.columns]
    assert {kind for one in asked for kind in one.kinds} <= set(kinds())
    assert {name for one in asked for name in one.operations} <= {str(kind) for kind in OperationKind}
    assert {name for rule in rules for name in rule.statements} <= set(QUESTIONS)
    assert len(set(references())) == len(rules)


@each(
    "rule, fault",
    [
        (RULE | {"figure": []}, "unknown word figure"),
        (RULE | {"columns": {"kind": []}}, "unknown word kind"),
        (RULE | {"figures": [{"path": "k", "says": "", "most": 1}]}, "unknown word most"),
        ({key: RULE[key] for key in ("id", "clause", "asks")}, "nothing fulfils it"),
    ],
)
def test_a_rule_with_a_fault_is_refused(rule, fault):
    with pytest.raises(ValueError, match=fault):
        book_of("mine", BOOK | {"rules": [rule]})


def test_two_rules_with_one_id_are_refused():
    with pytest.raises(ValueError, match="same id"):
        book_of("mine", BOOK | {"rules": [RULE, RULE]})
