"""Drawings of rows below each other: bars, and shares with intervals.

No information is shown by colour alone: a pattern or a shape shows it as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from disclosure_control.basics.drawings.pieces import (
    LETTER,
    WIDTH,
    Drawing,
    breadth,
    circle,
    line,
    rectangle,
    round_up,
    text,
    wrapped,
)

ROWS_TOP = 6
BESIDE = 50  # how broad a label beside its bar may be; a broader one is above it
MOST_ABOVE = 48  # letters in a line above a bar, including the text at its end
LINE = 17
TALL = 16  # of a bar
LEAST_WIDE = 2  # a bar of somebody is seen, however many others there are


@dataclass(frozen=True)
class Bar:
    """``value`` from 0 on a row; ``label`` before or above it, ``text`` at its end; ``is_marked`` ones are hatched."""

    label: str
    value: float
    text: str
    is_marked: bool = False


@dataclass(frozen=True)
class RateWithInterval:
    """A share ``rate`` in [0, 1] with its interval ``low`` to ``high``, on a row of its own."""

    label: str
    rate: float
    low: float
    high: float
    text: str


@dataclass(frozen=True)
class _Rows:
    """The geometry of rows: ``left`` and ``right`` ends of the bars, height of a row, and the middle of a bar in it."""

    n: int
    left: int
    right: int
    tall: int
    middle: int

    @property
    def has_names_above(self) -> bool:
        return self.left < BESIDE

    def y(self, place: int) -> int:
        return ROWS_TOP + place * self.tall + self.middle

    @property
    def bottom(self) -> int:
        return ROWS_TOP + self.n * self.tall

    def x(self, share: float) -> float:
        return self.left + share * (self.right - self.left)


def _rows(labels: Sequence[str], texts: Sequence[str]) -> tuple[_Rows, list[str]]:
    """Rows with their names and texts: beside the bars where all names are short, above them where not."""
    if max(map(breadth, labels), default=0) <= BESIDE:
        widest = max([len(words) for words in texts], default=0)
        rows = _Rows(len(labels), 62, WIDTH - 14 - LETTER * widest, 24, 12)
        parts = [text(54, rows.y(place) + 5, label, "end") for place, label in enumerate(labels)]
        return rows, parts + [text(WIDTH - 4, rows.y(i) + 5, words, "end") for i, words in enumerate(texts)]
    names = [wrapped(label, max(12, MOST_ABOVE - len(words) - 2)) for label, words in zip(labels, texts, strict=True)]
    n_lines = max(map(len, names), default=1)
    rows = _Rows(len(labels), 6, WIDTH - 6, 27 + LINE * n_lines, 13 + LINE * n_lines)
    parts = []
    for place, (lines, words) in enumerate(zip(names, texts, strict=True)):
        first = rows.y(place) - 14 - LINE * (len(lines) - 1)
        parts += [text(6, first + LINE * i, one) for i, one in enumerate(lines)]
        parts.append(text(WIDTH - 6, rows.y(place) - 14, words, "end"))
    return rows, parts


def row_chart(title: str, described: str, bars: Sequence[Bar], threshold_after: int | None = None) -> Drawing:
    """Bars below each other, each as long as its value; a line below the first ``threshold_after``, if there is one."""
    top = max([bar.value for bar in bars], default=0) or 1
    rows, parts = _rows([bar.label for bar in bars], [bar.text for bar in bars])
    for place, bar in enumerate(bars):
        kind = "bar marked" if bar.is_marked else "bar"
        wide = max(bar.value, 0) / top * (rows.right - rows.left)
        wide = max(wide, LEAST_WIDE) if bar.value > 0 else wide
        parts.append(rectangle(kind, rows.left, rows.y(place) - TALL / 2, wide, TALL))
    parts.append(line("axis", rows.left, rows.left, ROWS_TOP, rows.bottom))
    if threshold_after is not None and 0 < threshold_after < len(bars):
        y = ROWS_TOP + threshold_after * rows.tall
        parts.append(line("threshold", 6, WIDTH - 6, y, y))
    return Drawing(title, described, rows.bottom + 10, tuple(parts))


def interval_chart(
    title: str, described: str, intervals: Sequence[RateWithInterval], threshold: float | None = None
) -> Drawing:
    """A row per group: its share as a dot on the line of its interval; the axis runs from 0 to a round share."""
    top = round_up(max([one.high for one in intervals], default=1.0))
    rows, parts = _rows([one.label for one in intervals], [one.text for one in intervals])
    for share in (0.0, 0.5, 1.0):
        parts.append(line("grid", rows.x(share), rows.x(share), ROWS_TOP, rows.bottom))
        anchor = {0.0: "start", 0.5: "middle", 1.0: "end"}[share]
        parts.append(text(rows.x(share), rows.bottom + 18, f"{100 * share * top:.3g}%", anchor))
    for place, one in enumerate(intervals):
        low, high, dot = (rows.x(share / top) for share in (one.low, one.high, one.rate))
        parts.append(line("interval", low, high, rows.y(place), rows.y(place)))
        parts.append(circle("dot", dot, rows.y(place), 6))
    if threshold is not None and threshold <= top:
        x = rows.x(threshold / top)
        if rows.has_names_above:  # the line keeps off the letters
            parts += [line("threshold", x, x, rows.y(place) - 10, rows.y(place) + 10) for place in range(rows.n)]
        else:
            parts.append(line("threshold", x, x, ROWS_TOP, rows.bottom))
    return Drawing(title, described, rows.bottom + 26, tuple(parts))
