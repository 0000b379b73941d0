"""The step ``context``: which points of the evidence the controller has answered, and which are open."""

from __future__ import annotations

from disclosure_control.steps.context.report import EvidenceInput, context_sections
from disclosure_control.steps.context.settings import QUESTIONS, ContextSettings, open_points
from disclosure_control.steps.running import StepInput, StepResult


def run_step(step: StepInput[ContextSettings]) -> StepResult:
    """Counts of answered and open points. An open point alone is no reason to hold the data."""
    still_open = open_points(step.settings, step.assessment.config)
    figures = {"answered": [name for name in QUESTIONS if name not in still_open], "open_points": still_open}
    treatment, risk = (step.earlier[name].figures if name in step.earlier else {} for name in ("treatment", "risk"))
    given = EvidenceInput(
        said=step.settings,
        still_open=still_open,
        config=step.assessment.config,
        columns=[str(name) for name in step.dataset.table.columns],
        dropped=treatment.get("columns_dropped", ()),
        is_treated="steps" in treatment,
        is_attacked="linkage_attack" in step.earlier,
        average_risk=risk.get("prosecutor", {}).get("average"),
    )
    return StepResult(figures, sections=context_sections(given), outcome=step.settings)
