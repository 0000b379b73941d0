"""How the columns of a cohort hang together: the correlation of each pair of numbers, and of columns of two values."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from disclosure_control.study_tables.definitions.demographics import columns_of, numbers_of_people
from disclosure_control.study_tables.registry import defined
from disclosure_control.study_tables.rows import DomainRows
from disclosure_control.study_tables.side import EVERYBODY, StudySide
from disclosure_control.study_tables.table import CellKind, Cells, StudyTable
from study.models.roles import TableKind

MOST_COLUMNS = 40  # 780 pairs
LEAST = 4  # people, so that a correlation has an error


@defined(15, "of a study without arms the correlation of each pair of columns of numbers or two values")
def make(side: StudySide) -> Iterator[StudyTable]:
    """Of each table of people in a study without arms; a person with several rows counts by their mean."""
    if EVERYBODY in side.arms:
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
    known, pairs = ~np.isnan(stacked), np.triu_indices(len(names), 1)
    n = (known.astype(np.int64) @ known.T.astype(np.int64))[pairs][:, None]
    r = pd.DataFrame(stacked.T).corr().to_numpy()[pairs][:, None]
    labels = [f"{names[i]} and {names[j]}" for i, j in zip(*pairs, strict=True)]
    with np.errstate(invalid="ignore", divide="ignore"):
        cells = Cells(n, r, np.where(n >= LEAST, (1 - r**2) / np.sqrt(n - 1), np.nan))
    about = "associations", rows.domain, f"Correlations ({rows.domain})", side.arms
    return StudyTable.of_cells(CellKind.ESTIMATE, about, labels, cells, side.people_in_arms)
