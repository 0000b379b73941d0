"""The combined dataset as a Parquet file: written in limited groups of records, read block by block.

Every column is text, and a missing value is a null: the values are those of the CSV file.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
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
from study.formats.parquet import BYTES_OF_VALUE, bytes_by_account, folded_columns, holds_text
from study.formats.values import clean_name

if TYPE_CHECKING:
    from pyarrow.parquet import ParquetFile

BYTES_OF_GROUP = 1 << 26  # so much text at most is in a group of records, however well it packs; or one record
_REMEDY = "run Create_Combined_Pilot_Dataset.py again, which writes it in the right form"


class ParquetInBlocks:
    """The records of a Parquet file, some at a time: see ``blocks.Blocks``. ``damaged``: the words of that fault.

    Iterate once, then ask for ``sha256`` and ``n_records``.
    """

    def __init__(self, path: Path, block_bytes: int, damaged: str):
        self.path, self.block_bytes, self._damaged = path, block_bytes, damaged
        self.sha256, self.n_records, self.n_bytes_read = "", 0, 0
        with path.open("rb") as file, self._parsed():
            parquet = _opened(file)
            self.schema, self.n_bytes = parquet.schema_arrow, bytes_by_account(parquet.metadata)

    def _batches(
        self,
        as_given: Callable[[pa.RecordBatch], pa.RecordBatch],
        names: Sequence[str] | None = None,
        is_folded: bool = False,
    ) -> Iterator[pa.RecordBatch]:
        """The records ``as_given`` on: of all columns or of these ``names``, text as codes if it ``is_folded``."""
        with self.path.open("rb") as file, self._parsed():
            before = _stamp(file)
            self.sha256 = hashlib.file_digest(file, "sha256").hexdigest()
            parquet = _opened(file, folded_columns(_opened(file)) if is_folded else ())
            n_rows = parquet.metadata.num_rows
            n_at_once = max(self.block_bytes * n_rows // max(self.n_bytes, 1), 1)
            for batch in parquet.iter_batches(n_at_once, columns=names):
                self.n_records += batch.num_rows
                self.n_bytes_read = self.n_bytes * self.n_records // n_rows
                yield as_given(batch)
            if _stamp(file) != before:
                raise FaultyInputError(f"{self.path.name}: the file changed while it was read; run again")

    @contextlib.contextmanager
    def _parsed(self) -> Iterator[None]:
        """Raises ``FaultyInputError`` where the file, or a part read within the block, is damaged."""
        try:
            yield
        except FaultyInputError:
            raise
        except (pa.ArrowException, OSError, ValueError) as error:  # its message may quote a value
            if isinstance(error, OSError) and error.errno is not None:
                raise
            raise FaultyInputError(self._damaged) from None


class BlocksOfParquet(ParquetInBlocks):
    """The records of a combined dataset, all of them text.

    Nothing is guessed: a file of numbers or dates is at fault, and so is one with names that this tool does not
    write. Every text is checked to be UTF-8. Messages contain counts and no value.
    """

    def __init__(self, path: Path, block_bytes: int = BLOCK_BYTES):
        super().__init__(path, block_bytes, f"{path.name}: cut off, damaged or not a Parquet file; {_REMEDY}")
        self.columns = _columns(path, self.schema)

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        yield from self._batches(_text_of)
        stop_at([] if self.n_records else [no_record_fault(self.path)])


def parquet_as_text(path: Path) -> int:
    """About how many bytes a Parquet file would have as text, by its own account; its size where it has none."""
    try:
        return ParquetInBlocks(path, BLOCK_BYTES, "damaged").n_bytes
    except FaultyInputError:
        return path.stat().st_size


def _opened(file: IO[bytes], folded: Sequence[str] = ()) -> ParquetFile:
    from pyarrow.parquet import ParquetFile

    return ParquetFile(file, read_dictionary=list(folded))


def _stamp(file: IO[bytes]) -> tuple[int, int]:
    found = os.fstat(file.fileno())
    return found.st_size, found.st_mtime_ns


def _columns(path: Path, schema: pa.Schema) -> list[str]:
    names = list(schema.names)
    faults = []
    if not names or len(set(names)) < len(names) or [clean_name(name) for name in names] != names or "" in names:
        faults.append(f"{path.name}: some column names are empty, repeated or have blanks around them; {_REMEDY}")
    others = [f"{shown_name(field.name)} ({str(field.type)[:30]})" for field in schema if not holds_text(field.type)]
    if others:
        faults.append(
            f"{path.name}: {counted(len(others), 'column')} of {len(names)} not text: {listed(others, at_most=8)}; "
            f"{_REMEDY}"
        )
    stop_at(faults)
    return names


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
    return sum(lengths, np.full(len(table), BYTES_OF_VALUE * table.num_columns, dtype=np.int64))


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
