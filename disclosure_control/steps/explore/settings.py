"""The config key ``explore``: which columns, groups and pairs are looked at, and what is drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from config.model_settings import PilotConfig
from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN
from disclosure_control.basics.settings.settings import (
    COLUMNS,
    Check,
    are_names,
    faults_of_settings,
    is_name,
    whole_number,
)
from disclosure_control.basics.telling.faults import faults_of_columns, stop_at
from disclosure_control.drawings.files import DEFAULT_FORMATS, FIGURES, formats_of


@dataclass(frozen=True)
class ExploreSettings:
    """The config key ``explore``. None stands for a choice by the roles of the columns; ``figures`` are forms."""

    columns: tuple[str, ...] | None = None
    group: str | None = None
    cross_tables: tuple[tuple[str, str], ...] | None = None
    mosaic: tuple[str, str] | None = None
    pairs: tuple[str, ...] | None = None
    max_levels: int = 20
    small_level: int = 5
    max_drawn: int = 12
    figures: tuple[str, ...] = DEFAULT_FORMATS


def _are_names_from(least: int, most: int) -> Callable[[object], bool]:
    return lambda value: are_names(value) and least <= len(value) <= most


_IS_PAIR = _are_names_from(2, 2)
_UP_TO_1000 = whole_number(1, 1000)
_KEYS: dict[str, Check] = {
    "columns": (_are_names_from(1, 10_000), f"{COLUMNS[1]}; without it all of them"),
    "group": (is_name, "a column with few values"),
    "cross_tables": (
        lambda value: isinstance(value, list | tuple) and all(map(_IS_PAIR, value)),
        "a list of pairs of columns",
    ),
    "mosaic": (_IS_PAIR, "two columns"),
    "pairs": (_are_names_from(2, 6), "two to six columns of numbers"),
    "max_levels": (_UP_TO_1000[0], f"{_UP_TO_1000[1]}: columns with more values are not tabulated"),
    "small_level": _UP_TO_1000,
    "max_drawn": (_UP_TO_1000[0], f"{_UP_TO_1000[1]}: columns in each kind of figure"),
    "figures": FIGURES,
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


def read_settings(value: Any, config: PilotConfig, columns: Sequence[str] | None) -> ExploreSettings:
    """The settings of the config key ``explore``. Raises ``FaultyInputError`` with every fault of it."""
    stop_at(_faults(value, columns))
    given = {} if value == "all" else dict(value)
    for key in ("columns", "mosaic", "pairs"):
        if key in given:
            given[key] = tuple(given[key])
    if "cross_tables" in given:
        given["cross_tables"] = tuple(tuple(pair) for pair in given["cross_tables"])
    if "figures" in given:
        given["figures"] = formats_of(given["figures"])
    return ExploreSettings(**given)
