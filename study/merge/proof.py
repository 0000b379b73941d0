"""Who is a person, proved: the ids of every table against those of the others, and what the rows of one id say.

Two tables without ids in common would be merged as two groups of people, each without the values of the other one, and
two people under one id as one. Neither shows in the counts of rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from disclosure_control.basics.telling.small_counts import people_on_screen
from disclosure_control.basics.telling.words import listed
from study.formats.messages import Note, all_files_setting
from study.formats.tables import SourceTable, Through
from study.merge.state import MergeState
from study.merge.through import KnownPeople, way_to_person, with_person_of_key
from study.models.role_words import role_of_heading
from study.models.roles import Role, TableKind

FEW = 0.5  # of the people of the smaller side: tables that share fewer do not name the same people
FEWEST = 5  # people of a table that are compared
NEARLY_ALL = 0.95  # of people with one row make a table of people
# What is the same in all rows of a person, and what is so in a table of people.
_NEVER_CHANGES = (Role.SEX, Role.BIRTH, Role.BIRTH_YEAR)
_ONCE_IN_A_ROW = (*_NEVER_CHANGES, Role.AGE, Role.ARM, Role.ORIGIN)


def prove_people(
    members: Mapping[str, Sequence[SourceTable]], person: Mapping[str, np.ndarray], n_people: int, state: MergeState
) -> None:
    """Count, report and question: ``person`` has the place of each row's person by file, -1 for nobody."""
    _prove_ids(members, person, n_people, state)
    for domain, tables in members.items():
        for table in tables:
            _prove_rows(domain, table, person[table.file_name], state)


# ---------------------------------------------------------------- ids of tables


def _prove_ids(
    members: Mapping[str, Sequence[SourceTable]], person: Mapping[str, np.ndarray], n_people: int, state: MergeState
) -> None:
    """Count the people of each table whom no other table has, where no table has to list all of them."""
    if state.model.base is not None or len(members) < 2:
        return
    own = {domain: _people_of(tables, person, n_people) for domain, tables in members.items()}
    n_tables = _n_tables(own.values(), n_people)
    compared = {domain: one for domain, one in own.items() if domain not in state.settings.other_people}
    n_compared = _n_tables(compared.values(), n_people)
    apart: dict[str, tuple[int, int, int]] = {}
    for domain, is_there in own.items():
        state.count(domain, people_only_here=int((n_tables[is_there] == 1).sum()))
        n_own, n_others = int(is_there.sum()), int((n_compared > is_there).sum())
        n_shared = int((n_compared[is_there] > 1).sum())
        is_apart = min(n_own, n_others) >= FEWEST and n_shared < FEW * min(n_own, n_others)
        if domain in compared and (is_apart or _named_by_a_key(domain, members, state)):
            apart[domain] = (n_own, n_others, n_shared)
    ways = {domain: _way(domain, members, state) for domain in apart}
    if len(apart) > 1:  # of two that differ, one is named: that with a way, or the smaller one
        most = max(apart, key=lambda domain: (ways[domain] is None, apart[domain][0]))
        del apart[most]
    state.faults += [_fault_of_few_shared(domain, counts, ways[domain], state) for domain, counts in apart.items()]


def _n_tables(people: Iterable[np.ndarray], n_people: int) -> np.ndarray:
    """How many of the tables each person (n_people,) is in, from who is in each."""
    found = np.zeros(n_people, dtype=np.int32)
    for is_there in people:
        found += is_there
    return found


def _people_of(tables: Sequence[SourceTable], person: Mapping[str, np.ndarray], n_people: int) -> np.ndarray:
    is_there = np.zeros(n_people, dtype=bool)
    for table in tables:
        places = person[table.file_name]
        is_there[places[places >= 0]] = True
    return is_there


def _called_in_its_file(domain: str, state: MergeState) -> str:
    """The column of a table that the config takes for its person."""
    options = state.settings.files.get(domain)
    return (options.person_column if options is not None else None) or state.rule.column or ""


def _rows_as_filed(domain: str, members: Mapping[str, Sequence[SourceTable]], state: MergeState) -> pd.DataFrame:
    column = state.rule.column or ""
    return members[domain][0].frame.rename(columns={column: _called_in_its_file(domain, state)})


def _way(domain: str, members: Mapping[str, Sequence[SourceTable]], state: MergeState) -> Through | None:
    """The key of another table by which it says whose the rows of this one are."""
    column = state.rule.column or ""
    others = {
        name: KnownPeople(tables[0].frame, column)
        for name, tables in members.items()
        if name != domain and column in tables[0].frame
    }
    return way_to_person(_rows_as_filed(domain, members, state), others)


def _named_by_a_key(domain: str, members: Mapping[str, Sequence[SourceTable]], state: MergeState) -> bool:
    """Whether the config takes a column for the person of which another table says that it is a person's stay."""
    named = _called_in_its_file(domain, state)
    if named == state.rule.column or (way := _way(domain, members, state)) is None or way.key != named:
        return False
    rows = _rows_as_filed(domain, members, state)
    joined = with_person_of_key(rows, KnownPeople(members[way.through][0].frame, state.rule.column or ""), named)
    return bool((joined[named].astype("str") != joined[state.rule.column].astype("str")).any())


def _fault_of_few_shared(domain: str, counts: tuple[int, int, int], way: Through | None, state: MergeState) -> str:
    n_own, n_others, n_shared = counts
    named = _called_in_its_file(domain, state)
    if way is not None:
        setting = all_files_setting("files", {domain: {"person": {"through": way.through, "key": way.key}}})
        how = f"each of its {way.key!r} belongs to one person of {way.through}: join them by {setting}"
    else:
        setting = all_files_setting("files", {domain: {"person": "..."}})
        how = f"name another column by {setting}, or make the spellings equal by a subject_id rule"
    return (
        f"{domain}: {people_on_screen(n_shared)} of its {n_own:,} people are among the {n_others:,} of the other "
        f"tables, by {named!r}, so the tables seem to name different things; {how}. If "
        f"they are other people, write {all_files_setting('files', {domain: {'person': {'others': named}}})}"
    )


# ---------------------------------------------------------------- rows of one id


def _prove_rows(domain: str, table: SourceTable, person: np.ndarray, state: MergeState) -> None:
    """Report people whose rows contradict each other in what does not change; a fault where nearly all have one row."""
    known = person >= 0
    if len(person) != table.n_rows or len(table.frame) != table.n_rows or not known.any():
        return  # on disk, where ids are read and not rows
    n_rows = np.bincount(person[known])
    n_people, n_several = int((n_rows > 0).sum()), int((n_rows > 1).sum())
    if not n_several:
        return
    is_of_people = n_several <= (1 - NEARLY_ALL) * n_people
    model = state.model.tables[domain]
    if model.kind not in (TableKind.PEOPLE, TableKind.ROWS) and not is_of_people:
        return
    contradicted: dict[str, np.ndarray] = {}
    roles = _ONCE_IN_A_ROW if is_of_people else _NEVER_CHANGES
    for name in map(str, table.frame.columns):
        # A heading is asked first where there are many rows: values are costly.
        if name == state.rule.column or not (is_of_people or _heading_says(name, roles)):
            continue
        column = model.columns.get(name)
        role = column.role if column is not None else None
        if role in roles:
            found = contradicting(table.frame[name], person, least=2.0 if role is Role.AGE else 0.0)
            contradicted |= {name: found} if len(found) else {}
    if not contradicted:
        return
    n = len(np.unique(np.concatenate(list(contradicted.values()))))
    columns = listed(contradicted, at_most=4)
    state.count(domain, people_whose_rows_contradict=n)
    if is_of_people and domain not in state.settings.several_rows:
        state.faults.append(
            f"{table.file_name}: {people_on_screen(n)} of {n_people:,} ids have rows that differ in {columns}, and "
            "nearly all others have one row: one id may be typed for two people. Correct the ids, or take one row of "
            f"each by {all_files_setting('several_rows', {domain: 'last'})}"
        )
        return
    words = "{} people have rows that differ in {}: is one id that of two people?"
    state.notes.append(Note.of(lambda told: f"{domain}: {words.format(told(n), columns)}"))


def _heading_says(name: str, roles: Sequence[Role]) -> bool:
    says = role_of_heading(name)
    return says is not None and says.role in roles


def contradicting(values: pd.Series, person: np.ndarray, least: float = 0.0) -> np.ndarray:
    """The people (n,) with different values in their rows; of numbers by at least so much. Missing ones say nothing."""
    rows = np.flatnonzero(values.notna().to_numpy() & (person >= 0))
    if least:
        numbers = pd.to_numeric(values.iloc[rows], errors="coerce").groupby(person[rows])
        span: Any = numbers.max() - numbers.min()
        return np.asarray(span.index[span >= least])
    codes, _ = pd.factorize(values.iloc[rows])
    order = np.lexsort((codes, person[rows]))
    people, codes = person[rows][order], codes[order]
    differs = (people[1:] == people[:-1]) & (codes[1:] != codes[:-1])
    return np.unique(people[1:][differs])
