"""The config key ``recommend``: what is minimised, and which recodings are allowed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from disclosure_control.basics.settings.fields import SettingsGroup, setting
from disclosure_control.basics.settings.kinds import (
    SHARE,
    TEXTS,
    Kind,
    Place,
    dictionary_of,
    is_number,
    one_of,
    whole_number,
)
from disclosure_control.basics.telling.faults import nearest_name
from disclosure_control.records.needs import no_records
from disclosure_control.remedy.recodings.losses import METRICS
from disclosure_control.remedy.treatments.algorithms.built_hierarchies import is_rule
from disclosure_control.study_tables.fit import ALL_TABLES
from disclosure_control.study_tables.registry import definitions

_SOURCE = Kind(
    lambda value: value != "" if isinstance(value, str) else is_rule(value),
    'a CSV file in the pilot\'s folder, or "mask", "dates", {"intervals": [5, 10]}',
)
_TABLES = Kind(
    lambda value: value == ALL_TABLES or (TEXTS.is_valid(value) and len(value) > 0),
    '"all", or a list of tables of the study',
    lambda value: value if value == ALL_TABLES else tuple(value),
)
_WEIGHT = Kind(lambda value: is_number(value) and 0 <= value <= 1e6, "a number from 0")
_LEVEL = Kind(lambda value: type(value) is int and value >= 0, "a level, a whole number from 0")
_SECONDS = Kind(lambda value: is_number(value) and 0 < value <= 1e6, "seconds, a number above 0")


@dataclass(frozen=True)
class RecommendSettings(SettingsGroup):
    """The config key ``recommend``: what is minimised, and which recodings are allowed."""

    metric: str = setting(one_of(*METRICS), "the measure of loss: see the table below", "loss")
    suppression_limit: float = setting(
        SHARE.but("a share of the records from 0 to 1"), "the share of the records that may be left out", 0.05
    )
    hierarchies: Mapping[str, Any] = setting(
        dictionary_of(_SOURCE), "a hierarchy as ARX reads it, in a folder of its own within the pilot's folder", {}
    )
    weights: Mapping[str, float] = setting(
        dictionary_of(_WEIGHT), "a column that should rather stay fine (1 by default, 0: its loss does not count)", {}
    )
    fixed: Mapping[str, int] = setting(dictionary_of(_LEVEL), "keep a column at this level", {})
    max_level: Mapping[str, int] = setting(dictionary_of(_LEVEL), "recode a column no further than this", {})
    at_least: int = setting(
        whole_number(1, 1_000_000),
        "the fewest people of a class; above K nobody is left out",
        1,
        "K",
    )
    weigh: str | tuple[str, ...] | None = setting(
        _TABLES,
        "tables of the study that matter: `--propose` looks for the way that "
        "[keeps them best](#by-what-the-studys-tables-lose)",
        None,
        "no other way is tried",
    )
    time_limit: float = setting(
        _SECONDS,
        "for all searches. Then the best that any search came upon is given, and called that; an answer for which no "
        "time was left is not on the list",
        30.0,
    )

    @property
    def tables_weighed(self) -> tuple[str, ...]:
        """The tables that matter, by the names of their definitions; () for all of them."""
        return () if self.weigh is None or isinstance(self.weigh, str) else self.weigh

    @property
    def stay_fine(self) -> tuple[str, ...]:
        """The columns that weigh more than others: other ways to hold are looked for before one of them is dropped."""
        return tuple(name for name, weight in self.weights.items() if weight > 1)

    def check(self, place: Place, given: Mapping[str, Any]) -> Iterator[str]:
        """Columns that are no quasi-identifiers, two levels for one of them, weights of no use."""
        known = place.pilot.quasi_identifiers
        for key in ("hierarchies", "weights", "fixed", "max_level"):
            for name in getattr(self, key):
                if name not in known:
                    yield f"{place[key][name]}: no quasi-identifier of the config{nearest_name(name, known)}"
        for name in self.tables_weighed:
            if name not in definitions():
                yield f"{place['weigh']}: no table {name!r}{nearest_name(name, list(definitions()))}"
        for name in self.max_level:
            if name in self.fixed:
                level = self.fixed[name]
                yield f"{place['max_level'][name]}: the level is fixed at {level} as well; keep one of the two"
        if self.weights and not METRICS[self.metric].is_separable:
            yield f"{place['weights']}: {self.metric} is a figure of whole classes, in which columns have no weight"
        elif self.weights and known and not any(self.weights.get(name, 1) for name in known):
            yield f"{place['weights']}: all are 0; allowed: one of them above 0"


SETTINGS = RecommendSettings
records_needed = no_records
