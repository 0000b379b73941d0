"""What the rows of every released file say of a person, in summaries: what is there, how often, first, largest, ..."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import pandas as pd

from disclosure_control.attack.answerers.levels import LEAST_SUPPORT, LevelMembers, LevelsOfSummaries, RankedPeople
from disclosure_control.basics.encoding.keys import count_keys
from disclosure_control.basics.settings.changes import ConfigChange

LEAST_IN_LEVEL = LEAST_SUPPORT  # people: fewer disclose nothing, and such levels need not be made
OF_VALUES = ("", "the first", "the last", "the commonest", "the largest", "the smallest", "the middle")


@dataclass(frozen=True, order=True)
class Summary:
    """What is said of a person: ``how`` a ``column`` of a ``file`` is summarised, in the rows of a ``term`` or in all.

    ``column`` is "" for the rows themselves, ``term`` "" for all rows, ``file`` "" of the merged table.
    ``is_of_results``: by the data model, the column has the results of tests.
    """

    file: str
    domain: str
    column: str
    how: str
    term: str = ""
    is_of_results: bool = False

    @property
    def variable(self) -> str:
        """The column as people write it, with its file; one of the merged table has none."""
        return ".".join(filter(None, (self.file, self.column)))

    @property
    def pattern(self) -> str:
        """The variable as the config's operations name it, rows of SUPP-- by their QNAM."""
        return f"{self.domain}.{self.term if self.column == 'QVAL' and self.term else self.column}"

    @property
    def merged_names(self) -> set[str]:
        """The columns that it may have in the merged table."""
        if not self.file:
            return {self.column}
        return {f"{self.domain}__{self.column}", f"{self.domain}__{self.term}"}

    @property
    def is_of_values(self) -> bool:
        """Whether it is one of the column's values, and no number of them or sum."""
        return bool(self.column) and self.how in OF_VALUES

    @property
    def is_of_rows(self) -> bool:
        """Whether it is of the rows themselves: that there are any, and how many."""
        return not self.column

    def with_same(self, same: Mapping[tuple[str, str], Sequence[str]]) -> list[Summary]:
        """It, and the same of the columns that say the ``same`` in other words, by file and column."""
        return [self, *(replace(self, column=name) for name in same.get((self.file, self.column), ()))]

    def is_among(self, names: Collection[str]) -> bool:
        """Whether the variable, or its column of the merged table, is among the names."""
        return f"{self.file}.{self.column}" in names or self.words() in names or not self.merged_names.isdisjoint(names)

    def words(self) -> str:
        """What it is, in words."""
        of_term = f" of {self.term}" if self.term else ""
        return f"{self.how} {self.variable}{of_term}".strip()


def without_column(name: str, why: str) -> ConfigChange:
    """The line by which a column of the merged table does not leave; of a test, no result of it does."""
    return ConfigChange.to(("treatment", "steps"), {"method": "drop_column", "columns": [name]}, why, is_added=True)


def lines_without(
    taken_out: Iterable[Summary], why: str, merged: Collection[str], *, is_last_resort: bool = False
) -> Iterator[ConfigChange]:
    """The lines of a config that take out what is summarised: columns of the merged table, then of files.

    Of results only those of a test go, where it is a column of the ``merged`` table: other tests stay.
    """
    whole = list(taken_out)
    of_files = [one for one in whole if one.file]
    results = {f"{one.domain}__{one.term}" for one in of_files if one.is_of_results and one.term}
    columns = [*(one.column for one in whole if not one.file), *(name for name in merged if name in results)]
    for name in reversed(dict.fromkeys(columns)):  # each comes before the last one
        yield without_column(name, why)
    for name in dict.fromkeys(one.pattern for one in of_files if not (one.is_of_rows or one.is_of_results)):
        yield ConfigChange.to(("release", "operations", name), "remove", why, is_last_resort=is_last_resort)
    for name in reversed(dict.fromkeys(one.file for one in of_files if one.is_of_rows)):
        yield ConfigChange.to(("release", "leave_out"), name, why, is_added=True, is_last_resort=True)


def lines_without_files(taken_out: Iterable[Summary], why: str) -> Iterator[ConfigChange]:
    """The lines that leave out whole files: of results that are no columns of the merged table nothing less goes."""
    for name in dict.fromkeys(one.file for one in taken_out):
        yield ConfigChange.to(("release", "leave_out"), name, why, is_added=True, is_last_resort=True)


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

    @cached_property
    def together(self) -> LevelsOfSummaries:
        """The levels of each summary, which may disclose a value together."""
        n, of_entry = len(self.summaries), self.summary_of_level[self.members.level].astype(np.int64)
        pairs, _ = count_keys(of_entry * len(self.people) + self.members.person, n * len(self.people))
        n_people = np.bincount(pairs // max(len(self.people), 1), minlength=n)
        return LevelsOfSummaries(self.summary_of_level, np.bincount(of_entry, minlength=n) / np.maximum(n_people, 1))

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
