"""What the rows of every released file say of a person, in summaries: what is there, how often, first, largest, ..."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd

from disclosure_control.attack.answerers.levels import LEAST_SUPPORT, LevelMembers, LevelsOfSummaries, RankedPeople
from disclosure_control.basics.encoding.keys import count_keys

LEAST_IN_LEVEL = LEAST_SUPPORT  # people: fewer disclose nothing, and such levels need not be made
MOST_TOGETHER = 300  # numbers, of which each two are tried together
OF_VALUES = ("", "the first", "the last", "the commonest", "the largest", "the smallest", "the middle")
RESULTS = ("ORRES", "STRESC", "STRESN")  # without which a table of findings says nothing: no change removes them
ONE_FIGURE = ("the largest", "the first", "the first day in", "the last day in")


@dataclass(frozen=True)
class Summary:
    """What is said of a person: ``how`` a ``column`` of a ``file`` is summarised, in the rows of a ``term`` or in all.

    ``column`` is "" for the rows themselves, ``term`` "" for all rows. ``beside``: another one that it is taken with.
    """

    file: str
    domain: str
    column: str
    how: str
    term: str = ""
    beside: Summary | None = None

    @property
    def variable(self) -> str:
        """The column as people write it, with its file."""
        variable = f"{self.file}.{self.column}" if self.column else self.file
        return f"{variable} and {self.beside.variable}" if self.beside else variable

    def patterns(self, same: Mapping[tuple[str, str], Sequence[str]]) -> list[str]:
        """The variables as the config's operations name them, rows of SUPP-- by their QNAM; none for rows themselves.

        ``same``: columns that say the same in other words, by file and column.
        """
        if self.is_of_rows:
            return []
        if self.column == "QVAL" and self.term:
            return [f"{self.domain}.{self.term}"]
        return [f"{self.domain}.{name}" for name in (self.column, *same.get((self.file, self.column), ()))]

    @property
    def merged_names(self) -> set[str]:
        """The columns that it may have in the merged table."""
        return {f"{self.domain}__{self.column}", f"{self.domain}__{self.term}"}

    @property
    def is_of_values(self) -> bool:
        """Whether it is one of the column's values, and no number of them or sum."""
        return bool(self.column) and self.how in OF_VALUES

    @property
    def is_of_rows(self) -> bool:
        """Whether it is of the rows themselves: that there are any, and how many."""
        return not self.column

    def is_among(self, names: Collection[str]) -> bool:
        """Whether the variable, or its column of the merged table, is among the names; of two together, whether both
        are.
        """
        is_named = f"{self.file}.{self.column}" in names or not self.merged_names.isdisjoint(names)
        return is_named and (self.beside is None or self.beside.is_among(names))

    def without(self, names: Collection[str]) -> Summary:
        """One alone is itself; of two together the one that is not among the names, and of both the one of all rows."""
        alone = dataclasses.replace(self, beside=None)
        if self.beside is None or self.beside.is_among(names):
            return alone
        return self.beside if alone.is_among(names) or (alone.term and not self.beside.term) else alone

    def words(self) -> str:
        """What it is, in words."""
        of_term = f" of {self.term}" if self.term else ""
        variable = f"{self.file}.{self.column}" if self.column else self.file
        words = f"{self.how} {variable}{of_term}" if self.how else f"{variable}{of_term}"
        return f"{words} together with {self.beside.words()}" if self.beside else words


@dataclass(frozen=True)
class SummariesOfFiles:
    """All ``summaries`` of the people (n_people,) who are looked at.

    ``members``: who is in which level, ``summary_of_level`` and ``text_of_level`` (n_levels,) what the level is.
    ``ranked``: the people by each summary that is a number, ``summary_of_ranked`` (n_ranked,) which one that is,
    ``numbers`` (n_entries,) the numbers themselves.
    ``same``: (file, column) -> columns that say the same in other words, and are summarised in it alone.
    ``terms``: (file, column) of coded terms, of which single ones can be hidden.
    ``people`` are their positions in the pilot; ``not_read`` the files with too many rows. ``dropped``: columns of the
    source that outsiders may know, by name, that are in no table that was merged (n_people,).
    """

    people: np.ndarray
    summaries: Sequence[Summary]
    members: LevelMembers
    summary_of_level: np.ndarray
    text_of_level: np.ndarray = field(repr=False)
    ranked: RankedPeople
    summary_of_ranked: np.ndarray
    numbers: np.ndarray = field(repr=False)
    same: Mapping[tuple[str, str], Sequence[str]]
    terms: frozenset[tuple[str, str]] = frozenset()
    not_read: Sequence[str] = ()
    dropped: Mapping[str, pd.Series] = field(default_factory=dict, repr=False)

    @classmethod
    def made(
        cls,
        people: np.ndarray,
        summaries: Sequence[Summary],
        levels: tuple[np.ndarray, np.ndarray],
        members: tuple[np.ndarray, np.ndarray],
        ranked: tuple[np.ndarray, np.ndarray, np.ndarray],
        same: Mapping[tuple[str, str], Sequence[str]],
    ) -> SummariesOfFiles:
        """Of the summary and the text of each level (n_levels,), the level and the person of each member, and the
        summary and the person of each number (n_numbers,) and the number, by summary and rising.
        """
        of_ranked, n_ranked = np.unique(ranked[0], return_counts=True)
        return cls(
            people,
            summaries,
            LevelMembers(members[0].astype(np.int32), members[1].astype(np.int32), len(levels[0])),
            *levels,
            RankedPeople(ranked[1], np.append(0, np.cumsum(n_ranked)).astype(np.int64)),
            of_ranked,
            ranked[2],
            same,
        )

    @cached_property
    def together(self) -> LevelsOfSummaries:
        """The levels of each summary, which may disclose a value together."""
        n, of_entry = len(self.summaries), self.summary_of_level[self.members.level].astype(np.int64)
        pairs, _ = count_keys(of_entry * len(self.people) + self.members.person, n * len(self.people))
        n_people = np.bincount(pairs // max(len(self.people), 1), minlength=n)
        return LevelsOfSummaries(self.summary_of_level, np.bincount(of_entry, minlength=n) / np.maximum(n_people, 1))

    @cached_property
    def table(self) -> tuple[np.ndarray, np.ndarray]:
        """Numbers of the people (n_people, n_columns), one figure of each column, and the summary of each.

        Of the results of several tests each test is a column, and whatever comes first or is largest of them is none.
        """
        sizes = self.ranked.sizes
        of_tests = {(one.file, one.column) for one in self.summaries if one.term and one.column.endswith(RESULTS)}
        figures = [
            one.how in ONE_FIGURE and (bool(one.term) or (one.file, one.column) not in of_tests)
            for one in (self.summaries[i] for i in self.summary_of_ranked.tolist())
        ]
        chosen = np.flatnonzero(np.array(figures, dtype=bool) & (sizes > len(self.people) / 2))
        chosen = np.sort(chosen[np.argsort(-sizes[chosen], kind="stable")][:MOST_TOGETHER])
        column = np.full(len(sizes), -1)
        column[chosen] = np.arange(len(chosen))
        of_entry = np.repeat(column, sizes)
        table = np.full((len(self.people), len(chosen)), np.nan)
        kept = of_entry >= 0
        table[self.ranked.person[kept], of_entry[kept]] = self.numbers[kept]
        return table, self.summary_of_ranked[chosen]

    @cached_property
    def levels_of_ranked(self) -> tuple[LevelMembers, np.ndarray]:
        """Runs of neighbours by each number as levels, and the summary of each (n_levels,)."""
        runs = self.ranked.runs()
        before = np.append(0, np.cumsum([len(of_run) for _, of_run in runs])).astype(np.int64)
        level = [run + start for (run, _), start in zip(runs, before[:-1], strict=True)]
        person = np.tile(self.ranked.person, len(runs))
        of_level = np.concatenate([np.zeros(0, np.int64), *(of_run for _, of_run in runs)])
        members = LevelMembers(np.concatenate([np.zeros(0, np.int64), *level]), person, int(before[-1]))
        return members, self.summary_of_ranked[of_level]
