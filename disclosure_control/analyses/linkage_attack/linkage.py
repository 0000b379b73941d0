"""Linkage: an identified table against a release, by what an attacker knows of the people.

Both tables are reduced to classes of equal codes; where equal codes agree, records are counted by their joint key, a
missing value matching anything or nothing. Where released intervals lie across each other, classes are compared pair
by pair.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd

from Anonymization_Models import EquivalenceClasses
from disclosure_control.analyses.linkage_attack.rates import AttackRates, Rate
from disclosure_control.analyses.linkage_attack.reading import ColumnAgreement, compatible_values, equal_values
from disclosure_control.basics.encoding.keys import number_rows
from disclosure_control.basics.encoding.wildcards import sum_over_compatible
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.remedy.treatments.registry import Reading

METHODS = ("exact", "generalised")
NOT_IN_PILOT, NOT_RELEASED = -1, -2
MOST_PAIRS = 10_000_000_000
CELLS_AT_ONCE = 10_000_000


@dataclass(frozen=True)
class Codebook:
    """The released records before their treatment (n_released, n_columns), and how each changed column is read."""

    before: pd.DataFrame = field(repr=False)
    readings: Mapping[str, Reading]


@dataclass(frozen=True)
class Matching:
    """A release and a known table, attribute by attribute. ``missing_agrees``: a missing value may be any value."""

    columns: Sequence[ColumnAgreement]
    missing_agrees: bool

    @property
    def n_released(self) -> int:
        return len(self.columns[0].released)

    def agree(self, known: np.ndarray, released: np.ndarray) -> np.ndarray:
        """Whether pairs of people and records agree on all attributes: (n_pairs,) of bool."""
        pairs = [(column, column.known[known], column.released[released]) for column in self.columns]
        return np.all([self.same(*pair) for pair in pairs], axis=0)

    def same(self, column: ColumnAgreement, known: np.ndarray, released: np.ndarray) -> np.ndarray:
        """Whether codes of a column agree, missing ones too; arrays of any shapes that fit together."""
        missing, same = (known < 0) | (released < 0), column.same(known, released)
        return same | missing if self.missing_agrees else same & ~missing

    def candidates(self) -> tuple[np.ndarray, np.ndarray]:
        """Of each known person (n_known,): how many records agree, and the one that is named, -1 for none.

        Named is the record that alone agrees with a person, if that person alone agrees with it.
        """
        return self._by_keys() if all(column.fits is None for column in self.columns) else self._by_pairs()

    def _by_keys(self) -> tuple[np.ndarray, np.ndarray]:
        columns = [np.concatenate([column.released, column.known]) for column in self.columns]
        n_codes = [column.n_codes for column in self.columns]
        group, codes = _classes(columns, n_codes)
        n_classes = codes.shape[1]
        of_released, of_known = group[: self.n_released], group[self.n_released :]
        position = np.arange(self.n_released)
        amounts = [(of_released, None), (of_released, position), (of_known, None)]
        totals = np.array([np.bincount(part, weights, n_classes) for part, weights in amounts], dtype=float)
        if self.missing_agrees:
            labels, names = tuple(np.arange(n) for n in n_codes), tuple(column.name for column in self.columns)
            classes = EquivalenceClasses(names, labels, codes, np.ones(n_classes, dtype=np.int64))
            totals = sum_over_compatible(classes, totals)
        else:
            totals = totals * (codes >= 0).all(axis=0)
        n_records, record, n_people = totals.astype(np.int64)
        only = np.where(n_records == 1, record, -1)[of_known]
        is_pair = (only >= 0) & (n_people[of_released[only]] == 1)
        return n_records[of_known], np.where(is_pair, only, -1)

    def _by_pairs(self) -> tuple[np.ndarray, np.ndarray]:
        n_codes = [column.n_codes for column in self.columns]
        of_known, known = _classes([column.known for column in self.columns], n_codes)
        of_released, released = _classes([column.released for column in self.columns], n_codes)
        n_known, n_released = known.shape[1], released.shape[1]
        if n_known * n_released > MOST_PAIRS:
            raise FaultyInputError(
                f"linkage_attack: {n_known:,} kinds of known people against {n_released:,} kinds of released records "
                "with intervals that lie across each other are too many pairs; attack with fewer people in the "
                "identified table, or name fewer attributes under known"
            )
        people, records = np.bincount(of_known).astype(float), np.bincount(of_released).astype(float)
        total, only, n_people = np.zeros(n_known), np.zeros(n_known, dtype=np.int64), np.zeros(n_released)
        n_at_once = max(1, CELLS_AT_ONCE // max(n_released, 1))
        for start in range(0, n_known, n_at_once):
            block = slice(start, start + n_at_once)
            agree = np.ones((len(total[block]), n_released), dtype=bool)
            for column, mine, theirs in zip(self.columns, known[:, block], released, strict=True):
                distinct, row = np.unique(mine, return_inverse=True)
                agree &= self.same(column, distinct[:, np.newaxis], theirs)[row]
            total[block], only[block] = agree @ records, agree.argmax(axis=1)
            n_people += people[block] @ agree
        of_class = np.empty(n_released, dtype=np.int64)
        of_class[of_released] = np.arange(self.n_released)
        is_pair = (total == 1) & (n_people[only] == 1)
        return total.astype(np.int64)[of_known], np.where(is_pair, of_class[only], -1)[of_known]


def _classes(columns: Sequence[np.ndarray], n_codes: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """Class of each record (n_records,) and the codes of every class (n_columns, n_classes); -1 is a code too."""
    group, size = number_rows([column + 1 for column in columns], [n + 1 for n in n_codes], len(columns[0]))
    member = np.empty(len(size), dtype=np.int64)
    member[group] = np.arange(len(group))
    return group, np.array([column[member] for column in columns], dtype=np.int64)


# ---------------------------------------------------------------- attacks


@dataclass(frozen=True)
class LinkageAttack:
    """One attack on all people of the identified table (n_known,) with one release, and its result.

    ``n_candidates`` released records fit each of them; ``candidate`` is the position of the one that the attacker
    names, -1 where there is no pair of one person and one record. ``truth`` is the position of each person's own record
    in the release, ``NOT_RELEASED`` if the treatment removed it, ``NOT_IN_PILOT`` for the control group; None if
    unknown. ``fits``: whether the own record is among those that fit.
    """

    method: str
    n_released: int
    n_candidates: np.ndarray
    candidate: np.ndarray
    truth: np.ndarray | None
    fits: np.ndarray

    @property
    def claimed(self) -> np.ndarray:
        """People (n_known,) for whom the attacker names a record."""
        return self.candidate >= 0

    @cached_property
    def correct(self) -> np.ndarray:
        """People (n_known,) whose own record is the one named; nobody if that is unknown."""
        return self.claimed & (self.candidate == self.truth) if self.truth is not None else np.zeros(0, dtype=bool)

    @property
    def claims(self) -> Rate:
        """People for whom a record is named, right or not, in the whole identified table."""
        return Rate(int(self.claimed.sum()), len(self.claimed))

    @property
    def pairs(self) -> AttackRates | None:
        """Unique pairs: people of the pilot named rightly; the baseline draws a record for each of them at random.

        The control group is not in the pilot: whatever is named for them is wrong, and counts as a hit there, because
        it shows how often the attack names a record without any ground. None where the truth is not known.
        """
        if self.truth is None:
            return None
        outside = self.truth == NOT_IN_PILOT
        control = Rate(int((self.claimed & outside).sum()), int(outside.sum())) if outside.any() else None
        hits = Rate(int(self.correct.sum()), int((~outside).sum()))
        return AttackRates(hits, self._guessing, control, self.n_unread)

    @property
    def guesses(self) -> AttackRates | None:
        """One even guess among the candidates of each person of the pilot: the chance to be right, summed.

        Meant for an attacker who knows that the person takes part. On a release that is k-anonymous on the known
        attributes no chance is above 1/k. None where the truth is not known.
        """
        if self.truth is None:
            return None
        hits = Rate(float((1 / self.n_candidates[self.fits]).sum()), self._guessing.n)
        return AttackRates(hits, self._guessing, None, self.n_unread)

    @property
    def n_unread(self) -> int:
        """People of the release whose own record is not read as theirs."""
        return 0 if self.truth is None else int((~self.fits & (self.truth >= 0)).sum())

    @property
    def _guessing(self) -> Rate:
        n = 0 if self.truth is None else int((self.truth != NOT_IN_PILOT).sum())
        return Rate(n / max(self.n_released, 1), n)


def compare_tables(
    released: pd.DataFrame,
    identified: pd.DataFrame,
    known: Mapping[str, str],
    method: str = "generalised",
    within: Mapping[str, float] | None = None,
    codebook: Codebook | None = None,
) -> Matching:
    """Which released records each identified person may be: ``known`` maps released columns to identified ones.

    ``method``: "exact" compares values, as a join does; "generalised" reads labels too, and a missing value may be any.
    ``within``: by released column, how far a released number may lie from the known one and still agree. ``codebook``:
    what is known of the treatment; "exact" has no use for it.
    """
    if method == "exact":
        return Matching([equal_values(released[name], identified[theirs]) for name, theirs in known.items()], False)
    within, readings = within or {}, codebook.readings if codebook else {}
    before = {name: codebook.before[name] for name in readings if name in codebook.before} if codebook else {}
    columns = [
        compatible_values(
            released[name], identified[theirs], within.get(name, 0.0), before.get(name), readings.get(name)
        )
        for name, theirs in known.items()
    ]
    return Matching(columns, True)


def attack_linkage(matching: Matching, truth: np.ndarray | None = None, method: str = "generalised") -> LinkageAttack:
    """Attack a release by all known attributes; ``truth`` (n_known,) as in ``LinkageAttack``."""
    n_candidates, candidate = matching.candidates()
    fits = np.zeros(len(candidate), dtype=bool)
    if truth is not None:
        mine = np.flatnonzero(truth >= 0)
        fits[mine] = matching.agree(mine, truth[mine])
    return LinkageAttack(method, matching.n_released, n_candidates, candidate, truth, fits)
