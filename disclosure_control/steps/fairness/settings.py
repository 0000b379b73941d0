"""The config key ``fairness``: which outcome is favourable, and whose rates are compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from config.model_settings import PilotConfig
from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN
from disclosure_control.basics.settings.settings import (
    COLUMN,
    IS_VALUE,
    Check,
    faults_of_settings,
    is_name,
    is_number,
    is_value,
)
from disclosure_control.basics.telling.faults import faults_of_columns, stop_at

KEY = "fairness"


@dataclass(frozen=True)
class FavourableRule:
    """Which values of a column are favourable: those that stand in the ``relation`` to the ``value``.

    ``relation``: "at_least" or "at_most", with a number or "mean"; or "equals", with some values as the dataset spells
    them.
    """

    column: str
    relation: str
    value: float | str | tuple[object, ...]

    def figures(self) -> dict[str, object]:
        """As it stands in the JSON summary, and in the config."""
        return {"column": self.column, self.relation: list(self.value) if isinstance(self.value, tuple) else self.value}


@dataclass(frozen=True)
class FairnessSettings:
    """The config key ``fairness``. ``reference`` and ``group`` are values of the column ``sensitive``.

    ``group`` is None for all who are not of the reference group; ``strata`` are columns, none for no strata.
    """

    favourable: FavourableRule
    sensitive: str
    reference: object
    group: object = None
    strata: tuple[str, ...] = ()


def _is_column(value: object) -> bool:
    return is_name(value) and value != SUBJECT_COLUMN


_COLUMN: Check = (_is_column, COLUMN[1])
_LIMIT: Check = (lambda value: value == "mean" or is_number(value), 'a number, or "mean"')
_RELATIONS: dict[str, Check] = {
    "at_least": _LIMIT,
    "at_most": _LIMIT,
    "equals": (
        lambda value: isinstance(value, list | tuple) and bool(value) and all(map(is_value, value)),
        "a list of values",
    ),
}
_KEYS: dict[str, Check] = {
    "favourable": (lambda value: isinstance(value, dict), '{"column": ..., "at_least": "mean"} or another rule'),
    "sensitive": _COLUMN,
    "reference": IS_VALUE,
    "group": IS_VALUE,
    "strata": (
        lambda value: isinstance(value, list | tuple) and bool(value) and all(map(_is_column, value)),
        "a list of columns",
    ),
}


def read_settings(value: Any, config: PilotConfig, columns: Sequence[str] | None) -> FairnessSettings:
    """The settings of the config key ``fairness``. Raises ``FaultyInputError`` with every fault of it."""
    stop_at(_faults(value))
    rule = dict(value["favourable"])
    column = rule.pop("column")
    ((relation, wanted),) = rule.items()
    favourable = FavourableRule(column, relation, tuple(wanted) if relation == "equals" else wanted)
    settings = FairnessSettings(**{**value, "favourable": favourable, "strata": tuple(value.get("strata", ()))})
    if columns is not None:
        stop_at(_faults_of_columns(settings, columns))
    return settings


def _faults(value: object) -> list[str]:
    faults = faults_of_settings(KEY, value, _KEYS)
    if not isinstance(value, dict):
        return faults
    faults += [f"{KEY}[{key!r}]: missing" for key in ("favourable", "sensitive", "reference") if key not in value]
    if isinstance(value.get("favourable"), dict):
        faults += _faults_of_rule(f"{KEY}['favourable']", value["favourable"])
    return faults


def _faults_of_rule(where: str, rule: Mapping[str, object]) -> list[str]:
    """Faults of a rule of which outcome is favourable: a column, and one of ``at_least``, ``at_most``, ``equals``."""
    faults = faults_of_settings(where, rule, {"column": _COLUMN, **_RELATIONS})
    if "column" not in rule:
        faults.append(f"{where}['column']: missing")
    if sum(name in rule for name in _RELATIONS) != 1:
        faults.append(f"{where}: allowed: exactly one of {', '.join(_RELATIONS)}")
    return faults


def _faults_of_columns(settings: FairnessSettings, columns: Sequence[str]) -> list[str]:
    faults = faults_of_columns(KEY, [settings.favourable.column, settings.sensitive, *settings.strata], columns)
    if settings.sensitive in settings.strata:
        faults.append(f"{KEY}['strata']: holds {settings.sensitive!r}, whose groups are compared; take it out")
    return faults
