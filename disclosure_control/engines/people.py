"""What an engine hands over: the people of a pilot, counted by class and sensitive value; records on request."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import pandas as pd

from Anonymization_Models import (
    Binning,
    EquivalenceClasses,
    ModelResult,
    SensitiveCounts,
    apply_feature_binning,
    count_sensitive_values,
    form_equivalence_classes,
)
from config.model_settings import PilotConfig
from disclosure_control.basics.faults import FaultyInputError
from disclosure_control.engines.dataset_rules import SUBJECT_COLUMN


class RecordsNotInMemoryError(FaultyInputError):
    """Something asked for every record at once, and the engine in use does not hold them."""

    def __init__(self, what: str):
        super().__init__(
            f"{what} needs all records in memory, and the engine of this run does not hold them; use --engine memory "
            "on a machine with enough of it"
        )


class People(Protocol):
    """The people of a pilot as an engine counted them: what k, l and t are evaluated on.

    ``binnings`` tells, per binned quasi-identifier, who fell outside the edges; ``counts`` is the count of each
    sensitive feature, whole or in parts.
    """

    @property
    def classes(self) -> EquivalenceClasses: ...
    @property
    def counts(self) -> Mapping[str, SensitiveCounts]: ...
    @property
    def binnings(self) -> Mapping[str, Binning]: ...

    @property
    def binned(self) -> pd.DataFrame:
        """The dataset with its quasi-identifiers as evaluated. Raises ``RecordsNotInMemoryError``."""
        ...

    def flagged(self, result: ModelResult, place: np.ndarray) -> Iterator[tuple[np.ndarray, pd.DataFrame]]:
        """The records that a model flags, with the class of each; in parts that rise by the place of their class.

        ``place`` (n_classes,) is that of each class among the flagged ones. Within a part the order is open. Columns
        are the subject's id, the quasi-identifiers as evaluated and, for l and t, the sensitive value.
        """
        ...


def listed_columns(config: PilotConfig, result: ModelResult) -> list[str]:
    """The columns of a flagged record beside the subject's id."""
    return [*config.quasi_identifiers, *([result.sensitive] if result.sensitive else [])]


@dataclass(frozen=True)
class PeopleInMemory:
    """The people of a frame, all records at hand; ``subjects`` (n_records,) are their ids, None where nobody asks."""

    config: PilotConfig
    binned: pd.DataFrame
    binnings: dict[str, Binning]
    classes: EquivalenceClasses
    counts: dict[str, SensitiveCounts]
    subjects: pd.Series | None = field(default=None, repr=False)

    def flagged(self, result: ModelResult, place: np.ndarray) -> Iterator[tuple[np.ndarray, pd.DataFrame]]:
        """All of them, in one part: see ``People``."""
        assert self.subjects is not None  # without ids nobody can be named
        rows = np.flatnonzero(result.risky)
        listed = self.binned[listed_columns(self.config, result)].iloc[rows].reset_index(drop=True)
        listed.insert(0, SUBJECT_COLUMN, self.subjects.iloc[rows].to_numpy())
        yield self.classes.class_of_record[rows], listed


def count_in_memory(frame: pd.DataFrame, config: PilotConfig, subjects: pd.Series | None = None) -> PeopleInMemory:
    """Bin, form the classes once and count each sensitive feature once; ``frame`` has one row per person."""
    binned, binnings = apply_feature_binning(frame, config.binning_config, config.out_of_range)
    classes = form_equivalence_classes(binned, config.quasi_identifiers)
    counts = {name: count_sensitive_values(classes, frame[name]) for name in config.sensitive_features}
    return PeopleInMemory(config, binned, binnings, classes, counts, subjects)
