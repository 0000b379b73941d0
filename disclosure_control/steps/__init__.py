"""The steps of door 2: one folder per config key, named as the key."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from config.model_settings import KeyReader, key_reader
from disclosure_control.basics.telling.sections import Outline
from study import KEY_READERS

# The room of each step, by its config key, in the order in which they run. In the folder of each, the module
# ``settings`` names the class of what its key says, ``SETTINGS``, and the module ``step`` has ``run_step(StepInput)``;
# both are imported where the key is used.
_MAIN_LINE, _ANALYSES = "disclosure_control.steps", "disclosure_control.analyses"
STEPS = {
    "identifiers": _MAIN_LINE,  # first: whether a column names people comes before how many share their values
    "risk": _MAIN_LINE,
    "explore": _ANALYSES,
    "recommend": _MAIN_LINE,
    "treatment": _MAIN_LINE,
    "release": _MAIN_LINE,
    "sweep": _ANALYSES,
    "linkage_attack": _ANALYSES,
    "fairness": _ANALYSES,
    "context": _MAIN_LINE,
    "private_release": _ANALYSES,  # last: it spends, and no later step may fail after it
}


def step_module(name: str) -> ModuleType:
    return import_module(f"{STEPS[name]}.{name}.step")


def settings_module(name: str) -> ModuleType:
    return import_module(f"{STEPS[name]}.{name}.settings")


def outlines() -> list[Outline]:
    """The places on the page that steps fill."""
    packages = (import_module(f"{room}.{name}") for name, room in STEPS.items())
    return [outline for package in packages for outline in package.OUTLINES]


# What reads each config key beside those of k, l and t, for ``validate_config``.
READERS: dict[str, KeyReader] = {
    **KEY_READERS,
    **{name: key_reader(name, f"{room}.{name}.settings") for name, room in STEPS.items()},
}
