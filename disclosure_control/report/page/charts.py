"""The drawings of the page: SVG from plain numbers, in the page's own colours, each with words for who cannot see it.

Nothing is told by colour alone: what matters is marked by a pattern or a shape as well.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

WIDTH = 640
LEFT, RIGHT, TOP, BOTTOM = 56, 16, 28, 44
ROW, ROW_LEFT, ROW_RIGHT = 26, 220, 130


@dataclass(frozen=True)
class Bar:
    """``value`` from 0; ``label`` below it, ``text`` above it; ``is_marked`` ones are hatched."""

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


def bar_chart(
    title: str, described: str, bars: Sequence[Bar], x_title: str, threshold_after: int | None = None
) -> Markup:
    """Bars side by side; a line after the first ``threshold_after`` of them, where a threshold stands."""
    height = 260
    top = max([bar.value for bar in bars], default=0) or 1
    slot = (WIDTH - LEFT - RIGHT) / max(len(bars), 1)
    parts = []
    for place, bar in enumerate(bars):
        x, tall = LEFT + place * slot, (height - TOP - BOTTOM) * bar.value / top
        y, middle = height - BOTTOM - tall, LEFT + (place + 0.5) * slot
        kind = "bar marked" if bar.is_marked else "bar"
        parts.append(
            f'<rect class="{kind}" x="{x + slot * 0.1:.1f}" y="{y:.1f}" width="{slot * 0.8:.1f}" height="{tall:.1f}"/>'
        )
        if bar.text:
            parts.append(_text(middle, y - 6, bar.text, "middle"))
        parts.append(_text(middle, height - BOTTOM + 16, bar.label, "middle"))
    if threshold_after is not None and 0 < threshold_after <= len(bars):
        x = LEFT + threshold_after * slot
        parts.append(f'<line class="threshold" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 12}" y2="{height - BOTTOM}"/>')
    parts.append(_axis(height))
    parts.append(_text(LEFT + (WIDTH - LEFT - RIGHT) / 2, height - 6, x_title, "middle"))
    return _figure(title, described, height, parts)


def interval_chart(title: str, described: str, intervals: Sequence[Interval], threshold: float | None = None) -> Markup:
    """A row per group: its share as a dot on the line of its interval; the axis runs from 0 to a round share."""
    top = _round_up(max([one.high for one in intervals], default=1.0))
    height, scale, parts = _rows([(one.label, one.text) for one in intervals], top)
    for place, one in enumerate(intervals):
        low, high, dot = (ROW_LEFT + share * scale for share in (one.low, one.high, one.rate))
        y = _row_middle(place)
        parts.append(f'<line class="interval" x1="{low:.1f}" x2="{high:.1f}" y1="{y}" y2="{y}"/>')
        parts.append(f'<circle class="dot" cx="{dot:.1f}" cy="{y}" r="5"/>')
    if threshold is not None and threshold <= top:
        parts.append(_upright("threshold", ROW_LEFT + threshold * scale, height))
    return _figure(title, described, height, parts)


def row_chart(title: str, described: str, bars: Sequence[Bar]) -> Markup:
    """Bars of shares in [0, 1] below each other, for names too long to stand side by side."""
    top = _round_up(max([bar.value for bar in bars], default=0.0) or 0.01)
    height, scale, parts = _rows([(bar.label, bar.text) for bar in bars], top)
    for place, bar in enumerate(bars):
        kind = "bar marked" if bar.is_marked else "bar"
        wide, y = max(bar.value, 0) * scale, _row_middle(place) - 8
        parts.append(f'<rect class="{kind}" x="{ROW_LEFT}" y="{y}" width="{wide:.1f}" height="16"/>')
    return _figure(title, described, height, parts)


def _rows(rows: Sequence[tuple[str, str]], top: float) -> tuple[int, float, list[str]]:
    """Height, units per share and the frame of a drawing with a name and a text per row, and an axis of shares."""
    height = TOP + ROW * len(rows) + BOTTOM
    scale, parts = (WIDTH - ROW_LEFT - ROW_RIGHT) / top, []
    for place, (label, text) in enumerate(rows):
        parts.append(_text(ROW_LEFT - 10, _row_middle(place) + 4, shortened(label, 30), "end"))
        parts.append(_text(WIDTH - 4, _row_middle(place) + 4, text, "end"))
    for share in (0, top / 2, top):
        parts.append(_upright("grid", ROW_LEFT + share * scale, height))
        parts.append(_text(ROW_LEFT + share * scale, height - BOTTOM + 18, f"{100 * share:.3g}%", "middle"))
    return height, scale, parts


def _row_middle(place: int) -> float:
    return TOP + ROW * (place + 0.5)


def _upright(kind: str, x: float, height: int) -> str:
    return f'<line class="{kind}" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{height - BOTTOM}"/>'


def scatter_chart(title: str, described: str, points: Sequence[Point], x_title: str, y_title: str) -> Markup:
    """Points in the unit square; marked ones last, so that nothing lies on them."""
    height = 340
    wide, tall = WIDTH - LEFT - RIGHT, height - TOP - BOTTOM
    top = _round_up(max([point.y for point in points], default=1.0) or 0.01)
    most = _round_up(max([point.x for point in points], default=1.0) or 0.01)
    parts = [_axis(height)]
    for share in (0.0, 0.5, 1.0):
        y = height - BOTTOM - share * tall
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(_text(LEFT - 8, y + 4, f"{100 * share * top:.3g}%", "end"))
        parts.append(_text(LEFT + share * wide, height - BOTTOM + 16, f"{share * most:.3g}", "middle"))
    for point in sorted(points, key=lambda point: bool(point.mark)):
        x, y = LEFT + point.x / most * wide, height - BOTTOM - point.y / top * tall
        words = f"<title>{escape(point.text)}</title>"
        if point.mark:
            parts.append(f'<path class="diamond" d="M{x:.1f} {y - 9:.1f}l9 9l-9 9l-9-9z">{words}</path>')
            end = x > WIDTH * 0.7
            parts.append(_text(x - 14 if end else x + 14, y - 8, point.mark, "end" if end else "start"))
        else:
            parts.append(f'<circle class="point" cx="{x:.1f}" cy="{y:.1f}" r="4">{words}</circle>')
    parts.append(_text(LEFT + wide / 2, height - 6, x_title, "middle"))
    parts.append(_text(LEFT, TOP - 12, y_title, "start"))
    return _figure(title, described, height, parts)


def line_chart(title: str, described: str, lines: Sequence[Line], x_labels: Sequence[str]) -> Markup:
    """Lines over the same places, dashed one by one differently, each named at its end."""
    height = 240
    wide, tall = WIDTH - LEFT - 120, height - TOP - BOTTOM
    top = _round_up(max([y for line in lines for _, y in line.points], default=1.0) or 0.01)
    parts = [_axis(height)]
    for share in (0.0, 0.5, 1.0):
        y = height - BOTTOM - share * tall
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{LEFT + wide}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(_text(LEFT - 8, y + 4, f"{100 * share * top:.3g}%", "end"))
    for number, line in enumerate(lines):
        places = [(LEFT + x * wide, height - BOTTOM - y / top * tall) for x, y in line.points]
        path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
        parts.append(
            f'<path class="line" stroke-dasharray="{("none", "6 4", "2 3", "8 3 2 3")[number % 4]}" d="{path}"/>'
        )
        parts += [f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="3"/>' for x, y in places]
        parts.append(_text(places[-1][0] + 8, places[-1][1] + 4, shortened(line.name, 16), "start"))
    for place, label in enumerate(x_labels):
        x = LEFT + (place / max(len(x_labels) - 1, 1)) * wide
        parts.append(_text(x, height - BOTTOM + 16, label, "middle"))
    return _figure(title, described, height, parts)


def shortened(text: str, at_most: int) -> str:
    """Text with its end cut off where it is too long for its place."""
    return text if len(text) <= at_most else f"{text[: at_most - 1]}…"


def _round_up(share: float) -> float:
    """The next of 1, 2 or 5 times a power of ten; of what is above a half, 1."""
    if share > 0.5:
        return 1.0
    power = 10.0 ** math.floor(math.log10(share)) if share > 0 else 0.01
    return next(step * power for step in (1, 2, 5, 10) if step * power >= share * (1 - 1e-12))


def _axis(height: int) -> str:
    return f'<line class="axis" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{height - BOTTOM}" y2="{height - BOTTOM}"/>'


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _figure(title: str, described: str, height: int, parts: Sequence[str]) -> Markup:
    return Markup(
        f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(f"{title}. {described}")}" '
        f'preserveAspectRatio="xMinYMin meet">{"".join(parts)}</svg>'
    )
