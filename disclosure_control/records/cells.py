"""The count table of a sensitive feature, put aside in pieces of whole classes: one at a time is in memory."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

from Anonymization_Models import CountTable, SensitiveCounts
from disclosure_control.basics.encoding.again import Anew
from disclosure_control.records.class_keys import ClassKeys
from disclosure_control.records.spill import Aside


def count_cells(
    counted: Iterable[pa.RecordBatch], keys: ClassKeys, values: np.ndarray, path: Path, n_at_once: int
) -> SensitiveCounts:
    """The count of a sensitive feature with these ``values`` (n_values,), put aside in a file.

    ``counted`` has the codes of the classes, the code of the value, -1 if missing, and the people, in this order. A
    piece has about ``n_at_once`` cells, and each class whole.
    """
    waiting, n_without_value = np.zeros((3, 0), dtype=np.int64), 0
    with contextlib.closing(Aside(path, [pa.int32()] * 3)) as stored:
        for one in _cut(counted, n_at_once):
            *codes, value, people = (column.to_numpy() for column in one.columns)
            n_without_value += int(people[value < 0].sum())
            waiting = np.concatenate([waiting, [keys.class_of(codes, len(people)), value, people]], axis=1)
            end = np.searchsorted(waiting[0], waiting[0, -1])  # where the last class begins, which may go on
            stored.append(list(waiting[:, :end]))
            waiting = waiting[:, end:]
        stored.append(list(waiting))
    return SensitiveCounts(values, Anew(lambda: _tables(stored.codes(), values)), n_without_value)


def _cut(counted: Iterable[pa.RecordBatch], n_at_once: int) -> Iterator[pa.RecordBatch]:
    for one in counted:
        for start in range(0, one.num_rows, n_at_once):
            yield one.slice(start, n_at_once)


def _tables(stored: Iterable[list[np.ndarray]], values: np.ndarray) -> Iterator[tuple[slice, CountTable]]:
    start = 0
    for classes, value, people in stored:
        stop, has_value = int(classes.max(initial=start - 1)) + 1, value >= 0
        cells = (classes[has_value] - start, value[has_value], people[has_value])
        yield slice(start, stop), CountTable(*cells, values, stop - start)
        start = stop
