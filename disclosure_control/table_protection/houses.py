"""The rules of a house that checks tables before they leave, as data: a JSON file each, in ``houses/`` or elsewhere."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from disclosure_control.basics.files import SourceFile, read_file
from disclosure_control.basics.settings.fields import SettingsGroup, read, setting
from disclosure_control.basics.settings.kinds import (
    FLAG,
    SENTENCE,
    TEXTS,
    Kind,
    Place,
    is_number,
    list_of,
    whole_number,
)
from disclosure_control.basics.telling.faults import FaultyInputError, nearest_name

_FOLDER = Path(__file__).with_name("houses")
_PERCENT = Kind(lambda value: is_number(value) and 0 < value <= 100, "a number above 0 and up to 100")
_PAIR = Kind(
    lambda value: (
        isinstance(value, list | tuple)
        and len(value) == 2
        and type(value[0]) is int
        and value[0] >= 1
        and _PERCENT.is_valid(value[1])
    ),
    "[n, k]",
)


@dataclass(frozen=True)
class HouseRules(SettingsGroup):
    """When a cell may not be shown, and how uncertain what is hidden has to stay.

    ``dominance`` are pairs of n and k: a sum is hidden whose n largest contributors make more than k percent of it.
    ``width`` of None is ``minimum - 2``: as many numbers stay possible as there are small counts.
    """

    name: str = setting(SENTENCE, "the house")
    source: str = setting(SENTENCE, "where its rules are published")
    minimum: int = setting(whole_number(2, 1000), "the smallest number of people that may be shown")
    zeros: bool = setting(FLAG, "whether a count of nobody is hidden, too", False)
    full_row_percent: float | None = setting(
        _PERCENT, "a cell with this share of its row or column, or more, tells of everybody in it", None
    )
    dominance: tuple[tuple[int, float], ...] = setting(
        list_of(_PAIR, "a list of [n, k]"), "a sum is hidden if its n largest contributors make more than k percent", ()
    )
    p_percent: float | None = setting(
        _PERCENT, "a sum is hidden if the second contributor could estimate the largest to within this", None
    )
    round_to: int | None = setting(whole_number(2, 1000), "counts that are shown are rounded to multiples of it", None)
    width: int | None = setting(
        whole_number(1, 10_000),
        "how many units wide what can be known of a hidden count is at least",
        None,
        "minimum - 2",
    )
    range_percent: float = setting(_PERCENT, "how far up and down a hidden sum or mean has to be possible", 30)
    not_confirmed: tuple[str, ...] = setting(
        TEXTS, "which of these settings nobody compared with the source yet; the report names them", ()
    )

    def check(self, place: Place, given: Mapping[str, Any]) -> Iterator[str]:
        """Names of settings that there are not."""
        known = [one.name for one in fields(self)]
        for name in self.not_confirmed:
            if name not in known:
                yield f"{place['not_confirmed']}: no setting {name!r}{nearest_name(name, known)}"

    @property
    def promised(self) -> int:
        """How wide the interval of a hidden count is at least."""
        return max(self.width or self.minimum - 2, 1)

    @property
    def largest_needed(self) -> int:
        """How many of the largest contributors the rules of dominance ask for."""
        return max([n for n, _ in self.dominance] + [2 * (self.p_percent is not None)])


def known_houses() -> list[str]:
    """The houses whose rules come with this program, by name."""
    return sorted(path.stem for path in _FOLDER.glob("*.json"))


def house_rules(file: SourceFile) -> HouseRules:
    """The rules in a file. Raises ``FaultyInputError`` with every fault of it."""
    try:
        given = json.loads(file.content.decode("utf-8-sig"))
    except (UnicodeDecodeError, ValueError):
        raise FaultyInputError(f"{file.name}: not a JSON file in UTF-8; write it as one") from None
    return read(HouseRules, given, Place(file.name))


def house_by_name(name: str) -> HouseRules:
    """The rules of a house that comes with this program. Raises ``FaultyInputError`` for any other."""
    if name not in known_houses():
        raise FaultyInputError(
            f"tables['rules']: no house {name!r}{nearest_name(name, known_houses())}; known: "
            f"{', '.join(known_houses())}; allowed as well: a .json file in the pilot's folder"
        )
    return house_rules(read_file(_FOLDER / f"{name}.json"))
