"""The config key ``treatment``: a list of treatments, and the seed of those that draw chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from config.model_settings import PilotConfig
from disclosure_control.basics.faults import stop_at
from disclosure_control.basics.settings import Check, faults_of_settings
from disclosure_control.treatments.registry import TreatmentStep
from disclosure_control.treatments.seeds import SETTINGS as SEED_SETTINGS
from disclosure_control.treatments.seeds import SeedSource, faults_of_seed, seed_source
from disclosure_control.treatments.steps import faults_of_steps


@dataclass(frozen=True)
class TreatmentSettings:
    """The config key ``treatment``: the ``steps`` in their order, and where chance starts."""

    steps: tuple[TreatmentStep, ...]
    seed: SeedSource = field(default_factory=SeedSource)


_KEYS: dict[str, Check] = {
    **SEED_SETTINGS,
    "steps": (lambda value: isinstance(value, list | tuple), 'a list of {"method": ..., settings}'),
}


def read_settings(value: Any, config: PilotConfig, columns: Sequence[str] | None) -> TreatmentSettings:
    """The settings of the key: a list of steps, or these under "steps", beside a seed.

    Raises ``FaultyInputError`` with every fault of it, keys in the environment that are missing or short among them.
    """
    faults: list[str] = []
    steps, seed = value, SeedSource()
    if isinstance(value, dict):
        faults = faults_of_settings("treatment", value, _KEYS)
        faults += [f"treatment: {fault}" for fault in faults_of_seed(value)]
        if "steps" not in value:
            faults.append(f"treatment['steps']: missing; allowed: {_KEYS['steps'][1]}")
        steps, seed = value.get("steps", []), seed_source(value)
    if not isinstance(steps, list | tuple):
        allowed = f'{_KEYS["steps"][1]}, or {{"seed": 1, "steps": [...]}}'
        stop_at(faults or [f"treatment: found {type(value).__name__}; allowed: {allowed}"])
    stop_at([*faults, *faults_of_steps(steps, config, columns)])
    return TreatmentSettings(tuple(map(TreatmentStep.of, steps)), seed)
