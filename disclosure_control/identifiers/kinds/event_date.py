"""Dates of admission, of a visit, of an operation: when something happened to one person."""

from __future__ import annotations

import re

from disclosure_control.basics.column_names import any_of
from disclosure_control.identifiers.column_findings import Grade
from disclosure_control.identifiers.column_values import FEWEST_PEOPLE, ColumnValues
from disclosure_control.identifiers.registry import Hits, IdentifierKind

SDTM_DATE = re.compile(r"[a-z0-9]{0,6}(dtc|sttpt|entpt)")  # the standard defines the event of such a date
FEW_SHARE = 0.1  # of the people are alone with their day
MANY_ALONE = 0.3
HEADING = any_of(
    *(
        "admis",
        "admit",
        "discharge",
        "=adm",
        "hospital",
        "aufnahme",
        "einweis",
        "entlass",
        "ingreso",
        "alta",
        "ricovero",
    ),
    *(
        "przyjec",
        "wypis",
        "εισαγωγ",
        "εισιτηρ",
        "εξοδ",
        "εξιτηρ",
        "приеман",
        "постъпв",
        "изпис",
        "sejour",
        "entree",
        "opname",
        "internar",
        "yatis",
    ),
)


def detect(column: ColumnValues) -> Hits | None:
    """Dates to the day that few people share; only the heading can say which event it was."""
    if not column.are_days or column.n_people < FEWEST_PEOPLE or column.alone_rate < FEW_SHARE:
        return None
    if column.is_headed(HEADING):
        certainty = "sure"
    else:
        is_of_a_person = column.is_one_each and column.alone_rate >= MANY_ALONE
        certainty = "likely" if is_of_a_person and not SDTM_DATE.fullmatch(column.heading) else "possible"
    return Hits(column.days.is_day, certainty, looked_at=column.looked_at)


KIND = IdentifierKind(
    grade=Grade.KNOWN_TO_OUTSIDERS,
    words="dates of admission, a visit or another event",
    what_to_do="move the dates of each person (shift_dates), coarsen them (coarsen_dates), or drop the column",
    documentation=(
        "dates to the day in any written form that single out at least one person in ten; where the heading "
        "does not name an admission or discharge, they veto only with three people in ten, one date for each person, "
        "and no SDTM name (--DTC)"
    ),
    detect=detect,
    yields_to=("birth_date", "death_date"),
    place=42,
)
