"""The config key ``pool``: the hospitals, who sums, which figures count, and every value that a cell may stand for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd

from config.model_settings import PilotConfig
from disclosure_control.basics.encoding.columns import canonical_labels_of, encode_column, parse_numbers
from disclosure_control.basics.settings.fields import SettingsGroup, setting
from disclosure_control.basics.settings.kinds import COLUMNS, SENTENCE, Kind, Place, dictionary_of, is_number, is_value
from disclosure_control.basics.telling.faults import nearest_name

PARTY = re.compile(r"[A-Za-z0-9_-]{1,32}")
LEAST_NODES, MOST_NODES, MOST_SENSITIVE, MOST_NUMBERS = 3, 100, 6, 100_000
LARGEST_DECIMALS = 12
POOL, HOME = "pool", "home"
_ENDS = ("from", "to", "step")


def _is_party(value: object) -> bool:
    return isinstance(value, str) and PARTY.fullmatch(value) is not None


def _are_parties(value: object) -> bool:
    if not isinstance(value, list | tuple) or not all(map(_is_party, value)):
        return False
    return LEAST_NODES <= len({name.casefold() for name in value}) == len(value) <= MOST_NODES


def _has_reason(value: object, *words: str) -> bool:
    return isinstance(value, str) and any(re.fullmatch(rf"{word}, because \S.*", value, re.DOTALL) for word in words)


def _are_numbers(value: object) -> bool:
    """Numbers in a list, or from one to another in steps."""
    if isinstance(value, list | tuple):
        return bool(value) and all(map(is_number, value)) and len(set(value)) == len(value) <= MOST_NUMBERS
    if (
        not isinstance(value, dict)
        or set(value) - {"decimals"} != set(_ENDS)
        or not all(map(is_number, value.values()))
    ):
        return False
    if value.get("decimals", 0) not in range(LARGEST_DECIMALS + 1) or value["step"] < 10 ** -value.get("decimals", 300):
        return False
    return value["step"] > 0 and 0 <= (value["to"] - value["from"]) / value["step"] < MOST_NUMBERS


def _numbers(value: Any) -> tuple[str, ...]:
    """The declared numbers as the dataset spells them; steps are added as decimals, so that 0.1 stays 0.1."""
    if isinstance(value, dict):
        first, last, step = (Decimal(str(value[end])) for end in _ENDS)
        exact = [first + i * step for i in range(int((last - first) / step) + 1)]
        value = [float(one) if "decimals" not in value else float(round(one, value["decimals"])) for one in exact]
    return _spelt([float(number) for number in value])


def _spelt(values: Iterable[object]) -> tuple[str, ...]:
    """The values as the dataset spells them, "" for one that is none there."""
    encoded = encode_column(pd.Series(list(values), dtype=object))
    return tuple(map(str, np.append(canonical_labels_of(encoded), "")[encoded.codes]))


def _are_categories(value: object) -> bool:
    if not isinstance(value, list | tuple) or not value or not all(map(is_value, value)):
        return False
    spelt = _spelt(value)
    return "" not in spelt and len(set(spelt)) == len(spelt)


_PARTY_NAMES = f"a list of {LEAST_NODES} to {MOST_NODES} distinct names of letters, digits, _ and -, up to 32 each"
_NODES = Kind(_are_parties, _PARTY_NAMES)
_PARTY = Kind(_is_party, "a name of letters, digits, _ and -, up to 32")
_COUNTS = Kind(
    lambda value: _has_reason(value, POOL, HOME), '"pool, because ..." or "home, because ...", with the reason'
)
_CATEGORIES = Kind(
    _are_categories,
    "a list of distinct values, as they are written in the dataset",
    _spelt,
)
_NUMBERS = Kind(
    _are_numbers,
    f'a list of distinct numbers, or {{"from": 2, "to": 12, "step": 0.1}}, up to {MOST_NUMBERS:,}; with '
    '"decimals", fine enough for the step, they are rounded',
    _numbers,
)


@dataclass(frozen=True)
class PoolSettings(SettingsGroup):
    """The config key ``pool``, the same at every hospital; declared values are spelt as ``encode_column`` does."""

    nodes: tuple[str, ...] = setting(_NODES, "the hospitals, each by a name")
    sums: str = setting(_PARTY, "who adds the contributions: one of the nodes, or somebody else by another name")
    counts: str = setting(_COUNTS, "which figures count for the release, those of the pool or those at home, and why")
    shared_patients: str | None = setting(
        SENTENCE.but('"none, because ...", with the reason, or what is known of them'),
        "whether a patient is in the data of two hospitals; unless it begins with `none, because`, the home figures "
        "count",
        None,
    )
    hospital_columns: tuple[str, ...] = setting(
        COLUMNS, "columns that leave and tell the hospital; with one, the home figures count", ()
    )
    categories: Mapping[str, tuple[str, ...]] = setting(
        dictionary_of(_CATEGORIES), "by column the values that a category may have; missing is always one of them", {}
    )
    values: Mapping[str, tuple[str, ...]] = setting(
        dictionary_of(_NUMBERS),
        "by column the numbers that may occur; of a sensitive feature as fine as they were measured, since t compares "
        "numbers and not bins",
        {},
    )

    @property
    def parties(self) -> tuple[str, ...]:
        """The nodes, and who sums, each once."""
        return tuple(dict.fromkeys([*self.nodes, self.sums]))

    @property
    def why_home_counts(self) -> str | None:
        """Why the home figures count, from "because" on; None where the pool's do."""
        if self.hospital_columns:
            return f"because the column {', '.join(self.hospital_columns)} leaves and tells the hospital"
        if not _has_reason(self.shared_patients, "none"):
            return "because a patient in two hospitals makes k look larger, and nobody declared that there is none"
        return None if self.counts.startswith(POOL) else self.reason

    @property
    def reason(self) -> str:
        """The controller's reason for the figures that count, from "because" on."""
        return self.counts.partition(", ")[2].rstrip(".")

    def check(self, place: Place, given: Mapping[str, Any]) -> Iterator[str]:
        """Columns that are declared twice, not at all, or to no use; settings for which a pool has no data."""
        pilot: PilotConfig = place.pilot
        wanted = [name for name in pilot.quasi_identifiers if name not in pilot.binning_config]
        wanted += pilot.sensitive_features
        if self.sums not in self.nodes and self.sums.casefold() in map(str.casefold, self.nodes):
            yield f"{place['sums']}: {self.sums!r} differs from a node in case alone, as file names may not; rename it"
        declared = [*self.categories, *self.values]
        for name in dict.fromkeys(declared):
            if name in pilot.binning_config:
                yield f"{place}: {name!r} has declared bins in binning_config already; take it out here"
            elif name not in wanted:
                yield f"{place}: {name!r} is no quasi-identifier and not sensitive{nearest_name(name, wanted)}"
            elif declared.count(name) > 1:
                yield f"{place}: {name!r} is in both categories and values; keep one of them"
        for name in wanted:
            if name not in declared:
                fine = (
                    "its numbers in values or its categories"
                    if name in pilot.sensitive_features
                    else (
                        "edges in binning_config, or its numbers in values"
                        if name in pilot.continuous_qis
                        else "its values in categories"
                    )
                )
                yield f"{place}: the values of {name!r} are not declared; give {fine}, so that all nodes count the same"
        if len(pilot.sensitive_features) > MOST_SENSITIVE:
            yield f"{place}: {len(pilot.sensitive_features)} sensitive features; allowed: up to {MOST_SENSITIVE}"
        yield from _of_one_type(self, pilot, place)
        yield from _without_records(pilot, place)


def _of_one_type(settings: PoolSettings, pilot: PilotConfig, place: Place) -> Iterator[str]:
    """Categories of a sensitive feature that are numbers at one node and texts at another, by who is there."""
    for name, values in settings.categories.items():
        if name not in pilot.sensitive_features or pilot.t_distance.get(name) == "total_variation":
            continue
        are_numbers = ~np.isnan(parse_numbers(pd.Series(values, dtype="str")))
        are_codes = are_numbers & [re.match(r"[+-]?0\d", value) is not None for value in values]
        if name in pilot.sensitive_binning or pilot.t_distance.get(name):
            is_clear = bool(are_numbers.all())
        else:
            is_clear = bool(~are_numbers.any() or are_codes.all() or (are_numbers & ~are_codes).all())
        if not is_clear:
            yield (
                f"{place['categories']}: some values of {name!r} are numbers and others are not, so it depends on a "
                f'node\'s people how t compares them; add t_distance: {{{name!r}: "total_variation"}}, or declare '
                "numbers alone, in values"
            )


def _without_records(pilot: PilotConfig, place: Place) -> Iterator[str]:
    """Settings of ``risk`` and ``recommend`` that need files or columns which the pool does not have."""
    of_counts = {
        "risk": ("population", "weights", "household", "safe_harbour", "groups", "records", "models"),
        "recommend": ("hierarchies",),
    }
    for key, names in of_counts.items():
        given = pilot.literal.get(key)
        for name in names:
            if isinstance(given, dict) and name in given:
                yield f"{place}: {key}[{name!r}] needs records or files, and a pool has counts; leave it out"


SETTINGS = PoolSettings
