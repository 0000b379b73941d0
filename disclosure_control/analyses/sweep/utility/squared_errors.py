"""Squared errors of numbers: of each column, of records as points, and of groups against the overall mean.

A released interval counts by the end farther from the true number, the largest error of a reader who takes an end for
the number. A suppressed value counts as the farthest number of the column. The names are those of ARX, whose measures
these are; each docstring cites ARX's source.
"""

from __future__ import annotations

import numpy as np

from disclosure_control.analyses.sweep.utility.comparison import ComparedColumn, Comparison
from disclosure_control.basics.encoding.interval_labels import interval_of


def _ends(column: ComparedColumn) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper end of each released label (n_labels,), both the number where it is one; NaN where none is known.

    An open end takes the end of the original numbers.
    """
    low, high = column.released_values.copy(), column.released_values.copy()
    for i, label in enumerate(column.released_labels):
        interval = interval_of(str(label))
        if interval:
            low[i] = interval.low if np.isfinite(interval.low) else min(column.original.labels[0], interval.high)
            high[i] = interval.high if np.isfinite(interval.high) else max(column.original.labels[-1], interval.low)
    return low, high


def _errors(column: ComparedColumn, original: np.ndarray, released: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Errors of released codes (n,) against original ones, which are not missing, and the largest possible errors.

    The largest is the distance to the farther end of the original numbers; no error counts for more.
    """
    numbers = column.original.labels
    true = numbers[original]
    most = np.maximum(true - numbers.min(initial=np.inf), numbers.max(initial=-np.inf) - true)
    low, high = (np.append(end, np.nan)[released] for end in _ends(column))
    off = np.maximum(np.abs(true - low), np.abs(true - high))
    return np.where(np.isnan(off), most, np.minimum(off, most)), most


def mean_squared_error(comparison: Comparison) -> dict[str, float | None]:
    """Per column of numbers the squared error, as a share of the largest there can be: 0 nothing lost, 1 everything.

    Sum of min(error, largest)^2 / sum of largest^2, largest being the distance to the farther end of the original
    numbers. None where a column does not vary. Larger is less useful. Source: ARX, "squared error" (per attribute).
    """
    found: dict[str, float | None] = {}
    for column in comparison.numeric:
        original, released, people = column.table
        had = original >= 0
        off, most = _errors(column, original[had], released[had])
        total = float((people[had] * most**2).sum())
        found[column.name] = float((people[had] * off**2).sum()) / total if total else None
    return found


def record_squared_error(comparison: Comparison) -> float | None:
    """How far records moved as points, each column in its standard deviations, as a share of the farthest: in [0, 1].

    Mean over records of sqrt(sum of (error / deviation)^2), divided by the same of the largest errors. None without a
    column that varies. Larger is less useful. Source: Sanchez, Martinez and Domingo-Ferrer 2016,
    doi:10.1126/science.aad9295, supplement; ARX, "record-level squared error".
    """
    moved, farthest = np.zeros(comparison.n_original), np.zeros(comparison.n_original)
    for column in comparison.numeric:
        records = np.flatnonzero(column.original.codes >= 0)
        people, numbers = column.original_people, column.original.labels
        n_people = max(people.sum(), 1)
        mean = (people * numbers).sum() / n_people
        variance = (people * (numbers - mean) ** 2).sum() / n_people
        if variance:
            off, most = _errors(column, column.original.codes[records], column.released_codes[records])
            moved[records] += off**2 / variance
            farthest[records] += most**2 / variance
    total = float(np.sort(np.sqrt(farthest)).sum())
    return float(np.sort(np.sqrt(moved)).sum()) / total if total else None


def aggregation_squared_error(comparison: Comparison) -> float | None:
    """Squared error within groups as a share of all squared deviation: 0 nothing lost, 1 every number the mean.

    SSE / SST: sum of (x' - x)^2 over sum of (x - mean)^2, over all columns of numbers in their units, an interval by
    its middle; a suppressed value counts as the mean. Above 1 where numbers were perturbed beyond their spread. None
    where no column varies. Larger is less useful. Source: Solanas, Martinez-Balleste and Domingo-Ferrer 2006, V-MDAV;
    ARX, "aggregation-specific squared error", which divides by the deviation of what is released.
    """
    within = total = 0.0
    for column in comparison.numeric:
        original, released, people = column.table
        had = original >= 0
        true = column.original.labels[original[had]]
        mean = (people[had] * true).sum() / max(people[had].sum(), 1)
        values = np.append(column.released_values, np.nan)[released[had]]
        values = np.where(np.isnan(values), mean, values)
        within += float((people[had] * (values - true) ** 2).sum())
        total += float((people[had] * (true - mean) ** 2).sum())
    return within / total if total else None
