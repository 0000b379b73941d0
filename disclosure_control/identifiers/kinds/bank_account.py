"""Numbers of bank accounts (IBAN)."""

from __future__ import annotations

from disclosure_control.identifiers.check_digits import CheckedNumber, checked_hits
from disclosure_control.identifiers.column_findings import Grade
from disclosure_control.identifiers.column_values import ColumnValues
from disclosure_control.identifiers.registry import Hits, IdentifierKind


def detect(column: ColumnValues) -> Hits | None:
    """Values that are, or contain, an IBAN."""
    if column.is_number:
        return None
    return checked_hits(column, [CheckedNumber("iban", r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}")])


KIND = IdentifierKind(
    grade=Grade.NAMES_A_PERSON,
    words="bank accounts",
    what_to_do="drop the column",
    documentation="IBAN: the form and length of its country, and its two check digits",
    detect=detect,
    place=21,
)
