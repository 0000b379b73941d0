"""The texts of a run: one that is short, with the verdict and where the rest is; one with everything; the screen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from disclosure_control.basics.telling.section_text import as_text
from disclosure_control.basics.telling.sections import AnswersGiven, Section, Sentence, Where
from disclosure_control.basics.telling.small_counts import FOR_CONTROLLER
from disclosure_control.basics.telling.words import capitalised
from disclosure_control.report.evidence.rules import rules_line
from disclosure_control.report.run_told import RunTold
from disclosure_control.report.text import full_privacy_report, short_privacy_report

CHANGE_WHAT_LEAVES = {"treatment", "release"}
MOST_FIRST_LINES, MOST_NOTES = 3, 2  # beside the three questions, and about the inputs, in the short text


@dataclass(frozen=True)
class RunTexts:
    """``short`` has at most 80 lines with one sensitive feature; ``full`` has every section, ``full_on_screen`` too,
    but without the values of people that some sections contain.
    """

    short: str
    full: str
    full_on_screen: str


def run_texts(told: RunTold) -> RunTexts:
    """The texts of a run from the sections of its steps, as its reader may see them."""
    pilot, assessment, steps = told.pilot, told.assessment, told.steps
    verdict = told.verdict.text + rules_line(told.rules)
    notes = [f"NOTE: {notice}" for notice in told.notices]
    sections = [section for result in steps.values() for section in result.sections]
    answers = [] if told.verdict.before else [_only(section, AnswersGiven) for section in sections]
    others = as_text([_only(section, Sentence) for section in sections], Where.FIRST)
    whose = f"{capitalised(FOR_CONTROLLER)}.\n" if told.policy.is_exact else ""
    left_open = as_text([told.verdict.left_open], Where.TEXT)
    top = [
        whose,
        verdict,
        left_open,
        "".join(f"{note}\n" for note in notes),
        *(result.first_lines for result in steps.values()),
    ]
    report = full_privacy_report(pilot, assessment, told.policy)
    risk_first = not CHANGE_WHAT_LEAVES & set(steps)  # the deliverable's report, which knows neither of them
    of_risk = short_privacy_report(pilot, assessment, told.policy)
    may_leave = told.verdict.may_leave  # then neither what came in nor a next best step is asked for
    short = [
        whose,
        of_risk if risk_first else "",
        verdict,
        _capped(notes, MOST_NOTES),
        as_text(answers, Where.FIRST),
        _capped([line for line in others.splitlines() if line], MOST_FIRST_LINES),
        *(result.short for name, result in steps.items() if not may_leave or name in CHANGE_WHAT_LEAVES),
        "" if risk_first or may_leave else of_risk,
        _files(pilot, list(steps)),
    ]
    return RunTexts(
        short=_joined(short),
        full=_joined([*top, report, *(result.report for result in steps.values())]),
        full_on_screen=_joined([*top, report, *(result.on_screen for result in steps.values())]),
    )


def _only(section: Section, kind: type) -> Section:
    return replace(section, parts=[part for part in section.parts if isinstance(part, kind)])


def _joined(sections: Iterable[str]) -> str:
    return "\n".join(section for section in sections if section)


def _capped(lines: Sequence[str], at_most: int) -> str:
    if len(lines) <= at_most:
        return "".join(f"{line}\n" for line in lines)
    return "".join(f"{line}\n" for line in (*lines[:at_most], f"and {len(lines) - at_most} more"))


def _files(pilot: str, steps: Sequence[str]) -> str:
    ran = ", ".join(steps)
    return (
        "Files\n"
        f"  {pilot}_privacy_report.html: the report as one page, with drawings and the effect of other thresholds.\n"
        f"  {pilot}_privacy_details.txt: every section in full ({ran}), and which files are restricted.\n"
        f"  {pilot}_privacy_summary.json: the same figures for programs.\n"
    )
