"""Which levels of many summaries disclose a hidden value of the people in them, beyond what chance explains.

Hundreds of summaries have thousands of levels, so a level counts only if exchanging the people with the same released
value would make any of them as pure with a chance of one in a hundred at most. The chance is bounded by Chernoff's
inequality (Hoeffding 1963), which needs no simulation.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from disclosure_control.basics.encoding.keys import count_pairs
from disclosure_control.identifiers.chance import log_luck

CHANCE = 0.01  # that anything is disclosed, over all that is asked, if exchanged people gave it
PURE = 0.95  # share of a level's people whose value is disclosed
LEFT = 0.25  # share of the guesses that stay wrong, of those that are wrong by the released value alone
LEAST_SUPPORT = 5  # people in a level
MOST_CELLS = 20_000_000  # levels times labels, up to which people outside a level are asked, too
RUN_LENGTHS = (
    20,
    40,
    80,
    160,
    320,
    640,
)  # people next to each other by a number, who are asked together; and all of them
NEIGHBOURS = 4  # whose median predicts a number


@dataclass(frozen=True)
class LevelMembers:
    """Who is in which level: ``level`` and ``person`` (n_entries,), each pair once, of ``n_levels`` levels."""

    level: np.ndarray = field(repr=False)
    person: np.ndarray = field(repr=False)
    n_levels: int

    def of_people(self, kept: np.ndarray) -> LevelMembers:
        """The entries of some people, (n_people,) of bool."""
        entries = kept[self.person]
        return LevelMembers(self.level[entries], self.person[entries], self.n_levels)


@dataclass(frozen=True)
class RankedPeople:
    """The people of many numeric summaries: ``person`` (n_entries,) by rising value, one summary after the other.

    ``starts`` (n_summaries + 1,) say where each begins.
    """

    person: np.ndarray = field(repr=False)
    starts: np.ndarray = field(repr=False)

    def of_people(self, kept: np.ndarray) -> RankedPeople:
        """The entries of some people, (n_people,) of bool, in the same order."""
        entries = kept[self.person]
        before = np.append(0, np.cumsum(entries))
        return RankedPeople(self.person[entries], before[self.starts])

    @property
    def sizes(self) -> np.ndarray:
        """How many people have each summary, (n_summaries,)."""
        return np.diff(self.starts)

    def runs(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Runs of neighbours, by length: the run of each entry (n_entries,), and the summary of each run.

        The last length is that of the whole summary.
        """
        sizes = self.sizes
        summary = np.repeat(np.arange(len(sizes)), sizes)
        place = np.arange(len(self.person)) - self.starts[summary]
        found, before = [], np.zeros_like(sizes)
        for length in (*RUN_LENGTHS, None):
            n_runs = np.ones_like(sizes) if length is None else np.maximum(sizes // length, 1)
            if len(sizes) and (n_runs != before).any():
                first = np.cumsum(n_runs) - n_runs
                run = first[summary] + place * n_runs[summary] // sizes[summary]
                found.append((run, np.repeat(np.arange(len(n_runs)), n_runs)))
            before = n_runs
        return found


@dataclass(frozen=True)
class ToldEntries:
    """Who is told by which level or summary: ``by`` and ``person`` (n_told,).

    ``away`` (n_told,): how far a number is from the guess by the others alone; None of labels.
    """

    by: np.ndarray
    person: np.ndarray
    away: np.ndarray | None = None


NOBODY_TOLD = ToldEntries(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))


@dataclass(frozen=True)
class LevelsOfSummaries:
    """Whose levels they are: the summary of each (n_levels,), and in how many levels of a summary (n_summaries,) a
    person is on average.
    """

    summary: np.ndarray
    overlap: np.ndarray


def is_sure(
    n_told: np.ndarray,
    n: np.ndarray,
    trials: np.ndarray,
    chance: np.ndarray,
    most: float,
    together: LevelsOfSummaries | None = None,
) -> np.ndarray:
    """Whether nearly all of ``n`` people are told, far better than without, and with at most the log chance ``most``.

    ``trials``: how many of them count as independent. ``together``: levels of one summary may also be rare as a whole:
    the chances of those that tell multiply, and there are two to the number of its levels choices of these.
    """
    share = n_told / np.maximum(n, 1)
    found: np.ndarray = (share >= PURE) & (1 - share <= LEFT * (1 - chance)) & (chance < PURE) & (n >= LEAST_SUPPORT)
    luck = np.zeros(len(found))
    luck[found] = log_luck(share[found] * trials[found], trials[found], chance[found])
    sure = found & (luck <= most)
    if together is not None and found.any():
        n_summaries = len(together.overlap)
        n_choices = np.bincount(together.summary, n >= LEAST_SUPPORT, n_summaries) * np.log(2)
        of_all = np.bincount(together.summary, luck, n_summaries) / np.maximum(together.overlap, 1)
        sure |= found & (of_all + n_choices <= most)[together.summary]
    return sure


# ---------------------------------------------------------------- labels


def told_by_membership(
    members: LevelMembers,
    label: np.ndarray,
    released: np.ndarray,
    asked: np.ndarray,
    most: float,
    together: LevelsOfSummaries | None = None,
) -> tuple[ToldEntries, ToldEntries]:
    """The people whose label is disclosed by being in a level, and those for whom it is disclosed by not being in it.

    ``label`` and ``released`` (n_people,) are codes from 0; ``asked`` (n_people,) of bool are those whose label is
    unknown. ``most``: the logarithm of the chance that one level may have, or those ``together`` that are of one
    summary.
    """
    if not asked.any():
        return NOBODY_TOLD, NOBODY_TOLD
    members = members.of_people(asked)
    n_labels = int(label[asked].max()) + 1
    share = _shares(label[asked], released[asked], n_labels)
    size = np.bincount(members.level, minlength=members.n_levels)
    of_pair, label_of_pair, people = count_pairs(members.level, label[members.person], members.n_levels, n_labels)
    best, n_best = _commonest(of_pair, label_of_pair, people, members.n_levels)
    maybe = ((n_best >= PURE * size) & (size >= LEAST_SUPPORT))[members.level]  # mostly few: the rest is not looked up
    level, person = members.level[maybe], members.person[maybe]
    luck = np.bincount(level, share[released[person], best[level]], members.n_levels)
    sure = is_sure(n_best, size, size, luck / np.maximum(size, 1), most, together)
    hit = sure[level] & (label[person] == best[level])
    inside = ToldEntries(level[hit], person[hit])
    if members.n_levels * n_labels > MOST_CELLS:
        return inside, NOBODY_TOLD
    return inside, _told_outside(members, label, released, asked, share, most)


def told_by_the_known(
    members: LevelMembers,
    summary_of_level: np.ndarray,
    label: np.ndarray,
    released: np.ndarray,
    asked: np.ndarray,
    known: np.ndarray,
    most: float,
) -> ToldEntries:
    """The ``asked`` people whose label is that of nearly all ``known`` people in a level: those who kept theirs.

    Where few people lost a value, each level has few of them; so a whole summary is judged, of (n_levels,) levels each.
    """
    if not asked.any() or not known.any():
        return NOBODY_TOLD
    n_labels = int(label[asked | known].max()) + 1
    teaching, learning = members.of_people(known), members.of_people(asked)
    best, n_best = _commonest(
        *count_pairs(teaching.level, label[teaching.person], members.n_levels, n_labels), members.n_levels
    )
    size = np.bincount(teaching.level, minlength=members.n_levels)
    teaches = (n_best >= PURE * size) & (size >= LEAST_SUPPORT)
    share = _shares(label[asked], released[asked], n_labels)
    kept = teaches[learning.level]
    level, person = learning.level[kept], learning.person[kept]
    n_people, n_summaries = len(label), int(summary_of_level.max(initial=-1)) + 1
    _, first = np.unique(summary_of_level[level].astype(np.int64) * n_people + person, return_index=True)
    level, person = level[first], person[first]
    by, guess = summary_of_level[level], best[level]
    hit = guess == label[person]
    n = np.bincount(by, minlength=n_summaries)
    luck = np.bincount(by, share[released[person], guess], n_summaries) / np.maximum(n, 1)
    hit &= is_sure(np.bincount(by, hit, n_summaries), n, n, luck, most)[by]
    return ToldEntries(by[hit], person[hit])


def _told_outside(
    members: LevelMembers,
    label: np.ndarray,
    released: np.ndarray,
    asked: np.ndarray,
    share: np.ndarray,
    most: float,
) -> ToldEntries:
    """Who is told by not being in a level: counted for all levels together, and looked up for those that tell."""
    n_levels, n_labels = members.n_levels, share.shape[1]
    cell = members.level.astype(np.int64) * n_labels + label[members.person]
    inside = np.bincount(cell, minlength=n_levels * n_labels).reshape(n_levels, n_labels)
    outside = np.bincount(label[asked], minlength=n_labels) - inside
    best, size = outside.argmax(axis=1), outside.sum(axis=1)
    n_best = np.take_along_axis(outside, best[:, None], axis=1)[:, 0]
    maybe = ((n_best >= PURE * size) & (size >= LEAST_SUPPORT))[members.level]
    level, person = members.level[maybe], members.person[maybe]
    of_members = np.bincount(level, share[released[person], best[level]], n_levels)
    chance = (share[released[asked]].sum(axis=0)[best] - of_members) / np.maximum(size, 1)
    sure = is_sure(n_best, size, size, chance, most) & (size < asked.sum())
    found = [np.zeros((2, 0), dtype=np.int64)]
    for one in np.flatnonzero(sure).tolist():  # seldom any
        is_told = asked & (label == best[one])
        is_told[person[level == one]] = False
        told = np.flatnonzero(is_told)
        found.append(np.stack([np.full(len(told), one), told]))
    return ToldEntries(*np.concatenate(found, axis=1))


def _shares(label: np.ndarray, released: np.ndarray, n_labels: int) -> np.ndarray:
    """The share of each label among the people with the same released code (n_codes, n_labels)."""
    n_codes = int(released.max(initial=-1)) + 1
    counts = np.bincount(released.astype(np.int64) * n_labels + label, minlength=n_codes * n_labels)
    counts = counts.reshape(n_codes, n_labels)
    shares: np.ndarray = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    return shares


def chance_of_best(label: np.ndarray, released: np.ndarray) -> np.ndarray:
    """The share (n_people,) of the commonest label among the people with the same released code."""
    found: np.ndarray = _shares(label, released, int(label.max(initial=-1)) + 1).max(axis=1)[released]
    return found


def _commonest(
    level: np.ndarray, label: np.ndarray, people: np.ndarray, n_levels: int
) -> tuple[np.ndarray, np.ndarray]:
    """The commonest label of each level (n_levels,), and how many people have it; 0 and 0 of an empty one."""
    n_best, best = np.zeros((2, n_levels), dtype=np.int64)
    np.maximum.at(n_best, level, people)
    is_best = people == n_best[level]
    best[level[is_best]] = label[is_best]
    return best, n_best


# ---------------------------------------------------------------- numbers


def chance_within(number: np.ndarray, released: np.ndarray, tolerance: float) -> np.ndarray:
    """The largest share, among the people (n_people,) with the same released code, who are within a tolerance of any
    one number: nobody who guesses by the released code alone is right more often.
    """
    if not len(number):
        return np.zeros(0)
    span = float(np.ptp(number)) + 2 * tolerance + 1
    key = np.sort(released * (2 * span) + (number - number.min()))
    n_within = np.searchsorted(key, key + 2 * tolerance * (1 + 1e-12), side="right") - np.arange(len(key))
    of_key = np.floor(key / (2 * span)).astype(np.int64)
    largest = np.zeros(int(released.max(initial=-1)) + 1, dtype=np.int64)
    np.maximum.at(largest, of_key, n_within)
    shares: np.ndarray = (largest / np.maximum(np.bincount(released, minlength=len(largest)), 1))[released]
    return shares


def told_near_median(
    members: LevelMembers,
    number: np.ndarray,
    tolerance: float,
    chance: np.ndarray,
    asked: np.ndarray,
    most: float,
    together: LevelsOfSummaries | None = None,
) -> ToldEntries:
    """The people of levels in which nearly all ``asked`` numbers are within a tolerance of the median of the others.

    ``number`` and ``chance`` (n_people,) as in ``chance_within``. Half of the people count, for the others make the
    prediction.
    """
    members = members.of_people(asked)
    enough = (np.bincount(members.level, minlength=members.n_levels) >= LEAST_SUPPORT)[members.level]
    level, person = members.level[enough], members.person[enough]
    away, size = away_from_others(level, number[person]), np.bincount(level, minlength=members.n_levels)
    hit = away <= tolerance
    luck = np.bincount(level, chance[person], members.n_levels) / np.maximum(size, 1)
    n_told = np.bincount(level, hit, members.n_levels)
    hit &= is_sure(n_told, size, size / 2, luck, most, together)[level]
    return ToldEntries(level[hit], person[hit], away[hit])


def away_from_others(level: np.ndarray, number: np.ndarray) -> np.ndarray:
    """How far each number (n,) is from the median of the others of its level (n,); infinite of the only one."""
    order = np.lexsort((number, level))
    of_level = np.bincount(level)
    size, start = (one[level[order]] for one in (of_level, np.cumsum(of_level) - of_level))
    place = np.arange(len(order)) - start
    middle = [start + at + (at >= place) for at in ((size - 2) // 2, (size - 1) // 2)]
    median = number[order][np.clip(middle, 0, max(len(order) - 1, 0))].mean(axis=0) if len(order) else number
    away = np.empty(len(order))
    away[order] = np.where(size > 1, np.abs(number[order] - median), np.inf)
    return away


def told_by_neighbours(
    ranked: RankedPeople, number: np.ndarray, tolerance: float, chance: np.ndarray, asked: np.ndarray, most: float
) -> ToldEntries:
    """The people of runs in which nearly all ``asked`` numbers are within a tolerance of their neighbours' median.

    Neighbours have the next smaller and larger values of the summary, so that any rising or falling relation is found.
    ``number`` (n_people,) is NaN where there is none. Half of the people of a run count, as in ``told_near_median``.
    """
    ranked = ranked.of_people(np.isfinite(number))
    away = np.abs(number[ranked.person] - _median_of_neighbours(ranked, number))
    of_entry = np.repeat(np.arange(len(ranked.sizes)), ranked.sizes)
    within = away <= tolerance
    is_asked = asked[ranked.person]
    of_asked, within, of_entry, away = ranked.of_people(asked), within[is_asked], of_entry[is_asked], away[is_asked]
    told = np.zeros(len(of_asked.person), dtype=bool)
    of_person = chance[of_asked.person]
    for run, of_run in of_asked.runs():
        n = np.bincount(run, minlength=len(of_run))
        n_told = np.bincount(run, within, len(of_run))
        luck = np.bincount(run, of_person, len(of_run)) / np.maximum(n, 1)
        told |= within & is_sure(n_told, n, n / 2, luck, most)[run]
    return ToldEntries(of_entry[told], of_asked.person[told], away[told])


def _median_of_neighbours(ranked: RankedPeople, number: np.ndarray) -> np.ndarray:
    """The median (n_entries,) of the numbers of the nearest others by rank; NaN where there are too few."""
    sizes = ranked.sizes
    n, size = len(ranked.person), np.repeat(sizes, sizes)
    start = np.repeat(ranked.starts[:-1], sizes)
    place = np.arange(n)
    first = np.clip(place - NEIGHBOURS // 2, start, np.maximum(start + size - NEIGHBOURS - 1, start))
    beside = first + np.arange(NEIGHBOURS)[:, None]
    beside += beside >= place
    values = np.sort(number[ranked.person][np.minimum(beside, max(n - 1, 0))], axis=0)
    median: np.ndarray = values[NEIGHBOURS // 2 - 1 : NEIGHBOURS // 2 + 1].mean(axis=0)
    median[size <= NEIGHBOURS] = np.nan
    return median
