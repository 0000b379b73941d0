"""The step ``context``: which points of the evidence the controller has answered, and which stand open."""

from __future__ import annotations

from disclosure_control.steps.context.report import context_report
from disclosure_control.steps.context.settings import QUESTIONS, ContextSettings, open_points
from disclosure_control.steps.running import StepInput, StepResult


def run_step(step: StepInput[ContextSettings]) -> StepResult:
    """Counts of answered and open points. An open point is no reason to hold by itself: it is told, and counted."""
    still_open = open_points(step.settings, step.assessment.config)
    figures = {"answered": [name for name in QUESTIONS if name not in still_open], "open_points": still_open}
    return StepResult(figures, context_report(still_open), outcome=step.settings)
