"""People and records by class and by term: of adverse events, diagnoses, medication, and whatever else is coded."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from disclosure_control.study_tables.definitions import disposition
from disclosure_control.study_tables.registry import defined
from disclosure_control.study_tables.rows import DomainRows
from disclosure_control.study_tables.side import StudySide
from disclosure_control.study_tables.table import StudyTable
from study.models.coded_terms import TermLadder, term_ladders
from study.models.roles import TableKind

TERM, CLASS = "term", "class"


@defined(50, "people and records by class and term, of each domain of coded events, by arm")
def make(side: StudySide) -> Iterator[StudyTable]:
    """Of each coded term of events the finest level that is usual, and the class above it."""
    for rows in side.domains(TableKind.EVENTS):
        columns = [str(name) for part in rows.parts for name in part.frame]
        for ladder in term_ladders(rows.domain, rows.table, columns):
            if ladder.prefix != disposition.PREFIX and not ladder.is_of_ids:
                yield _by_term(side.as_treated, rows, ladder)


def levels_shown(ladder: TermLadder, rows: DomainRows) -> dict[str, str]:
    """The column of the term and of its class, those that have a value: the preferred term, and the system."""
    levels = [name for name in ladder.levels if rows.has(name)]
    if not levels:
        return {}
    term = next((name for name in levels if name.endswith("DECOD")), levels[0])
    above = levels[levels.index(term) + 1 :]
    system = next((name for name in above if name.endswith("BODSYS")), above[-1] if above else "")
    return {TERM: term} | ({CLASS: system} if system else {})


def _by_term(side: StudySide, rows: DomainRows, ladder: TermLadder) -> StudyTable:
    happened = np.concatenate([ladder.happened(part.of_columns(ladder.answers)) for part in rows.parts])
    # A level that does not leave is gone, and no other one takes its place.
    levels = side.as_before(("levels", rows.domain, ladder.name), lambda: levels_shown(ladder, rows))
    parts = [rows.part(column, happened, level) for level, column in reversed(levels.items())]
    parts = [part.with_levels(~np.isin(part.levels, list(rows.table.no_term))) for part in parts]
    source, title = rows.domain if ladder.prefix else ladder.name, f"{rows.domain} by class and term"
    return side.shares("terms", rows, title, parts, with_records=True, source=source)
