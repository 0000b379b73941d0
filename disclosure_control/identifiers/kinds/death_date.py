"""Dates of death."""

from __future__ import annotations

from disclosure_control.identifiers.column_findings import Grade
from disclosure_control.identifiers.column_values import ColumnValues
from disclosure_control.identifiers.registry import Hits, IdentifierKind
from study.models.roles import Role


def detect(column: ColumnValues) -> Hits | None:
    """Dates to the day under a heading that speaks of death; by their values they are dates of an event."""
    if not column.are_days or not column.is_headed(Role.DEATH_DATE, Role.DEATH):
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
