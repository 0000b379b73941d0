"""Files beside the results for what does not fit in memory: for the controller alone, and removed after the run."""

from __future__ import annotations

import contextlib
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Generic
from weakref import WeakSet

import numpy as np
import pyarrow as pa

from disclosure_control.basics.encoding.again import Anew
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
    free = shutil.disk_usage(results).free
    if free < n_bytes:
        raise FaultyInputError(
            f"{results.name}: working from disk needs about {n_bytes / 1e9:.1f} GB beside the results, and "
            f"{free / 1e9:.1f} GB are free; make room there, or use --engine memory on a machine with enough memory"
        )
    folder = work_folder(results, SPILL)
    try:
        yield folder
    finally:
        for aside in list(_PUT_ASIDE):
            if folder.resolve() in aside.path.resolve().parents:
                with contextlib.suppress(OSError):
                    aside.close()
        _remove(folder)


def _remove(folder: Path) -> None:
    """Remove a folder to which a worker that nobody waits for may still be writing."""
    for _ in range(N_REMOVALS):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
        time.sleep(SECONDS_BETWEEN_REMOVALS)


Columns = Sequence[pa.Array | pa.ChunkedArray | np.ndarray]


def schema_of(kinds: Sequence[pa.DataType]) -> pa.Schema:
    """Columns of these kinds, called ``c0``, ``c1`` and so on: no name of the data is on disk or reaches DuckDB."""
    return pa.schema([(f"c{i}", kind) for i, kind in enumerate(kinds)])


def arrays_of(columns: Columns, schema: pa.Schema) -> list[pa.Array | pa.ChunkedArray]:
    """The columns (n,) as Arrow's arrays of the kinds in a schema."""
    return [
        one.cast(field.type) if isinstance(one, pa.Array | pa.ChunkedArray) else pa.array(one, field.type)
        for one, field in zip(columns, schema, strict=True)
    ]


class Aside:
    """Tables of one shape in a Parquet file, in the order in which they were put there: put all, then ask.

    ``lengths`` are those of the tables.
    """

    def __init__(self, path: Path, kinds: Sequence[pa.DataType]):
        from pyarrow.parquet import ParquetWriter

        self.path, self.lengths = path, list[int]()
        self.schema = schema_of(kinds)
        self._metadata: Any = None  # parsed once: it is as long as the tables and columns are many
        path.touch(mode=0o600)
        self._writer = ParquetWriter(path, self.schema, compression="lz4", use_dictionary=False, write_statistics=False)
        _PUT_ASIDE.add(self)

    def append(self, columns: Columns) -> None:
        """Put one more table at the end, column by column (n,)."""
        table = pa.Table.from_arrays(arrays_of(columns, self.schema), schema=self.schema)
        self._writer.write_table(table, row_group_size=max(len(table), 1))
        self.lengths.append(len(table))

    def close(self) -> None:
        """Finish writing, so that it can be read; nothing can be put afterwards."""
        self._writer.close()

    def tables(self, numbers: Iterable[int] | None = None, columns: Sequence[int] | None = None) -> Iterator[pa.Table]:
        """The tables with these numbers, and of them the ``columns`` with these; None for all.

        The file is open for a table alone, because some systems remove no open file.
        """
        from pyarrow.parquet import ParquetFile

        self.close()
        names = self.schema.names if columns is None else [f"c{i}" for i in columns]
        for i in range(len(self.lengths)) if numbers is None else numbers:
            with ParquetFile(self.path, metadata=self._metadata, pre_buffer=False) as file:
                self._metadata = file.metadata
                table = file.read_row_group(i, names).select(names)
            yield table

    def codes(self, *columns: int) -> Iterable[list[np.ndarray]]:
        """Of each table these columns (n,), as often as asked; all without any."""
        places = columns or None
        return Anew(lambda: ([one.to_numpy() for one in table.columns] for table in self.tables(columns=places)))

    def column(self, place: int) -> Iterable[np.ndarray]:
        """A column of numbers, table by table, as often as asked."""
        return Anew(lambda: (one for (one,) in self.codes(place)))

    def take(self, rows: np.ndarray, columns: Sequence[int] | None = None) -> pa.Table:
        """The rows with these numbers (n,), counted over all tables; only the tables that have them are read."""
        order, ends = np.argsort(rows, kind="stable"), np.cumsum(self.lengths)
        number = np.searchsorted(ends, rows[order], side="right")
        asked, first = np.unique(number, return_index=True)
        starts, of_tables = ends[asked] - np.array(self.lengths)[asked], np.split(rows[order], first[1:])
        tables = zip(self.tables(asked, columns), starts, of_tables, strict=False)
        found = [table.take(pa.array(of_table - start)) for table, start, of_table in tables]
        nothing = self.schema.empty_table()
        together = pa.concat_tables([nothing if columns is None else nothing.select(list(columns)), *found])
        return together.take(pa.array(np.argsort(order, kind="stable")))

    def remove(self) -> None:
        """Give the room on the disk back."""
        self.close()
        self.path.unlink()


_PUT_ASIDE = WeakSet[Aside]()


def put_codes(path: Path, blocks: Iterable[Sequence[np.ndarray]], n_columns: int) -> Aside:
    """A file of whole numbers below two thousand million, block by block and column by column (n_records,)."""
    with contextlib.closing(Aside(path, [pa.int32()] * n_columns)) as codes:
        for block in blocks:
            codes.append(block)
    return codes


def _itself(piece: Piece) -> Piece:
    return piece


class SpilledPieces(Generic[Piece]):
    """Pieces of one shape in a file on disk, in the order in which they were put: put all, then iterate.

    A piece is a table of text and numbers, or what is ``made`` of a table and of arrays of its rows.
    """

    def __init__(self, path: Path, made: Callable[..., Piece] = _itself):
        self._path, self._made = path, made
        self._aside: Aside | None = None
        self._names: list[str] = []

    def append(self, piece: Piece, /) -> None:
        """Put one more piece at the end."""
        frame, *of_rows = piece if isinstance(piece, tuple) else (piece,)
        table = pa.Table.from_pandas(frame, preserve_index=False)
        columns = [*table.columns, *map(pa.array, of_rows)]
        if self._aside is None:
            self._names = table.column_names
            self._aside = Aside(self._path, [_kind(column.type) for column in columns])
        self._aside.append(columns)

    def __iter__(self) -> Iterator[Piece]:
        for table in self._aside.tables() if self._aside is not None else ():
            columns = list(map(_column, table.columns))
            frame = frame_of(dict(zip(self._names, columns, strict=False)))
            yield self._made(frame, *columns[len(self._names) :])


def _kind(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _column(values: pa.ChunkedArray) -> pa.ChunkedArray | np.ndarray:
    return values if pa.types.is_large_string(values.type) else values.to_numpy()
