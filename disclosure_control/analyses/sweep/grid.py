"""The grid of a sweep: which treatments are tried with which parameters, and its check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from config.model_settings import PilotConfig
from disclosure_control.basics.settings.fields import settings_in
from disclosure_control.basics.settings.kinds import Kind, is_name
from disclosure_control.basics.settings.unknown_keys import unknown_key
from disclosure_control.remedy.treatments.registry import TreatmentStep, methods
from disclosure_control.remedy.treatments.steps import faults_of_steps


@dataclass(frozen=True)
class SweepPoint:
    """One treatment to try: ``steps`` as under ``treatment``; ``param_name`` is "" where nothing is varied."""

    method: str
    param_name: str
    param_value: object
    steps: tuple[TreatmentStep, ...]


# ---------------------------------------------------------------- the grid


def points_of(grid: Sequence[Mapping[str, object]]) -> tuple[SweepPoint, ...]:
    """Every point of a grid without a fault, in its order."""
    points: list[SweepPoint] = []
    names: dict[str, int] = {}
    for entry in grid:
        name = _name_of(entry)
        names[name] = names.get(name, 0) + 1
        if names[name] > 1:
            name = f"{name} ({names[name]})"
        points += [
            SweepPoint(name, key, value, tuple(map(TreatmentStep.of, steps))) for key, value, steps in _tried(entry)
        ]
    return tuple(points)


def _steps_of(entry: Mapping[str, Any]) -> list[dict[str, Any]]:
    if "steps" in entry:
        return [dict(step) for step in entry["steps"]]
    return [{key: value for key, value in entry.items() if key != "name"}]


def _name_of(entry: Mapping[str, Any]) -> str:
    """The name that the entry gives, or its methods with the columns they treat."""
    if "name" in entry:
        return entry["name"]
    parts = []
    for step in _steps_of(entry):
        named = step.get("column", step.get("columns", ()))
        columns = [named] if isinstance(named, str) else [name for name in named if isinstance(name, str)]
        parts.append(" ".join([step["method"], ", ".join(columns)]).strip())
    return " + ".join(parts)


def _varied_settings(entry: Mapping[str, Any]) -> list[tuple[int, str]]:
    """Settings of an entry with several values to try: (position of the step, setting)."""
    found = []
    for i, step in enumerate(_steps_of(entry)):
        treatment = methods().get(str(step.get("method")))
        for key, value in step.items() if treatment else ():
            one = settings_in(treatment.settings).get(key) if treatment else None
            if one is None or not isinstance(value, list | tuple):
                continue
            if not one.kind.is_valid(value) and any(map(one.kind.is_valid, value)):
                found.append((i, key))
    return found


def _tried(entry: Mapping[str, Any]) -> list[tuple[str, object, list[dict[str, Any]]]]:
    """The variants of an entry: the varied setting, its value, and the steps as a config writes them."""
    steps, varied = _steps_of(entry), _varied_settings(entry)
    if not varied:
        return [("", None, steps)]
    i, key = varied[0]
    return [
        (key, value, [{**step, key: value} if j == i else step for j, step in enumerate(steps)])
        for value in steps[i][key]
    ]


# ---------------------------------------------------------------- the check


def faults_of_grid(grid: Sequence[object], config: PilotConfig, columns: Sequence[str] | None) -> list[str]:
    """Faults of every entry of a grid, and of the treatments that it makes; ``columns`` are None where unknown."""
    return [
        fault
        for i, entry in enumerate(grid)
        for fault in _faults_of_entry(f"sweep['grid'][{i}]", entry, config, columns)
    ]


def _faults_of_entry(where: str, entry: Any, config: PilotConfig, columns: Sequence[str] | None) -> list[str]:
    is_entry = isinstance(entry, dict) and ("method" in entry) != ("steps" in entry)
    steps = entry.get("steps", ()) if is_entry else None
    if not is_entry or not isinstance(steps, list | tuple) or not all(isinstance(step, dict) for step in steps):
        return [f'{where}: allowed: {{"method": ..., settings}}, or {{"name": ..., "steps": [...]}}']
    faults = []
    if "steps" in entry:
        known = ("name", "steps")
        faults += [unknown_key(where, key, known) for key in entry if key not in known]
        if not steps:
            faults.append(f'{where}["steps"]: empty; allowed: a list of {{"method": ..., settings}}')
    if "name" in entry and not is_name(entry["name"]):
        faults.append(f"{where}['name']: found {type(entry['name']).__name__}; allowed: a text")
    if "parameter" in entry:
        faults.append(unknown_key("sweep", "parameter", ()))
    if faults:
        return faults
    varied = _varied_settings(entry)
    if len(varied) > 1:
        keys = ", ".join(repr(key) for _, key in varied)
        return [f"{where}: found {keys}; allowed: one setting that is a list of what to try; make one entry for each"]
    for _, _, tried in _tried(entry):
        faults += faults_of_steps(tried, config, columns, where)
    return list(dict.fromkeys(faults))


GRID = Kind(
    lambda value: isinstance(value, list | tuple) and len(value) > 0,
    'a list of {"method": ..., settings}, one setting a list of what to try',
    lambda value: points_of(value),
    within=lambda value, place: faults_of_grid(value, place.pilot, place.columns),
)
