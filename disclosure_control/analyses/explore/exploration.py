"""The findings on a pilot: its columns and their correlations, counted once for all tables and figures."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import pandas as pd

from config.model_settings import PilotConfig
from disclosure_control.analyses.explore.columns import (
    Correlation,
    ExploredColumn,
    explore_columns,
    spearman_correlations,
)
from disclosure_control.analyses.explore.settings import ExploreSettings
from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN
from disclosure_control.basics.telling.small_counts import MASKED

MOST_CORRELATED = 40


@dataclass(frozen=True)
class Exploration:
    """The source of all tables and figures; ``notes`` say in sentences what was left out."""

    columns: list[ExploredColumn]
    correlations: list[Correlation]
    settings: ExploreSettings
    notes: list[str]

    def column(self, name: str) -> ExploredColumn:
        return next(column for column in self.columns if column.name == name)

    @property
    def told_correlations(self) -> list[tuple[float, Correlation]]:
        """Spearman's rho of at least ten people, where it is defined, the strongest first."""
        told = [(one.rho, one) for one in self.correlations if one.rho is not None and one.n_people >= MASKED.threshold]
        return sorted(told, key=lambda entry: -abs(entry[0]))

    @property
    def numbers(self) -> list[ExploredColumn]:
        return [column for column in self.columns if column.kind == "number"]

    @property
    def categories(self) -> list[ExploredColumn]:
        """Columns with few values, numbers among them: those that can be tabulated."""
        return [column for column in self.columns if 1 <= column.n_distinct <= self.settings.max_levels]


def explore(
    table: pd.DataFrame,
    config: PilotConfig,
    settings: ExploreSettings,
    units: Mapping[str, str] | None = None,
    naming: Collection[str] = (),
) -> Exploration:
    """Explore a table with one row per person: its columns, and Spearman's correlation of its numbers.

    ``units`` by column, where they are known; ``naming`` are columns that name people. Everything is counted once; the
    order of rows does not matter.
    """
    names = [name for name in settings.columns or table.columns if name != SUBJECT_COLUMN]
    extra = [settings.group, *(settings.mosaic or ()), *(settings.pairs or ())]
    names += [name for name in dict.fromkeys(extra) if name and name not in names]
    columns = explore_columns(table, config, names, units or {}, naming)
    # Two values have an order as well: of them a rank correlation is the phi coefficient.
    numeric = [column for column in columns if column.kind in ("number", "category") and column.n_distinct > 1]
    notes = []
    if len(numeric) > MOST_CORRELATED:
        notes.append(
            f"Correlations of the first {MOST_CORRELATED} of {len(numeric)} columns of numbers; name the ones you want "
            "under columns."
        )
    return Exploration(columns, spearman_correlations(numeric[:MOST_CORRELATED]), settings, notes)
