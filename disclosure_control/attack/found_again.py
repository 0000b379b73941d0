"""Who is found again: an attacker knows a hidden value and what is released, and looks for the nearest guess."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

SURE = 0.95  # of the guesses are as near as this to the true value: who is farther is ruled out
TIE = 1e-9


@dataclass(frozen=True)
class KnownToAttacker:
    """What the attacker knows of people beside the hidden value: the ``classes`` (n,), and who is ``asked`` (n,).

    ``n_each``: how many people each of these stands for, 1 where all are looked at. ``k``: the threshold.
    """

    classes: np.ndarray = field(repr=False)
    asked: np.ndarray = field(repr=False)
    n_each: float
    k: float


@dataclass(frozen=True)
class FoundAgain:
    """The expected number of people ``found`` at the first attempt, and those ``below_k`` in what is left of a class.

    ``found_by_class``: without the guesses.
    """

    found: float
    found_by_class: float
    below_k: int

    def is_more(self, least: int) -> bool:
        """Whether the guesses at least double the people found, and add as many as ``least``."""
        return self.found >= 2 * self.found_by_class and self.found - self.found_by_class >= least


def found_again(guessed: np.ndarray, value: np.ndarray, baseline: np.ndarray, known: KnownToAttacker) -> FoundAgain:
    """By ``guessed`` values (n,) of a hidden ``value`` (n,), NaN without one; ``baseline`` guesses need no search."""
    own = np.abs(guessed - value)
    there = np.isfinite(own)
    within = float(np.quantile(own[there], SURE)) if there.any() else 0.0
    found = found_by_class = 0.0
    below = 0
    order = np.argsort(known.classes, kind="stable")
    for members in np.split(order, np.flatnonzero(np.diff(known.classes[order])) + 1):
        asked = members[known.asked[members]]
        if not len(asked):
            continue
        found += _right(guessed[members], value[asked], own[asked])
        found_by_class += _right(baseline[members], value[asked], np.abs(baseline[asked] - value[asked]))
        size = len(members) * known.n_each
        away = np.abs(guessed[members][None, :] - value[asked][:, None])
        is_left = ~(away > within + TIE)  # nobody without a guess is ruled out
        n_left = 1 + np.maximum(is_left.sum(axis=1) - 1, 0) * known.n_each
        is_sure = own[asked] <= within + TIE
        below += int(((n_left < known.k) & is_sure & (size >= known.k)).sum())
    return FoundAgain(found, found_by_class, below)


def _right(guessed: np.ndarray, value: np.ndarray, own: np.ndarray) -> float:
    """The expected number of people (n_asked,) whose own guess is nearest to their value, of all in their class."""
    if not len(value):
        return 0.0
    away = np.nan_to_num(np.abs(guessed[None, :] - value[:, None]), nan=np.inf)
    nearest = away.min(axis=1)
    n_nearest = np.maximum((away <= nearest[:, None] + TIE).sum(axis=1), 1)
    is_own = np.nan_to_num(own, nan=np.inf) <= nearest + TIE
    return float((is_own / n_nearest).sum())
