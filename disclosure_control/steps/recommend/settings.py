"""The config key ``recommend``: what is minimised, and what the recoding may do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from config.model_settings import PilotConfig
from disclosure_control.basics.settings.settings import Check, faults_of_settings, is_number, is_share, one_of
from disclosure_control.basics.telling.faults import nearest_name, stop_at
from disclosure_control.generalisation.losses import METRICS
from disclosure_control.treatments.algorithms.built_hierarchies import is_rule


@dataclass(frozen=True)
class RecommendSettings:
    """The config key ``recommend``: what is minimised, and what the recoding may do."""

    metric: str = "loss"
    suppression_limit: float = 0.05
    hierarchies: Mapping[str, Any] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)
    fixed: Mapping[str, int] = field(default_factory=dict)
    max_level: Mapping[str, int] = field(default_factory=dict)
    time_limit: float = 30.0


def _by_column(is_valid: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda value: (
        isinstance(value, dict) and all(isinstance(name, str) and is_valid(entry) for name, entry in value.items())
    )


def _is_weight(value: Any) -> bool:
    return is_number(value) and 0 <= value <= 1e6


def _is_level(value: object) -> bool:
    return type(value) is int and value >= 0


def _is_source(value: object) -> bool:
    return value != "" if isinstance(value, str) else is_rule(value)


_KEYS: dict[str, Check] = {
    "metric": one_of(*METRICS),
    "suppression_limit": (is_share, "a share of the records from 0 to 1"),
    "hierarchies": (
        _by_column(_is_source),
        '{column: a CSV file in the pilot\'s folder, or "mask", "dates", {"intervals": [5, 10]}}',
    ),
    "weights": (_by_column(_is_weight), "{column: a number from 0}"),
    "fixed": (_by_column(_is_level), "{column: a level, a whole number from 0}"),
    "max_level": (_by_column(_is_level), "{column: a level, a whole number from 0}"),
    "time_limit": (lambda value: is_number(value) and 0 < value <= 1e6, "seconds, a number above 0"),
}
_BY_COLUMN = ("hierarchies", "weights", "fixed", "max_level")


def read_settings(value: Any, config: PilotConfig, columns: Sequence[str] | None) -> RecommendSettings:
    """The settings of the key. Raises ``FaultyInputError`` with every fault of it."""
    stop_at(faults_of_settings("recommend", value, _KEYS))
    settings = RecommendSettings(**value)
    stop_at(_faults_between_settings(settings, config.quasi_identifiers))
    return settings


def faults_without_records(settings: RecommendSettings, config: PilotConfig) -> list[str]:
    """None: the search needs classes and their counts, not records."""
    return []


def _faults_between_settings(settings: RecommendSettings, known: Sequence[str]) -> list[str]:
    faults = [
        f"recommend[{key!r}][{name!r}]: no quasi-identifier of the config{nearest_name(name, known)}"
        for key in _BY_COLUMN
        for name in getattr(settings, key)
        if name not in known
    ]
    faults += [
        f"recommend['max_level'][{name!r}]: the level is fixed at {settings.fixed[name]} as well; keep one of the two"
        for name in settings.max_level
        if name in settings.fixed
    ]
    weights, metric = settings.weights, settings.metric
    if weights and not METRICS[metric].is_separable:
        faults.append(f"recommend['weights']: {metric} is a figure of whole classes, in which columns have no weight")
    elif weights and known and not any(weights.get(name, 1) for name in known):
        faults.append("recommend['weights']: all are 0; allowed: one of them above 0")
    return faults
