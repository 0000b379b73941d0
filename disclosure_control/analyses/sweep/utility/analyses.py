"""Whether an analyst would reach the same result, a table of means or a regression, on original and released data.

Groups and categories may have been merged or renamed, so the comparison is of what an analysis predicts for each
record still there: the mean of its group, or the expected value of the regression.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from disclosure_control.analyses.sweep.utility.comparison import (
    ComparedColumn,
    Comparison,
    MeansAnalysis,
    RegressionAnalysis,
)


def _numbers(column: ComparedColumn, released: bool) -> np.ndarray:
    if released:
        return np.append(column.released_values, np.nan)[column.released_codes]
    return np.append(column.original.labels, np.nan)[column.original.codes]


def _codes(column: ComparedColumn, released: bool) -> tuple[np.ndarray, int]:
    """Category of every record, a missing one being the last, and how many there are."""
    codes, n = (
        (column.released_codes, len(column.released_labels))
        if released
        else (column.original.codes, len(column.original.labels))
    )
    return np.where(codes < 0, n, codes), n + 1


def _groups(comparison: Comparison, names: list[str], released: bool) -> np.ndarray:
    group = np.zeros(comparison.n_original, dtype=np.int64)
    for name in names:
        codes, n = _codes(comparison.columns[name], released)
        group = np.unique(group * n + codes, return_inverse=True)[1].reshape(-1)
    return group


def _group_means(comparison: Comparison, means: MeansAnalysis, released: bool) -> np.ndarray:
    """The mean of each record's group (n_original,), NaN where nobody in it has a number."""
    group = _groups(comparison, list(means.by), released)
    values = _numbers(comparison.columns[means.value], released)
    known = ~np.isnan(values)
    if released:
        is_there = np.zeros(comparison.n_original, dtype=bool)
        is_there[comparison.positions] = True
        known &= is_there
    order = np.lexsort([values[known], group[known]])  # equal sums in any order of the records
    sums = np.bincount(group[known][order], values[known][order], group.max(initial=0) + 1)
    people = np.bincount(group[known], minlength=len(sums))
    return np.divide(sums, people, out=np.full(len(sums), np.nan), where=people > 0)[group]


def means_error(comparison: Comparison) -> float | None:
    """How far a table of means by group is off: mean |m' - m| over the records still there, in standard deviations.

    m is the mean of a record's group in the original, m' that of its group as released. From 0, larger is less useful.
    None where the config names no such table, or no group has a mean on both sides.
    """
    means = comparison.analyses.means
    if means is None:
        return None
    before, after = (_group_means(comparison, means, released) for released in (False, True))
    values = _numbers(comparison.columns[means.value], released=False)
    return _mean_gap(before[comparison.positions], after[comparison.positions], values)


def _mean_gap(before: np.ndarray, after: np.ndarray, values: np.ndarray) -> float | None:
    gap = np.abs(after - before)
    gap = np.sort(gap[~np.isnan(gap)])
    known = np.sort(values[~np.isnan(values)])  # equal sums in any order of the records
    deviation = np.std(known, ddof=1) if len(known) > 1 else 0.0
    return float(gap.mean() / deviation) if len(gap) and deviation else None


# ---------------------------------------------------------------- regression


@dataclass(frozen=True)
class Regression:
    """Ordinary least squares on one side: ``fitted`` (n_original,), NaN for records left out, ``n_used`` of them used.

    ``coefficients`` are those of the intercept and of numeric predictors, each times its unit; ``r_squared`` in [0, 1].
    """

    fitted: np.ndarray
    coefficients: dict[str, float]
    r_squared: float | None
    n_used: int


def _design(columns: list[ComparedColumn], released: bool) -> np.ndarray:
    """Intercept, numbers unchanged, and one column of 0 and 1 per category except the commonest."""
    parts = [np.ones((len(columns[0].released_codes), 1))] if columns else []
    for column in columns:
        if column.is_numeric:
            parts.append(_numbers(column, released)[:, np.newaxis])
        else:
            codes, n = _codes(column, released)
            people = np.bincount(codes, minlength=n)
            others = np.delete(np.arange(n), np.argmax(people))
            parts.append((codes[:, np.newaxis] == others[people[others] > 0]).astype(float))
    return np.hstack(parts)


def fit_regression(comparison: Comparison, asked: RegressionAnalysis, released: bool) -> Regression:
    """The config's regression, fitted on the original or on the released data.

    Numeric predictors enter unchanged (an interval by its middle), categories as indicators, missing ones as a
    category; a record without outcome or without a number is left out. Source: ``numpy.linalg.lstsq``.
    """
    predictors = [comparison.columns[name] for name in asked.predictors]
    outcome = _numbers(comparison.columns[asked.outcome], released)
    design = _design(predictors, released)
    used = ~np.isnan(outcome) & ~np.isnan(design).any(axis=1)
    if released:
        is_there = np.zeros(comparison.n_original, dtype=bool)
        is_there[comparison.positions] = True
        used &= is_there
    fitted = np.full(comparison.n_original, np.nan)
    n_used = int(used.sum())
    if n_used <= design.shape[1]:  # as many unknowns as records: every line fits
        return Regression(fitted, {}, None, n_used)
    places = np.flatnonzero(used)
    places = places[np.lexsort([*design[used].T, outcome[used]])]  # equal sums in any order of the records
    design, outcome = design[places], outcome[places]
    solution = np.linalg.lstsq(design, outcome)[0]
    fitted[places] = (design * solution).sum(axis=1)
    names = _names_of(predictors, design.shape[1], comparison, released)
    residual = ((outcome - fitted[places]) ** 2).sum()
    total = ((outcome - outcome.mean()) ** 2).sum()
    shown = {name: float(value) for name, value in zip(names, solution, strict=True) if name}
    return Regression(fitted, shown, float(1 - residual / total) if total else None, n_used)


def _names_of(predictors: list[ComparedColumn], n: int, comparison: Comparison, released: bool) -> list[str]:
    """Name of each design column; "" for indicators, whose categories may belong to very few people."""
    names = ["intercept"]
    for column in predictors:
        width = 1
        if not column.is_numeric:
            codes, n_codes = _codes(column, released)
            width = int((np.bincount(codes, minlength=n_codes) > 0).sum()) - 1
        names += [column.name if column.is_numeric else ""] * width
    return names


def regression_error(comparison: Comparison) -> float | None:
    """How far a regression is off: mean |y' - y| over the records used on both sides, in standard deviations.

    y is the prediction for a record by the regression on the original, y' that for the released record by the
    regression on the released data. From 0, larger is less useful. None where the config names no regression, or it
    has too few records on a side.
    """
    asked = comparison.analyses.regression
    if asked is None:
        return None
    before, after = (fit_regression(comparison, asked, released) for released in (False, True))
    values = _numbers(comparison.columns[asked.outcome], released=False)
    return _mean_gap(before.fitted, after.fitted, values)
