"""Released files whose rows disclose a value that a step changed or removed: a term, a dose, a file for each site."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, starmap

import numpy as np
import pandas as pd

from disclosure_control.attack.answerers.levels import (
    ToldEntries,
    chance_within,
    told_by_membership,
    told_by_neighbours,
    told_by_the_known,
    told_near_median,
)
from disclosure_control.attack.answerers.one_column import CHANCE
from disclosure_control.attack.leaving import Leaving
from disclosure_control.attack.release_finding import FindingTold, ReleaseFinding
from disclosure_control.attack.tells.hidden_columns import LEAST_PEOPLE, HiddenColumn, hidden_in, places_of
from disclosure_control.attack.tells.summaries import RESULTS, SummariesOfFiles, Summary
from disclosure_control.attack.tells.telling import ToldByColumns
from disclosure_control.basics.encoding.columns import number_text
from disclosure_control.basics.settings.changes import ConfigChange
from disclosure_control.basics.telling.plain import NOT_IN_SUMMARY
from disclosure_control.basics.telling.reasons import Gravity, Reason
from disclosure_control.basics.telling.small_counts import (
    MASKED,
    Policy,
    count_in_sentence,
    count_text,
    people_told,
)
from disclosure_control.basics.telling.words import counted, listed, people_text

MOST_SAID = 3
LEAST_RELEASED = 20  # people with released values next to each other, where nearly everybody has an own one
LONGEST_TERM = 40


@dataclass(frozen=True)
class ToldByRows:
    """What rows of a file say, in words, and of which ``variable``; for how many people that is enough."""

    variable: str
    says: str
    people_told: int | None


@dataclass(frozen=True)
class ToldByFiles:
    """A column that rows of released files disclose: ``by`` which, and for how many of those who lost their value.

    ``is_declared``: the config says why all of these disclose nothing.
    """

    tells: str
    people_told: int | None
    people_changed: int | None
    by: Sequence[ToldByRows]
    changes: Sequence[ConfigChange] = field(default=(), metadata=NOT_IN_SUMMARY)
    is_declared: bool = field(default=False, metadata=NOT_IN_SUMMARY)
    is_sensitive: bool = field(default=False, metadata=NOT_IN_SUMMARY)

    @property
    def share(self) -> float:
        """The share of the people with a changed value, to whom it is disclosed."""
        return (self.people_told or 0) / max(self.people_changed or 0, 1)

    def for_reader(self, policy: Policy, leaving: Leaving, name: str) -> ToldByFiles:
        """The same with the counts that the reader may see; ``name`` is that of the column."""
        n_told, n_changed = self.people_told or 0, self.people_changed or 0
        return dataclasses.replace(
            self,
            people_told=leaving.told_of(policy, name, n_told, n_changed),
            people_changed=leaving.told_of(policy, name, n_changed),
            by=[
                dataclasses.replace(one, people_told=leaving.told_of(policy, name, one.people_told or 0))
                for one in self.by
            ],
        )

    @property
    def row(self) -> list[str]:
        """The finding as a row of the table of attempts."""
        return [self.tells, listed([one.says for one in self.by[:MOST_SAID]]), count_text(self.people_told), "", ""]

    def sentence(self, n_told: str) -> str:
        """Which rows disclose it, for ``n_told`` people."""
        by = [f"{one.says} (for {count_in_sentence(one.people_told, ',')})" for one in self.by[:MOST_SAID]]
        more = len(self.by) - MOST_SAID
        return (
            f"Rows in released files disclose the original {self.tells} for {n_told} of "
            f"{people_told(self.people_changed)} whose value was changed or dropped, by {'; by '.join(by)}"
            + (f"; and by {counted(more, 'further variable')}" if more > 0 else "")
        )


@dataclass(frozen=True)
class FilesThatTell(ReleaseFinding):
    """Columns that rows of released files disclose, and how many people and summaries of rows were examined."""

    people: int
    people_looked_at: int
    summaries: int
    told: Sequence[ToldByFiles] = ()
    not_read: Sequence[str] = ()

    def words(self) -> Iterator[str]:
        """Which rows disclose which column, for how many people, and what was not examined."""
        for one in self.told:
            yield f"{one.sentence(count_text(one.people_told))}."
        if 0 < self.people_looked_at < self.people:
            yield f"The rows of {self.people_looked_at:,} of {people_text(self.people, ',')} were searched for this."

    def reasons(self) -> Iterator[Reason]:
        """A reason to hold for each column that rows disclose."""
        for one in self.told:
            if not one.is_declared:
                sentence = f"{one.sentence(count_in_sentence(one.people_told))}."
                remedy = 'or state under "harmless" why they disclose nothing'
                if not one.changes:  # tests that the merge has several columns of, or none
                    remedy = f'name the columns of these tests under "merge", "drop": their rows stay here, {remedy}'
                changes = tuple(one.changes)
                yield Reason(Gravity.OUTSIDERS_CAN_SINGLE_OUT, sentence, remedy, changes, infers=one.is_sensitive)

    def not_looked_at(self) -> Iterator[str]:
        """Files whose rows were too many to search."""
        if self.not_read:
            yield f"Not looked at: whether rows of {listed(self.not_read)} disclose what was changed or dropped."


def files_that_tell(leaving: Leaving, merged: Sequence[ToldByColumns] = ()) -> tuple[FindingTold, dict[str, float]]:
    """Which rows of released files disclose the original of a column that was changed or dropped.

    Each column is searched in summaries of the rows of every file. What a quasi-identifier discloses is assessed with
    it, and what columns of the ``merged`` table disclose is reported there. Also returns for what share of
    the people each column is disclosed.
    """
    files = leaving.files
    if files is None:
        return lambda policy: ReleaseFinding(), {}  # no file leaves but the table itself
    rows = places_of(leaving, files.people)
    hidden = hidden_in(leaving, rows, files.dropped)
    search = _SearchOfRows(files, len(hidden))
    told: list[tuple[str, ToldByFiles]] = []
    for column in hidden:
        known = {name for one in merged if one.tells == column.name for name in one.columns}
        assessed = frozenset({*leaving.quasi_identifiers, *known})
        found = search.told(column, leaving, assessed)
        if found is None and column.is_date:
            found = search.told(column.in_the_year, leaving, assessed)
        told += [] if found is None else [(column.name, found)]
    looked_at = (leaving.n_people, len(files.people), len(files.summaries))

    def for_reader(policy: Policy) -> FilesThatTell:
        return FilesThatTell(*looked_at, [one.for_reader(policy, leaving, name) for name, one in told], files.not_read)

    return for_reader, {name: one.share for name, one in told}


@dataclass(frozen=True)
class _PeopleTold:
    """Who is told (n_told,): the ``person``, by which ``summary``, and by which level, -1 where it is no level.

    ``is_out``: by not being in that level.
    """

    person: np.ndarray
    summary: np.ndarray
    level: np.ndarray
    is_out: np.ndarray

    def where(self, kept: np.ndarray) -> _PeopleTold:
        return _PeopleTold(self.person[kept], self.summary[kept], self.level[kept], self.is_out[kept])

    @classmethod
    def together(cls, parts: Sequence[_PeopleTold]) -> _PeopleTold:
        return cls(*(np.concatenate([getattr(one, name.name) for one in parts]) for name in dataclasses.fields(cls)))


class _SearchOfRows:
    """The search of all summaries for one column after the other."""

    def __init__(self, files: SummariesOfFiles, n_columns: int):
        self._files, self._summaries = files, files.summaries
        n_tests = 2 * files.members.n_levels + 2 * len(files.ranked.person) // LEAST_RELEASED + len(files.summaries)
        self._most = float(np.log(CHANCE / max(n_tests * n_columns, 1)))

    def told(self, hidden: HiddenColumn, leaving: Leaving, assessed: frozenset[str]) -> ToldByFiles | None:
        """The finding about one column, but for what is ``assessed``; None where it is about too few people."""
        found = self._asked(self._entries(hidden), assessed)
        summaries = self._summaries
        n_told, n_changed = len(np.unique(found.person)), int(hidden.changed.sum())
        if n_told < LEAST_PEOPLE:
            return None
        by = self._by_variable(found)
        open_ones = [i for i in np.unique(found.summary).tolist() if not summaries[i].is_among(leaving.harmless)]
        hidden_terms = list(self._hidden_terms(found.where(np.isin(found.summary, open_ones))))
        answered = {one.variable for one, _ in hidden_terms}
        taken_out = [summaries[i] for i in open_ones if summaries[i].variable not in answered]
        return ToldByFiles(
            f"{hidden.name}{hidden.part}",
            n_told,
            n_changed,
            by,
            (
                *chain.from_iterable(starmap(_hides, hidden_terms)),
                *_changes(taken_out, self._files.same, leaving.originals),
            ),
            not open_ones,
            hidden.name in leaving.before.config.sensitive_features,
        )

    def _asked(self, found: _PeopleTold, assessed: frozenset[str]) -> _PeopleTold:
        """Without what is told by what is assessed."""
        if not assessed:
            return found
        is_asked = [i for i in np.unique(found.summary).tolist() if not self._summaries[i].is_among(assessed)]
        return found.where(np.isin(found.summary, is_asked))

    def _numbers(
        self, hidden: HiddenColumn, tolerance: float
    ) -> tuple[np.ndarray, float, np.ndarray, np.ndarray, float]:
        """Of a number: the number and the tolerance, the chance to guess it, who is asked, the bound of luck."""
        n_people = len(self._files.people)
        number, chance = np.full(n_people, np.nan), np.ones(n_people)
        number[hidden.rows] = hidden.numbers
        of_asked = hidden.rows[hidden.asked]
        released = alike(hidden.released)[hidden.asked]
        chance[of_asked] = chance_within(number[of_asked], released, tolerance)
        asked = np.zeros(n_people, dtype=bool)
        asked[of_asked] = np.isfinite(number[of_asked])
        return number, tolerance, chance, asked, self._most

    def _entries(self, hidden: HiddenColumn) -> _PeopleTold:
        files, n_people = self._files, len(self._files.people)
        if hidden.is_numeric:
            near = told_near_median(files.members, *self._numbers(hidden, hidden.within_band), files.together)
            beside = told_by_neighbours(files.ranked, *self._numbers(hidden, hidden.tolerance))
            return _PeopleTold.together([self._by_level(near), self._by_summary(beside, files.summary_of_ranked)])
        asked, released = np.zeros(n_people, dtype=bool), np.zeros(n_people, dtype=np.int64)
        asked[hidden.rows] = hidden.asked
        released[hidden.rows] = alike(hidden.released)
        label, known = np.zeros(n_people, dtype=np.int64), np.zeros(n_people, dtype=bool)
        label[hidden.rows], known[hidden.rows] = hidden.labels.codes, ~hidden.changed
        members, of_ranked = files.members, files.levels_of_ranked
        inside, outside = told_by_membership(members, label, released, asked, self._most, files.together)
        runs, _ = told_by_membership(of_ranked[0], label, released, asked, self._most)
        taught = told_by_the_known(members, files.summary_of_level, label, released, asked, known, self._most)
        return _PeopleTold.together(
            [
                self._by_level(inside),
                self._by_level(outside, is_out=True),
                self._by_summary(runs, of_ranked[1]),
                self._by_summary(taught, np.arange(len(files.summaries))),
            ]
        )

    def _by_level(self, told: ToldEntries, is_out: bool = False) -> _PeopleTold:
        summary = self._files.summary_of_level[told.by]
        return _PeopleTold(told.person, summary, told.by, np.full(len(told.by), is_out))

    def _by_summary(self, told: ToldEntries, summary: np.ndarray) -> _PeopleTold:
        n = len(told.by)
        return _PeopleTold(told.person, summary[told.by], np.full(n, -1), np.zeros(n, dtype=bool))

    # ------------------------------------------------------------ in words

    def _by_variable(self, found: _PeopleTold) -> list[ToldByRows]:
        """Of each variable what discloses most, the variable first that discloses it for most people."""
        names = [one.variable for one in self._summaries]
        of_summary, variables = pd.factorize(np.array(names, dtype=object))
        variable = of_summary[found.summary]
        told = []
        for one in np.unique(variable).tolist():
            part = found.where(variable == one)
            n_told = len(np.unique(part.person))
            told.append((-n_told, str(variables[one]), self._says(part)))
        return [ToldByRows(name, says, -n) for n, name, says in sorted(told)]

    def _says(self, part: _PeopleTold) -> str:
        """The summary of a variable that tells most people, with its terms that many people have."""
        summaries, counts = np.unique(part.summary, return_counts=True)
        best = int(summaries[counts.argmax()])
        words = self._summaries[best].words()
        part = part.where(part.summary == best)
        is_level = part.level >= 0
        if not is_level.any():
            return words
        if self._summaries[best].is_of_rows:
            return f"no {words}" if part.is_out[is_level].all() else words
        levels, n_people = np.unique(part.level[is_level], return_counts=True)
        terms = [self._term(level) for level in levels[np.argsort(-n_people, kind="stable")].tolist()]
        shown = [term for term in terms if term]
        without = "the lack of " if part.is_out.all() else ""
        return f"{without}{words}{f' = {listed(shown, at_most=MOST_SAID)}' if shown else ''}"

    def _term(self, level: int) -> str:
        """The text of a level that enough people have to be named; "" of any other."""
        text = self._text(level)
        return text if len(text) <= LONGEST_TERM else ""

    def _text(self, level: int) -> str:
        n_people = int((self._files.members.level == level).sum())
        text = self._files.text_of_level[level]
        text = number_text(text) if isinstance(text, float) else str(text)
        return "" if MASKED.are_small(np.array(n_people)) else text

    def _hidden_terms(self, found: _PeopleTold) -> Iterator[tuple[Summary, list[str]]]:
        """The variables that disclose nothing more to enough people if single coded terms are hidden, and these."""
        names = np.array([one.variable for one in self._summaries], dtype=object)
        for variable in dict.fromkeys(names[found.summary].tolist()):
            part = found.where(names[found.summary] == variable)
            one = self._summaries[int(part.summary[0])]
            if (one.file, one.column) not in self._files.terms:
                continue
            is_term = np.array([self._summaries[i].is_of_values for i in part.summary.tolist()]) & (part.level >= 0)
            is_term &= ~part.is_out
            texts = {level: self._text(level) for level in np.unique(part.level[is_term]).tolist()}
            is_hidden = is_term & np.isin(part.level, [level for level, text in texts.items() if text])
            if len(np.unique(part.person[~is_hidden])) < LEAST_PEOPLE:
                yield one, sorted({text for text in texts.values() if text})


def alike(released: np.ndarray) -> np.ndarray:
    """Codes of what is left of the values (n,): where nearly everybody has an own one, of neighbours together."""
    codes, sizes = np.unique(released, return_counts=True)
    group = np.arange(len(codes))
    if len(codes) > len(released) / LEAST_RELEASED:
        group = (np.cumsum(sizes) - 1) // LEAST_RELEASED
    found: np.ndarray = group[np.searchsorted(codes, released)]
    return found


def _hides(one: Summary, terms: Sequence[str]) -> Iterator[ConfigChange]:
    """What hides single terms of a variable; its other terms stay."""
    (variable,) = one.patterns({})
    for term in reversed(terms):
        why = "people with it disclose what the treatment changed"
        yield ConfigChange.to(("release", "hide_terms", variable), term, why, is_added=True)


def _changes(
    summaries: Sequence[Summary], same: Mapping[tuple[str, str], Sequence[str]], merged: Sequence[str]
) -> tuple[ConfigChange, ...]:
    """What takes the variables out; nothing where the config declares all of them harmless.

    Of results only those of a test go, where it is a column of the ``merged`` table: other tests stay.
    """
    why = "its rows disclose what the treatment changed"
    results = {f"{found.domain}__{found.term}" for found in summaries if found.column.endswith(RESULTS)}
    variables = dict.fromkeys(one for found in summaries for one in found.patterns(same))
    files = dict.fromkeys(one.file for one in summaries if one.is_of_rows)
    return (
        *(
            ConfigChange.to(("release", "operations", name), "remove", why, is_last_resort=True)
            for name in variables
            if not name.endswith(RESULTS)
        ),
        *(
            ConfigChange.to(("release", "leave_out"), name, why, is_added=True, is_last_resort=True)
            for name in reversed(files)
        ),
        *(ConfigChange.to(("merge", "drop"), name, why, is_added=True) for name in merged if name in results),
    )
