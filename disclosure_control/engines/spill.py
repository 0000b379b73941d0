"""Files beside the results for what does not fit in memory: for the controller alone, and gone after the run."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from disclosure_control.basics.faults import FaultyInputError
from disclosure_control.run.results import SPILL


@contextlib.contextmanager
def spill_folder(results: Path, n_bytes: int) -> Iterator[Path]:
    """A folder for about ``n_bytes`` of a run, within the pilot's results; removed at the end, whatever ends the run.

    What a killed run left is removed by the next start, with the rest that it left. Raises ``FaultyInputError`` where
    the disk has less room than that.
    """
    free = shutil.disk_usage(results).free
    if free < n_bytes:
        raise FaultyInputError(
            f"{results.name}: working from disk needs about {n_bytes / 1e9:.1f} GB beside the results, and "
            f"{free / 1e9:.1f} GB are free; make room there, or use --engine memory on a machine with enough memory"
        )
    folder = results / SPILL
    folder.mkdir(mode=0o700)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class SpilledArrays:
    """Arrays in one file, in the order in which they were put there: put all, then iterate as often as needed."""

    def __init__(self, path: Path):
        self._path, self._n_arrays = path, 0
        path.touch(mode=0o600)
        self._file = path.open("wb")

    def append(self, array: np.ndarray) -> None:
        """Put one more array at the end."""
        np.save(self._file, array)
        self._n_arrays += 1

    def __iter__(self) -> Iterator[np.ndarray]:
        self._file.close()
        with self._path.open("rb") as file:
            for _ in range(self._n_arrays):
                array: np.ndarray = np.load(file)
                yield array

    def remove(self) -> None:
        """Give the room on the disk back."""
        self._file.close()
        self._path.unlink()


class SpilledRecords:
    """Tables of one shape in one file, in the order in which they were put there: put all, then iterate."""

    def __init__(self, path: Path, schema: pa.Schema):
        self._path, self._schema = path, schema
        path.touch(mode=0o600)
        self._file = pa.OSFile(os.fspath(path), "wb")
        self._writer = pa.ipc.new_stream(self._file, schema)

    def append(self, records: pa.RecordBatch) -> None:
        """Put one more table at the end."""
        self._writer.write_batch(records)

    def _close(self) -> None:
        if not self._file.closed:
            self._writer.close()
            self._file.close()

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        self._close()
        with pa.OSFile(os.fspath(self._path), "rb") as file:
            yield from pa.ipc.open_stream(file)

    def take(self, lengths: Sequence[int], rows: np.ndarray) -> pa.Table:
        """The rows with these numbers (n,), counted over all tables, whose ``lengths`` are given; only these are read.

        For use after ``__iter__`` or instead of it: nothing can be put afterwards.
        """
        self._close()
        order = np.argsort(rows, kind="stable")
        ends = np.cumsum(lengths)
        of_table = np.split(rows[order], np.searchsorted(rows[order], ends[:-1])) if len(lengths) else []
        found = []
        with pa.memory_map(os.fspath(self._path)) as file, pa.ipc.open_stream(file) as tables:
            for table, wanted, end, length in zip(tables, of_table, ends, lengths, strict=True):
                if len(wanted):
                    found.append(table.take(pa.array(wanted - (end - length))))
        taken = pa.Table.from_batches(found, self._schema)
        return taken.take(pa.array(np.argsort(order, kind="stable")))

    def remove(self) -> None:
        """Give the room on the disk back."""
        if not self._file.closed:
            self._file.close()
        self._path.unlink()
