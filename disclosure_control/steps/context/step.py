"""The step ``context``: which points of the evidence the controller has answered, and which stand open."""

from __future__ import annotations

from disclosure_control.steps.context.report import context_sections
from disclosure_control.steps.context.settings import QUESTIONS, ContextSettings, open_points
from disclosure_control.steps.running import StepInput, StepResult


def run_step(step: StepInput[ContextSettings]) -> StepResult:
    """Counts of answered and open points. An open point alone is no reason to hold the data."""
    still_open = open_points(step.settings, step.assessment.config)
    figures = {"answered": [name for name in QUESTIONS if name not in still_open], "open_points": still_open}
    return StepResult(figures, sections=context_sections(still_open), outcome=step.settings)
