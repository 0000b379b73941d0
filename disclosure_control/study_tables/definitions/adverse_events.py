"""People with an adverse event, by arm: any, since treatment began, serious, severe, related, fatal, and so on."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from disclosure_control.study_tables.registry import defined
from disclosure_control.study_tables.rows import DomainRows, Levels
from disclosure_control.study_tables.side import YES, StudySide
from disclosure_control.study_tables.table import StudyTable

PREFIX = "AE"
_RELATED = ("RELATED", "POSSIBLE", "POSSIBLY RELATED", "PROBABLE", "PROBABLY RELATED", "DEFINITE", "DEFINITELY RELATED")
RELATED = (*YES, *_RELATED, "CERTAIN", "LIKELY", "VERY LIKELY")
STOPPED = ("DRUG WITHDRAWN", "DRUG DISCONTINUED", "TREATMENT DISCONTINUED", "DISCONTINUED")
# Row -> the columns that say so, by the names of the merge, and the words that say it.
ROWS: tuple[tuple[str, tuple[tuple[str, tuple[str, ...]], ...]], ...] = (
    ("Serious adverse event", (("SER", YES),)),
    ("Severe adverse event", (("SEV", ("SEVERE", "LIFE THREATENING", "3")), ("TOXGR", ("3", "4", "5")))),
    ("Adverse event related to treatment", (("REL", RELATED),)),
    ("Adverse event leading to discontinuation", (("ACN", STOPPED),)),
    ("Fatal adverse event", (("SDTH", YES), ("OUT", ("FATAL", "DEATH")))),
)
_DAYS, _DATES = ("STDY", "DY", "ASTDY"), ("STDTC", "DTC", "ASTDT")


@defined(40, "people and records of adverse events, by arm: any, since treatment began, serious, fatal, and so on")
def make(side: StudySide) -> Iterator[StudyTable]:
    """A row of each kind for which the domain has a column with a value, by the arm of the treatment."""
    for rows in side.events(PREFIX):
        found = {"Any adverse event": np.ones(len(rows.people), dtype=bool)}
        if (emergent := began_after(side, rows)) is not None:
            found["Adverse event since treatment began"] = emergent
        for name, columns in ROWS:
            named = [(column, words) for short, words in columns if (column := rows.called(short)) is not None]
            if named:
                found[name] = np.any([rows.is_one_of(column, *words) for column, words in named], axis=0)
        parts = [Levels.of_flag(name, is_so) for name, is_so in found.items()]
        title = f"Adverse events ({rows.domain})"
        yield side.as_treated.shares("adverse_events", rows, title, parts, with_records=True, is_main=True)


def began_after(side: StudySide, rows: DomainRows) -> np.ndarray | None:
    """Which events (n_rows,) began since the treatment did; None where nothing says it.

    The flag of an event decides, else its study day, from 1 on, else its date: one that is partly known, or not at all,
    counts unless it is surely before the treatment, as is the convention for the safety of a drug.
    """
    day, date = rows.called(*_DAYS), rows.called(*_DATES)
    flag = next((name for name in (f"{PREFIX}TRTEM", "TRTEMFL") if rows.has(name)), None)
    has_start = not np.isnan(side.start).all()
    if flag is None and day is None and (date is None or not has_start):
        return None
    found, is_open = np.zeros(len(rows.people), dtype=bool), np.ones(len(rows.people), dtype=bool)
    if flag is not None:
        found, is_open = rows.is_one_of(flag, *YES), rows.codes(flag)[0] < 0
    if day is not None:
        days = rows.numbers(day)
        found |= is_open & (days >= 1)
        is_open &= np.isnan(days)
    if date is not None and has_start:
        at = np.flatnonzero(is_open & ~np.isnan(np.append(side.start, np.nan)[rows.people]))
        codes, dates = rows.codes(date)
        known = [*(one[:10] for one in dates.tolist()), ""]  # as far as it is; "" is not before any
        begun = np.floor(side.start).astype("datetime64[D]").astype("U10").tolist()
        rows_at = zip(rows.people[at].tolist(), codes[at].tolist(), strict=True)
        found[at] = [begun[person][: len(known[code])] <= known[code] for person, code in rows_at]
    return found
