"""The count table of a sensitive feature, divided by class: one part at a time is in memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from Anonymization_Models import CountTable, SensitiveCounts
from disclosure_control.basics.encoding.again import Anew
from disclosure_control.records.class_keys import KeyCounter, parts_of_classes
from disclosure_control.records.spill import SpilledArrays


@dataclass(frozen=True)
class PartOfCells:
    """The cells of some classes, on disk: their keys, (class - first class) x values + value, rising, and people."""

    classes: slice
    cells: Iterable[np.ndarray]


def counted_in_parts(parts: Sequence[PartOfCells], values: np.ndarray, n_without_value: int) -> SensitiveCounts:
    """The count of a sensitive feature with these ``values`` (n_values,), read part by part."""
    n_values = max(len(values), 1)

    def tables() -> Iterator[tuple[slice, CountTable]]:
        for part in parts:
            key, people = part.cells
            n_classes = part.classes.stop - part.classes.start
            yield part.classes, CountTable(key // n_values, key % n_values, people, values, n_classes)

    return SensitiveCounts(values, Anew(tables), n_without_value)


def count_cells(
    blocks: Iterable[tuple[np.ndarray, np.ndarray]],
    size: np.ndarray,
    values: np.ndarray,
    folder: Path,
    people_per_part: int,
) -> SensitiveCounts:
    """Count people by class and value: of ``blocks``, the class of each record and its value's code, -1 if missing.

    ``size`` (n_classes,) are the people of each class. Records are divided by their class first, so that every class is
    whole in one part; then each part is counted separately.
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
    return counted_in_parts(counted, values, n_without_value)


def _count_part(classes: slice, spilled: SpilledArrays, n_keys: int, path: Path) -> PartOfCells:
    counter = KeyCounter(n_keys, n_keys, "")
    for keys in spilled:
        counter.add(keys)
    key, people = counter.result()
    spilled.remove()
    cells = SpilledArrays(path)
    cells.append(key)
    cells.append(people)
    return PartOfCells(classes, cells)
