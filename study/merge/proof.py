"""Who is a person, proved: the ids of every table against those of the others, and what the rows of one id say.

Two tables without ids in common would be merged as two groups of people, each without the values of the other one, and
two people under one id as one. Neither shows in the counts of rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from pandas.util import hash_pandas_object

from disclosure_control.basics.telling.small_counts import people_on_screen
from disclosure_control.basics.telling.words import listed
from study.formats.messages import Note, all_files_setting
from study.formats.tables import SourceTable, Through
from study.merge.parts import ColumnOfPeople, Domain, DomainPart
from study.merge.people import KnownPeople, how_to_join, way_to_person, with_person_of_key
from study.merge.state import MergeState
from study.models.role_words import role_of_heading
from study.models.roles import Role, TableKind
from study.words import words_of_the_pilots

FEW = 0.5  # of the people of the smaller side: tables that share fewer do not name the same people
_BETWEEN_DIGITS = r"(?<=\d)[\W_]+(?=\d)"  # site and number: 1-11 is not 11-1
_NOT_SPOKEN = r"(?<!\d)[\W_]+|[\W_]+(?!\d)|(?<!\d)0+(?=\d)"
_MOST_TYPED = 100_000  # ids among which those of trials are looked for
_FEWEST_COLUMNS = 2  # of two tables whose rows are compared, and more
FEWEST = 5  # people of a table that are compared
NEARLY_ALL = 0.95  # of people with one row make a table of people
_YEARS_APART = 2.0  # of ages and births, which are of two people then
# What is the same in all rows of a person, and what is so in a table of people.
_NEVER_CHANGES = (Role.SEX, Role.BIRTH, Role.BIRTH_YEAR)
_ONCE_IN_A_ROW = (*_NEVER_CHANGES, Role.AGE, Role.ARM, Role.ORIGIN)


# ---------------------------------------------------------------- ids of tables


def prove_people(
    members: Mapping[str, Sequence[SourceTable]], person: Mapping[str, np.ndarray], ids: pd.Index, state: MergeState
) -> None:
    """Count the people of each table whom no other table has, where no table has to list all of them.

    ``person`` has the place of each row's person in ``ids`` by file, -1 for nobody.
    """
    if state.model.base is not None or len(members) < 2:
        return
    own = {domain: _people_of(tables, person, len(ids)) for domain, tables in members.items()}
    compared = own.keys() - state.settings.other_people
    nobody = np.zeros(len(ids), dtype=np.int32)
    # How many of the tables each person (n_people,) is in.
    n_tables = sum(own.values(), nobody)
    n_compared = sum((own[domain] for domain in compared), nobody)
    apart: dict[str, tuple[int, int, int]] = {}
    for domain, is_there in own.items():
        state.count(domain, people_only_here=int((n_tables[is_there] == 1).sum()))
        n_own, n_others = int(is_there.sum()), int((n_compared > is_there).sum())
        n_shared = int((n_compared[is_there] > 1).sum())
        is_apart = min(n_own, n_others) >= FEWEST and n_shared < FEW * min(n_own, n_others)
        if domain in compared and (is_apart or _named_by_a_key(domain, members, state)):
            apart[domain] = (n_own, n_others, n_shared)
    state.notes += _note_on_spellings(ids.astype("str"), n_tables == 1)
    ways = {domain: _way(domain, members, state) for domain in apart}
    if len(apart) > 1:  # of two that differ, one is named: that with a way, or the smaller one
        most = max(apart, key=lambda domain: (ways[domain] is None, apart[domain][0]))
        del apart[most]
    state.faults += [_fault_of_few_shared(domain, counts, ways[domain], state) for domain, counts in apart.items()]


def _note_on_spellings(ids: pd.Index, is_alone: np.ndarray) -> list[str]:
    """A note on ids of one table alone that are the same in capitals and without leading zeros: P07, p07, P7.

    It has a rule where this makes these ids equal and no others.
    """
    capitals = ids.str.upper()
    spelled = capitals[is_alone].str.replace(_BETWEEN_DIGITS, "-", regex=True).str.replace(_NOT_SPOKEN, "", regex=True)
    n = int(spelled.duplicated(keep=False).sum())
    words = (
        "ids are in one table alone and differ in letter case, signs or leading zeros alone: are they the same people?"
    )
    are_equal = capitals.nunique() == len(ids) - spelled.duplicated().sum()
    are_equal &= capitals[is_alone].nunique() == spelled.nunique()
    rule = ' by a rule: "subject_id": {"case": "upper"}' if are_equal else " in the source"
    return [_counted(n, f"{words} If so, make their spellings equal{rule}")] if n else []


def _people_of(tables: Sequence[SourceTable], person: Mapping[str, np.ndarray], n_people: int) -> np.ndarray:
    places = np.concatenate([person[table.file_name] for table in tables])
    return np.bincount(places[places >= 0], minlength=n_people) > 0


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
        how = how_to_join(domain, way)
    else:
        setting = all_files_setting("files", {domain: {"person": "..."}})
        how = f"name another column by {setting}, or make the spellings equal by a subject_id rule"
    return (
        f"{domain}: {people_on_screen(n_shared)} of its {n_own:,} people are among the {n_others:,} of the other "
        f"tables, by {named!r}, so the tables seem to name different things; {how}. If "
        f"they are other people, write {all_files_setting('files', {domain: {'person': {'others': named}}})}"
    )


# ---------------------------------------------------------------- what tables and ids may be instead


def questions_of_tables(members: Mapping[str, Sequence[SourceTable]], ids: pd.Index, state: MergeState) -> list[str]:
    """Notes that ask: an earlier export beside a later one, ids alone, and ids that stand for no patient."""
    person = state.rule.column
    of_files = {domain: [frozenset(one.frame) for one in tables] for domain, tables in members.items()}
    columns = {domain: one[0] for domain, one in of_files.items() if person in one[0] and len(set(one)) == 1}
    notes = [
        f"{domain}: it has ids alone, so that no column tells that a person is in it; if that means something, give it "
        "a column that says so"
        for domain, names in columns.items()
        if len(names) == 1 and len(members) > 1
    ]
    for one, other in combinations((domain for domain, names in columns.items() if len(names) > _FEWEST_COLUMNS), 2):
        if columns[one] == columns[other]:
            notes += _note_on_two_exports(one, other, members)
    return notes + _note_on_trials(ids)


def _note_on_two_exports(one: str, other: str, members: Mapping[str, Sequence[SourceTable]]) -> list[str]:
    """A question where most rows of the smaller of two tables are in the other one as they are."""
    smaller, larger = sorted((one, other), key=lambda name: (sum(one.n_rows for one in members[name]), -len(name)))
    names = sorted(map(str, members[one][0].frame))
    rows, others = (
        np.concatenate([hash_pandas_object(table.frame[names].astype("str"), index=False) for table in members[domain]])
        for domain in (smaller, larger)
    )
    n_same = int(np.isin(rows, others).sum())
    if n_same < max(FEWEST, FEW * len(rows)):
        return []
    asked = (
        f"rows are in {larger} as they are: is it an earlier export of the same table? If so, leave it out by "
        f"{all_files_setting('ignore', [smaller])}"
    )
    return [Note.of(lambda told: f"{smaller}: {told(n_same)} of its {told(len(rows))} {asked}")]


def _note_on_trials(ids: pd.Index) -> list[str]:
    """A question where few ids have a word for a trial of the system in them, and the others none."""
    if len(ids) > _MOST_TYPED:
        return []
    texts = ids.astype("str")
    form = rf"(?i)(?:^|[\W\d_])(?:{'|'.join(words_of_the_pilots()['trials'])})(?:$|[\W\d_])"
    n, words = int(texts.str.contains(form).sum()), "ids have a word such as TEST or DEMO in them"
    are_few = 0 < n <= (1 - NEARLY_ALL) * len(ids) and texts.str.contains(r"\d").mean() >= NEARLY_ALL
    return [_counted(n, f"{words}: if they are no people, take their rows out of the files")] if are_few else []


# ---------------------------------------------------------------- rows of one id


class ColumnsProof:
    """Of the sexes and births in several tables, part by part: how many people have another one in another table.

    They are compared in people with both. Where each column of sexes has a code that the other one lacks, the tables
    have other codes: M and W are no M and F. Where the codes are the same, ids that mean other people make half of them
    differ. Births differ by their years, as ages do; where most differ, they are those of mothers and of children.
    """

    def __init__(self, domains: Sequence[Domain]) -> None:
        self._roles = {
            f"{domain.name}__{name}": column.role
            for domain in domains
            for name, column in domain.model.columns.items()
            if column.role in (Role.SEX, Role.BIRTH) and _heading_says(name, (column.role,))
        }
        self._seen: dict[tuple[str, str], Counter[tuple[str, str]]] = {}

    def add(self, columns: Mapping[str, ColumnOfPeople]) -> None:
        """Count the people of a part, by the ``columns`` of the combined dataset (n_people,)."""
        texts = {name: pd.Series(columns[name], dtype="str").array for name in self._roles if name in columns}
        for one, other in combinations(texts, 2):
            if self._roles[one] is self._roles[other]:
                both = pd.DataFrame({"one": texts[one], "other": texts[other]}).dropna()
                if self._roles[one] is Role.BIRTH:  # no birth is kept: whether years are two apart, or more
                    years = both.apply(lambda births: pd.to_numeric(births.str[:4], errors="coerce"))
                    differ = (years["one"] - years["other"]).abs() >= _YEARS_APART
                    both = pd.DataFrame({"one": "same", "other": np.where(differ, "another", "same")})
                people = both.value_counts().to_dict()
                self._seen.setdefault((one, other), Counter()).update(people)  # type: ignore[arg-type]

    def notes(self) -> Iterator[str]:
        """A question for each two columns that contradict each other."""
        for (one, other), people in self._seen.items():
            first, second = ({pair[i] for pair in people} for i in (0, 1))
            n = sum(n for pair, n in people.items() if pair[0] != pair[1])
            is_of_mothers = self._roles[one] is Role.BIRTH and n > FEW * people.total()
            if n and (first <= second or second <= first) and not is_of_mothers:
                words = (
                    f"people have another value in {one} than in {other}: do both tables mean the same people by an id?"
                )
                yield _counted(n, words)


def _counted(n: int, words: str) -> Note:
    return Note.of(lambda told: f"{told(n)} {words}")


class RowsProof:
    """Of a domain whose rows come in parts: people whose rows contradict each other in what does not change.

    ``n_people_of_pilot`` bounds how many people the domain has, before all its parts were seen.
    """

    def __init__(self, domain: Domain, n_people_of_pilot: int) -> None:
        self._domain, self._n_most = domain, n_people_of_pilot
        self._n_people = self._n_several = self._n_of_parts = 0
        # By column, the people of each part whose rows contradict each other, by their places among all.
        self._contradicting: dict[str, list[np.ndarray]] = {}

    def add(self, part: DomainPart) -> None:
        """Look at the people of a part."""
        n_rows = np.bincount(part.subject)
        self._n_people += int((n_rows > 0).sum())
        self._n_several += int((n_rows > 1).sum())
        may_be_of_people = self._may_be_of_people(self._n_most)
        if (n_rows > 1).any() and (may_be_of_people or self._is_asked):
            for name in map(str, part.frame.columns):
                if self._is_compared(name, may_be_of_people):
                    least = _YEARS_APART if self._domain.model.columns[name].role is Role.AGE else 0.0
                    people = contradicting(part.frame[name], part.subject, least)
                    self._contradicting.setdefault(name, []).append(people + self._n_of_parts)
        self._n_of_parts += part.n_subjects

    def report(self, state: MergeState) -> None:
        """A fault where nearly all people have one row, and else a note for the controller."""
        is_of_people, name = self._may_be_of_people(self._n_people), self._domain.name
        found = {
            column: np.concatenate(self._contradicting[column])
            for column in self._domain.columns
            if column in self._contradicting and self._is_compared(column, is_of_people)
        }
        n = len(np.unique(np.concatenate([*found.values(), np.zeros(0)])))
        if not n or not (is_of_people or self._is_asked):
            return
        columns = listed((column for column, people in found.items() if len(people)), at_most=4)
        state.count(name, people_whose_rows_contradict=n)
        if is_of_people and name not in state.settings.several_rows:
            state.faults.append(
                f"{name}: {people_on_screen(n)} of {self._n_people:,} ids have rows that differ in {columns}, and "
                "nearly all others have one row: one id may be typed for two people. Correct the ids, or take one row "
                f"of each by {all_files_setting('several_rows', {name: 'last'})}"
            )
            return
        words = "{} people have rows that differ in {}: is one id that of two people?"
        state.notes.append(Note.of(lambda told: f"{name}: {words.format(told(n), columns)}"))

    @property
    def _is_asked(self) -> bool:
        return self._domain.model.kind in (TableKind.PEOPLE, TableKind.ROWS)

    def _may_be_of_people(self, n_people: int) -> bool:
        return self._n_several <= (1 - NEARLY_ALL) * n_people

    def _is_compared(self, name: str, is_of_people: bool) -> bool:
        """Whether a column does not change; in a table with many rows of people, its heading has to say so, too."""
        roles = _ONCE_IN_A_ROW if is_of_people else _NEVER_CHANGES
        if name == self._domain.id_column or not (is_of_people or _heading_says(name, roles)):  # values are costly
            return False
        column = self._domain.model.columns.get(name)
        return column is not None and column.role in roles


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
