"""The steps of door 2: one folder per config key, named as the key."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from config.model_settings import KeyReader, key_reader
from disclosure_control.basics.telling.sections import Outline
from study import KEY_READERS

# Config keys of the steps, in the order in which they run. In the folder of each, the module ``settings`` names the
# class of what its key says, ``SETTINGS``, and the module ``step`` has ``run_step(StepInput)``; both are imported where
# the key is used.
STEPS = (
    "identifiers",  # first: whether a column names people comes before how many share their values
    "risk",
    "explore",
    "recommend",
    "treatment",
    "release",
    "tables",
    "sweep",
    "linkage_attack",
    "intruder",
    "fairness",
    "context",
    "private_release",  # last: it spends, and no later step may fail after it
)


def step_module(name: str) -> ModuleType:
    return import_module(f"disclosure_control.steps.{name}.step")


def settings_module(name: str) -> ModuleType:
    return import_module(f"disclosure_control.steps.{name}.settings")


def outlines() -> list[Outline]:
    """The places on the page that steps fill."""
    packages = (import_module(f"disclosure_control.steps.{name}") for name in STEPS)
    return [outline for package in packages for outline in package.OUTLINES]


# What reads each config key beside those of k, l and t, for ``validate_config``.
READERS: dict[str, KeyReader] = {
    **KEY_READERS,
    **{name: key_reader(name, f"disclosure_control.steps.{name}.settings") for name in STEPS},
    "pool": key_reader("pool", "disclosure_control.pooling.settings"),  # of what is started beside the doors
}
