"""What is done beyond k, l, t: further measures of risk, custody of results, and what both doors share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module

# Steps of door 2 by config key, in the order in which they run. Each module has ``check_settings(value, config,
# columns)``, the faults of its key, and ``run_step(StepInput)``; it is imported where its key is used.
STEP_MODULES = {
    "risk": "disclosure_control.risk",
    "explore": "disclosure_control.exploration",
    "recommend": "disclosure_control.recommend",
    "treatment": "disclosure_control.treatment",
    "sweep": "disclosure_control.sweep",
    "linkage_attack": "disclosure_control.attacks.step",
    "fairness": "disclosure_control.fairness",
    "private_release": "disclosure_control.private_release",  # last: it spends, and no later step may fail after it
}


def step_checks(config: Mapping, columns: Iterable[str] | None) -> dict[str, Callable[[object], list[str]]]:
    """Per key of a step, the check of its value; ``columns`` are those of the combined dataset, None if unknown."""

    def check_of(module: str) -> Callable[[object], list[str]]:
        return lambda value: import_module(module).check_settings(value, config, columns)

    return {name: check_of(module) for name, module in STEP_MODULES.items()}
