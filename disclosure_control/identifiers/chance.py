"""How sure a check is: the share that passes, beside the share that chance would give."""

from __future__ import annotations

import math

import numpy as np

SURE, LIKELY = math.log(1e9), math.log(1e4)


def certainty_beside_chance(n_hits: int, n_tried: int, chance_rate: float) -> str | None:
    """ "sure", "likely", or None where chance explains the hits.

    By Chernoff's bound: ``n_tried`` random values pass ``n_hits`` times or more with a chance of at most
    exp(-n KL(hits/n, chance)); "sure" is below one in 10^9, "likely" below one in 10^4, so that some hundreds of
    columns and checks raise no false alarm. ``chance_rate`` in (0, 1).
    """
    if not n_tried or n_hits <= chance_rate * n_tried:
        return None
    evidence = -float(log_luck(*(np.array([one]) for one in (n_hits, n_tried, chance_rate)))[0])
    return "sure" if evidence >= SURE else "likely" if evidence >= LIKELY else None


def log_luck(n_told: np.ndarray, n: np.ndarray, chance: np.ndarray) -> np.ndarray:
    """A bound of the logarithm of the chance that of ``n`` people so many are told, each with the mean ``chance``.

    Arrays of one shape; at most 0, smaller is rarer. By Chernoff's inequality it is -n times the divergence between the
    share that is told and the chance, which holds for people with different chances, too (Hoeffding 1963).
    """
    share = n_told / np.maximum(n, 1)
    chance = np.clip(chance, 1e-12, 1 - 1e-12)
    with np.errstate(divide="ignore", invalid="ignore"):
        hit = np.where(share > 0, share * np.log(share / chance), 0.0)
        missed = np.where(share < 1, (1 - share) * np.log((1 - share) / (1 - chance)), 0.0)
    return np.where(share > chance, -n * (hit + missed), 0.0)
