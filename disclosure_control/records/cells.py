"""The count table of a sensitive feature, divided by class: one part at a time is in memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from Anonymization_Models import CountTable, SensitiveCounts
from disclosure_control.records.class_keys import KeyCounter, parts_of_classes
from disclosure_control.records.people import RecordsNotInMemoryError
from disclosure_control.records.spill import SpilledArrays

MOST_CELLS_AT_ONCE = 1 << 24  # 400 MB


@dataclass(frozen=True)
class PartOfCells:
    """The cells of some classes, on disk: their keys, (class - first class) x values + value, rising, and people."""

    classes: slice
    cells: Iterable[np.ndarray]
    n_cells: int


class CountsOnDisk(SensitiveCounts):
    """One sensitive column after the count, in parts; ``group`` (n_values,) makes groups of the values counted."""

    _parts: tuple[PartOfCells, ...]
    _counted_values: np.ndarray
    _n_without_value: int
    _group: np.ndarray | None
    _values: np.ndarray

    def __init__(
        self,
        parts: Sequence[PartOfCells],
        counted_values: np.ndarray,
        n_without_value: int,
        group: np.ndarray | None = None,
        values: np.ndarray | None = None,
    ):
        self.__dict__.update(
            _parts=tuple(parts), _counted_values=counted_values, _n_without_value=n_without_value, _group=group
        )
        self.__dict__["_values"] = counted_values if values is None else values

    @property
    def codes(self) -> np.ndarray:
        """Raises ``RecordsNotInMemoryError``."""
        raise RecordsNotInMemoryError("the sensitive value of each record")

    @property
    def values(self) -> np.ndarray:
        """The distinct values in order (n_values,)."""
        return self._values

    @property
    def n_without_value(self) -> int:
        """How many people have no value, evaluated or not."""
        return self._n_without_value

    def parts(self) -> Iterator[tuple[slice, CountTable]]:
        """The table in parts: the classes of each, and their table, in which they are numbered from 0."""
        n_values = max(len(self._counted_values), 1)
        for part in self._parts:
            key, people = part.cells
            n_classes = part.classes.stop - part.classes.start
            table = CountTable(key // n_values, key % n_values, people, self._counted_values, n_classes)
            yield part.classes, table if self._group is None else table.regrouped(self._group, self._values)

    def people_of_value(self, evaluated: np.ndarray | None = None) -> np.ndarray:
        """How many people have each value, (n_values,): of all classes, or of those ``evaluated`` (n_classes,)."""
        if evaluated is None or evaluated.all():
            return self._people_of_value
        people = np.zeros(len(self._values))
        for part, table in self.parts():
            kept = evaluated[part][table.class_of_cell]
            people += np.bincount(table.value_of_cell[kept], table.people[kept], len(people))
        return people

    @cached_property
    def _people_of_value(self) -> np.ndarray:
        """Of everybody, whom reports ask for a dozen times: once through all cells is enough."""
        people = np.zeros(len(self._values))
        for _, table in self.parts():
            people += table.people_of_value
        return people

    def regrouped(self, group_of_value: np.ndarray, values: np.ndarray) -> SensitiveCounts:
        """The counts after values are grouped: ``group_of_value`` (n_values,), -1 makes one missing in the table."""
        assert self._group is None  # values are grouped once, into bins
        return CountsOnDisk(self._parts, self._counted_values, self._n_without_value, group_of_value, values)

    @cached_property
    def table(self) -> CountTable:
        """The table in one; raises ``RecordsNotInMemoryError`` where it has too many cells for that."""
        if sum(part.n_cells for part in self._parts) > MOST_CELLS_AT_ONCE:
            raise RecordsNotInMemoryError(f"a count table of more than {MOST_CELLS_AT_ONCE:,} cells")
        parts = list(self.parts())
        return CountTable(
            np.concatenate([table.class_of_cell + part.start for part, table in parts]),
            np.concatenate([table.value_of_cell for _, table in parts]),
            np.concatenate([table.people for _, table in parts]),
            self._values,
            parts[-1][0].stop,
        )


def count_cells(
    blocks: Iterable[tuple[np.ndarray, np.ndarray]],
    size: np.ndarray,
    values: np.ndarray,
    folder: Path,
    people_per_part: int,
) -> CountsOnDisk:
    """Count people by class and value: of ``blocks``, the class of each record and its value's code, -1 if missing.

    ``size`` (n_classes,) are the people of each class. Records are divided by their class first, so that every class
    is whole in one part; then each part is counted by itself.
    """
    n_values = max(len(values), 1)
    parts = list(parts_of_classes(size, people_per_part))
    starts = np.array([part.start for part in parts])
    keys_of_part = [SpilledArrays(folder / f"keys_{i}") for i in range(len(parts))]
    n_without_value = 0
    for class_of_record, value in blocks:
        has_value = value >= 0
        n_without_value += len(value) - int(has_value.sum())
        classes = class_of_record[has_value]
        part_of_record = np.searchsorted(starts, classes, side="right") - 1
        key = (classes - starts[part_of_record]) * np.int64(n_values) + value[has_value]
        by_part = np.argsort(part_of_record.astype(np.uint8), kind="stable")  # at most 256 parts
        ends = np.cumsum(np.bincount(part_of_record, minlength=len(parts)))
        for spilled, keys in zip(keys_of_part, np.split(key[by_part], ends[:-1]), strict=True):
            if len(keys):
                spilled.append(keys)
    counted = [
        _count_part(part, spilled, (part.stop - part.start) * n_values, folder / f"cells_{i}")
        for i, (part, spilled) in enumerate(zip(parts, keys_of_part, strict=True))
    ]
    return CountsOnDisk(counted, values, n_without_value)


def _count_part(classes: slice, spilled: SpilledArrays, n_keys: int, path: Path) -> PartOfCells:
    counter = KeyCounter(n_keys, n_keys, "")
    for keys in spilled:
        counter.add(keys)
    key, people = counter.result()
    spilled.remove()
    cells = SpilledArrays(path)
    cells.append(key)
    cells.append(people)
    return PartOfCells(classes, cells, len(key))
