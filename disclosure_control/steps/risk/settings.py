"""The config key ``risk``: its settings are those of the step and those of each section, side by side."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

from config.model_settings import PilotConfig
from disclosure_control.basics.settings.fields import SettingsGroup, setting
from disclosure_control.basics.settings.kinds import Place, all_or_some_of
from disclosure_control.records.needs import Needed
from disclosure_control.steps.risk.common_settings import RiskSettings
from disclosure_control.steps.risk.sections import SECTIONS

_OWN: tuple[type[SettingsGroup], ...] = tuple(
    section.settings for section in SECTIONS.values() if section.settings is not None
)
_BY_DEFAULT = tuple(name for name, section in SECTIONS.items() if section.by_default)


def _with_sections(given: Any) -> Any:
    """The dictionary with its sections: if it lists none, those by default and those whose settings it gives."""
    if given == "all" or not isinstance(given, dict):
        return {"sections": "all"} if given == "all" else given
    wanted = [
        name
        for name, section in SECTIONS.items()
        if section.by_default or any(map(given.__contains__, section.wanted_with))
    ]
    return {"sections": wanted, **given}


def _faults_between(settings: Any, place: Place, given: Mapping[str, Any]) -> Iterator[str]:
    """What the step and each section find, and listed sections that lack the setting they need."""
    kinds: tuple[type[SettingsGroup], ...] = (RiskSettings, *_OWN)
    for kind in kinds:
        yield from kind.check(settings, place, given)
    for name in given["sections"] if given["sections"] != "all" else ():
        need = SECTIONS[name].needs
        if need is not None and getattr(settings, need.setting) is None:
            yield (
                f"{place['sections']}: {name!r} needs {need.setting!r}, {need.words}; give it, or leave the section out"
            )


# The settings of the key: those of the step, and of every section. A section's are read by its own class.
SETTINGS = dataclasses.make_dataclass(
    "SettingsOfAllSections",
    [("sections", tuple[str, ...], setting(all_or_some_of(*SECTIONS), "which sections", _BY_DEFAULT, "see above"))],
    bases=(*reversed(_OWN), RiskSettings),
    namespace={"INSTEAD": '"all"', "unfold": staticmethod(_with_sections), "check": _faults_between},
    frozen=True,
)


def records_needed(settings: RiskSettings, config: PilotConfig) -> list[Needed]:
    """All at once for the settings of sections that use records."""
    return [
        Needed(f"risk[{needed!r}]", otherwise="leave it out for this run")
        for name in settings.sections
        for needed in SECTIONS[name].needs_records_with
        if getattr(settings, needed) is not None
    ]
