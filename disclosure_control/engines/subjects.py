"""The ids of people that do not fit in memory: put aside, and counted."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from disclosure_control.engines.spill import SpilledRecords

IDS_PER_PART = 1 << 21
MOST_PARTS = 256
SCHEMA = pa.schema([("id", pa.large_string())])


class SubjectsOnDisk:
    """Ids in the order of the file: put all, then ask. ``lengths`` are those of the blocks in which they came."""

    def __init__(self, folder: Path, ids_per_part: int = IDS_PER_PART):
        self._folder, self._ids_per_part = folder, ids_per_part
        self.ids = SpilledRecords(folder / "subjects", SCHEMA)
        self.lengths: list[int] = []
        self.n_blank = 0
        self._is_rising = True
        self._last: str | None = None

    def append(self, ids: pa.LargeStringArray) -> None:
        """Put the ids of one more block."""
        self.ids.append(pa.RecordBatch.from_arrays([ids], schema=SCHEMA))
        self.lengths.append(len(ids))
        self.n_blank += ids.null_count
        if self._is_rising:
            before = pa.array([self._last], SCHEMA.field(0).type) if self._last is not None else ids[:0]
            together = pa.concat_arrays([before, ids])
            rising = pc.all(pc.greater(together[1:], together[:-1])).as_py()
            self._is_rising = not ids.null_count and rising is not False
            self._last = ids[-1].as_py() if len(ids) else self._last

    def ids_at(self, records: np.ndarray) -> pa.Array:
        """The ids (n,) of the records with these numbers (n,), from 0 on in the order of the file."""
        return self.ids.take(self.lengths, records).column(0).combine_chunks()

    def count_distinct(self) -> int:
        """How many different ids there are, empty ones apart.

        A file of this tool has them in rising order, where neighbours tell; others are divided by their hash, and each
        part is counted by itself.
        """
        n = sum(self.lengths)
        if self._is_rising:
            return n
        n_parts = min(-(-n // self._ids_per_part), MOST_PARTS)
        parts = [SpilledRecords(self._folder / f"subjects_{i}", SCHEMA) for i in range(n_parts)]
        for records in self.ids:
            ids = records.column(0)
            hashes = pd.util.hash_array(ids.to_numpy(zero_copy_only=False), categorize=False)
            part_of_id = (hashes % np.uint64(n_parts)).astype(np.int64)
            for i in np.unique(part_of_id).tolist():
                parts[i].append(records.take(pa.array(np.flatnonzero(part_of_id == i))))
        n_distinct = 0
        for part in parts:
            n_distinct += pc.count_distinct(pa.Table.from_batches(part, SCHEMA).column(0)).as_py()
            part.remove()
        return n_distinct
