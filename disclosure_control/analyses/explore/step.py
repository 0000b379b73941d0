"""The step ``explore``: a pilot's columns and their associations, as tables and as figures.

Only the CSV files and figures, which only the controller can read, contain people's values; the report and the
screen name columns and counts.
"""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pandas as pd

from config import MERGE_REPORT, RESULTS_FOLDER
from disclosure_control.analyses.explore import tables
from disclosure_control.analyses.explore.columns import cross_table
from disclosure_control.analyses.explore.drawing import draw_exploration
from disclosure_control.analyses.explore.exploration import Exploration, explore
from disclosure_control.analyses.explore.report import exploration_sections, told_exploration
from disclosure_control.analyses.explore.settings import ExploreSettings
from disclosure_control.assess.told import told_outside
from disclosure_control.basics.drawings.figures import figure_files, not_drawn
from disclosure_control.basics.telling.small_counts import NoteForReaders, Policy, people_on_screen
from disclosure_control.identifiers.column_findings import Grade
from disclosure_control.identifiers.outcome import IdentifierOutcome
from disclosure_control.steps.running import StepInput, StepResult, StepTold

MOST_CROSSED = 40


def run_step(step: StepInput[ExploreSettings]) -> StepResult:
    """Tables and figures of the pilot; the report names every file."""
    settings: ExploreSettings = step.settings
    config = step.assessment.config
    found = explore(step.dataset.everybody.typed_table, config, settings, units_of(step.folder), naming_columns(step))
    frames = exploration_tables(found, step.dataset.everybody.subjects)
    files = figure_files(draw_exploration(found, step.assessment), settings.figures)
    if none_drawn := not_drawn(settings.figures):
        found.notes.append(none_drawn)
    written = [*frames, *files]

    def tell(policy: Policy) -> StepTold:
        assessed = {name: one["missing"] for name, one in told_outside(policy, step.assessment).items()}
        told = told_exploration(policy, found, assessed)
        return StepTold(told, exploration_sections(told, found, written))

    return StepResult.told_by(tell, tables=frames, files=files)


def naming_columns(step: StepInput[ExploreSettings]) -> set[str]:
    """Columns whose values name people, by the findings of the step ``identifiers``: they are no measurements."""
    outcome = step.earlier["identifiers"].outcome if "identifiers" in step.earlier else None
    if not isinstance(outcome, IdentifierOutcome):
        return set()
    return {finding.name for finding in outcome.in_dataset if finding.grade is Grade.NAMES_A_PERSON and finding.vetoes}


def units_of(folder: Path) -> dict[str, str]:
    """The units known to the merge, by column; none without its report."""
    try:
        report = json.loads((folder / RESULTS_FOLDER / MERGE_REPORT).read_text(encoding="utf-8"))
        return {str(name): str(unit) for name, unit in report["units"].items()}
    except (OSError, ValueError, KeyError, AttributeError, TypeError):
        return {}


def exploration_tables(found: Exploration, subjects: pd.Series) -> dict[str, pd.DataFrame]:
    """Every table by its file name; the notes of ``found`` say what is left out for length."""
    crossed = found.categories[:MOST_CROSSED]
    if len(found.categories) > MOST_CROSSED:
        found.notes.append(
            f"Cramér's V of the first {MOST_CROSSED} of {len(found.categories)} columns with few values."
        )
    roles = [column for column in found.columns if column.role != "other"]
    small, n_small = tables.small_level_table(roles, found.settings.small_level)
    outliers, n_outliers = tables.outlier_table(found.columns, subjects)
    limit = f"{tables.MOST_ROWS_PER_COLUMN:,} per column"
    if n_small:
        found.notes.append(f"explore_small_levels.csv: {n_small} more values are not listed, for length ({limit}).")
    if n_outliers:
        words = f"more people are not listed, for length ({limit})."
        masked = people_on_screen(n_outliers)
        found.notes.append(NoteForReaders.of(lambda n: f"explore_outliers.csv: {n} {words}", n_outliers, masked))
    return {
        "explore_columns.csv": tables.column_table(found.columns),
        "explore_levels.csv": tables.level_table(found.categories),
        "explore_small_levels.csv": small,
        "explore_associations.csv": tables.association_table(
            [cross_table(one, other) for one, other in itertools.combinations(crossed, 2)]
        ),
        "explore_spearman.csv": tables.correlation_table(found.correlations),
        "explore_outliers.csv": outliers,
    }
