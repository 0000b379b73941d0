"""Outcomes of events that tell of a death or a stay in hospital: no coded terms, and hidden as these are if rare."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from disclosure_control.release import deaths, hospital
from disclosure_control.release.deidentify import ReleasedFile
from disclosure_control.release.words_told import rows_saying
from study.models.coded_terms import TermLadder
from study.models.roles import Role, TableKind, TableModel


@dataclass(frozen=True)
class OutcomeLadder(TermLadder):
    """One column of events whose words are hidden like a term of one level; the term beside it stays."""

    @cached_property
    def said_again(self) -> frozenset[str]:
        """No other column says it again."""
        return frozenset()


def outcomes_told(domain: str, table: TableModel | None, file: ReleasedFile) -> list[OutcomeLadder]:
    """The columns of a file of events in which some word says that somebody died or was in hospital."""
    if table is None or table.kind is not TableKind.EVENTS:
        return []
    found = {
        name: None
        for words in (deaths.WORDS, hospital.WORDS)
        for name, at in rows_saying(table, file.frame, words)
        if at.any() and table.columns[name].role not in (Role.CODED_TERM, Role.DEATH)
    }
    return [OutcomeLadder(f"{domain}.{name}", "", (name,), (name,), table) for name in found]
