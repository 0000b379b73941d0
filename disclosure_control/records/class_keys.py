"""Equivalence classes of records that are read block by block: numbered as those that are formed in memory.

A class is a key, one whole number for its codes in all columns. Keys that occur are counted block by block; where codes
of all columns do not fit in one number, the first columns are numbered among those that occur, and the rest put on top.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from Anonymization_Models import EquivalenceClasses
from disclosure_control.basics.encoding.keys import KEY_LIMIT, count_keys
from disclosure_control.basics.telling.faults import FaultyInputError

DENSE_KEYS = 1 << 22  # a count for each possible key may always have this many entries: 32 MB


class KeyCounter:
    """How many records have each key, of keys from 0 to ``n_keys`` - 1 that come in blocks.

    Raises ``FaultyInputError`` with ``too_many`` where more than ``n_most`` keys occur.
    """

    def __init__(self, n_keys: int, n_most: int, too_many: str, n_dense: int = DENSE_KEYS):
        self._n_keys, self._n_most, self._too_many = n_keys, n_most, too_many
        self._dense = np.zeros(n_keys, dtype=np.int64) if n_keys <= n_dense else None
        self._keys, self._people = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        self._waiting: list[tuple[np.ndarray, np.ndarray]] = []
        self._n_waiting = 0

    def add(self, keys: np.ndarray) -> None:
        """Count one more block of keys (n,)."""
        self.add_counted(*count_keys(keys, self._n_keys))

    def add_counted(self, keys: np.ndarray, people: np.ndarray) -> None:
        """Count one more block of distinct keys (n,), with the people (n,) of each."""
        if self._dense is not None:
            self._dense[keys] += people
            return
        self._waiting.append((keys, people))
        self._n_waiting += len(keys)
        if self._n_waiting > max(len(self._keys), DENSE_KEYS):
            self._merge()

    def result(self) -> tuple[np.ndarray, np.ndarray]:
        """The keys that occur, rising, and how many records have each."""
        if self._dense is not None:
            keys = np.flatnonzero(self._dense)
            self._check(len(keys))
            return keys, self._dense[keys]
        self._merge()
        return self._keys, self._people

    def _merge(self) -> None:
        keys = np.concatenate([self._keys, *(keys for keys, _ in self._waiting)])
        people = np.concatenate([self._people, *(people for _, people in self._waiting)])
        self._waiting, self._n_waiting = [], 0
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        first = np.flatnonzero(np.diff(keys, prepend=-1))
        self._keys, self._people = keys[first], np.add.reduceat(people[order], first) if len(first) else people
        self._check(len(self._keys))

    def _check(self, n_keys: int) -> None:
        if n_keys > self._n_most:
            raise FaultyInputError(self._too_many)


@dataclass(frozen=True)
class KeyStage:
    """Columns ``first`` to ``last`` in one number on top of the stage before; the keys that occur, rising."""

    first: int
    last: int
    n_keys: int
    keys: np.ndarray
    people: np.ndarray

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
    """How the classes of records are numbered: by their codes (0 is missing) in columns with ``radices`` codes each."""

    radices: tuple[int, ...]
    stages: tuple[KeyStage, ...] = ()

    def class_of(self, codes: Sequence[np.ndarray], n_records: int) -> np.ndarray:
        """The number of each record's class (n_records,); ``codes`` are those of a block, one array per column."""
        number = np.zeros(n_records, dtype=np.int64)
        for stage in self.stages:
            number = stage.numbers_of(self.key(number, codes, stage.first, stage.last))
        return number

    def key(self, number: np.ndarray, codes: Sequence[np.ndarray], first: int, last: int) -> np.ndarray:
        """The keys of some more columns, on top of the numbers of those before."""
        key = number.astype(np.int64)
        for i in range(first, last):
            key *= self.radices[i]
            key += codes[i]
        return key

    def class_codes(self) -> np.ndarray:
        """Code of every column in every class, (n_columns, n_classes), -1 is missing."""
        codes = np.empty((len(self.radices), len(self.stages[-1].keys)), dtype=np.int64)
        number = np.arange(codes.shape[1])
        for stage in reversed(self.stages):
            key = stage.keys[number]
            for i in reversed(range(stage.first, stage.last)):
                key, codes[i] = np.divmod(key, self.radices[i])
            number = key
        return codes - 1

    def classes(self, names: Sequence[str], labels: Sequence[np.ndarray]) -> EquivalenceClasses:
        """The classes by the columns ``names``, whose codes have these ``labels``."""
        return EquivalenceClasses(tuple(names), tuple(labels), self.class_codes(), self.stages[-1].people)


@dataclass(frozen=True)
class NextStage:
    """What is counted for one more stage: the keys of columns ``first`` to ``last`` on top of those so far.

    ``n_most`` classes are allowed.
    """

    so_far: ClassKeys
    first: int
    last: int
    n_keys: int
    n_most: int

    def counter(self) -> KeyCounter:
        """What counts them."""
        return KeyCounter(
            self.n_keys,
            self.n_most,
            f"the quasi-identifiers make more than {self.n_most:,} classes, which is more than fit in memory, and "
            "nearly everybody is alone in such; bin what is continuous, or name fewer quasi-identifiers",
        )

    def keys(self, n_records: int, codes: Sequence[np.ndarray]) -> np.ndarray:
        """The keys of a block: of how many records, and their codes by column."""
        return self.so_far.key(self.so_far.class_of(codes, n_records), codes, self.first, self.last)


Blocks = Callable[[], Iterable[tuple[int, Sequence[np.ndarray]]]]
Counted = tuple[np.ndarray, np.ndarray]


def find_class_keys(blocks: Blocks, radices: Sequence[int], n_most: int, key_limit: int = KEY_LIMIT) -> ClassKeys:
    """The keys of the classes of all records. ``blocks`` gives them anew: how many, and their codes by column.

    Raises ``FaultyInputError`` where there are more than ``n_most`` classes.
    """

    def count(stage: NextStage) -> Counted:
        counter = stage.counter()
        for n_records, codes in blocks():
            counter.add(stage.keys(n_records, codes))
        return counter.result()

    return find_class_keys_counted(count, radices, n_most, key_limit)


def find_class_keys_counted(
    count: Callable[[NextStage], Counted], radices: Sequence[int], n_most: int, key_limit: int = KEY_LIMIT
) -> ClassKeys:
    """The same, where ``count`` gives the keys of a stage that occur, rising, and how many records have each."""
    keys = ClassKeys(tuple(radices))
    last = 0
    while last < len(radices) or not keys.stages:
        first, n_keys = last, len(keys.stages[-1].keys) if keys.stages else 1
        while last < len(radices) and (last == first or n_keys * radices[last] < key_limit):
            n_keys *= radices[last]
            last += 1
        counted = count(NextStage(keys, first, last, n_keys, n_most))
        keys = ClassKeys(keys.radices, (*keys.stages, KeyStage(first, last, n_keys, *counted)))
    return keys


def parts_of_classes(size: np.ndarray, n_people: int, n_most: int = 256) -> Iterator[slice]:
    """Neighbouring classes of about ``n_people`` together, each class whole; one to ``n_most`` such parts."""
    if not len(size):
        yield slice(0, 0)
        return
    at_once = max(n_people, -(-int(size.sum()) // n_most))
    part_of_class = np.maximum(np.cumsum(size) - 1, 0) // at_once
    first = np.flatnonzero(np.diff(part_of_class, prepend=-1))
    for start, stop in zip(first, np.append(first[1:], len(size)), strict=True):
        yield slice(int(start), int(stop))
