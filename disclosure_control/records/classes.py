"""Equivalence classes of records that come block by block, numbered as those in memory are, and their cells.

The cells, the count of a sensitive feature, are put aside in pieces of whole classes: one at a time is in memory.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from Anonymization_Models import CountTable, EquivalenceClasses, SensitiveCounts
from disclosure_control.basics.encoding.again import Anew
from disclosure_control.basics.encoding.keys import count_keys, joint_keys, sum_of_keys
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.records.spill import Aside, put_codes
from disclosure_control.records.sql import Database

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


def class_of_each(classes: EquivalenceClasses, codes: Sequence[np.ndarray], n_records: int) -> np.ndarray:
    """The number of each record's class (n_records,); ``codes`` are those of a block, one array per column.

    Classes are in the order of their codes, and so are the numbers that stand for the codes of all columns.
    """
    n_codes, lengths = [len(labels) + 1 for labels in classes.labels], [classes.n_classes, n_records]
    (known, asked), _ = joint_keys([[*classes.class_codes], codes], n_codes, lengths, least=-1)
    return np.searchsorted(known, asked)


def counted_classes(
    blocks: Iterable[Sequence[np.ndarray]], n_columns: int, n_people: int, database: Database, n_most: int
) -> tuple[np.ndarray, np.ndarray]:
    """The codes (n_columns, n_classes) of the classes of ``n_people``, and how many are in each (n_classes,).

    Their codes come in ``blocks``. Raises ``FaultyInputError`` where there are more than ``n_most`` classes.
    """
    if not n_columns:  # there is nothing to count by: all people are one class
        return np.zeros((0, min(n_people, 1)), dtype=np.int64), np.full(min(n_people, 1), n_people)
    stored = put_codes(database.new_folder() / "codes.parquet", blocks, n_columns)
    found, n_classes = [np.zeros((n_columns + 1, 0), dtype=np.int64)], 0
    for one in database.count(stored.path, range(n_columns)):
        found.append(np.array([column.to_numpy() for column in one.columns], dtype=np.int64))
        n_classes += one.num_rows
        if n_classes > n_most:
            raise FaultyInputError(
                f"the quasi-identifiers make more than {n_most:,} classes, which is more than fit in memory, and "
                "nearly everybody is alone in such; bin what is continuous, or name fewer quasi-identifiers"
            )
    stored.remove()
    together = np.concatenate(found, axis=1)
    return together[:-1], together[-1]


def count_cells(counted: Iterable[pa.RecordBatch], values: np.ndarray, path: Path, n_at_once: int) -> SensitiveCounts:
    """The count of a sensitive feature with these ``values`` (n_values,), put aside in a file.

    ``counted`` has the class, the code of the value, -1 if missing, and the people, in this order. A piece has about
    ``n_at_once`` cells, and each class whole.
    """
    waiting, n_without_value = np.zeros((3, 0), dtype=np.int64), 0
    with contextlib.closing(Aside(path, [pa.int32()] * 3)) as stored:
        for one in (batch.slice(at, n_at_once) for batch in counted for at in range(0, batch.num_rows, n_at_once)):
            waiting = np.concatenate([waiting, [column.to_numpy() for column in one.columns]], axis=1)
            n_without_value += int(one.column(2).to_numpy()[one.column(1).to_numpy() < 0].sum())
            end = np.searchsorted(waiting[0], waiting[0, -1])  # where the last class begins, which may go on
            stored.append(list(waiting[:, :end]))
            waiting = waiting[:, end:]
        stored.append(list(waiting))
    return SensitiveCounts(values, Anew(lambda: _tables(stored.codes(), values)), n_without_value)


def _tables(stored: Iterable[list[np.ndarray]], values: np.ndarray) -> Iterator[tuple[slice, CountTable]]:
    start = 0
    for classes, value, people in stored:
        stop, has_value = int(classes.max(initial=start - 1)) + 1, value >= 0
        cells = (classes[has_value] - start, value[has_value], people[has_value])
        yield slice(start, stop), CountTable(*cells, values, stop - start)
        start = stop
