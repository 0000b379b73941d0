"""Web addresses, which lead to a person's page or record."""

from __future__ import annotations

from disclosure_control.identifiers.column_findings import Grade
from disclosure_control.identifiers.column_values import ColumnValues
from disclosure_control.identifiers.registry import Hits, IdentifierKind


def detect(column: ColumnValues) -> Hits | None:
    """Every value that contains an address."""
    found = column.holding(r"(?i:\b(https?|ftp)://|\bwww\.)[\pL\d-]+", "://", "www.")
    return Hits(found, "sure") if found.any() else None


KIND = IdentifierKind(
    grade=Grade.NAMES_A_PERSON,
    words="web addresses",
    what_to_do="drop the column",
    documentation="`http://`, `https://`, `ftp://` or `www.` and a host, anywhere in the text",
    detect=detect,
    place=12,
)
