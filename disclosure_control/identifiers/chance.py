"""How sure a check is: the share that passes, beside the share that chance would give."""

from __future__ import annotations

import math

SURE, LIKELY = math.log(1e9), math.log(1e4)


def certainty_beside_chance(n_hits: int, n_tried: int, chance_rate: float) -> str | None:
    """ "sure", "likely", or None where chance explains the hits.

    By Chernoff's bound: ``n_tried`` random values pass ``n_hits`` times or more with a chance of at most
    exp(-n KL(hits/n, chance)); "sure" is below one in 10^9, "likely" below one in 10^4, so that some hundreds of
    columns and checks raise no false alarm. ``chance_rate`` in (0, 1).
    """
    if not n_tried or n_hits <= chance_rate * n_tried:
        return None
    evidence = n_tried * _divergence(n_hits / n_tried, chance_rate)
    return "sure" if evidence >= SURE else "likely" if evidence >= LIKELY else None


def _divergence(rate: float, chance: float) -> float:
    """Kullback and Leibler's divergence of two shares, in natural units."""
    hit = rate * math.log(rate / chance) if rate else 0.0
    miss = (1 - rate) * math.log((1 - rate) / (1 - chance)) if rate < 1 else 0.0
    return hit + miss
