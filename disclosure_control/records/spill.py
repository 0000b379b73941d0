"""Files beside the results for what does not fit in memory: for the controller alone, and removed after the run."""

from __future__ import annotations

import contextlib
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, cast
from weakref import WeakSet

import numpy as np
import pandas as pd
import pyarrow as pa

from disclosure_control.basics.encoding.again import Anew
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.run.beside import SPILL, work_folder
from study.formats.tables import Piece
from study.formats.values import frame_of

if TYPE_CHECKING:
    from pyarrow.parquet import ParquetFile

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
                aside.let_go()
        _remove(folder)


def _remove(folder: Path) -> None:
    """Remove a folder to which a worker that nobody waits for may still be writing."""
    for _ in range(N_REMOVALS):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
        time.sleep(SECONDS_BETWEEN_REMOVALS)


class Aside:
    """Tables of one shape in a Parquet file, in the order in which they were put there: put all, then ask.

    No name of the data is in it: its columns are ``c0``, ``c1`` and so on. ``lengths`` are those of the tables.
    """

    def __init__(self, path: Path, kinds: Sequence[pa.DataType]):
        from pyarrow.parquet import ParquetWriter

        self.path, self.lengths = path, list[int]()
        self.schema = pa.schema([(f"c{i}", kind) for i, kind in enumerate(kinds)])
        self._metadata: Any = None  # parsed once: it is as long as the tables and columns are many
        self._readers: WeakSet[ParquetFile] = WeakSet()
        path.touch(mode=0o600)
        self._writer = ParquetWriter(path, self.schema, compression="lz4", use_dictionary=False, write_statistics=False)
        _PUT_ASIDE.add(self)

    def append(self, columns: Sequence[pa.Array | np.ndarray]) -> None:
        """Put one more table at the end, column by column (n,)."""
        arrays = [
            one.cast(field.type) if isinstance(one, pa.Array | pa.ChunkedArray) else pa.array(one, field.type)
            for one, field in zip(columns, self.schema, strict=True)
        ]
        table = pa.Table.from_arrays(arrays, schema=self.schema)
        self._writer.write_table(table, row_group_size=max(len(table), 1))
        self.lengths.append(len(table))

    def close(self) -> None:
        """Finish writing, so that it can be read; nothing can be put afterwards."""
        self._writer.close()

    def let_go(self) -> None:
        """Close whatever is open of the file, whoever holds it: some systems remove no open file."""
        for one in (self._writer, *self._readers):
            with contextlib.suppress(OSError):
                one.close()

    def tables(self, numbers: Iterable[int] | None = None, columns: Sequence[int] | None = None) -> Iterator[pa.Table]:
        """The tables with these numbers, and of them the ``columns`` with these; None for all."""
        from pyarrow.parquet import ParquetFile

        self.close()
        names = None if columns is None else [f"c{i}" for i in columns]
        with ParquetFile(self.path, metadata=self._metadata, pre_buffer=False) as file:
            self._metadata = file.metadata
            self._readers.add(file)
            for i in range(len(self.lengths)) if numbers is None else numbers:
                yield file.read_row_group(i, names).select(names or self.schema.names)

    def codes(self, *columns: int) -> Iterable[list[np.ndarray]]:
        """Of each table these columns (n,), as often as asked; all without any."""
        places = columns or None
        return Anew(lambda: ([one.to_numpy() for one in table.columns] for table in self.tables(columns=places)))

    def column(self, place: int) -> StoredColumn:
        """A column of numbers, table by table."""
        return StoredColumn(self, place)

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
        self.let_go()
        self.path.unlink()


_PUT_ASIDE = WeakSet[Aside]()


@dataclass(frozen=True, eq=False)
class StoredColumn:
    """A column of numbers of an ``Aside``, table by table, as often as asked."""

    aside: Aside
    place: int

    def __iter__(self) -> Iterator[np.ndarray]:
        return (one for (one,) in self.aside.codes(self.place))


def abreast(columns: Iterable[Iterable[Any]]) -> Iterator[tuple[Any, ...]]:
    """Several columns block by block, side by side; those of one ``Aside`` are read together, its file opened once."""
    columns = list(columns)
    sources: dict[Any, list[int]] = {}
    for i, one in enumerate(columns):
        sources.setdefault(one.aside if isinstance(one, StoredColumn) else i, []).append(i)
    blocks = (
        source.codes(*(cast(StoredColumn, columns[i]).place for i in numbers))
        if isinstance(source, Aside)
        else zip(columns[source], strict=True)
        for source, numbers in sources.items()
    )
    place_of = np.argsort([*chain.from_iterable(sources.values())])
    for of_sources in zip(*blocks, strict=True):
        found = [*chain.from_iterable(of_sources)]
        yield tuple(found[place] for place in place_of)


def put_codes(path: Path, blocks: Iterable[Sequence[np.ndarray]], n_columns: int) -> Aside:
    """A file of whole numbers below two thousand million, block by block and column by column (n_records,)."""
    with contextlib.closing(Aside(path, [pa.int32()] * n_columns)) as codes:
        for block in blocks:
            codes.append(block)
    return codes


class SpilledFrames:
    """Tables of one shape, of text and numbers, in a file on disk in the order in which they were put.

    Put all, then iterate as often as needed.
    """

    def __init__(self, path: Path):
        self._path = path
        self._aside: Aside | None = None
        self._names: list[str] = []

    def append(self, piece: pd.DataFrame, /) -> None:
        """Put one more table at the end."""
        table = pa.Table.from_pandas(piece, preserve_index=False)
        if self._aside is None:
            self._names = table.column_names
            self._aside = Aside(self._path, [_kind(column.type) for column in table.columns])
        self._aside.append(table.columns)

    def __iter__(self) -> Iterator[pd.DataFrame]:
        for table in self._aside.tables() if self._aside is not None else ():
            yield frame_of(dict(zip(self._names, map(_column, table.columns), strict=True)))


def _kind(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _column(values: pa.ChunkedArray) -> pa.ChunkedArray | np.ndarray:
    return values if pa.types.is_large_string(values.type) else values.to_numpy()


class SpilledPieces(Generic[Piece]):
    """Pieces, each ``made`` of a table and two arrays of its rows, put aside: put all, then iterate."""

    def __init__(self, path: Path, made: Callable[..., Piece]):
        self._made, self._frames = made, SpilledFrames(path)

    def append(self, piece: Piece, /) -> None:
        """Put one more piece."""
        frame, *of_rows = cast(tuple[pd.DataFrame, np.ndarray, np.ndarray], piece)
        self._frames.append(frame.assign(**dict(zip(_OF_ROWS, of_rows, strict=True))))

    def __iter__(self) -> Iterator[Piece]:
        for frame in self._frames:
            yield self._made(frame.drop(columns=_OF_ROWS), *(frame[name].to_numpy() for name in _OF_ROWS))


_OF_ROWS = ["\0one", "\0other"]  # names that no file can have
