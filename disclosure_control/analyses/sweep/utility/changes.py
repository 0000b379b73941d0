"""What became of the values: how far they moved (IL1), and how much means, variances, shares and correlations changed.

Released intervals count by their middle. How coarse a generalisation is, is measured by ``recodings.losses``. Lost
values change a distribution only through the values that remain; ``Utility`` reports their number beside every figure.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from Anonymization_Models import CountTable, total_variation_distance, wasserstein_distance
from disclosure_control.analyses.sweep.utility.comparison import ComparedColumn, Comparison


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
        deviation = _standard_deviation(column)
        if deviation:
            total += (column.table[2] * column.distances).sum() * column.value_range / (np.sqrt(2) * deviation)
    return float(total)


def _standard_deviation(column: ComparedColumn) -> float:
    people, values = column.original_people, column.original.labels
    n = people.sum()
    if n < 2:
        return 0.0
    mean = (people * values).sum() / n
    return float(np.sqrt((people * (values - mean) ** 2).sum() / (n - 1)))


ByColumn = dict[str, float | None]


# ---------------------------------------------------------------- one column


def _two_distributions(column: ComparedColumn) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """Distinct numbers (n,) in order, and people with each before and after; None where a side has no number."""
    known = ~np.isnan(column.released_values)
    numbers = np.concatenate([column.original.labels, column.released_values[known]])
    values, place = np.unique(numbers, return_inverse=True)
    n_before = len(column.original.labels)
    before = np.bincount(place[:n_before], column.original_people, len(values))
    after = np.bincount(place[n_before:], column.released_people[known], len(values))
    return (values, before, after) if before.sum() and after.sum() else None


def _mean_and_variance(values: np.ndarray, people: np.ndarray) -> tuple[float, float]:
    n, origin = people.sum(), values[0]
    mean = (people * (values - origin)).sum() / n
    squares = (people * (values - origin - mean) ** 2).sum()
    return float(origin + mean), float(squares / (n - 1)) if n > 1 else 0.0


def _numeric(comparison: Comparison, figure: Callable[[np.ndarray, np.ndarray, np.ndarray], float | None]) -> ByColumn:
    found: ByColumn = {}
    for column in comparison.numeric:
        distributions = _two_distributions(column)
        found[column.name] = None if distributions is None else figure(*distributions)
    return found


def mean_change(comparison: Comparison) -> ByColumn:
    """Per numeric column |mean' - mean|, in standard deviations of the original; from 0, larger is less useful.

    None where no number is released, or the original does not vary and its mean moved.
    """

    def figure(values: np.ndarray, before: np.ndarray, after: np.ndarray) -> float | None:
        (mean, variance), (released_mean, _) = _mean_and_variance(values, before), _mean_and_variance(values, after)
        if mean == released_mean:
            return 0.0
        return abs(released_mean - mean) / variance**0.5 if variance else None

    return _numeric(comparison, figure)


def variance_change(comparison: Comparison) -> ByColumn:
    """Per numeric column |variance' / variance - 1|; from 0, larger is less useful; None as for ``mean_change``."""

    def figure(values: np.ndarray, before: np.ndarray, after: np.ndarray) -> float | None:
        variance, released_variance = _mean_and_variance(values, before)[1], _mean_and_variance(values, after)[1]
        if variance == released_variance:
            return 0.0
        return abs(released_variance / variance - 1) if variance else None

    return _numeric(comparison, figure)


def kolmogorov_smirnov(comparison: Comparison) -> ByColumn:
    """Per numeric column the largest difference of the two distribution functions; in [0, 1], larger is less useful.

    None where no number is released. Equals the statistic of ``scipy.stats.ks_2samp``. Source: Smirnov 1939.
    """
    return _numeric(
        comparison,
        lambda values, before, after: float(
            np.abs(np.cumsum(before) / before.sum() - np.cumsum(after) / after.sum()).max()
        ),
    )


def _one_class(values: np.ndarray, people: np.ndarray) -> CountTable:
    occurs = np.flatnonzero(people)
    return CountTable(np.zeros(len(occurs), dtype=np.int64), occurs, people[occurs], values, 1)


def wasserstein_share(comparison: Comparison) -> ByColumn:
    """Per numeric column the Wasserstein-1 distance of the two distributions, divided by the range of the original.

    From 0, within the range up to 1; larger is less useful. None where no number is released, or the original
    has a single value. Source: Rubner et al. 2000, doi:10.1023/A:1026543900054.
    """
    ranges = {column.name: column.value_range for column in comparison.numeric}
    distances = _numeric(
        comparison, lambda values, before, after: float(wasserstein_distance(_one_class(values, after), before)[0])
    )
    return {
        name: None if distance is None else distance / ranges[name] if ranges[name] else (None if distance else 0.0)
        for name, distance in distances.items()
    }


def share_change(comparison: Comparison) -> ByColumn:
    """Per categorical column half the sum of changes of the categories' shares; in [0, 1], larger is less useful.

    Categories are compared by their text: one merged into a coarser name counts as gone. Shares are of the values that
    are there; None where none is. Source: total variation distance.
    """
    found: ByColumn = {}
    for column in comparison.categorical:
        labels = np.concatenate([column.original_labels, column.released_labels])
        place, distinct = pd.factorize(labels)
        n_before, n = len(column.original_labels), len(distinct)
        before = np.bincount(place[:n_before], column.original_people, n)
        after = np.bincount(place[n_before:], column.released_people, n)
        if before.sum() and after.sum():
            table = _one_class(np.arange(n, dtype=float), after)
            found[column.name] = float(total_variation_distance(table, before)[0])
        else:
            found[column.name] = None
    return found


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


def correlation_change(comparison: Comparison) -> float | None:
    """Largest change of a correlation between two of the ``eigenvalue_columns``; in [0, 2], larger is less useful."""
    both = comparison.correlations
    return None if both is None else float(np.abs(both[1] - both[0]).max())
