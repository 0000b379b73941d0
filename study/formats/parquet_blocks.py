"""Parquet files, written in groups of records and read block by block."""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import pyarrow as pa

from disclosure_control.basics.telling.faults import FaultyInputError
from study.formats.delimited_blocks import BLOCK_BYTES
from study.formats.parquet import bytes_by_account, folded_columns

if TYPE_CHECKING:
    from pyarrow.parquet import ParquetFile


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
        self, as_given: Callable[[pa.RecordBatch], pa.RecordBatch], names: Sequence[str]
    ) -> Iterator[pa.RecordBatch]:
        """The records ``as_given`` on, of the columns of these ``names``; text as codes where it is stored so."""
        with self.path.open("rb") as file, self._parsed():
            before = _stamp(file)
            self.sha256 = hashlib.file_digest(file, "sha256").hexdigest()
            parquet = _opened(file, folded_columns(_opened(file)))
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


# ---------------------------------------------------------------- writing


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
