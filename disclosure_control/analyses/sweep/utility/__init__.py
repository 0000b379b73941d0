"""What a treatment cost: measures of (original records, released records, roles of the columns).

    utility = measure_utility(OriginalPilot(df, config).compare(released))
    utility["IL1_overall"]

How far values moved (IL1), and what became of the eigenvalues of their correlations. Released intervals count by their
middle. How coarse a generalisation is, is measured by ``recodings.losses``. Lost values change correlations only
through the values that remain; a ``Comparison`` counts them, and those that could not be read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from disclosure_control.analyses.sweep.utility.comparison import ComparedColumn, Comparison, OriginalPilot

__all__ = ["MEASURES", "Comparison", "OriginalPilot", "measure_utility"]


def il1_of_column(column: ComparedColumn) -> float:
    """Mean change of one column's values over the records that had a value or have one now; see ``il1_numeric``."""
    return float((column.table[2] * column.distances).sum() / column.n_valued) if column.n_valued else 0.0


def _mean_over_changed(columns: Sequence[ComparedColumn]) -> float | None:
    shares = [il1_of_column(column) for column in columns if column.n_changed]
    return float(np.mean(shares)) if shares else None


def il1_numeric(comparison: Comparison) -> float:
    """How far numbers moved: mean |x' - x| / (max - min of the original), averaged over the columns that changed.

    From 0, nothing changed; 1 is a move by the whole range in every record, and noise may exceed it. A lost number
    (suppressed, its record removed, its column dropped, only an open end left) counts 1, so that suppression is never
    free. Larger is less useful. Source: the published sweep of ACTG175, for numbers still there.
    """
    return _mean_over_changed(comparison.numeric) or 0.0


def il1_categorical(comparison: Comparison) -> float:
    """Share of changed values, averaged over the categorical columns that changed; in [0, 1], larger is less useful.

    A lost value counts as changed. Source: the published sweep of ACTG175.
    """
    return _mean_over_changed(comparison.categorical) or 0.0


def il1_overall(comparison: Comparison) -> float:
    """The mean of ``il1_numeric`` and ``il1_categorical``; if columns of one kind alone changed, that one; else 0."""
    means = [_mean_over_changed(columns) for columns in (comparison.numeric, comparison.categorical)]
    parts = [mean for mean in means if mean is not None]
    return float(np.mean(parts)) if parts else 0.0


def il1_mean(comparison: Comparison) -> float:
    """How much was changed per column: the sum of all columns' IL1, divided by the number of columns with a role.

    From 0; larger is less useful. Columns with a role are the quasi-identifiers and the sensitive ones; other changed
    columns add to the sum. ``il1_overall`` averages over the columns that changed, so it falls when one more column is
    changed a little; this one only grows, as a comparison of treatments needs.
    """
    changes = sum(il1_of_column(column) for column in comparison.columns.values())
    return float(changes / max(comparison.n_with_role, 1))


def il1s(comparison: Comparison) -> float:
    """Sum over records and numeric columns of |x' - x| / (sqrt(2) standard deviation of x).

    From 0, grows with the number of records; larger is less useful. A lost number counts as one moved by the whole
    range. Source: Yancey, Winkler and Creecy 2002; sdcMicro ``dUtility``, IL1.
    """
    total = 0.0
    for column in comparison.numeric:
        values = column.original.labels[column.original.codes[column.original.codes >= 0]]
        deviation = float(np.sort(values).std(ddof=1)) if len(values) > 1 else 0.0
        if deviation:
            total += (column.table[2] * column.distances).sum() * column.value_range / (np.sqrt(2) * deviation)
    return float(total)


# ---------------------------------------------------------------- several columns together


def _eigenvalues(correlation: np.ndarray) -> np.ndarray:
    return np.linalg.eigvalsh(correlation)[::-1]


def eigenvalue_similarity_percent(comparison: Comparison) -> float | None:
    """How far the eigenvalues of the correlation matrix survived: 100 (1 - sum |l' - l| / sum l).

    100 where they are the same, down to below 0; smaller is less useful. Over the columns named by
    ``eigenvalue_columns``; None for fewer than two of them. Source: the published sweep of ACTG175.
    """
    both = comparison.correlations
    if both is None:
        return None
    before, after = (_eigenvalues(matrix) for matrix in both)
    return float(100 * (1 - np.abs(after - before).sum() / before.sum()))


def eigenvalue_distance(comparison: Comparison) -> float | None:
    """Sum of |l' - l| / l over the eigenvalues of the correlation matrix; from 0, larger is less useful.

    None for fewer than two columns, and where an eigenvalue of the original is 0. Source: sdcMicro ``dUtility``, eigen.
    """
    both = comparison.correlations
    if both is None:
        return None
    before, after = (_eigenvalues(matrix) for matrix in both)
    return float((np.abs(after - before) / before).sum()) if before.min() > 1e-12 else None


# In the order of the table; the first four are the published sweep's.
MEASURES: dict[str, Callable[[Comparison], float | None]] = {
    "IL1_numeric": il1_numeric,
    "IL1_categorical": il1_categorical,
    "IL1_overall": il1_overall,
    "eigenvalue_similarity_percent": eigenvalue_similarity_percent,
    "IL1_mean": il1_mean,
    "IL1s": il1s,
    "eigenvalue_distance": eigenvalue_distance,
}


def measure_utility(comparison: Comparison) -> dict[str, float | None]:
    """Every measure of one comparison, by name; None where it has no figure."""
    return {name: measure(comparison) for name, measure in MEASURES.items()}
