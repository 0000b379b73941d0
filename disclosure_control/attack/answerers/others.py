"""A value by the other people of a level: of one column, or of two together, such as a last digit beside a band.

Assumption: people with one value of the columns have one hidden label, or hidden numbers close to each other, however
few they are. Everyone's value is predicted by the others alone. Cost: a count of the people for each column and pair.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from disclosure_control.attack.answerers.levels import LEAST_SUPPORT, PURE, away_from_others, is_sure
from disclosure_control.basics.encoding.keys import number_rows


def _log_factorial(n: np.ndarray) -> float:
    """The logarithm of the product of the factorials of whole numbers (n,)."""
    of_each = np.log(np.arange(1, n.max(initial=0) + 1)).cumsum()
    return float(of_each[n[n > 0] - 1].sum())


def log_arrangements(label: np.ndarray, released: np.ndarray) -> float:
    """The logarithm of in how many ways labels (n,) can be exchanged among people with one ``released`` value (n,)."""
    of_value = np.unique(released, return_counts=True)[1]
    of_both = np.unique(np.stack([released, label]), axis=1, return_counts=True)[1]
    return _log_factorial(of_value) - _log_factorial(of_both)


@dataclass(frozen=True)
class HiddenOfPeople:
    """The hidden value (n,) of ``people``: a code, or a number that counts as disclosed within a ``tolerance``.

    ``asked`` (n,): of whom it is unknown; ``chance`` (n,): how likely the best guess by the released value is right.
    ``log_arrangements``: the logarithm of in how many ways the labels of those who are asked can be exchanged among
    people with one released value: with a copy of all labels only as many of these agree as labels can be named anew.
    """

    people: np.ndarray = field(repr=False)
    value: np.ndarray = field(repr=False)
    tolerance: float | None
    asked: np.ndarray = field(repr=False)
    chance: np.ndarray = field(repr=False)
    log_arrangements: float = 0.0

    def can_be_told(self, most: float) -> bool:
        """Whether it would be beyond chance if all who are asked were told."""
        n = np.array([self.asked.sum()])
        chance = np.array([self.chance[self.asked].mean() if self.asked.any() else 1.0])
        return bool(is_sure(n, n, n / 2, chance, most)[0])

    def told_by(self, level: np.ndarray, most: float, *, is_ordered: bool = False) -> np.ndarray:
        """Who (n,) is told by the others of their ``level`` (n,); nobody where chance may explain it.

        ``most``: the logarithm of the chance that it may have. Levels are from 0; 0 is the lack of a value. If not all
        are told, those with a value may be. ``is_ordered``: who is alone in a level is told a label by the people
        before and after.
        """
        size = np.bincount(level)[level]
        is_guessed, told = size > 1, self._told(level, size)
        if is_ordered and self.tolerance is None:
            alone, agree, same = self._beside(level, size)
            is_guessed, told = is_guessed | (alone & agree), np.where(alone, same, told)
        for guessed in (is_guessed, is_guessed & (level > 0)):
            asked = guessed & self.asked
            n, n_told = int(asked.sum()), int((asked & told).sum())
            if n_told < max(PURE * n, LEAST_SUPPORT):
                continue  # of thousands of pairs nearly all
            if n_told == self.asked.sum() and self._chance_of_copy(level[asked], self.value[asked]) <= most:
                return asked
            chance = float(self.chance[asked].mean())
            if is_sure(np.array([n_told]), np.array([n]), np.array([n / 2]), np.array([chance]), most)[0]:
                found: np.ndarray = asked & told
                return found
        return np.zeros(len(level), dtype=bool)

    def _chance_of_copy(self, level: np.ndarray, value: np.ndarray) -> float:
        """The logarithm of the chance of a column that divides people (n,) just as the hidden one does; 0 of others.

        The bound of ``is_sure`` is too wide for the exact copies of small studies: of twelve people, six of each sex,
        one arrangement in 462 agrees.
        """
        if self.tolerance is not None:
            return 0.0
        n_labels, n_levels = len(np.unique(value)), len(np.unique(level))
        if n_labels != n_levels or len(np.unique(np.stack([level, value]), axis=1).T) != n_labels:
            return 0.0
        return min(0.0, math.lgamma(n_labels + 1) - self.log_arrangements)

    def _beside(self, level: np.ndarray, size: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Who is alone in a level, whose people before and after agree, and who has their label (n,)."""
        order = np.argsort(level, kind="stable")
        before, after = np.empty((2, len(level)), dtype=np.int64)
        before[order], after[order] = np.roll(order, 1), np.roll(order, -1)
        alone = (size == 1) & (level > 0) & (level < level.max(initial=0)) & (level[before] > 0)
        agree = (self.value[before] == self.value[after]) & (level[before] < level)
        return alone, agree, agree & (self.value == self.value[before])

    def _told(self, level: np.ndarray, size: np.ndarray) -> np.ndarray:
        told: np.ndarray
        if self.tolerance is None:  # most of the others have one's own label
            group, n = number_rows([level, self.value], [int(level.max()) + 1, int(self.value.max()) + 1], len(level))
            told = 2 * (n[group] - 1) > size - 1
            return told
        told = away_from_others(level, self.value) <= self.tolerance
        return told
