"""The config key ``linkage_attack``: what it may hold, its defaults, and its faults."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from config.model_settings import PilotConfig
from disclosure_control.basics.faults import nearest_name, stop_at
from disclosure_control.basics.settings import faults_of_settings
from disclosure_control.steps.linkage_attack.linkage import METHODS
from disclosure_control.steps.linkage_attack.singling_out import MODES

KEY = "linkage_attack"
MOST_KNOWN = 10
RELEASES = ("combined", "treated", "both")
DEFAULT_ATTACKS = 500


@dataclass(frozen=True)
class AttackSettings:
    """The key with its defaults; ``known`` maps released columns to those of the identified table."""

    identified: str | None = None
    folder: str = "."
    id: str | None = None
    truth: str | None = None
    known: Mapping[str, str] = field(default_factory=dict)
    released: str = "both"
    method: tuple[str, ...] = ("generalised",)
    within: Mapping[str, float] = field(default_factory=dict)
    agreement_rate: float = 0.95
    threshold: float = 0.5
    n_attacks: int | None = None
    control: str | None = None
    seed: int = 12345
    singling_out: Mapping | None = None
    inference: Mapping | None = None
    linkability: Mapping | None = None


def _is_text(value: object) -> bool:
    return isinstance(value, str) and value != ""


def _are_names(value: object) -> bool:
    names = isinstance(value, list | tuple) and bool(value) and all(_is_text(name) for name in value)
    return names and len(set(value)) == len(value)


def _is_known(value: object) -> bool:
    pairs = isinstance(value, dict) and all(_is_text(name) for pair in value.items() for name in pair)
    return (_are_names(value) or pairs) and 1 <= len(value) <= MOST_KNOWN


def _is_inner_share(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 1


def _is_count(value: object) -> bool:
    return type(value) is int and 1 <= value <= 10_000_000


def _is_width(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e300


def _is_some_of(names: Iterable[str]) -> Callable[[object], bool]:
    names = tuple(names)
    return lambda value: value in names if isinstance(value, str) else _are_names(value) and set(value) <= set(names)


_Check = tuple[Callable[[object], bool], str]
_COLUMNS = "a list of distinct column names"
_FILE = "the name of a file in the folder"
_COUNT = "a whole number from 1"
_KEYS: dict[str, _Check] = {
    "identified": (_is_text, _FILE),
    "folder": (_is_text, "a folder, seen from the pilot's own or from the root"),
    "id": (_is_text, "the column of the identified table that names the person"),
    "truth": (_is_text, "the column of the identified table that holds the USUBJID of those who are in the pilot"),
    "known": (_is_known, f"up to {MOST_KNOWN} columns: a list, or {{released column: identified column}}"),
    "released": (lambda value: value in RELEASES, " or ".join(f'"{name}"' for name in RELEASES)),
    "method": (_is_some_of(METHODS), f"one of {', '.join(METHODS)}, or a list of them"),
    "within": (
        lambda value: isinstance(value, dict) and all(_is_width(width) for width in value.values()),
        "{released column: a number from 0}",
    ),
    "agreement_rate": (_is_inner_share, "a number above 0 and below 1"),
    "threshold": (_is_inner_share, "a number above 0 and below 1"),
    "n_attacks": (_is_count, f"{_COUNT}: people whose attack is scored; without it everybody's is"),
    "control": (_is_text, f"{_FILE}: people who are not in the pilot, with the columns of the combined dataset"),
    "seed": (lambda value: type(value) is int and 0 <= value < 2**128, "a whole number from 0"),
    "singling_out": (lambda value: isinstance(value, dict), "a dictionary, {} for its defaults"),
    "inference": (lambda value: isinstance(value, dict), "a dictionary, {} for its defaults"),
    "linkability": (lambda value: isinstance(value, dict), 'a dictionary with the lists "one" and "other"'),
}
INNER_KEYS: dict[str, dict[str, _Check]] = {
    "singling_out": {
        "columns": (_are_names, _COLUMNS),
        "modes": (_is_some_of(MODES), f"one of {', '.join(MODES)}, or a list of them"),
        "n_attacks": (_is_count, _COUNT),
        "n_columns": (_is_count, _COUNT),
    },
    "inference": {
        "secret": (lambda value: _is_text(value) or _are_names(value), f"a column name, or {_COLUMNS}"),
        "known": (_are_names, _COLUMNS),
        "n_attacks": (_is_count, _COUNT),
        "tolerance": (lambda value: _is_width(value) and value < 1, "a number from 0 and below 1"),
    },
    "linkability": {
        "one": (_are_names, _COLUMNS),
        "other": (_are_names, _COLUMNS),
        "n_attacks": (_is_count, _COUNT),
    },
}


def check_settings(value: object, config: Mapping, columns: Iterable[str] | None) -> list[str]:
    """Faults of the config key ``linkage_attack``."""
    faults = faults_of_settings(KEY, value, _KEYS)
    if not isinstance(value, dict):
        return faults
    for part, keys in INNER_KEYS.items():
        if isinstance(value.get(part), dict):
            faults += faults_of_settings(f"{KEY}[{part!r}]", value[part], keys)
    if faults:
        return faults
    faults += _faults_between_keys(value, config)
    if columns is not None:
        known = list(columns)
        faults += [
            f"{KEY}: column {name!r} is not in the combined dataset{nearest_name(name, known)}"
            for name in dict.fromkeys(_released_columns(value))
            if name not in known
        ]
    return faults


def _faults_between_keys(value: Mapping, config: Mapping) -> list[str]:
    faults = []
    if "identified" in value:
        faults += [f"{KEY}[{key!r}]: missing; allowed: {_KEYS[key][1]}" for key in ("id", "known") if key not in value]
    elif not any(part in value for part in INNER_KEYS):
        faults.append(f'{KEY}: nothing to do; name a file under "identified", or add {", ".join(INNER_KEYS)}')
    if value.get("released") in ("treated",) and "treatment" not in config:
        faults.append(f'{KEY}["released"]: "treated" needs the key treatment in the config; add it')
    faults += [
        f"{KEY}['within']: column {name!r} is not among known{nearest_name(name, value.get('known', ()))}"
        for name in value.get("within", ())
        if name not in value.get("known", ())
    ]
    method = value.get("method", ())
    if value.get("within") and (method == "exact" or list(method) == ["exact"]):
        faults.append(f'{KEY}["within"]: no use for the method "exact"; choose "generalised", or take it out')
    linkability = value.get("linkability")
    if linkability is not None:
        faults += [
            f"{KEY}['linkability'][{key!r}]: missing; allowed: {_COLUMNS}"
            for key in ("one", "other")
            if key not in linkability
        ]
        both = set(linkability.get("one", ())) & set(linkability.get("other", ()))
        faults += [f"{KEY}['linkability']: column {name!r} stands in both one and other" for name in sorted(both)]
    inference = value.get("inference") or {}
    secrets = inference.get("secret", ())
    faults += [
        f"{KEY}['inference']: column {name!r} stands in both secret and known"
        for name in ([secrets] if isinstance(secrets, str) else secrets)
        if name in inference.get("known", ())
    ]
    if "inference" in value and "secret" not in inference and not config.get("sensitive_feature"):
        faults.append(f"{KEY}['inference']['secret']: missing, and the config has no sensitive_feature")
    return faults


def _released_columns(value: Mapping) -> list[str]:
    names = list(value.get("known", ()))
    for part, keys in INNER_KEYS.items():
        for key in keys:
            setting = (value.get(part) or {}).get(key)
            if key in ("columns", "known", "one", "other", "secret") and setting is not None:
                names += [setting] if isinstance(setting, str) else list(setting)
    return names


def read_settings(value: object, config: PilotConfig, columns: Sequence[str] | None) -> AttackSettings:
    """The settings of the config key ``linkage_attack``. Raises ``FaultyInputError`` with every fault of it."""
    stop_at(check_settings(value, config.literal, columns))
    return _typed(value)


def _typed(value: Mapping) -> AttackSettings:
    given = dict(value)
    known = given.get("known", {})
    given["known"] = dict(known) if isinstance(known, dict) else {name: name for name in known}
    method = given.get("method", ("generalised",))
    given["method"] = (method,) if isinstance(method, str) else tuple(method)
    return AttackSettings(**given)
