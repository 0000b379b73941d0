"""Dates of birth, in any written form."""

from __future__ import annotations

import re

from disclosure_control.basics.column_names import any_of
from disclosure_control.identifiers.column_findings import Grade
from disclosure_control.identifiers.column_values import FEWEST_PEOPLE, ColumnValues
from disclosure_control.identifiers.registry import Hits, IdentifierKind

YEARS_BETWEEN = 8  # dates of one study's events lie closer together than those of its people's births
HEADING = any_of(
    *("birth", "brth", "dob", "=born", "geburt", "=geb", "nacimiento", "nac", "naissance", "nascita", "nascimento"),
    *("urodz", "γεννησ", "γεν", "ражд", "рожд", "nastere", "naroz", "fodelse", "synty", "dogum", "geboorte", "szulet"),
)

OF_EVENT = any_of(
    *(
        "stdtc",
        "endtc",
        "start",
        "onset",
        "diagnos",
        "beginn",
        "inicio",
        "debut",
        "poczat",
        "rozpozn",
        "εναρξ",
        "διαγν",
    ),
    *("начал", "диагн", "since", "first", "surgery", "operation", "visit"),
)
# SDTM's names have no blanks: MHSTDTC.
OF_EVENT = re.compile(rf"{OF_EVENT.pattern}|\b[a-z]{{2}}(st|en)?dtc\b")


def detect(column: ColumnValues) -> Hits | None:
    """Dates of the day, one each, that spread over more years than a study's events; or so headed."""
    is_headed = column.is_headed(HEADING)
    if not column.are_days and not (is_headed and column.share(column.days.is_day) >= 0.3):
        return None
    spreads = column.days.years_between >= YEARS_BETWEEN and column.n_distinct >= FEWEST_PEOPLE
    if is_headed:
        return Hits(column.days.is_day, "sure", looked_at=column.looked_at)
    if spreads and column.is_one_each and not column.is_headed(OF_EVENT):
        return Hits(column.days.is_day, "likely", looked_at=column.looked_at)
    return None


KIND = IdentifierKind(
    grade=Grade.KNOWN_TO_OUTSIDERS,
    words="dates of birth",
    what_to_do="drop the column: the age replaces it",
    documentation=(
        "dates to the day in any written form, one for each person, that spread over more than 8 years under a "
        "heading that names no other event; or any such dates under a heading that says birth"
    ),
    detect=detect,
    place=40,
)
