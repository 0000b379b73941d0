"""The step ``context``: which points of the evidence the controller has answered, and which are open."""

from __future__ import annotations

from dataclasses import asdict

from disclosure_control.steps.context.report import AttemptedRisk, EvidenceInput, context_sections
from disclosure_control.steps.context.settings import QUESTIONS, ContextSettings, open_points
from disclosure_control.steps.running import StepInput, StepResult


def run_step(step: StepInput[ContextSettings]) -> StepResult:
    """Counts of answered and open points. An open point alone is no reason to hold the data."""
    still_open = open_points(step.settings, step.assessment.config)
    # Averages and names of columns, which no reader's policy masks.
    treatment, risk = (step.earlier[name].figures if name in step.earlier else {} for name in ("treatment", "risk"))
    averages = {
        "before": risk.get("prosecutor", {}).get("average"),
        "as_released": treatment.get("as_released", {}).get("marketer_risk"),
    }
    attempt = step.settings.attempt_probability
    with_attempt = {
        about: AttemptedRisk(average, attempt * average)
        for about, average in averages.items()
        if attempt is not None and average is not None
    }
    figures: dict[str, object] = {
        "answered": [name for name in QUESTIONS if name not in still_open],
        "open_points": still_open,
    }
    if with_attempt:
        figures["with_attempt"] = {about: asdict(risk) for about, risk in with_attempt.items()}
    given = EvidenceInput(
        said=step.settings,
        still_open=still_open,
        config=step.assessment.config,
        columns=[str(name) for name in step.dataset.table.columns],
        dropped=treatment.get("columns_dropped", ()),
        changed={name for one in treatment.get("steps", ()) for name, n in one["changed"].items() if n != 0},
        is_treated="steps" in treatment,
        is_attacked="linkage_attack" in step.earlier,
        with_attempt=with_attempt,
    )
    return StepResult(figures, sections=context_sections(given), outcome=step.settings)
