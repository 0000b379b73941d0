"""What the page's drawings are made of: lines, letters, round numbers, and the finished ``Drawing``.

A drawing is as wide as a telephone, so that its letters can be read there; what needs room gets it below.
"""

from __future__ import annotations

import math
import textwrap
from dataclasses import dataclass
from unicodedata import east_asian_width

from markupsafe import Markup, escape

WIDTH = 400
LETTER = 8  # room for one, in the drawing's unit


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


def text(x: float, y: float, words: str, anchor: str = "start") -> str:
    """Letters that begin ("start"), end ("end") or have their "middle" at ``x``, on the line ``y``."""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>' if words else ""


def shortened(words: str, at_most: int) -> str:
    """Text with its end cut off where it is too long for its place."""
    return words if len(words) <= at_most else f"{words[: at_most - 1]}…"


def breadth(words: str) -> int:
    """About how wide letters are: capitals are wider than others, and those of Chinese or Japanese the widest."""
    return sum(15 if east_asian_width(one) in "WF" else 10 if one.isupper() else LETTER for one in words)


def wrapped(words: str, n_letters: int, n_lines: int = 2) -> list[str]:
    """Text on at most so many lines; text that does not fit ends in an ellipsis."""
    return textwrap.wrap(words, n_letters, max_lines=n_lines, placeholder="…") or [""]


def round_up(share: float) -> float:
    """The next of 1, 2 or 5 times a power of ten; above a half, 1."""
    if not 0 < share <= 0.5:
        return 1.0 if share > 0 else 0.01
    power = 10.0 ** math.floor(math.log10(share))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= share * (1 - 1e-12))
