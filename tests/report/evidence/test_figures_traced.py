"""Every figure of the rules is traced to the path beside it, or to a person; what sources say is no figure.

Those of the anonymisation report are traced in ``test_same_numbers.py``.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from disclosure_control.report.evidence.pack import REPORT_HTML, REPORT_MD, RULES_HTML, RULES_MD
from disclosure_control.rules.registry import rule_books
from tests.report.figures_for_others import figures_for_others
from tests.report.numbers_told import NUMBER, is_said, numbers_in
from tests.run.fixtures import kept_screen
from tests.run.synthetic_pilot import DONE, Doors, SyntheticPilot, copy_of
from tests.steps.context.test_context import EVERYTHING

KEY, KEY_OF_RELEASE = "TRACED_KEY", "a key of this test alone, 0123456789 abcdefghij"
DECIDED = {"by": "the board", "on": "2026-01-15", "says": "Twice looked at, by 41 people."}
STATED = EVERYTHING | {
    "custodian": "the trustee of floor 17",
    "rules": {"hipaa_safe_harbor:R": DECIDED},
}
ALL_STEPS = {
    "risk": "all",
    "identifiers": {},
    "release": {"key_from": {"environment": KEY}},
}
OF_A_SMALL_PILOT = ALL_STEPS | {
    "linkage_attack": {"identified": "known.csv", "id": "USUBJID", "known": ["DM__SEX"]},
    "treatment": [{"method": "band", "column": "DM__AGE", "width": 20}],
}


pytestmark = pytest.mark.thorough("1.7 s: a run with every step")


@pytest.fixture(scope="module")
def told_of_once(finished_template, tmp_path_factory) -> tuple[SyntheticPilot, dict]:
    """A small pilot after a run with every step that the pack tells of, and its figures for others."""
    pilot = copy_of(finished_template, tmp_path_factory.mktemp("told"))
    known = pilot.folder / "known.csv"
    known.write_text(pilot.combined.read_text(encoding="utf-8"), encoding="utf-8")
    pilot.configure(**OF_A_SMALL_PILOT, context=STATED)
    with kept_screen() as screen, pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setenv(KEY, KEY_OF_RELEASE)
        with figures_for_others() as figures:
            run = Doors(pilot.desk, monkeypatch, screen).start(2)
    assert run.status == DONE, run.err
    return pilot, figures


@pytest.fixture
def told_of(told_of_once, tmp_path) -> SyntheticPilot:
    """A copy of it of one's own."""
    return copy_of(told_of_once[0].root, tmp_path)


@pytest.fixture
def evidence(told_of, told_of_once) -> tuple[Path, dict]:
    """Its folder of results, and the figures that others may see."""
    return told_of.results, told_of_once[1]


def text_of(results: Path, name: str) -> str:
    return (results / name).read_text(encoding="utf-8")


def rows_of(text: str) -> list[list[str]]:
    """The rows of tables in Markdown, without marks, heads and lines below them."""
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [re.sub(r"\\(.)", r"\1", line).strip("| ").split(" | ") for line in lines]


def texts_in(value: Any) -> Iterable[str]:
    """Every text of a dictionary, the longest first."""
    found = [value] if isinstance(value, str) else []
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    for one in inner:
        found += texts_in(one)
    return sorted(found, key=len, reverse=True)


def without(text: str, said: Iterable[str]) -> str:
    for one in (one for one in said if re.search(r"[^\W\d]", one)):  # not the full stop of a number
        text = text.replace(one, " ")
    return text


# ---------------------------------------------------------------- rules


def untraced_rules(results: Path, summary: dict) -> list[tuple[str, str]]:
    """Numbers of rules that are not at the paths beside them; the rule and the number."""
    rules = [(book, rule) for book in rule_books() for rule in book.rules]
    rows = [row for row in rows_of(text_of(results, RULES_MD)) if row[0] != "Rule"]
    assert len(rows) == len(rules)
    found = []
    for (book, rule), (clause, asks, _, shows, *paths) in zip(rules, rows, strict=True):
        assert (clause, asks) == (rule.clause, rule.asks)
        of_source = [piece for one in rule.figures for piece in one.says.split("{value}")]
        line = re.sub(r'\("context": .*?\}\}\}\}?\)|and \d+ more', " ", without(shows, (rule.person, *of_source)))
        named = [path.strip() for path in " ".join(paths).split(",") if path.strip()]
        values = [one for path in named for one in figures_at(summary, path)]
        stated = [one for path in named if path.startswith("config.") for one in texts_in(at(summary, path))]
        for number in NUMBER.findall(without(line, stated)):
            if not is_said(number, values):
                found.append((book.reference(rule), number))
    return found


def at(summary: Mapping, path: str) -> Any:
    """The value at a path whose names may have dots and blanks of their own."""
    value: Any = summary
    parts = path.split(".")
    while parts and isinstance(value, Mapping):
        name = parts.pop(0)
        value = value.get(name)
    return value


def figures_at(summary: Mapping, path: str) -> list[float]:
    """The numbers at a path, and how many entries it has."""
    value = at(summary, path)
    return [*numbers_in(value), *([float(len(value))] if isinstance(value, list | dict) else [])]


@pytest.mark.thorough("1.4 s")
def test_every_number_of_a_rule_is_at_the_path_beside_it(evidence):
    assert untraced_rules(*evidence) == []


def test_a_number_that_nobody_counted_is_found(evidence):
    """The test above can fail: one digit that is changed is named."""
    results, summary = evidence
    rules = results / RULES_MD
    changed = rules.read_text(encoding="utf-8").replace("People who came in: 12.", "People who came in: 13.")
    rules.write_text(changed, encoding="utf-8")
    assert untraced_rules(results, summary) == [("ehds:who", "13")]


# ---------------------------------------------------------------- the anonymisation report


def test_no_line_of_a_config_and_no_path_stands_in_the_reasons(evidence):
    """Lines to paste repeated the folder of an earlier release; they are the controller's, and the reasons stay."""
    results, summary = evidence
    residual = text_of(results, REPORT_MD).partition("Residual risk")[2].partition("Loss of utility")[0]
    residual = re.sub(r"\\(.)", r"\1", residual)
    sentences = [one["sentence"] for one in summary["verdict"]["reasons"]]
    assert sentences
    assert [one for one in sentences if one not in residual] == []
    assert "Next:" not in residual
    assert '": {' not in residual


@pytest.mark.parametrize(("page", "text"), [(REPORT_HTML, REPORT_MD), (RULES_HTML, RULES_MD)])
def test_the_page_has_the_numbers_of_the_text(evidence, page, text):
    """In their order, with those of the words of drawings."""
    results, _ = evidence
    shown = re.sub(r"<style>.*?</style>", "", text_of(results, page), flags=re.S)
    drawn = [html.unescape(words) for words in re.findall(r'aria-label="([^"]*)" preserve', shown)]
    shown = re.sub(r"<svg.*?</svg>", "", shown, flags=re.S)
    words = html.unescape(re.sub(r"<[^>]+>", " ", shown.partition("<header>")[2]))
    of_page = Counter(NUMBER.findall(" ".join([words, *drawn])))
    of_text = Counter(NUMBER.findall(re.sub(r"\\(.)", r"\1", text_of(results, text))))
    assert of_page == of_text
