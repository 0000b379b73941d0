"""Which column of a plain table names the person, by headings and values; where that is open, the fault says so.

A column is a strong candidate if what does not change in a person (the sex, the birth, the race) is the same in all
rows of each of its values, beyond chance. Codes of visits and cases are so, too: the coarsest division counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from disclosure_control.basics.telling.faults import FaultyInputError, stop_at
from disclosure_control.basics.telling.words import counted, listed
from study.concepts import names_a_measure, names_an_examination
from study.formats.tables import Through
from study.headings import is_number, names_subjects
from study.merge.people import KnownPeople, way_to_person, why_through, with_person_of_key
from study.models.flat import may_be_row_of_a_person
from study.models.role_words import (
    is_key,
    is_known_to_acquaintances,
    names_a_label,
    names_a_term,
    numbers_a_person,
    role_of_heading,
)
from study.models.roles import Role
from study.models.values_seen import RATIO, ValuesSeen

UNCHANGING = (Role.SEX, Role.BIRTH, Role.BIRTH_YEAR, Role.ORIGIN)
LEAST_PEOPLE = 5
CONSTANT = 0.95  # share of the values of which a column that does not change may have one value alone
BY_CHANCE = 1e-6  # a smaller probability is beyond chance, whatever the number of columns
SHARED = 0.8  # of the ids of the smaller of two tables


@dataclass(frozen=True)
class PersonColumn:
    """The column of a table that names the person, with the reason; ``review`` unless the heading says so.

    ``through``: the person is found by a key of another table, and ``name`` is the column there.
    """

    name: str
    reason: str
    review: bool
    through: Through | None = None


def strong_candidates(frame: pd.DataFrame) -> list[PersonColumn]:
    """The columns of which nobody else than a person can be the value, by what does not change in a person."""
    unchanging = [name for name in map(str, frame) if (says := role_of_heading(name)) and says.role in UNCHANGING]
    found = {
        name: group
        for name in sorted(_codes_that_repeat(frame), key=lambda name: (not is_key(name), name))
        if unchanging and _are_constant(frame, group := pd.factorize(frame[name])[0], unchanging)
    }
    coarsest: dict[str, np.ndarray] = {}
    for name, group in sorted(found.items(), key=lambda one: one[1].max()):  # of two codes of one person the first
        if not any(_divides(other, group) for other in coarsest.values()):
            coarsest[name] = group
    what = listed(unchanging, at_most=3)
    return [
        PersonColumn(name, f"codes that repeat, each with one value of {what}: it seems to name the person", True)
        for name in found
        if name in coarsest
    ]


def open_candidates(frame: pd.DataFrame) -> list[str]:
    """Columns of codes that repeat and may name the person, of which the values alone do not say so."""
    return [
        name
        for name in _codes_that_repeat(frame)
        if (not names_a_term(name) or numbers_a_person(name)) and (is_key(name) or not _are_plain_numbers(frame[name]))
    ]


def _codes_that_repeat(frame: pd.DataFrame) -> list[str]:
    """Columns of codes, complete, of which some occur in several rows, under headings that name nothing else.

    A heading that says no more than "code" may mean a person's, and so may a number that identifies people elsewhere.
    """
    found = []
    for name in map(str, frame):
        names_another_thing = (
            role_of_heading(name)
            or (names_a_term(name) and not is_number(name))
            or names_a_label(name)
            or is_known_to_acquaintances(name)
        )
        if names_another_thing and not numbers_a_person(name):
            continue
        counts = frame[name].value_counts(sort=False)
        is_complete = int(counts.sum()) == len(frame)
        if is_complete and LEAST_PEOPLE <= len(counts) < len(frame) and ValuesSeen.of_counts(counts).are_codes:
            found.append(name)
    return found


def _was_typed_twice(name: str, frame: pd.DataFrame) -> bool:
    """Whether few values of a column have several rows, and none is measured: ids of people, some typed twice."""
    n_rows = frame[name].value_counts(sort=False)
    is_measured = (
        *(names_a_measure(name), names_an_examination(name), not is_key(name) and _are_plain_numbers(frame[name])),
        ValuesSeen.of_counts(n_rows).share(RATIO) > 1 - CONSTANT,
    )
    return bool((n_rows > 1).mean() <= 1 - CONSTANT) and not any(is_measured)


def _are_plain_numbers(values: pd.Series) -> bool:
    """Whether values are numbers that may be measured: not all of one length, as codes of people often are."""
    seen = ValuesSeen.of_counts(values.value_counts(sort=False))
    return seen.is_numeric and not seen.have_one_length


def _are_constant(frame: pd.DataFrame, group: np.ndarray, unchanging: Sequence[str]) -> bool:
    """Whether each column has one value in all rows of nearly every group, and not by chance."""
    log_of_chance = 0.0
    for name in unchanging:
        code, distinct = pd.factorize(frame[name])
        known = code >= 0
        pairs = pd.DataFrame({"group": group[known], "code": code[known]})
        n_rows = pairs.groupby("group").size()
        several = n_rows[n_rows > 1]
        n_values = pairs.drop_duplicates().groupby("group").size()[several.index]
        if len(distinct) < 2 or len(several) < LEAST_PEOPLE:
            continue
        if float((n_values == 1).mean()) < CONSTANT:
            return False
        share = np.bincount(code[known]) / known.sum()
        by_chance = np.log(np.power.outer(share, several.to_numpy(dtype=float)).sum(axis=0))
        log_of_chance = min(log_of_chance, float(by_chance[(n_values == 1).to_numpy()].sum()))
    return log_of_chance < np.log(BY_CHANCE)


def _divides(coarse: np.ndarray, group: np.ndarray) -> bool:
    """Whether each group lies in one of the coarse ones."""
    return len(pd.DataFrame({"coarse": coarse, "group": group}).drop_duplicates()) == group.max() + 1


# ---------------------------------------------------------------- several tables


def person_of_each(tables: Mapping[str, pd.DataFrame], given: str = "") -> dict[str, PersonColumn]:
    """The column of each table that names the person: by its heading, by a key of another table, by its values, or by
    ids of other tables. ``given``: the column that a config names, in the tables that have it.

    Raises ``FaultyInputError`` with all tables that have none.
    """
    found: dict[str, PersonColumn | None] = {}
    for domain, frame in tables.items():
        named = [name for name in map(str, frame) if names_subjects(name) and frame[name].notna().all()]
        named = [given] if given in frame else named
        found[domain] = next((PersonColumn(name, "the heading names subjects", False) for name in named), None)
    _find_keys(tables, found)  # before values, by which a stay looks like a person
    for domain, frame in tables.items():
        found[domain] = found[domain] or next(iter(strong_candidates(frame)), None)
    if not any(found.values()):
        found |= {domain: _named_elsewhere(domain, tables) for domain in tables}
    _find_keys(tables, found)
    own = {domain: one for domain, one in found.items() if one and one.through is None}
    known = {text for domain, one in own.items() for text in _texts(tables[domain][one.name])}
    for domain, one in found.items():
        if one is None and known:
            found[domain] = _shared(tables[domain], known)
    _find_keys(tables, found)
    stop_at([fault_of_table_without_person(domain, tables[domain]) for domain, one in found.items() if one is None])
    return {domain: one for domain, one in found.items() if one is not None}


def _named_elsewhere(domain: str, tables: Mapping[str, pd.DataFrame]) -> PersonColumn | None:
    """Of a table with a sex or a birth the column in which each row has another code, which other tables have, too."""
    frame = tables[domain]
    if not any((says := role_of_heading(name)) and says.role in UNCHANGING for name in map(str, frame)):
        return None
    found = [
        name
        for name in map(str, frame)
        if role_of_heading(name) is None and frame[name].is_unique and frame[name].notna().all()
        for other in (one[name] for own, one in tables.items() if own != domain and name in one)
        if len(own := set(_texts(other))) >= LEAST_PEOPLE and len(own & set(_texts(frame[name]))) >= SHARED * len(own)
    ]
    why = "each row has a code of its own, and other tables have the same codes"
    return PersonColumn(found[0], why, True) if len(set(found)) == 1 else None


def _find_keys(tables: Mapping[str, pd.DataFrame], found: dict[str, PersonColumn | None]) -> None:
    """Add the tables whose person another table says by a key of both, each after that other one."""
    people: dict[str, KnownPeople] = {}
    for domain, one in found.items():
        if one is not None:
            frame = tables[domain]
            if one.through is not None:
                frame = with_person_of_key(frame, people[one.through.through], one.through.key)
            people[domain] = KnownPeople(frame, one.name)
    without = [domain for domain, one in found.items() if one is None]
    for domain in without:
        if (way := way_to_person(tables[domain], people)) is not None:
            reason = why_through(way)
            del found[domain]
            found[domain] = PersonColumn(people[way.through].person, reason, True, way)
            return _find_keys(tables, found)
    return None


def _shared(frame: pd.DataFrame, known: set[str]) -> PersonColumn | None:
    """The column of a table whose values are the ids of other tables."""
    shares = []
    for name in map(str, frame):
        if role_of_heading(name) and not is_key(name):
            continue
        own = set(_texts(frame[name]))
        n_least = min(len(own), len(known))
        if n_least >= LEAST_PEOPLE and frame[name].notna().all():
            shares.append((len(own & known) / n_least, is_key(name), name))
    best = max(shares, default=(0.0, False, ""))
    if best[0] < SHARED:
        return None
    return PersonColumn(best[2], f"its values are the people of the other tables ({best[0]:.0%} of them)", True)


def _texts(values: pd.Series) -> Iterator[str]:
    distinct = values.dropna().unique()
    return (f"{one:.15g}" if isinstance(one, float) else str(one).strip() for one in distinct)


def common_name(tables: Mapping[str, pd.DataFrame], found: Mapping[str, PersonColumn]) -> str:
    """The name under which all tables get their column: the most frequent that no table has for another column."""
    names = [one.name for one in found.values() if one.through is None]
    free = [
        name
        for name in dict.fromkeys(names)
        if not any(name in tables[domain] and (one.name != name or one.through) for domain, one in found.items())
    ]
    return max(free, key=lambda name: (names.count(name), names_subjects(name), name), default="person_id")


def person_of_one(domain: str, frame: pd.DataFrame) -> PersonColumn | None:
    """The column of a table alone that names the person by its values; None where its headings say, or its rows are
    people.

    Raises ``FaultyInputError`` where its rows seem to be no people, and it is open whose they are.
    """
    if any(names_subjects(name) and frame[name].notna().all() for name in map(str, frame)):
        return None
    strong = strong_candidates(frame)
    if len(strong) == 1:
        return strong[0]
    has_own = any(frame[name].notna().all() and frame[name].is_unique and is_key(name) for name in map(str, frame))
    nearly = [] if strong or has_own else [name for name in _codes_that_repeat(frame) if _was_typed_twice(name, frame)]
    if len(nearly) == 1:
        return PersonColumn(nearly[0], "nearly each of its values has one row; does it name the person?", True)
    may_repeat = may_be_row_of_a_person(list(map(str, frame)))
    candidates = [one.name for one in strong] or (open_candidates(frame) if may_repeat else [])
    if candidates or (may_repeat and not has_own):
        raise FaultyInputError([fault_of_open_person(domain, frame, candidates)])
    return None


# ---------------------------------------------------------------- faults


def fault_of_open_person(domain: str, frame: pd.DataFrame, candidates: Sequence[str]) -> str:
    """Rows that seem to be no people, and nothing that names the person for certain."""
    rows = counted(len(frame), "row")
    if gaps := next((name for name in map(str, frame) if names_subjects(name) and frame[name].isna().any()), None):
        return (
            f"{domain}: {gaps!r} names the person, but not in each of its {rows}. Write the id into every row, also "
            "into further ones of a person below the first"
        )
    if not candidates:
        return (
            f"{domain}: its {rows} seem to be visits, tests or events, and no column names their person. Add such a "
            'column to the file and name it by subject_id: {"column": "..."}; if each row is another person, '
            'write subject_id: {"column": None}'
        )
    example = f'subject_id: {{"column": "{candidates[0]}"}}'
    return (
        f"{domain}: its {rows} seem to be visits, tests or events, and it is not known whose. Columns that may name "
        f"the person: {listed(map(repr, candidates), at_most=8)}. Write into a config which one does, such as "
        f'{example}; if each row is another person, write subject_id: {{"column": None}}'
    )


def fault_of_table_without_person(domain: str, frame: pd.DataFrame) -> str:
    """A table beside others of which it is not known whose its rows are."""
    candidates = open_candidates(frame)
    named = f" Columns that may: {listed(map(repr, candidates), at_most=8)}." if candidates else ""
    return (
        f"{domain}: no column names the person of its {counted(len(frame), 'row')}, by heading or by ids of the other "
        f'tables.{named} Name it by merge: {{"files": {{"{domain}": {{"person": "..."}}}}}} and subject_id, or leave '
        f'the file out by merge: {{"ignore": ["{domain}"]}}'
    )
