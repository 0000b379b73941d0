"""Door 1 by the engine of the run: all domain files in memory, or the large ones on disk and people part by part."""

from __future__ import annotations

import contextlib
import functools
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from config.model_settings import PilotConfig
from disclosure_control.basics.telling.progress import progress
from disclosure_control.records.choice import (
    AUTO,
    MEMORY_PER_BYTE,
    SHARE_OF_FREE,
    Choice,
    fits_from_disk,
    fits_in_memory,
    free_memory,
)
from disclosure_control.records.domain_files import PARQUET, USUAL_FILE_LIMITS, FileLimits, read_large_file
from disclosure_control.records.spill import SpilledRecords, spill_folder, stop_without_room
from study.formats.delimited_guesses import USUAL_DELIMITERS
from study.formats.files import DomainFiles, read_domain_file, visible_files
from study.formats.packed import bytes_unpacked
from study.formats.parquet_blocks import bytes_as_text
from study.formats.parquet_domains import can_be_read_in_pieces
from study.formats.tables import GZIP_SUFFIX, FileOptions, SourceTable, domain_of, suffix_of
from study.formats.values import frame_of
from study.merge.sdtm import supplemental_parent

if TYPE_CHECKING:
    from study.merge.combine import MergeResources
    from study.merge.reading import Read

SPILL_PER_BYTE = 1.0  # about what is put aside by each byte of the domain files; asked again once more is known
MOST_PARTS = 1000  # a million records are divided at once then


@dataclass(frozen=True)
class MergeLimits:
    """A file of fewer bytes is read whole; ``rows_per_part`` of all domains together are merged at once."""

    large_bytes: int = 1 << 25
    rows_per_part: int = 1 << 18
    file: FileLimits = USUAL_FILE_LIMITS


USUAL_MERGE_LIMITS = MergeLimits()


def _n_bytes(path: Path) -> int:
    return path.stat().st_size


def choose_merging(asked: str, folder: Path) -> Choice:
    """The engine that was ``asked`` for; by ``auto`` in memory, unless the files need more than a share of the free."""
    if asked != AUTO:
        return Choice(asked)
    n_bytes, free = _bytes_of_files(folder), free_memory()
    if free is None or MEMORY_PER_BYTE * n_bytes <= SHARE_OF_FREE * free:
        return Choice("memory")
    return Choice(
        "disk",
        f"the domain files have {n_bytes / 1e9:.1f} GB of text and would need about "
        f"{MEMORY_PER_BYTE * n_bytes / 1e9:.1f} GB of memory, "
        f"where {free / 1e9:.1f} GB are free: working from disk (--engine disk).",
    )


@contextlib.contextmanager
def working_on(
    engine: str, folder: Path, results: Path, limits: MergeLimits = USUAL_MERGE_LIMITS
) -> Iterator[MergeResources]:
    """How the merge of a pilot's ``folder`` works; what is put aside for it is gone when the block ends."""
    from study.merge.combine import MergeResources  # by door 1 alone

    if engine == "memory":
        yield MergeResources(_read_and_told, progress=progress)
        return
    with spill_folder(results, int(SPILL_PER_BYTE * _bytes_of_files(folder))) as spill:
        yield working_in(spill, results, limits)


def working_in(spill: Path, results: Path, limits: MergeLimits = USUAL_MERGE_LIMITS) -> MergeResources:
    """How a merge works from disk, in a ``spill`` folder of its own beside the ``results``."""
    from study.merge.combine import MergeResources

    read = functools.partial(read_by_size, spill=spill, limits=limits)
    per_part = functools.partial(people_per_part, limits=limits)
    return MergeResources(read, per_part, functools.partial(SpilledFrames, spill / "combined", results), progress)


# The kinds of files that can be read in pieces, and about how many bytes one of them has as text.
BYTES_AS_TEXT: dict[str, Callable[[Path], int]] = {
    **dict.fromkeys(USUAL_DELIMITERS, _n_bytes),
    **{suffix + GZIP_SUFFIX: bytes_unpacked for suffix in USUAL_DELIMITERS},
    PARQUET: bytes_as_text,
}


def domain_files(folder: Path) -> list[Path]:
    """The domain files of a pilot's folder that can be read in pieces, as far as they can be told without a config."""
    return [path for path in visible_files(folder) if path.is_file() and suffix_of(path) in BYTES_AS_TEXT]


def _bytes_of_files(folder: Path) -> int:
    """About how many bytes they have together as text."""
    return sum(map(_bytes_of_text, domain_files(folder)))


def _bytes_of_text(path: Path) -> int:
    try:
        return BYTES_AS_TEXT[suffix_of(path)](path)
    except OSError:  # that it cannot be read is said by whoever reads it
        return _n_bytes(path)


def _n_bytes_of_text(column: pa.ChunkedArray) -> int:
    """The bytes of a column's letters, and a comma or the end of the line after each value."""
    column = column if pa.types.is_large_string(column.type) else column.cast(pa.large_string())
    return int(pc.sum(pc.binary_length(column)).as_py() or 0) + len(column)


def read_by_size(path: Path, options: FileOptions, spill: Path, limits: MergeLimits) -> SourceTable:
    """A large file that can be read in pieces put aside in ``spill``, any other one whole."""
    if is_read_in_pieces(path, limits):
        return read_large_file(path, options, spill, limits.file)
    return _read_and_told(path, options)


def is_read_in_pieces(path: Path, limits: MergeLimits) -> bool:
    """Whether a file is large, and of a format and a kind that can be read in pieces."""
    suffix = suffix_of(path)
    is_large = suffix in BYTES_AS_TEXT and _bytes_of_text(path) >= limits.large_bytes
    is_large &= suffix != PARQUET or can_be_read_in_pieces(path)
    return is_large and supplemental_parent(domain_of(path)) is None


def _read_and_told(path: Path, options: FileOptions) -> SourceTable:
    with progress(f"Reading {path.name}"):
        return read_domain_file(path, options)


def people_per_part(n_people: int, tables: Sequence[SourceTable], limits: MergeLimits) -> int:
    """How many people are treated at once, of files with so many rows."""
    n_rows = sum(table.n_rows for table in tables)
    n_parts = min(max(-(-n_rows // limits.rows_per_part), 1), MOST_PARTS)
    return max(-(-n_people // n_parts), 1)


@dataclass(frozen=True)
class DomainReader:
    """How domain files are read beside the combined dataset: ``fits`` says which files ``read`` can be asked for.

    Of a table whose rows are on disk, those of a column are in memory at a time, at most ``most_rows``.
    """

    read: Read = read_domain_file
    fits: Callable[[Path], bool] = fits_in_memory
    most_rows: int = 0


def domains_in_memory(config: PilotConfig) -> DomainReader:
    """Every file whole, and but once where the config asks for a release of all of them."""
    return DomainReader(DomainFiles(is_kept="release" in config.settings).read)


def domains_from_disk(folder: Path, limits: MergeLimits, rows_at_hand: int) -> DomainReader:
    """Large files put aside in a ``folder``, and any others whole that need no more than a run from disk takes."""

    def read(path: Path, options: FileOptions) -> SourceTable:
        return read_by_size(path, options, Path(tempfile.mkdtemp(dir=folder)), limits)

    def fits(path: Path) -> bool:
        return is_read_in_pieces(path, limits) or fits_from_disk(path)

    return DomainReader(read, fits, 2 * rows_at_hand)


class SpilledFrames:
    """Tables of one shape, of text and numbers, in a file on disk in the order in which they were put.

    Put all, then iterate as often as needed. Together they have ``n_people`` rows, and are written as text beside the
    ``results`` in the end. Raises ``FaultyInputError`` as soon as the tables so far tell that the disk has less room
    than all will take.
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
        n_bytes_so_far, n_to_come = _n_bytes(self._path), self._n_people - self._n_so_far
        of_tables_and_text = n_bytes_so_far * n_to_come + self._n_bytes_of_text * self._n_people
        return of_tables_and_text / max(self._n_so_far, 1)

    def __iter__(self) -> Iterator[pd.DataFrame]:
        for records in self._spilled if self._spilled is not None else ():
            yield frame_of({name: _column(records.column(name)) for name in records.schema.names})


def _column(values: pa.Array) -> pa.ChunkedArray | np.ndarray:
    is_number = pa.types.is_floating(values.type)
    return values.to_numpy(zero_copy_only=False) if is_number else pa.chunked_array([values])
