"""Findings as plain numbers, names, lists and dictionaries, for JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

# Metadata of fields: what other forms of a report need and the JSON does not hold; what it holds only where there is
# something; and what has its own fields among those beside it.
NOT_IN_SUMMARY = {"in_summary": False}
WHERE_FOUND = {"where_found": True}
INLINE = {"inline": True}


def plain(value: object) -> Any:
    """A dataclass as a dictionary of its fields, in their order, and the same for its parts.

    A class with other names in the JSON than its fields has a method ``in_summary``.
    """
    in_summary = getattr(value, "in_summary", None)
    if in_summary is not None:
        return plain(in_summary())
    if is_dataclass(value) and not isinstance(value, type):
        return dict(_entries(value))
    if isinstance(value, Mapping):
        return {name: plain(one) for name, one in value.items()}
    return [plain(one) for one in value] if isinstance(value, list | tuple) else value


def _entries(found: Any) -> Iterator[tuple[str, Any]]:
    for field in fields(found):
        value, how = getattr(found, field.name), field.metadata
        if how == INLINE:
            yield from plain(value).items()
        elif how != NOT_IN_SUMMARY and (how != WHERE_FOUND or value is not None):
            yield field.name, plain(value)
