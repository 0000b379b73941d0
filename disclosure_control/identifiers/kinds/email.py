"""E-mail addresses, alone or within a text."""

from __future__ import annotations

from disclosure_control.identifiers.column_findings import Grade
from disclosure_control.identifiers.column_values import ColumnValues
from disclosure_control.identifiers.registry import Hits, IdentifierKind

ADDRESS = r"[\pL\d._%+'-]+ ?(@|[\[(]at[\])]) ?[\pL\d-]+(\.[\pL\d-]+)*\.[\pL]{2,}"


def detect(column: ColumnValues) -> Hits | None:
    """Every value that contains an address."""
    found = column.holding(ADDRESS, "@", "(at)", "[at]")
    return Hits(found, "sure") if found.any() else None


KIND = IdentifierKind(
    grade=Grade.NAMES_A_PERSON,
    words="e-mail addresses",
    what_to_do="drop the column; where the text must stay, cut them out before the merge",
    documentation="a name, `@` (or `(at)`) and a domain, anywhere in the text",
    detect=detect,
    place=10,
)
