"""The config key ``explore``: which columns, groups and pairs are looked at, and what is drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from config.model_settings import PilotConfig
from disclosure_control.assess.combined_dataset import SUBJECT_COLUMN
from disclosure_control.basics.faults import faults_of_columns, stop_at
from disclosure_control.basics.settings import faults_of_settings


@dataclass(frozen=True)
class ExploreSettings:
    """The config key ``explore``. None stands for a choice by the roles of the columns."""

    columns: tuple[str, ...] | None = None
    group: str | None = None
    cross_tables: tuple[tuple[str, str], ...] | None = None
    mosaic: tuple[str, str] | None = None
    pairs: tuple[str, ...] | None = None
    max_levels: int = 20
    small_level: int = 5
    max_drawn: int = 12
    figures: bool = True


def _are_names(value: object, least: int = 1, most: int = 10_000) -> bool:
    names = isinstance(value, list | tuple) and all(isinstance(name, str) and name for name in value)
    return names and least <= len(value) <= most and len(set(value)) == len(value)


def _is_count(value: object) -> bool:
    return type(value) is int and 1 <= value <= 1000


_KEYS: dict[str, tuple[Callable[[object], bool], str]] = {
    "columns": (_are_names, "a list of distinct column names; without it all of them"),
    "group": (lambda value: isinstance(value, str) and value != "", "a column with few values"),
    "cross_tables": (
        lambda value: isinstance(value, list | tuple) and all(_are_names(pair, 2, 2) for pair in value),
        "a list of pairs of columns",
    ),
    "mosaic": (lambda value: _are_names(value, 2, 2), "two columns"),
    "pairs": (lambda value: _are_names(value, 2, 6), "two to six columns of numbers"),
    "max_levels": (_is_count, "a whole number from 1 to 1000: columns with more values are not tabulated"),
    "small_level": (_is_count, "a whole number from 1 to 1000"),
    "max_drawn": (_is_count, "a whole number from 1 to 1000: columns in each kind of figure"),
    "figures": (lambda value: isinstance(value, bool), "True or False"),
}


def _faults(value: object, columns: Sequence[str] | None) -> list[str]:
    if value == "all":
        return []
    if not isinstance(value, dict):
        return [f'explore: found {type(value).__name__}; allowed: "all", or a dictionary of {", ".join(_KEYS)}']
    faults = faults_of_settings("explore", value, _KEYS)
    if faults:
        return faults
    named = [*value.get("columns", ()), *value.get("mosaic", ()), *value.get("pairs", ())]
    named += [name for pair in value.get("cross_tables", ()) for name in pair]
    named += [value["group"]] if "group" in value else []
    if SUBJECT_COLUMN in named:
        return [f"explore: {SUBJECT_COLUMN!r} names the subject, and there is nothing to explore in it; take it out"]
    return faults_of_columns("explore", named, columns)


def read_settings(value: object, config: PilotConfig, columns: Sequence[str] | None) -> ExploreSettings:
    """The settings of the config key ``explore``. Raises ``FaultyInputError`` with every fault of it."""
    stop_at(_faults(value, columns))
    given = {} if value == "all" else dict(value)
    for key in ("columns", "mosaic", "pairs"):
        if key in given:
            given[key] = tuple(given[key])
    if "cross_tables" in given:
        given["cross_tables"] = tuple(tuple(pair) for pair in given["cross_tables"])
    return ExploreSettings(**given)
