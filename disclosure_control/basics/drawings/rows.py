"""Drawings of rows below each other: bars, shares with intervals, boxes, parts of a whole, correlations.

No information is shown by colour alone: a pattern or a shape shows it as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from disclosure_control.basics.drawings.pieces import (
    LETTER,
    WIDTH,
    Axis,
    Drawing,
    breadth,
    circle,
    line,
    number_axis,
    path,
    rectangle,
    round_up,
    shortened,
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
class Box:
    """Quartiles, the ends of the whiskers, and values beyond them, all in one unit."""

    label: str
    low_whisker: float
    first_quartile: float
    median: float
    third_quartile: float
    high_whisker: float
    text: str = ""
    outliers: tuple[float, ...] = ()


@dataclass(frozen=True)
class Stack:
    """``people`` of each part of a whole; the row is as tall as its people are many."""

    label: str
    people: tuple[int, ...]
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


def signed_chart(title: str, described: str, bars: Sequence[Bar]) -> Drawing:
    """Values in [-1, 1] as bars from the middle: to the left below 0, hatched, to the right above.

    A bar's label is on its other side, so that the names have the whole width.
    """
    rows, parts = _rows([bar.label for bar in bars], [""] * len(bars))
    for number in (-1, 0, 1):
        x = rows.x((number + 1) / 2)
        parts += [line("grid", x, x, rows.y(place) - 10, rows.y(place) + 10) for place in range(rows.n)]
        parts.append(text(x, rows.bottom + 18, f"{number:g}".replace("-", "−"), ("middle", "end", "start")[number]))
    for place, bar in enumerate(bars):
        begin, end = sorted([rows.x(0.5), rows.x((bar.value + 1) / 2)])
        kind = "bar marked" if bar.value < 0 else "bar"
        parts.append(rectangle(kind, begin, rows.y(place) - TALL / 2, end - begin, TALL))
        anchor, beside = ("start", 6) if bar.value < 0 else ("end", -6)
        parts.append(text(rows.x(0.5) + beside, rows.y(place) + 5, bar.text, anchor))
    return Drawing(title, described, rows.bottom + 26, tuple(parts))


def box_chart(title: str, described: str, boxes: Sequence[Box]) -> Drawing:
    """A box on each row, all on one axis of numbers; values beyond the whiskers are diamonds."""
    ends = [end for box in boxes for end in (box.low_whisker, box.high_whisker, *box.outliers)]
    n_lines = max((len(wrapped(box.label, _label_room(box))) for box in boxes), default=1)
    above = LINE * n_lines + 4 if any(box.label or box.text for box in boxes) else 0
    tall = above + 28
    bottom = ROWS_TOP + tall * len(boxes)
    axis = number_axis(min(ends), max(ends), 14, WIDTH - 14)
    parts = _axis_below(axis, ROWS_TOP, bottom)
    for place, box in enumerate(boxes):
        y = ROWS_TOP + place * tall + above + 12
        first = y - 12 - LINE * (n_lines - 1)
        parts += [text(6, first + LINE * i - 2, one) for i, one in enumerate(wrapped(box.label, _label_room(box)))]
        parts.append(text(WIDTH - 6, first - 2, box.text, "end"))
        parts += _box(axis, box, y)
    return Drawing(title, described, bottom + 24, tuple(parts))


def _label_room(box: Box) -> int:
    return max(12, MOST_ABOVE - len(box.text) - 2)


def _box(axis: Axis, box: Box, y: float) -> list[str]:
    low, first, median, third, high = (
        float(axis.place(number))
        for number in (box.low_whisker, box.first_quartile, box.median, box.third_quartile, box.high_whisker)
    )
    parts = [line("whisker", low, first, y, y), line("whisker", third, high, y, y)]
    parts += [line("whisker", end, end, y - 5, y + 5) for end in (low, high)]
    parts.append(rectangle("box", first, y - 9, max(third - first, 1.0), 18))
    parts.append(line("median", median, median, y - 9, y + 9))
    beyond = axis.place(np.array(box.outliers))
    return parts + [path("diamond", f"M{float(x):.1f} {y - 6:.1f}l5 6l-5 6l-5-6z") for x in beyond]


def _axis_below(axis: Axis, top: float, bottom: float) -> list[str]:
    """Lines at the ticks of an axis, and its labels below them."""
    parts = []
    for tick, label in zip(axis.ticks, axis.labels, strict=True):
        x = float(axis.place(tick))
        half = len(label) * LETTER / 2
        anchor = "start" if x < half else "end" if x > WIDTH - half else "middle"
        parts.append(line("grid", x, x, top, bottom))
        parts.append(text(x, bottom + 17, label, anchor))
    return parts


PARTS = 4  # looks that distinguish neighbours; letters distinguish all
MOST_TALL = 260  # of all rows of a mosaic together, without their names


def stack_chart(title: str, described: str, rows: Sequence[Stack], parts_named: Sequence[str]) -> Drawing:
    """A row per group, all as long: its parts by their shares of it, its height by its share of all people.

    Areas are people. A part with room carries its letter; the letters are explained below.
    """
    everybody = sum(sum(row.people) for row in rows) or 1
    parts, y = [], 4.0
    for row in rows:
        n = sum(row.people)
        parts += [text(6, y + 13, shortened(row.label, MOST_ABOVE - len(row.text) - 2))]
        parts += [text(WIDTH - 6, y + 13, row.text, "end")]
        tall, x = MOST_TALL * n / everybody, 6.0
        for number, people in enumerate(row.people):
            wide = (WIDTH - 12) * people / n if n else 0.0
            if wide:
                parts.append(rectangle(f"part{number % PARTS}", x, y + 18, wide, tall))
            if wide > 14 and tall > 15:
                parts.append(text(x + wide / 2, y + 23 + tall / 2, letter_of(number), "middle"))
            x += wide
        y += 24 + tall
    for number, name in enumerate(parts_named):
        y += 22
        parts += [rectangle(f"part{number % PARTS}", 6, y - 14, 22, 18), text(17, y, letter_of(number), "middle")]
        parts.append(text(36, y, shortened(name, 44)))
    return Drawing(title, described, round(y) + 12, tuple(parts))


def letter_of(number: int) -> str:
    """A, B, C ... for 0, 1, 2 ..."""
    return chr(ord("A") + number)
