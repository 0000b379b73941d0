"""Dates of death."""

from __future__ import annotations

from disclosure_control.basics.column_names import any_of
from disclosure_control.identifiers.column_findings import Grade
from disclosure_control.identifiers.column_values import ColumnValues
from disclosure_control.identifiers.registry import Hits, IdentifierKind

HEADING = any_of(
    *("death", "dth", "died", "decease", "=dod", "=tod", "todes", "sterbe", "verst", "fallec", "muerte", "defunc"),
    *("exitus", "deces", "mort", "zgon", "smierc", "θανατ", "смърт", "смерт", "почин", "umrt", "decesso", "overlij"),
)


def detect(column: ColumnValues) -> Hits | None:
    """Dates to the day under a heading that speaks of death; by their values they are dates of an event."""
    if not column.are_days or not column.is_headed(HEADING):
        return None
    return Hits(column.days.is_day, "sure", looked_at=column.looked_at)


KIND = IdentifierKind(
    grade=Grade.KNOWN_TO_OUTSIDERS,
    words="dates of death",
    what_to_do="drop the column, or move the dates of each person (shift_dates)",
    documentation="dates to the day under a heading that names death; others are found as dates of an event",
    detect=detect,
    place=41,
)
