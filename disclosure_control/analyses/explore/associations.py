"""How columns are associated: Spearman's rank correlation of numbers, cross-tables and Cramér's V of categories."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from disclosure_control.analyses.explore.columns import ExploredColumn
from disclosure_control.basics.telling.side_by_side import side_by_side
from disclosure_control.measures.determination import n_guessed_right


@dataclass(frozen=True)
class Correlation:
    """Spearman's rho of two columns in [-1, 1], over ``n_people`` who have both; None where one does not vary."""

    one: str
    other: str
    rho: float | None
    n_people: int


@dataclass(frozen=True)
class CrossTable:
    """People per pair of values of two columns (n_values, n_other_values), and how closely they are associated.

    ``cramers_v`` is in [0, 1], 0 for independent columns, None where one does not vary; Cramér 1946. A column
    determines the other if people with the same value in it never differ in the other.
    """

    one: ExploredColumn
    other: ExploredColumn
    people: np.ndarray

    @property
    def n_people(self) -> int:
        return int(self.people.sum())

    @property
    def cramers_v(self) -> float | None:
        rows, columns = self.people.sum(axis=1), self.people.sum(axis=0)
        n, least = self.people.sum(), min((rows > 0).sum(), (columns > 0).sum()) - 1
        if n == 0 or least < 1:
            return None
        expected = np.outer(rows, columns)[np.ix_(rows > 0, columns > 0)] / n
        found = self.people[np.ix_(rows > 0, columns > 0)]
        chi_square = ((found - expected) ** 2 / expected).sum()
        return float(np.sqrt(min(1.0, chi_square / (n * least))))

    @property
    def one_determines_other(self) -> bool:
        return _determines(self.people)

    @property
    def other_determines_one(self) -> bool:
        return _determines(self.people.T)


def _determines(people: np.ndarray) -> bool:
    level, value = np.nonzero(people)
    n_levels, n_values = people.shape
    return bool(0 < people.sum() == n_guessed_right(level, value, n_levels, n_values, people[level, value]))


def cross_table(one: ExploredColumn, other: ExploredColumn) -> CrossTable:
    """People per pair of values, among those who have both."""
    shape = (len(one.encoded.labels) + 1, len(other.encoded.labels) + 1)
    key = (one.encoded.codes + 1).astype(np.int64) * shape[1] + (other.encoded.codes + 1)
    people = np.bincount(key, minlength=shape[0] * shape[1]).reshape(shape)
    return CrossTable(one, other, people[1:, 1:])


def spearman_correlations(columns: Sequence[ExploredColumn]) -> list[Correlation]:
    """Spearman's rho of every two numeric columns, over the people who have both (pairwise deletion).

    Ties get their mean rank. Equals ``pandas.DataFrame.corr("spearman")`` pair by pair. Source: Spearman 1904,
    doi:10.2307/1412159.
    """
    ranked = [_Ranked(column) for column in columns]
    return side_by_side(lambda pair: _correlation(*pair), itertools.combinations(ranked, 2))


class _Ranked:
    """A column's codes and, for each person with a value, twice the rank less its mean: a whole number."""

    def __init__(self, column: ExploredColumn):
        self.name, self.codes, self.people = column.name, column.encoded.codes, column.people
        self.is_complete = column.n_missing == 0
        self.present = None if self.is_complete else self.codes >= 0
        self.ranks = _centred_ranks(self.people)
        self.of_record = self.ranks[self.codes] if self.is_complete else None


def _centred_ranks(people: np.ndarray) -> np.ndarray:
    """Twice the mean rank of each value less n + 1: sums to zero over the people without any rounding."""
    until = np.cumsum(people)
    return (2 * until - people - people.sum()).astype(float)


def _correlation(one: _Ranked, other: _Ranked) -> Correlation:
    if one.of_record is not None and other.of_record is not None:
        mine, theirs = one.of_record, other.of_record
        squares = [float(side.people @ side.ranks**2) for side in (one, other)]
        n_people = len(one.codes)
    else:
        both = np.flatnonzero(_both_present(one, other))
        sides = [side.codes[both] for side in (one, other)]
        people = [
            np.bincount(codes, minlength=len(side.people)) for codes, side in zip(sides, (one, other), strict=True)
        ]
        ranks = [_centred_ranks(counts) for counts in people]
        squares = [float(counts @ rank**2) for counts, rank in zip(people, ranks, strict=True)]
        mine, theirs = (rank[codes] for rank, codes in zip(ranks, sides, strict=True))
        n_people = len(both)
    if not squares[0] or not squares[1]:
        return Correlation(one.name, other.name, None, n_people)
    rho = float(mine @ theirs) / np.sqrt(squares[0] * squares[1])
    return Correlation(one.name, other.name, float(np.clip(rho, -1, 1)), n_people)


def _both_present(one: _Ranked, other: _Ranked) -> np.ndarray:
    incomplete = [side.present for side in (one, other) if side.present is not None]
    return functools.reduce(np.logical_and, incomplete)
