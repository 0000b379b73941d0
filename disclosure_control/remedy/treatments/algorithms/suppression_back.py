"""Restores cells that local suppression no longer needs, because of what others lost later.

A cell that cannot be restored once can never be: every other restored cell leaves people alike to fewer, not to more.
So each candidate is tried alone, and those that fail are dropped. Of the others, as many are restored together as do
not interfere with each other.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from disclosure_control.remedy.treatments.algorithms.alike import MissingValueRule, number_rows
from disclosure_control.remedy.treatments.algorithms.suppression_parts import SuppressionParts


def give_back(parts: SuppressionParts, k: int, reading: MissingValueRule, order: Sequence[int]) -> None:
    """Give cells back by column in this ``order``, until no single person's cell can be given back alone.

    ``parts`` is changed. A cell can be given back where nobody falls below ``k`` who is not already.
    """
    given_back = True
    while given_back:
        by_column = [_Candidates(parts, k, reading, column).give_back() for column in order]
        given_back = any(by_column)


class _Candidates:
    """The parts whose people may regain the value of one column.

    ``frequency`` (n_parts,): how many people each part is alike to. ``losers`` (n,) are the candidates' parts,
    ``codes`` (n_rows_of_codes, n) their codes with the value restored, ``alike_to`` (n,) how many people they would
    then be alike to.
    """

    def __init__(self, parts: SuppressionParts, k: int, reading: MissingValueRule, column: int):
        parts.compact()
        self.parts, self.k, self.reading = parts, k, reading
        self.alike = reading.people_alike
        self.losers = np.flatnonzero(parts.lost[column])
        self.codes = parts.codes[:, self.losers].copy()
        self.codes[column] = parts.original[column, parts.class_of[self.losers]]
        if len(self.losers):
            self.frequency = self.alike(parts.codes, parts.codes, parts.people)
            # This decides whether the person, now with the gap, has to be added to its own count.
            self.alike_to = self.alike(self.codes, parts.codes, parts.people) + (0 if reading.gaps_match else 1)

    def give_back(self) -> bool:
        """Give back what can be; whether anything was."""
        n_parts = len(self.parts.people)
        self._drop_hopeless()
        while len(self.losers):
            self._give_back_together()
            self._drop_hopeless()
        return len(self.parts.people) > n_parts

    def _drop_hopeless(self) -> None:
        """Out with those below k themselves, and those on whose gap somebody with exactly k depends."""
        if not len(self.losers):
            return
        parts, tight = self.parts, np.flatnonzero(self.frequency <= self.k)
        n_depend = self._n_who_depend(
            parts.codes[:, self.losers], self.codes, parts.codes[:, tight], parts.people[tight]
        )
        self._keep((self.alike_to >= self.k) & (n_depend == 0) & (parts.people[self.losers] > 0))

    def _keep(self, kept: np.ndarray) -> None:
        self.losers, self.codes, self.alike_to = self.losers[kept], self.codes[:, kept], self.alike_to[kept]

    def _n_who_depend(self, gaps: np.ndarray, back: np.ndarray, others: np.ndarray, people: np.ndarray) -> np.ndarray:
        """People of ``others`` who are alike to the gap, and would not be to the value: (n,)."""
        alike_to_gap = self.alike(gaps, others, people)
        return alike_to_gap - self.alike(back, others, people) if self.reading.gaps_match else alike_to_gap

    def _give_back_together(self) -> None:
        parts, k = self.parts, self.k
        tried = np.unique(number_rows(parts.codes[:, self.losers]), return_index=True)[1]
        gaps, back = parts.codes[:, self.losers[tried]], self.codes[:, tried]
        near = np.flatnonzero(self.frequency < k + len(tried))  # nobody else can fall below k
        after = self._after(parts.codes[:, near], self.frequency[near], gaps, back)
        # Of those who would fall below k, and of the candidates who would themselves, each loses one gap at most: the
        # first it is alike to. It has one to spare, or the candidate had been dropped.
        back_after = self._after(back, self.alike_to[tried], gaps, back) + self._own(back, gaps)
        fall = (after < k) & (self.frequency[near] >= k)
        fallen = np.concatenate([parts.codes[:, near[fall]], back[:, back_after < k]], axis=1)
        first = self.reading.first_alike(fallen, gaps)
        place = np.arange(len(tried))
        n_fallen = self.alike(gaps, fallen, np.ones(fallen.shape[1]))
        n_own = self.alike(_with(gaps, place), _with(fallen, first), np.ones(fallen.shape[1]))
        kept = n_fallen == n_own
        if not self.reading.gaps_match:
            kept &= back_after >= k  # not alike to its own gap, such a candidate was not kept back so far
        self._apply(tried[kept] if kept.any() else tried[:1])

    def _after(self, rows: np.ndarray, frequency: np.ndarray, gaps: np.ndarray, back: np.ndarray) -> np.ndarray:
        one = np.ones(gaps.shape[1])
        return frequency + self.alike(rows, back, one) - self.alike(rows, gaps, one)

    def _own(self, back: np.ndarray, gaps: np.ndarray) -> np.ndarray:
        """What ``_after`` takes too much of a candidate: its own value, where it was added to ``alike_to`` before."""
        return np.zeros(back.shape[1]) if self.reading.gaps_match else -np.ones(back.shape[1])

    def _apply(self, chosen: np.ndarray) -> None:
        parts = self.parts
        gaps, back = parts.codes[:, self.losers[chosen]], self.codes[:, chosen]
        self.frequency = self._after(parts.codes, self.frequency, gaps, back)
        self.alike_to = self._after(self.codes, self.alike_to, gaps, back)
        parts.move(self.losers[chosen], back, np.ones(len(chosen), dtype=np.int64))
        self.frequency = np.append(self.frequency, self.alike_to[chosen] + self._own(back, gaps))


def _with(codes: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """The codes with one more row, which never is missing."""
    return np.concatenate([codes, numbers[np.newaxis]])
