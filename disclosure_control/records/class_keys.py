"""Equivalence classes of records that come block by block: numbered as those that are formed in memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa

from Anonymization_Models import EquivalenceClasses
from disclosure_control.basics.encoding.keys import count_keys, sum_of_keys
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


class ClassKeys:
    """How the classes of records are numbered, which are in the order of their codes, -1 missing.

    Column by column, a code on top of the number of the codes before it makes a key: the place of that among those that
    occur is the next number.
    """

    def __init__(self, classes: EquivalenceClasses):
        self._radices = [len(labels) + 1 for labels in classes.labels]
        self._keys: list[np.ndarray] = []
        self._numbers: list[np.ndarray | None] = []  # by key, where these are few
        number, n_keys = np.zeros(classes.n_classes, dtype=np.int64), 1
        for radix, codes in zip(self._radices, classes.class_codes, strict=True):
            key = number * radix + codes + 1
            is_first = np.diff(key, prepend=-1) > 0
            number, n_keys = np.cumsum(is_first) - 1, n_keys * radix
            keys, numbers = key[is_first], None
            if n_keys <= max(DENSE_KEYS, 8 * len(keys)):
                numbers = np.zeros(n_keys, dtype=np.int32)
                numbers[keys] = np.arange(len(keys))
            self._keys.append(keys)
            self._numbers.append(numbers)
            n_keys = len(keys)

    def class_of(self, codes: Sequence[np.ndarray], n_records: int) -> np.ndarray:
        """The number of each record's class (n_records,); ``codes`` are those of a block, one array per column."""
        number = np.zeros(n_records, dtype=np.int64)
        for radix, keys, numbers, code in zip(self._radices, self._keys, self._numbers, codes, strict=True):
            key = number * radix + code + 1
            number = np.searchsorted(keys, key) if numbers is None else numbers[key].astype(np.int64)
        return number


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
