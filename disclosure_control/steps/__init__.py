"""The steps of door 2: one folder per config key, named as the key."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from types import ModuleType

# Config keys of the steps, in the order in which they run. The module ``step`` in the folder of each has
# ``check_settings(value, config, columns)``, the faults of its key, and ``run_step(StepInput)``; it is imported where
# its key is used.
STEPS = (
    "risk",
    "explore",
    "recommend",
    "treatment",
    "sweep",
    "linkage_attack",
    "fairness",
    "private_release",  # last: it spends, and no later step may fail after it
)


def step_module(name: str) -> ModuleType:
    return import_module(f"disclosure_control.steps.{name}.step")


def step_checks(config: Mapping, columns: Iterable[str] | None) -> dict[str, Callable[[object], list[str]]]:
    """Per key of a step, the check of its value; ``columns`` are those of the combined dataset, None if unknown."""

    def check_of(name: str) -> Callable[[object], list[str]]:
        return lambda value: step_module(name).check_settings(value, config, columns)

    return {name: check_of(name) for name in STEPS}
