"""What was found as plain numbers, names, lists and dictionaries, for JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

# Metadata of a field that other forms of a report need and the JSON does not hold.
NOT_IN_SUMMARY = {"in_summary": False}


def plain(value: object) -> Any:
    """A dataclass as a dictionary of its fields, in their order, and whatever it holds likewise."""
    if is_dataclass(value) and not isinstance(value, type):
        shown = (one.name for one in fields(value) if one.metadata.get("in_summary", True))
        return {name: plain(getattr(value, name)) for name in shown}
    if isinstance(value, Mapping):
        return {name: plain(one) for name, one in value.items()}
    return [plain(one) for one in value] if isinstance(value, list | tuple) else value
