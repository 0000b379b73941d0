"""The grid of a sweep: which treatments are tried with which parameters, and the check of the config key."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from disclosure_control.basics.faults import nearest_name
from disclosure_control.basics.settings import are_names, faults_of_settings, is_name
from disclosure_control.treatments.registry import methods
from disclosure_control.treatments.treated_pilot import faults_of_steps


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
        points += [dataclasses.replace(point, method=name) for point in _points_of_entry(entry)]
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


def _varied(entry: Mapping) -> list[tuple[int, str]]:
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


def _points_of_entry(entry: Mapping) -> list[SweepPoint]:
    steps, varied = _steps_of(entry), _varied(entry)
    if not varied:
        return [SweepPoint("", "", None, tuple(steps))]
    i, key = varied[0]
    return [
        SweepPoint("", key, value, tuple({**step, key: value} if j == i else step for j, step in enumerate(steps)))
        for value in steps[i][key]
    ]


# ---------------------------------------------------------------- the config key


def _is_whole(value: object) -> bool:
    return type(value) is int and 0 <= value < 2**128


_KEYS = {
    "grid": (
        lambda value: isinstance(value, list | tuple) and len(value) > 0,
        'a list of {"method": ..., settings}, one setting a list of what to try',
    ),
    "seed": (_is_whole, "a whole number from 0"),
    "one_generator": (lambda value: isinstance(value, bool), "True or False"),
    "eigenvalue_columns": (lambda value: are_names(value) and len(value) > 1, "a list of two or more numeric columns"),
    "utility": (lambda value: isinstance(value, dict), 'a dictionary of "means" and "regression"'),
}
_MEANS = {"value": (is_name, "a numeric column"), "by": (are_names, "a list of columns")}
_REGRESSION = {"outcome": (is_name, "a numeric column"), "predictors": (are_names, "a list of columns")}
_ANALYSES = {"means": _MEANS, "regression": _REGRESSION}


def check_settings(value: object, config: Mapping, columns: Iterable[str] | None) -> list[str]:
    """Faults of the config key ``sweep``: its settings, every treatment of its grid, and columns that are not there."""
    faults = faults_of_settings("sweep", value, _KEYS)
    if not isinstance(value, dict):
        return faults
    columns = None if columns is None else list(columns)
    if "grid" not in value:
        faults.append(f"sweep['grid']: missing; allowed: {_KEYS['grid'][1]}")
    elif _KEYS["grid"][0](value["grid"]):
        for i, entry in enumerate(value["grid"]):
            faults += _faults_of_entry(f"sweep['grid'][{i}]", entry, config, columns)
    named = value.get("eigenvalue_columns", [])
    faults += _absent("sweep['eigenvalue_columns']", named if are_names(named) else [], columns)
    analyses = value.get("utility", {})
    return faults + (_faults_of_analyses(analyses, columns) if isinstance(analyses, dict) else [])


def _faults_of_entry(where: str, entry: object, config: Mapping, columns: list[str] | None) -> list[str]:
    is_entry = isinstance(entry, dict) and ("method" in entry) != ("steps" in entry)
    steps = entry.get("steps", ()) if is_entry else None
    if not is_entry or not isinstance(steps, list | tuple) or not all(isinstance(step, dict) for step in steps):
        return [f'{where}: allowed: {{"method": ..., settings}}, or {{"name": ..., "steps": [...]}}']
    faults = []
    if "steps" in entry:
        faults += faults_of_settings(
            where, entry, dict.fromkeys(("name", "parameter", "steps"), (lambda value: True, ""))
        )
        if not steps:
            faults.append(f'{where}["steps"]: empty; allowed: a list of {{"method": ..., settings}}')
    for key in ("name", "parameter"):
        if key in entry and not is_name(entry[key]):
            faults.append(f"{where}[{key!r}]: found {type(entry[key]).__name__}; allowed: a text")
    if faults:
        return faults
    varied = _varied(entry)
    if len(varied) > 1 or ("parameter" in entry and not varied):
        keys = ", ".join(repr(key) for _, key in varied) or f"no list under {entry['parameter']!r}"
        return [f"{where}: found {keys}; allowed: one setting that is a list of what to try; make one entry for each"]
    for point in _points_of_entry(entry):
        faults += faults_of_steps(point.steps, config, columns, where)
    return list(dict.fromkeys(faults))


def _faults_of_analyses(analyses: Mapping, columns: list[str] | None) -> list[str]:
    where = "sweep['utility']"
    faults = faults_of_settings(
        where, analyses, dict.fromkeys(_ANALYSES, (lambda value: isinstance(value, dict), "a dictionary"))
    )
    for name, keys in _ANALYSES.items():
        given = analyses.get(name)
        if not isinstance(given, dict):
            continue
        here = f"{where}[{name!r}]"
        faults_here = faults_of_settings(here, given, keys)
        faults_here += [f"{here}[{key!r}]: missing; allowed: {keys[key][1]}" for key in keys if key not in given]
        if not faults_here:
            single, several = given.values() if list(given) == list(keys) else (given[key] for key in keys)
            faults_here = _absent(here, [single, *several], columns)
        faults += faults_here
    return faults


def _absent(where: str, names: Iterable[str], columns: list[str] | None) -> list[str]:
    return [
        f"{where}: column {name!r} is not in the combined dataset{nearest_name(name, columns)}"
        for name in names
        if columns is not None and name not in columns
    ]
