"""Where the names of marks have room: near their marks, on nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

AROUND = ((0, -1), (1, 0), (-1, 0), (0, 1), (1, -1), (-1, -1), (1, 1), (-1, 1))  # above, right, left, below, corners
FARTHEST, A_STEP = 160, 4
ON_THE_WAY = np.arange(2, 11)[:, None] / 12  # of a line from a mark to its name


class NamePlace(NamedTuple):
    """The middle of a name. One that is not ``is_near`` needs a line to its mark."""

    x: float
    y: float
    is_near: bool


def groups_of(marks: Sequence[tuple[float, float]], near_x: float, near_y: float) -> list[list[int]]:
    """The positions of marks, grouped by the first that is nearer than both: they share a name."""
    groups: list[list[int]] = []
    for i, (x, y) in enumerate(marks):
        same = (one for one in groups if abs(marks[one[0]][0] - x) < near_x and abs(marks[one[0]][1] - y) < near_y)
        group = next(same, None)
        if group is None:
            groups.append([i])
        else:
            group.append(i)
    return groups


def with_room(places: Sequence[float], labels: Sequence[str], letter: float) -> list[int]:
    """Which labels, centred at rising places, have room side by side: the last, and from the left as many as can."""
    shown: list[int] = []
    for one in [len(labels) - 1, *range(len(labels) - 1)]:
        apart = ((abs(places[one] - places[other]), len(labels[one]) + len(labels[other])) for other in shown)
        if all(distance >= letter * (n_letters + 1) / 2 for distance, n_letters in apart):
            shown.append(one)
    return shown


def around(middles: Sequence[Sequence[float]] | np.ndarray, wide: float, tall: float) -> np.ndarray:
    """Left, top, right and bottom (n, 4) of boxes around ``middles`` (n, 2)."""
    middle, half = np.asarray(middles, dtype=float).reshape(-1, 2), np.array([wide / 2, tall / 2])
    return np.hstack([middle - half, middle + half])


def covers(boxes: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Which of the boxes (n, 4) lie on any of the others (m, 4): (n,) of bool."""
    one, other = boxes[:, None, :], others[None, :, :]
    overlap = np.asarray(((one[..., :2] < other[..., 2:]) & (other[..., :2] < one[..., 2:])).all(axis=2))
    return np.logical_or.reduce(overlap, axis=1)


def free_places(
    marks: Sequence[tuple[float, float]],
    sizes: Sequence[tuple[float, float]],
    radius: float,
    room: Sequence[float],
    taken: np.ndarray | None = None,
) -> list[NamePlace]:
    """A place in ``room`` for the name (wide, tall) of each mark: it covers no mark, no other name, nothing ``taken``.

    ``y`` runs downwards; ``room`` and ``taken`` (n, 4) are boxes as of ``around``. The nearest free place is taken,
    above its mark first; if possible, one where no line to a mark crosses a name. A name without any is above its mark.
    """
    solid = np.vstack([around(marks, 2 * radius, 2 * radius), *([] if taken is None else [taken])])
    names, lines = np.empty((0, 4)), np.empty((0, 4))
    off, way = np.repeat(np.arange(0, FARTHEST, A_STEP), len(AROUND)), np.tile(AROUND, (FARTHEST // A_STEP, 1))
    is_near = off <= 2 * A_STEP
    places = []
    for mark, size in zip(marks, sizes, strict=True):
        tried = np.array(mark) + way * (np.array(size) / 2 + radius + off[:, None])
        boxes = around(tried, *size)
        is_within = (boxes[:, :2] >= room[:2]).all(axis=1) & (boxes[:, 2:] <= room[2:]).all(axis=1)
        is_free = is_within & ~covers(boxes, np.vstack([solid, names]))
        on_lines = (np.array(mark) + ON_THE_WAY[:, None] * (tried - mark)).reshape(-1, 2)
        crosses = covers(around(on_lines, 2, 2), names).reshape(len(ON_THE_WAY), -1).any(axis=0) & ~is_near
        chosen = int(np.argmax(2 * is_free + (is_free & ~crosses & ~covers(boxes, lines))))
        place = NamePlace(float(tried[chosen, 0]), float(tried[chosen, 1]), bool(is_near[chosen]))
        places.append(place)
        names = np.vstack([names, boxes[chosen : chosen + 1]])
        if not place.is_near:
            lines = np.vstack([lines, around(np.array(mark) + ON_THE_WAY * (tried[chosen] - mark), 2, 2)])
    return places
