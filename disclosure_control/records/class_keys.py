"""Equivalence classes of records that come block by block: numbered as those that are formed in memory.

A class is a key, one whole number for its codes in all columns. Where codes of all columns do not fit in one number,
the first columns are numbered among those that occur, and the rest put on top.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa

from Anonymization_Models import EquivalenceClasses
from disclosure_control.basics.encoding.keys import KEY_LIMIT, count_keys, sum_of_keys
from disclosure_control.basics.telling.faults import FaultyInputError

DENSE_KEYS = 1 << 22  # so many keys may always be in memory: 32 MB


def count_in_blocks(blocks: Iterable[np.ndarray], n_keys: int) -> tuple[np.ndarray, np.ndarray]:
    """The keys that occur, rising, and how many records have each; keys (n,) are from 0 to ``n_keys`` - 1."""
    counted, n_merged = [count_keys(np.zeros(0, dtype=np.int64), n_keys)], 0
    for block in blocks:
        counted.append(count_keys(block, n_keys))
        if sum(len(keys) for keys, _ in counted) > 2 * max(n_merged, DENSE_KEYS):
            counted = [_merged(counted, n_keys)]
            n_merged = len(counted[0][0])
    return _merged(counted, n_keys)


def _merged(counted: Iterable[tuple[np.ndarray, np.ndarray]], n_keys: int) -> tuple[np.ndarray, np.ndarray]:
    keys, people = zip(*counted, strict=True)
    return sum_of_keys(np.concatenate(keys), np.concatenate(people), n_keys)


@dataclass(frozen=True)
class KeyStage:
    """Columns ``first`` to ``last`` in one number on top of the stage before; the keys that occur, rising."""

    first: int
    last: int
    n_keys: int
    keys: np.ndarray

    @cached_property
    def _number_of_key(self) -> np.ndarray | None:
        if self.n_keys > max(DENSE_KEYS, 8 * len(self.keys)):
            return None
        number = np.full(self.n_keys, -1, dtype=np.int32)
        number[self.keys] = np.arange(len(self.keys))
        return number

    def numbers_of(self, keys: np.ndarray) -> np.ndarray:
        """The place of each key among those that occur."""
        if self._number_of_key is not None:
            return self._number_of_key[keys]
        return np.searchsorted(self.keys, keys)


@dataclass(frozen=True)
class ClassKeys:
    """How the classes of records are numbered: by their codes, -1 missing, of columns with ``radices`` codes each."""

    radices: tuple[int, ...]
    stages: tuple[KeyStage, ...] = ()

    @classmethod
    def of(cls, classes: EquivalenceClasses, key_limit: int = KEY_LIMIT) -> ClassKeys:
        """How these classes, which are in the order of their codes, are numbered."""
        keys = cls(tuple(len(labels) + 1 for labels in classes.labels))
        number, last, n_keys = np.zeros(classes.n_classes, dtype=np.int64), 0, 1
        while last < len(keys.radices):
            first = last
            while last < len(keys.radices) and (last == first or n_keys * keys.radices[last] < key_limit):
                n_keys *= keys.radices[last]
                last += 1
            key = keys._key(number, list(classes.class_codes), first, last)
            is_first = np.diff(key, prepend=-1) > 0
            keys = replace(keys, stages=(*keys.stages, KeyStage(first, last, n_keys, key[is_first])))
            number, n_keys = np.cumsum(is_first) - 1, int(is_first.sum())
        return keys

    def class_of(self, codes: Sequence[np.ndarray], n_records: int) -> np.ndarray:
        """The number of each record's class (n_records,); ``codes`` are those of a block, one array per column."""
        number = np.zeros(n_records, dtype=np.int64)
        for stage in self.stages:
            number = stage.numbers_of(self._key(number, codes, stage.first, stage.last))
        return number

    def _key(self, number: np.ndarray, codes: Sequence[np.ndarray], first: int, last: int) -> np.ndarray:
        """The keys of some more columns, on top of the numbers of those before."""
        key = number.astype(np.int64)
        for i in range(first, last):
            key *= self.radices[i]
            key += codes[i]
            key += 1
        return key


def counted_classes(counted: Iterable[pa.RecordBatch], n_columns: int, n_most: int) -> tuple[np.ndarray, np.ndarray]:
    """The codes (n_columns, n_classes) of classes that come with their people, and these (n_classes,).

    Raises ``FaultyInputError`` where there are more than ``n_most`` classes.
    """
    found, n_classes = [np.zeros((n_columns + 1, 0), dtype=np.int64)], 0
    for one in counted:
        found.append(np.array([column.to_numpy() for column in one.columns], dtype=np.int64))
        n_classes += one.num_rows
        if n_classes > n_most:
            raise FaultyInputError(
                f"the quasi-identifiers make more than {n_most:,} classes, which is more than fit in memory, and "
                "nearly everybody is alone in such; bin what is continuous, or name fewer quasi-identifiers"
            )
    together = np.concatenate(found, axis=1)
    return together[:-1], together[-1]
