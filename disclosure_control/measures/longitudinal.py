"""Longitudinal risk: who is alone by a few facts that an acquaintance may know of a person's events and treatments.

One row per subject does not show it: a neighbour knows that a person had a stroke and takes insulin. Here each person
has a set of facts. An attacker who knows the quasi-identifiers and up to m of the facts searches the people who have
them all. Facts are what a person has; what a person lacks is not counted as known.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from disclosure_control.basics.encoding.keys import count_keys, number_groups

LARGEST_SIZE = 3
MOST_WORK = 40_000_000  # sets of facts evaluated for one size: about ten seconds
MOST_AT_ONCE = 4_000_000  # of them in memory: half a gigabyte


@dataclass(frozen=True)
class AloneByFacts:
    """``is_alone`` (n_people,): who has up to ``size`` facts that too few of the class have together.

    ``is_complete`` is False if sets were left out to limit the work: only those of common facts. Then at least
    these people are alone.
    """

    size: int
    is_alone: np.ndarray
    is_complete: bool

    @property
    def n_alone(self) -> int:
        """How many they are; from 0 to the number of people, more is riskier."""
        return int(self.is_alone.sum())


def alone_by_facts(
    classes: np.ndarray,
    people: np.ndarray,
    facts: np.ndarray,
    fewer_than: int = 2,
    most_work: int = MOST_WORK,
) -> tuple[AloneByFacts, ...]:
    """Who is alone by the quasi-identifiers and up to 0, 1, 2 and 3 facts: k^m-anonymity with k = ``fewer_than``.

    ``classes`` (n_people,) are the equivalence classes, whole numbers from 0; ``people`` and ``facts`` (n_entries,) say
    who has which fact, as whole numbers from 0, in any order and as often as it comes. The dataset is k^m-anonymous
    where nobody is alone by m facts. Who is alone by some facts is alone by more, so sets are built from those that at
    least ``fewer_than`` have, within people who are not alone yet, and the rarest fact of a set comes first. At most
    ``most_work`` sets of each size are looked at. Source: Terrovitis, Mamoulis and Kalnis 2008,
    doi:10.14778/1453856.1453874, on top of the classes of the quasi-identifiers.
    """
    held = _FactsHeld.of(classes, people, facts)
    is_alone = held.class_size[held.class_of_person] < fewer_than
    found = [AloneByFacts(0, is_alone.copy(), True)]
    is_alone[held.person[held.n_holders[held.item] < fewer_than]] = True
    found.append(AloneByFacts(1, is_alone.copy(), True))
    for size in range(2, LARGEST_SIZE + 1):
        is_complete = found[-1].is_complete
        others = held.common(fewer_than, is_alone)
        blocks, is_all = others.blocks(size, most_work, of_interest=~is_alone)
        for entries in blocks:
            is_alone[others.alone_within(entries, size, fewer_than, is_alone)] = True
        found.append(AloneByFacts(size, is_alone.copy(), is_complete and is_all))
    return tuple(found)


@dataclass(frozen=True)
class _FactsHeld:
    """The facts of each person: an item is a fact within a class, numbered from the rarest on.

    Entries (n_entries,) of ``person`` and ``item``, each pair once, are sorted by person and item; ``n_holders``
    (n_items,) are the people of an item; ``class_of_person`` (n_people,) and ``class_size`` (n_classes,) the classes.
    """

    person: np.ndarray
    item: np.ndarray
    n_holders: np.ndarray
    class_of_person: np.ndarray
    class_size: np.ndarray

    @classmethod
    def of(cls, classes: np.ndarray, people: np.ndarray, facts: np.ndarray) -> _FactsHeld:
        class_of_person = np.asarray(classes, dtype=np.int64)
        person, fact = np.asarray(people, dtype=np.int64), np.asarray(facts, dtype=np.int64)
        n_facts = int(fact.max(initial=0)) + 1
        n_people = int(person.max(initial=-1)) + 1
        entries, _ = count_keys(person * n_facts + fact, n_people * n_facts)
        person, fact = np.divmod(entries, n_facts)
        n_classes = int(class_of_person.max(initial=-1)) + 1
        item, n_holders = number_groups(class_of_person[person] * n_facts + fact, n_classes * n_facts)
        size = np.bincount(class_of_person, minlength=n_classes)
        return cls._by_rarity(person, item, n_holders, class_of_person, size)

    @classmethod
    def _by_rarity(
        cls, person: np.ndarray, item: np.ndarray, n_holders: np.ndarray, *classes: np.ndarray
    ) -> _FactsHeld:
        order = np.argsort(n_holders, kind="stable")
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        item = rank[item]
        by_person = np.lexsort((item, person))
        return cls(person[by_person], item[by_person], n_holders[order], *classes)

    @cached_property
    def n_later(self) -> np.ndarray:
        """How many entries of the same person come after each entry (n_entries,)."""
        ends = np.cumsum(self.n_facts)
        return ends[self.person] - np.arange(len(self.person)) - 1

    @cached_property
    def n_facts(self) -> np.ndarray:
        """Facts of each person (n_people,)."""
        return np.bincount(self.person, minlength=len(self.class_of_person))

    def common(self, fewer_than: int, is_alone: np.ndarray) -> _FactsHeld:
        """Without items of fewer holders, and without classes in which everyone is alone: neither finds anyone."""
        with_others = np.zeros(len(self.class_size), dtype=bool)
        with_others[self.class_of_person[~is_alone]] = True
        kept = (self.n_holders[self.item] >= fewer_than) & with_others[self.class_of_person[self.person]]
        item, n_holders = number_groups(self.item[kept], max(len(self.n_holders), 1))
        return self._by_rarity(self.person[kept], item, n_holders, self.class_of_person, self.class_size)

    def blocks(self, size: int, most_work: int, of_interest: np.ndarray | None = None) -> tuple[list[np.ndarray], bool]:
        """Entries that begin sets, in parts that fit into memory, and whether they are all.

        Sets that begin with one item are counted together, so they are in one part. Items that nobody ``of_interest``
        (n_people,) has begin none. Work beyond ``most_work`` is left out; the rarest items come first.
        """
        wanted = np.ones(len(self.n_holders), dtype=bool)
        if of_interest is not None:
            wanted[:] = False
            wanted[self.item[of_interest[self.person]]] = True
        cost_of_entry = sum(_combinations(self.n_later, n) for n in range(size))
        cost = np.bincount(self.item, cost_of_entry, len(wanted)) * wanted
        fits = (np.cumsum(cost) <= most_work) & (cost <= MOST_AT_ONCE)
        part_of_item = np.where(wanted & fits, np.cumsum(np.where(fits, cost, 0)) // MOST_AT_ONCE, -1).astype(np.int64)
        part = part_of_item[self.item]
        by_part = np.argsort(part, kind="stable")
        cuts = np.flatnonzero(np.diff(part[by_part])) + 1
        parts = [entries for entries in np.split(by_part, cuts) if len(entries) and part[entries[0]] >= 0]
        return parts, bool(fits[wanted].all())

    def alone_within(self, entries: np.ndarray, size: int, fewer_than: int, is_alone: np.ndarray) -> np.ndarray:
        """People who are alone by sets of ``size`` that begin with these entries; some are listed more than once."""
        last, group, n_groups, found = entries, self.item[entries], len(self.n_holders), [np.zeros(0, dtype=np.int64)]
        for _ in range(size - 1):
            last, group, n_holders = self._one_more(last, group, n_groups)
            is_rare = n_holders[group] < fewer_than
            found.append(self.person[last[is_rare]])
            n_groups = len(n_holders)
            of_interest = np.zeros(n_groups, dtype=bool)
            of_interest[group[~is_alone[self.person[last]]]] = True
            kept = of_interest[group] & ~is_rare
            last, group = last[kept], group[kept]
        return np.concatenate(found)

    def _one_more(
        self, last: np.ndarray, group: np.ndarray, n_groups: int
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Each set with each later fact of its person: the new last entry, the set's group, and holders per group.

        ``last`` (n_rows,) is the last entry of a person's set and ``group`` (n_rows,) numbers equal sets.
        """
        n_later = self.n_later[last]
        row = np.repeat(np.arange(len(last)), n_later)
        step = np.arange(len(row)) - np.repeat(np.cumsum(n_later) - n_later, n_later)
        fresh = last[row] + 1 + step
        key = group[row] * len(self.n_holders) + self.item[fresh]
        return fresh, *number_groups(key, n_groups * max(len(self.n_holders), 1))


def _combinations(n: np.ndarray, size: int) -> np.ndarray:
    """How many sets of ``size`` can be chosen of ``n`` (n_rows,)."""
    product = np.ones(len(n))
    for i in range(size):
        product = product * np.maximum(n - i, 0) / (i + 1)
    return product
