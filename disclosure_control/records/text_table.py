"""The columns of the combined dataset as text, in any role: distinct texts, levels, and who has them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from disclosure_control.basics.encoding.columns import EncodedColumn
from disclosure_control.basics.telling.faults import FaultyInputError, RecordsNotAtHandError
from disclosure_control.records.classes import count_in_blocks
from disclosure_control.records.counted_texts import CountedTexts
from disclosure_control.records.people import People
from disclosure_control.records.subjects import Subjects
from disclosure_control.records.text_columns import SAMPLED_PART, TextColumn


class TextTable:
    """The whole file, column by column: ``column_of`` gives each of the ``columns``; ``subjects`` are the ids.

    Of columns with more than ``few_texts`` distinct texts there is only a sample.
    """

    def __init__(
        self,
        columns: Sequence[str],
        column_of: Callable[[str], TextColumn],
        subjects: Subjects,
        few_texts: int,
    ):
        self.columns = list(columns)
        self._column_of, self._subjects, self._few_texts = column_of, subjects, few_texts

    def column(self, name: str) -> TextColumn:
        """A column, too many levels or not. Raises ``RecordsNotAtHandError`` for one that is not there by its texts."""
        try:
            return self._column_of(name)
        except KeyError:
            raise RecordsNotAtHandError(f"column {name!r}") from None

    def levels_of(self, name: str) -> TextColumn:
        """A column with the level of each record. Raises ``FaultyInputError`` where there are too many."""
        column = self.column(name)
        if column.n_levels_at_least:
            raise FaultyInputError(_too_many_values(name))
        return column

    def faults_of_levels(self, name: str) -> list[str]:
        """A fault for a column with so many values that the level of each record is unknown."""
        return [_too_many_values(name)] if self.column(name).n_levels_at_least else []

    def counted(self, name: str) -> CountedTexts:
        """The distinct texts of a column, or a sample of very many, with their people."""
        counted = self.column(name).counted()
        if len(counted.texts) <= self._few_texts:
            return counted
        return counted.sampled(self._few_texts // SAMPLED_PART)

    def distinct_texts(self, name: str) -> tuple[pd.Series, np.ndarray]:
        """The distinct texts of a column (n,), and how many people have each; raises where only a sample is at hand."""
        counted = self.counted(name)
        if counted.share_at_hand < 1:
            raise FaultyInputError(_too_many_values(name))
        return counted.column(name), counted.people

    def ids_at(self, records: np.ndarray) -> pa.Array:
        """The ids (n,) of the records with these numbers (n,)."""
        return self._subjects.ids_at(records)


def _too_many_values(name: str) -> str:
    return (
        f"column {name!r}: more distinct values than can be counted from disk; leave it out of the combined "
        "dataset, or use --engine memory on a machine with enough memory"
    )


class PeopleByKind(NamedTuple):
    """People of a column's levels by kind, three arrays (n,) of one entry for each pair that occurs."""

    level: EncodedColumn
    kind: np.ndarray
    people: np.ndarray


def people_by_kind(
    table: TextTable, people: People, name: str, kind_of_class: np.ndarray, n_kinds: int
) -> PeopleByKind:
    """The people of each level of a column by the kind of their class (n_classes,), of ``n_kinds``."""
    column = table.levels_of(name)
    blocks = zip(column.levels(), people.classes_of_blocks(), strict=True)
    keys = (level.astype(np.int64) * n_kinds + kind_of_class[classes] for level, classes in blocks)
    key, n = count_in_blocks(keys, column.n_levels() * n_kinds)
    return PeopleByKind(EncodedColumn(key // n_kinds - 1, column.labels()), key % n_kinds, n)


def sums_by_class(table: TextTable, people: People, name: str, number_of_level: np.ndarray) -> np.ndarray:
    """The sum of a column over the people of each class, (n_classes,), in the order of the numbers in each class.

    ``number_of_level`` (n_levels,) is the number of each distinct text, the missing one first. Classes and numbers
    have to be few enough for the pairs that occur to fit in memory.
    """
    numbers, place = np.unique(number_of_level, return_inverse=True)
    n_classes = people.classes.n_classes
    blocks = zip(table.levels_of(name).levels(), people.classes_of_blocks(), strict=True)
    keys = (classes.astype(np.int64) * len(numbers) + place[level] for level, classes in blocks)
    key, n = count_in_blocks(keys, n_classes * len(numbers))
    sums: np.ndarray = np.bincount(key // len(numbers), n * numbers[key % len(numbers)], n_classes)
    return sums
