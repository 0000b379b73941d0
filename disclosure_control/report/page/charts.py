"""The drawings of the page: SVG from plain numbers, in the page's own colours, each with words for who cannot see it.

Nothing is told by colour alone: what matters is marked by a pattern or a shape as well. The drawings are as wide as a
telephone, so that their letters can be read there; rows stand below each other, where there is room for many.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

WIDTH = 400
LEFT, RIGHT, TOP, BOTTOM = 52, 12, 32, 46
ROWS_TOP = 6
MOST_BESIDE = 6  # letters of a label that stands beside its bar; a longer one stands above it
MOST_ABOVE = 34


@dataclass(frozen=True)
class Bar:
    """``value`` from 0 on a row; ``label`` before or above it, ``text`` at its end; ``is_marked`` ones are hatched."""

    label: str
    value: float
    text: str
    is_marked: bool = False


@dataclass(frozen=True)
class Interval:
    """A share ``rate`` in [0, 1] with its interval ``low`` to ``high``, on a row of its own."""

    label: str
    rate: float
    low: float
    high: float
    text: str


@dataclass(frozen=True)
class Point:
    """``x`` and ``y`` in [0, 1]; a ``mark`` ("" for none) is drawn larger, as a diamond, with its name beside it."""

    x: float
    y: float
    text: str
    mark: str = ""


@dataclass(frozen=True)
class Line:
    """A line through ``points`` (x, y), both in [0, 1], with its name at its end."""

    name: str
    points: tuple[tuple[float, float], ...]


# ---------------------------------------------------------------- rows


@dataclass(frozen=True)
class _Rows:
    """Where rows stand: ``left`` and ``right`` ends of the bars, height of a row, and the middle of a bar in it."""

    n: int
    left: int
    right: int
    tall: int
    middle: int

    def y(self, place: int) -> int:
        return ROWS_TOP + place * self.tall + self.middle

    @property
    def bottom(self) -> int:
        return ROWS_TOP + self.n * self.tall

    def x(self, share: float) -> float:
        return self.left + share * (self.right - self.left)


def _rows(labels: Sequence[str], texts: Sequence[str]) -> tuple[_Rows, list[str]]:
    """Rows with their names and texts: beside the bars where all names are short, above them where not."""
    if max(map(len, labels), default=0) <= MOST_BESIDE:
        widest = max([len(text) for text in texts], default=0)
        rows = _Rows(len(labels), 62, WIDTH - 14 - 8 * widest, 24, 12)
        parts = [_text(54, rows.y(place) + 5, label, "end") for place, label in enumerate(labels)]
        return rows, parts + [_text(WIDTH - 4, rows.y(i) + 5, text, "end") for i, text in enumerate(texts)]
    rows = _Rows(len(labels), 6, WIDTH - 6, 44, 30)
    parts = []
    for place, (label, text) in enumerate(zip(labels, texts, strict=True)):
        room = max(12, 50 - len(text))
        parts.append(_text(6, rows.y(place) - 14, shortened(label, min(MOST_ABOVE, room)), "start"))
        parts.append(_text(WIDTH - 6, rows.y(place) - 14, text, "end"))
    return rows, parts


def row_chart(title: str, described: str, bars: Sequence[Bar], threshold_after: int | None = None) -> Markup:
    """Bars below each other, each as long as its value; a line below the first ``threshold_after``, if one stands."""
    top = max([bar.value for bar in bars], default=0) or 1
    rows, parts = _rows([bar.label for bar in bars], [bar.text for bar in bars])
    for place, bar in enumerate(bars):
        kind = "bar marked" if bar.is_marked else "bar"
        wide = max(bar.value, 0) / top * (rows.right - rows.left)
        parts.append(f'<rect class="{kind}" x="{rows.left}" y="{rows.y(place) - 8}" width="{wide:.1f}" height="16"/>')
    parts.append(_line("axis", rows.left, rows.left, ROWS_TOP, rows.bottom))
    if threshold_after is not None and 0 < threshold_after < len(bars):
        y = ROWS_TOP + threshold_after * rows.tall
        parts.append(_line("threshold", 6, WIDTH - 6, y, y))
    return _figure(title, described, rows.bottom + 10, parts)


def interval_chart(title: str, described: str, intervals: Sequence[Interval], threshold: float | None = None) -> Markup:
    """A row per group: its share as a dot on the line of its interval; the axis runs from 0 to a round share."""
    top = _round_up(max([one.high for one in intervals], default=1.0))
    rows, parts = _rows([one.label for one in intervals], [one.text for one in intervals])
    for share in (0.0, 0.5, 1.0):
        parts.append(_line("grid", rows.x(share), rows.x(share), ROWS_TOP, rows.bottom))
        anchor = {0.0: "start", 0.5: "middle", 1.0: "end"}[share]
        parts.append(_text(rows.x(share), rows.bottom + 18, f"{100 * share * top:.3g}%", anchor))
    for place, one in enumerate(intervals):
        low, high, dot = (rows.x(share / top) for share in (one.low, one.high, one.rate))
        parts.append(_line("interval", low, high, rows.y(place), rows.y(place)))
        parts.append(f'<circle class="dot" cx="{dot:.1f}" cy="{rows.y(place)}" r="6"/>')
    if threshold is not None and threshold <= top:
        parts.append(_line("threshold", rows.x(threshold / top), rows.x(threshold / top), ROWS_TOP, rows.bottom))
    return _figure(title, described, rows.bottom + 26, parts)


# ---------------------------------------------------------------- planes


def scatter_chart(title: str, described: str, points: Sequence[Point], x_title: str, y_title: str) -> Markup:
    """Points in the unit square; marked ones last, so that nothing lies on them."""
    height = 320
    top = _round_up(max([point.y for point in points], default=1.0) or 0.01)
    most = _round_up(max([point.x for point in points], default=1.0) or 0.01)
    wide, tall, parts = _plane(height, top, x_title, y_title)
    for share in (0.0, 0.5, 1.0):
        anchor = "end" if share == 1 else "middle"
        parts.append(_text(LEFT + share * wide, height - BOTTOM + 18, f"{share * most:.3g}", anchor))
    taken: list[tuple[float, float]] = []
    for point in sorted(points, key=lambda point: bool(point.mark)):
        x, y = LEFT + point.x / most * wide, height - BOTTOM - point.y / top * tall
        words = f"<title>{escape(point.text)}</title>"
        if point.mark:
            parts.append(f'<path class="diamond" d="M{x:.1f} {y - 9:.1f}l9 9l-9 9l-9-9z">{words}</path>')
            label_y = y - 12
            while any(abs(x - other_x) < 18 and abs(label_y - other_y) < 15 for other_x, other_y in taken):
                label_y -= 15
            taken.append((x, label_y))
            parts.append(_text(min(x, WIDTH - 12), label_y, point.mark, "middle"))
        else:
            parts.append(f'<circle class="point" cx="{x:.1f}" cy="{y:.1f}" r="4">{words}</circle>')
    return _figure(title, described, height, parts)


def line_chart(title: str, described: str, lines: Sequence[Line], x_labels: Sequence[str]) -> Markup:
    """Lines over the same places, dashed one by one differently, each named at its end."""
    height = 240
    top = _round_up(max([y for line in lines for _, y in line.points], default=1.0) or 0.01)
    wide, tall, parts = _plane(height, top, "", "", right=40)
    for number, line in enumerate(lines):
        places = [(LEFT + x * wide, height - BOTTOM - y / top * tall) for x, y in line.points]
        path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
        dashes = ("none", "6 4", "2 3", "8 3 2 3")[number % 4]
        parts.append(f'<path class="line" stroke-dasharray="{dashes}" d="{path}"/>')
        parts += [f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="3"/>' for x, y in places]
        parts.append(_text(places[-1][0] + 8, places[-1][1] + 5, shortened(line.name, 5), "start"))
    for place, label in enumerate(x_labels):
        x = LEFT + (place / max(len(x_labels) - 1, 1)) * wide
        parts.append(_text(x, height - BOTTOM + 18, label, "middle"))
    return _figure(title, described, height, parts)


def _plane(height: int, top: float, x_title: str, y_title: str, right: int = RIGHT) -> tuple[int, int, list[str]]:
    """Width, height and frame of a drawing with an axis of shares from 0 to ``top`` upwards."""
    wide, tall = WIDTH - LEFT - right, height - TOP - BOTTOM
    parts = [_line("axis", LEFT, LEFT + wide, height - BOTTOM, height - BOTTOM)]
    for share in (0.0, 0.5, 1.0):
        y = height - BOTTOM - share * tall
        parts.append(_line("grid", LEFT, LEFT + wide, y, y))
        parts.append(_text(LEFT - 6, y + 5, f"{100 * share * top:.3g}%", "end"))
    parts.append(_text(LEFT + wide / 2, height - 8, x_title, "middle"))
    parts.append(_text(4, TOP - 14, y_title, "start"))
    return wide, tall, parts


# ---------------------------------------------------------------- pieces


def shortened(text: str, at_most: int) -> str:
    """Text with its end cut off where it is too long for its place."""
    return text if len(text) <= at_most else f"{text[: at_most - 1]}…"


def _round_up(share: float) -> float:
    """The next of 1, 2 or 5 times a power of ten; of what is above a half, 1."""
    if share > 0.5:
        return 1.0
    power = 10.0 ** math.floor(math.log10(share)) if share > 0 else 0.01
    return next(step * power for step in (1, 2, 5, 10) if step * power >= share * (1 - 1e-12))


def _line(kind: str, x1: float, x2: float, y1: float, y2: float) -> str:
    return f'<line class="{kind}" x1="{x1:.1f}" x2="{x2:.1f}" y1="{y1:.1f}" y2="{y2:.1f}"/>'


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>' if text else ""


def _figure(title: str, described: str, height: int, parts: Sequence[str]) -> Markup:
    return Markup(
        f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(f"{title}. {described}")}" '
        f'preserveAspectRatio="xMinYMin meet">{"".join(parts)}</svg>'
    )
