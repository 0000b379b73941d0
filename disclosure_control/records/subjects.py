"""The ids of people that do not fit in memory: written to disk and counted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Protocol

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from disclosure_control.basics.encoding.columns import are_rising
from disclosure_control.basics.encoding.dictionary import as_texts
from disclosure_control.records.spill import SpilledRecords

IDS_PER_PART = 1 << 21
MOST_PARTS = 256
SCHEMA = pa.schema([("id", pa.large_string())])


class Subjects(Protocol):
    """The ids of people in the order of the file; ``lengths`` are those of the blocks in which ``ids`` come."""

    @property
    def has_ids(self) -> bool: ...
    @property
    def lengths(self) -> Sequence[int]: ...
    @property
    def ids(self) -> Iterable[pa.RecordBatch]: ...

    def ids_at(self, records: np.ndarray) -> pa.Array:
        """The ids (n,) of the records with these numbers (n,), from 0 on in the order of the file."""
        ...


@dataclass(frozen=True)
class SubjectsInMemory:
    """The ids (n_people,) of records that are in memory, None where they have none."""

    texts: pd.Series | None = field(repr=False)
    n_people: int

    @property
    def has_ids(self) -> bool:
        return self.texts is not None

    @property
    def lengths(self) -> Sequence[int]:
        return [self.n_people]

    @cached_property
    def ids(self) -> Iterable[pa.RecordBatch]:
        """All in one block; nulls where they have none."""
        if self.texts is None:
            return [pa.RecordBatch.from_arrays([pa.nulls(self.n_people, pa.large_string())], schema=SCHEMA)]
        return [pa.RecordBatch.from_arrays([as_texts(self.texts.astype("str"))], schema=SCHEMA)]

    def ids_at(self, records: np.ndarray) -> pa.Array:
        (ids,) = self.ids
        return ids.column(0).take(pa.array(records))

    @property
    def at_once(self) -> pd.Series:
        """All of them as they came."""
        assert self.texts is not None
        return self.texts

    def at(self, places: np.ndarray) -> SubjectsInMemory:
        """Those at these places (n,)."""
        return SubjectsInMemory(None if self.texts is None else self.texts.iloc[places], len(places))


class SubjectsOnDisk:
    """Ids in the order of the file: put all, then ask. ``lengths`` are those of the blocks in which they came."""

    has_ids = True

    def __init__(self, folder: Path, ids_per_part: int = IDS_PER_PART):
        self._folder, self._ids_per_part = folder, ids_per_part
        self.ids = SpilledRecords(folder / "subjects", SCHEMA)
        self.lengths: list[int] = []
        self.n_blank = 0
        self.is_rising = True
        self.ends: list[str] = []  # the first and the last one, as long as they rise

    def append(self, ids: pa.LargeStringArray) -> None:
        """Put the ids of one more block."""
        self.ids.append(pa.RecordBatch.from_arrays([ids], schema=SCHEMA))
        self.lengths.append(len(ids))
        self.n_blank += ids.null_count
        if self.is_rising and len(ids):
            together = pa.concat_arrays([pa.array(self.ends[1:], SCHEMA.field(0).type), ids])
            self.is_rising = are_rising(together)
            self.ends = [*self.ends[:1], ids[-1].as_py()] if self.ends else [ids[0].as_py(), ids[-1].as_py()]

    def ids_at(self, records: np.ndarray) -> pa.Array:
        """The ids (n,) of the records with these numbers (n,), from 0 on in the order of the file."""
        return self.ids.take(self.lengths, records).column(0).combine_chunks()

    def count_distinct(self) -> int:
        """The number of different ids, without empty ones.

        A file of this tool has them in ascending order, where neighbours are compared; others are divided by their
        hash, and each part is counted separately.
        """
        n = sum(self.lengths)
        if self.is_rising:
            return n
        n_parts = n_parts_of_ids(n, self._ids_per_part)
        parts = [SpilledRecords(self._folder / f"subjects_{i}", SCHEMA) for i in range(n_parts)]
        for records in self.ids:
            part_of_id = parts_of_ids(records.column(0), n_parts)
            for i in np.unique(part_of_id).tolist():
                parts[i].append(records.take(pa.array(np.flatnonzero(part_of_id == i))))
        n_distinct = 0
        for part in parts:
            n_distinct += pc.count_distinct(pa.Table.from_batches(part, SCHEMA).column(0)).as_py()
            part.remove()
        return n_distinct


def n_parts_of_ids(n_ids: int, ids_per_part: int = IDS_PER_PART) -> int:
    """Into how many parts ids are divided, to be counted part by part."""
    return min(-(-n_ids // ids_per_part), MOST_PARTS)


def parts_of_ids(ids: pa.Array, n_parts: int) -> np.ndarray:
    """The part of each id (n,): equal ones are in one part."""
    hashes = pd.util.hash_array(ids.to_numpy(zero_copy_only=False), categorize=False)
    return (hashes % np.uint64(n_parts)).astype(np.int64)
