"""Who is alone by released columns that outsiders may know, quasi-identifiers or not; and by one column alone."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from disclosure_control.attack.leaving import FindingTold, Leaving, ReleaseFinding, WhatBecame
from disclosure_control.basics.encoding.columns import parse_numbers
from disclosure_control.basics.settings.changes import ConfigChange
from disclosure_control.basics.telling.plain import NOT_IN_SUMMARY
from disclosure_control.basics.telling.reasons import Gravity, Reason
from disclosure_control.basics.telling.small_counts import (
    Policy,
    count_in_sentence,
    count_text,
)
from disclosure_control.basics.telling.words import capitalised, listed, people_text

MOST_NAMED = 6
FEWEST_NUMBERS, VALUES_OF_A_GROUP = 10, 3  # different ones of a column, and of a group whose mean replaces them
N_LISTED = 3  # smallest sets that are named
MOST_SETS, MOST_WORK = 2_000, 400_000_000  # sets of one size that are counted, and people times sets
WHO_HOLDS_MEASUREMENTS = (
    "Exact measurements can single people out for anyone who holds the same measurements, such as a laboratory or "
    "another copy of the data. Columns that outsiders cannot know by their names are not asked together."
)


@dataclass(frozen=True)
class _Alone:
    """People who are alone by ``columns`` together: ``n`` of ``n_people``."""

    columns: frozenset[str]
    n: int

    @classmethod
    def by(cls, columns: Iterable[str], leaving: Leaving) -> _Alone:
        names = frozenset(columns)
        return cls(names, leaving.n_alone(names))

    def told(self, policy: Policy, n_people: int, others: Iterable[_Alone], *beside: int) -> int | None:
        """Their number as published: people who are alone by some columns are alone by more, so a difference may be
        small.
        """
        nested = [one.n for one in others if one.columns <= self.columns or self.columns <= one.columns]
        return policy.told(self.n, n_people, *nested, *beside)


@dataclass(frozen=True)
class SinglingColumns:
    """Columns together, and the people alone by them; None where masked."""

    columns: Sequence[str]
    people_alone: int | None

    @property
    def names(self) -> str:
        """The columns in a sentence."""
        return ", ".join(self.columns)


@dataclass(frozen=True)
class KnownOutside:
    """Columns that outsiders may know, with their kind, and the people alone by them and the quasi-identifiers."""

    not_assessed: Mapping[str, str]
    quasi_identifiers: Sequence[str]
    people_alone: int | None
    people_alone_by_quasi_identifiers: int
    people_alone_besides: int | None
    smallest_sets: Sequence[SinglingColumns]
    treated_without_a_role: Mapping[str, str]
    people_alone_with_treated: int | None
    # Of those not assessed the numbers: how many neighbours become one value, so that most values change.
    group_sizes: Mapping[str, int] = field(default_factory=dict, metadata=NOT_IN_SUMMARY)

    @property
    def treatments(self) -> tuple[ConfigChange, ...]:
        """What treats those that nobody assessed: means of neighbours in place of numbers; other columns go."""
        steps = list[tuple[dict[str, object], str]]()
        for size in sorted(set(self.group_sizes.values())):
            names = [name for name, one in self.group_sizes.items() if one == size]
            step = {"method": "microaggregation", "columns": names, "group_size": size}
            steps.append(
                (step, f"outsiders may know exact numbers: each becomes the mean of {size} neighbours or more")
            )
        of_others = [name for name in self.not_assessed if name not in self.group_sizes]
        if of_others:
            why = "outsiders may know them, and they are no numbers that means could replace"
            steps.append(({"method": "drop_column", "columns": of_others}, why))
        return tuple(ConfigChange.to(("treatment", "steps"), step, why, is_added=True) for step, why in steps)

    def words(self, people: str) -> Iterator[str]:
        """Who of the ``people`` is alone by them."""
        if self.treated_without_a_role:
            yield (
                "Outsiders may know, treated and without a role in the config: "
                f"{_with_kinds(self.treated_without_a_role)}. With these as they are released "
                f"{count_in_sentence(self.people_alone_with_treated)} of {people} are alone; name them among the "
                "quasi-identifiers where outsiders can compare what is left of them, as they can a rounded number."
            )
        if not self.not_assessed:
            yield (
                "By the names of the columns, the config treats, assesses or declares whatever outsiders may know "
                "(ages, dates, places, occupations, events, body measures); names are all that was looked at."
            )
            return
        yield (
            f"Outsiders may know, and the config neither treats nor declares: {_with_kinds(self.not_assessed)}. By "
            f"the quasi-identifiers and these together {count_in_sentence(self.people_alone)} of {people} are alone, "
            f"by the quasi-identifiers without them {self.people_alone_by_quasi_identifiers}."
        )
        if self.smallest_sets:
            sets = [f"{one.names}: {count_text(one.people_alone)}" for one in self.smallest_sets]
            yield f"The smallest sets of these by which somebody is alone, and how many are: {'; '.join(sets)}."


@dataclass(frozen=True)
class SingledOut(ReleaseFinding):
    """The people alone by one released column, and by those together that outsiders may know."""

    people: int
    near_ids: Mapping[str, int | None]
    outsiders: KnownOutside
    harmless: Mapping[str, str]

    def words(self) -> Iterator[str]:
        """Besides the quasi-identifiers: who is alone by other columns, and who can know these."""
        people = people_text(self.people)
        if len(self.near_ids) > MOST_NAMED:
            names = listed(self.near_ids, at_most=MOST_NAMED)
            yield f"Nearly ids, by each of which half of {people} or more are alone: {names}."
        for name, n in self.near_ids.items() if len(self.near_ids) <= MOST_NAMED else ():
            yield f"{name} is nearly an id: by it alone {count_in_sentence(n)} of {people} are alone."
        yield WHO_HOLDS_MEASUREMENTS
        yield from self.outsiders.words(people)
        for name, why in self.harmless.items():
            yield f"Declared harmless in the config: {name} ({why})."

    def reasons(self) -> Iterator[Reason]:
        """A reason to hold if people are alone by columns that outsiders may know and nobody assessed."""
        outsiders = self.outsiders
        if outsiders.people_alone_besides == 0:
            return
        smallest = ""
        if outsiders.smallest_sets:
            best = outsiders.smallest_sets[0]
            smallest = f"; by {best.names} alone: {count_in_sentence(best.people_alone)}"
        n_alone = count_in_sentence(outsiders.people_alone_besides)
        yield Reason(
            Gravity.OUTSIDERS_CAN_SINGLE_OUT,
            f"{capitalised(n_alone)} of {people_text(self.people)} share their quasi-identifiers with others, but are "
            "alone by columns that outsiders may know and that the config neither treats nor declares: "
            f"{_with_kinds(outsiders.not_assessed)}{smallest}.",
            'or name them among the quasi-identifiers, or state under "treatment", "harmless" why nobody outside knows '
            "them (docs/treatment.md)",
            outsiders.treatments,
        )


def _with_kinds(columns: Mapping[str, str]) -> str:
    return ", ".join(f"{name} ({kind})" for name, kind in columns.items())


# ---------------------------------------------------------------- the search


def singled_out(leaving: Leaving) -> FindingTold:
    """The people alone by one released column, and by those together that outsiders may know."""
    ids, n_people = leaving.near_ids(), leaving.n_people
    outsiders = _outsiders(leaving)

    def told(policy: Policy) -> SingledOut:
        known, beside = outsiders(policy)
        return SingledOut(
            people=n_people,
            near_ids={name: _Alone(frozenset([name]), n).told(policy, n_people, beside) for name, n in ids.items()},
            outsiders=known,
            harmless={name: why for name, why in leaving.harmless.items() if name in leaving.released_names},
        )

    return told


def _group_size(column: WhatBecame, k: int) -> int | None:
    """How many neighbours of a column of numbers become one value: K, or enough for three different values of today.

    None where it is no column of numbers, or has too few different ones.
    """
    values = pd.Series(dtype="str") if column.before is None else column.before.dropna()
    n_values, n_distinct = column.n_original, values.nunique()
    if n_distinct < FEWEST_NUMBERS or np.isnan(parse_numbers(values.astype("str"))).any():
        return None
    return max(k, -(-VALUES_OF_A_GROUP * n_values // n_distinct))


def _smallest_sets(leaving: Leaving, assessed: Sequence[str], others: Collection[str]) -> dict[tuple[str, ...], int]:
    """The fewest columns by which somebody is alone, at most three and one of them among the ``others``; how many are.

    Those by which most people are alone come first.
    """
    most = min(MOST_SETS, MOST_WORK // max(leaving.n_people, 1))
    for size in (1, 2, 3):
        sets = (one for one in itertools.combinations([*assessed, *others], size) if not {*others}.isdisjoint(one))
        alone = {one: n for one in itertools.islice(sets, most) if (n := leaving.n_alone(one))}
        if alone:
            return {one: alone[one] for one in sorted(alone, key=lambda one: -alone[one])[:N_LISTED]}
    return {}


def _outsiders(leaving: Leaving) -> Callable[[Policy], tuple[KnownOutside, list[_Alone]]]:
    """Columns that outsiders may know and nobody treated, assessed or declared, and who is alone by them besides k."""
    known, least = leaving.outsiders_know(leaving.without_a_role), max(leaving.before.config.K, 2)
    undeclared = {name: kind for name, kind in known.items() if name not in leaving.harmless}
    open_columns = {name: kind for name, kind in undeclared.items() if name in leaving.as_they_were}
    treated = {name: kind for name, kind in undeclared.items() if name not in open_columns}
    assessed = [name for name in leaving.quasi_identifiers if name in leaving.released_names]
    by_assessed = _Alone.by(assessed, leaving)  # a total of the pilot, as k is
    together = _Alone.by([*assessed, *open_columns], leaving)
    with_treated = _Alone.by([*assessed, *open_columns, *treated], leaving)
    told = [by_assessed, together, with_treated]
    smallest = _smallest_sets(leaving, assessed, open_columns) if together.n > by_assessed.n else {}
    group_sizes = {name: size for name in open_columns if (size := _group_size(leaving.became(name), least))}

    def for_reader(policy: Policy) -> tuple[KnownOutside, list[_Alone]]:
        found = KnownOutside(
            not_assessed=open_columns,
            quasi_identifiers=assessed,
            people_alone=together.told(policy, leaving.n_people, [by_assessed]),
            people_alone_by_quasi_identifiers=by_assessed.n,
            people_alone_besides=policy.told(together.n - by_assessed.n, leaving.n_people),
            smallest_sets=[
                SinglingColumns(list(names), _Alone(frozenset(names), n).told(policy, leaving.n_people, told))
                for names, n in smallest.items()
            ],
            treated_without_a_role=treated,
            people_alone_with_treated=with_treated.told(policy, leaving.n_people, [by_assessed, together]),
            group_sizes=group_sizes,
        )
        return found, told

    return for_reader
