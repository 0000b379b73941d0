"""The rules of authorities in the evidence of a run: every book and rule, in both forms, and one line on the screen."""

from __future__ import annotations

import json

import pytest

from disclosure_control.report.evidence.pack import RULES_HTML, RULES_MD
from disclosure_control.rules.registry import rule_books
from tests.run.synthetic_pilot import DONE, INPUT_AT_FAULT, leaks

REFERENCE = "hipaa_safe_harbor:ii"


def summary_of(pilot) -> dict:
    return json.loads((pilot.results / f"{pilot.name}_privacy_summary.json").read_text(encoding="utf-8"))


def test_every_rule_has_its_line_and_its_figure(pilot):
    for name in (RULES_MD, RULES_HTML):
        text = (pilot.results / name).read_text(encoding="utf-8")
        assert [book.title for book in rule_books() if book.title not in text] == []
        assert leaks(text) == []
    lines = (pilot.results / RULES_MD).read_text(encoding="utf-8").splitlines()
    n_rules = sum(len(book.rules) for book in rule_books())
    assert sum(line.startswith("| ") and not line.startswith("| Rule |") for line in lines) == n_rules
    text = " ".join(lines)
    assert [book.name for book in rule_books() if f"were checked against {book.checked_against}." not in text] == []
    stands = summary_of(pilot)["rules"]["books"]
    assert {name: list(rules) for name, rules in stands.items()} == {
        book.name: [rule.id for rule in book.rules] for book in rule_books()
    }


@pytest.mark.thorough("0.4 s")
def test_a_decision_closes_its_rule_and_an_unknown_rule_is_a_fault(pilot, doors):
    decided = {"by": "the board", "on": "2026-01-15", "says": "No such way is known."}
    pilot.configure(context={"rules": {REFERENCE: decided}})
    assert doors.start(2).status == DONE
    assert "No such way is known. (the board, 2026-01-15)" in (pilot.results / RULES_MD).read_text(encoding="utf-8")
    pilot.configure(context={"rules": {"hipaa_safe_harbour:ii": decided, REFERENCE: {"by": "the board"}}})
    run = doors.start(2)
    assert run.status == INPUT_AT_FAULT
    assert f"['{REFERENCE}']['on']: missing" in run.err
    pilot.configure(context={"rules": {"hipaa_safe_harbour:ii": decided}})
    assert f"did you mean '{REFERENCE}'" in doors.start(2).err
