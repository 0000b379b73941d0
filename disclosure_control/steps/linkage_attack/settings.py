"""The config key ``linkage_attack``: what it may hold, its defaults, and its faults."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from config.model_settings import PilotConfig
from disclosure_control.basics.settings.settings import (
    Check,
    are_names,
    faults_of_settings,
    is_name,
    is_number,
    whole_number,
)
from disclosure_control.basics.telling.faults import faults_of_columns, nearest_name, stop_at
from disclosure_control.steps.linkage_attack.attacks import ATTACKS
from disclosure_control.steps.linkage_attack.kinds import N_ATTACKS, AttackPart, as_tuple, is_some_of
from disclosure_control.steps.linkage_attack.linkage import METHODS

KEY = "linkage_attack"
MOST_KNOWN = 10
RELEASES = ("combined", "treated", "both")


@dataclass(frozen=True)
class AttackSettings:
    """The key with its defaults; ``known`` maps released columns to those of the identified table.

    ``attacks`` are the further kinds of attack that are asked for, by name in the order in which they run, each with
    its own settings.
    """

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
    attacks: Mapping[str, AttackPart] = field(default_factory=dict)


def _is_known(value: object) -> bool:
    if isinstance(value, dict):
        return 1 <= len(value) <= MOST_KNOWN and all(is_name(name) for pair in value.items() for name in pair)
    return are_names(value) and len(value) <= MOST_KNOWN


def _are_widths(value: object) -> bool:
    return isinstance(value, dict) and all(is_number(width) and 0 <= width < 1e300 for width in value.values())


_FILE = "the name of a file in the folder"
_INNER_SHARE: Check = (lambda value: is_number(value) and 0 < value < 1, "a number above 0 and below 1")
KEYS: dict[str, Check] = {
    "identified": (is_name, _FILE),
    "folder": (is_name, "a folder, seen from the pilot's own or from the root"),
    "id": (is_name, "the column of the identified table that names the person"),
    "truth": (is_name, "the column of the identified table that holds the USUBJID of those who are in the pilot"),
    "known": (_is_known, f"up to {MOST_KNOWN} columns: a list, or {{released column: identified column}}"),
    "released": (lambda value: value in RELEASES, " or ".join(f'"{name}"' for name in RELEASES)),
    "method": (is_some_of(tuple(METHODS)), f"one of {', '.join(METHODS)}, or a list of them"),
    "within": (_are_widths, "{released column: a number from 0}"),
    "agreement_rate": _INNER_SHARE,
    "threshold": _INNER_SHARE,
    "n_attacks": (N_ATTACKS[0], f"{N_ATTACKS[1]}: people whose attack is scored; without it everybody's is"),
    "control": (is_name, f"{_FILE}: people who are not in the pilot, with the columns of the combined dataset"),
    "seed": (whole_number(0, 2**128 - 1)[0], "a whole number from 0"),
    **{name: (lambda value: isinstance(value, dict), kind.allowed) for name, kind in ATTACKS.items()},
}


def read_settings(value: Any, config: PilotConfig, columns: Sequence[str] | None) -> AttackSettings:
    """The settings of the config key ``linkage_attack``. Raises ``FaultyInputError`` with every fault of it."""
    stop_at(_faults_of_each(value))
    stop_at([*_faults_between_keys(value, config), *faults_of_columns(KEY, _released_columns(value), columns)])
    given = {key: setting for key, setting in value.items() if key not in ATTACKS}
    known = given.get("known", {})
    given["known"] = dict(known) if isinstance(known, dict) else {name: name for name in known}
    given["method"] = as_tuple(given.get("method", AttackSettings.method))
    attacks = {name: kind.read(value[name], config) for name, kind in ATTACKS.items() if name in value}
    return AttackSettings(**given, attacks=attacks)


def _faults_of_each(value: object) -> list[str]:
    faults = faults_of_settings(KEY, value, KEYS)
    for name, kind in ATTACKS.items():
        if isinstance(value, dict) and isinstance(value.get(name), dict):
            faults += faults_of_settings(f"{KEY}[{name!r}]", value[name], kind.keys)
    return faults


def _faults_between_keys(value: Mapping, config: PilotConfig) -> list[str]:
    faults = []
    if "identified" in value:
        faults += [f"{KEY}[{key!r}]: missing; allowed: {KEYS[key][1]}" for key in ("id", "known") if key not in value]
    elif not any(name in value for name in ATTACKS):
        faults.append(f'{KEY}: nothing to do; name a file under "identified", or add {", ".join(ATTACKS)}')
    if value.get("released") == "treated" and not config.has("treatment"):
        faults.append(f'{KEY}["released"]: "treated" needs the key treatment in the config; add it')
    faults += [
        f"{KEY}['within']: column {name!r} is not among known{nearest_name(name, value.get('known', ()))}"
        for name in value.get("within", ())
        if name not in value.get("known", ())
    ]
    if value.get("within") and as_tuple(value.get("method", ())) == ("exact",):
        faults.append(f'{KEY}["within"]: no use for the method "exact"; choose "generalised", or take it out')
    asked = {f"{KEY}[{name!r}]": (kind, value[name]) for name, kind in ATTACKS.items() if name in value}
    faults += [
        f"{where}[{key!r}]: missing; allowed: {kind.keys[key][1]}"
        for where, (kind, given) in asked.items()
        for key in kind.required
        if key not in given
    ]
    return faults + [fault for where, (kind, given) in asked.items() for fault in kind.faults(where, given, config)]


def _released_columns(value: Mapping) -> list[str]:
    names = list(value.get("known", ()))
    for name, kind in ATTACKS.items():
        given = value.get(name, {})
        names += [column for key in kind.columns if key in given for column in as_tuple(given[key])]
    return names
