"""The step ``sweep``: a grid of treatments and parameters, each tried on the original, with its risk and its utility.

    "sweep": {"grid": [{"method": "band", "column": "DM__AGE", "width": [5, 10, 15]},
                       {"name": "ten years, rare ones out",
                        "steps": [{"method": "band", "column": "DM__AGE", "width": 10},
                                  {"method": "suppress_cells", "k": [3, 5, 10]}]}]}

Risk is measured on the released values, without the config's bins.
"""

from __future__ import annotations

from disclosure_control.analyses.sweep.drawing import sweep_figures
from disclosure_control.analyses.sweep.report import SUMMARY, summary_table, sweep_sections, told_sweep
from disclosure_control.analyses.sweep.settings import SweepSettings
from disclosure_control.analyses.sweep.trial import sweep
from disclosure_control.basics.drawings.figures import figure_files
from disclosure_control.basics.telling.small_counts import MASKED, Policy
from disclosure_control.remedy.treatments.recommendation import Recommendation
from disclosure_control.steps.running import StepInput, StepResult, StepTold


def run_step(step: StepInput[SweepSettings]) -> StepResult:
    """Try the grid: ``risk_utility_summary.csv``, three figures, and the section of the report."""
    settings = step.settings
    outcome = step.earlier["recommend"].outcome if "recommend" in step.earlier else None
    found = sweep(
        step.dataset.everybody.typed_table,
        step.assessment.config,
        settings.points,
        settings.seed,
        settings.eigenvalue_columns,
        folder=step.folder,
        recommended=outcome.treatment if isinstance(outcome, Recommendation) else None,
    )
    files = figure_files(sweep_figures([row.told(MASKED) for row in found.rows]), settings.figures)  # handed on

    def tell(policy: Policy) -> StepTold:
        told = told_sweep(policy, found, settings, step.assessment.config, [SUMMARY, *files])
        return StepTold(told, sweep_sections(told))

    tables = {SUMMARY: summary_table(found.rows)}
    return StepResult.told_by(tell, tables=tables, files=files, hand_to_hand=frozenset(files), inputs=found.inputs)
