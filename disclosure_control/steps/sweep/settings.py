"""The config key ``sweep``: a grid of treatments, and the analyses by which utility is judged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from config.model_settings import PilotConfig
from disclosure_control.basics.faults import nearest_name, stop_at
from disclosure_control.basics.settings import are_names, faults_of_settings, is_name
from disclosure_control.steps.sweep.grid import points_of_entry, varied_settings
from disclosure_control.treatments.treated_pilot import faults_of_steps


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
    varied = varied_settings(entry)
    if len(varied) > 1 or ("parameter" in entry and not varied):
        keys = ", ".join(repr(key) for _, key in varied) or f"no list under {entry['parameter']!r}"
        return [f"{where}: found {keys}; allowed: one setting that is a list of what to try; make one entry for each"]
    for point in points_of_entry(entry):
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


def read_settings(value: object, config: PilotConfig, columns: Sequence[str] | None) -> Mapping:
    """The settings of the config key ``sweep``. Raises ``FaultyInputError`` with every fault of it."""
    stop_at(check_settings(value, config.literal, columns))
    return value
