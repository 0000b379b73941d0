"""The config key ``sweep``: a grid of treatments, and the analyses by which utility is judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from config.model_settings import PilotConfig
from disclosure_control.basics.settings.settings import FLAG, Check, are_names, faults_of_settings, is_name
from disclosure_control.basics.telling.faults import faults_of_columns, stop_at
from disclosure_control.drawings.files import DEFAULT_FORMATS, FIGURES, formats_of
from disclosure_control.steps.sweep.grid import SweepPoint, faults_of_grid, points_of
from disclosure_control.treatments.seeds import DEFAULT_SEED, SEED


@dataclass(frozen=True)
class SweepSettings:
    """The config key ``sweep``: the ``points`` of its grid, and how they are tried and measured.

    ``one_generator``: one generator of chance runs through all points, in their order; else each starts from ``seed``.
    ``eigenvalue_columns`` are numbers whose correlations are to survive, None for those with a role; ``utility`` holds
    the analyses "means" and "regression" as the config names them; ``figures`` are forms of files.
    """

    points: tuple[SweepPoint, ...]
    seed: int = DEFAULT_SEED
    one_generator: bool = True
    eigenvalue_columns: tuple[str, ...] | None = None
    utility: Mapping[str, object] = field(default_factory=dict)
    figures: tuple[str, ...] = DEFAULT_FORMATS


_KEYS: dict[str, Check] = {
    "grid": (
        lambda value: isinstance(value, list | tuple) and len(value) > 0,
        'a list of {"method": ..., settings}, one setting a list of what to try',
    ),
    "seed": SEED,
    "one_generator": FLAG,
    "eigenvalue_columns": (lambda value: are_names(value) and len(value) > 1, "a list of two or more numeric columns"),
    "utility": (lambda value: isinstance(value, dict), 'a dictionary of "means" and "regression"'),
    "figures": FIGURES,
}
_MEANS: dict[str, Check] = {"value": (is_name, "a numeric column"), "by": (are_names, "a list of columns")}
_REGRESSION: dict[str, Check] = {
    "outcome": (is_name, "a numeric column"),
    "predictors": (are_names, "a list of columns"),
}
_ANALYSES = {"means": _MEANS, "regression": _REGRESSION}


def read_settings(value: Any, config: PilotConfig, columns: Sequence[str] | None) -> SweepSettings:
    """The settings of the key. Raises ``FaultyInputError`` with every fault: of its settings, of every treatment of
    its grid, and columns that are not there.
    """
    faults = faults_of_settings("sweep", value, _KEYS)
    if not isinstance(value, dict):
        stop_at(faults)
    if "grid" not in value:
        faults.append(f"sweep['grid']: missing; allowed: {_KEYS['grid'][1]}")
    elif _KEYS["grid"][0](value["grid"]):
        faults += faults_of_grid(value["grid"], config, columns)
    named = value.get("eigenvalue_columns", [])
    faults += faults_of_columns("sweep['eigenvalue_columns']", named if are_names(named) else [], columns)
    analyses = value.get("utility", {})
    stop_at(faults + (_faults_of_analyses(analyses, columns) if isinstance(analyses, dict) else []))
    given = {name: setting for name, setting in value.items() if name != "grid"}
    if "eigenvalue_columns" in given:
        given["eigenvalue_columns"] = tuple(named)
    if "figures" in given:
        given["figures"] = formats_of(given["figures"])
    return SweepSettings(points_of(value["grid"]), **given)


def _faults_of_analyses(analyses: Mapping[str, Any], columns: Sequence[str] | None) -> list[str]:
    where = "sweep['utility']"
    is_dictionary: Check = (lambda value: isinstance(value, dict), "a dictionary")
    faults = faults_of_settings(where, analyses, dict.fromkeys(_ANALYSES, is_dictionary))
    for name, keys in _ANALYSES.items():
        given = analyses.get(name)
        if not isinstance(given, dict):
            continue
        here = f"{where}[{name!r}]"
        faults_here = faults_of_settings(here, given, keys)
        faults_here += [f"{here}[{key!r}]: missing; allowed: {keys[key][1]}" for key in keys if key not in given]
        if not faults_here:
            single, several = (given[key] for key in keys)
            faults_here = faults_of_columns(here, [single, *several], columns)
        faults += faults_here
    return faults
