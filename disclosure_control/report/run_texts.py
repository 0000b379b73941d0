"""The texts of a run: one that is short, with the verdict and where the rest is; one with everything; the screen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from disclosure_control.assess.assessment import Assessment
from disclosure_control.basics.telling.section_text import as_text
from disclosure_control.basics.telling.sections import AnswersGiven, Section, Sentence, Where
from disclosure_control.report.text import generate_full_privacy_report, short_privacy_report
from disclosure_control.steps.running import StepResult

MOST_FIRST_LINES, MOST_NOTES = 3, 2  # beside the three questions, and about the inputs, in the short text


@dataclass(frozen=True)
class RunTexts:
    """``short`` has at most 80 lines with one sensitive feature; ``full`` has every section, ``full_on_screen`` too,
    but without the values of people that some sections contain.
    """

    short: str
    full: str
    full_on_screen: str


def run_texts(
    pilot: str, assessment: Assessment, steps: Mapping[str, StepResult], notices: Sequence[str], verdict: str = ""
) -> RunTexts:
    """The texts of a run from the sections of its steps; ``notices`` are sentences about its inputs."""
    notes = [f"NOTE: {notice}" for notice in notices]
    sections = [section for result in steps.values() for section in result.sections]
    answers = [_only(section, AnswersGiven) for section in sections]
    others = as_text([_only(section, Sentence) for section in sections], Where.FIRST)
    top = [verdict, "".join(f"{note}\n" for note in notes), *(result.first_lines for result in steps.values())]
    report = generate_full_privacy_report(pilot, assessment)
    short = [
        verdict,
        _capped(notes, MOST_NOTES),
        as_text(answers, Where.FIRST),
        _capped([line for line in others.splitlines() if line], MOST_FIRST_LINES),
        *(result.short for result in steps.values()),
        short_privacy_report(pilot, assessment),
        _files(pilot, steps),
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


def _files(pilot: str, steps: Mapping[str, StepResult]) -> str:
    ran = ", ".join(steps)
    return (
        "Files\n"
        f"  {pilot}_privacy_report.html: the report as one page, with drawings and the effect of other thresholds.\n"
        f"  {pilot}_privacy_details.txt: every section in full ({ran}), and which files are restricted.\n"
        f"  {pilot}_privacy_summary.json: the same figures for programs.\n"
    )
