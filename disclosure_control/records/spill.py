"""Files beside the results for what does not fit in memory: for the controller alone, and removed after the run."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any, Generic, cast

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.run.beside import SPILL, work_folder
from study.formats.tables import Piece
from study.formats.values import frame_of

N_REMOVALS, SECONDS_BETWEEN_REMOVALS = 10, 0.1


@contextlib.contextmanager
def spill_folder(results: Path, n_bytes: int) -> Iterator[Path]:
    """A folder for about ``n_bytes`` of a run, beside the pilot's results; removed at the end, whatever ends the run.

    What a killed run left is removed by the next start, with the rest that it left. Raises ``FaultyInputError`` where
    the disk has less room than that.
    """
    stop_without_room(results, n_bytes)
    folder = work_folder(results, SPILL)
    try:
        yield folder
    finally:
        _remove(folder)


def stop_without_room(results: Path, n_bytes: float) -> None:
    """Raise ``FaultyInputError`` where the disk of a pilot's results has less room than a run still needs."""
    free = shutil.disk_usage(results).free
    if free < n_bytes:
        named = next((one.parent for one in (results, *results.parents) if one.name == SPILL), results)
        raise FaultyInputError(
            f"{named.name}: working from disk needs about {n_bytes / 1e9:.1f} GB beside the results, and "
            f"{free / 1e9:.1f} GB are free; make room there, or use --engine memory on a machine with enough memory"
        )


def _remove(folder: Path) -> None:
    """Remove a folder to which a worker that nobody waits for may still be writing."""
    for _ in range(N_REMOVALS):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
        time.sleep(SECONDS_BETWEEN_REMOVALS)


class SpilledArrays:
    """Arrays in one file, in the order in which they were put there: put all, then iterate as often as needed."""

    def __init__(self, path: Path):
        self.path, self._n_arrays = path, 0
        path.touch(mode=0o600)
        self._file = path.open("wb")

    @staticmethod
    def of(path: Path, *arrays: np.ndarray) -> SpilledArrays:
        """A file of these arrays, written to its end."""
        spilled = SpilledArrays(path)
        for array in arrays:
            spilled.append(array)
        spilled.close()
        return spilled

    def close(self) -> None:
        """Finish writing, so that others can read; nothing can be put afterwards."""
        self._file.close()

    def append(self, array: np.ndarray) -> None:
        """Put one more array at the end."""
        np.save(self._file, array)
        self._n_arrays += 1

    def __iter__(self) -> Iterator[np.ndarray]:
        self.close()
        yield from arrays_in(self.path, self._n_arrays)

    def remove(self) -> None:
        """Give the room on the disk back."""
        self._file.close()
        self.path.unlink()


def arrays_in(path: Path, n_arrays: int) -> Iterator[np.ndarray]:
    """The first arrays of a file of them."""
    with path.open("rb") as file:
        for _ in range(n_arrays):
            array: np.ndarray = np.load(file, allow_pickle=False)
            yield array


class _OpenToWrite(io.RawIOBase):
    """The end of a file that is open from a first ``write`` until it is ``shut``, and then again from the next one."""

    def __init__(self, path: Path):
        self._path, self._n_bytes = path, 0
        self._file: IO[bytes] | None = None

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._n_bytes

    def write(self, data: Any) -> int:
        if self._file is None:
            self._file = self._path.open("ab" if self._n_bytes else "wb")
        n_bytes = self._file.write(data)
        self._n_bytes += n_bytes
        return n_bytes

    def shut(self) -> None:
        """Write what waits, and leave the file."""
        file, self._file = self._file, None
        if file is not None:
            file.close()


class SpilledRecords:
    """Tables of one shape in one file, in the order in which they were put there: put all, then iterate.

    The file is open while a table is put, and not between: many of them can be written side by side.
    """

    def __init__(self, path: Path, schema: pa.Schema, is_compressed: bool = False):
        self._path, self._schema, self._is_closed = path, schema, False
        path.touch(mode=0o600)
        self._end = _OpenToWrite(path)
        options = pa.ipc.IpcWriteOptions(compression="lz4" if is_compressed else None)
        self._writer = pa.ipc.new_stream(pa.PythonFile(self._end, mode="w"), schema, options=options)
        self._end.shut()

    def append(self, records: pa.RecordBatch) -> None:
        """Put one more table at the end."""
        self._writer.write_batch(records)
        self._end.shut()

    def close(self) -> None:
        """Finish writing, so that others can read; nothing can be put afterwards."""
        if not self._is_closed:
            self._writer.close()
            self._end.shut()
            self._is_closed = True

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        self.close()
        yield from records_in(self._path)

    def take(self, lengths: Sequence[int], rows: np.ndarray) -> pa.Table:
        """The rows with these numbers (n,), counted over all tables, whose ``lengths`` are given; only these are read.

        For use after ``__iter__`` or instead of it: nothing can be put afterwards.
        """
        self.close()
        return rows_in(self._path, self._schema, lengths, rows)

    def remove(self) -> None:
        """Give the room on the disk back; nothing can be put afterwards."""
        self._is_closed = True
        self._path.unlink()


def records_in(path: Path) -> Iterator[pa.RecordBatch]:
    """The tables of a file of them."""
    with pa.OSFile(os.fspath(path), "rb") as file:
        yield from pa.ipc.open_stream(file)


def rows_in(path: Path, schema: pa.Schema, lengths: Sequence[int], rows: np.ndarray) -> pa.Table:
    """The rows with these numbers (n,) of a file of tables: see ``SpilledRecords.take``."""
    order = np.argsort(rows, kind="stable")
    ends = np.cumsum(lengths)
    of_table = np.split(rows[order], np.searchsorted(rows[order], ends[:-1])) if len(lengths) else []
    found = []
    with pa.memory_map(os.fspath(path)) as file, pa.ipc.open_stream(file) as tables:
        for table, wanted, end, length in zip(tables, of_table, ends, lengths, strict=True):
            if len(wanted):
                found.append(table.take(pa.array(wanted - (end - length))))
    taken = pa.Table.from_batches(found, schema)
    return taken.take(pa.array(np.argsort(order, kind="stable")))


class SpilledFrames:
    """Tables of one shape, of text and numbers, in a file on disk in the order in which they were put.

    Put all, then iterate as often as needed. Together they have ``n_people`` rows, and are finally written as text
    beside the ``results``. Raises ``FaultyInputError`` as soon as the disk clearly has too little room for all of them.
    """

    def __init__(self, path: Path, results: Path, n_people: int):
        self._path, self._results, self._n_people = path, results, n_people
        self._spilled: SpilledRecords | None = None
        self._n_so_far = self._n_bytes_of_text = 0

    def append(self, piece: pd.DataFrame, /) -> None:
        """Put one more table at the end."""
        table = pa.Table.from_pandas(piece, preserve_index=False)
        if self._spilled is None:
            self._spilled = SpilledRecords(self._path, table.schema, is_compressed=True)
        columns = [column.combine_chunks() for column in table.columns]
        self._spilled.append(pa.RecordBatch.from_arrays(columns, schema=table.schema))
        self._n_so_far += len(piece)
        self._n_bytes_of_text += sum(_n_bytes_of_text(column) for column in table.columns)
        stop_without_room(self._results, self._n_bytes_to_come())

    def _n_bytes_to_come(self) -> float:
        """What the tables to come and the text of all will take, if they are like those so far."""
        n_bytes_so_far, n_to_come = self._path.stat().st_size, self._n_people - self._n_so_far
        of_tables_and_text = n_bytes_so_far * n_to_come + self._n_bytes_of_text * self._n_people
        return of_tables_and_text / max(self._n_so_far, 1)

    def __iter__(self) -> Iterator[pd.DataFrame]:
        for records in self._spilled if self._spilled is not None else ():
            yield frame_of({name: _column(records.column(name)) for name in records.schema.names})


def _column(values: pa.Array) -> pa.ChunkedArray | np.ndarray:
    is_number = pa.types.is_floating(values.type)
    return values.to_numpy(zero_copy_only=False) if is_number else pa.chunked_array([values])


def _n_bytes_of_text(column: pa.ChunkedArray) -> int:
    """The bytes of a column's letters, and a comma or the end of the line after each value."""
    column = column if pa.types.is_large_string(column.type) else column.cast(pa.large_string())
    return int(pc.sum(pc.binary_length(column)).as_py() or 0) + len(column)


class SpilledPieces(Generic[Piece]):
    """Pieces, each ``made`` of a table and two arrays, put aside in a new ``folder``: put all, then iterate."""

    def __init__(self, folder: Path, made: Callable[..., Piece], n_rows: int):
        folder.mkdir(mode=0o700)
        self._made = made
        self._frames = SpilledFrames(folder / "rows", folder.parent, n_rows)
        self._arrays = SpilledArrays(folder / "arrays")

    def append(self, piece: Piece, /) -> None:
        """Put one more piece. Raises ``FaultyInputError`` where the disk has less room than all of them take."""
        frame, one, other = cast(tuple[pd.DataFrame, np.ndarray, np.ndarray], piece)
        self._frames.append(frame)
        self._arrays.append(one)
        self._arrays.append(other)

    def __iter__(self) -> Iterator[Piece]:
        arrays = iter(self._arrays)
        for frame in self._frames:
            yield self._made(frame, next(arrays), next(arrays))
