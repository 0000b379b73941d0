"""People known by counts alone: classes can be joined or removed without reading a record."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from Anonymization_Models import CountTable, EquivalenceClasses, SensitiveCounts
from config.model_settings import PilotConfig
from disclosure_control.basics.encoding.binning import Binning
from disclosure_control.basics.encoding.columns import EncodedColumn, encode_column
from disclosure_control.basics.encoding.keys import number_rows, sum_of_keys
from disclosure_control.basics.telling.faults import RecordsNotAtHandError
from disclosure_control.records.people import (
    DistinctValues,
    People,
    binned_values,
)


@dataclass(frozen=True)
class CountedPeople:
    """People by class and sensitive value, as an engine counted them, whose classes are joined and removed.

    ``class_of_first`` (n_first,) is the present class of each of the first classes, -1 where its people are removed.
    """

    config: PilotConfig
    classes: EquivalenceClasses
    counts: Mapping[str, SensitiveCounts]
    binnings: Mapping[str, Binning]
    distinct_values: Mapping[str, DistinctValues]
    class_of_first: np.ndarray

    @classmethod
    def of(cls, people: People, config: PilotConfig) -> CountedPeople:
        """The people that an engine counted for the config; the count table of each sensitive feature is whole here."""
        names = config.quasi_identifiers + config.sensitive_features
        return cls(
            config,
            dataclasses.replace(people.classes, records=None),
            {name: SensitiveCounts.of(one.table, one.n_without_value) for name, one in people.counts.items()},
            people.binnings,
            {name: people.distinct(name) for name in names},
            np.arange(people.classes.n_classes),
        )

    def distinct(self, name: str) -> DistinctValues:
        """The distinct values of a column, before anybody is removed: later counts of each value are not known."""
        if (self.class_of_first < 0).any():
            raise RecordsNotAtHandError(f"column {name!r} once people are left out")
        return self.distinct_values[name]

    def recoded(self, config: PilotConfig, values: Mapping[str, pd.Series]) -> CountedPeople:
        """The people with other ``values`` (n_values,) in place of the distinct ones of every column, under a config.

        Values that are together stay together, and sensitive values are unchanged.
        """
        names = config.quasi_identifiers
        people = {name: one.people for name, one in self.distinct_values.items()}
        binned, binnings = binned_values(values, people, config)
        encoded = {name: encode_column(binned[name]) for name in names}
        place = {name: i for i, name in enumerate(self.classes.quasi_identifiers)}
        codes = [self._joined(name, encoded[name], self.classes.class_codes[place[name]]) for name in names]
        labels = [encoded[name].labels for name in names]
        n_codes = [len(one) + 1 for one in labels]
        joined, _ = number_rows(codes, n_codes, self.classes.n_classes, least=-1)
        distinct = {
            name: DistinctValues(values[name], encoded[name].codes if name in encoded else one.codes, one.people)
            for name, one in self.distinct_values.items()
            if name in values
        }
        return self._of_joined(config, labels, codes, joined, binnings, distinct)

    def _joined(self, name: str, after: EncodedColumn, codes: np.ndarray) -> np.ndarray:
        """What each of the ``codes`` (n,) of a column has become, -1 where that is missing."""
        before = self.distinct_values[name].codes
        new = np.full(before.max(initial=-1) + 2, -1)
        new[before] = after.codes  # -1 is in the last place
        assert (new[before] == after.codes).all(), name  # else a class would have to be divided
        found: np.ndarray = new[codes]
        return found

    def _of_joined(
        self,
        config: PilotConfig,
        labels: Sequence[np.ndarray],
        codes: Sequence[np.ndarray],
        joined: np.ndarray,
        binnings: Mapping[str, Binning],
        distinct: Mapping[str, DistinctValues],
    ) -> CountedPeople:
        n_classes = int(joined.max(initial=-1)) + 1
        member = np.zeros(n_classes, dtype=np.int64)
        member[joined] = np.arange(len(joined))
        size = np.bincount(joined, self.classes.size, n_classes).astype(np.int64)
        class_codes = np.array([one[member] for one in codes], dtype=np.int64).reshape(len(codes), n_classes)
        counts = {
            name: SensitiveCounts.of(_joined_table(self.counts[name].table, joined, n_classes), one.n_without_value)
            for name, one in self.counts.items()
            if name in config.sensitive_features
        }
        of_first = np.append(joined, -1)[self.class_of_first]
        classes = EquivalenceClasses(config.quasi_identifiers, tuple(labels), class_codes, size)
        return CountedPeople(config, classes, counts, binnings, distinct, of_first)

    def without(self, gone: np.ndarray) -> CountedPeople:
        """The people who remain if whole classes (n_classes,) of bool are removed, and the remaining values."""
        place = np.where(gone, -1, np.cumsum(~gone) - 1)
        classes, n_classes = self.classes, int((~gone).sum())
        counts = {}
        for name, counted in self.counts.items():
            table = counted.table.within(~gone)
            cells = (place[table.class_of_cell], table.value_of_cell, table.people)
            n_without_value = int(classes.size[~gone].sum() - table.people.sum())
            counts[name] = SensitiveCounts.of(CountTable(*cells, table.values, n_classes), n_without_value)
        return CountedPeople(
            self.config,
            classes.within(~gone),
            counts,
            self.binnings,
            self.distinct_values,
            np.append(place, -1)[self.class_of_first],
        )


def _joined_table(table: CountTable, joined: np.ndarray, n_classes: int) -> CountTable:
    n_values = max(len(table.values), 1)
    key = joined[table.class_of_cell] * np.int64(n_values) + table.value_of_cell
    found, people = sum_of_keys(key, table.people, n_classes * n_values)
    return CountTable(found // n_values, found % n_values, people, table.values, n_classes)
