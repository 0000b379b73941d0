"""The config keys of k, l and t: their check, their defaults, and the typed config of a pilot."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from Anonymization_Models import DISTANCES, MISSING_POLICIES
from disclosure_control.basics.encoding.binning import OUT_OF_RANGE_POLICIES, are_edges
from disclosure_control.basics.settings.settings import is_count, is_number
from disclosure_control.basics.telling.faults import FaultyInputError, nearest_name, stop_at


@dataclass(frozen=True)
class PilotConfig:
    """A pilot's config after ``validate_config``: thresholds and distances per sensitive feature, defaults set.

    ``settings`` holds what the further keys say, each read and typed once by whoever understands it; ``literal`` is the
    whole config as it was written.
    """

    categorical_qis: tuple[str, ...]
    continuous_qis: tuple[str, ...]
    binning_config: dict[str, list[float]]
    sensitive_features: tuple[str, ...]
    sensitive_binning: dict[str, list[float]]
    K: int
    L: dict[str, int]
    T: dict[str, float]
    missing_qis: str
    out_of_range: str
    t_distance: dict[str, str | None]
    settings: dict[str, Any]
    literal: dict[str, object]

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        return self.categorical_qis + self.continuous_qis

    def has(self, key: str) -> bool:
        """Whether the config was written with this key."""
        return key in self.literal


# What understands a further key: from its value, the config of k, l and t, and the columns of the combined dataset
# (None where nobody knows them yet) to typed settings. Raises ``FaultyInputError`` with every fault of the value.
KeyReader = Callable[[object, PilotConfig, Sequence[str] | None], object]


def _is_threshold(value: object) -> bool:
    return is_number(value) and value >= 0


def _are_names(value: object) -> bool:
    if not isinstance(value, list | tuple) or not all(isinstance(name, str) and name for name in value):
        return False
    return len(set(value)) == len(value)


def _are_names_or_one(value: object) -> bool:
    return value is None or (isinstance(value, str) and value != "") or _are_names(value)


@dataclass(frozen=True)
class _Key:
    is_valid: Callable[[object], bool]
    allowed: str
    required: bool = False
    by_column: str = "never"  # "may" or "must" hold a dictionary, column -> value


def _one_of(names: Iterable[str]) -> _Key:
    names = tuple(names)
    return _Key(names.__contains__, " or ".join(f'"{name}"' for name in names))


def _model_keys() -> dict[str, _Key]:
    names, edges = "a list of distinct column names, [] for none", "at least two numbers, each larger than the last"
    count, distance = (
        "a whole number from 1 up to 2**53",
        "a number from 0 up to 1e300: in the unit of the value for numbers, a share for categories",
    )
    return {
        "categorical_qis": _Key(_are_names, names, required=True),
        "continuous_qis": _Key(_are_names, names, required=True),
        "binning_config": _Key(are_edges, edges, by_column="must"),
        "sensitive_feature": _Key(_are_names_or_one, f"a column name, or {names}", required=True),
        "sensitive_binning_config_for_L": _Key(are_edges, edges, by_column="must"),
        "K": _Key(is_count, count, required=True),
        "L": _Key(is_count, count, required=True, by_column="may"),
        "T": _Key(_is_threshold, distance, required=True, by_column="may"),
        "missing_qis": _one_of(MISSING_POLICIES),
        "out_of_range": _one_of(OUT_OF_RANGE_POLICIES),
        "t_distance": dataclasses.replace(_one_of(DISTANCES), by_column="may"),
    }


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
    readers = readers or {}
    columns = columns if columns is None or isinstance(columns, Sequence) else list(columns)
    valid, faults_of_keys = _check_model_keys(config)
    faults = [*unknown_config_keys(config, readers), *faults_of_keys]
    checked = _with_defaults(config, valid)
    settings, faults_of_settings = read_keys(checked, columns, readers)
    faults += faults_of_settings
    faults += _faults_between_keys(checked, valid)
    if columns is not None:
        faults += _missing_columns(checked, columns)
    stop_at(faults)
    return dataclasses.replace(checked, settings=settings)


def config_of_valid_keys(config: Mapping) -> PilotConfig:
    """The config as far as its keys of k, l and t are valid, the others as if they were not given."""
    return _with_defaults(dict(config), _check_model_keys(config)[0])


def _check_model_keys(config: Mapping) -> tuple[dict[str, object], list[str]]:
    """Those of the models' keys that are valid, and the faults of the others and of those that are missing."""
    valid, faults = {}, []
    for name, key in _model_keys().items():
        if name in config:
            faults_of_key = _faults_of_value(name, config[name], key)
        elif key.required and (config.get("sensitive_feature", True) or name not in ("L", "T")):
            faults_of_key = [f"{name}: missing; allowed: {key.allowed}"]
        else:
            continue
        faults += faults_of_key
        if not faults_of_key:
            valid[name] = config[name]
    return valid, faults


def read_keys(
    config: PilotConfig, columns: Sequence[str] | None, readers: Mapping[str, KeyReader]
) -> tuple[dict[str, object], list[str]]:
    """The typed settings of the further keys that the config has, and the faults of those that cannot be read."""
    settings: dict[str, object] = {}
    faults: list[str] = []
    for name, read in readers.items():
        if config.has(name):
            try:
                settings[name] = read(config.literal[name], config, columns)
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
    """A fault for each key of a config that is neither the models' nor a step's, with the nearest known one."""
    known = [*_model_keys(), *step_keys]
    strangers = [key for key in config if key not in known]
    return [f"{key}: unknown key{nearest_name(key, known) or '; known: ' + ', '.join(known)}" for key in strangers]


def _faults_of_value(name: str, value: object, key: _Key) -> list[str]:
    by_column = value if isinstance(value, dict) and key.by_column != "never" else None
    if key.by_column == "must" and by_column is None:
        return [f"{name}: found {_shown(value)}; allowed: {{column: {key.allowed}}}"]
    if by_column is None:
        entries = {name: value}
    else:
        entries = {f"{name}[{column!r}]": entry for column, entry in by_column.items()}
    return [
        f"{where}: found {_shown(entry)}; allowed: {key.allowed}"
        for where, entry in entries.items()
        if not key.is_valid(entry)
    ]


def _shown(value: object) -> str:
    return repr(value) if isinstance(value, str | int | float | list | tuple | None) else type(value).__name__


def _with_defaults(config: dict, valid: dict) -> PilotConfig:
    """The config from those of its keys that are ``valid``; the others count as not given."""
    sensitive = valid.get("sensitive_feature") or ()
    sensitive = (sensitive,) if isinstance(sensitive, str) else tuple(sensitive)

    def per_feature(key: str) -> dict:
        value = valid.get(key)
        return dict(value) if isinstance(value, dict) else dict.fromkeys(sensitive, value)

    return PilotConfig(
        categorical_qis=tuple(valid.get("categorical_qis", ())),
        continuous_qis=tuple(valid.get("continuous_qis", ())),
        binning_config=valid.get("binning_config", {}),
        sensitive_features=sensitive,
        sensitive_binning=valid.get("sensitive_binning_config_for_L", {}),
        K=valid.get("K", 1),
        L=per_feature("L"),
        T=per_feature("T"),
        missing_qis=valid.get("missing_qis", "category"),
        out_of_range=valid.get("out_of_range", "tail"),
        t_distance=per_feature("t_distance"),
        settings={},
        literal=config,
    )


def _faults_between_keys(checked: PilotConfig, valid: dict) -> list[str]:
    roles = {
        "categorical_qis": checked.categorical_qis,
        "continuous_qis": checked.continuous_qis,
        "sensitive_feature": checked.sensitive_features,
    }
    faults = [
        f"{name!r} stands in both {first} and {second}; allowed: one of them"
        for first, second in itertools.combinations(roles, 2)
        for name in roles[first]
        if name in roles[second]
    ]
    if {"categorical_qis", "continuous_qis"} <= set(valid) and not checked.quasi_identifiers:
        faults.append("categorical_qis, continuous_qis: both are empty; name at least one quasi-identifier")
    if checked.continuous_qis and "binning_config" not in checked.literal:
        faults.append("binning_config: missing; give edges for continuous_qis, or {} to take values as they are")
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


def _missing_columns(checked: PilotConfig, columns: Sequence[str]) -> list[str]:
    return [
        f"column {name!r} of the config is not in the combined dataset{nearest_name(name, columns)}"
        for name in checked.quasi_identifiers + checked.sensitive_features
        if name not in columns
    ]
