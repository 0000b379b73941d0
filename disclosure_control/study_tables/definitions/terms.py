"""People and records by class and by term: of adverse events, diagnoses, medication, and whatever else is coded."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from disclosure_control.study_tables.definitions import disposition
from disclosure_control.study_tables.registry import TableDefinition
from disclosure_control.study_tables.side import DomainRows, StudySide
from disclosure_control.study_tables.table import StudyTable, share_table
from study.models.coded_terms import TermLadder, term_ladders
from study.models.roles import TableKind

TERM, CLASS = "term", "class"


def make(side: StudySide) -> Iterator[StudyTable]:
    """Of each coded term of events the finest level that is usual, and the class above it."""
    for rows in side.domains(TableKind.EVENTS):
        columns = [str(name) for part in rows.parts for name in part.frame]
        for ladder in term_ladders(rows.domain, rows.table, columns):
            if ladder.prefix != disposition.PREFIX and not ladder.is_of_ids:
                yield _by_term(side.as_treated, rows, ladder)


def levels_shown(ladder: TermLadder, rows: DomainRows) -> dict[str, str]:
    """The column of the term and of its class, those that have a value: the preferred term, and the system."""
    levels = [name for name in ladder.levels if (rows.codes(name)[0] >= 0).any()]
    if not levels:
        return {}
    term = next((name for name in levels if name.endswith("DECOD")), levels[0])
    above = levels[levels.index(term) + 1 :]
    system = next((name for name in above if name.endswith("BODSYS")), above[-1] if above else "")
    return {TERM: term} | ({CLASS: system} if system else {})


def _by_term(side: StudySide, rows: DomainRows, ladder: TermLadder) -> StudyTable:
    happened = np.concatenate([ladder.happened(part.of_columns(ladder.answers)) for part in rows.parts])
    labels, groups = [], []
    people, records = [np.zeros((0, len(side.arms)), dtype=np.int64)], [np.zeros((0, len(side.arms)), dtype=np.int64)]
    for level, column in reversed(levels_shown(ladder, rows).items()):
        codes, terms = rows.codes(column)
        codes = np.where(happened, codes, -1)
        order = np.argsort(terms, kind="stable")
        order = order[~np.isin(terms[order], list(rows.table.no_term))]
        labels += terms[order].tolist()
        groups += [level] * len(order)
        people.append(side.count_people(rows.people, codes, len(terms))[order])
        records.append(side.count_records(rows.people, codes, len(terms))[order])
    title = f"{rows.domain} by class and term"
    source = rows.domain if ladder.prefix else ladder.name
    return share_table(
        "terms",
        source,
        title,
        side.arms,
        labels,
        groups,
        np.vstack(people),
        side.people_in_arms,
        np.vstack(records),
    )


TABLE = TableDefinition(
    "terms", "people and records by class and term, of each domain of coded events, by arm", make, place=50
)
