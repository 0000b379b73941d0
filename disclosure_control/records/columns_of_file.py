"""Any column of the combined dataset, counted: by its distinct texts, by class; records in memory or not."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import EncodedColumn, encode_column
from disclosure_control.records.class_keys import KeyCounter
from disclosure_control.records.other_columns import TableOnDisk
from disclosure_control.records.people import People

Table = pd.DataFrame | TableOnDisk


def distinct_texts(table: Table, name: str) -> tuple[pd.Series, np.ndarray]:
    """The distinct texts of a column (n,), and how many people have each (n,); who has none is not among them."""
    if isinstance(table, TableOnDisk):
        return table.distinct_texts(name)
    counted = table[name].value_counts(dropna=True)
    return counted.index.to_series(name=name).reset_index(drop=True), counted.to_numpy(dtype=np.int64)


def _levels_and_classes(
    table: Table, people: People, name: str
) -> tuple[np.ndarray, Iterator[tuple[np.ndarray, np.ndarray]]]:
    if isinstance(table, TableOnDisk):
        return table.levels_and_classes(name)
    column = encode_column(table[name])
    return column.labels, iter([(column.codes + 1, people.classes.class_of_record)])


def people_by_kind(
    table: Table, people: People, name: str, kind_of_class: np.ndarray, n_kinds: int
) -> tuple[EncodedColumn, np.ndarray, np.ndarray]:
    """The people of each level of a column by the kind of their class (n_classes,), a whole number below ``n_kinds``.

    Three arrays of one entry for each pair that occurs: the column, the kind, and how many people there are.
    """
    labels, blocks = _levels_and_classes(table, people, name)
    n_keys = (len(labels) + 1) * n_kinds
    counter = KeyCounter(n_keys, n_keys, "")
    for level, classes in blocks:
        counter.add(level.astype(np.int64) * n_kinds + kind_of_class[classes])
    key, n = counter.result()
    return EncodedColumn(key // n_kinds - 1, labels), key % n_kinds, n


def sums_by_class(table: Table, people: People, name: str, number_of_level: np.ndarray) -> np.ndarray:
    """The sum of a column over the people of each class, (n_classes,), in the order of the numbers in each class.

    ``number_of_level`` (n_levels,) is what each distinct text stands for, the missing one first. Classes and numbers
    have to be few enough for the pairs that occur to fit in memory.
    """
    _, blocks = _levels_and_classes(table, people, name)
    numbers, place = np.unique(number_of_level, return_inverse=True)
    n_keys = people.classes.n_classes * len(numbers)
    counter = KeyCounter(n_keys, n_keys, "")
    for level, classes in blocks:
        counter.add(classes.astype(np.int64) * len(numbers) + place[level])
    key, n = counter.result()
    sums: np.ndarray = np.bincount(key // len(numbers), n * numbers[key % len(numbers)], people.classes.n_classes)
    return sums
