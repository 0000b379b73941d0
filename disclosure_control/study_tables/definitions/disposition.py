"""How people left the study, by arm."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from disclosure_control.study_tables.registry import defined
from disclosure_control.study_tables.rows import DomainRows
from disclosure_control.study_tables.side import MOST_LEVELS, StudySide
from disclosure_control.study_tables.table import StudyTable
from study.models.roles import TableKind

PREFIX = "DS"
# Of ADSL: what ended and how, in words or as a code; of several columns that say the same the first is read.
_ENDED: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("", ("EOSSTT",)),
    ("", ("DCDECOD", "DCREASCD", "DCSREASCD", "DCSREAS", "DCREAS")),
    ("treatment", ("EOTSTT",)),
    ("treatment", ("DCTREASCD", "DCTREAS")),
    *((f"period {number}", (f"EOP{number:02}STT",)) for number in range(1, 10)),
)


@defined(30, "how people ended the study, by arm")
def make(side: StudySide) -> Iterator[StudyTable]:
    """Shares of people by the coded reason; of records that are disposition events, where some are named so.

    Where people have several such records, each kind of them (DSSCAT), and in a kind each epoch, is a table.
    """
    for rows in side.events(PREFIX):
        category, is_event = rows.called("CAT"), np.ones(len(rows.people), dtype=bool)
        if category is not None and (named := rows.is_one_of(category, "DISPOSITION EVENT")).any():
            is_event = named
        divided_by = [one for one in (rows.called("SCAT"), "EPOCH") if one is not None and rows.has(one)]
        if (term := rows.called("DECOD")) is not None:
            for part, is_so in _parts(side, rows, is_event, divided_by, ()):
                yield _by_reason(side, rows, part, [term], is_so)
    for rows in side.domains(TableKind.PEOPLE):
        named = side.as_before(("disposition", rows.domain), partial(_columns_of_people, rows))
        for part in dict.fromkeys(part for part, _ in named):
            columns: list[str] = [name for of_part, name in named if of_part == part and name in rows]
            if columns:
                yield _by_reason(side, rows, part, columns, np.ones(len(rows.people), dtype=bool))


def _columns_of_people(rows: DomainRows) -> list[tuple[str, str]]:
    """Of each thing that ended the first column that says how."""
    found = ((part, next((name for name in names if rows.has(name)), "")) for part, names in _ENDED)
    return [(part, name) for part, name in found if name]


def _parts(
    side: StudySide, rows: DomainRows, is_event: np.ndarray, columns: list[str], within: tuple[str, ...]
) -> Iterator[tuple[str, np.ndarray]]:
    """The events (n_rows,) of bool of each table, and what they are called: divided while people have several."""
    people = np.bincount(rows.people[is_event & (rows.people >= 0)])
    if not columns or not side.as_before(("parts", rows.domain, within), lambda: bool((people > 1).any())):
        yield ", ".join(within), is_event
        return
    codes, labels = rows.codes(columns[0])
    for name in sorted({*labels[np.unique(codes[is_event & (codes >= 0)])]}):
        yield from _parts(
            side, rows, is_event & rows.is_one_of(columns[0], name.strip().upper()), columns[1:], (*within, name)
        )
    if (others := is_event & (codes < 0)).any():
        yield from _parts(side, rows, others, columns[1:], within)


def _by_reason(side: StudySide, rows: DomainRows, part: str, columns: list[str], is_event: np.ndarray) -> StudyTable:
    parts = []
    for column in columns:
        reasons = rows.part(column, is_event)
        reasons = reasons.with_levels(np.isin(np.arange(len(reasons.levels)), reasons.codes))
        parts += [reasons] if len(reasons.levels) <= MOST_LEVELS else []
    source, of_part = (f"{rows.domain}.{part}", f", {part}") if part else (rows.domain, "")
    title = f"Disposition{of_part} ({rows.domain})"
    return side.shares("disposition", rows, title, parts, source=source, is_main=True)
