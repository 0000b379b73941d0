"""Terms that stay although few people of a class have them: these people lose their quasi-identifiers instead.

A category that a study is read by, such as a reason to leave it, is often one of enough people in all and of few in
each class. Hiding what an outsider knows of these few people keeps the category; raising the term would take it away
from everybody. The people without quasi-identifiers are a class of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import pandas as pd

from disclosure_control.records.records import EncodedRecords
from disclosure_control.release.deidentify import ReleasedStudy
from disclosure_control.release.facts.facts import facts_known, rows_with_facts
from disclosure_control.release.people import RecodedColumn, ReleasePeople, labels
from disclosure_control.release.terms.rare_terms import terms_of_rows
from study.merge.subject_ids import SubjectIdRule
from study.models.coded_terms import term_ladders


@dataclass(frozen=True)
class Held:
    """Who has what (n_entries,), each once: ``people``, and ``things`` as numbers from 0 on.

    ``least`` (n_things,): as many people of a class have a thing, or nobody. ``NEVER``: nobody outside of the people
    who are hidden; these may be any number.
    """

    people: np.ndarray = field(repr=False)
    things: np.ndarray = field(repr=False)
    least: np.ndarray

    @classmethod
    def of(cls, people: np.ndarray, things: np.ndarray, at_least: int) -> Held:
        """The same ``at_least`` of all things."""
        return cls(people, things, np.full(int(things.max(initial=-1)) + 1, at_least))

    def and_also(self, other: Held) -> Held:
        """What is held here and there."""
        return Held(
            np.append(self.people, other.people),
            np.append(self.things, other.things + len(self.least)),
            np.append(self.least, other.least),
        )


NEVER = np.iinfo(np.int64).max
NOTHING_HELD = Held(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))


def people_to_hide(classes: np.ndarray, held: Held, k: int, numbers: np.ndarray) -> np.ndarray:
    """Who (n_people,) loses the class, so that each class has the least number of people with a thing, or none.

    ``classes`` (n_people,) from 0 on, -1 for people who do not leave; every class keeps ``k`` people or none.
    ``numbers`` (n_people,) say who comes first where it does not matter. The people who lose their class are one class,
    of which the same holds. What too few people have in all is not looked at. Others join them where they are too few:
    so many that people with one thing, which at most half of all people have, are at most half of the hidden ones.
    """
    stays = classes[held.people] >= 0
    n_people = np.bincount(held.things[stays], minlength=len(held.least))
    stays &= (n_people >= np.where(held.least == NEVER, 0, held.least))[held.things]
    everybody = np.flatnonzero(classes >= 0)
    of_all = Held(everybody, np.zeros(len(everybody), dtype=np.int64), np.array([k]))
    of_those_who_leave = replace(held, people=held.people[stays], things=held.things[stays])
    given = _HeldInClasses(classes, of_all.and_also(of_those_who_leave), numbers)
    hidden = np.zeros(len(classes), dtype=bool)
    while True:
        fresh = given.of_few(hidden)
        if not len(fresh):
            fresh = given.lacking(hidden)
        if not len(fresh):
            return hidden
        hidden[fresh] = True


@dataclass(frozen=True)
class _HeldInClasses:
    """What people have beside their class; the first thing is what everybody has."""

    classes: np.ndarray = field(repr=False)
    held: Held
    numbers: np.ndarray = field(repr=False)

    @cached_property
    def of_all(self) -> np.ndarray:
        """How many people have each thing (n_things,)."""
        return self._counted(np.ones(len(self.classes), dtype=bool))

    def _counted(self, who: np.ndarray) -> np.ndarray:
        return np.bincount(self.held.things[who[self.held.people]], minlength=len(self.held.least))

    def of_few(self, hidden: np.ndarray) -> np.ndarray:
        """The people with a thing that too few of their class have, of those who are not hidden."""
        people, things = self.held.people, self.held.things
        shown = ~hidden[people]
        cell = self.classes[people] * len(self.held.least) + things
        n_people = np.bincount(cell[shown], minlength=int(cell.max(initial=0)) + 1)
        found: np.ndarray = np.unique(people[shown & (n_people[cell] < self.held.least[things])])
        return found

    def lacking(self, hidden: np.ndarray) -> np.ndarray:
        """People who have to join the hidden ones: with a thing that too few of these have, or beside one of most."""
        n_hidden, least = self._counted(hidden), self.held.least
        lacks = np.flatnonzero((n_hidden > 0) & (n_hidden < least) & (least < NEVER))
        lacks = lacks[lacks > 0]
        if len(lacks):
            return self._first_of(hidden, int(lacks[0]), int(least[lacks[0]] - n_hidden[lacks[0]]))
        if not n_hidden[0]:
            return np.zeros(0, dtype=np.int64)
        is_said_of_few = 2 * self.of_all <= self.of_all[0]
        n_wanted = max(int(least[0]), 2 * int(n_hidden[is_said_of_few].max(initial=0))) - int(n_hidden[0])
        commonest = 1 + int(self.of_all[1:].argmax()) if len(self.of_all) > 1 else 0
        found = self._first_of(hidden, commonest, n_wanted)
        return found if len(found) else self._first_of(hidden, 0, n_wanted)

    def _first_of(self, hidden: np.ndarray, thing: int, n_wanted: int) -> np.ndarray:
        """So many people with a thing of the class that has most of them, or all of them if too few would be left."""
        others = self.held.people[(self.held.things == thing) & ~hidden[self.held.people]]
        if n_wanted <= 0 or not len(others):
            return others[:0]
        of_class = np.bincount(self.classes[others])
        inside = others[self.classes[others] == of_class.argmax()]
        few_left = len(inside) - n_wanted < self.held.least[thing]
        return inside if few_left else inside[np.argsort(self.numbers[inside])][:n_wanted]


def terms_held(released: ReleasedStudy, domains: Sequence[str], at_least: int) -> Held:
    """Who has which term of these domains, at the finest level that is released.

    Terms of fewer people in all are one: they are raised or hidden together, which needs the fewest others if these
    people are one class.
    """
    held = NOTHING_HELD
    wanted = {one.upper() for one in domains}
    for name, file in released.files.items():
        domain = released.model.domain(name)
        for ladder in term_ladders(domain, released.model.table(name), map(str, file.columns)):
            if domain.upper() not in wanted or not ladder.levels:
                continue
            codes, distinct = pd.factorize(terms_of_rows(file.frame, ladder, ladder.levels[0]))
            has_term = (codes >= 0) & (file.people >= 0)
            people, terms = np.unique(np.stack([file.people[has_term], codes[has_term]]), axis=1)
            n_people = np.bincount(terms, minlength=len(distinct))
            rest = len(distinct)
            of_few = n_people[terms] < at_least
            terms = np.where(of_few, rest, terms)
            n_rest = len(np.unique(people[of_few]))
            least = np.full(rest + 1, at_least)
            least[rest] = at_least if n_rest >= at_least else NEVER
            people, terms = np.unique(np.stack([people, terms]), axis=1)
            held = held.and_also(Held(people, terms, least))
    return held


def facts_held(released: ReleasedStudy, people: ReleasePeople, column: str | None, kinds: Sequence[str]) -> Held:
    """Who has which fact of these kinds, of which nobody may be alone in a class with one."""
    if not kinds or column is None:
        return NOTHING_HELD
    rule, model = SubjectIdRule(column=column), released.model
    tables = {name: replace(file.source.table, frame=file.frame) for name, file in released.files.items()}
    rows = rows_with_facts(tables, model, rule, kinds, None)
    opened = {name: found for name, found in rows.items() if found is not None}
    facts, _ = facts_known(opened, people.pseudonyms, rule, kinds, model)
    return Held.of(facts.people, facts.facts, 2)


def alone_in_all(held: Held, stays: np.ndarray) -> np.ndarray:
    """Who (n_people,) of those who stay is the only one with a thing: no class would hide such a person."""
    alone = np.zeros(len(stays), dtype=bool)
    there = stays[held.people]
    people, things = held.people[there], held.things[there]
    alone[people[np.bincount(things, minlength=len(held.least))[things] < 2]] = True
    return alone


def without_quasi_identifiers(
    people: ReleasePeople, hidden: np.ndarray, original: EncodedRecords, names: Sequence[str]
) -> ReleasePeople:
    """The people, of whom the ``hidden`` ones (n_people,) leave without the quasi-identifiers of these ``names``."""
    recoded: dict[str, RecodedColumn] = dict(people.recoded)
    emptied = []
    for name in names:
        column, known = original.columns.get(name), recoded.get(name)
        if known is None and column is not None:
            before = labels(column.values)[column.places()]
            after = before.copy()
            after[~people.stays] = None
            known = RecodedColumn(name, before, after)
        if known is not None and known.released is not None:
            recoded[name] = replace(known, released=np.where(hidden, np.array(None, dtype=object), known.released))
            emptied.append(name)
    return replace(people, recoded=recoded, n_hidden=int(hidden.sum()), hidden_columns=tuple(emptied))
