"""Which pairs of many numbers may disclose a hidden number by a relation: all pairs at once, before each is fitted.

``told_by_relation`` fits one pair exactly. Of thousands of pairs nearly all disclose nothing, and a look at some of the
people shows it: sums of products over all pairs are matrix products, and a pair that misses too many people is out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

N_PARTS = 8  # of the people: a pair is out as soon as it has missed too many of those so far
WELL_CONDITIONED = 1e-6  # of the product of both spreads; pairs below it are left to the exact fit
SLACK = 1e-6  # of the largest number: these sums are rounded otherwise than those of the exact fit


class _Fits(NamedTuple):
    """Of each pair (n_pairs,): the prediction ``constant`` + ``b`` one + ``c`` other, and if rounding leaves it so."""

    constant: np.ndarray
    b: np.ndarray
    c: np.ndarray
    is_sure: np.ndarray


def may_be_told(
    columns: np.ndarray, pairs: np.ndarray, hidden: np.ndarray, asked: np.ndarray, tolerance: float, share: float
) -> np.ndarray:
    """Whether two columns may predict ``share`` of the ``asked`` numbers within the ``tolerance`` (n_pairs,).

    ``columns`` (n_columns, n_people), NaN predicts nothing; ``pairs`` (n_pairs, 2) are rows of them; ``hidden``
    (n_people,), finite; ``asked`` (n_people,) of bool. False is certain: ``told_by_relation`` of such a pair is within
    the tolerance for fewer of the people whom it predicts. True is worth fitting.
    """
    within = tolerance + SLACK * (tolerance + float(np.abs(hidden).max(initial=0.0)))
    is_missed = _misses(hidden, within, lambda predicted: predicted)
    there = np.isfinite(columns)
    found = _may_fit(columns, there, pairs, hidden, asked, is_missed, share)
    if (hidden > 0).all():
        # A pair with values that are not above 0 has no product; that it may pass here costs no more than its fit.
        above = there & (columns > 0)
        logarithms = np.log(np.where(above, columns, 1.0))
        is_missed = _misses(hidden, within, np.exp)
        found |= _may_fit(logarithms, above, pairs, np.log(hidden), asked, is_missed, share)
    return found


def _misses(
    hidden: np.ndarray, within: float, scale: Callable[[np.ndarray], np.ndarray]
) -> Callable[[np.ndarray, slice], np.ndarray]:
    def is_missed(predicted: np.ndarray, part: slice) -> np.ndarray:
        with np.errstate(over="ignore"):
            missed: np.ndarray = ~(np.abs(scale(predicted) - hidden[part]) <= within)
        return missed

    return is_missed


def _may_fit(
    columns: np.ndarray,
    is_used: np.ndarray,
    pairs: np.ndarray,
    hidden: np.ndarray,
    asked: np.ndarray,
    is_missed: Callable[[np.ndarray, slice], np.ndarray],
    share: float,
) -> np.ndarray:
    """Which pairs miss few enough of the people by a sum of their columns, or cannot be judged so (n_pairs,)."""
    n = np.maximum(is_used.sum(axis=1, keepdims=True), 1)
    x = np.where(is_used, columns, 0.0)
    x = np.where(is_used, x - x.sum(axis=1, keepdims=True) / n, 0.0)
    spread = np.sqrt((x**2).sum(axis=1, keepdims=True) / n)
    x /= np.where(spread > 0, spread, 1.0)
    fits, n_asked = _fits(x, is_used, pairs, hidden, asked)
    most_missed = (1 - share) * n_asked + 0.5
    n_missed = np.zeros(len(pairs))
    left = np.flatnonzero(fits.is_sure)
    for number in range(N_PARTS):
        part = slice(number, None, N_PARTS)
        of_part, used = x[:, part], is_used[:, part]
        one, other = pairs[left].T
        predicted = fits.b[left, None] * of_part[one]
        predicted += fits.c[left, None] * of_part[other]
        predicted += fits.constant[left, None]
        missed = is_missed(predicted, part) & asked[part] & used[one] & used[other]
        n_missed[left] += missed.sum(axis=1)
        left = left[n_missed[left] <= most_missed[left]]
    found = ~fits.is_sure
    found[left] = True
    return found


def _fits(
    x: np.ndarray, is_used: np.ndarray, pairs: np.ndarray, hidden: np.ndarray, asked: np.ndarray
) -> tuple[_Fits, np.ndarray]:
    """The least-squares sums of all pairs, each over the people with both values; and how many are asked of each."""
    (ones, one), (others, other) = (np.unique(side, return_inverse=True) for side in pairs.T)
    x_of, z_of, here, there = x[ones], x[others].T, is_used[ones].astype(float), is_used[others].T.astype(float)
    middle = hidden.mean() if len(hidden) else 0.0
    y = hidden - middle
    with np.errstate(invalid="ignore", divide="ignore"):
        n = here @ there
        mean_x, mean_z, mean_y = (x_of @ there) / n, (here @ z_of) / n, ((here * y) @ there) / n
        xx, zz = x_of**2 @ there - n * mean_x**2, here @ z_of**2 - n * mean_z**2
        xz = x_of @ z_of - n * mean_x * mean_z
        xy, zy = (x_of * y) @ there - n * mean_x * mean_y, (here * y) @ z_of - n * mean_z * mean_y
        determinant = xx * zz - xz * xz
        b, c = (xy * zz - zy * xz) / determinant, (zy * xx - xy * xz) / determinant
        constant = middle + mean_y - b * mean_x - c * mean_z
        is_sure = (determinant > WELL_CONDITIONED * xx * zz) & (np.minimum(xx, zz) > WELL_CONDITIONED * n)
    return _Fits(*(one_of[one, other] for one_of in (constant, b, c, is_sure))), ((here * asked) @ there)[one, other]
