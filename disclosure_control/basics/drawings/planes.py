"""Drawings on a plane: points, lines, people by number, people by two numbers, and the risk of each person."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from disclosure_control.basics.drawings.pieces import (
    LETTER,
    SMALL_LETTER,
    WIDTH,
    Drawing,
    circle,
    count_letters,
    line,
    number_axis,
    path,
    rectangle,
    round_up,
    shortened,
    text,
)
from disclosure_control.basics.drawings.rows import letter_of
from disclosure_control.basics.drawings.style import N_SHADES

LEFT, RIGHT, TOP, BOTTOM = 52, 12, 32, 46
LABELS = 20  # below an axis, clear of the label beside it
AT_ENDS = 68  # room for the names of lines at their ends
MOST_ON_AXIS = 12  # letters of a label on an axis
NEAR = 9.0  # marks closer than this share their names: they could not be told apart
DASHES = ("", "6 4", "2 3", "8 3 2 3")


@dataclass(frozen=True)
class Point:
    """``x`` and ``y`` in [0, 1]; a ``mark`` ("" for none) is drawn larger, as a diamond, with its name beside it.

    One that is ``is_ringed`` has a ring around it, with a mark or without one.
    """

    x: float
    y: float
    text: str
    mark: str = ""
    is_ringed: bool = False


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
    named: list[tuple[float, float, list[str]]] = []
    marks: list[tuple[float, float]] = []
    for point in sorted(points, key=lambda point: bool(point.mark)):
        x, y = LEFT + point.x / most * wide, height - BOTTOM - point.y / top * tall
        if point.is_ringed:
            parts.append(circle("ring", x, y, 14))
        if not point.mark:
            parts.append(circle("point", x, y, 4, point.text))
            continue
        parts.append(path("diamond", f"M{x:.1f} {y - 9:.1f}l9 9l-9 9l-9-9z", point.text))
        marks.append((x, y))
        same = next((names for other_x, other_y, names in named if math.hypot(x - other_x, y - other_y) < NEAR), None)
        if same is None:
            named.append((x, y, [point.mark]))
        else:
            same.append(point.mark)
    return Drawing(title, described, height, (*parts, *_names_beside(named, marks, height - BOTTOM, y_title)))


def _names_beside(
    named: Sequence[tuple[float, float, list[str]]], marks: Sequence[tuple[float, float]], bottom: float, y_title: str
) -> list[str]:
    """The names of marks, each where it covers no mark and no other name: beside its own, or higher, with a line to it.

    ``bottom`` is the end of the plane; ``y_title`` is above it, and is not covered either.
    """
    parts: list[str] = []
    taken = [(x - 9, y - 9, x + 9, y + 9) for x, y in marks]
    taken.append((0.0, TOP - 27, 4.0 + LETTER * len(y_title), TOP - 12))
    for x, y, names in named:
        words = ", ".join(names)
        half = LETTER * len(words) / 2
        above = (min(max(x, half), WIDTH - half), y - 16)
        beside = [above, (x + 16 + half, y + 5), (x - 16 - half, y + 5), (above[0], y + 28)]
        free = [
            (middle, base)
            for middle, base in beside
            if (middle - half > LEFT or middle == above[0]) and middle + half < WIDTH and base < bottom
        ]
        place = next((place for place in free if not _is_covered(_box_of(*place, half), taken)), above)
        while _is_covered(_box_of(*place, half), taken) and place[1] > 20:
            place = (place[0], place[1] - 5)
        if place[1] < above[1]:
            parts.append(line("leader", x, place[0], y - 9, place[1] + 3))
        taken.append(_box_of(*place, half))
        parts.append(text(*place, words, "middle"))
    return parts


def _box_of(middle: float, base: float, half: float) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of letters."""
    return (middle - half, base - 13, middle + half, base + 2)


def _is_covered(box: tuple[float, float, float, float], taken: Sequence[tuple[float, float, float, float]]) -> bool:
    return any(box[0] < one[2] and one[0] < box[2] and box[1] < one[3] and one[1] < box[3] for one in taken)


def line_chart(
    title: str, described: str, lines: Sequence[Line], x_labels: Sequence[str], x_title: str = "", y_title: str = ""
) -> Drawing:
    """Lines over the same places, dashed one by one differently, each named at its end; ends that meet as one."""
    height = 240
    top = round_up(max([y for one in lines for _, y in one.points], default=1.0) or 0.01)
    wide, tall, parts = _plane(height, top, x_title, y_title, right=AT_ENDS)
    ends: list[tuple[float, float, list[str]]] = []
    for number, one in enumerate(lines):
        places = [(LEFT + x * wide, height - BOTTOM - y / top * tall) for x, y in one.points]
        if not places:
            continue
        dashes = DASHES[number % len(DASHES)]
        parts.append(path("line", "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in places), dashes=dashes))
        parts += [circle("dot", x, y, 3) for x, y in places]
        x, y = places[-1]
        same = next((names for other_x, other_y, names in ends if abs(y - other_y) < 15 and x == other_x), None)
        if same is None:
            ends.append((x, y, [one.name]))
        else:
            same.append(one.name)
    parts += [text(x + 8, y + 5, shortened(", ".join(names), (AT_ENDS - 8) // LETTER)) for x, y, names in ends]
    for place, label in _with_room(x_labels, wide):
        parts.append(text(LEFT + place * wide, height - BOTTOM + LABELS, label, "middle"))
    return Drawing(title, described, height, tuple(parts))


def _with_room(labels: Sequence[str], wide: float) -> list[tuple[float, str]]:
    """Labels at equal distances (place in [0, 1], label): the last one and as many of the others as have room."""
    last = max(len(labels) - 1, 1)
    places = [(i / last, shortened(label, MOST_ON_AXIS)) for i, label in enumerate(labels) if label]
    shown: list[tuple[float, str]] = []
    for place, label in [*places[-1:], *places[:-1]]:
        if all(abs(place - at) * wide >= LETTER * (len(label) + len(other)) / 2 + 4 for at, other in shown):
            shown.append((place, label))
    return shown


def lettered_lines(
    title: str, described: str, lines: Sequence[Line], x_labels: Sequence[str], x_title: str, y_title: str
) -> Drawing:
    """``line_chart`` of lines with long names: a letter at each end, and what it means below, with its dashes."""
    short = [Line(letter_of(number), one.points) for number, one in enumerate(lines)]
    drawn = line_chart(title, described, short, x_labels, x_title, y_title)
    parts, y = list(drawn.parts), drawn.height + 6
    for number, one in enumerate(lines):
        y += 20
        parts.append(path("line", f"M8 {y - 5}L48 {y - 5}", dashes=DASHES[number % len(DASHES)]))
        parts.append(text(56, y, f"{letter_of(number)}: {shortened(one.name, 40)}"))
    return Drawing(title, described, y + 10, tuple(parts))


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


# ---------------------------------------------------------------- people by numbers


def most_bars(n_people: int) -> int:
    """Bars of a histogram that have room for a count of people above each."""
    wide = WIDTH - 28
    return min(20, wide // (SMALL_LETTER * len(count_letters(n_people)) + 3))


def histogram(title: str, described: str, edges: np.ndarray, people: np.ndarray) -> Drawing:
    """``people`` (n,) of each interval between ``edges`` (n + 1,), with the count above each bar."""
    base, tall = 150, 116
    axis = number_axis(float(edges[0]), float(edges[-1]), 14, WIDTH - 14)
    top = people.max(initial=0) or 1
    parts, ends = [], axis.place(edges)
    for low, high, n in zip(ends, ends[1:], people, strict=False):
        up = tall * float(n) / top
        if n:
            parts.append(rectangle("bar", float(low) + 0.5, base - up, max(float(high - low) - 1, 0.5), up))
            parts.append(text(float(low + high) / 2, base - up - 4, count_letters(float(n)), "middle", "small"))
    parts.append(line("axis", 14, WIDTH - 14, base, base))
    for tick, label in zip(axis.ticks, axis.labels, strict=True):
        x = float(axis.place(tick))
        half = len(label) * LETTER / 2
        parts.append(line("axis", x, x, base, base + 5))
        parts.append(text(min(max(x, half), WIDTH - half), base + 19, label, "middle"))
    return Drawing(title, described, base + 28, tuple(parts))


def cell_chart(
    title: str, described: str, edges: tuple[np.ndarray, np.ndarray], people: np.ndarray, names: tuple[str, str]
) -> Drawing:
    """People by two numbers: cells (n_up, n_across), darker where more are, with what each shade counts below.

    ``edges`` are those across and those upwards, ``names`` the axes'.
    """
    height, bottom = 320, 250
    up = number_axis(float(edges[1][0]), float(edges[1][-1]), bottom, TOP, is_across=False)
    left = min(20 + LETTER * max(map(len, up.labels)), 140)
    across = number_axis(float(edges[0][0]), float(edges[0][-1]), left, WIDTH - 14)
    x, y = across.place(edges[0]), up.place(edges[1])
    shades = shade_limits(int(people.max(initial=1)))
    of_cell = np.searchsorted(shades, people, side="right") - 1
    parts = []
    for shade in range(len(shades)):
        cells = np.argwhere((of_cell == shade) & (people > 0))
        d = "".join(
            f"M{x[j]:.1f} {y[i + 1]:.1f}h{x[j + 1] - x[j]:.1f}v{y[i] - y[i + 1]:.1f}h{x[j] - x[j + 1]:.1f}z"
            for i, j in cells
        )
        parts += [path(f"shade{shade_of(shade, len(shades))}", d)] if d else []
    parts += [line("axis", left, WIDTH - 14, bottom, bottom), line("axis", left, left, TOP, bottom)]
    for tick, label in zip(across.ticks, across.labels, strict=True):
        half = len(label) * LETTER / 2
        parts.append(text(min(float(across.place(tick)), WIDTH - half), bottom + 18, label, "middle"))
    for tick, label in zip(up.ticks, up.labels, strict=True):
        parts.append(text(left - 6, float(up.place(tick)) + 5, label, "end"))
    parts += [text(4, TOP - 14, shortened(names[1], 48)), text(WIDTH - 4, bottom + 38, shortened(names[0], 48), "end")]
    return Drawing(title, described, height, (*parts, *_shade_key(shades, int(people.max(initial=1)), height - 10)))


def shade_limits(most: int) -> list[int]:
    """The fewest people of each of up to ``N_SHADES`` shades: 1, then each a multiple of the one before."""
    if most <= N_SHADES:
        return list(range(1, most + 1))
    factor = most ** (1 / N_SHADES)
    limits = [1]
    for i in range(1, N_SHADES):
        limits.append(max(limits[-1] + 1, math.ceil(factor**i)))
    return limits


def shade_of(shade: int, n_shades: int) -> int:
    """The class of a shade: of few, the darkest is as dark."""
    return N_SHADES - 1 if n_shades == 1 else round(shade * (N_SHADES - 1) / (n_shades - 1))


def _shade_key(limits: Sequence[int], most: int, y: float) -> list[str]:
    parts, x = [], 6.0
    for shade, (low, after) in enumerate(itertools.pairwise([*limits, most + 1])):
        words = count_letters(low) if after == low + 1 else f"{count_letters(low)}–{count_letters(after - 1)}"
        parts.append(rectangle(f"shade{shade_of(shade, len(limits))}", x, y - 11, 12, 12))
        parts.append(text(x + 15, y, words, kind="small"))
        x += 22 + SMALL_LETTER * len(words) + 4
    return [*parts, text(x, y, "people", kind="small")] if x < WIDTH - 50 else parts


def exposure_chart(title: str, described: str, risk: np.ndarray, people: np.ndarray, k: int) -> Drawing:
    """The share of the people with at least each chance of re-identification, and the line of ``k``.

    ``risk`` (n,) falls, in (0, 1]; so many ``people`` (n,) have each. At risk, by definition, are people with more than
    1 / k: those above the line.
    """
    height = 260
    wide, tall, parts = _plane(height, 1.0, "share of the people, most exposed first", "chance, 1 / k")
    until = np.concatenate([[0.0], np.cumsum(people)]) / max(int(people.sum()), 1)
    x, y = LEFT + until * wide, height - BOTTOM - risk * tall
    corners = [f"{x[i]:.1f} {y[i]:.1f}L{x[i + 1]:.1f} {y[i]:.1f}" for i in range(len(risk))]
    parts += [path("line", "M" + "L".join(corners))] if corners else []
    limit = height - BOTTOM - tall / k
    parts.append(line("threshold", LEFT, LEFT + wide, limit, limit))
    parts.append(text(LEFT + wide, limit - 6, f"above: k < {k}", "end"))
    for share in (0.0, 0.5, 1.0):
        anchor = "end" if share == 1 else "middle"
        parts.append(text(LEFT + share * wide, height - BOTTOM + LABELS, f"{100 * share:g}%", anchor))
    return Drawing(title, described, height, tuple(parts))
