"""Outcomes of events that tell of a death or a stay in hospital: no coded terms, and hidden as these are if rare."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from disclosure_control.release.deidentify import ReleasedFile
from disclosure_control.release.facts import deaths, hospital
from disclosure_control.release.facts.words_told import Words, rows_saying
from study.models.coded_terms import TermLadder
from study.models.roles import Role, TableKind, TableModel


@dataclass(frozen=True)
class OutcomeLadder(TermLadder):
    """One column of events whose words are hidden like a term of one level; the term beside it stays."""

    words: tuple[Words, ...] = ()

    def tells(self, labels: np.ndarray) -> np.ndarray:
        """Which labels (n_rows,) say that somebody died or was in hospital."""
        codes, distinct = pd.factorize(labels)
        said = [words.said_in(distinct, self.table.values.get(self.levels[0], {})) for words in self.words]
        return np.append(np.logical_or.reduce(said), False)[codes]

    @cached_property
    def said_again(self) -> frozenset[str]:
        """No other column says it again."""
        return frozenset()


def outcomes_told(domain: str, table: TableModel | None, file: ReleasedFile) -> list[OutcomeLadder]:
    """The columns of a file of events in which some word says that somebody died or was in hospital."""
    if table is None or table.kind is not TableKind.EVENTS:
        return []
    found: dict[str, list[Words]] = {}
    for words in (deaths.WORDS, hospital.WORDS):
        for name, at in rows_saying(table, file.frame, words):
            if at.any() and table.columns[name].role not in (Role.CODED_TERM, Role.DEATH):
                found.setdefault(name, []).append(words)
    return [OutcomeLadder(f"{domain}.{name}", "", (name,), (name,), table, tuple(said)) for name, said in found.items()]


def where_few_tell(
    labels: np.ndarray, tells: np.ndarray, people: np.ndarray, group: np.ndarray, at_least: int
) -> np.ndarray:
    """The labels (n_rows,) of the groups in which some people, but fewer than enough, have one that ``tells``; else
    None: the outcomes of other groups say nothing that few people have in common.
    """
    who, of_group = np.unique(np.stack([group[tells], people[tells]]), axis=1), group.max(initial=0) + 1
    n_told = np.bincount(who[0], minlength=of_group)
    found = labels.copy()
    found[~((n_told > 0) & (n_told < at_least))[group]] = None
    return found
