"""The config key ``treatment``: a list of treatments, the seed of those that draw chance, the name of the release."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from config import PILOT_NAME
from config.model_settings import PilotConfig
from disclosure_control.basics.settings.settings import TEXT, Check, faults_of_settings, is_name
from disclosure_control.basics.telling.faults import faults_of_columns, stop_at
from disclosure_control.leaving.leaving import Join
from disclosure_control.treatments.keys import Release
from disclosure_control.treatments.registry import TreatmentStep
from disclosure_control.treatments.seeds import SETTINGS as SEED_SETTINGS
from disclosure_control.treatments.seeds import SeedSource, faults_of_seed, seed_source
from disclosure_control.treatments.steps import faults_of_steps
from disclosure_control.treatments.treat_records import without_records, works_without_records


@dataclass(frozen=True)
class TreatmentSettings:
    """The config key ``treatment``: the ``steps`` in their order, where chance starts, and which release it makes.

    ``harmless``: columns that tell nobody outside who a person is, whatever they are called, and why.
    """

    steps: tuple[TreatmentStep, ...]
    seed: SeedSource = field(default_factory=SeedSource)
    release: str | None = None
    join: Join | None = None
    harmless: Mapping[str, str] = field(default_factory=dict)

    def own_release(self, pilot: str, otherwise: str) -> Release:
        """This release of the pilot, named as the config does, or as given here ``otherwise``."""
        return Release(pilot, self.release or otherwise)

    def release_of_ids(self, pilot: str, otherwise: str) -> Release:
        """The release whose pseudonyms and offsets are given: this one, or the earlier one that it joins."""
        if self.join is None:
            return self.own_release(pilot, otherwise)
        return Release(self.join.pilot or pilot, self.join.release)


_RELEASE_NAME = re.compile(r"[A-Za-z0-9._-]{1,64}")
_NAME: Check = (
    lambda value: isinstance(value, str) and _RELEASE_NAME.fullmatch(value) is not None,
    "a name of letters, digits, . _ and -, up to 64",
)
_PILOT: Check = (
    lambda value: isinstance(value, str) and PILOT_NAME.fullmatch(value) is not None,
    "the name of a pilot",
)
_JOIN: dict[str, Check] = {"release": _NAME, "file": TEXT, "pilot": _PILOT}
_KEYS: dict[str, Check] = {
    **SEED_SETTINGS,
    "release": _NAME,
    "join": (lambda value: isinstance(value, dict), '{"release": "2026-03", "file": "releases/2026-03.csv"}'),
    "harmless": (
        lambda value: isinstance(value, dict) and all(is_name(part) for entry in value.items() for part in entry),
        '{"VS__HEIGHT": "why nobody outside the study knows it"}',
    ),
    "steps": (lambda value: isinstance(value, list | tuple), 'a list of {"method": ..., settings}'),
}


def read_settings(value: Any, config: PilotConfig, columns: Sequence[str] | None) -> TreatmentSettings:
    """The settings of the key: a list of steps, or these under "steps", beside a seed.

    Raises ``FaultyInputError`` with every fault of it, keys in the environment that are missing or short among them.
    """
    faults: list[str] = []
    steps, given = value, {}
    if isinstance(value, dict):
        given = value
        faults = faults_of_settings("treatment", value, _KEYS)
        faults += [f"treatment: {fault}" for fault in faults_of_seed(value)]
        if "steps" not in value:
            faults.append(f"treatment['steps']: missing; allowed: {_KEYS['steps'][1]}")
        faults += _faults_of_join(value)
        if isinstance(value.get("harmless"), dict):
            faults += faults_of_columns("treatment['harmless']", map(str, value["harmless"]), columns)
        steps = value.get("steps", [])
    if not isinstance(steps, list | tuple):
        allowed = f'{_KEYS["steps"][1]}, or {{"seed": 1, "steps": [...]}}'
        stop_at(faults or [f"treatment: found {type(value).__name__}; allowed: {allowed}"])
    stop_at([*faults, *faults_of_steps(steps, config, columns)])
    join = Join(**given["join"]) if "join" in given else None
    return TreatmentSettings(
        tuple(map(TreatmentStep.of, steps)), seed_source(given), given.get("release"), join, given.get("harmless", {})
    )


def faults_without_records(settings: TreatmentSettings, config: PilotConfig) -> list[str]:
    """What needs all records in memory: treatments that look at more than a column's values, an earlier release."""
    faults = [
        f"treatment[{place}] {step.method}: needs all records in memory, and this run works from disk; from disk run "
        f"{', '.join(without_records())}; take the step out for this run, or use --engine memory on a machine with "
        "enough memory"
        for place, step in enumerate(settings.steps)
        if not works_without_records(step)
    ]
    if settings.join is not None:
        faults.append(
            "treatment['join']: needs all records in memory, and this run works from disk; take it out for this run, "
            "or use --engine memory on a machine with enough memory"
        )
    return faults


def _faults_of_join(given: dict[str, Any]) -> list[str]:
    join = given.get("join")
    if not isinstance(join, dict):
        return []
    faults = faults_of_settings("treatment['join']", join, _JOIN)
    faults += [
        f"treatment['join'][{key!r}]: missing; allowed: {_JOIN[key][1]}"
        for key in ("release", "file")
        if key not in join
    ]
    if not faults and "pilot" not in join and join["release"] == given.get("release"):
        faults.append("treatment['join']: the release joins itself; give this one another name")
    return faults
