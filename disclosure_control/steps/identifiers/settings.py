"""The config key ``identifiers``: which findings the controller declares harmless, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from config.model_settings import PilotConfig
from disclosure_control.basics.settings.settings import Check, faults_of_settings, is_name
from disclosure_control.basics.telling.faults import stop_at


@dataclass(frozen=True)
class IdentifierSettings:
    """``harmless`` maps columns to the reason; ``release_anyway`` is the reason to let the rest out, "" for none."""

    harmless: Mapping[str, str] = field(default_factory=dict)
    release_anyway: str = ""


def _is_reason(value: object) -> bool:
    return is_name(value) and value.strip() != ""


def _are_reasons(value: object) -> bool:
    return isinstance(value, dict) and all(is_name(name) and _is_reason(reason) for name, reason in value.items())


_KEYS: dict[str, Check] = {
    "harmless": (_are_reasons, 'a dictionary of columns, each with the reason: {"DM__OBS": "a batch number"}'),
    "release_anyway": (_is_reason, "the reason, in words"),
}


def read_settings(value: Any, config: PilotConfig, columns: Sequence[str] | None) -> IdentifierSettings:
    """The settings of the key. Raises ``FaultyInputError`` with every fault of it."""
    stop_at(faults_of_settings("identifiers", value, _KEYS))
    return IdentifierSettings(**value)


def faults_without_records(settings: IdentifierSettings, config: PilotConfig) -> list[str]:
    """None: what is declared of columns concerns no record, and every engine counts their values."""
    return []
