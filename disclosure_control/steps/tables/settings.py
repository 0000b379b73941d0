"""The config key ``tables``: which tables are made fit to leave, by whose rules, and how."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from config.model_settings import PilotConfig
from disclosure_control.basics.settings.fields import SettingsGroup, nested, setting
from disclosure_control.basics.settings.kinds import (
    FLAG,
    TEXT,
    Kind,
    Place,
    are_names,
    as_tuple,
    dictionary_of,
    is_name,
    list_of,
    one_of,
)
from disclosure_control.records.needs import Needed
from disclosure_control.table_protection.protection import ProtectionMethod

# Columns of the table, which is none of the pilot's data sets: nobody looks for them there.
_NAMES = Kind(lambda value: is_name(value) or are_names(value), "a column of the table, or a list of them", as_tuple)
_PARENTS = dictionary_of(
    dictionary_of(TEXT, "{category: its subtotal}", names="category"), "{column: {category: its subtotal}}"
)
_LARGEST = dictionary_of(_NAMES, "{column of sums: columns of its largest contributors}")


@dataclass(frozen=True)
class BroughtTable(SettingsGroup):
    """A table that the user brings: the ``file``, and what its columns are."""

    file: str = setting(TEXT, "a CSV file in a folder of the pilot's folder, such as tables/events.csv")
    dimensions: tuple[str, ...] = setting(_NAMES, "the columns whose categories make the cells")
    counts: str | None = setting(TEXT, "the column with the number of people of each cell", None)
    across: str | None = setting(
        TEXT, "of a wide table: what its other columns are categories of; the cells are counts", None
    )
    of: str | None = setting(TEXT, "the column with the number of people among whom they are counted", None)
    of_by: tuple[str, ...] | None = setting(
        _NAMES, "the dimensions that this number differs by", None, "all but those under `several`"
    )
    shares: tuple[str, ...] = setting(_NAMES, "columns of counts / of, made anew of what is released", ())
    sums: tuple[str, ...] = setting(_NAMES, "columns with sums of a number over the people of the cell", ())
    means: tuple[str, ...] = setting(_NAMES, "columns with means of a number of the people of the cell", ())
    largest: Mapping[str, tuple[str, ...]] = setting(
        _LARGEST, "columns with the largest contributors to a sum, the first one first; they are not released", {}
    )
    hidden_with: tuple[str, ...] = setting(
        _NAMES, "other columns, such as a median; hidden where the count is, or has too few people", ()
    )
    total: str = setting(TEXT, "how the total of a dimension is written", "Total")
    parents: Mapping[str, Mapping[str, str]] = setting(_PARENTS, "subtotals: the parent of each category", {})
    several: tuple[str, ...] = setting(
        _NAMES, "dimensions in several categories of which a person may be, such as adverse events", ()
    )
    about: str = setting(
        TEXT, "who is counted; the same cell of tables about the same people is the same number", "people"
    )
    earlier: str | None = setting(TEXT, "the same table as it left before, with the same columns", None)

    def check(self, place: Place, given: Mapping[str, Any]) -> Iterator[str]:
        """What the columns need beside them, and names that are no dimension."""
        if (self.counts is None) == (self.across is None):
            yield f'{place}: allowed: exactly one of "counts" (a long table) and "across" (a wide one)'
        needing = [name for name in ("of", "shares", "sums", "means", "largest", "hidden_with") if getattr(self, name)]
        if self.across is not None and needing:
            yield f'{place}: a wide table has counts alone; {", ".join(needing)} need a long one, with "counts"'
        if self.shares and self.of is None:
            yield f'{place["shares"]}: a share needs "of", the column with the people among whom they are counted'
        known = (*self.dimensions, *([self.across] if self.across else []))
        for name, columns in (("several", self.several), ("parents", self.parents), ("of_by", self.of_by or ())):
            for column in columns:
                if column not in known:
                    yield f"{place[name]}: {column!r} is no dimension; known: {', '.join(known)}"
        for column in self.largest:
            if column not in self.sums:
                yield f'{place["largest"]}: {column!r} is not under "sums"'


@dataclass(frozen=True)
class TablesSettings(SettingsGroup):
    """The config key ``tables``."""

    files: tuple[BroughtTable, ...] = setting(
        list_of(nested(BroughtTable), 'a list of {"file": ..., "dimensions": ..., "counts": ...}'),
        "the tables that you bring, each as below",
        (),
    )
    study: bool = setting(
        FLAG, "the [study's own main tables](#the-studys-own-tables) as well, of the study as it came in", False
    )
    rules: str = setting(
        TEXT,
        "whose rules: `sdc_handbook`, `opensafely`, `eurostat`, or a .json file in a folder of the pilot's folder",
        "sdc_handbook",
    )
    method: str = setting(
        one_of(*ProtectionMethod),
        "`suppress` hides cells; `round` rounds all counts so that totals still add up",
        "suppress",
    )

    def check(self, place: Place, given: Mapping[str, Any]) -> Iterator[str]:
        """No table at all, and two tables whose results would have the same name."""
        if not self.files and not self.study:
            yield f'{place}: names no table; allowed: "study": True, or tables under "files"'
        names = [one.file.replace("\\", "/").rpartition("/")[2].casefold() for one in self.files]
        for name in sorted({name for name in names if names.count(name) > 1}):
            yield f"{place['files']}: {name!r} is the name of {names.count(name)} files; name them differently"


SETTINGS = TablesSettings


def records_needed(settings: TablesSettings, config: PilotConfig) -> list[Needed]:
    """None: the study's own tables use the ids of people alone, the others not even these."""
    return []
