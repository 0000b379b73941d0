"""The step ``explore``: what is in a pilot, column by column and between columns, as tables and as figures.

Values of people stand in the CSV files and figures alone, which the controller alone can read; the report and the
screen name columns and counts.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from config import RESULTS_FOLDER
from config.model_settings import PilotConfig
from disclosure_control.assess.combined_dataset import SUBJECT_COLUMN
from disclosure_control.assess.staleness import MERGE_REPORT
from disclosure_control.basics.drawings import HOW_TO_INSTALL, can_draw
from disclosure_control.basics.small_groups import SMALLEST_PRINTED_GROUP
from disclosure_control.basics.words import share_text, text_table
from disclosure_control.steps.explore import tables
from disclosure_control.steps.explore.associations import Correlation, cross_table, spearman_correlations
from disclosure_control.steps.explore.columns import ExploredColumn, explore_columns
from disclosure_control.steps.explore.settings import ExploreSettings
from disclosure_control.steps.running import StepInput, StepResult

MOST_CORRELATED, MOST_CROSSED = 40, 40
MOST_SHOWN = 10


# ---------------------------------------------------------------- what is found


@dataclass(frozen=True)
class Exploration:
    """Everything that tables and figures are made of; ``notes`` are what was left out, in sentences."""

    columns: list[ExploredColumn]
    correlations: list[Correlation]
    settings: ExploreSettings
    notes: list[str]

    def column(self, name: str) -> ExploredColumn:
        return next(column for column in self.columns if column.name == name)

    @property
    def numbers(self) -> list[ExploredColumn]:
        return [column for column in self.columns if column.kind == "number"]

    @property
    def categories(self) -> list[ExploredColumn]:
        """Columns with few values, numbers among them: those that can be tabulated."""
        return [column for column in self.columns if 1 <= column.n_distinct <= self.settings.max_levels]


def explore(
    table, config: PilotConfig, settings: ExploreSettings, units: Mapping[str, str] | None = None
) -> Exploration:
    """Explore a table with one row per person: its columns, and Spearman's correlation of its numbers.

    ``units`` by column, where they are known. Everything is counted once; the order of rows does not matter.
    """
    names = [name for name in settings.columns or table.columns if name != SUBJECT_COLUMN]
    extra = [settings.group, *(settings.mosaic or ()), *(settings.pairs or ())]
    extra += [name for pair in settings.cross_tables or () for name in pair]
    names += [name for name in dict.fromkeys(extra) if name and name not in names]
    columns = explore_columns(table, config, names, units or {})
    numeric = [column for column in columns if column.kind == "number" and column.n_distinct > 1]
    notes = []
    if len(numeric) > MOST_CORRELATED:
        notes.append(
            f"Correlations of the first {MOST_CORRELATED} of {len(numeric)} columns of numbers; name the ones you want "
            "under columns."
        )
    return Exploration(columns, spearman_correlations(numeric[:MOST_CORRELATED]), settings, notes)


def run_step(step: StepInput) -> StepResult:
    """Tables and figures of the pilot; the report names every file."""
    settings = step.settings
    config = step.assessment.config
    found = explore(step.dataset.typed_table, config, settings, units_of(step.folder))
    frames = _tables(found, step.dataset.subjects)
    files = {}
    if settings.figures and can_draw():
        from disclosure_control.steps.explore.drawing import draw_exploration

        files = draw_exploration(found, step.assessment)
    elif settings.figures:
        found.notes.append(f"No figures: Matplotlib is not installed; {HOW_TO_INSTALL}.")
    figures = _figures(found)
    return StepResult(figures, _report(found, [*frames, *files]), tables=frames, files=files)


def units_of(folder: Path) -> dict[str, str]:
    """The units that the merge knows, by column; none where its report is not there."""
    try:
        report = json.loads((folder / RESULTS_FOLDER / MERGE_REPORT).read_text(encoding="utf-8"))
        return {str(name): str(unit) for name, unit in report["units"].items()}
    except (OSError, ValueError, KeyError, AttributeError, TypeError):
        return {}


def _tables(found: Exploration, subjects) -> dict:
    roles = [column for column in found.columns if column.role != "other"]
    crossed = found.categories[:MOST_CROSSED]
    if len(found.categories) > MOST_CROSSED:
        found.notes.append(
            f"Cramér's V of the first {MOST_CROSSED} of {len(found.categories)} columns with few values."
        )
    small, n_small = tables.small_level_table(roles, found.settings.small_level)
    outliers, n_outliers = tables.outlier_table(found.columns, subjects)
    limit = f"{tables.MOST_ROWS_PER_COLUMN} per column"
    if n_small:
        found.notes.append(f"explore_small_levels.csv: {n_small} more values are not listed, for length ({limit}).")
    if n_outliers:
        found.notes.append(f"explore_outliers.csv: {n_outliers} more people are not listed, for length ({limit}).")
    return {
        "explore_columns.csv": tables.column_table(found.columns),
        "explore_levels.csv": tables.level_table(found.categories),
        "explore_small_levels.csv": small,
        "explore_cross_tables.csv": tables.cross_table_rows(_crossed(found)),
        "explore_associations.csv": tables.association_table(
            [cross_table(one, other) for one, other in itertools.combinations(crossed, 2)]
        ),
        "explore_spearman.csv": tables.correlation_table(found.correlations),
        "explore_outliers.csv": outliers,
    }


def _crossed(found: Exploration) -> list:
    """The cross-tables that are asked for; by default those of quasi-identifiers and sensitive features."""
    if found.settings.cross_tables is not None:
        pairs = [(found.column(one), found.column(other)) for one, other in found.settings.cross_tables]
        for column in dict.fromkeys(column for pair in pairs for column in pair):
            if column not in found.categories:
                found.notes.append(
                    f"No cross-table of {column.name}: {column.n_distinct} values, above max_levels or none at all."
                )
        pairs = [pair for pair in pairs if all(column in found.categories for column in pair)]
    else:
        pairs = list(itertools.combinations([one for one in found.categories if one.role != "other"], 2))
    return [cross_table(*pair) for pair in pairs]


# ---------------------------------------------------------------- report


def _figures(found: Exploration) -> dict:
    """For the JSON summary: counts of columns, and correlations of ten people or more; no value of anybody."""
    return {
        "columns": {
            column.name: {
                "role": column.role,
                "kind": column.kind,
                "unit": column.unit,
                "with_value": column.n_with_value,
                "missing": column.n_missing,
                "distinct": column.n_distinct,
                "constant": column.is_constant,
                "one_person_per_value": column.names_people,
                "outliers": column.statistics.n_below + column.statistics.n_above if column.statistics else None,
            }
            for column in found.columns
        },
        "spearman": [
            {"columns": [one.one, one.other], "rho": one.rho, "people": one.n_people}
            for one in found.correlations
            if one.n_people >= SMALLEST_PRINTED_GROUP
        ],
        "notes": found.notes,
    }


def _report(found: Exploration, files: Sequence[str]) -> str:
    shown = [column for column in found.columns if column.role != "other"]
    rows = [
        [
            column.name,
            column.role,
            column.kind,
            column.unit or "-",
            f"{column.n_missing} ({share_text(column.n_missing / max(column.n_records, 1))})",
            column.n_distinct,
            column.statistics.n_below + column.statistics.n_above if column.statistics else "-",
        ]
        for column in shown
    ]
    headers = ["Column", "Role", "Kind", "Unit", "Missing", "Distinct", "Outliers"]
    lines = ["What is in the pilot", text_table(headers, rows)]
    others = len(found.columns) - len(shown)
    if others:
        lines.append(f"  {others} other column{'' if others == 1 else 's'}: see explore_columns.csv.")
    lines += _named("Constant, so they tell nothing", [one.name for one in found.columns if one.is_constant])
    flags = [one.name for one in found.columns if one.n_distinct == 1 and one.n_missing]
    lines += _named("One value or missing, which may tell as much as two values", flags)
    lines += _named("Without a single value", [one.name for one in found.columns if one.kind == "empty"])
    lines += _named(
        "No two people share a value, as good as a name", [one.name for one in found.columns if one.names_people]
    )
    strongest = sorted(
        (one for one in found.correlations if one.rho is not None and one.n_people >= SMALLEST_PRINTED_GROUP),
        key=lambda one: -abs(one.rho),
    )[:3]
    if strongest:
        words = "; ".join(f"{one.one} and {one.other} {one.rho:.2f} (n = {one.n_people})" for one in strongest)
        lines.append(f"  Strongest rank correlations (Spearman): {words}.")
    lines += [f"  {note}" for note in found.notes]
    lines += ["  Files, with values of people in them:", *(f"    {name}" for name in files)]
    return "\n".join(lines) + "\n"


def _named(words: str, names: Sequence[str]) -> list[str]:
    if not names:
        return []
    more = f" and {len(names) - MOST_SHOWN} more" if len(names) > MOST_SHOWN else ""
    return [f"  {words}: {', '.join(names[:MOST_SHOWN])}{more}."]
