"""The cells of a pool: every class and every sensitive value that the invitation declares, occupied or not.

Of each class a row: how many people have each value of each sensitive feature, one table per feature; and how many have
a value of which features. That suffices for k, l, t, ``risk`` and ``recommend``: none of them looks at two sensitive
values of a person together, only at whether both are there. A joint table would multiply the cells instead.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from Anonymization_Models import EquivalenceClasses
from config.model_settings import PilotConfig
from disclosure_control.basics.encoding.binning import bin_labels
from disclosure_control.basics.encoding.columns import EncodedColumn, canonical_labels_of, number_text
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.basics.telling.words import counted, listed
from disclosure_control.pooling.settings import PoolSettings
from disclosure_control.records.people import People
from disclosure_control.steps.recommend.tried_out import AlikePeople

MOST_CELLS = 20_000_000
COUNT = np.dtype("<u8")  # counts are added modulo 2**64


@dataclass(frozen=True)
class DeclaredColumn:
    """A column with all ``labels`` (n_labels,) under which it may be evaluated; missing is one more.

    ``texts`` (n_labels,): for each label a value that is evaluated as it.
    """

    name: str
    labels: tuple[str, ...]
    texts: tuple[str, ...]

    @classmethod
    def of(cls, name: str, config: PilotConfig, settings: PoolSettings) -> DeclaredColumn:
        """The column as config and ``pool`` declare it."""
        if name not in config.binning_config:
            declared = settings.categories.get(name) or settings.values[name]
            return cls(name, declared, declared)
        edges = config.binning_config[name]
        labels, numbers = bin_labels(edges), [float(edge) for edge in edges[:-1]]
        if config.out_of_range == "tail":
            labels = [f"<{number_text(edges[0])}", *labels, f">{number_text(edges[-1])}"]
            below, above = edges[0] - max(1.0, abs(edges[0])), edges[-1] + max(1.0, abs(edges[-1]))
            numbers = [below, *numbers, above]
        return cls(name, tuple(labels), tuple(map(repr, numbers)))

    @property
    def n_codes(self) -> int:
        """The labels and missing."""
        return len(self.labels) + 1

    def codes_of(self, labels: np.ndarray) -> np.ndarray:
        """The code of each label (n,) of a pilot's column, from 0; -1 of one that is not declared."""
        spelt = canonical_labels_of(EncodedColumn(np.zeros(0, dtype=np.int32), labels)).tolist()
        place = {label: code for code, label in enumerate(self.labels)}
        return np.array([place.get(label, -1) for label in spelt], dtype=np.int64)


class UndeclaredValuesError(FaultyInputError):
    """Values that the invitation does not declare, ``by_column``; the faults name columns and numbers alone."""

    def __init__(self, faults: Iterable[str], by_column: Mapping[str, Sequence[str]]):
        super().__init__(faults)
        self.by_column = by_column


def declared_codes(columns: Sequence[DeclaredColumn], labels: Sequence[np.ndarray]) -> list[np.ndarray]:
    """The codes of all columns' labels. Raises ``UndeclaredValuesError`` with those that are not declared."""
    codes = [column.codes_of(of_column) for column, of_column in zip(columns, labels, strict=True)]
    strange = {
        column.name: canonical_labels_of(EncodedColumn(np.zeros(0, dtype=np.int32), of_column[code < 0])).tolist()
        for column, of_column, code in zip(columns, labels, codes, strict=True)
        if (code < 0).any()
    }
    if strange:
        faults = [
            f"column {column.name!r}: {counted(n, 'value')} of {len(code)} {'is' if n == 1 else 'are'} not among the "
            f"{len(column.labels)} that the invitation declares; correct the data, or declare what is missing there "
            "and begin a new round"
            for column, code in zip(columns, codes, strict=True)
            if (n := len(strange.get(column.name, ())))
        ]
        raise UndeclaredValuesError(faults, strange)
    return codes


@dataclass(frozen=True)
class CellSpace:
    """All cells of a round, (n_classes, width): the same for every node, whatever its data are."""

    quasi_identifiers: tuple[DeclaredColumn, ...]
    sensitive: tuple[DeclaredColumn, ...]

    @classmethod
    def of(cls, config: PilotConfig) -> CellSpace:
        """The cells that a config declares. Raises ``FaultyInputError`` where they are too many."""
        settings = config.of(PoolSettings)
        columns = [
            tuple(DeclaredColumn.of(name, config, settings) for name in names)
            for names in (config.quasi_identifiers, config.sensitive_features)
        ]
        space = cls(*columns)
        if space.n_cells > MOST_CELLS:
            raise FaultyInputError(space.too_many)
        return space

    @property
    def columns(self) -> tuple[DeclaredColumn, ...]:
        return (*self.quasi_identifiers, *self.sensitive)

    @cached_property
    def n_classes(self) -> int:
        return math.prod(column.n_codes for column in self.quasi_identifiers)

    @cached_property
    def first_values(self) -> tuple[int, ...]:
        """Where in a row the values of each sensitive feature begin; last, where the patterns of gaps do."""
        return tuple(int(n) for n in np.cumsum([0, *(len(column.labels) for column in self.sensitive)]))

    @property
    def width(self) -> int:
        return self.first_values[-1] + (1 << len(self.sensitive))

    @property
    def n_cells(self) -> int:
        return self.n_classes * self.width

    @property
    def too_many(self) -> str:
        """The fault of too many cells, with the columns whose coarser bins help most."""
        by_size = sorted(self.columns, key=lambda column: -column.n_codes)
        finest = listed([f"{column.name} ({column.n_codes} values with missing)" for column in by_size[:3]])
        return (
            f"the declared values make {self.n_cells:,} cells ({self.n_classes:,} classes, {self.width} counts each); "
            f"allowed: up to {MOST_CELLS:,}; make the bins or values of these coarser, or leave one out: {finest}"
        )

    def places_of(self, classes: EquivalenceClasses) -> np.ndarray:
        """Where a pilot's classes, (n,), are among those declared. Raises ``UndeclaredValuesError``."""
        return self._places(classes, declared_codes(self.quasi_identifiers, classes.labels))

    def _places(self, classes: EquivalenceClasses, declared: Sequence[np.ndarray]) -> np.ndarray:
        places = np.zeros(classes.n_classes, dtype=np.int64)
        for column, of_column, codes in zip(self.quasi_identifiers, declared, classes.class_codes, strict=True):
            places = places * column.n_codes + np.append(of_column, -1)[codes] + 1
        return places

    def codes_of(self, places: np.ndarray) -> list[np.ndarray]:
        """Of some classes, by their places (n,), the code in each quasi-identifier, -1 missing."""
        codes, rest = [], places
        for column in reversed(self.quasi_identifiers):
            rest, code = np.divmod(rest, column.n_codes)
            codes.append(code - 1)
        return codes[::-1]

    def count(self, people: People) -> np.ndarray:
        """A pilot's people in the cells, (n_classes, width). Raises ``UndeclaredValuesError``."""
        labels = [*people.classes.labels, *(people.counts[column.name].values for column in self.sensitive)]
        declared = declared_codes(self.columns, labels)
        n_keys = len(self.quasi_identifiers)
        places, codes = self._places(people.classes, declared[:n_keys]), declared[n_keys:]
        cells = np.zeros((self.n_classes, self.width), dtype=COUNT)
        for column, first, code in zip(self.sensitive, self.first_values, codes, strict=False):
            for part, table in people.counts[column.name].tables:
                rows = places[part][table.class_of_cell]
                cells[rows, first + code[table.value_of_cell]] = table.people
        alike = AlikePeople.of(people)
        pattern = np.zeros(len(alike.people), dtype=np.int64)
        for i, column in enumerate(self.sensitive):
            pattern += np.where(alike.has_value.get(column.name, True), 1 << i, 0)
        cells[places[alike.first_class], self.first_values[-1] + pattern] = alike.people
        return cells

    def values(self, cells: np.ndarray, number: int) -> np.ndarray:
        """Of cells (n, width) the counts by value, (n, n_labels), of a sensitive feature by its number."""
        return cells[:, self.first_values[number] : self.first_values[number + 1]]

    def patterns(self, cells: np.ndarray) -> np.ndarray:
        """Of cells (n, width) the people by the features that they have a value of, (n, 2**n_features)."""
        return cells[:, self.first_values[-1] :]


def names_of(columns: Sequence[DeclaredColumn]) -> list[str]:
    """The names of columns."""
    return [column.name for column in columns]
