"""The pages of a run by file name: one for the house and, on request, one for outside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from disclosure_control.assess.assessment import Assessment
from disclosure_control.assess.outside import assessment_outside, curves_outside
from disclosure_control.assess.report import page_sections, told_assessment
from disclosure_control.assess.threshold_curves import threshold_curves, without_small_counts
from disclosure_control.basics.telling.sections import Section, Where
from disclosure_control.basics.telling.small_counts import HAND_TO_HAND
from disclosure_control.basics.telling.told_outside import ToldCounts
from disclosure_control.report.page.page import privacy_page
from disclosure_control.steps.running import StepResult


@dataclass(frozen=True)
class PageFile:
    """A page by the name of its file; one that is not shareable is for the data controller alone."""

    name: str
    html: str
    is_shareable: bool


def page_files(
    pilot: str,
    assessment: Assessment,
    steps: Mapping[str, StepResult],
    sections: Sequence[Section],
    beside: Sequence[Section],
    with_shareable: bool,
) -> list[PageFile]:
    """``<PILOT>_privacy_report.html`` and, if wanted, ``<PILOT>_privacy_report_shareable.html``.

    ``sections`` are those of the controller; ``beside`` the ones that no step makes, the verdict among them.
    """
    name = f"{pilot}_privacy_report"
    sections = [*sections, *beside]
    pages = [PageFile(f"{name}.html", privacy_page(pilot, sections), False)]
    if with_shareable:
        ran = {section.key for section in sections if any(section.shown(Where.PAGE))}
        outside = [*sections_outside(assessment, steps), *beside]
        html = privacy_page(pilot, outside, is_shareable=True, withheld=ran)
        pages.append(PageFile(f"{name}_shareable.html", html, True))
    return pages


def controller_sections(
    assessment: Assessment, notices: Sequence[str], steps: Mapping[str, StepResult]
) -> list[Section]:
    """The controller's report on k, l and t, and on every step; ``notices`` are sentences about the inputs."""
    curves = without_small_counts(threshold_curves(assessment), HAND_TO_HAND)
    found = page_sections(told_assessment(assessment, notices), curves)
    return [*found, *(section for result in steps.values() for section in result.sections)]


def sections_outside(assessment: Assessment, steps: Mapping[str, StepResult]) -> list[Section]:
    """The shareable part of k, l and t, and of the steps that define one.

    Every reported count is far enough from every other one; earlier ones take precedence. If the pilot has fewer
    people than the threshold, nothing is reported.
    """
    counts = ToldCounts(assessment.k_anonymity.n_total)
    told = assessment_outside(told_assessment(assessment), counts)
    of_steps = [
        section
        for result in steps.values()
        if result.outside is not None
        for section in result.outside(counts, told.k_anonymity)
    ]
    curves = curves_outside(threshold_curves(assessment, coarse=True), told, counts)
    return [*page_sections(told, curves, for_outside=True), *of_steps]
