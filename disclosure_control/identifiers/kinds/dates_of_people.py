"""Dates of people in any written form: of birth, of death, and of what happened to one person."""

from __future__ import annotations

import re

import numpy as np

from disclosure_control.basics.column_names import any_of
from disclosure_control.identifiers.column_findings import Grade
from disclosure_control.identifiers.column_values import FEWEST_PEOPLE, ColumnValues
from disclosure_control.identifiers.registry import Hits, IdentifierKind

YEARS_BETWEEN = 8  # dates of one study's events lie closer together than those of its people's births
FEW_SHARE = 0.1  # of the people are alone with their day
MANY_ALONE = 0.3
SDTM_DATE = re.compile(r"[a-z0-9]{0,6}(dtc|sttpt|entpt)")  # the standard defines the event of such a date
BIRTH = any_of(
    *("birth", "brth", "dob", "=born", "geburt", "=geb", "nacimiento", "nac", "naissance", "nascita", "nascimento"),
    *("urodz", "γεννησ", "γεν", "ражд", "рожд", "nastere", "naroz", "fodelse", "synty", "dogum", "geboorte", "szulet"),
)
DEATH = any_of(
    *("death", "dth", "died", "decease", "=dod", "=tod", "todes", "sterbe", "verst", "fallec", "muerte", "defunc"),
    *("exitus", "deces", "mort", "zgon", "smierc", "θανατ", "смърт", "смерт", "почин", "umrt", "decesso", "overlij"),
)
ADMISSION = any_of(
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


def of_birth(column: ColumnValues) -> Hits | None:
    """Dates of the day, one each, that spread over more years than a study's events; or so headed."""
    if column.is_headed(BIRTH) and column.share(column.is_day) >= 0.3:
        return Hits(column.is_day, "sure")
    if not column.are_days or not column.is_one_each or column.is_headed(OF_EVENT):
        return None
    low, high = np.nanquantile(column.days, [0.05, 0.95])
    spreads = high - low >= YEARS_BETWEEN * 365.25 and column.n_distinct >= FEWEST_PEOPLE
    return Hits(column.is_day, "likely") if spreads else None


def of_death(column: ColumnValues) -> Hits | None:
    """Dates to the day under a heading that speaks of death; by their values they are dates of an event."""
    return Hits(column.is_day, "sure") if column.are_days and column.is_headed(DEATH) else None


def of_events(column: ColumnValues) -> Hits | None:
    """Dates to the day that few people share; only the heading can say which event it was."""
    if not column.are_days or column.n_people < FEWEST_PEOPLE or column.alone_rate < FEW_SHARE:
        return None
    if column.is_headed(ADMISSION):
        return Hits(column.is_day, "sure")
    is_of_a_person = column.is_one_each and column.alone_rate >= MANY_ALONE
    is_likely = is_of_a_person and not SDTM_DATE.fullmatch(column.heading)
    return Hits(column.is_day, "likely" if is_likely else "possible")


KINDS = {
    "birth_date": IdentifierKind(
        grade=Grade.KNOWN_TO_OUTSIDERS,
        words="dates of birth",
        what_to_do="drop the column: the age replaces it",
        documentation=(
            "dates to the day in any written form, one for each person, that spread over more than 8 years under a "
            "heading that names no other event; or any such dates under a heading that says birth"
        ),
        detect=of_birth,
        place=40,
    ),
    "death_date": IdentifierKind(
        grade=Grade.KNOWN_TO_OUTSIDERS,
        words="dates of death",
        what_to_do="drop the column, or move the dates of each person (shift_dates)",
        documentation="dates to the day under a heading that names death; others are found as dates of an event",
        detect=of_death,
        place=41,
    ),
    "event_date": IdentifierKind(
        grade=Grade.KNOWN_TO_OUTSIDERS,
        words="dates of admission, a visit or another event",
        what_to_do="move the dates of each person (shift_dates), coarsen them (coarsen_dates), or drop the column",
        documentation=(
            "dates to the day in any written form that single out at least one person in ten; where the heading "
            "does not name an admission or discharge, they veto only with three people in ten, one date for each "
            "person, and no SDTM name (--DTC)"
        ),
        detect=of_events,
        yields_to=("birth_date", "death_date"),
        place=42,
    ),
}
