"""Fewer quasi-identifiers, so that nobody is alone by one fact of rows: the fewest that have to go, if any would do."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

MOST_ENTRIES = 20_000_000  # facts of people that are looked at for all sets of columns together


@dataclass(frozen=True)
class FewerColumns:
    """The ``columns`` to drop; () if none would do. ``alone_without`` any: who is alone even if all of them go."""

    columns: tuple[str, ...]
    alone_without: int


def fewer_columns(
    columns: Mapping[str, np.ndarray], people: np.ndarray, facts: np.ndarray, most_alone: float
) -> FewerColumns | None:
    """The fewest columns without which at most so many people are alone by up to one fact; of these sets the finest.

    ``columns`` (n_people,) are codes of the quasi-identifiers; ``people`` and ``facts`` (n_entries,) say who has which
    fact. None if these are more entries than are looked at.
    """
    entries = entries_of(people, facts)
    if len(entries) << len(columns) > MOST_ENTRIES:
        return None
    names, n_people = list(columns), len(next(iter(columns.values()), ()))
    alone_without = n_alone_by_one(np.zeros(n_people, dtype=np.int64), entries)
    if alone_without > most_alone:
        return FewerColumns((), alone_without)
    for n_dropped in range(1, len(names) + 1):
        enough = []
        for dropped in itertools.combinations(names, n_dropped):
            classes = _classes([columns[name] for name in names if name not in dropped], n_people)
            if n_alone_by_one(classes, entries) <= most_alone:
                enough.append((int(classes.max(initial=0)), dropped))
        if enough:
            return FewerColumns(max(enough)[1], alone_without)
    return FewerColumns((), alone_without)


def _classes(codes: list[np.ndarray], n_people: int) -> np.ndarray:
    found = np.zeros(n_people, dtype=np.int64)
    for one in codes:
        found = np.unique(found * (int(one.max(initial=0)) + 2) + one + 1, return_inverse=True)[1]
    return found


def entries_of(people: np.ndarray, facts: np.ndarray) -> np.ndarray:
    """Who has which fact (n, 2), each once."""
    if not len(people):
        return np.zeros((0, 2), dtype=np.int64)
    n_facts = int(facts.max()) + 1
    return np.column_stack(np.divmod(np.unique(people.astype(np.int64) * n_facts + facts), n_facts))


def n_alone_by_one(classes: np.ndarray, entries: np.ndarray) -> int:
    """People who are alone in their class, or in it by one of their facts."""
    is_alone = np.bincount(classes)[classes] < 2 if len(classes) else np.zeros(0, dtype=bool)
    if len(entries):
        people, facts = entries.T
        _, place, n_holders = np.unique(
            classes[people] * (int(facts.max()) + 1) + facts, return_inverse=True, return_counts=True
        )
        is_alone[people[n_holders[place] < 2]] = True
    return int(is_alone.sum())
