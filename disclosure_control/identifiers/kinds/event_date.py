"""Dates of admission, of a visit, of an operation: when something happened to one person."""

from __future__ import annotations

from disclosure_control.identifiers.column_values import FEWEST_PEOPLE, ColumnValues
from disclosure_control.identifiers.findings import Grade
from disclosure_control.identifiers.headings import any_of
from disclosure_control.identifiers.registry import Hits, Kind

FEW_SHARE = 0.1  # of the people are alone with their day
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
    *("przyjec", "wypis", "εισαγωγ", "εισιτηρ", "εξοδ", "εξιτηρ", "приеман", "постъпв", "изпис", "sejour", "entree"),
)


def detect(column: ColumnValues) -> Hits | None:
    """Dates to the day that few people share; which event it was, the heading alone can tell."""
    if not column.are_days or column.n_people < FEWEST_PEOPLE or column.alone_rate < FEW_SHARE:
        return None
    return Hits(column.days.is_day, "sure" if column.is_headed(HEADING) else "possible", looked_at=column.looked_at)


KIND = Kind(
    grade=Grade.KNOWN_TO_OUTSIDERS,
    words="dates of admission, a visit or another event",
    what_to_do="move the dates of each person (shift_dates), coarsen them (coarsen_dates), or drop the column",
    documentation=(
        "dates to the day in any written form with which at least one person of ten is alone; where no heading "
        "speaks of admission or discharge, they are said and veto nothing"
    ),
    detect=detect,
    yields_to=("birth_date", "death_date"),
    place=42,
)
