"""Singling sets: by which few columns of a table people are alone, whatever the role of the columns.

k evaluates the columns that the config names. Someone who knows other columns of the table may find people by them:
here every set of one, two and three columns is counted, whatever their names.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass

import numpy as np

from disclosure_control.basics.encoding.columns import EncodedColumn
from disclosure_control.basics.encoding.keys import number_groups, number_rows

LARGEST_SIZE = 3
NEAR_ID = 0.5  # of the people alone by one column: then every set with it only repeats that
MOST_WORK = 400_000_000  # values examined: for a million people about ten seconds
MOST_SETS = 200_000  # of one size: all triples of 106 columns
MOST_CELLS = 4_000_000  # people times sets that are counted at once
FEW_PEOPLE = 1_000  # with more people, counting each column separately is faster than sorting all
N_LISTED = 3


@dataclass(frozen=True)
class SinglingSet:
    """``n_alone`` people have a combination of values in these ``columns`` that nobody else has; more is riskier."""

    columns: tuple[str, ...]
    n_alone: int


@dataclass(frozen=True)
class SetsOfSize:
    """The sets of ``size`` columns: how many there are, were counted, and have somebody alone, and the riskiest.

    ``n_alone`` people are alone by at least one of the sets that were counted, of this size or a smaller one; from 0 to
    the number of people, more is riskier. Sets that were not counted are those with the fewest combinations of values.
    """

    size: int
    n_sets: int
    n_counted: int
    n_singling: int
    n_alone: int
    riskiest: tuple[SinglingSet, ...]


def singling_sets(
    columns: Mapping[str, EncodedColumn],
    n_people: int,
    with_one_of: Set[str] | None = None,
    most_work: int = MOST_WORK,
) -> tuple[SetsOfSize, ...]:
    """By which sets of one, two and three columns people are alone: one entry per size, as far as there are columns.

    ``columns`` (n_people,) are encoded; a missing value is a value. ``with_one_of``: only sets with one of these. The
    riskiest sets come first, ties in the order of the columns. What needs more than ``most_work`` values to look at is
    left out, sets with the fewest possible combinations first, and shows in ``n_counted``: no set that was left out has
    more people alone than it has combinations. Source: the definition; unique combinations as in Elliot, Manning and
    Ford 2002, doi:10.1142/S0218488502001600.
    """
    table = _Table.of(columns, n_people)
    wanted = {name: with_one_of is None or name in with_one_of for name in table.names}
    is_alone = np.zeros(n_people, dtype=bool)
    found = []
    for size in range(1, min(LARGEST_SIZE, len(table.names)) + 1):
        chosen, n_sets = table.sets_of(size, np.array(list(wanted.values())), most_work // max(n_people, 1))
        n_by_set = np.zeros(len(chosen), dtype=np.int64)
        for sets, alone in table.counted(chosen):
            is_alone |= alone.any(axis=0)
            n_by_set[sets] = alone.sum(axis=1)
        riskiest = [
            SinglingSet(table.named(tuple(chosen[i])), int(n_by_set[i]))
            for i in np.argsort(-n_by_set, kind="stable")[:N_LISTED]
            if n_by_set[i]
        ]
        n_singling, n_by_any = int((n_by_set > 0).sum()), int(is_alone.sum())
        found.append(SetsOfSize(size, n_sets, len(chosen), n_singling, n_by_any, tuple(riskiest)))
        most_work -= len(chosen) * n_people
    return tuple(found)


@dataclass(frozen=True)
class _Table:
    """Columns as whole numbers from 0, those with the most values first, and ``order``: their places as given."""

    names: tuple[str, ...]
    codes: tuple[np.ndarray, ...]
    n_codes: np.ndarray
    order: tuple[int, ...]

    @classmethod
    def of(cls, columns: Mapping[str, EncodedColumn], n_people: int) -> _Table:
        groups = [number_rows([one.codes + 1], [len(one.labels) + 1], n_people) for one in columns.values()]
        n_codes = [len(size) for _, size in groups]
        places = sorted(range(len(groups)), key=lambda i: -n_codes[i])
        names = list(columns)
        return cls(
            tuple(names[i] for i in places),
            tuple(groups[i][0] for i in places),
            np.array([n_codes[i] for i in places], dtype=np.int64),
            tuple(places),
        )

    def named(self, places: tuple[int, ...]) -> tuple[str, ...]:
        return tuple(self.names[i] for i in sorted(places, key=self.order.__getitem__))

    def sets_of(self, size: int, wanted: np.ndarray, most: int) -> tuple[np.ndarray, int]:
        """The sets (n_chosen, size) to count, in the order of the columns, and how many there are in all."""
        n = len(self.names)
        n_sets = math.comb(n, size) - math.comb(n - int(wanted.sum()), size)
        n_looked_at = next(m for m in range(n, 0, -1) if m <= size or math.comb(m, size) <= MOST_SETS)
        sets = np.array(list(itertools.combinations(range(n_looked_at), size)), dtype=np.int64).reshape(-1, size)
        sets = sets[wanted[sets].any(axis=1)]
        if len(sets) > most:
            n_combinations = np.log(self.n_codes[sets]).sum(axis=1)
            sets = sets[np.sort(np.argsort(-n_combinations, kind="stable")[: max(most, 0)])]
        return sets, n_sets

    def counted(self, sets: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
        """Of some ``sets`` after the others who is alone by each (n_some, n_people); sets with a common start together.

        People alone by a part of a set are alone by the set, and do not affect others: only the others are counted.
        """
        n_people = len(self.codes[0]) if self.codes else 0
        begins = np.flatnonzero((sets[1:, :-1] != sets[:-1, :-1]).any(axis=1)) + 1
        most = max(MOST_CELLS // max(n_people, 1), 1)
        for begin, end in itertools.pairwise([0, *begins, len(sets)] if len(sets) else []):
            first = sets[begin, :-1]
            start, size = number_rows([self.codes[i] for i in first], self.n_codes[first].tolist(), n_people)
            is_alone = size[start] == 1
            others = np.flatnonzero(~is_alone)
            for some in range(begin, end, most):
                last = sets[some : min(some + most, end), -1]
                alone = np.tile(is_alone, (len(last), 1))
                alone[:, others] = self._alone(start[others], len(size), last, others)
                yield slice(some, some + len(last)), alone

    def _alone(self, start: np.ndarray, n_start: int, last: np.ndarray, others: np.ndarray) -> np.ndarray:
        """Who of the ``others`` has a pair of their group ``start`` and a value of each ``last`` column alone.

        Of few people all columns are sorted at once, each key with the place of its person appended; of many each
        column is counted separately. (n_last, n_others) of bool.
        """
        alone = np.zeros((len(last), len(others)), dtype=bool)
        n_places = max(len(others), 1)
        if n_places > FEW_PEOPLE:
            for row, i in enumerate(last):
                key = start * self.n_codes[i] + self.codes[i][others]
                joint, size = number_groups(key, n_start * int(self.n_codes[i]))
                alone[row] = size[joint] == 1
            return alone
        codes = np.stack([self.codes[i] for i in last])[:, others]
        packed = np.sort((start * self.n_codes[last][:, None] + codes) * n_places + np.arange(len(others)), axis=1)
        key, place = np.divmod(packed, n_places)
        edge = np.ones((len(last), 1), dtype=bool)
        is_new = np.hstack([edge, key[:, 1:] != key[:, :-1], edge]) if len(others) else np.ones((len(last), 1), bool)
        np.put_along_axis(alone, place, is_new[:, :-1] & is_new[:, 1:], axis=1)
        return alone
