"""The grid of a sweep: which treatments are tried with which parameters, and the check of the config key."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from disclosure_control.treatments.registry import methods


@dataclass(frozen=True)
class SweepPoint:
    """One treatment to try: ``steps`` as under ``treatment``; ``param_name`` is "" where nothing is varied."""

    method: str
    param_name: str
    param_value: object
    steps: tuple[Mapping, ...]


# ---------------------------------------------------------------- the grid


def points_of(grid: Sequence[Mapping]) -> list[SweepPoint]:
    """Every point of a checked grid, in its order."""
    points: list[SweepPoint] = []
    names: dict[str, int] = {}
    for entry in grid:
        name = _name_of(entry)
        names[name] = names.get(name, 0) + 1
        if names[name] > 1:
            name = f"{name} ({names[name]})"
        points += [dataclasses.replace(point, method=name) for point in points_of_entry(entry)]
    return points


def _steps_of(entry: Mapping) -> list[dict]:
    if "steps" in entry:
        return [dict(step) for step in entry["steps"]]
    return [{key: value for key, value in entry.items() if key not in ("name", "parameter")}]


def _name_of(entry: Mapping) -> str:
    """The name that the entry gives, or its methods with the columns they treat."""
    if "name" in entry:
        return entry["name"]
    parts = []
    for step in _steps_of(entry):
        named = step.get("column", step.get("columns", ()))
        columns = [named] if isinstance(named, str) else [name for name in named if isinstance(name, str)]
        parts.append(" ".join([step["method"], ", ".join(columns)]).strip())
    return " + ".join(parts)


def varied_settings(entry: Mapping) -> list[tuple[int, str]]:
    """Settings of an entry that hold several values to try: (position of the step, setting)."""
    steps = _steps_of(entry)
    if "parameter" in entry:
        return [
            (i, entry["parameter"]) for i, step in enumerate(steps) if isinstance(step.get(entry["parameter"]), list)
        ]
    found = []
    for i, step in enumerate(steps):
        treatment = methods().get(step.get("method"))
        for key, value in step.items() if treatment else ():
            is_valid = treatment.settings.get(key, (lambda value: True,))[0]
            if isinstance(value, list | tuple) and not is_valid(value) and any(map(is_valid, value)):
                found.append((i, key))
    return found


def points_of_entry(entry: Mapping) -> list[SweepPoint]:
    steps, varied = _steps_of(entry), varied_settings(entry)
    if not varied:
        return [SweepPoint("", "", None, tuple(steps))]
    i, key = varied[0]
    return [
        SweepPoint("", key, value, tuple({**step, key: value} if j == i else step for j, step in enumerate(steps)))
        for value in steps[i][key]
    ]
