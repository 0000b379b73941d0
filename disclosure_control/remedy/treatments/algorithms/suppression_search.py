"""The search of local suppression: which people lose which cells, so that everyone is alike to at least k.

It works on equivalence classes, never on records. Two steps, both without a loop over parts:

1. Forward. Sets of columns are tried, small ones first, and the least important ones first within a size. People who
are equal except for these columns form a group, in which as few as possible lose the cells.

2. Back (``suppression_back``). A cell that is no longer needed, because of what others lost later, is restored.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from disclosure_control.basics.telling.progress import progress
from disclosure_control.remedy.treatments.algorithms.alike import READINGS, number_rows
from disclosure_control.remedy.treatments.algorithms.suppression_back import give_back
from disclosure_control.remedy.treatments.algorithms.suppression_parts import SuppressionParts

SETS_PER_SIZE = 2_000  # of columns; with more quasi-identifiers the least important ones are tried
SETS_TRIED_AGAIN = 100

_Tell: TypeAlias = Callable[[np.ndarray], None]  # is called with the number of classes left to do
_NOBODY = np.zeros(0, dtype=np.int64)


def search(
    original: np.ndarray,
    size: np.ndarray,
    n_columns: int,
    k: int,
    missing: str,
    order: Sequence[int],
) -> tuple[SuppressionParts, np.ndarray]:
    """Parts after the search, and how many people (n_parts,) each is alike to: below k only if k cannot be met.

    ``original`` (n_rows_of_codes, n_classes), of which the first ``n_columns`` may be suppressed; ``order`` has their
    numbers, the first to be suppressed first. In a stratum of fewer than k people, they lose every cell.
    """
    parts, reading = SuppressionParts(original, size, n_columns), READINGS[missing]
    forward = _forward_wildcard if reading.gaps_match else _forward_category
    frequency = reading.people_alike(parts.codes, parts.codes, parts.people)
    n_left = int(parts.people[frequency < k].sum())
    with progress("Searching cells to suppress", n_left) as advance:

        def tell(left: np.ndarray) -> None:
            nonlocal n_left
            n_before, n_left = n_left, int(parts.people[left].sum())
            advance(n_before - n_left)

        forward(parts, k, list(order), frequency, tell)
        tell(_NOBODY)
    parts.compact()
    give_back(parts, k, reading, list(order)[::-1])
    return parts, reading.people_alike(parts.codes, parts.codes, parts.people)


def _column_sets(order: list[int], size: int) -> list[list[int]]:
    return [list(chosen) for chosen in itertools.islice(itertools.combinations(order, size), SETS_PER_SIZE)]


def _without(codes: np.ndarray, columns: list[int]) -> np.ndarray:
    codes = codes.copy()
    codes[columns] = -1
    return codes


# ---------------------------------------------------------------- forward, missing matches anything


def _forward_wildcard(parts: SuppressionParts, k: int, order: list[int], frequency: np.ndarray, tell: _Tell) -> None:
    """A lost cell never takes a person away from anybody, so each set of columns can only help."""
    alike = READINGS["wildcard"].people_alike
    below = np.flatnonzero(frequency < k)
    frequency = frequency[below]

    def suppress(columns: list[int]) -> bool:
        nonlocal below, frequency
        chosen = np.flatnonzero((parts.original[columns][:, below] >= 0).all(axis=0))
        codes = _without(parts.original[:, below[chosen]], columns)
        enough = alike(codes, parts.codes, parts.people) >= k
        chosen, codes = chosen[enough], codes[:, enough]
        if not len(chosen):
            return False
        losers = below[chosen]
        need = (k - frequency[chosen]).astype(np.int64)
        people = fewest_to_lose(number_rows(codes), parts.people[losers], need, k)
        some = people > 0
        losers, codes, people = losers[some], codes[:, some], people[some]
        mine = parts.original[:, below]
        frequency = frequency + alike(mine, codes, people) - alike(mine, parts.original[:, losers], people)
        parts.move(losers, codes, people)
        still = (frequency < k) & (parts.people[below] > 0)
        below, frequency = below[still], frequency[still]
        tell(below)
        return True

    def try_sets(size: int) -> None:
        for columns in _column_sets(order, size):
            if not len(below):
                return
            if suppress(columns):  # with more gaps about, fewer cells may do for the others
                for smaller in range(1, size):
                    again = _column_sets(order, smaller)
                    if len(again) <= SETS_TRIED_AGAIN:
                        for set_again in again:
                            suppress(set_again)

    for size in range(1, len(order) + 1):
        try_sets(size)
    _suppress_all(parts, below)


def fewest_to_lose(group: np.ndarray, n_people: np.ndarray, need: np.ndarray, k: int) -> np.ndarray:
    """How many people of each class (n,) lose their cells, as few in each group as leave nobody below k.

    The classes of a ``group`` are equal but for the columns in question; a class has ``n_people`` and needs ``need``
    (1 to k - 1) more to be alike to. Who loses the cells becomes alike to the whole group; who keeps them becomes
    alike to all that lost them. So with ``total`` losers in the group and t of them in a class, the class is safe if
    it loses all its people or total - t >= need. The smallest total is found by trying 1, 2, ..., k - 1.
    """
    order = np.lexsort((np.arange(len(group)), n_people, -need, group))
    g, n, need = group[order], n_people[order], need[order]
    n_groups = int(g.max()) + 1
    so_far, in_group = _sums_before(n, g) + n, np.bincount(g, n, n_groups)
    losing, is_open = np.zeros(len(g), dtype=np.int64), np.ones(n_groups, dtype=bool)
    for total in range(1, k + 1):
        forced = np.bincount(g, n * (need > total), n_groups)
        loses_all = so_far <= total  # the neediest come first
        rest = total - np.bincount(g, n * loses_all, n_groups)
        most = np.where(loses_all, 0, np.clip(total - need, 0, n))
        feasible = (forced <= total) & ((np.bincount(g, most, n_groups) >= rest) | (in_group <= total))
        found = (is_open & feasible)[g]
        losing[found] = np.where(loses_all, n, np.clip(rest[g] - _sums_before(most, g), 0, most))[found]
        is_open &= ~feasible
        if not is_open.any():
            break
    result = np.empty_like(losing)
    result[order] = losing
    return result


def _sums_before(numbers: np.ndarray, group: np.ndarray) -> np.ndarray:
    """Sum of the numbers (n,) before each one in its group; the groups come one after the other."""
    before = np.cumsum(numbers) - numbers
    first = np.flatnonzero(np.diff(group, prepend=-1))
    return before - np.repeat(before[first], np.diff(first, append=len(group)))


def _suppress_all(parts: SuppressionParts, which: np.ndarray) -> None:
    people = parts.people[which]
    codes = _without(parts.codes[:, which], list(range(parts.n_columns)))
    parts.move(which, codes, people)


# ---------------------------------------------------------------- forward, missing is a value of its own


def _forward_category(parts: SuppressionParts, k: int, order: list[int], frequency: np.ndarray, tell: _Tell) -> None:
    """Who loses cells has to find k people who lack the same: others below k, those there already, or donors.

    A group of people below k loses d cells each; where they are too few, donors out of large classes bring the group
    to k, at a cost of up to k * d cells. Sets of columns are tried in the order of that cost.
    """
    alike = READINGS["category"].people_alike
    below = np.flatnonzero(frequency < k)

    def suppress(columns: list[int], with_donors: bool) -> None:
        nonlocal below
        below = below[alike(parts.original[:, below], parts.codes, parts.people) < k]
        chosen = below[(parts.original[columns][:, below] >= 0).all(axis=0)]
        if not len(chosen):
            return
        codes = _without(parts.original[:, chosen], columns)
        group, people = number_rows(codes), parts.people[chosen]
        lack = k - np.bincount(group, people)[group] - alike(codes, parts.codes, parts.people)
        if with_donors:
            lack = np.where(lack > 0, _call_donors(parts, codes, group, lack, columns, k), lack)
        enough = lack <= 0
        chosen, codes, people = chosen[enough], codes[:, enough], people[enough]
        parts.move(chosen, codes, people)
        below = np.setdiff1d(below, chosen, assume_unique=True)
        tell(below)

    sizes = range(1, len(order) + 1)
    for _, with_donors, size in sorted(
        (size * (k if donors else 1), donors, size) for donors in (False, True) for size in sizes
    ):
        for columns in _column_sets(order, size):
            if not len(below):
                return
            suppress(columns, with_donors)
    below = below[alike(parts.original[:, below], parts.codes, parts.people) < k]
    _suppress_all(parts, below)
    _fill_up(parts, k)


def _call_donors(
    parts: SuppressionParts, codes: np.ndarray, group: np.ndarray, lack: np.ndarray, columns: list[int], k: int
) -> np.ndarray:
    """Let people of large classes lose the same ``columns``, where that brings a group to k; what it lacks then."""
    n_classes = parts.original.shape[1]
    frequency = READINGS["category"].people_alike(parts.original, parts.codes, parts.people)
    spare = np.clip(np.minimum(parts.people[:n_classes], frequency - k), 0, None).astype(np.int64)
    spare[(parts.original[columns] < 0).any(axis=0)] = 0
    donors = np.flatnonzero(spare)
    donor_codes = _without(parts.original[:, donors], columns)
    row = number_rows(np.concatenate([codes, donor_codes], axis=1))
    n_rows = int(row.max()) + 1
    lack_of_row = np.zeros(n_rows, dtype=np.int64)
    lack_of_row[row[: len(group)]] = np.maximum(lack, 0)
    mine = row[len(group) :]
    enough = np.bincount(mine, spare[donors], n_rows) >= lack_of_row
    order = np.argsort(mine, kind="stable")
    before = _sums_before(spare[donors][order], mine[order])
    given = np.empty(len(donors), dtype=np.int64)
    given[order] = np.clip(lack_of_row[mine[order]] - before, 0, spare[donors][order])
    given *= enough[mine]
    some = given > 0
    parts.move(donors[some], donor_codes[:, some], given[some])
    return np.where(enough[row[: len(group)]], 0, lack)


def _fill_up(parts: SuppressionParts, k: int) -> None:
    """Where those who lost everything are still fewer than k, others of their stratum join them.

    As few as are needed, out of groups that keep k people without them; where these are too few, the smallest group.
    """
    alike = READINGS["category"].people_alike
    parts.compact()
    n = parts.n_columns
    while True:
        frequency = alike(parts.codes, parts.codes, parts.people)
        is_bare = (parts.codes[:n] < 0).all(axis=0)
        stratum = number_rows(parts.codes[n:]) if len(parts.codes) > n else np.zeros(len(frequency), dtype=np.int64)
        n_bare = np.bincount(stratum[is_bare], parts.people[is_bare], int(stratum.max(initial=-1)) + 1)
        short = np.flatnonzero((n_bare > 0) & (n_bare < k))
        candidates = np.flatnonzero(~is_bare & np.isin(stratum, short))
        if not len(candidates):
            return
        row = number_rows(parts.codes[:, candidates])
        joining = _who_can_be_spared(parts, candidates, row, frequency[candidates], stratum[candidates], k - n_bare, k)
        by_size = np.lexsort((row, frequency[candidates], stratum[candidates]))
        first = by_size[np.diff(stratum[candidates][by_size], prepend=-1) != 0]
        without_help = np.bincount(stratum[candidates], joining, len(n_bare))[stratum[candidates]] == 0
        joining = np.where(without_help & np.isin(row, row[first]), parts.people[candidates], joining)
        some = joining > 0
        codes = _without(parts.codes[:, candidates[some]], list(range(n)))
        parts.move(candidates[some], codes, joining[some])
        parts.compact()


def _who_can_be_spared(
    parts: SuppressionParts,
    candidates: np.ndarray,
    row: np.ndarray,
    frequency: np.ndarray,
    stratum: np.ndarray,
    need: np.ndarray,
    k: int,
) -> np.ndarray:
    """People (n_candidates,) who join, by part: ``need`` of each stratum, nobody from one that cannot spare so many.

    Candidates of a ``row`` are alike, ``frequency`` counts them, and ``k`` of them have to stay. Those with the fewest
    cells left are taken first.
    """
    n_left = (parts.codes[: parts.n_columns][:, candidates] >= 0).sum(axis=0)
    order = np.lexsort((np.arange(len(row)), row, n_left, stratum))
    people, spare = parts.people[candidates[order]], np.maximum(frequency[order].astype(np.int64) - k, 0)
    can = np.clip(spare - _sums_before(people, row[order]), 0, people)
    is_enough = np.bincount(stratum[order], can, len(need)) >= need
    wanted = np.where(is_enough, need, 0).astype(np.int64)[stratum[order]]
    joining = np.empty(len(row), dtype=np.int64)
    joining[order] = np.clip(wanted - _sums_before(can, stratum[order]), 0, can)
    return joining
