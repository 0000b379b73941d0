"""Linkage: an identified table against a release, by what an attacker knows of the people.

Three methods, by the key ``method``: "exact" (equal values, like a join), "generalised" (a released value may represent
several: interval, tail, set, mask, star), "probabilistic" (some attributes may disagree; the best score wins).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from disclosure_control.analyses.linkage_attack.agreement import compatible_values, equal_values
from disclosure_control.analyses.linkage_attack.codebook import Codebook, column_of
from disclosure_control.analyses.linkage_attack.matching import Matching
from disclosure_control.analyses.linkage_attack.rates import AttackRates, Rate
from disclosure_control.basics.telling.faults import FaultyInputError

NOT_IN_PILOT, NOT_RELEASED = -1, -2
MOST_SUBSETS = 64
MOST_WORK = 400_000_000
MOST_SCORES = 100_000_000
SAME_SCORE = 1e-6


@dataclass(frozen=True)
class Weights:
    """What each attribute adds to a score where it agrees and where it does not: (n_attributes, n_known), in bits."""

    agreeing: np.ndarray
    other: np.ndarray

    def score(self, agree: np.ndarray, people: np.ndarray) -> np.ndarray:
        """Score of pairs with some ``people``, by which attributes ``agree`` (n_attributes, n_pairs)."""
        return np.where(agree, self.agreeing[:, people], self.other[:, people]).sum(axis=0)


@dataclass(frozen=True)
class LinkageResult:
    """What an attack finds for each person (n_known,).

    ``n_candidates`` released records fit (best, where they are scored); ``candidate`` is the position of the one that
    the attacker names, -1 where there is no pair of one person and one record. ``probability`` that a candidate is the
    person, by the attacker's own reckoning, and the best ``score`` behind it in bits; ``is_unsure`` where there is
    one best record, not likely enough to be named; None without scores.
    """

    n_candidates: np.ndarray
    candidate: np.ndarray
    weights: Weights | None = None
    score: np.ndarray | None = None
    probability: np.ndarray | None = None
    is_unsure: np.ndarray | None = None


@dataclass(frozen=True)
class LinkageAttack:
    """One attack on all people of the identified table with one release, and its result.

    ``truth`` (n_known,) is the position of each person's own record in the release, ``NOT_RELEASED`` if the treatment
    removed it, ``NOT_IN_PILOT`` for the control group; None if unknown. ``n_unsure`` people have one best record that
    is below the threshold, and is not named. ``fits`` (n_known,): whether the own record agrees with all that is known
    of the person, as far as the method reads it; None if unknown. ``n_tries``: this is the best of so many attacks.
    """

    method: str
    attributes: tuple[str, ...]
    n_released: int
    found: LinkageResult
    truth: np.ndarray | None
    chance: np.ndarray | None
    fits: np.ndarray | None = None
    n_tries: int = 1

    @property
    def n_unsure(self) -> int:
        """People with one best record that is not likely enough to be named."""
        return 0 if self.found.is_unsure is None else int(self.found.is_unsure.sum())

    @property
    def n_people(self) -> int:
        return len(self.found.candidate)

    @property
    def claimed(self) -> np.ndarray:
        """People (n_known,) for whom the attacker names a record."""
        return self.found.candidate >= 0

    @property
    def in_pilot(self) -> np.ndarray | None:
        """Which of them are in the pilot (n_people,) of bool; None if unknown."""
        return None if self.truth is None else self.truth != NOT_IN_PILOT

    @cached_property
    def correct(self) -> np.ndarray | None:
        """People (n_known,) whose own record is the one named; None if unknown."""
        return None if self.truth is None else self.claimed & (self.found.candidate == self.truth)

    @property
    def n_found(self) -> int:
        """People for whom the right record is named; if the truth is unknown, any record."""
        return int((self.claimed if self.correct is None else self.correct).sum())

    @property
    def claims(self) -> Rate:
        """People for whom a record is named, right or not, in the whole identified table."""
        return Rate(int(self.claimed.sum()), self.n_people)

    @cached_property
    def pairs(self) -> AttackRates | None:
        """Unique pairs: people of the pilot named rightly; the baseline draws a record for each of them at random.

        The control group is not in the pilot: whatever is named for them is wrong, and counts as a hit there, because
        it shows how often the attack names a record without any ground. None where the truth is not known.
        """
        in_pilot, correct = self.in_pilot, self.correct
        if in_pilot is None or correct is None:
            return None
        outside = ~in_pilot
        control = Rate(int((self.claimed & outside).sum()), int(outside.sum())) if outside.any() else None
        hits = Rate(int(correct.sum()), self._n_in_pilot)
        return AttackRates(hits, self._guessing, control, True, n_unread=self.n_unread, n_tries=self.n_tries)

    @cached_property
    def guesses(self) -> AttackRates | None:
        """One even guess among the candidates of each person of the pilot: the chance to be right, summed.

        Meant for an attacker who knows that the person takes part. On a release that is k-anonymous on the known
        attributes no chance is above 1/k. None where the truth is not known.
        """
        if self.in_pilot is None or self.chance is None:
            return None
        hits = Rate(math.fsum(self.chance[self.in_pilot]), self._n_in_pilot)
        n_unread, tries = self.n_unread, self.n_tries
        return AttackRates(hits, self._guessing, baseline_is_known=True, n_unread=n_unread, n_tries=tries)

    @property
    def n_unread(self) -> int:
        """People of the release who are not found and whose own record is not read as theirs, or not surely enough."""
        if self.truth is None or self.correct is None or self.fits is None:
            return 0
        unread = ~self.fits if self.found.is_unsure is None else ~self.fits | self.found.is_unsure
        return int((unread & ~self.correct & (self.truth >= 0)).sum())

    @property
    def _n_in_pilot(self) -> int:
        return 0 if self.in_pilot is None else int(self.in_pilot.sum())

    @property
    def _guessing(self) -> Rate:
        return Rate(self._n_in_pilot / max(self.n_released, 1), self._n_in_pilot)


# ---------------------------------------------------------------- methods


def _found_on(matching: Matching, attributes: Sequence[int]) -> LinkageResult:
    reach = matching.reach(attributes)
    return LinkageResult(reach.n_candidates, np.where(reach.is_pair, reach.candidate, -1))


def _found_by_score(
    matching: Matching, attributes: Sequence[int], agreement_rate: float = 0.95, threshold: float = 0.5
) -> LinkageResult:
    """The records of the best score for each person; named where they are one, likely enough, and nobody else's best.

    The score is the sum of log2(m/u) over the attributes that agree and log2((1-m)/(1-u)) over the others: m is
    ``agreement_rate``, the share of true pairs that agree on an attribute, u the share of released records that agree
    with this person on it. An attribute that is not known of a person weighs nothing. With prior odds of one record in
    the release, odds are 2**score / n_released. Source: Fellegi and Sunter 1969, doi:10.1080/01621459.1969.10501049.
    """
    n_known, n_released, sets = matching.n_known, matching.n_released, _subsets(attributes)
    if n_known * len(sets) > MOST_SCORES:
        raise FaultyInputError(
            f"linkage_attack: scores of {n_known:,} people by {len(attributes)} attributes are too many; name fewer "
            f"under known, or attack with {MOST_SCORES // len(sets):,} people in the identified table at most"
        )
    weights = _weights(matching, attributes, agreement_rate)
    sums, n_agreeing, record = [], [], []
    for some in sets:
        agree = np.isin(np.arange(len(matching.columns)), some)[:, np.newaxis]
        sums.append(np.where(agree, weights.agreeing, weights.other).sum(axis=0))
        reach = matching.reach(some) if some else None
        n_agreeing.append(np.full(n_known, float(n_released)) if reach is None else reach.n_candidates)
        record.append(np.full(n_known, -1) if reach is None else reach.candidate)
    n_exactly = _exactly(np.array(n_agreeing), sets)
    totals = np.where(n_exactly > 0, np.array(sums), -np.inf)
    score = totals.max(axis=0)
    is_best = totals >= score - SAME_SCORE
    n_candidates = np.where(is_best, n_exactly, 0).sum(axis=0)
    # People who agree on more than the best set score no lower: a single candidate is the only one of its set.
    only = np.where(n_candidates == 1, np.array(record)[is_best.argmax(axis=0), np.arange(n_known)], -1)
    if n_released == 1:
        only = np.where(n_candidates == 1, 0, -1)
    odds = np.exp2(score) / n_released
    probability = odds / (1 + odds)
    likely = probability >= threshold
    named = _best_claimants(np.where(likely, only, -1), score, n_released)
    return LinkageResult(n_candidates, named, weights, score, probability, (only >= 0) & ~likely)


def _weights(matching: Matching, attributes: Sequence[int], agreement_rate: float) -> Weights:
    agreeing, other = np.zeros((2, len(matching.columns), matching.n_known))
    for i in attributes:
        u = np.minimum(matching.reach([i]).n_candidates / matching.n_released, agreement_rate)
        known = matching.columns[i].known >= 0
        agreeing[i] = np.where(known & (u > 0), np.log2(agreement_rate / np.where(u > 0, u, 1)), 0)
        other[i] = np.where(known, np.log2((1 - agreement_rate) / (1 - u)), 0)
    return Weights(agreeing, other)


def _exactly(at_least: np.ndarray, sets: Sequence[tuple[int, ...]]) -> np.ndarray:
    """Records that agree on a set and on nothing else, from those that agree on at least it: (n_sets, n_known)."""
    exactly, place = at_least.copy(), {some: position for position, some in enumerate(sets)}
    for attribute in sets[-1]:  # inclusion and exclusion, one attribute at a time
        for some, position in place.items():
            if attribute not in some:
                exactly[position] -= exactly[place[tuple(sorted((*some, attribute)))]]
    return exactly


def _best_claimants(candidate: np.ndarray, score: np.ndarray, n_released: int) -> np.ndarray:
    """Each record is assigned to the person with the highest score who names it; to nobody if two scores are equal."""
    names = np.flatnonzero(candidate >= 0)
    highest = np.full(n_released, -np.inf)
    np.maximum.at(highest, candidate[names], score[names])
    first = names[score[names] >= highest[candidate[names]] - 1e-9]
    n_first = np.bincount(candidate[first], minlength=n_released)
    named = np.full(len(candidate), -1)
    alone = first[n_first[candidate[first]] == 1]
    named[alone] = candidate[alone]
    return named


@dataclass(frozen=True)
class Method:
    """How values agree, whether a missing one may be any value, and how candidates are found."""

    agreement: Callable
    missing_agrees: bool
    find: Callable[..., LinkageResult]


METHODS: dict[str, Method] = {
    "exact": Method(equal_values, False, _found_on),
    "generalised": Method(compatible_values, True, _found_on),
    "probabilistic": Method(compatible_values, True, _found_by_score),
}


# ---------------------------------------------------------------- attacks


def compare_tables(
    released: pd.DataFrame,
    identified: pd.DataFrame,
    known: Mapping[str, str],
    method: str = "generalised",
    within: Mapping[str, float] | None = None,
    codebook: Codebook | None = None,
) -> Matching:
    """Which released records each identified person may be: ``known`` maps released columns to identified ones.

    ``within``: by released column, how far a released number may lie from the known one and still agree. ``codebook``:
    what is known of the treatment; "exact" has no use for it.
    """
    chosen, within = METHODS[method], within or {}
    columns = []
    for name, theirs in known.items():
        options: dict = {}
        if chosen.agreement is compatible_values:
            options = {"within": within.get(name, 0.0), "codebook": column_of(codebook, name)}
        columns.append(chosen.agreement(released[name], identified[theirs], **options))
    return Matching(tuple(columns), chosen.missing_agrees)


def attack_linkage(
    matching: Matching,
    truth: np.ndarray | None = None,
    method: str = "generalised",
    attributes: Sequence[int] | None = None,
    **settings: float,
) -> LinkageAttack:
    """Attack a release with some of the known attributes, all by default.

    ``truth`` (n_known,) is the position of each person's own record, see ``LinkageAttack``. ``settings`` are those of
    the probabilistic method: ``agreement_rate`` and ``threshold``, both in (0, 1).
    """
    attributes = range(len(matching.columns)) if attributes is None else attributes
    found = METHODS[method].find(matching, attributes, **settings)
    chance, own_fits = None, None
    if truth is not None:
        chance = np.zeros(len(truth))
        mine = np.flatnonzero(truth >= 0)
        agree = matching.agree(mine, truth[mine])
        fits = agree[list(attributes)].all(axis=0)
        own_fits = np.zeros(len(truth), dtype=bool)
        own_fits[mine] = fits
        if found.weights is not None and found.score is not None:
            fits = found.weights.score(agree, mine) >= found.score[mine] - SAME_SCORE
        chance[mine[fits]] = 1 / found.n_candidates[mine[fits]]
    names = tuple(matching.columns[i].name for i in attributes)
    return LinkageAttack(method, names, matching.n_released, found, truth, chance, own_fits)


@dataclass(frozen=True)
class KnowledgeLevel:
    """Success with ``n_attributes`` of the known attributes, over ``n_sets`` sets of them: on average and at best.

    Shares in [0, 1] of the people of the pilot who are named rightly; if the truth is unknown, of all people for whom a
    record is named. ``best`` are the attributes of the best set.
    """

    n_attributes: int
    n_sets: int
    mean_rate: float
    best_rate: float
    best: tuple[str, ...]


def success_by_knowledge(
    matching: Matching, truth: np.ndarray | None, method: str, **settings: float
) -> tuple[list[KnowledgeLevel], str]:
    """Success by how many attributes are known, and a sentence where not every set of them was tried."""
    n = len(matching.columns)
    steps = 2 if method == "probabilistic" else 1
    sizes, left_out = [], 0
    budget = max(1, min(MOST_SUBSETS, MOST_WORK // (max(matching.n_known, 1) * steps**n)))
    for size in sorted(range(1, n + 1), key=lambda size: (size != n, math.comb(n, size), size)):
        if math.comb(n, size) <= budget or size == n:
            sizes.append(size)
            budget -= math.comb(n, size)
        else:
            left_out += math.comb(n, size)
    levels = []
    for size in sorted(sizes):
        rates = {}
        for some in itertools.combinations(range(n), size):
            attack = attack_linkage(matching, truth, method, some, **settings)
            rate = attack.claims if attack.pairs is None else attack.pairs.attack
            rates[attack.attributes] = rate.rate or 0.0
        best = max(rates, key=lambda names: rates[names])
        levels.append(KnowledgeLevel(size, len(rates), sum(rates.values()) / len(rates), rates[best], best))
    said = f"{left_out} of {2**n - 1} sets of known attributes were not tried, for time." if left_out else ""
    return levels, said


def _subsets(attributes: Sequence[int]) -> list[tuple[int, ...]]:
    """Every set of the attributes, the empty one first and all of them last."""
    ordered = sorted(attributes)
    return [some for size in range(len(ordered) + 1) for some in itertools.combinations(ordered, size)]
