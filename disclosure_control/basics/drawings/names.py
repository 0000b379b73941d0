"""Which marks share a name, and which names have room."""

from __future__ import annotations

from collections.abc import Sequence


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
