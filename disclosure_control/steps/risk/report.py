"""The report of the step ``risk``: the three questions first, then the result of each section."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from disclosure_control.assess.told import ToldModel
from disclosure_control.attack.questions import Answer
from disclosure_control.basics.telling.sections import AnswersGiven, Part, Section, Sentence, Style, Where
from disclosure_control.basics.telling.told_outside import STRICT, ToldCounts
from disclosure_control.steps.risk.sections import SECTIONS, by_group, key_sets

TITLE = "Risk beyond k, l and t"
ASK_FOR_ALL = (
    'With "risk": "all" in the config this section says what each quasi-identifier adds, and which sets of facts '
    "single people out."
)


def risk_sections(
    found: Mapping[str, Any], answers: Mapping[str, Answer], not_computed: Mapping[str, str]
) -> tuple[Section, ...]:
    """One section of the texts; on the pages who is at risk, and why. ``found`` are the sections' findings, by name."""
    questions = AnswersGiven("of the pilot as it came in", tuple(answers.values()), Where.FIRST | Where.PAGE)
    on_pages: dict[str, list[Part]] = {"who": [questions] if answers else [], "why": []}
    for name in reversed([*found]):
        if SECTIONS[name].on_page:
            on_pages[SECTIONS[name].on_page] += _shown(SECTIONS[name].words(found[name]), Where.PAGES)
    if not {"attribute_effects", "key_sets"} & {*found}:
        on_pages["why"].append(Sentence(ASK_FOR_ALL, Style.SMALL, Where.PAGES))
    in_texts: list[Part] = []
    for name in sorted(found, key=lambda name: SECTIONS[name].place_in_report or SECTIONS[name].place):
        in_texts += _shown(SECTIONS[name].words(found[name]), Where.TEXT)
    in_texts += [Sentence(f"Not computed: {name} {why}.") for name, why in not_computed.items()]
    if answers:
        in_texts.append(replace(questions, where=Where.EVIDENCE | Where.TEXT))
    pages = [Section(key, "", parts) for key, parts in on_pages.items()]
    return (Section("risk", TITLE, in_texts), *pages)


def sections_outside(found: Mapping[str, Any], counts: ToldCounts, k: ToldModel) -> tuple[Section, ...]:
    """Shares of groups, and sets of facts that single people out, as they may be shared."""
    groups = found["by_group"].groups if "by_group" in found and k.risky is not None else {}
    told: dict[str, Any] = {
        "by_group": by_group.RiskByGroup(by_group.outside(groups, counts), k.risky_rate, STRICT.threshold)
    }
    if "key_sets" in found:
        told["key_sets"] = key_sets.outside(found["key_sets"], counts)
    return risk_sections(told, {}, {})


def _shown(parts: Iterable[Part], where: Where) -> list[Part]:
    return [replace(part, where=part.where & where) for part in parts if part.where & where]
