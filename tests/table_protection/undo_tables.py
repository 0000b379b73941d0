"""A reader who tries every table of whole numbers that agrees with all that was released."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class ReleasedTable:
    """A table of rows and columns with their totals last, (r + 1, c + 1).

    ``low`` and ``high``: between what a reader knows each number to be; ``truth``: what it is.
    """

    truth: np.ndarray
    low: np.ndarray
    high: np.ndarray

    def candidates(self, beyond: int) -> np.ndarray:
        """All tables (n, r + 1, c + 1) that agree with it, each inner number at most ``beyond`` above the truth."""
        tables = np.zeros((1, 0, self.truth.shape[1]), dtype=np.int64)
        for i in range(len(self.truth) - 1):
            row = self._rows(i, beyond)
            one, other = np.indices((len(tables), len(row))).reshape(2, -1)
            tables = np.concatenate([tables[one], row[other][:, None]], axis=1)
            tables = tables[(tables.sum(axis=1) <= self.high[-1]).all(axis=1)]
        tables = np.concatenate([tables, tables.sum(axis=1, keepdims=True)], axis=1)
        return tables[((tables >= self.low) & (tables <= self.high)).all(axis=(1, 2))]

    def _rows(self, i: int, beyond: int) -> np.ndarray:
        ranges = [
            np.arange(max(low, 0), min(high, truth + beyond) + 1)
            for truth, low, high in zip(self.truth[i, :-1], self.low[i, :-1], self.high[i, :-1], strict=True)
        ]
        cells = np.array(list(itertools.product(*ranges))).reshape(-1, len(ranges))
        total = cells.sum(axis=1)
        fits = (total >= self.low[i, -1]) & (total <= self.high[i, -1])
        return np.column_stack([cells, total])[fits]


def agreeing(tables: Sequence[ReleasedTable], beyond: int) -> list[np.ndarray]:
    """The candidates of each table that agree with one of every other about the row totals that all of them have."""
    found = [table.candidates(beyond) for table in tables]
    margins = [set(map(tuple, one[:, :, -1].tolist())) for one in found]
    common = set.intersection(*margins)
    return [one[[tuple(row) in common for row in one[:, :, -1].tolist()]] for one in found]


def quantities(truth: np.ndarray, minimum: int) -> Mapping[str, tuple[tuple[int, int], tuple[int, int] | None]]:
    """What must stay unknown: small counts, and totals less one of their parts where that is small.

    A quantity is a place, and the place that is taken from it, or None.
    """
    last = (truth.shape[0] - 1, truth.shape[1] - 1)
    found: dict[str, tuple[tuple[int, int], tuple[int, int] | None]] = {}
    for at in np.ndindex(*truth.shape):
        if 0 < truth[at] < minimum:
            found[f"cell {at}"] = at, None
        for whole in {(at[0], last[1]), (last[0], at[1])} - {at}:
            if 0 < truth[whole] - truth[at] < minimum:
                found[f"{whole} less {at}"] = whole, at
    return found


def widths(candidates: np.ndarray, truth: np.ndarray, minimum: int) -> dict[str, int]:
    """How far apart the smallest and the largest possible number of each quantity are."""
    found = {}
    for name, (one, other) in quantities(truth, minimum).items():
        numbers = candidates[:, one[0], one[1]] - (0 if other is None else candidates[:, other[0], other[1]])
        found[name] = int(numbers.max() - numbers.min())
    return found


def full_rows(truth: np.ndarray) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Rows and columns whose people are all in one place, with the total and that place.

    A row or column that nobody has is no place where they could be instead.
    """
    found = []
    for table, turn in ((truth, False), (truth.T, True)):
        somebody = np.flatnonzero(table[:-1, :-1].sum(axis=0))
        for i in range(len(table)):
            of_row = table[i, :-1]
            if len(somebody) > 1 and (of_row > 0).sum() == 1:
                at, whole = (i, int(of_row.argmax())), (i, table.shape[1] - 1)
                found.append((whole[::-1], at[::-1]) if turn else (whole, at))
    return found
