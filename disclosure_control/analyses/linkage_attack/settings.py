"""The config key ``linkage_attack``: what an attacker has and knows, and how it is matched."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from disclosure_control.analyses.linkage_attack.linkage import METHODS
from disclosure_control.basics.settings.fields import SettingsGroup, setting
from disclosure_control.basics.settings.kinds import (
    TEXT,
    Kind,
    Place,
    are_names,
    dictionary_of,
    is_name,
    is_number,
    one_or_some_of,
)
from disclosure_control.basics.telling.faults import nearest_name

KEY = "linkage_attack"
MOST_KNOWN = 10


def _is_known(value: object) -> bool:
    if isinstance(value, dict):
        return 1 <= len(value) <= MOST_KNOWN and all(is_name(name) for pair in value.items() for name in pair)
    return are_names(value) and len(value) <= MOST_KNOWN


_KNOWN = Kind(
    _is_known,
    f"up to {MOST_KNOWN} columns: a list, or {{released column: identified column}}",
    lambda value: dict(value) if isinstance(value, dict) else {name: name for name in value},
    list,
)
_WIDTH = Kind(lambda value: is_number(value) and 0 <= value < 1e300, "a number from 0")


@dataclass(frozen=True)
class AttackSettings(SettingsGroup):
    """The key with its defaults; ``known`` maps released columns to those of the identified table."""

    identified: str = setting(
        TEXT.but("the name of a file in the folder"),
        "the identified table: CSV, XPT, Dataset-JSON or Parquet, one row per person; the summary contains its SHA-256",
    )
    id: str = setting(TEXT.but("the column of the identified table that names the person"), "who a row is")
    known: Mapping[str, str] = setting(_KNOWN, 'what the attacker knows: `["SEX"]`, or `{"DM__SEX": "sex"}`')
    folder: str = setting(
        TEXT.but("a folder, seen from the pilot's own or from the root"),
        "where the identified table is, or in a folder below",
        ".",
        "the pilot's",
    )
    truth: str | None = setting(
        TEXT.but("the column of the identified table with the USUBJID of the people in the pilot"),
        "the subject of the pilot in each row; the attack does not use it",
        None,
        "`USUBJID`, if there is such a column",
    )
    method: tuple[str, ...] = setting(
        one_or_some_of(*METHODS),
        '`"exact"`: equal values; `"generalised"`: a released value may represent several: `20--30`, `20-30`, '
        "`[20, 30)`, `[20, 30[`, `<18`, `>90`, `a\\|b`, `12xxx`, `*`, nothing",
        ("generalised",),
    )
    within: Mapping[str, float] = setting(
        dictionary_of(_WIDTH, names="released column"),
        'released numbers may be off by so much (rounding, noise); not for text, nor for `"exact"`',
        {},
    )

    def check(self, place: Place, given: Mapping[str, Any]) -> Iterator[str]:
        """Settings without use."""
        for name in self.within:
            if name not in self.known:
                yield f"{place['within']}: column {name!r} is not among known{nearest_name(name, self.known)}"
        if self.within and self.method == ("exact",):
            yield f'{place["within"]}: no use for the method "exact"; choose "generalised", or take it out'


SETTINGS = AttackSettings
