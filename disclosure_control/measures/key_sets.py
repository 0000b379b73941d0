"""Key sets: the risk that every subset of the quasi-identifiers carries, and what each attribute adds to it.

An intruder seldom knows all quasi-identifiers of a person. A key set is what one may know: a subset of them. The
records are counted once, in the equivalence classes of all quasi-identifiers; every other key set is rolled up from
the groups of a key set with one attribute more, so its cost is that of the groups, not of the records.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from Anonymization_Models import EquivalenceClasses
from disclosure_control.basics.encoding.keys import number_rows
from disclosure_control.basics.telling.faults import FaultyInputError

DEFAULT_THRESHOLDS = (2, 5, 10, 20)
MAX_KEY_SETS = 100_000  # roughly half a minute for 20,000 classes, more than an hour for a million


@dataclass(frozen=True)
class KeySet:
    """What somebody who knows these quasi-identifiers, and no others, can single out.

    ``n_evaluated`` counts people; ``n_classes`` the groups they form, which is also the expected number of correct
    re-identifications. ``unique_rate`` is the share of people in a group of one; ``median_k`` the median over people
    of k; ``k_at_most_rate`` the share of people with k at or below each threshold. ``average_risk`` is the mean of
    1/k, ``distinction`` groups per person, ``separation`` the share of pairs of people that differ. All rates are in
    [0, 1]; higher rates and a lower median are riskier. None where nobody (for pairs: fewer than two) is evaluated.
    """

    quasi_identifiers: tuple[str, ...]
    n_evaluated: int
    n_classes: int
    unique_rate: float | None
    median_k: float | None
    k_at_most_rate: dict[int, float | None]
    distinction: float | None
    separation: float | None
    average_risk: float | None


@dataclass(frozen=True)
class AttributeEffect:
    """What one attribute adds: its key set alone, all quasi-identifiers together, and these without it."""

    quasi_identifier: str
    alone: KeySet
    without: KeySet
    together: KeySet

    @property
    def unique_rate_added(self) -> float | None:
        """Share of people whom only this attribute, added to all others, makes unique; larger is riskier."""
        return _difference(self.together.unique_rate, self.without.unique_rate)

    @property
    def average_risk_added(self) -> float | None:
        """Average prosecutor risk that leaving this attribute out would save; larger is riskier."""
        return _difference(self.together.average_risk, self.without.average_risk)

    @property
    def k_at_most_rate_added(self) -> dict[int, float | None]:
        """By threshold: share of people that leaving this attribute out would lift above it; larger is riskier."""
        without = self.without.k_at_most_rate
        return {k: _difference(rate, without[k]) for k, rate in self.together.k_at_most_rate.items()}


def key_sets(
    classes: EquivalenceClasses,
    max_size: int | None = None,
    thresholds: Sequence[int] = DEFAULT_THRESHOLDS,
    missing_qis: str = "category",
) -> list[KeySet]:
    """Risk of every subset of the quasi-identifiers of one to ``max_size`` attributes (None: all of them).

    Smaller sets first, within a size in the order of the quasi-identifiers. ``missing_qis``: a missing value is a
    value of its own ("category"); a person who lacks a value *of the key set* is not evaluated in it ("exclude"); or
    missing matches anything ("wildcard": k and the figures made of it, while ``n_classes``, ``distinction`` and
    ``separation`` keep missing as a value). Raises ``FaultyInputError`` on more subsets than ``MAX_KEY_SETS``.
    Source: ``distinction`` and ``separation`` Motwani and Xu 2007, "Efficient algorithms for masking and finding
    quasi-identifiers"; ARX ``RiskModelAttributes``.
    """
    size = checked_max_size(classes, max_size)
    keys = _Keys.of(classes)
    by_attributes = {
        groups.attributes: _summary(keys, groups, thresholds, missing_qis) for groups in _lattice(keys, size)
    }
    chosen = (kept for n in range(1, size + 1) for kept in itertools.combinations(range(keys.n_attributes), n))
    return [by_attributes[attributes] for attributes in chosen]


def key_set(
    classes: EquivalenceClasses,
    quasi_identifiers: Sequence[str],
    thresholds: Sequence[int] = DEFAULT_THRESHOLDS,
    missing_qis: str = "category",
) -> KeySet:
    """Risk of one subset of the quasi-identifiers, the empty one included; see ``key_sets``."""
    keys = _Keys.of(classes)
    attributes = tuple(i for i, name in enumerate(classes.quasi_identifiers) if name in quasi_identifiers)
    return _summary(keys, _roll_up(keys, _all_classes(keys), attributes), thresholds, missing_qis)


def attribute_effects(
    classes: EquivalenceClasses,
    thresholds: Sequence[int] = DEFAULT_THRESHOLDS,
    missing_qis: str = "category",
    known: Sequence[KeySet] = (),
) -> list[AttributeEffect]:
    """What each quasi-identifier adds to the risk, alone and added to all others, in their order.

    ``known`` are results of ``key_sets`` with the same thresholds and policy: a set in them is not counted again. Under
    "exclude", the sets evaluate different people, and an attribute with many missing values may seem to lower the risk.
    """
    names = classes.quasi_identifiers
    found = {frozenset(one.quasi_identifiers): one for one in known}

    def look_up(chosen: tuple[str, ...]) -> KeySet:
        known_set = found.get(frozenset(chosen))
        return known_set or key_set(classes, chosen, thresholds, missing_qis)

    together = look_up(names)
    return [
        AttributeEffect(name, look_up((name,)), look_up(tuple(n for n in names if n != name)), together)
        for name in names
    ]


def checked_max_size(classes: EquivalenceClasses, max_size: int | None) -> int:
    """The largest size of a subset to evaluate, at most the number of quasi-identifiers; all of them by default.

    Raises ``FaultyInputError`` if there would be more subsets than ``MAX_KEY_SETS``, with the largest possible size.
    """
    n_attributes = len(classes.quasi_identifiers)
    size = n_attributes if max_size is None else min(max_size, n_attributes)
    n_sets = list(itertools.accumulate(math.comb(n_attributes, n) for n in range(1, size + 1)))
    if n_sets and n_sets[-1] > MAX_KEY_SETS:
        largest = sum(n <= MAX_KEY_SETS for n in n_sets)
        raise FaultyInputError(
            f"max_size: {n_attributes} quasi-identifiers have {n_sets[-1]:,} subsets of up to {size} attributes; "
            f"allowed: {MAX_KEY_SETS:,} subsets; set max_size to {largest} or less"
        )
    return size


# ---------------------------------------------------------------- the lattice of subsets


@dataclass(frozen=True)
class _Keys:
    """The classes as a source of groups: codes from 0 up with 0 for missing, and how many codes there are."""

    classes: EquivalenceClasses
    codes: np.ndarray  # (n_attributes, n_classes)
    n_codes: tuple[int, ...]
    by_n_codes: tuple[int, ...]  # attributes, that with the fewest values first

    @classmethod
    def of(cls, classes: EquivalenceClasses) -> _Keys:
        n_codes = tuple(len(labels) + 1 for labels in classes.labels)
        by_n_codes = tuple(sorted(range(len(n_codes)), key=n_codes.__getitem__))
        return cls(classes, classes.class_codes + 1, n_codes, by_n_codes)

    @property
    def n_attributes(self) -> int:
        return len(self.n_codes)


@dataclass(frozen=True)
class _Groups:
    """People grouped by some attributes: one class that represents each group, and the people in it (n_groups,)."""

    attributes: tuple[int, ...]
    member: np.ndarray
    people: np.ndarray


def _all_classes(keys: _Keys) -> _Groups:
    everything = tuple(range(keys.n_attributes))
    return _Groups(everything, np.arange(keys.classes.n_classes), keys.classes.size)


def _roll_up(keys: _Keys, groups: _Groups, attributes: tuple[int, ...]) -> _Groups:
    """The coarser groups that fewer attributes make, from the groups alone."""
    if attributes == groups.attributes:
        return groups
    columns = [keys.codes[i][groups.member] for i in attributes]
    group, size = number_rows(columns, [keys.n_codes[i] for i in attributes], len(groups.member))
    member = np.empty(len(size), dtype=np.int64)
    member[group] = groups.member
    people = np.bincount(group, groups.people, len(size)).astype(np.int64)
    return _Groups(attributes, member, people)


def _lattice(keys: _Keys, max_size: int) -> Iterator[_Groups]:
    """The groups of every subset of up to ``max_size`` attributes, each rolled up from a parent one larger.

    The parent with the fewest groups is preferred: the one that adds the attribute with the fewest values. That
    makes the lattice a tree, walked depth-first, so that no more than ``max_size`` groupings are in memory at once.
    """
    full = _all_classes(keys)
    for largest in itertools.combinations(range(keys.n_attributes), max_size):
        if largest:
            yield from _descend(keys, _roll_up(keys, full, largest))


def _descend(keys: _Keys, groups: _Groups) -> Iterator[_Groups]:
    yield groups
    if len(groups.attributes) > 1:
        # A child is ours if what it lacks first, in the order of the number of values, is what we took away.
        for i in itertools.takewhile(groups.attributes.__contains__, keys.by_n_codes):
            smaller = tuple(kept for kept in groups.attributes if kept != i)
            yield from _descend(keys, _roll_up(keys, groups, smaller))


# ---------------------------------------------------------------- figures of one subset


def _summary(keys: _Keys, groups: _Groups, thresholds: Sequence[int], missing_qis: str) -> KeySet:
    names = tuple(keys.classes.quasi_identifiers[i] for i in groups.attributes)
    k = people = groups.people
    n_groups = people
    if missing_qis != "category" and not keys.classes.complete.all():
        subset = _as_classes(keys, groups, names)
        evaluated = subset.evaluated(missing_qis)
        k, people = subset.frequency(missing_qis)[evaluated], people[evaluated]
        n_groups = people
    order = np.argsort(k) if k is not people else None
    ordered_k = np.sort(k) if order is None else k[order]
    below = np.cumsum(ordered_k if order is None else people[order])
    n = int(below[-1]) if len(below) else 0
    if n == 0:
        return KeySet(names, 0, 0, None, None, dict.fromkeys(thresholds), None, None, None)

    def at_most(threshold: int) -> float:
        position = int(np.searchsorted(ordered_k, threshold, side="right"))
        return int(below[position - 1]) / n if position else 0.0

    middle = ordered_k[np.searchsorted(below, [(n - 1) // 2, n // 2], side="right")]
    together = int(np.dot(n_groups, n_groups - 1))  # ordered pairs that the key set does not distinguish
    return KeySet(
        quasi_identifiers=names,
        n_evaluated=n,
        n_classes=len(n_groups),
        unique_rate=at_most(1),
        median_k=float(middle.mean()),
        k_at_most_rate={threshold: at_most(threshold) for threshold in thresholds},
        distinction=len(n_groups) / n,
        separation=1 - together / (n * (n - 1)) if n > 1 else None,
        average_risk=len(n_groups) / n if k is people else math.fsum(people / k) / n,
    )


def _as_classes(keys: _Keys, groups: _Groups, names: tuple[str, ...]) -> EquivalenceClasses:
    """The groups as equivalence classes of their own, to apply a policy for missing values."""
    labels = tuple(keys.classes.labels[i] for i in groups.attributes)
    codes = np.array([keys.codes[i][groups.member] - 1 for i in groups.attributes]).reshape(
        len(names), len(groups.people)
    )
    return EquivalenceClasses(names, labels, codes, groups.people)


def _difference(rate: float | None, other: float | None) -> float | None:
    return None if rate is None or other is None else rate - other
