"""Labels that represent an interval of numbers, and what is known of each.

These spellings of treatments and hierarchies are read: ``20--30`` (ours), ``20-30`` and ``20–30`` (hierarchies by
hand), ``[20, 30]``, ``[20, 30)``, ``(20,30]`` (R, pandas), ``[20, 30[`` (ARX reverses the bracket of an open end), and
the tails ``<18``, ``<=18``, ``≤18``, ``>90``, ``>=90``, ``≥90``. Nothing else is an interval: a comma without brackets
belongs to a number (``3,5``), a semicolon (``20;30``) or one bracket alone is not used, a number with a leading zero is
a code (the postal code ``00-950``), and descending ends are not an interval (``30--20``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

# How a label ``a--b`` is read, which hangs on what wrote it; said wherever one is shown.
BINS_HOLD = "a--b contains a but not b, the last bin of a column both"
BANDS_HOLD = "a--b contains a but not b"
PARTS_HOLD = "a--b holds both a and b"

_NUMBER = r"[+-]?(?:(?!0\d)\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_BARE = re.compile(rf"({_NUMBER})\s*(?:--|–|-)\s*({_NUMBER})")
_BRACKETED = re.compile(rf"([\[(\]])\s*({_NUMBER})\s*(?:--|–|-|,)\s*({_NUMBER})\s*([\])\[])")
_TAIL = re.compile(rf"(<=?|>=?|≤|≥)\s*({_NUMBER})")


@dataclass(frozen=True)
class Interval:
    """Numbers from ``low`` to ``high``; the ends belong to it where they are closed."""

    low: float
    high: float
    low_closed: bool = True
    high_closed: bool = True

    @property
    def middle(self) -> float | None:
        """Half way between its ends; None where one end is open to infinity."""
        return self.low + (self.high - self.low) / 2 if np.isfinite([self.low, self.high]).all() else None

    def holds(self, numbers: np.ndarray) -> np.ndarray:
        """Which of the numbers (n,) belong to this interval; missing ones do not."""
        above = (numbers > self.low) | (self.low_closed & (numbers == self.low))
        return above & ((numbers < self.high) | (self.high_closed & (numbers == self.high)))


def interval_of(label: str) -> Interval | None:
    """The interval that a trimmed label represents, None if it represents none; a plain number does not."""
    if tail := _TAIL.fullmatch(label):
        sign, end = tail[1], float(tail[2])
        closed = sign not in "<>"
        return Interval(-np.inf, end, True, closed) if sign in "<=≤" else Interval(end, np.inf, closed, True)
    if bare := _BARE.fullmatch(label):
        found = Interval(float(bare[1]), float(bare[2]))
    elif bracketed := _BRACKETED.fullmatch(label):
        ends = float(bracketed[2]), float(bracketed[3])
        found = Interval(*ends, low_closed=bracketed[1] == "[", high_closed=bracketed[4] == "]")
    else:
        return None
    is_one_number = found.low == found.high and found.low_closed and found.high_closed
    return found if found.low < found.high or is_one_number else None
