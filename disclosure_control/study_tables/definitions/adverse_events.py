"""People with an adverse event, by arm: any, since treatment began, serious, severe, related, fatal, and so on."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from disclosure_control.study_tables.registry import TableDefinition
from disclosure_control.study_tables.side import DomainRows, StudySide
from disclosure_control.study_tables.table import StudyTable, share_table
from study.models.roles import TableKind

PREFIX = "AE"
YES = ("Y", "YES", "1", "TRUE")
_RELATED = ("RELATED", "POSSIBLE", "POSSIBLY RELATED", "PROBABLE", "PROBABLY RELATED", "DEFINITE", "DEFINITELY RELATED")
RELATED = (*YES, *_RELATED, "CERTAIN", "LIKELY", "VERY LIKELY")
# Row -> the columns that say so, by the names of the merge, and the words that say it.
ROWS: tuple[tuple[str, tuple[tuple[str, tuple[str, ...]], ...]], ...] = (
    ("Serious adverse event", (("SER", YES),)),
    ("Severe adverse event", (("SEV", ("SEVERE", "LIFE THREATENING", "3")), ("TOXGR", ("3", "4", "5")))),
    ("Adverse event related to treatment", (("REL", RELATED),)),
    (
        "Adverse event leading to discontinuation",
        (("ACN", ("DRUG WITHDRAWN", "DRUG DISCONTINUED", "TREATMENT DISCONTINUED", "DISCONTINUED")),),
    ),
    ("Fatal adverse event", (("SDTH", YES), ("OUT", ("FATAL", "DEATH")))),
)
ANY, EMERGENT = "Any adverse event", "Adverse event since treatment began"


def make(side: StudySide) -> Iterator[StudyTable]:
    """A row of each kind for which the domain has a column with a value."""
    for rows in side.domains(TableKind.EVENTS):
        if rows.table.prefix == PREFIX:
            yield _overview(side, rows)


def _overview(side: StudySide, rows: DomainRows) -> StudyTable:
    found = {ANY: np.ones(len(rows.people), dtype=bool)}
    if (emergent := began_after(rows)) is not None:
        found[EMERGENT] = emergent
    for name, columns in ROWS:
        named = [(column, words) for short, words in columns if (column := rows.called(short)) is not None]
        if named:
            found[name] = np.any([rows.is_one_of(column, *words) for column, words in named], axis=0)
    zero, shape = np.int64(0), (len(found), len(side.arms))
    people, records = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    for place, is_so in enumerate(found.values()):
        codes = np.where(is_so, zero, -1)
        people[place] = side.count_people(rows.people, codes, 1)
        records[place] = side.count_records(rows.people, codes, 1)
    title = f"Adverse events ({rows.domain})"
    return share_table(
        "adverse_events",
        rows.domain,
        title,
        side.arms,
        list(found),
        list(found),
        people,
        side.people_in_arms,
        records,
        is_main=True,
    )


def began_after(rows: DomainRows) -> np.ndarray | None:
    """Which events (n_rows,) began on the first day of the treatment or later, by their study day, else by a flag."""
    for short in ("STDY", "DY"):
        if (day := rows.called(short)) is not None:
            return rows.numbers(day) >= 1
    for name in ("TRTEMFL", f"{PREFIX}TRTEM"):
        if name in rows:
            return rows.is_one_of(name, *YES)
    return None


TABLE = TableDefinition(
    "adverse_events",
    "people and records of adverse events, by arm: any, since treatment began, serious, severe, related, leading to "
    "discontinuation, fatal",
    make,
    place=40,
)
