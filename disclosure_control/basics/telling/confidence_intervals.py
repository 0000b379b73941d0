"""Confidence intervals of shares."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np


def wilson_interval(n_hits: float, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """Interval for a share from ``n_hits`` of ``n`` > 0 people, in [0, 1]. Source: Wilson 1927, doi:10.2307/2276774."""
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share, weight = n_hits / n, z * z / n
    middle = (share + weight / 2) / (1 + weight)
    half = z * np.sqrt(share * (1 - share) / n + weight / (4 * n)) / (1 + weight)
    # 0 and 1 are limits of the intervals of nobody and everybody, whatever the rounding.
    low = 0.0 if n_hits == 0 else max(0.0, float(middle - half))
    high = 1.0 if n_hits == n else min(1.0, float(middle + half))
    return low, high
