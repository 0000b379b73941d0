"""The config key ``risk``: how its settings are checked and read, those of the step and those of each section."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from config.model_settings import PilotConfig
from disclosure_control.basics.telling.faults import FaultyInputError, stop_at
from disclosure_control.steps.risk.common_settings import RiskSettings
from disclosure_control.steps.risk.sections import SECTIONS
from disclosure_control.steps.risk.setting_fields import (
    Setting,
    faults_of_named_columns,
    faults_of_needs,
    faults_of_values,
    faults_within,
    settings_in,
    some_of,
    typed_settings,
)

_CHOICE_OF_SECTIONS = Setting(some_of(tuple(SECTIONS)), "which sections", "see above", choices=tuple(SECTIONS))
_OF_SECTIONS = {name: one for section in SECTIONS.values() for name, one in section.own_settings.items()}
# Every setting of the key by name, in the order in which faults and documentation name them.
SETTINGS: dict[str, Setting] = {"sections": _CHOICE_OF_SECTIONS, **settings_in(RiskSettings), **_OF_SECTIONS}


def read_settings(value: object, config: PilotConfig, columns: Sequence[str] | None) -> RiskSettings:
    """The settings of the config key ``risk``. Raises ``FaultyInputError`` with every fault of it."""
    given = {"sections": "all"} if value == "all" else value
    if not isinstance(given, dict):
        allowed = f'"all", or a dictionary of {", ".join(SETTINGS)}'
        raise FaultyInputError(f"risk: found {type(value).__name__}; allowed: {allowed}")
    stop_at(faults_of_values("risk", given, SETTINGS))
    stop_at(_faults_between(given, config, columns))
    kinds = [section.settings for section in SECTIONS.values() if section.settings is not None]
    return dataclasses.replace(
        typed_settings(RiskSettings, given),
        sections=_wanted_sections(given),
        given=frozenset(given),
        own={kind: typed_settings(kind, given) for kind in kinds},
    )


def faults_without_records(settings: RiskSettings, config: PilotConfig) -> list[str]:
    """What the settings ask for and cannot be told by an engine that does not hold all records."""
    return [
        f"risk[{needed!r}]: needs all records in memory, and this run works from disk; leave it out for this run, or "
        "use --engine memory on a machine with enough memory"
        for name in settings.sections
        for needed in SECTIONS[name].needs_records_with
        if needed in settings.given
    ]


def _wanted_sections(given: Mapping) -> tuple[str, ...]:
    """The sections that the config lists; if it lists none, those by default and those whose settings it gives."""
    listed = given.get("sections")
    if listed is not None:
        return tuple(SECTIONS) if listed == "all" else tuple(listed)
    return tuple(
        name
        for name, section in SECTIONS.items()
        if section.by_default or any(map(given.__contains__, section.wanted_with))
    )


def _faults_between(given: Mapping, config: PilotConfig, columns: Sequence[str] | None) -> list[str]:
    """Faults of settings that are right one by one."""
    faults = _faults_of_common_settings(given, config)
    faults += faults_within("risk", given, _OF_SECTIONS)
    faults += _faults_of_listed_sections(given)
    faults += faults_of_needs("risk", given, SETTINGS)
    faults += faults_of_named_columns("risk", given, SETTINGS, columns)
    for section in SECTIONS.values():
        faults += section.faults(given, config)
    return faults


def _faults_of_common_settings(given: Mapping, config: PilotConfig) -> list[str]:
    faults = []
    if "alpha" in given and config.missing_qis != "wildcard":
        faults.append('risk[\'alpha\']: has no effect but with "missing_qis": "wildcard"; set that, or leave alpha out')
    faults += faults_within("risk", given, settings_in(RiskSettings))
    if "population" in given and "sampling_fraction" in given:
        faults.append("risk: population and sampling_fraction are both given; allowed: one of them")
    return faults


def _faults_of_listed_sections(given: Mapping) -> list[str]:
    listed = given.get("sections", ())
    needs = [(name, SECTIONS[name].needs) for name in listed] if listed != "all" else []
    return [
        f"risk['sections']: {name!r} needs {need.setting!r}, {need.words}; give it, or leave the section out"
        for name, need in needs
        if need is not None and need.setting not in given
    ]
