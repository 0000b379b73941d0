"""Edges of bins for a column of numbers: the field's own, or else quantiles; no bin has only a handful of people.

A config's bins are ``[a, b)``, the last one closed, and values outside the edges are in a tail. Tails count as bins
here: an edge near the smallest or largest value would disclose it. So no edge depends on fewer people than a whole bin:
where a last bin needs an upper edge, that is the same for all pilots, or a power of ten.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence

import numpy as np

from disclosure_control.basics.encoding.columns import number_text
from disclosure_control.draft.literal import DraftedValue

CHILDHOOD, GROWN_UP = (6.0, 12.0), 18.0  # school, adolescence
OLDEST = 90.0  # above this age people share one category: 45 CFR 164.514(b)(2)(i)(C)
OLDEST_AGE = 130.0  # the oldest age on record
ANY_AGE = (0.0, OLDEST_AGE)
BODY_MASS_INDEX = (18.5, 25.0, 30.0, 35.0, 40.0)  # WHO: underweight, overweight, obesity I, II, III; adults
MOST_QUANTILES = 5
FINEST = 1e-9


def age_bins(ages: np.ndarray, at_least: int) -> DraftedValue:
    """Ages in years (n_people,), at most ``OLDEST_AGE``: tens for adults, 6 and 12 for children; from 90 on together.

    A bin of fewer than ``at_least`` people joins its neighbour. The oldest are in one bin up to ``OLDEST_AGE``,
    whatever their age: an edge above the oldest would disclose it.
    """
    if np.quantile(ages, 0.95, method="lower") <= GROWN_UP:  # no interpolation, which few people could move
        is_child = bool(ages.max() <= GROWN_UP)
        of_children = list(CHILDHOOD) if is_child else [*CHILDHOOD, GROWN_UP]
        edges = fitted_edges(ages, of_children, 0.0, GROWN_UP if is_child else None, at_least, ANY_AGE)
        return DraftedValue(
            edges, f"the age groups of childhood{_joined(edges, (0.0, *CHILDHOOD, GROWN_UP), at_least)}"
        )
    low = 10.0 * math.floor(ages.min() / 10)
    inner = np.arange(low + 10, OLDEST + 1, 10).tolist()
    edges = fitted_edges(ages, inner, low, OLDEST_AGE, at_least, ANY_AGE)
    return DraftedValue(edges, f"ten years each, the oldest together; every bin has at least {at_least} people")


def body_mass_bins(values: np.ndarray, at_least: int) -> DraftedValue:
    """Body mass index of adults in kg/m2 (n_people,), at the WHO's edges."""
    edges = fitted_edges(values, BODY_MASS_INDEX, None, None, at_least)
    return DraftedValue(edges, f"the WHO classes of body mass index{_joined(edges, BODY_MASS_INDEX, at_least)}")


def quantile_bins(values: np.ndarray, at_least: int, n_bins: int = MOST_QUANTILES) -> DraftedValue:
    """Rounded edges that divide any numbers (n_people,) evenly, with at least ``at_least`` people in each bin."""
    n_bins = max(1, min(n_bins, len(values) // max(1, at_least)))
    inner = np.quantile(values, np.arange(1, n_bins) / n_bins)
    rounded = tuple(dict.fromkeys(round_number(edge, _step(values)) for edge in inner))
    edges = fitted_edges(values, rounded, None, None, at_least)
    return DraftedValue(edges, f"rounded quantiles, with at least {at_least} people in each bin and tail")


def people_of_bins(values: np.ndarray, edges: Sequence[float]) -> np.ndarray:
    """People (n_edges + 1,) below the edges, in each bin, and above: as door 2 counts them."""
    inside = np.histogram(values, edges)[0]
    return np.concatenate([[(values < edges[0]).sum()], inside, [(values > edges[-1]).sum()]])


def fitted_edges(
    values: np.ndarray,
    inner: Sequence[float],
    low: float | None,
    high: float | None,
    at_least: int,
    everybody: tuple[float, float] | None = None,
) -> list[float]:
    """Those of the ``inner`` edges that leave at least ``at_least`` people in every bin and tail, two edges at least.

    ``low``, with nobody below it, closes the first bin where nothing had to be joined there. ``high``, with nobody
    above it and not taken from the values, closes the last one. Without them there is a tail, of enough people as well.
    Where there are too few people for two groups, one bin contains all of them: between the two numbers ``everybody``,
    by default powers of ten. The upper one also closes a last bin that cannot be a tail.
    """
    everybody = everybody or _powers_of_ten(values)
    ordered = np.sort(values)
    kept: list[float] = []
    n_below = 0
    for edge in inner:
        n = int(np.searchsorted(ordered, edge, side="left"))
        if n - n_below >= at_least and len(ordered) - n >= at_least:
            kept.append(float(edge))
            n_below = n
    while kept:
        # A bin that had to be joined stays open, so that its edge does not disclose its last value.
        start = [low] if low is not None and kept[0] == inner[0] else []
        for end in [[], [everybody[1]]] if high is None else [[high]]:
            edges = [*start, *kept, *end]
            n_each = people_of_bins(ordered, edges) if len(edges) > 1 else np.zeros(0)
            if len(n_each) and not ((n_each > 0) & (n_each < at_least)).any():
                return edges
        kept.pop()
    return [*everybody]


def round_number(number: float, step: float) -> float:
    """The nearest multiple of a step, in as few digits as it needs."""
    return float(number_text(float(f"{round(number / step) * step:.12g}")))


def _step(values: np.ndarray) -> float:
    """A round step, 1, 2 or 5 times a power of ten: up to a tenth of the range of the middle half of the values.

    It is large enough that twelve digits distinguish two multiples.
    """
    quarter, three_quarters = np.quantile(values, [0.25, 0.75])
    spread = float(three_quarters - quarter) or float(np.ptp(values)) or 1.0
    finest = max(spread / 10, float(np.abs(values).max()) * FINEST)
    power = 10.0 ** math.floor(math.log10(finest))
    return power * next(factor for factor in (5, 2, 1, 0.5) if factor * power <= finest)


def _powers_of_ten(values: np.ndarray) -> tuple[float, float]:
    """Two numbers, each 0 or a power of ten, with all values between them: they disclose little of the largest one."""
    largest = float(np.abs(values).max()) or 1.0
    power = 10.0 ** min(math.floor(math.log10(largest)) + 1, sys.float_info.max_10_exp)
    return -power if values.min() < 0 else 0.0, power if values.max() >= 0 else 0.0


def _joined(edges: Sequence[float], full: Sequence[float], at_least: int) -> str:
    return "" if list(edges) == list(full) else f", joined where a bin would have fewer than {at_least} people"
