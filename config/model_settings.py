"""The config keys of k, l and t: their check, their defaults, and the typed config of a pilot."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, TypeVar

from Anonymization_Models import DISTANCES, MISSING_POLICIES
from disclosure_control.basics.encoding.binning import OUT_OF_RANGE_POLICIES, are_edges
from disclosure_control.basics.settings.fields import (
    SettingsGroup,
    columns_named,
    faults_by_setting,
    read,
    setting,
    settings_in,
    typed,
)
from disclosure_control.basics.settings.kinds import (
    COUNT,
    Kind,
    Place,
    are_names,
    as_tuple,
    dictionary_of,
    is_name,
    is_number,
    one_of,
    one_or_by_name,
)
from disclosure_control.basics.settings.unknown_keys import unknown_key
from disclosure_control.basics.telling.faults import FaultyInputError, nearest_name, stop_at

Group = TypeVar("Group", bound=SettingsGroup)

_NAMES = Kind(
    lambda value: value in ([], ()) or are_names(value),
    "a list of distinct column names, [] for none",
    as_tuple,
    as_tuple,
)
_NAMES_OR_ONE = Kind(
    lambda value: value is None or is_name(value) or _NAMES.is_valid(value),
    f"a column name, or {_NAMES.allowed}",
    lambda value: as_tuple(value or ()),
    lambda value: as_tuple(value or ()),
)
EDGES = Kind(are_edges, "at least two numbers, each larger than the last", list)
_COUNT = COUNT.but("a whole number from 1 up to 2**53")
_DISTANCE = Kind(
    lambda value: is_number(value) and value >= 0,
    "a number from 0 up to 1e300: in the unit of the value for numbers, a share for categories",
)


@dataclass(frozen=True)
class PilotConfig(SettingsGroup):
    """A pilot's config after ``validate_config``: thresholds and distances per sensitive feature, defaults set.

    ``settings`` are the further keys, each read and typed once; ask ``of`` for them. ``literal`` is the
    whole config as it was written.
    """

    categorical_qis: tuple[str, ...] = setting(
        _NAMES, "quasi-identifiers that are categories: what an outsider may know"
    )
    continuous_qis: tuple[str, ...] = setting(_NAMES, "quasi-identifiers that are numbers")
    sensitive_features: tuple[str, ...] = setting(
        _NAMES_OR_ONE, "what nobody should learn about a person", named="sensitive_feature"
    )
    K: int = setting(_COUNT, "a class of fewer than K people is at risk")
    L: dict[str, int] = setting(
        one_or_by_name(_COUNT, "sensitive feature"),
        "a class of fewer than L distinct sensitive values is at risk",
        {},
        "needed with a sensitive feature",
    )
    T: dict[str, float] = setting(
        one_or_by_name(_DISTANCE, "sensitive feature"),
        "a class that differs from the whole dataset by more than T is at risk",
        {},
        "needed with a sensitive feature",
    )
    binning_config: dict[str, list[float]] = setting(
        dictionary_of(EDGES),
        'bins of the numbers: `{"DM__AGE": [0, 18, 65, 90]}` gives `[0,18)`, `[18,65)`, `[65,90]`; a column without '
        "is taken as it is",
        {},
    )
    sensitive_binning: dict[str, list[float]] = setting(
        dictionary_of(EDGES),
        "bins of numeric sensitive features, only for l",
        {},
        named="sensitive_binning_config_for_L",
    )
    missing_qis: str = setting(
        one_of(*MISSING_POLICIES),
        "a missing quasi-identifier: a value of its own, a reason not to evaluate, or a match for anything",
        "category",
    )
    out_of_range: str = setting(
        one_of(*OUT_OF_RANGE_POLICIES),
        "a value outside the edges: kept in a tail `<a` or `>b`, or made missing",
        "tail",
    )
    t_distance: dict[str, str | None] = setting(
        one_or_by_name(one_of(*DISTANCES), "sensitive feature"),
        "how t is measured",
        {},
        '`"wasserstein"` for numbers, `"total_variation"` for categories',
    )
    settings: dict[str, Any] = field(default_factory=dict)
    literal: dict[str, object] = field(default_factory=dict)

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        return self.categorical_qis + self.continuous_qis

    def has(self, key: str) -> bool:
        """Whether the config was written with this key."""
        return key in self.literal

    def of(self, kind: type[Group]) -> Group:
        """The settings of a further key, by their class; the defaults where the config does not have it."""
        return next((one for one in self.settings.values() if isinstance(one, kind)), None) or kind()


# What understands a further key: from its value, the config of k, l and t, and the columns of the combined dataset
# (None where nobody knows them yet) to typed settings. Raises ``FaultyInputError`` with every fault of the value.
KeyReader = Callable[[object, PilotConfig, Sequence[str] | None], object]


def key_reader(key: str, module: str) -> KeyReader:
    """Reads a key as the class of settings that the module names ``SETTINGS``; it is imported where the key is used."""
    return lambda value, config, columns: read(import_module(module).SETTINGS, value, Place(key, config, columns))


# By the name that the deliverable D4.2 has for a key: the name that is read.
NAMES_OF_THE_DELIVERABLE = {"sensitive_binning_config": "sensitive_binning_config_for_L"}


def _by_present_names(config: Mapping) -> dict:
    """The config with each key that has its name of the deliverable under the present one, if that is not there."""
    present = NAMES_OF_THE_DELIVERABLE
    return {key if present.get(key, key) in config else present[key]: value for key, value in config.items()}


def notes_on_names(config: Mapping) -> list[str]:
    """A note for each key that was read by its name of the deliverable."""
    read = NAMES_OF_THE_DELIVERABLE.items()
    return [f'"{was}" is read as "{now}": these bins are for l alone.' for was, now in read if was in config]


def validate_config(
    config: object,
    columns: Iterable[str] | None = None,
    readers: Mapping[str, KeyReader] | None = None,
) -> PilotConfig:
    """Check a pilot's config and return it with its defaults; every fault of it is named in one error.

    ``columns``: those of the combined dataset, to find names that do not exist. ``readers``: further keys, each with
    what reads its settings; they are read here and nowhere else. Raises ``FaultyInputError``.
    """
    if not isinstance(config, dict):
        raise FaultyInputError(f"config: a dictionary is needed, found {type(config).__name__}")
    readers, config = readers or {}, _by_present_names(config)
    columns = columns if columns is None or isinstance(columns, Sequence) else list(columns)
    valid, faults_of_keys = _valid_keys(config)
    faults = [*unknown_config_keys(config, readers), *faults_of_keys]
    checked = _with_defaults(config, valid)
    settings, faults_of_settings = read_keys(checked, columns, readers)
    faults += faults_of_settings
    faults += _faults_between_keys(checked, valid)
    for key, names in columns_named(checked).items():
        faults += Place(key, columns=columns).faults_of_columns(names)
    stop_at(faults)
    return dataclasses.replace(checked, settings=settings)


def config_of_valid_keys(config: Mapping) -> PilotConfig:
    """The config as far as its keys of k, l and t are valid, the others as if they were not given."""
    config = _by_present_names(config)
    return _with_defaults(config, _valid_keys(config)[0])


def _valid_keys(config: Mapping) -> tuple[dict[str, object], list[str]]:
    """Those of the models' keys that are valid, and the faults of the others and of those that are missing."""
    faults = faults_by_setting(PilotConfig, config, Place())
    valid = {name: config[name] for name in settings_in(PilotConfig) if name in config and name not in faults}
    return valid, [fault for found in faults.values() for fault in found]


def read_keys(
    config: PilotConfig, columns: Sequence[str] | None, readers: Mapping[str, KeyReader]
) -> tuple[dict[str, object], list[str]]:
    """The typed settings of the further keys that the config has, and the faults of those that cannot be read."""
    settings: dict[str, object] = {}
    faults: list[str] = []
    for name, read_key in readers.items():
        if config.has(name):
            try:
                settings[name] = read_key(config.literal[name], config, columns)
            except FaultyInputError as error:
                faults += error.faults
    return settings, faults


def read_further_keys(literal: Mapping, readers: Mapping[str, KeyReader], others: Iterable[str]) -> dict[str, object]:
    """The typed settings of further keys alone, where the models' own keys and ``others`` cannot be checked yet.

    Raises ``FaultyInputError`` with their faults, and with keys that nobody reads.
    """
    faults = unknown_config_keys(literal, [*readers, *others])
    settings, faults_of_settings = read_keys(config_of_valid_keys(literal), None, readers)
    stop_at([*faults, *faults_of_settings])
    return settings


def unknown_config_keys(config: Mapping, step_keys: Iterable[str]) -> list[str]:
    """A fault for each key of a config that is neither of the models nor of a step, with what to use instead."""
    known = [*settings_in(PilotConfig), *step_keys]
    return [unknown_key(Place(), key, known) for key in _by_present_names(config) if key not in known]


def _with_defaults(config: dict, valid: Mapping[str, Any]) -> PilotConfig:
    """The config from those of its keys that are ``valid``; the others count as not given."""
    least: dict[str, Any] = {"categorical_qis": (), "continuous_qis": (), "sensitive_feature": (), "K": 1}
    checked = typed(PilotConfig, {**least, "L": None, "T": None, "t_distance": None, **valid})
    by_feature: dict[str, Any] = {
        name: value
        if isinstance(value := getattr(checked, name), dict)
        else dict.fromkeys(checked.sensitive_features, value)
        for name in ("L", "T", "t_distance")
    }
    return dataclasses.replace(checked, **by_feature, literal=config)


def _faults_between_keys(checked: PilotConfig, valid: dict) -> list[str]:
    roles = {
        "categorical_qis": checked.categorical_qis,
        "continuous_qis": checked.continuous_qis,
        "sensitive_feature": checked.sensitive_features,
    }
    faults = [
        f"{name!r} is in both {first} and {second}; allowed: one of them"
        for first, second in itertools.combinations(roles, 2)
        for name in roles[first]
        if name in roles[second]
    ]
    if {"categorical_qis", "continuous_qis"} <= set(valid) and not checked.quasi_identifiers:
        faults.append("categorical_qis, continuous_qis: both are empty; name at least one quasi-identifier")
    faults += [
        f"{name}: missing; allowed: {settings_in(PilotConfig)[name].kind.allowed}"
        for name in ("L", "T")
        if checked.literal.get("sensitive_feature", True) and name not in checked.literal
    ]
    per_column: dict[str, tuple[Mapping[str, object], str]] = {
        "binning_config": (checked.binning_config, "continuous_qis"),
        "sensitive_binning_config_for_L": (checked.sensitive_binning, "sensitive_feature"),
        "L": (checked.L, "sensitive_feature"),
        "T": (checked.T, "sensitive_feature"),
        "t_distance": (checked.t_distance, "sensitive_feature"),
    }
    for key, (entries, role) in per_column.items():
        strangers = [name for name in entries if role in valid and name not in roles[role]]
        faults += [f"{key}[{name!r}]: not among {role}{nearest_name(name, roles[role])}" for name in strangers]
    for key, given in (("L", checked.L), ("T", checked.T)):
        absent = [name for name in checked.sensitive_features if name not in given]
        faults += [f"{key}[{name!r}]: missing; give a number for each sensitive feature" for name in absent]
    return faults
