"""MDAV: the groups of multivariate microaggregation, exactly those of the plain algorithm, without its quadratic time.

The plain algorithm measures every remaining record four times for each two groups. Here the records are in small boxes
of near records. A box bounds the distance of its records, and only boxes that can contain the answer are opened. A
bound is computed by the same operations as a distance, which rounding keeps in order, so no candidate is missed, ties
included.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

RECORDS_PER_BOX = 96
REBUILD_BELOW = 0.5  # of the records of a box still there: then boxes are made anew


def mdav_groups(
    numbers: np.ndarray, group_size: int, ranks: np.ndarray | None = None, advance: Callable[[int], None] | None = None
) -> np.ndarray:
    """Group of each record (n_records,), numbered as they are formed; each of at least ``group_size`` records.

    ``numbers`` (n_records, n_columns) without missing values; distances are squared differences over the column's
    population variance. While at least three groups are left: the record farthest from the mean of those that remain
    takes its ``group_size`` - 1 nearest, then the one farthest from that record does. Of two groups left the first is
    formed so, what remains is the last. Ties: the smaller record by its values from the first column on, then by
    ``ranks`` (n_records,). About O(n_records ** 1.5); groups follow each other, so there is a loop over them.
    Source: Domingo-Ferrer and Torra 2005, doi:10.1007/s10618-005-0007-5; two groups a pass as sdcMicro.
    """
    n_records = len(numbers)
    ranks = np.arange(n_records) if ranks is None else ranks
    scaled = np.stack([_scaled(column) for column in numbers.T], axis=1)
    order = np.lexsort((ranks, *scaled.T[::-1]))
    remaining = _Remaining(np.ascontiguousarray(scaled[order].T))
    group, n_groups = np.empty(n_records, dtype=np.int64), 0

    def form(around: int) -> None:
        nonlocal n_groups
        members = remaining.nearest(around, group_size)
        remaining.remove(members)
        group[order[members]] = n_groups
        n_groups += 1
        if advance:
            advance(len(members))

    while remaining.n >= 3 * group_size:
        first = remaining.farthest(remaining.centre())
        form(first)
        form(remaining.farthest(remaining.points[:, first]))
    if remaining.n >= 2 * group_size:
        form(remaining.farthest(remaining.centre()))
    group[order[remaining.records()]] = n_groups
    return group


def _scaled(column: np.ndarray) -> np.ndarray:
    """The column in standard deviations from its mean; both sums are exact, so the order of records plays no part."""
    n = len(column)
    if not n or column.min() == column.max():
        return np.zeros(n)
    half = column / 2 if np.abs(column).max() > 1e300 else column  # sums stay finite
    unit = float(np.abs(half - half.min()).max())
    shares = (half - half.min()) / unit
    shares = shares - math.fsum(shares) / n
    return shares / math.sqrt(math.fsum(shares * shares) / n)


class _Remaining:
    """The records that are in no group yet, in boxes.

    ``points`` (n_columns, n_records) are all of them, in the order that decides ties. ``record`` (n_boxes, n_places) is
    the record of each place, ``place`` the flat place of each record, ``coordinates`` (n_boxes, n_columns, n_places)
    its position: NaN for a removed record, until boxes are rebuilt. ``low`` and ``high`` (n_columns, n_boxes) bound the
    remaining records.
    """

    def __init__(self, points: np.ndarray):
        self.points = points
        self.n = points.shape[1]
        self._is_there = np.ones(self.n, dtype=bool)
        self._shift, self._exact = _as_whole_numbers(points)
        self._totals = [sum(column) for column in self._exact]
        self._make_boxes()

    def records(self) -> np.ndarray:
        return np.flatnonzero(self._is_there)

    def centre(self) -> np.ndarray:
        """Mean of the remaining records (n_columns,), rounded once: sums are whole numbers, and nothing drifts."""
        return np.array([total / (self.n << self._shift) for total in self._totals])

    def remove(self, records: np.ndarray) -> None:
        self._is_there[records] = False
        self.n -= len(records)
        listed = records.tolist()
        for i, column in enumerate(self._exact):
            self._totals[i] -= sum(column[record] for record in listed)
        if self.n < REBUILD_BELOW * self._n_when_made:
            self._make_boxes()
            return
        touched = set()
        for place in self._place[records].tolist():
            box, place_in_box = divmod(place, self._record.shape[1])
            self._coordinates[box, :, place_in_box] = np.nan
            self._n_there[box] -= 1
            touched.add(box)
        for box in touched:
            self._tighten(box)

    def farthest(self, point: np.ndarray) -> int:
        """The remaining record farthest from ``point`` (n_columns,)."""
        bound = np.zeros(len(self._n_there))
        for value, low, high in zip(point.tolist(), self._low, self._high, strict=True):
            reach = np.maximum(value - low, high - value)
            bound += reach * reach
        bound[self._n_there == 0] = -1.0
        best = np.fmax.reduce(self._distances(point, np.array([bound.argmax()])))
        boxes = (bound >= best).nonzero()[0]
        distance = self._distances(point, boxes)
        return int(self._record[boxes].reshape(-1)[distance == np.fmax.reduce(distance)].min())

    def nearest(self, record: int, n: int) -> np.ndarray:
        """The ``n`` remaining records nearest to one of them, itself among them; n is at most those that remain."""
        point = self.points[:, record]
        bound = np.zeros(len(self._n_there))
        for value, low, high in zip(point.tolist(), self._low, self._high, strict=True):
            gap = np.maximum(np.maximum(low - value, value - high), 0.0)
            bound += gap * gap
        bound[self._n_there == 0] = np.inf
        boxes = (self._place[record] // self._record.shape[1])[np.newaxis]
        if self._n_there[boxes[0]] < n:
            by_bound = np.argsort(bound, kind="stable")
            n_boxes = int(np.searchsorted(np.cumsum(self._n_there[by_bound]), n)) + 1
            boxes = by_bound[:n_boxes]
        limit = np.partition(self._distances(point, boxes), n - 1)[n - 1]  # NaN counts as the largest of all
        boxes = (bound <= limit).nonzero()[0]
        distance, candidates = self._distances(point, boxes), self._record[boxes].reshape(-1)
        near = (distance <= limit).nonzero()[0]
        chosen = np.lexsort((candidates[near], distance[near]))[:n]
        return candidates[near[chosen]]

    def _distances(self, point: np.ndarray, boxes: np.ndarray) -> np.ndarray:
        """Squared distances from ``point`` of all places in these boxes, flat; NaN where nobody is."""
        difference = self._coordinates[boxes]
        difference -= point[:, np.newaxis]
        difference *= difference
        distance = difference[:, 0]
        for column in range(1, len(point)):  # in the order in which the bounds are summed
            distance += difference[:, column]
        return distance.reshape(-1)

    def _make_boxes(self) -> None:
        """Halve the records along the widest column again and again; boxes differ by one record at most."""
        parts = [self.records()]
        while len(parts[0]) > RECORDS_PER_BOX:
            parts = [half for part in parts for half in self._halves(part)]
        n_places = max(map(len, parts))
        self._record = np.zeros((len(parts), n_places), dtype=np.int64)
        self._coordinates = np.full((len(parts), len(self.points), n_places), np.nan)
        self._place = np.zeros(self.points.shape[1], dtype=np.int64)
        for box, part in enumerate(parts):
            self._record[box, : len(part)] = part
            self._coordinates[box, :, : len(part)] = self.points[:, part]
            self._place[part] = box * n_places + np.arange(len(part))
        self._n_there, self._n_when_made = np.array([len(part) for part in parts]), self.n
        self._low, self._high = np.zeros((2, len(self.points), len(parts)))
        for box in range(len(parts)):
            self._tighten(box)

    def _halves(self, part: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        points = self.points[:, part]
        widest = np.ptp(points, axis=1).argmax()
        order = np.argpartition(points[widest], len(part) // 2)
        return part[order[: len(part) // 2]], part[order[len(part) // 2 :]]

    def _tighten(self, box: int) -> None:
        if self._n_there[box]:
            self._low[:, box] = np.fmin.reduce(self._coordinates[box], axis=1)
            self._high[:, box] = np.fmax.reduce(self._coordinates[box], axis=1)


def _as_whole_numbers(points: np.ndarray) -> tuple[int, list[list[int]]]:
    """Every number times 2 ** shift as a Python integer, exact for numbers of ordinary size."""
    sizes = np.abs(points[points != 0])
    smallest = int(np.frexp(sizes.min())[1]) if sizes.size else 0
    shift = max(0, min(53 - smallest, 300))
    return shift, [[int(math.ldexp(value, shift)) for value in column] for column in points.tolist()]
