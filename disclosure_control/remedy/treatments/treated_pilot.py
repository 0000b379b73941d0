"""The result of a treatment: the steps as they were applied, and the pilot after them."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np
import pandas as pd

from config.model_settings import PilotConfig
from disclosure_control.assess.assessment import Assessment, evaluate
from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN, as_counted
from disclosure_control.basics.kept import Kept, print_of
from disclosure_control.basics.settings.fields import SettingsGroup
from disclosure_control.identifiers.column_findings import ColumnFinding
from disclosure_control.identifiers.scan import scan_values
from disclosure_control.records.people import counted_as
from disclosure_control.records.records import EncodedRecords, sorted_by_columns, sorted_by_id
from disclosure_control.records.subjects import Subjects
from disclosure_control.remedy.treatments.keys import UNNAMED, Release
from disclosure_control.remedy.treatments.registry import Reading, methods


@dataclass(frozen=True)
class AppliedStep:
    """One treatment as it was applied: what it changed per column, in counts, what it read, if chance was drawn."""

    method: str
    settings: SettingsGroup
    changed: Mapping[str, int]
    n_records_removed: int = 0
    notes: tuple[str, ...] = ()
    inputs: Mapping[str, dict[str, object]] = field(default_factory=dict)
    used_chance: bool = False


@dataclass(frozen=True)
class MissingCounts:
    """People without a value of a column: of all before, and of those who stay before and after.

    ``released`` has the three by released column that existed before, ``dropped`` the first by dropped column.
    """

    released: Mapping[str, tuple[int, int, int]]
    dropped: Mapping[str, int]


@dataclass(frozen=True)
class TreatedPilot:
    """A pilot after its treatment.

    ``original`` are the records that were treated, and ``records`` those that are released, with original values.
    ``columns`` are released, in their order; ``values`` (n_texts,) are the released forms of the values of all others
    than the ``ids``, which are the released ones, None without any. ``assessment`` evaluates them as the config does.
    ``config`` has the columns' present roles; ``notes`` are sentences for the report. ``release`` is the one within
    which ids kept their pseudonyms.
    """

    assessment: Assessment
    steps: tuple[AppliedStep, ...]
    original: EncodedRecords = field(repr=False)
    records: EncodedRecords = field(repr=False)
    columns: tuple[str, ...]
    values: Mapping[str, pd.Series] = field(repr=False)
    ids: Subjects | None = field(repr=False)
    seed: int | None
    notes: tuple[str, ...]
    release: Release = UNNAMED

    @property
    def config(self) -> PilotConfig:
        """The roles that the columns have now."""
        return self.assessment.config

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The records (n_kept, n_columns) as released, in the order in which they came."""
        return self.records.frame("the treated dataset", self.columns, self.values, self.ids)

    @cached_property
    def kept(self) -> np.ndarray:
        """Positions (n_kept,) of the released records among those that were treated."""
        return self.records.positions_in(self.original)

    @property
    def n_people(self) -> int:
        return self.assessment.classes.n_records

    @property
    def n_records_before(self) -> int:
        """How many records there were."""
        return self.original.n_people

    def distinct(self, name: str) -> pd.Series:
        """The released values of a column, each at least once."""
        return self.values[name].iloc[self.records.column(name, self.values[name]).occurs]

    def gaps(self) -> MissingCounts:
        """Who lacks a value of the columns that were treated."""
        released, dropped = {}, {}
        for name, column in self.original.columns.items():
            if name not in self.values:
                dropped[name] = column.n_missing()
                continue
            kept = self.records.columns[name]
            released[name] = (column.n_missing(), kept.n_missing(), kept.n_missing(self.values[name]))
        if SUBJECT_COLUMN in self.columns:
            return MissingCounts({SUBJECT_COLUMN: (0, 0, 0), **released}, dropped)
        return MissingCounts(released, {SUBJECT_COLUMN: 0, **dropped} if self.original.subjects.has_ids else dropped)

    def scanned(self, names: Iterable[str]) -> Iterator[ColumnFinding]:
        """Findings of values that name a person, in the released columns."""
        for name in names:
            yield from scanned_column(self.records, self.values[name])

    @property
    def inputs(self) -> dict[str, dict[str, object]]:
        """Files that the steps read, with their SHA-256."""
        return {name: read for step in self.steps for name, read in step.inputs.items()}

    @cached_property
    def readings(self) -> dict[str, Reading]:
        """How someone with the codebook reads the columns with changed values."""
        found: dict[str, Reading] = {}
        for step in self.steps:
            reading = methods()[step.method].reading
            found |= {name: max(reading, found.get(name, reading)) for name, count in step.changed.items() if count}
        return found

    @cached_property
    def intervals(self) -> dict[str, str]:
        """How ``a--b`` is read in the columns that are released as such, as the last step has it that wrote them."""
        found: dict[str, str] = {}
        for step in self.steps:
            words = methods()[step.method].intervals
            found |= {name: words for name, count in step.changed.items() if words and count and name in self.columns}
        return {name: words for name, words in found.items() if has_bare_intervals(self.distinct(name))}

    @property
    def n_records_removed(self) -> int:
        """How many records all steps together took away."""
        return self.n_records_before - self.n_people

    @cached_property
    def as_released(self) -> Assessment:
        """k, l and t of the exact values, without the config's bins of quasi-identifiers."""
        config = dataclasses.replace(self.config, binning_config={})
        return evaluate(counted_as(self.records, config, self.values), config)  # where asked for: many runs do not

    def written(self, without: Collection[str] = ()) -> Iterator[pd.DataFrame]:
        """The records as written, in pieces, in an order that discloses nothing of the original one.

        By subject id if there is one, otherwise by the values of all columns. Each value is the label that was counted,
        so that k of the file is k as released; an id keeps its spelling. ``without``: columns that stay here.
        """
        names = tuple(name for name in self.columns if name not in without)
        columns = {name: as_counted(self.values[name]) for name in names if name != SUBJECT_COLUMN}
        released = {name: self.records.column(name, one) for name, one in self.values.items()}
        records = dataclasses.replace(self.records, columns=released)
        if self.ids is None:
            return sorted_by_columns(records, columns, names)
        return sorted_by_id(records, self.ids, columns, names)

    @cached_property
    def released(self) -> pd.DataFrame:
        """The records as written, all at once."""
        return pd.concat(list(self.written()), ignore_index=True)


def scanned_column(records: EncodedRecords, values: pd.Series, kept: Kept | None = None) -> tuple[ColumnFinding, ...]:
    """Findings of values that name a person, in a column whose values ``values`` (n_texts,) replace.

    ``kept``: what the ways of a proposal found in the same column before.
    """
    column, ids_at = records.column(str(values.name), values), records.subjects.ids_at
    places = column.occurs
    asked = values.iloc[places], column.people[places], column.first_records()[places]
    find = partial(scan_values, *asked, records.n_people, ids_at)
    if kept is None:
        return find()
    whose = [ids_at(asked[-1])] if records.subjects.has_ids else []
    return kept.of(("scanned", values.name, records.n_people, print_of(*asked, *whose)), find)


def has_bare_intervals(column: pd.Series) -> bool:
    """Whether a column is released in categories, and one of them is an interval ``a--b``."""
    return isinstance(column.dtype, pd.CategoricalDtype) and any("--" in str(label) for label in column.cat.categories)
