"""Grouping of values: by a mapping, by rarity, by a hierarchy, by masking characters, by the calendar."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import encode_column, labels_of
from disclosure_control.basics.encoding.hierarchies import ValueHierarchy
from disclosure_control.basics.settings.fields import SettingsGroup, setting
from disclosure_control.basics.settings.kinds import (
    COLUMN,
    COUNT,
    TEXT,
    Kind,
    Place,
    is_name,
    is_number,
    one_of,
    whole_number,
)
from disclosure_control.remedy.treatments.algorithms.built_hierarchies import (
    RULE,
    built_hierarchy,
    coarser,
    mask,
    read_dates,
)
from disclosure_control.remedy.treatments.hierarchy_files import PLACE, hierarchy_of_pilot
from disclosure_control.remedy.treatments.registry import (
    Reading,
    Treated,
    Treatment,
    TreatmentInput,
    relabelled,
    with_columns,
)

# ---------------------------------------------------------------- by a mapping, by rarity


_GROUPS = Kind(lambda value: _are_groups(value), "{new value: [old values]}, each old value in one group")
_CHARACTER = Kind(lambda value: isinstance(value, str) and len(value) == 1 and value.isprintable(), "a letter")


@dataclass(frozen=True)
class GroupSettings(SettingsGroup):
    """Groups of values, or rare values."""

    column: str = setting(COLUMN, "the column to group")
    groups: Mapping[str, Sequence[object]] | None = setting(_GROUPS, "the old values of each new value", None)
    others: str | None = setting(TEXT, "the new value of all values outside the groups", None)
    rarer_than: int | None = setting(COUNT, "values of fewer people are joined", None)

    def check(self, place: Place, given: Mapping[str, Any]) -> Iterator[str]:
        """Nothing to do."""
        if self.groups is None and self.rarer_than is None:
            yield f'{place}: allowed: "groups", "rarer_than", or both'


@dataclass(frozen=True)
class HierarchySettings(SettingsGroup):
    """A level of a hierarchy, from a file or built by a rule."""

    column: str = setting(COLUMN, "the column to generalise")
    level: int = setting(whole_number(0, 100), "the level of the hierarchy; 0 is the value itself")
    file: str | None = setting(TEXT.but(f"a CSV file {PLACE}"), "a hierarchy in the form of ARX", None)
    rule: Mapping[str, Any] | str | None = setting(RULE, "a rule that builds a hierarchy", None)

    def check(self, place: Place, given: Mapping[str, Any]) -> Iterator[str]:
        """Two hierarchies, or none."""
        if (self.file is None) == (self.rule is None):
            yield f'{place}: allowed: exactly one of "file" and "rule"'


@dataclass(frozen=True)
class MaskSettings(SettingsGroup):
    """How much of a code stays."""

    column: str = setting(COLUMN, "the column to mask")
    keep: int = setting(whole_number(0, 1000), "number of characters kept")
    character: str = setting(_CHARACTER, "the character that replaces each other one", "x")


@dataclass(frozen=True)
class CoarsenDatesSettings(SettingsGroup):
    """What stays of a date."""

    column: str = setting(COLUMN, "the column of dates")
    to: str = setting(one_of("day", "month", "quarter", "year"), "the part of a date that is kept")


def group_values(given: TreatmentInput, settings: GroupSettings) -> Treated:
    """Values in groups: ``groups`` maps new value -> old values; ``others`` is the new value of all that it leaves out.

    ``rarer_than``: resulting values of fewer people are joined under the name ``others``. Without ``others``, a value
    in no group is unchanged. Missing stays missing.
    """
    column, rarer_than = settings.column, settings.rarer_than
    series = given.frame[column]
    group_of = {text: new for new, olds in (settings.groups or {}).items() for text in _canonical(olds)}
    kept_name = None if rarer_than is not None else settings.others
    labels = [group_of.get(text, kept_name or text) for text in labels_of(encode_column(series))]
    grouped = relabelled(series, labels)
    notes: list[str] = []
    if rarer_than is not None:
        grouped, notes = _join_rare(grouped, rarer_than, settings.others or "other", given.people)
    strangers = len(set(group_of) - set(labels_of(encode_column(series))))
    if strangers:
        notes.append(f"In {column}, values of the groups that do not occur in the data: {strangers}.")
    return with_columns(given, {column: grouped}, notes)


def _join_rare(
    column: pd.Series, rarer_than: int, name: str, people_of_row: np.ndarray | None
) -> tuple[pd.Series, list[str]]:
    encoded = encode_column(column)
    people = np.bincount(encoded.codes + 1, people_of_row, len(encoded.labels) + 1)[1:]
    rare = (people < rarer_than) & (people > 0)
    labels = [name if is_rare else label for label, is_rare in zip(encoded.labels, rare, strict=True)]
    n_joined = int(people[rare | (encoded.labels == name)].sum())
    notes = [f"In {column.name}, {int(rare.sum())} rare values were joined."]
    if 0 < n_joined < rarer_than:
        notes.append(f"In {column.name}, the joined values still have fewer than {rarer_than} people.")
    return relabelled(column, labels), notes


def _canonical(values: Sequence[object]) -> list[str]:
    """Values of the config, spelled like those of a column: 1 and 1.0 are one, blanks at the ends are removed."""
    return [str(encode_column(pd.Series([value], dtype=object)).labels[0]) for value in values]


def _are_groups(value: object) -> bool:
    if not isinstance(value, dict) or not value or not all(map(is_name, value)):
        return False
    lists = [olds for olds in value.values() if isinstance(olds, list | tuple) and olds]
    members = [old for olds in lists for old in olds]
    valid = len(lists) == len(value) and all(is_number(old) or (is_name(old) and old.strip()) for old in members)
    return bool(valid) and len(set(_canonical(members))) == len(members)


# ---------------------------------------------------------------- by a hierarchy


def generalise(given: TreatmentInput, settings: HierarchySettings) -> Treated:
    """A column at a level of a hierarchy: from a CSV ``file`` as ARX reads it (below the pilot's folder), or built by
    a ``rule``: {"intervals": [5, 10]}, "mask" or "dates". Level 0 is the value itself.
    """
    column = settings.column
    series = given.frame[column]
    inputs: dict[str, dict[str, object]] = {}
    hierarchy: ValueHierarchy | None
    if settings.file is not None:
        hierarchy, inputs = hierarchy_of_pilot(settings.file, given.folder, "hierarchy['file']")
    else:
        hierarchy = None if settings.rule is None else built_hierarchy(series, settings.rule)
    labels = encode_column(series).labels
    if hierarchy is None:
        return with_columns(given, {column: series})
    above = hierarchy.generalise(pd.Series(labels), settings.level)  # at level 0 for its faults alone
    return with_columns(given, {column: relabelled(series, list(above)) if settings.level else series}, inputs=inputs)


# ---------------------------------------------------------------- masking, the calendar


def mask_codes(given: TreatmentInput, settings: MaskSettings) -> Treated:
    """Codes with their first ``keep`` characters, the rest masked: 12xxxxxx. All results have the same length."""
    series = given.frame[settings.column]
    texts = labels_of(encode_column(series))
    length = max((len(text) for text in texts), default=0)
    labels = [mask(text, settings.keep, max(length, settings.keep), settings.character) for text in texts]
    return with_columns(given, {settings.column: relabelled(series, labels)})


def coarsen_dates(given: TreatmentInput, settings: CoarsenDatesSettings) -> Treated:
    """Dates to the day, month, quarter or year: 2021-03, 2021-Q1, 2021; what a partial date knows less stays."""
    column = settings.column
    series = given.frame[column]
    labels = read_dates(labels_of(encode_column(series)), column, lambda label: coarser(label, settings.to))
    return with_columns(given, {column: relabelled(series, labels)})


TREATMENTS = {
    "group": Treatment(
        group_values,
        GroupSettings,
        20,
        (
            '`{"new": ["old", ...]}`; other values are kept or become `others`; values of fewer '
            "than `rarer_than` people are joined"
        ),
        Reading.BY_VALUE,
    ),
    "hierarchy": Treatment(
        generalise,
        HierarchySettings,
        20,
        (
            'a level of a CSV hierarchy in the form of ARX (`"file": "hierarchies/race.csv"`, see below), or of one '
            'that a `rule` builds: `{"intervals": [5, 10]}`, `"mask"`, `"dates"`'
        ),
        Reading.BY_VALUE,
    ),
    "mask": Treatment(
        mask_codes, MaskSettings, 20, "keeps the first characters and masks the others: `12xxxxxx`", Reading.BY_VALUE
    ),
    "coarsen_dates": Treatment(
        coarsen_dates,
        CoarsenDatesSettings,
        20,
        '`"day"`, `"month"`, `"quarter"` or `"year"`; partial dates stay partial; an interval keeps both ends',
        Reading.BY_VALUE,
    ),
}
