"""What comes out of a treatment: the steps as they were applied, and the pilot after them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd

from config.model_settings import PilotConfig
from disclosure_control.assess.assessment import Assessment
from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN, as_counted
from disclosure_control.basics.settings.fields import SettingsGroup
from disclosure_control.records.records import EncodedRecords
from disclosure_control.records.text_table import TextTable
from disclosure_control.treatments.evaluation import evaluate_treated
from disclosure_control.treatments.keys import UNNAMED, Release
from disclosure_control.treatments.record_order import order_by
from disclosure_control.treatments.registry import Reading, methods


@dataclass(frozen=True)
class AppliedStep:
    """One treatment as it was applied: what it changed per column, in counts, what it read, if chance was drawn."""

    method: str
    changed: Mapping[str, int]
    n_records_removed: int
    notes: tuple[str, ...]
    used_chance: bool
    inputs: Mapping[str, dict[str, object]] = field(default_factory=dict)
    settings: SettingsGroup = field(default_factory=SettingsGroup)


@dataclass(frozen=True)
class MissingCounts:
    """People without a value of a column: of all before, and of those who stay before and after.

    ``released`` has the three by released column that was there before, ``dropped`` the first by one that is gone.
    """

    released: Mapping[str, tuple[int, int, int]]
    dropped: Mapping[str, int]


@dataclass(frozen=True)
class TreatedPilot:
    """A pilot after its treatment.

    ``frame`` (n_kept, n_columns) are the records as released, in the order in which they came; its index, and
    ``kept`` (n_kept,), are their positions in the frame that was treated. ``assessment`` looks at it as the config
    does.
    ``config`` holds the roles that the columns have now; ``notes`` are sentences for the report. ``release`` is that
    within which ids kept their pseudonyms. ``original`` are the records that were treated, where they were put aside.
    """

    frame: pd.DataFrame = field(repr=False)
    config: PilotConfig
    assessment: Assessment
    steps: tuple[AppliedStep, ...]
    n_records_before: int
    seed: int | None
    notes: tuple[str, ...]
    release: Release = UNNAMED
    original: EncodedRecords | None = field(default=None, repr=False)

    @property
    def columns(self) -> list[str]:
        """The columns that are released, in their order."""
        return list(map(str, self.frame))

    @property
    def n_people(self) -> int:
        """How many records are released."""
        return len(self.frame)

    @property
    def values(self) -> Mapping[str, pd.Series]:
        """What is released of the values of each column but the ids, in the order of ``records_of``."""
        return {str(name): column for name, column in self.frame.items() if name != SUBJECT_COLUMN}

    def records_of(self, table: pd.DataFrame | TextTable) -> EncodedRecords:
        """Those who stay of the ``table`` that was treated, as they were."""
        assert isinstance(table, pd.DataFrame)
        return EncodedRecords.in_memory(table.iloc[self.kept])

    def distinct(self, name: str) -> pd.Series:
        """What is released of a column, each value at least once."""
        return self.frame[name]

    def gaps(self, table: pd.DataFrame | TextTable) -> MissingCounts:
        """Who lacks a value of the columns of the ``table`` that was treated."""
        assert isinstance(table, pd.DataFrame)
        released = {
            name: (n_missing(table[name]), n_missing(table[name].iloc[self.kept]), n_missing(self.frame[name]))
            for name in self.columns
            if name in table
        }
        return MissingCounts(released, {str(name): n_missing(table[name]) for name in table if name not in released})

    @property
    def kept(self) -> np.ndarray:
        """Positions (n_kept,) of the released records in the frame that was treated."""
        return self.frame.index.to_numpy()

    @property
    def inputs(self) -> dict[str, dict[str, object]]:
        """Files that the steps read, with their SHA-256."""
        return {name: read for step in self.steps for name, read in step.inputs.items()}

    @cached_property
    def readings(self) -> dict[str, Reading]:
        """How whoever has the codebook reads the columns of which some value changed."""
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
        """k, l and t of the exact values that stand in the frame, without the config's bins of quasi-identifiers."""
        return evaluate_treated(self.frame, self.config, as_released=True)  # where it is asked for: many runs do not

    @cached_property
    def released(self) -> pd.DataFrame:
        """The records as they are written: in an order that tells nothing of the original one, without row numbers.

        By subject id where there is one, otherwise by the values of all columns. Each value is the label that was
        counted, so that k of the file is k as released; an id is a name and stays as it is spelled.
        """
        counted = {str(name): as_counted(column) for name, column in self.frame.items() if name != SUBJECT_COLUMN}
        frame = self.frame.assign(**counted)
        names = [SUBJECT_COLUMN] if SUBJECT_COLUMN in frame else list(frame.columns)
        return frame.iloc[order_by([frame[name] for name in names])].reset_index(drop=True)


def n_missing(column: pd.Series) -> int:
    """Records (n_records,) without a value."""
    return int(column.isna().sum())


def has_bare_intervals(column: pd.Series) -> bool:
    """Whether a column is released in categories, and one of them is an interval ``a--b``."""
    return isinstance(column.dtype, pd.CategoricalDtype) and any("--" in str(label) for label in column.cat.categories)
