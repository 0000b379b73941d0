"""Columns that order people as their ids do: who knows the order of the ids knows who is who."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from disclosure_control.identifiers.column_values import ColumnValues
from disclosure_control.identifiers.findings import Grade
from disclosure_control.identifiers.registry import Hits, Kind

FEWEST = 20
ALIKE = 0.995
SOME = 1_000


def detect(column: ColumnValues) -> Hits | None:
    """Numbers or dates, one for each person, whose order is that of the ids, or the reverse of it."""
    if column.n_people < FEWEST or not column.is_one_each or column.alone_rate < 0.5:
        return None
    if not column.are_days and not column.are_numbers:
        return None
    values = np.full(column.n_distinct, np.nan)
    if column.are_days:
        values[column.looked_at] = np.where(column.days.is_day, column.days.day, np.nan)
    else:
        values = column.numbers
    if np.isfinite(values[column.looked_at]).mean() < 0.9:
        return None
    known = (column.code >= 0) & (column.subjects.code >= 0)
    person, value = column.subjects.code[known], values[column.code[known]]
    person, value = person[np.isfinite(value)], value[np.isfinite(value)]
    by_length = _by_length(column.subjects.ids)
    some = np.flatnonzero(person % max(column.subjects.n_people // SOME, 1) == 0)
    for chosen in (some, slice(None)):  # of very many people, some tell soon that the order is another one
        orders = (person[chosen], by_length[person[chosen]])
        if max(abs(_rank_correlation(order, value[chosen])) for order in orders) < ALIKE:
            return None
    return Hits(np.isfinite(values)[column.looked_at], "sure", looked_at=column.looked_at)


def _by_length(ids: pa.Array) -> np.ndarray:
    """The place of each id (n_people,) where shorter ones come first: S-2 before S-10."""
    order = np.argsort(np.asarray(pc.utf8_length(ids)), kind="stable")  # the ids come in the order of their letters
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return place


def _rank_correlation(person: np.ndarray, value: np.ndarray) -> float:
    """Spearman's correlation of two columns (n,) of which few values are alike, in [-1, 1]."""
    if len(person) < FEWEST:
        return 0.0
    ranks = [pd.Series(column).rank().to_numpy() for column in (person, value)]
    return float(np.corrcoef(ranks[0], ranks[1])[0, 1])


KIND = Kind(
    grade=Grade.KNOWN_TO_OUTSIDERS,
    words="values in the order of the ids",
    what_to_do="drop the column, or coarsen it until people share its values",
    documentation="numbers or dates, one for each person, in the order of the subjects' ids or its reverse",
    detect=detect,
    yields_to=("subject_id", "running_number"),
    place=72,
)
