"""The config key ``treatment``: a list of treatments, and the seed of those that draw chance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from config.model_settings import PilotConfig
from disclosure_control.basics.faults import stop_at
from disclosure_control.basics.settings import faults_of_settings
from disclosure_control.treatments.seeds import DEFAULT_SEED, faults_of_seed, read_seed
from disclosure_control.treatments.seeds import SETTINGS as SEED_SETTINGS
from disclosure_control.treatments.treated_pilot import faults_of_steps


def steps_and_seed(value: object, folder: Path | None = None) -> tuple[list[Mapping], int]:
    """The steps and the seed under the config key ``treatment``; a key of the seed must not lie in ``folder``."""
    if isinstance(value, dict):
        return list(value["steps"]), read_seed(value, folder)
    return list(value), DEFAULT_SEED


def check_settings(value: object, config: Mapping, columns: Iterable[str] | None) -> list[str]:
    """Faults of the config key ``treatment``: a list of steps, or these under "steps", beside a seed."""
    faults = []
    if isinstance(value, dict):
        faults = faults_of_settings("treatment", value, _KEYS)
        faults += [f"treatment: {fault}" for fault in faults_of_seed(value)]
        if "steps" not in value:
            faults.append(f"treatment['steps']: missing; allowed: {_KEYS['steps'][1]}")
        value = value.get("steps", [])
    if not isinstance(value, list | tuple):
        allowed = f'{_KEYS["steps"][1]}, or {{"seed": 1, "steps": [...]}}'
        return faults or [f"treatment: found {type(value).__name__}; allowed: {allowed}"]
    return faults + faults_of_steps(value, config, columns)


_KEYS = {
    **SEED_SETTINGS,
    "steps": (lambda value: isinstance(value, list | tuple), 'a list of {"method": ..., settings}'),
}


def read_settings(value: object, config: PilotConfig, columns: Sequence[str] | None) -> object:
    """The settings of the config key ``treatment``. Raises ``FaultyInputError`` with every fault of it."""
    stop_at(check_settings(value, config.literal, columns))
    return value
