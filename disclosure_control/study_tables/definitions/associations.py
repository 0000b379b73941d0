"""How the columns of a cohort hang together: the correlation of each pair of numbers, and of columns of two values."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from disclosure_control.study_tables.definitions.demographics import columns_of, numbers_of_people
from disclosure_control.study_tables.registry import defined
from disclosure_control.study_tables.rows import DomainRows
from disclosure_control.study_tables.side import StudySide
from disclosure_control.study_tables.table import CellKind, Cells, StudyTable
from study.models.roles import TableKind

MOST_COLUMNS = 40  # 780 pairs
LEAST = 4  # people, so that a correlation has an error


@defined("associations", 15, "of a study without arms the correlation of each pair of columns of numbers or two values")
def make(side: StudySide) -> Iterator[StudyTable]:
    """Of each table of people in a study without arms; a person with several rows counts by their mean."""
    if not side.has_arms:
        for rows in side.domains(TableKind.PEOPLE, TableKind.ROWS):
            yield _correlations(side, rows)


def _correlations(side: StudySide, rows: DomainRows) -> StudyTable:
    columns, numbers = columns_of(side, rows)
    values = numbers_of_people(side, rows, numbers)
    for name in columns if rows.table.kind is TableKind.PEOPLE else ():
        codes, levels = rows.codes(name)
        if name not in values and len(levels) == 2:
            values[name] = side.least(rows.people, np.where(codes >= 0, codes, np.nan))
    names = [name for name in columns if name in values][:MOST_COLUMNS]
    stacked = np.stack([np.zeros(side.n_people), *(values[name] for name in names)])[1:, side.arm >= 0]
    stacked = stacked[:, np.lexsort(stacked)] if names else stacked  # no digit depends on the order of people
    correlation, n = pairwise_correlations(stacked)
    pairs = np.triu_indices(len(names), 1)
    r, people = correlation[pairs][:, None], n[pairs][:, None]
    labels = [f"{names[i]} and {names[j]}" for i, j in zip(*pairs, strict=True)]
    with np.errstate(invalid="ignore", divide="ignore"):
        cells = Cells(people, r, np.where(people >= LEAST, (1 - r**2) / np.sqrt(people - 1), np.nan))
    title = f"Correlations ({rows.domain})"
    return side.table(CellKind.ESTIMATE, "associations", rows, title, labels, cells)


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
