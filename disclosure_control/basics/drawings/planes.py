"""Drawings on a plane: points, and lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from disclosure_control.basics.drawings.names import groups_of, with_room
from disclosure_control.basics.drawings.pieces import (
    LETTER,
    WIDTH,
    Drawing,
    circle,
    line,
    path,
    round_up,
    shortened,
    text,
)

LEFT, RIGHT, TOP, BOTTOM = 52, 12, 32, 46
LABELS = 20  # below an axis, clear of the label beside it
AT_ENDS = 68  # room for the names of lines at their ends
MOST_ON_AXIS = 12  # letters of a label on an axis
NEAR = 18.0  # as wide as a mark: closer ones, which cover each other, share their names
DASHES = ("", "6 4", "2 3", "8 3 2 3")


@dataclass(frozen=True)
class Point:
    """``x`` and ``y`` in [0, 1]; a ``mark`` ("" for none) is drawn larger, as a diamond, with its name in it."""

    x: float
    y: float
    text: str
    mark: str = ""


@dataclass(frozen=True)
class Line:
    """A line through ``points`` (x, y), both in [0, 1], with its name at its end."""

    name: str
    points: tuple[tuple[float, float], ...]


def scatter_chart(title: str, described: str, points: Sequence[Point], x_title: str, y_title: str) -> Drawing:
    """Points in the unit square; marked ones last, so that nothing lies on them. Marks at one place share a name."""
    height = 320
    top = round_up(max([point.y for point in points], default=1.0) or 0.01)
    most = round_up(max([point.x for point in points], default=1.0) or 0.01)
    wide, tall, parts = _plane(height, top, x_title, y_title)
    for share in (0.0, 0.5, 1.0):
        anchor = "end" if share == 1 else "middle"
        parts.append(text(LEFT + share * wide, height - BOTTOM + LABELS, f"{share * most:.3g}", anchor))
    marks: list[tuple[float, float]] = []
    names: list[str] = []
    for point in sorted(points, key=lambda point: bool(point.mark)):
        x, y = LEFT + point.x / most * wide, height - BOTTOM - point.y / top * tall
        if not point.mark:
            parts.append(circle("point", x, y, 4, point.text))
            continue
        parts.append(path("diamond", f"M{x:.1f} {y - 9:.1f}l9 9l-9 9l-9-9z", point.text))
        marks.append((x, y))
        names.append(point.mark)
    for group in groups_of(marks, NEAR, NEAR):
        x, y = marks[group[0]]
        parts.append(text(x, y + 5, ", ".join(names[i] for i in group), "middle"))
    return Drawing(title, described, height, tuple(parts))


def line_chart(
    title: str, described: str, lines: Sequence[Line], x_labels: Sequence[str], x_title: str = "", y_title: str = ""
) -> Drawing:
    """Lines over the same places, dashed one by one differently, each named at its end; ends that meet as one."""
    height = 240
    top = round_up(max([y for one in lines for _, y in one.points], default=1.0) or 0.01)
    wide, tall, parts = _plane(height, top, x_title, y_title, right=AT_ENDS)
    ends: list[tuple[float, float]] = []
    for number, one in enumerate(lines):
        places = [(LEFT + x * wide, height - BOTTOM - y / top * tall) for x, y in one.points]
        dashes = DASHES[number % len(DASHES)]
        parts.append(path("line", "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in places), dashes=dashes))
        parts += [circle("dot", x, y, 3) for x, y in places]
        ends.append(places[-1])
    for group in groups_of(ends, 1, 15):
        names = ", ".join(lines[i].name for i in group)
        parts.append(text(ends[group[0]][0] + 8, ends[group[0]][1] + 5, shortened(names, (AT_ENDS - 8) // LETTER)))
    at = [LEFT + wide * i / max(len(x_labels) - 1, 1) for i in range(len(x_labels))]
    labels = [shortened(label, MOST_ON_AXIS) for label in x_labels]
    parts += [text(at[i], height - BOTTOM + LABELS, labels[i], "middle") for i in with_room(at, labels, LETTER)]
    return Drawing(title, described, height, tuple(parts))


def _plane(height: int, top: float, x_title: str, y_title: str, right: int = RIGHT) -> tuple[int, int, list[str]]:
    """Width, height and frame of a drawing with an axis of shares from 0 to ``top`` upwards."""
    wide, tall = WIDTH - LEFT - right, height - TOP - BOTTOM
    parts = [line("axis", LEFT, LEFT + wide, height - BOTTOM, height - BOTTOM)]
    for share in (0.0, 0.5, 1.0):
        y = height - BOTTOM - share * tall
        parts.append(line("grid", LEFT, LEFT + wide, y, y))
        parts.append(text(LEFT - 6, y + 5, f"{100 * share * top:.3g}%", "end"))
    parts.append(text(LEFT + wide / 2, height - 8, x_title, "middle"))
    parts.append(text(4, TOP - 14, y_title))
    return wide, tall, parts
