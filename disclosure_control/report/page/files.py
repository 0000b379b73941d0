"""The pages of a run by file name: one for the house and, on request, one for outside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from disclosure_control.assess.assessment import Assessment
from disclosure_control.assess.outside import assessment_outside, curves_outside
from disclosure_control.assess.report import page_sections, told_assessment
from disclosure_control.assess.threshold_curves import threshold_curves
from disclosure_control.basics.telling.sections import Section, Where
from disclosure_control.basics.telling.small_counts import MASKED, ForController, ForOthers
from disclosure_control.basics.telling.told_outside import STRICT, ToldCounts
from disclosure_control.report.evidence.rules import rules_section
from disclosure_control.report.page.page import privacy_page
from disclosure_control.report.run_told import RunTold
from disclosure_control.steps.running import StepResult


@dataclass(frozen=True)
class PageFile:
    """A page by the name of its file; one that is not shareable is for the data controller alone."""

    name: str
    html: str
    is_shareable: bool


def page_files(
    inside: RunTold[ForController], beside: Sequence[Section], outside: RunTold[ForOthers] | None
) -> list[PageFile]:
    """``<PILOT>_privacy_report.html`` and, of what others may see, ``<PILOT>_privacy_report_shareable.html``.

    ``beside`` are sections that no step makes, for the controller. Without ``outside`` there is no page to share.
    """
    name = f"{inside.pilot}_privacy_report"
    sections = [*inside.sections, *_verdict(inside), *beside]
    pages = [PageFile(f"{name}.html", privacy_page(inside.pilot, sections), False)]
    if outside is not None:
        ran = {section.key for section in sections if any(section.shown(Where.PAGE))}
        shared = [*sections_outside(outside.assessment, outside.steps), *_verdict(outside)]
        html = privacy_page(inside.pilot, shared, is_shareable=True, withheld=ran)
        pages.append(PageFile(f"{name}_shareable.html", html, True))
    return pages


def _verdict(told: RunTold) -> list[Section]:
    return [told.verdict.section, rules_section(told.rules)]


def sections_outside(assessment: Assessment, steps: Mapping[str, StepResult]) -> list[Section]:
    """The shareable part of k, l and t, and of the steps that define one.

    Every reported count is far enough from every other one; earlier ones take precedence. If the pilot has fewer
    people than the threshold, nothing is reported.
    """
    counts = ToldCounts(assessment.k_anonymity.n_total)
    told = assessment_outside(told_assessment(MASKED, assessment), counts)
    of_steps = [
        section
        for result in steps.values()
        if result.outside is not None
        for section in result.outside(counts, told.k_anonymity)
    ]
    curves = curves_outside(threshold_curves(assessment, coarse=True), told, counts)
    return [*page_sections(STRICT, told, curves), *of_steps]
