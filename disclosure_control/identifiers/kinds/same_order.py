"""Columns that order people as their ids do: the order of the ids then identifies people."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from disclosure_control.identifiers.column_findings import Grade
from disclosure_control.identifiers.column_values import NUMBER, ColumnValues
from disclosure_control.identifiers.registry import Hits, IdentifierKind

FEWEST = 20
ALIKE = 0.995


def detect(column: ColumnValues) -> Hits | None:
    """Numbers or dates, one for each person, whose order is that of the ids, or the reverse of it."""
    if column.n_people < FEWEST or not column.is_one_each or column.alone_rate < 0.5:
        return None
    if not column.are_days and not column.is_number and column.share(column.matches(NUMBER)) < 0.8:
        return None
    values = column.days if column.are_days else column.numbers
    is_known = np.isfinite(values)
    if is_known.mean() < 0.9:
        return None
    ids, value = column.ids_of_lone(), values[column.lone]
    if max(abs(_rank_correlation(order, value)) for order in _orders(ids)) < ALIKE:
        return None
    return Hits(is_known, "sure")


def _orders(ids: pa.Array) -> Iterator[np.ndarray]:
    """The places of ids (n,) in the order of their letters, and in that where shorter ones come first: S-2, S-10."""
    letters = np.asarray(pc.rank(ids, tiebreaker="dense")).astype(np.int64)
    yield letters
    yield np.asarray(pc.utf8_length(ids)).astype(np.int64) * (len(ids) + 1) + letters


def _rank_correlation(person: np.ndarray, value: np.ndarray) -> float:
    """Spearman's correlation of two columns (n,) with few equal values, in [-1, 1]."""
    known = np.isfinite(value)
    if known.sum() < FEWEST:
        return 0.0
    ranks = [pd.Series(column[known]).rank().to_numpy() for column in (person, value)]
    return float(np.corrcoef(ranks[0], ranks[1])[0, 1])


KINDS = {
    "same_order": IdentifierKind(
        grade=Grade.KNOWN_TO_OUTSIDERS,
        words="values in the order of the ids",
        what_to_do="drop the column, or coarsen it until people share its values",
        documentation="numbers or dates, one for each person, in the order of the subjects' ids or its reverse",
        detect=detect,
        yields_to=("subject_id",),
        place=72,
    )
}
