"""The pages of a run: one for the controller and, on request, one for outside."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from disclosure_control.assess.assessment import Assessment
from disclosure_control.assess.outside import assessment_outside, curves_outside
from disclosure_control.assess.report import page_sections
from disclosure_control.assess.threshold_curves import threshold_curves
from disclosure_control.assess.told import told_assessment
from disclosure_control.basics.telling.sections import Section, Where
from disclosure_control.basics.telling.small_counts import MASKED, ForController, ForOthers
from disclosure_control.basics.telling.told_outside import STRICT, ToldCounts
from disclosure_control.report.evidence.rules import rules_section
from disclosure_control.report.page.page import privacy_page
from disclosure_control.report.run_told import RunTold
from disclosure_control.steps.running import StepResult


def page_inside(told: RunTold[ForController], beside: Sequence[Section]) -> str:
    """The page of the controller; ``beside`` are sections that no step makes."""
    return privacy_page(told.pilot, [*told.sections, *_verdict(told), *beside])


def page_outside(told: RunTold[ForOthers], beside: Collection[str]) -> str:
    """The page to share. It names what the controller's page has and it has not; ``beside`` are keys of sections there
    that no step makes.
    """
    ran = {one.key for one in (*told.sections, *_verdict(told)) if any(one.shown(Where.PAGE))} | {*beside}
    shared = [*sections_outside(told.assessment, told.steps), *_verdict(told)]
    return privacy_page(told.pilot, shared, is_shareable=True, withheld=ran)


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
