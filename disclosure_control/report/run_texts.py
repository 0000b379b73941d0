"""The texts of a run: one that is short, with the verdict and where the rest is; one with everything; the screen."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from Anonymization_Models import ModelResult
from disclosure_control.assess.assessment import Assessment
from disclosure_control.assess.report import MOST_FEATURES, assessment_sections
from disclosure_control.basics.telling.section_text import as_text
from disclosure_control.basics.telling.sections import AnswersGiven, Section, Sentence, Where
from disclosure_control.basics.telling.small_counts import FOR_CONTROLLER, MASKED, Policy
from disclosure_control.basics.telling.words import capitalised, share_text
from disclosure_control.report.evidence.rules import rules_line
from disclosure_control.report.run_told import RunTold

CHANGE_WHAT_LEAVES = {"treatment", "release"}
MOST_LINES, WIDTH, MOST_NOTES = 45, 110, 2  # of the short text; notes of steps and of the inputs
IN_DETAILS = " ... (details)"


@dataclass(frozen=True)
class RunTexts:
    """``short`` has at most 45 lines of at most 110 characters; ``full`` has every section, ``full_on_screen`` too,
    but without the values of people that some sections contain.
    """

    short: str
    full: str
    full_on_screen: str


def run_texts(told: RunTold) -> RunTexts:
    """The texts of a run from the sections of its steps, as its reader may see them."""
    pilot, assessment, steps = told.pilot, told.assessment, told.steps
    verdict = told.verdict.text + rules_line(told.rules)
    head = as_text([section for section in told.sections if section.key == "head"], Where.FIRST)
    sections = [section for result in steps.values() for section in result.sections]
    answers = [] if told.verdict.before else [_only(section, AnswersGiven) for section in sections]
    others = as_text([_only(section, Sentence) for section in sections], Where.FIRST)
    whose = f"{capitalised(FOR_CONTROLLER)}.\n" if told.policy.is_exact else ""
    notes = [f"NOTE: {notice}" for notice in told.notices]
    top = [
        f"{whose}{head}",
        verdict,
        as_text([told.verdict.at_length], Where.TEXT),
        "".join(f"{note}\n" for note in notes),
        *(result.first_lines for result in steps.values()),
    ]
    report = full_privacy_report(pilot, assessment, told.policy)
    changed = CHANGE_WHAT_LEAVES & set(steps)  # the deliverable's report comes first, which knows neither of them
    of_risk = short_privacy_report(pilot, assessment, told.policy)
    reasons = {reason.sentence for reason in told.verdict.reasons}
    notes = [note for note in notes if not any(sentence in note for sentence in reasons)]
    short = [
        whose + (head if changed else of_risk),
        verdict,
        as_text(answers, Where.FIRST),
        _capped([one for one in (*others.splitlines(), *notes) if one]),
        *(result.short for name, result in steps.items() if not changed or name in changed),
        of_risk if changed and not told.verdict.may_leave else "",
    ]
    return RunTexts(
        short=_fitted(_joined(short), _files(pilot)),
        full=_joined([*top, report, *(result.report for result in steps.values())]),
        full_on_screen=_joined([*top, report, *(result.on_screen for result in steps.values())]),
    )


def _only(section: Section, kind: type) -> Section:
    return replace(section, parts=[part for part in section.parts if isinstance(part, kind)])


def _joined(sections: Iterable[str]) -> str:
    return "\n".join(section for section in sections if section)


def _capped(notes: Sequence[str]) -> str:
    """Notes with a list below them, then others: columns that wait for a decision stand nowhere else in short."""
    notes = sorted(notes, key=lambda one: "\n" not in one)
    more = [f"and {len(notes) - MOST_NOTES} more"] if len(notes) > MOST_NOTES else []
    return "".join(f"{note}\n" for note in (*notes[:MOST_NOTES], *more))


def _fitted(text: str, last: str) -> str:
    """The text and the ``last`` lines below it in the width and number of lines of a screen.

    A sentence has at most two lines; what is cut is in the details.
    """
    lines = [one for line in text.splitlines() for one in _in_width(line)]
    most = MOST_LINES - len(last.splitlines()) - 1
    lines = (
        lines if len(lines) <= most else [*lines[: most - 1], f"{len(lines) - most + 1} more lines are in the details."]
    )
    return "\n".join([*lines, "", last])


def _in_width(line: str) -> list[str]:
    if len(line) <= WIDTH:
        return [line]
    indent = " " * (len(line) - len(line.lstrip()) + 2)
    wrapper = textwrap.TextWrapper(
        WIDTH, subsequent_indent=indent, max_lines=2, placeholder=IN_DETAILS, break_on_hyphens=False
    )
    return wrapper.wrap(line)


def _files(pilot: str) -> str:
    return (
        f"Files: {pilot}_privacy_report.html, the report as one page with drawings;\n"
        f"  {pilot}_privacy_details.txt, every section in full; {pilot}_privacy_summary.json, for programs.\n"
    )


def full_privacy_report(pilot: str, assessment: Assessment, policy: Policy = MASKED) -> str:
    """The report as text: quasi-identifiers, binning, one table per model, and what the figures leave out.

    It contains no record and no subject. If nothing else is said it may be handed on: small counts are masked.
    """
    return as_text(assessment_sections(policy, pilot, assessment), Where.FILE)


def short_privacy_report(pilot: str, assessment: Assessment, policy: Policy = MASKED) -> str:
    """The same figures in few lines, however many quasi-identifiers there are; the full report has the rest."""
    return as_text(assessment_sections(policy, pilot, assessment), Where.SHORT)


def risky_shares(assessment: Assessment) -> str:
    """The share at risk by each model, in one line; of many sensitive features the largest share by l and by t."""
    by_model: dict[str, list[ModelResult]] = {}
    for one in assessment.results:
        by_model.setdefault(one.model[0], []).append(one)
    words = []
    for letter, results in by_model.items():
        if len(results) <= MOST_FEATURES:
            of = [f"{letter}{f' of {one.sensitive}' if one.sensitive else ''}" for one in results]
            words += [f"{name}: {share_text(one.risky_rate)}" for name, one in zip(of, results, strict=True)]
            continue
        most = max((one.risky_rate for one in results if one.risky_rate is not None), default=None)
        n_none = sum(one.risky_rate is None for one in results)
        not_told = f" ({n_none} of them could not be evaluated)" if n_none else ""
        words.append(f"{letter}, the largest of {len(results)} sensitive features: {share_text(most)}{not_told}")
    return "; ".join(words)
