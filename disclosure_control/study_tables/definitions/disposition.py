"""How people left the study, by arm."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from disclosure_control.study_tables.registry import TableDefinition
from disclosure_control.study_tables.side import MOST_LEVELS, DomainRows, StudySide
from disclosure_control.study_tables.table import StudyTable, share_table
from study.models.roles import TableKind

PREFIX = "DS"
# Of ADSL: how the study or a part of it ended, in words or as a code.
_ENDED = re.compile(r"EOSSTT|EOTSTT|EOP\d\dSTT|DCDECOD|DC[ST]?REAS(CD)?|DCS?REASCD")


def make(side: StudySide) -> Iterator[StudyTable]:
    """Shares of people by the coded reason; of records that are disposition events, where some are named so."""
    for rows in side.domains(TableKind.EVENTS):
        if rows.table.prefix == PREFIX and (term := rows.called("DECOD")) is not None:
            category = rows.called("CAT")
            is_event = np.ones(len(rows.people), dtype=bool)
            if category is not None and (named := rows.is_one_of(category, "DISPOSITION EVENT")).any():
                is_event = named
            yield _by_reason(side, rows, [term], is_event)
    for rows in side.domains(TableKind.PEOPLE):
        columns = [name for name in rows.table.columns if _ENDED.fullmatch(name) and name in rows]
        if columns:
            yield _by_reason(side, rows, columns, np.ones(len(rows.people), dtype=bool))


def _by_reason(side: StudySide, rows: DomainRows, columns: list[str], is_event: np.ndarray) -> StudyTable:
    labels, groups = [], []
    counts = [np.zeros((0, len(side.arms)), dtype=np.int64)]
    for column in columns:
        codes, levels = rows.codes(column)
        of_events = np.where(is_event, codes, -1)
        order = [place for place in np.argsort(levels, kind="stable").tolist() if (of_events == place).any()]
        if len(order) <= MOST_LEVELS:
            labels += levels[order].tolist()
            groups += [column] * len(order)
            counts.append(side.count_people(rows.people, of_events, len(levels))[order])
    title = f"Disposition ({rows.domain})"
    n = np.vstack(counts)
    return share_table(
        "disposition", rows.domain, title, side.arms, labels, groups, n, side.people_in_arms, is_main=True
    )


TABLE = TableDefinition("disposition", "how people ended the study, by arm", make, place=30)
