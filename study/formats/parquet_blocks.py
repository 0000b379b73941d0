"""The combined dataset as a Parquet file: written in limited groups of records, read block by block.

Every column is text, and a missing value is a null: the values are those of the CSV file.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from disclosure_control.basics.telling.faults import FaultyInputError, stop_at
from disclosure_control.basics.telling.words import counted, listed
from study.formats.delimited_blocks import BLOCK_BYTES
from study.formats.messages import no_record_fault, shown_name
from study.formats.values import clean_name

if TYPE_CHECKING:
    from pyarrow.parquet import FileMetaData, ParquetFile

BYTES_OF_GROUP = 1 << 26  # so much text at most is in a group of records, however well it packs; or one record
_BYTES_OF_VALUE = 8  # what each value takes besides its letters
_REMEDY = "run Create_Combined_Pilot_Dataset.py again, which writes it in the right form"


class BlocksOfParquet:
    """The records of a Parquet file of text, some at a time: see ``blocks.Blocks``.

    Nothing is guessed: a file of numbers or dates is at fault, and so is one with names that this tool does not
    write. Every text is checked to be UTF-8. Messages contain counts and no value.
    """

    def __init__(self, path: Path, block_bytes: int = BLOCK_BYTES):
        self.path, self.block_bytes = path, block_bytes
        with path.open("rb") as file, _parsed(path, file) as parquet:
            self.columns = _columns(path, parquet)
            self.n_bytes = sum(_stored_bytes(parquet.metadata))
        self.sha256, self.n_records, self.n_bytes_read = "", 0, 0

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        with self.path.open("rb") as file:
            before = _stamp(file)
            self.sha256 = hashlib.file_digest(file, "sha256").hexdigest()
            yield from self._read(file)
            if _stamp(file) != before:
                raise FaultyInputError(f"{self.path.name}: the file changed while it was read; run again")
        stop_at([] if self.n_records else [no_record_fault(self.path)])

    def _read(self, file: IO[bytes]) -> Iterator[pa.RecordBatch]:
        with _parsed(self.path, file) as parquet:
            metadata = parquet.metadata
            n_at_once = max(self.block_bytes * metadata.num_rows // max(_text_bytes(metadata), 1), 1)
            place = 0
            for group, stored in enumerate(_stored_bytes(metadata)):
                n_rows, n_done = metadata.row_group(group).num_rows, 0
                for batch in parquet.iter_batches(n_at_once, row_groups=[group]):
                    n_done += batch.num_rows
                    self.n_records += batch.num_rows
                    self.n_bytes_read = place + stored * n_done // n_rows
                    yield _text_of(batch)
                place += stored


def bytes_as_text(path: Path) -> int:
    """About how many bytes a Parquet file would have as text, by its own account; its size where it has none."""
    try:
        with path.open("rb") as file, _parsed(path, file) as parquet:
            return _text_bytes(parquet.metadata)
    except FaultyInputError:
        return path.stat().st_size


def _text_bytes(metadata: FileMetaData) -> int:
    """Eight bytes for every value, or what a column takes before it is packed where that is more."""
    groups = map(metadata.row_group, range(metadata.num_row_groups))
    columns = (group.column(i) for group in groups for i in range(metadata.num_columns))
    return sum(max(one.total_uncompressed_size, _BYTES_OF_VALUE * one.num_values) for one in columns)


def _stored_bytes(metadata: FileMetaData) -> list[int]:
    """How many bytes each group of records takes in the file, at least one."""
    groups = map(metadata.row_group, range(metadata.num_row_groups))
    return [max(sum(group.column(i).total_compressed_size for i in range(metadata.num_columns)), 1) for group in groups]


def _stamp(file: IO[bytes]) -> tuple[int, int]:
    found = os.fstat(file.fileno())
    return found.st_size, found.st_mtime_ns


@contextlib.contextmanager
def _parsed(path: Path, file: IO[bytes]) -> Iterator[ParquetFile]:
    """The file as Parquet. Raises ``FaultyInputError`` where it, or a part read within the block, is damaged."""
    from pyarrow.parquet import ParquetFile

    try:
        yield ParquetFile(file)
    except FaultyInputError:
        raise
    except (pa.ArrowException, OSError, ValueError) as error:  # its message may quote a value
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise FaultyInputError(f"{path.name}: cut off, damaged or not a Parquet file; {_REMEDY}") from None


def _columns(path: Path, parquet: ParquetFile) -> list[str]:
    schema = parquet.schema_arrow
    names = list(schema.names)
    faults = []
    if not names or len(set(names)) < len(names) or [clean_name(name) for name in names] != names or "" in names:
        faults.append(f"{path.name}: some column names are empty, repeated or have blanks around them; {_REMEDY}")
    others = [f"{shown_name(field.name)} ({str(field.type)[:30]})" for field in schema if not _is_text(field.type)]
    if others:
        faults.append(
            f"{path.name}: {counted(len(others), 'column')} of {len(names)} not text: {listed(others, at_most=8)}; "
            f"{_REMEDY}"
        )
    stop_at(faults)
    return names


def _is_text(kind: pa.DataType) -> bool:
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _text_of(batch: pa.RecordBatch) -> pa.RecordBatch:
    columns = [column.cast(pa.large_string()) for column in batch.columns]
    for column in columns:
        column.validate(full=True)
    return pa.RecordBatch.from_arrays(columns, names=batch.schema.names)


# ---------------------------------------------------------------- writing


def parquet_bytes(pieces: Iterable[pd.DataFrame], bytes_of_group: int = BYTES_OF_GROUP) -> Iterator[bytes]:
    """A Parquet file of a table that comes in pieces, at least one, all of it text: the same bytes however it comes."""
    return written(_groups(pieces, bytes_of_group), compression="zstd", store_schema=False)


def written(groups: Iterable[pa.Table], **options: Any) -> Iterator[bytes]:
    """The bytes of a Parquet file as they come, of groups of records..

    There are no statistics in it, which would show the extremes of values.
    """
    from pyarrow.parquet import ParquetWriter

    passing, writer = Passing(), None
    with contextlib.ExitStack() as until_written:
        for group in groups:
            if writer is None:
                to_come = ParquetWriter(passing, group.schema, write_statistics=False, **options)
                writer = until_written.enter_context(to_come)
            writer.write_table(group, row_group_size=max(len(group), 1))
            yield passing.taken()
    yield passing.taken()


def _groups(pieces: Iterable[pd.DataFrame], bytes_of_group: int) -> Iterator[pa.Table]:
    """The pieces as groups, each of as many records as there is room for, the last one of those that are left."""
    waiting: pa.Table | None = None
    n_bytes = np.zeros(0, dtype=np.int64)
    for piece in pieces:
        table = _text_table(piece)
        waiting = table if waiting is None else pa.concat_tables([waiting, table])
        n_bytes = np.concatenate([n_bytes, _bytes_of_records(table)])
        while n_bytes.sum() > bytes_of_group and len(waiting) > 1:
            n_records = max(int(np.searchsorted(n_bytes.cumsum(), bytes_of_group, side="right")), 1)
            yield waiting.slice(0, n_records).combine_chunks()
            waiting, n_bytes = waiting.slice(n_records), n_bytes[n_records:]
    if waiting is not None:
        yield waiting.combine_chunks()


def _bytes_of_records(table: pa.Table) -> np.ndarray:
    """How much text each record (n_records,) has."""
    lengths = (pc.fill_null(pc.binary_length(column), 0).to_numpy() for column in table.columns)
    return sum(lengths, np.full(len(table), _BYTES_OF_VALUE * table.num_columns, dtype=np.int64))


def _text_table(frame: pd.DataFrame) -> pa.Table:
    columns = [pa.chunked_array(pa.array(column, from_pandas=True)) for column in (frame[name] for name in frame)]
    return pa.Table.from_arrays([column.cast(pa.large_string()) for column in columns], names=list(frame.columns))


class Passing(io.RawIOBase):
    """Takes bytes that are written, to be taken on as they come."""

    def __init__(self) -> None:
        self._waiting: list[bytes] = []
        self._n_bytes = 0

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._n_bytes

    def write(self, data: object) -> int:
        self._waiting.append(bytes(data))  # type: ignore[call-overload]
        self._n_bytes += len(self._waiting[-1])
        return len(self._waiting[-1])

    def taken(self) -> bytes:
        """The bytes written since the last call."""
        found, self._waiting = b"".join(self._waiting), []
        return found
