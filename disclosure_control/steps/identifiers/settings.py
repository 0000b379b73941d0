"""The config key ``identifiers``: which findings the controller declares harmless, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from config.model_settings import PilotConfig
from disclosure_control.basics.settings.fields import SettingsGroup, setting
from disclosure_control.basics.settings.kinds import SENTENCE, dictionary_of
from disclosure_control.records.needs import Needed

_REASON = SENTENCE.but("the reason, in words")
_REASONS = dictionary_of(_REASON, 'a dictionary of columns, each with the reason: {"DM__OBS": "a batch number"}')


@dataclass(frozen=True)
class IdentifierSettings(SettingsGroup):
    """``harmless`` maps columns to the reason; ``release_anyway`` is the reason to let the rest out, "" for none."""

    harmless: Mapping[str, str] = setting(
        _REASONS, "columns that were looked at and name nobody: the reason is printed", {}
    )
    release_anyway: str = setting(
        _REASON,
        "why the treated dataset is written although a column in it names people",
        "",
        "none",
    )


SETTINGS = IdentifierSettings


def records_needed(settings: IdentifierSettings, config: PilotConfig) -> list[Needed]:
    """None: declarations on columns concern no record."""
    return []
