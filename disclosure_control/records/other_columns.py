"""Columns of the file, as text and whatever their role: how well each of them tells a sensitive value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
import pandas as pd
import pyarrow as pa

from disclosure_control.basics.encoding.columns import EncodedColumn
from disclosure_control.basics.telling.faults import FaultyInputError, RecordsNotAtHandError
from disclosure_control.records.class_keys import KeyCounter
from disclosure_control.records.counted_texts import CountedDictionary, CountedTexts, DictionaryOrSample
from disclosure_control.records.spill import SpilledArrays
from disclosure_control.records.subjects import Subjects

SAMPLED_PART = 8  # of as many texts as may be kept, one of so many is a sample


class LevelValuePairs(NamedTuple):
    """Levels of a column with sensitive values: codes (n,) of either, and how many people each entry stands for."""

    level: np.ndarray
    value: np.ndarray
    n_levels: int
    n_values: int
    people: np.ndarray | None


class HasTexts(Protocol):
    """What tells the distinct texts of a column, or a sample of them, and who has them."""

    def counted(self) -> CountedTexts: ...


class ColumnWithLevels(HasTexts, Protocol):
    """A column that tells which of its levels each record has, unless there are too many: see ``OtherColumn``."""

    @property
    def n_levels_at_least(self) -> int: ...

    def n_levels(self) -> int: ...
    def labels(self) -> np.ndarray: ...
    def levels(self) -> Iterable[np.ndarray]: ...


class OtherColumn:
    """A column put aside as codes of its distinct texts.

    Where it has nearly one for each person, a sample of them is all that is kept, and no codes of records.
    """

    def __init__(self, texts: SpilledArrays, few_texts: int, dictionary: CountedDictionary | None = None):
        self.texts, self._few_texts, self._n_read = texts, few_texts, 0
        self._distinct = DictionaryOrSample(few_texts // SAMPLED_PART, dictionary)

    def append(self, values: pa.Array) -> None:
        """Put the values of one more block."""
        codes = self._distinct.encode(values)
        if codes is None:
            return
        self.texts.append(codes)
        self._n_read += len(values)
        if len(self.dictionary) > max(self._few_texts, self._n_read // 2):
            self._distinct.give_up()
            self.texts.remove()

    @property
    def dictionary(self) -> CountedDictionary:
        """The distinct texts, unless they were given up."""
        return self._distinct.dictionary

    @property
    def n_levels_at_least(self) -> int:
        """How many levels there are at least; 0 where the column was not given up."""
        return self._distinct.n_levels_at_least

    def counted(self) -> CountedTexts:
        """The distinct texts, or a sample of them, and who has them."""
        return self._distinct.counted()

    def n_levels(self) -> int:
        """How many levels there are, missing being one; at least so many where the column was given up."""
        return self.n_levels_at_least or len(self._encoded.labels) + 1

    def labels(self) -> np.ndarray:
        """The text of each level but the missing one, which is level 0."""
        return self._encoded.labels

    def levels(self) -> Iterable[np.ndarray]:
        """The level of each record, block by block."""
        code = self._encoded.codes + 1
        return (code[texts] for texts in self.texts)

    @cached_property
    def _encoded(self) -> EncodedColumn:
        return self.dictionary.all_texts().encoded()


class TableOnDisk:
    """The whole file as far as it can be asked without its records: its columns, and pairs of levels and values.

    ``counted`` are the distinct texts of each column but that of the subjects' ids, of which more than ``few_texts``
    are told by a sample. ``values_of`` gives, by sensitive
    feature, the class and the value's code of each record block by block; ``classes_of_blocks`` the classes alone.
    """

    def __init__(
        self,
        columns: Sequence[str],
        counted: Mapping[str, HasTexts],
        others: Mapping[str, ColumnWithLevels],
        few_texts: int,
        subjects: Subjects,
        values_of: Callable[[str], tuple[int, Iterable[tuple[np.ndarray, np.ndarray]]]],
        classes_of_blocks: Callable[[], Iterable[np.ndarray]],
    ):
        self.columns = list(columns)
        self._counted, self._others, self._few_texts = counted, others, few_texts
        self._subjects, self._values_of, self._classes_of_blocks = subjects, values_of, classes_of_blocks

    def __getitem__(self, name: str) -> pd.Series:
        raise RecordsNotAtHandError(f"column {name!r}")

    def counted(self, name: str) -> CountedTexts:
        """The distinct texts of a column, or a sample of them where they are very many, and who has them."""
        counted = self._counted[name].counted()
        if len(counted.texts) <= self._few_texts:
            return counted
        return counted.sampled(self._few_texts // SAMPLED_PART)

    def distinct_texts(self, name: str) -> tuple[pd.Series, np.ndarray]:
        """The distinct texts of a column (n,), and how many people have each; raises where only a sample is at hand."""
        if name not in self._counted:
            raise RecordsNotAtHandError(f"column {name!r}")
        counted = self.counted(name)
        if counted.share_at_hand < 1:
            raise FaultyInputError(_too_many_values(name))
        return counted.column(name), counted.people

    def faults_of_levels(self, name: str) -> list[str]:
        """A fault where a column has so many values that nobody knows who has which."""
        return [_too_many_values(name)] if self._others[name].n_levels_at_least else []

    def labels_of_levels(self, name: str) -> np.ndarray:
        """The text of each level of a column but the missing one, which is level 0."""
        return self._others[name].labels()

    def levels(self, name: str) -> Iterable[np.ndarray]:
        """The level of each record, block by block."""
        return self._others[name].levels()

    def levels_and_classes(self, name: str) -> tuple[np.ndarray, Iterator[tuple[np.ndarray, np.ndarray]]]:
        """The labels of a column that is no quasi-identifier, and block by block level and class of each record.

        Level 0 is missing, then come the labels.
        """
        if name not in self._others:
            raise RecordsNotAtHandError(f"column {name!r}")
        other = self._others[name]
        if other.n_levels_at_least:
            raise FaultyInputError(_too_many_values(name))
        return other.labels(), zip(other.levels(), self._classes_of_blocks(), strict=True)

    def ids_at(self, records: np.ndarray) -> pa.Array:
        """The ids (n,) of the records with these numbers (n,)."""
        return self._subjects.ids_at(records)

    def n_levels(self, name: str) -> int:
        """How many levels a column has, missing being one; at least so many where it has nearly one for each person."""
        return self._others[name].n_levels()

    def pairs(self, name: str, sensitive: str, evaluated: np.ndarray) -> LevelValuePairs:
        """Levels of a column with sensitive values, of the people of ``evaluated`` classes who have a value."""
        if self._others[name].n_levels_at_least:
            raise FaultyInputError(_too_many_values(name))
        return self._pairs(name, sensitive, evaluated)

    def _pairs(self, name: str, sensitive: str, evaluated: np.ndarray) -> LevelValuePairs:
        other, (n_values, blocks) = self._others[name], self._values_of(sensitive)
        n_levels, n_values = other.n_levels(), max(n_values, 1)
        counter = KeyCounter(n_levels * n_values, n_levels * n_values, "")
        for level, (classes, value) in zip(other.levels(), blocks, strict=True):
            looked_at = evaluated[classes] & (value >= 0)
            counter.add(level[looked_at].astype(np.int64) * n_values + value[looked_at])
        key, people = counter.result()
        return LevelValuePairs(key // n_values, key % n_values, n_levels, n_values, people)


def _too_many_values(name: str) -> str:
    return (
        f"column {name!r}: more distinct values than can be counted from disk; leave it out of the combined "
        "dataset, or use --engine memory on a machine with enough memory"
    )
