"""What a label represents that is not a plain value: an interval, a tail, a masked code, a set.

``20--30``, ``[20, 30)``, ``<18``, ``>=90`` (see ``basics.interval_labels``), ``12xxx``, ``12***``, ``a|b``, ``{1, 2}``.
A text may look like one of these and still be a plain value: the postal code 12-345, the laboratory's <3.42.
``agreement`` decides this from both tables.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import label_texts, parse_numbers
from disclosure_control.basics.encoding.interval_labels import Interval, interval_of


@dataclass(frozen=True)
class Mask:
    """A code of which only the first letters are left; the number of masked ones is known."""

    prefix: str
    length: int

    def meets(self, known: KnownValues) -> np.ndarray:
        """Which known values (n_values,) the code may be."""
        return np.char.startswith(known.texts, self.prefix) & (np.char.str_len(known.texts) == self.length)


@dataclass(frozen=True)
class Members:
    """One of several values or intervals; where ``missing`` is one of them, the value may be any."""

    texts: tuple[str, ...]

    def meets(self, known: KnownValues) -> np.ndarray:
        """Which known values (n_values,) are a member, or lie in one, or share a member."""
        if "missing" in self.texts:
            return np.ones(len(known.texts), dtype=bool)
        held = np.isin(known.texts, np.array(self.texts, dtype=str))
        for pattern in map(pattern_of, self.texts):
            if pattern is not None:
                held |= pattern.meets(known) & ~known.is_own_pattern
        for code, one in known.sets.items():
            held[code] = not set(one.texts).isdisjoint(self.texts)
        return held


Pattern = Interval | Mask | Members
_MASK = re.compile(r"(.*[^xX*])([xX]{2,}|\*+)|([xX]{2,}|\*{2,})")
_MAY_BE_PATTERN = r"[-–|*<>≤≥{\[(\]]|[xX]{2}"


def pattern_of(label: str) -> Pattern | None:
    """What a label may represent other than itself; None if it can only be a plain value."""
    interval = interval_of(label)
    if interval:
        return interval
    if "|" in label.strip("|") or (label[0] == "{" and label[-1] == "}"):
        parts = re.split(r"[|]" if "|" in label else r",", label.strip("{}"))
        return Members(tuple(part.strip() for part in parts if part.strip()))
    mask = _MASK.fullmatch(label)
    return Mask(mask[1] or "", len(label)) if mask else None


def patterns_of(labels: np.ndarray, used: np.ndarray) -> dict[int, Pattern]:
    """The text labels (n_labels,) in use that may represent several values, by code."""
    import pyarrow as pa
    import pyarrow.compute as pc

    may_be = pc.match_substring_regex(pa.array(labels, pa.large_string()), _MAY_BE_PATTERN)
    found = {code: pattern_of(labels[code]) for code in np.flatnonzero(may_be.to_numpy(zero_copy_only=False) & used)}
    return {int(code): pattern for code, pattern in found.items() if pattern is not None}


def lie_across(patterns: dict[int, Pattern]) -> bool:
    """Whether some intervals with two ends share more than an end; bins never do, postal codes such as 12-345 do."""
    both_ends = [
        one for one in patterns.values() if isinstance(one, Interval) and np.isfinite([one.low, one.high]).all()
    ]
    ordered = sorted(both_ends, key=lambda one: (one.low, one.high))
    return any(later.low < earlier.high for earlier, later in itertools.pairwise(ordered))


def with_bins_half_open(patterns: dict[int, Pattern]) -> dict[int, Pattern]:
    """Adjacent intervals are bins: a common end belongs to the upper one, as in ``numpy.histogram``.

    Overlapping intervals contain both of their ends.
    """
    if lie_across(patterns):
        return patterns
    wide = {code: one for code, one in patterns.items() if isinstance(one, Interval) and one.low < one.high}
    begins = {one.low for one in wide.values() if np.isfinite(one.low) and np.isfinite(one.high)}
    return patterns | {
        code: Interval(one.low, one.high, one.low_closed, one.high_closed and one.high not in begins)
        for code, one in wide.items()
        if np.isfinite(one.high)
    }


# ---------------------------------------------------------------- what is known


@dataclass(frozen=True)
class KnownValues:
    """The distinct values that an attacker knows (n_values,): as ``texts``, and as numbers from ``low`` to ``high``.

    ``is_pattern``: those that look like an interval, a tail, a mask or a set; ``sets`` are the sets by position.
    ``is_own_pattern``: those of them that a plain value of the release may be, because their spelling is the value.
    """

    texts: np.ndarray
    low: np.ndarray
    high: np.ndarray
    low_closed: np.ndarray
    high_closed: np.ndarray
    is_pattern: np.ndarray
    sets: dict[int, Members]
    is_own_pattern: np.ndarray

    @classmethod
    def of(cls, labels: np.ndarray, patterns: dict[int, Pattern], is_own: np.ndarray | None = None) -> KnownValues:
        """From distinct ``labels``, numbers or texts; ``patterns`` by position, ``is_own`` (n_values,) of bool."""
        numeric = labels.dtype.kind == "f"
        low = np.array(labels if numeric else parse_numbers(pd.Series(labels, dtype=object)), dtype=float)
        high, low_closed, high_closed = low.copy(), np.ones(len(low), dtype=bool), np.ones(len(low), dtype=bool)
        is_pattern = np.zeros(len(low), dtype=bool)
        is_pattern[list(patterns)] = True
        for code, one in patterns.items():
            if isinstance(one, Interval):
                low[code], high[code], low_closed[code], high_closed[code] = (
                    one.low,
                    one.high,
                    one.low_closed,
                    one.high_closed,
                )
        is_own = np.zeros(len(low), dtype=bool) if is_own is None else is_own
        sets = {code: one for code, one in patterns.items() if isinstance(one, Members)}
        texts = texts_of(labels).astype(str)
        return cls(texts, low, high, low_closed, high_closed, is_pattern, sets, is_pattern & is_own)

    def __getitem__(self, block: slice) -> KnownValues:
        start, stop, _ = block.indices(len(self.texts))
        sets = {code - start: one for code, one in self.sets.items() if start <= code < stop}
        return KnownValues(
            self.texts[block],
            self.low[block],
            self.high[block],
            self.low_closed[block],
            self.high_closed[block],
            self.is_pattern[block],
            sets,
            self.is_own_pattern[block],
        )


def texts_of(labels: np.ndarray) -> np.ndarray:
    """Labels as people write them."""
    return np.array(label_texts(labels), dtype=object)
