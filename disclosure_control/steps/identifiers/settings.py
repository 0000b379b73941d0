"""The config key ``identifiers``: which findings the controller declares harmless, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from disclosure_control.basics.settings.fields import SettingsGroup, setting
from disclosure_control.basics.settings.kinds import SENTENCE, dictionary_of
from disclosure_control.records.needs import no_records

_REASONS = dictionary_of(
    SENTENCE.but("the reason, in words"), 'a dictionary of columns, each with the reason: {"DM__OBS": "a batch number"}'
)


@dataclass(frozen=True)
class IdentifierSettings(SettingsGroup):
    """``harmless`` maps columns to the reason."""

    harmless: Mapping[str, str] = setting(
        _REASONS, "columns that were looked at and name nobody: the reason is printed", {}
    )


SETTINGS = IdentifierSettings
records_needed = no_records
