"""The step ``sweep``: a grid of treatments and parameters, each tried on the original, with its risk and its utility.

    "sweep": {"grid": [{"method": "band", "column": "DM__AGE", "width": [5, 10, 15]},
                       {"name": "ten years, rare ones out",
                        "steps": [{"method": "band", "column": "DM__AGE", "width": 10},
                                  {"method": "suppress_cells", "k": [3, 5, 10]}]}]}

Risk is of the values as they would be released, without the bins through which the config looks at the data.
"""

from __future__ import annotations

from disclosure_control.basics.drawings import can_draw
from disclosure_control.steps.running import StepInput, StepResult
from disclosure_control.steps.sweep.grid import SweepPoint, points_of
from disclosure_control.steps.sweep.report import SUMMARY, summary_figures, summary_table, sweep_report
from disclosure_control.steps.sweep.trial import Sweep, pareto_front, sweep

__all__ = ["Sweep", "SweepPoint", "pareto_front", "points_of", "run_step", "summary_table", "sweep"]


def run_step(step: StepInput) -> StepResult:
    """Try the grid: ``risk_utility_summary.csv``, three figures as PNG and SVG, and the section of the report."""
    recommended = getattr(step.earlier.get("recommend"), "outcome", None)
    found = sweep(
        step.dataset.typed_table,
        step.assessment.config,
        **step.settings,
        folder=step.folder,
        recommended=getattr(recommended, "treatment", None),
    )
    files = {}
    if can_draw():
        from disclosure_control.steps.sweep.figures import sweep_figures

        files = sweep_figures(found.rows)
    figures = summary_figures(found, step.settings, step.assessment.config, [SUMMARY, *files])
    return StepResult(
        figures,
        sweep_report(figures),
        tables={SUMMARY: summary_table(found.rows)},
        files=files,
        inputs=found.inputs,
        outcome=found,
    )
