"""Numbers of payment cards."""

from __future__ import annotations

from disclosure_control.identifiers.check_digits import CheckedNumber, checked_hits
from disclosure_control.identifiers.column_findings import Grade
from disclosure_control.identifiers.column_values import ColumnValues
from disclosure_control.identifiers.registry import Hits, IdentifierKind


def detect(column: ColumnValues) -> Hits | None:
    """Values with the beginning and the length of a card's number that pass Luhn's check."""
    return checked_hits(column, [CheckedNumber("luhn", r"(4\d{15}|5[1-5]\d{14}|2[2-7]\d{14}|3[47]\d{13}|6\d{15})")])


KIND = IdentifierKind(
    grade=Grade.NAMES_A_PERSON,
    words="card numbers",
    what_to_do="drop the column",
    documentation="15 or 16 digits that begin like card numbers and pass Luhn's check more often than chance",
    detect=detect,
    place=22,
)
