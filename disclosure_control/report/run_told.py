"""What a run says to one reader: its verdict, its figures and its sections, all under the policy of that reader."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic

from disclosure_control import __version__
from disclosure_control.assess.assessment import Assessment
from disclosure_control.assess.report import page_sections
from disclosure_control.assess.threshold_curves import threshold_curves, without_small_counts
from disclosure_control.assess.told import told_assessment
from disclosure_control.basics.telling.plain import plain
from disclosure_control.basics.telling.reasons import Reason
from disclosure_control.basics.telling.sections import Section
from disclosure_control.basics.telling.small_counts import (
    EXACT,
    FOR_CONTROLLER,
    MASKED,
    WHAT_MASKED_MEANS,
    ForController,
    ForOthers,
    Policy,
    Reader,
)
from disclosure_control.report.evidence.rules import rules_figures
from disclosure_control.report.verdict import LeavingProduct, Verdict, verdict_on, what_leaves
from disclosure_control.rules.judging import JudgedBook, judged_books
from disclosure_control.steps.running import StepResult, for_reader


@dataclass(frozen=True)
class RunTold(Generic[Reader]):
    """A run as its reader may see it. What is made for others takes a ``RunTold[ForOthers]`` and no other one.

    ``steps`` are the reader's, ``sections`` those of k, l and t and of every step, ``summary`` is the JSON summary,
    ``rules`` are those of authorities as they stand.
    """

    policy: Reader
    pilot: str
    assessment: Assessment
    notices: Sequence[str]
    steps: Mapping[str, StepResult]
    leaving: LeavingProduct
    verdict: Verdict
    summary: dict[str, Any] = field(repr=False)
    sections: Sequence[Section] = field(repr=False)
    rules: Sequence[JudgedBook] = ()

    def with_rules(self, rules: Sequence[JudgedBook]) -> RunTold[Reader]:
        """The same with the rules of authorities as they stand, which its summary has, too."""
        return replace(self, rules=rules, summary={**self.summary, "rules": rules_figures(rules)})


def run_told(
    policy: Reader,
    pilot: str,
    assessment: Assessment,
    results: Mapping[str, StepResult],
    inputs: Mapping[str, dict],
    notices: Sequence[str] = (),
    further: Sequence[Reason] = (),
    config: Mapping[str, Any] | None = None,
    declared: tuple[str, ...] = (),
) -> RunTold[Reader]:
    """The run of the ``pilot`` for one reader; ``results`` are those of its steps, ``inputs`` the files that were read.

    ``notices`` are sentences about the inputs, ``further`` reasons to hold beside those of the steps, ``config`` the
    literal of the run. ``declared`` by it are edits of the dataset, which the verdict names.
    """
    steps = for_reader(results, policy)
    product: LeavingProduct = what_leaves(steps)
    leaving = replace(product, not_looked_at=(*declared, *product.not_looked_at))
    verdict = replace(verdict_on(leaving, steps, further, config), pilot=pilot)
    summary = privacy_summary(policy, pilot, assessment, inputs, notices)
    figures = {name: result.figures for name, result in steps.items()}
    return RunTold(
        policy,
        pilot,
        assessment,
        notices,
        steps,
        leaving,
        verdict,
        {**summary, "verdict": verdict.figures, **figures},
        controller_sections(policy, assessment, notices, steps),
    )


def told_to_both(*run_of: Any) -> tuple[RunTold[ForController], RunTold[ForOthers]]:
    """A run, as ``run_told`` is given it, for the controller and for others, with the rules of authorities."""
    inside, outside = run_told(EXACT, *run_of), run_told(MASKED, *run_of)
    rules = judged_books(inside.summary, outside.summary)
    return inside.with_rules(rules), outside.with_rules(rules)


def controller_sections(
    policy: Policy, assessment: Assessment, notices: Sequence[str], steps: Mapping[str, StepResult]
) -> list[Section]:
    """The report on k, l and t, and on every step; ``notices`` are sentences about the inputs."""
    curves = without_small_counts(threshold_curves(assessment), policy)
    found = page_sections(policy, told_assessment(policy, assessment, notices), curves)
    return [*found, *(section for result in steps.values() for section in result.sections)]


def privacy_summary(
    policy: Policy,
    pilot: str,
    assessment: Assessment,
    inputs: Mapping[str, dict],
    notices: Sequence[str] = (),
) -> dict[str, Any]:
    """The assessment as plain numbers; ``{PILOT}_privacy_summary.json`` has them exactly.

    For others, small counts are masked, which is None. ``notices`` are sentences about the inputs, besides those of the
    assessment.
    """
    return {
        "schema": 2,
        **({"for": FOR_CONTROLLER} if policy.is_exact else {"masked": WHAT_MASKED_MEANS}),
        "version": __version__,
        "pilot": pilot,
        "config": assessment.config.literal,
        "inputs": inputs,
        **plain(told_assessment(policy, assessment, notices)),
    }
