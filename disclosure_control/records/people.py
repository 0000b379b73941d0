"""What an engine hands over: the people of a pilot, counted by class and sensitive value; records on request."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np
import pandas as pd

from Anonymization_Models import (
    EquivalenceClasses,
    ModelResult,
    SensitiveCounts,
    apply_feature_binning,
    classes_of_columns,
    count_values,
    encode_columns,
)
from config.model_settings import PilotConfig
from disclosure_control.basics.encoding.binning import Binning, bin_values
from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN, encode_column
from disclosure_control.basics.encoding.text_codes import codes_of_few_texts
from disclosure_control.basics.telling.faults import FaultyInputError, stop_at


@dataclass(frozen=True)
class DistinctValues:
    """The distinct values of a column, exact and typed, the missing one among them where somebody has none.

    ``values`` (n_values,); ``codes`` (n_values,) tell under which label each is evaluated, that of the classes or of
    the count, -1 where it is missing; ``people`` (n_values,) have it. What is spelt in several ways may be there twice.
    """

    values: pd.Series = field(repr=False)
    codes: np.ndarray
    people: np.ndarray


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
        """The dataset with its quasi-identifiers as evaluated. Raises ``RecordsNotAtHandError``."""
        ...

    def distinct(self, name: str) -> DistinctValues:
        """The distinct values of a column of the config, and how they are evaluated."""
        ...

    def values_of(self, name: str) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Block by block the class of each record and the code of its value in a column of the config, -1 missing.

        Blocks are the same for every column, records in the same order.
        """
        ...

    def classes_of_blocks(self) -> Iterator[np.ndarray]:
        """Block by block the class of each record."""
        ...

    def recoded(self, config: PilotConfig, values: Mapping[str, pd.Series]) -> People:
        """The same people where other values stand for those they have, as another config evaluates them.

        ``values`` (n_values,) of every column of that config stand for those of ``distinct``, in their order.
        """
        ...

    def flagged(self, result: ModelResult, place: np.ndarray) -> Iterator[tuple[np.ndarray, pd.DataFrame]]:
        """The records that a model flags, with the class of each; in parts that rise by the place of their class.

        ``place`` (n_classes,) is that of each class among the flagged ones. Within a part the order is open. Columns
        are the subject's id, the quasi-identifiers as evaluated and, for l and t, the sensitive value.
        """
        ...

    def everybody(self, place: np.ndarray) -> Iterator[ListedPeople]:
        """All people in parts that rise by the ``place`` (n_classes,) of their class, which several may have.

        All of a place are in one part; within it the order is open.
        """
        ...


class ListedPeople(NamedTuple):
    """Some people, one after the other: their ``classes`` (n,), their ids, and by sensitive feature who has a value."""

    classes: np.ndarray
    subjects: pd.Series
    has_value: dict[str, np.ndarray]


def listed_columns(config: PilotConfig, result: ModelResult) -> list[str]:
    """The columns of a flagged record beside the subject's id."""
    return [*config.quasi_identifiers, *([result.sensitive] if result.sensitive else [])]


@dataclass(frozen=True)
class PeopleInMemory:
    """The people of a frame, all records at hand; ``subjects`` (n_records,) are their ids, None where nobody asks.

    ``frame`` (n_records, n_columns) has exact values, ``binned`` those that are evaluated.
    """

    config: PilotConfig
    frame: pd.DataFrame = field(repr=False)
    binned: pd.DataFrame = field(repr=False)
    binnings: dict[str, Binning]
    classes: EquivalenceClasses
    counts: dict[str, SensitiveCounts]
    subjects: pd.Series | None = field(default=None, repr=False)

    def distinct(self, name: str) -> DistinctValues:
        """See ``People``: the first record with each value stands for it."""
        return self._distinct_of_record(name)[0]

    def _distinct_of_record(self, name: str) -> tuple[DistinctValues, np.ndarray]:
        """The distinct values, and the place of each record's own among them."""
        is_binned = name in self.config.binning_config
        code = (encode_column(self.frame[name]).codes if is_binned else self._evaluated_codes(name)) + 1
        n_codes = int(code.max(initial=-1)) + 1
        people, first = np.bincount(code, minlength=n_codes), np.zeros(n_codes, dtype=np.int64)
        first[code[::-1]] = np.arange(len(code))[::-1]
        rows, place = first[people > 0], np.cumsum(people > 0) - 1
        values = self.frame[name].iloc[rows].reset_index(drop=True)
        return DistinctValues(values, self._evaluated_codes(name)[rows], people[people > 0]), place[code]

    def _evaluated_codes(self, name: str) -> np.ndarray:
        if name in self.counts:
            return self.counts[name].codes
        return self.classes.columns[self.classes.quasi_identifiers.index(name)].codes

    def values_of(self, name: str) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """All in one block: see ``People``."""
        yield self.classes.class_of_record, self._evaluated_codes(name)

    def classes_of_blocks(self) -> Iterator[np.ndarray]:
        """All in one block: see ``People``."""
        yield self.classes.class_of_record

    def recoded(self, config: PilotConfig, values: Mapping[str, pd.Series]) -> PeopleInMemory:
        """See ``People``."""
        columns = {}
        for name in config.quasi_identifiers + config.sensitive_features:
            _, place = self._distinct_of_record(name)
            columns[name] = values[name].take(place).set_axis(self.frame.index)
        return count_in_memory(self.frame.assign(**columns), config, self.subjects)

    def flagged(self, result: ModelResult, place: np.ndarray) -> Iterator[tuple[np.ndarray, pd.DataFrame]]:
        """All of them, in one part: see ``People``."""
        assert self.subjects is not None  # without ids nobody can be named
        rows = np.flatnonzero(result.risky)
        rows = rows[np.argsort(place[self.classes.class_of_record[rows]], kind="stable")]
        listed = {SUBJECT_COLUMN: self.subjects.iloc[rows].reset_index(drop=True)}
        listed |= {name: _taken(self.binned[name], rows) for name in listed_columns(self.config, result)}
        yield self.classes.class_of_record[rows], pd.DataFrame(listed, copy=False)

    def everybody(self, place: np.ndarray) -> Iterator[ListedPeople]:
        """All of them, in one part and in the order of the frame: see ``People``."""
        assert self.subjects is not None  # without ids nobody can be named
        has_value = {name: counted.has_value for name, counted in self.counts.items()}
        yield ListedPeople(self.classes.class_of_record, self.subjects, has_value)


def _taken(column: pd.Series, rows: np.ndarray) -> pd.Series:
    """The values of some records (n,), numbered anew; few different texts as categories, which are taken as numbers."""
    if (few := codes_of_few_texts(column)) is None:
        return column.iloc[rows].reset_index(drop=True)
    return pd.Series(pd.Categorical.from_codes(few.codes[rows], pd.Index(few.texts, dtype="str")))


def count_in_memory(frame: pd.DataFrame, config: PilotConfig, subjects: pd.Series | None = None) -> PeopleInMemory:
    """Bin, form the classes once and count each sensitive feature once; ``frame`` has one row per person."""
    binned, binnings = apply_feature_binning(frame, config.binning_config, config.out_of_range)
    qis, sensitive = config.quasi_identifiers, config.sensitive_features
    columns = encode_columns([*(binned[name] for name in qis), *(frame[name] for name in sensitive)])
    classes = classes_of_columns(qis, columns[: len(qis)], len(frame))
    counts = {name: count_values(classes, one) for name, one in zip(sensitive, columns[len(qis) :], strict=True)}
    return PeopleInMemory(config, frame, binned, binnings, classes, counts, subjects)


def binned_values(
    values: Mapping[str, pd.Series], people: Mapping[str, np.ndarray], config: PilotConfig
) -> tuple[dict[str, pd.Series], dict[str, Binning]]:
    """Distinct ``values`` (n_values,) by column, those in bins that the config bins, and who fell outside.

    ``people`` (n_values,) have each. Raises ``FaultyInputError`` with the faults of all columns.
    """
    binned, binnings = dict(values), {}
    faults: list[str] = []
    for name, edges in config.binning_config.items():
        try:
            binned[name], binnings[name] = bin_values(values[name], edges, config.out_of_range, people[name])
        except FaultyInputError as error:
            faults += error.faults
    stop_at(faults)
    return binned, binnings
