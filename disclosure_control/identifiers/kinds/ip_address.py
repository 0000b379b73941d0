"""Addresses of a person's device in a network."""

from __future__ import annotations

from disclosure_control.identifiers.column_findings import Grade
from disclosure_control.identifiers.column_values import ColumnValues
from disclosure_control.identifiers.registry import Hits, IdentifierKind

OCTET = r"(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
IPV4 = rf"(^|[^\d.])({OCTET}\.){{3}}{OCTET}($|[^\d.])"
LARGE_OCTET = r"(^|[^\d])(25[0-5]|2[0-4]\d|1\d\d|[4-9]\d)\."  # numbers of versions and chapters are small
IPV6 = r"(?i:(^|[^:.\w])([0-9a-f]{1,4}:){4,7}[0-9a-f]{1,4}($|[^:.\w])|\b[0-9a-f]{1,4}(:[0-9a-f]{1,4})*::)"
MAC = r"(?i:(^|[^\w:-])([0-9a-f]{2}[:-]){5}[0-9a-f]{2}($|[^\w:-]))"


def detect(column: ColumnValues) -> Hits | None:
    """IPv4 and IPv6 addresses, and those of network cards."""
    found = column.holding(rf"{IPV4}|{IPV6}|{MAC}", ".", ":", "-")
    is_old = column.somewhere(IPV4, found) if found.any() else found
    if is_old.any() and column.somewhere(LARGE_OCTET, is_old).sum() < 0.5 * is_old.sum():
        found &= ~is_old
    return Hits(found, "sure") if found.any() else None


KIND = IdentifierKind(
    grade=Grade.NAMES_A_PERSON,
    words="addresses of devices in a network",
    what_to_do="drop the column",
    documentation="IPv4 (but not version or chapter numbers, which are small), IPv6 and MAC addresses",
    detect=detect,
    place=13,
)
