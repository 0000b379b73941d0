"""The steps of door 2: one folder per config key, named as the key."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from config.model_settings import KeyReader

# Config keys of the steps, in the order in which they run. In the folder of each, the module ``settings`` has
# ``read_settings(value, config, columns)``, which types what its key says, and the module ``step`` has
# ``run_step(StepInput)``; both are imported where the key is used.
STEPS = (
    "identifiers",  # first: whether a column names people comes before how many share their values
    "risk",
    "explore",
    "recommend",
    "treatment",
    "release",
    "sweep",
    "linkage_attack",
    "fairness",
    "context",
    "private_release",  # last: it spends, and no later step may fail after it
)


def step_module(name: str) -> ModuleType:
    return import_module(f"disclosure_control.steps.{name}.step")


def settings_module(name: str) -> ModuleType:
    return import_module(f"disclosure_control.steps.{name}.settings")


def _reader_of(name: str) -> KeyReader:
    return lambda value, config, columns: settings_module(name).read_settings(value, config, columns)


# Per key of a step what reads it, for ``validate_config``.
STEP_READERS: dict[str, KeyReader] = {name: _reader_of(name) for name in STEPS}
