"""How the columns of a cohort hang together: the correlation of each pair of numbers, and of columns of two values."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from disclosure_control.study_tables.definitions.demographics import columns_of, numbers_of_people
from disclosure_control.study_tables.registry import TableDefinition
from disclosure_control.study_tables.side import DomainRows, StudySide
from disclosure_control.study_tables.table import CellKind, StudyTable
from study.models.roles import TableKind

MOST_COLUMNS = 40  # 780 pairs
LEAST = 4  # people, so that a correlation has an error


def make(side: StudySide) -> Iterator[StudyTable]:
    """Of each table of people in a study without arms; a person with several rows counts by their mean."""
    if not side.has_arms:
        for rows in side.domains(TableKind.PEOPLE, TableKind.ROWS):
            yield _correlations(side, rows)


def _correlations(side: StudySide, rows: DomainRows) -> StudyTable:
    columns, numbers = columns_of(side, rows)
    values = {name: numbers_of_people(side, rows, name) for name in numbers}
    values |= {
        name: found for name in columns if name not in values and (found := _as_two(side, rows, name)) is not None
    }
    names = [name for name in columns if name in values][:MOST_COLUMNS]
    stacked = np.stack([values[name] for name in names]) if names else np.zeros((0, side.n_people))
    pairs = list(itertools.combinations(range(len(names)), 2))
    stacked = stacked[:, side.arm >= 0]
    stacked = stacked[:, np.lexsort(stacked)] if names else stacked  # no digit depends on the order of people
    correlation, n = pairwise_correlations(stacked)
    one, other = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    r, people = correlation[one, other], n[one, other]
    labels = tuple(f"{names[i]} and {names[j]}" for i, j in pairs)
    with np.errstate(invalid="ignore", divide="ignore"):
        error = np.where(people >= LEAST, (1 - r**2) / np.sqrt(people - 1), np.nan)
    return StudyTable(
        "associations",
        rows.domain,
        f"Correlations ({rows.domain})",
        CellKind.ESTIMATE,
        side.arms,
        labels,
        labels,
        people[:, None],
        np.broadcast_to(side.people_in_arms, (len(labels), 1)),
        r[:, None],
        error[:, None],
    )


def _as_two(side: StudySide, rows: DomainRows, column: str) -> np.ndarray | None:
    """A column of two values as 0 and 1 (n_people,), in the order of their labels; None of any other column."""
    codes, labels = rows.codes(column)
    if len(labels) != 2 or rows.table.kind is not TableKind.PEOPLE:
        return None
    found = np.full(side.n_people, np.nan)
    known = (rows.people >= 0) & (codes >= 0)
    found[rows.people[known]] = np.argsort(np.argsort(labels))[codes[known]]
    return found


def pairwise_correlations(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pearson's correlations (n_columns, n_columns) of values (n_columns, n_people), and the people with both.

    Of each pair those people count who have both values; NaN where one does not vary among them.
    """
    known = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        centre = np.where(known.any(axis=1), np.nansum(values, axis=1) / np.maximum(known.sum(axis=1), 1), 0)
    filled, there = np.where(known, values - centre[:, None], 0.0), known.astype(float)
    n = there @ there.T
    sums, squares, products = filled @ there.T, filled**2 @ there.T, filled @ filled.T
    with np.errstate(invalid="ignore", divide="ignore"):
        covariance = products - sums * sums.T / n
        spread = np.maximum(squares - sums**2 / n, 0)
        scale = np.sqrt(spread * spread.T)
        varies = (spread > 1e-12 * squares) & (spread > 1e-12 * squares).T
        return np.where(varies & (scale > 0), covariance / scale, np.nan), n.astype(np.int64)


TABLE = TableDefinition(
    "associations",
    "of a study without arms the correlation of each pair of columns of numbers or two values",
    make,
    place=15,
)
