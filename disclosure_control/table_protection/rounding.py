"""Controlled rounding: every count becomes a multiple of a base, near it, and the totals still add up.

Source: Cox 1987, doi:10.1080/01621459.1987.10478456; Salazar-Gonzalez 2005, doi:10.1287/mnsc.1040.0273.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array, eye_array, hstack

_AT_MOST = {"time_limit": 20.0, "mip_rel_gap": 0.02}
_REACHES = (1, 2, 3)  # multiples of the base within which a count may be moved, the nearest first


def nearest_multiples(counts: np.ndarray, base: int) -> np.ndarray:
    """Each count (n,) alone to its nearest multiple of the base, halves up; totals need not add up."""
    return base * np.floor(counts / base + 0.5)


def limits_of_nearest(rounded: np.ndarray, base: int) -> tuple[np.ndarray, np.ndarray]:
    """The smallest and the largest whole number (n,) that is rounded to each."""
    return np.maximum(rounded - base // 2, 0), rounded + (base - 1) // 2


def controlled_multiples(
    counts: np.ndarray, base: int, equal: csr_array, at_least: csr_array
) -> tuple[np.ndarray, int] | None:
    """Multiples of the base near the counts (n,) that meet the equations, and how far away they are at most.

    ``equal`` (n_sums, n) and ``at_least`` (n_bounds, n) are the equations: 0, and 0 at least. The distance is in
    multiples of the base, and every number is less than that away. None where there are none within three.
    """
    floor = np.floor(counts / base)
    n, one = len(counts), eye_array(len(counts), format="csr")
    # Unknowns: the multiple, and how far it is away, in units of the base.
    limits = [
        LinearConstraint(hstack([one, -one]), -np.inf, counts / base),
        LinearConstraint(hstack([one, one]), counts / base, np.inf),
    ]
    for rows, most in ((equal, 0), (at_least, np.inf)):
        if rows.shape[0]:
            limits.append(LinearConstraint(hstack([rows, csr_array(rows.shape)]), 0, most))
    for reach in _REACHES:
        is_multiple = counts == base * floor
        low = np.maximum(floor - (reach - 1), 0)
        high = floor + np.where(is_multiple, reach - 1, reach)
        found = milp(
            np.concatenate([np.zeros(n), np.ones(n)]),
            integrality=np.concatenate([np.ones(n), np.zeros(n)]),
            bounds=Bounds(np.concatenate([low, np.zeros(n)]), np.concatenate([high, np.full(n, np.inf)])),
            constraints=limits,
            options=_AT_MOST,
        )
        if found.x is not None:
            return base * np.round(found.x[:n]), reach
    return None
