"""What drawings are made of: lines, letters, round numbers of an axis, and the finished ``Drawing``.

A drawing is as wide as a telephone, so that its letters can be read there; what needs room gets it below.
"""

from __future__ import annotations

import itertools
import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from unicodedata import east_asian_width

import numpy as np
from markupsafe import Markup, escape

WIDTH = 400
LETTER = 8  # room for one, in the drawing's unit
SMALL_LETTER = 7


@dataclass(frozen=True)
class Drawing:
    """A drawing ``WIDTH`` wide: its ``parts`` are SVG. ``title`` and ``described`` are its text for screen readers.

    A Jinja template shows its SVG element.
    """

    title: str
    described: str
    height: int
    parts: tuple[str, ...]

    @property
    def words(self) -> str:
        return f"{self.title}. {self.described}"

    def __html__(self) -> Markup:
        return Markup(
            f'<svg viewBox="0 0 {WIDTH} {self.height}" role="img" aria-label="{escape(self.words)}" '
            f'preserveAspectRatio="xMinYMin meet">{"".join(self.parts)}</svg>'
        )


# ---------------------------------------------------------------- shapes


def line(kind: str, x1: float, x2: float, y1: float, y2: float) -> str:
    """A straight line of a class of ``RULES``."""
    return f'<line class="{kind}" x1="{x1:.1f}" x2="{x2:.1f}" y1="{y1:.1f}" y2="{y2:.1f}"/>'


def rectangle(kind: str, x: float, y: float, wide: float, tall: float) -> str:
    return f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{tall:.1f}"/>'


def circle(kind: str, x: float, y: float, radius: float, words: str = "") -> str:
    """A circle; ``words`` are shown where a pointer rests on it."""
    inside = f"><title>{escape(words)}</title></circle>" if words else "/>"
    return f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}"{inside}'


def path(kind: str, d: str, words: str = "", dashes: str = "") -> str:
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    inside = f"><title>{escape(words)}</title></path>" if words else "/>"
    return f'<path class="{kind}"{dashed} d="{d}"{inside}'


def text(x: float, y: float, words: str, anchor: str = "start", kind: str = "") -> str:
    """Letters that begin ("start"), end ("end") or have their "middle" at ``x``, on the line ``y``."""
    of_kind = f' class="{kind}"' if kind else ""
    return f'<text{of_kind} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>' if words else ""


# ---------------------------------------------------------------- letters and numbers


def shortened(words: str, at_most: int) -> str:
    """Text with its end cut off where it is too long for its place."""
    return words if len(words) <= at_most else f"{words[: at_most - 1]}…"


def breadth(words: str) -> int:
    """About how wide letters are: capitals are wider than others, and those of Chinese or Japanese the widest."""
    return sum(15 if east_asian_width(one) in "WF" else 10 if one.isupper() else LETTER for one in words)


def cut_in_the_middle(words: str, at_most: int) -> str:
    """Text with its middle cut out where it is too long for its place: names often differ at their ends."""
    tail = at_most // 3
    return words if len(words) <= at_most else f"{words[: at_most - tail - 3]} … {words[-tail:]}"


def wrapped(words: str, n_letters: int, n_lines: int = 2) -> list[str]:
    """Text on at most so many lines, with its own line breaks; text that does not fit ends in an ellipsis."""
    if "\n" in words:
        return [shortened(part, n_letters) for part in words.split("\n", n_lines - 1)]
    return textwrap.wrap(words, n_letters, max_lines=n_lines, placeholder="…") or [""]


def round_up(share: float) -> float:
    """The next of 1, 2 or 5 times a power of ten; above a half, 1."""
    return 1.0 if share > 0.5 else round_number(share) if share > 0 else 0.01


def round_number(number: float) -> float:
    """The next of 1, 2 or 5 times a power of ten, of a number above 0."""
    power = 10.0 ** math.floor(math.log10(number))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= number * (1 - 1e-12))


@dataclass(frozen=True)
class Axis:
    """Numbers from ``low`` to ``high`` on a line from ``begin`` to ``end``, with ``ticks`` at round numbers and their
    ``labels``, no two of which are alike."""

    low: float
    high: float
    begin: float
    end: float
    ticks: tuple[float, ...]
    labels: tuple[str, ...]

    def place(self, number: float | np.ndarray) -> np.ndarray:
        """The positions of numbers (n,) on the line; computed in halves, because the distance of the largest numbers
        is no number.
        """
        share = (np.asarray(number) / 2 - self.low / 2) / ((self.high / 2 - self.low / 2) or 1.0)
        return self.begin + share * (self.end - self.begin)


def number_axis(low: float, high: float, begin: float, end: float, is_across: bool = True) -> Axis:
    """An axis with as many of up to five ticks as have room side by side, or below each other."""
    for most in (5, 4, 3, 2, 1):
        ticks = _ticks(low, high, most)
        labels = _labels(ticks)
        room = abs(end - begin) / max(len(ticks), 1)
        if not is_across or max(map(len, labels), default=0) * LETTER + 6 <= room:
            break
    if len(labels) < 2:
        ticks, labels = (low, high), (f"{low:.4g}", f"{high:.4g}")
        if labels[0] == labels[1]:
            labels = (repr(float(low)), repr(float(high)))
    return Axis(low, high, begin, end, tuple(ticks), tuple(labels))


def _ticks(low: float, high: float, most: int) -> tuple[float, ...]:
    """Round numbers between the ends, at most about so many."""
    scale = 10.0 ** math.floor(math.log10(max(abs(low), abs(high), 1e-300)))
    bottom, top = low / scale, high / scale
    if not top > bottom:
        return ()
    step = round_number((top - bottom) / most)
    places = np.arange(math.ceil(bottom / step - 1e-9), math.floor(top / step + 1e-9) + 1)
    return tuple(float(place * step * scale) for place in places[: 2 * most + 2])


def _labels(ticks: Sequence[float]) -> tuple[str, ...]:
    """Ticks in as few digits as distinguish them."""
    if not ticks:
        return ()
    largest = max(map(abs, ticks))
    gap = min((after - before for before, after in itertools.pairwise(ticks)), default=largest or 1.0)
    if gap <= 0:
        return ()
    if gap >= 1e-4 and largest < 1e7:
        decimals = max(0, -math.floor(math.log10(gap) + 1e-9))
        labels = tuple(f"{tick + 0.0:.{decimals}f}" for tick in ticks)
    else:
        digits = max(1, math.floor(math.log10(largest)) - math.floor(math.log10(gap) + 1e-9) + 1)
        labels = tuple(f"{0.0 if abs(tick) < gap / 2 else tick:.{min(digits, 17)}g}" for tick in ticks)
    return labels if len(set(labels)) == len(labels) else ()


def count_letters(n: float) -> str:
    """People in four letters at most, for a bar: 950, 9999, 12k, 1.2M."""
    if n < 10_000:
        return f"{n:.0f}"
    return f"{n / 1000:.0f}k" if n < 999_500 else f"{n / 1e6:.1f}M" if n < 9.95e6 else f"{n / 1e6:.0f}M"
