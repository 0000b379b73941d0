"""Addresses in a network, of a person, a page or a device: alone or within a text."""

from __future__ import annotations

import numpy as np

from disclosure_control.identifiers.column_findings import Grade
from disclosure_control.identifiers.column_values import ColumnValues
from disclosure_control.identifiers.registry import Hits, IdentifierKind

EMAIL = r"[\pL\d._%+'-]+ ?(@|[\[(]at[\])]) ?[\pL\d-]+(\.[\pL\d-]+)*\.[\pL]{2,}"
WEB = r"(?i:\b(https?|ftp)://|\bwww\.)[\pL\d-]+"
OCTET = r"(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
IPV4 = rf"(^|[^\d.])({OCTET}\.){{3}}{OCTET}($|[^\d.])"
LARGE_OCTET = r"(^|[^\d])(25[0-5]|2[0-4]\d|1\d\d|[4-9]\d)\."  # numbers of versions and chapters are small
IPV6 = r"(?i:(^|[^:.\w])([0-9a-f]{1,4}:){4,7}[0-9a-f]{1,4}($|[^:.\w])|\b[0-9a-f]{1,4}(:[0-9a-f]{1,4})*::)"
MAC = r"(?i:(^|[^\w:-])([0-9a-f]{2}[:-]){5}[0-9a-f]{2}($|[^\w:-]))"


def emails(column: ColumnValues) -> Hits | None:
    """Every value that contains an address of mail."""
    return _sure(column.holding(EMAIL, "@", "(at)", "[at]"))


def pages(column: ColumnValues) -> Hits | None:
    """Every value that contains the address of a page."""
    return _sure(column.holding(WEB, "://", "www."))


def devices(column: ColumnValues) -> Hits | None:
    """IPv4 and IPv6 addresses, and those of network cards."""
    found = column.holding(rf"{IPV4}|{IPV6}|{MAC}", ".", ":", "-")
    is_old = column.somewhere(IPV4, found) if found.any() else found
    if is_old.any() and column.somewhere(LARGE_OCTET, is_old).sum() < 0.5 * is_old.sum():
        found &= ~is_old
    return _sure(found)


def _sure(found: np.ndarray) -> Hits | None:
    return Hits(found, "sure") if found.any() else None


KINDS = {
    "email": IdentifierKind(
        grade=Grade.NAMES_A_PERSON,
        words="e-mail addresses",
        what_to_do="drop the column; where the text must stay, cut them out before the merge",
        documentation="a name, `@` (or `(at)`) and a domain, anywhere in the text",
        detect=emails,
        place=10,
    ),
    "web_address": IdentifierKind(
        grade=Grade.NAMES_A_PERSON,
        words="web addresses",
        what_to_do="drop the column",
        documentation="`http://`, `https://`, `ftp://` or `www.` and a host, anywhere in the text",
        detect=pages,
        place=12,
    ),
    "ip_address": IdentifierKind(
        grade=Grade.NAMES_A_PERSON,
        words="addresses of devices in a network",
        what_to_do="drop the column",
        documentation="IPv4 (but not version or chapter numbers, which are small), IPv6 and MAC addresses",
        detect=devices,
        place=13,
    ),
}
