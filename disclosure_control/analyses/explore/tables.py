"""The tables of ``explore`` as CSV files for the controller: they contain people's values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict

import numpy as np
import pandas as pd

from disclosure_control.analyses.explore.columns import Correlation, CrossTable, ExploredColumn
from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN, number_text

MOST_ROWS_PER_COLUMN = 1000


def column_table(columns: Sequence[ExploredColumn]) -> pd.DataFrame:
    """One row per column: role, kind, unit, how many values and gaps, and statistics of numbers."""
    rows = []
    for column in columns:
        statistics = column.statistics
        rows.append(
            {
                "column": column.name,
                "role": column.role,
                "kind": column.kind,
                "unit": column.unit,
                "people": column.n_records,
                "with_value": column.n_with_value,
                "missing": column.n_missing,
                "missing_rate": column.n_missing / column.n_records if column.n_records else None,
                "distinct": column.n_distinct,
                "constant": column.is_constant,
                "one_person_per_value": column.names_people,
                **(asdict(statistics) if statistics else {}),
            }
        )
    return pd.DataFrame(rows)


def level_table(columns: Sequence[ExploredColumn]) -> pd.DataFrame:
    """People and share of those with a value, per value of each column, the commonest first."""
    return _levels((column, np.argsort(-column.people, kind="stable")) for column in columns)


def small_level_table(columns: Sequence[ExploredColumn], at_most: int) -> tuple[pd.DataFrame, int]:
    """Values that at most so many people have, the rarest first; and how many rows were left out for length."""
    rare = []
    for column in columns:
        few = np.flatnonzero((column.people > 0) & (column.people <= at_most))
        rare.append((column, few[np.argsort(column.people[few], kind="stable")]))
    n_left_out = sum(max(0, len(order) - MOST_ROWS_PER_COLUMN) for _, order in rare)
    return _levels((column, order[:MOST_ROWS_PER_COLUMN]) for column, order in rare), n_left_out


def outlier_table(columns: Sequence[ExploredColumn], subjects: pd.Series) -> tuple[pd.DataFrame, int]:
    """The people outside the fences of a numeric column, the farthest first; and how many were left out for length."""
    parts, n_left_out = [], 0
    for column in columns:
        statistics = column.statistics
        if statistics is None or not statistics.n_below + statistics.n_above:
            continue
        labels = column.encoded.labels
        beyond = np.maximum(statistics.low_fence - labels, labels - statistics.high_fence)
        of_record = np.append(beyond, -np.inf)[column.encoded.codes]
        who = np.flatnonzero(of_record > 0)
        ids = subjects.to_numpy()[who]
        order = np.lexsort((ids, -of_record[who]))[:MOST_ROWS_PER_COLUMN]
        n_left_out += len(who) - len(order)
        values = labels[column.encoded.codes[who[order]]]
        side = np.where(values < statistics.low_fence, "below", "above")
        parts.append(pd.DataFrame({SUBJECT_COLUMN: ids[order], "column": column.name, "value": values, "fence": side}))
    return _stacked(parts, [SUBJECT_COLUMN, "column", "value", "fence"]), n_left_out


def correlation_table(correlations: Sequence[Correlation]) -> pd.DataFrame:
    rows = [
        {"column": one.one, "other": one.other, "spearman": one.rho, "people": one.n_people} for one in correlations
    ]
    return pd.DataFrame(rows, columns=["column", "other", "spearman", "people"])


def association_table(tables: Sequence[CrossTable]) -> pd.DataFrame:
    """One row per pair of columns with few values: Cramér's V, and whether one determines the other."""
    rows = [
        {
            "column": table.one.name,
            "other": table.other.name,
            "people": table.n_people,
            "cramers_v": table.cramers_v,
            "column_determines_other": table.one_determines_other,
            "other_determines_column": table.other_determines_one,
        }
        for table in tables
    ]
    names = ["column", "other", "people", "cramers_v", "column_determines_other", "other_determines_column"]
    return pd.DataFrame(rows, columns=names)


def value_texts(column: ExploredColumn) -> np.ndarray:
    """The distinct values as people write them (n_values,)."""
    labels = column.encoded.labels
    if column.encoded.is_numeric:
        return np.array([number_text(label) for label in labels], dtype=object)
    return labels


def _levels(chosen: Iterable[tuple[ExploredColumn, np.ndarray]]) -> pd.DataFrame:
    """People and their share per value, of some values of each column, by their codes in order."""
    parts = []
    for column, order in chosen:
        people, values = column.people[order], value_texts(column)[order]
        share = people / column.n_with_value
        parts.append(pd.DataFrame({"column": column.name, "value": values, "people": people, "share": share}))
    return _stacked(parts, ["column", "value", "people", "share"])


def _stacked(parts: list[pd.DataFrame], names: list[str]) -> pd.DataFrame:
    parts = [part for part in parts if len(part)]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame({name: [] for name in names})
