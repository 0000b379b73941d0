"""Door 1 by the engine of the run: all domain files in memory, or the large ones on disk and people part by part."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from disclosure_control.basics.telling.progress import progress
from disclosure_control.records.choice import AUTO, Choice, by_free_memory
from disclosure_control.records.domain_files import PARQUET, USUAL_FILE_LIMITS, FileLimits, read_large_file
from disclosure_control.records.spill import SpilledFrames, spill_folder
from disclosure_control.records.sql import Database, database_in
from disclosure_control.run.memory import MEMORY_PER_BYTE
from study.formats.delimited_headers import USUAL_DELIMITERS, has_text_above_header
from study.formats.files import read_domain_file, visible_files
from study.formats.packed import bytes_unpacked
from study.formats.parquet_blocks import bytes_as_text
from study.formats.parquet_domains import can_be_read_in_pieces
from study.formats.tables import GZIP_SUFFIX, FileOptions, SourceTable, domain_of, suffix_of
from study.models.sdtm import supplemental_parent

if TYPE_CHECKING:
    from study.merge.combine import MergeResources

SPILL_PER_BYTE = 1.0  # bytes stored per byte of the domain files; checked again once more is known


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
    n_bytes = _bytes_of_files(folder)
    return by_free_memory(f"the domain files have {n_bytes / 1e9:.1f} GB of text", MEMORY_PER_BYTE * n_bytes)


@contextlib.contextmanager
def working_on(
    engine: str, folder: Path, results: Path, limits: MergeLimits = USUAL_MERGE_LIMITS
) -> Iterator[MergeResources]:
    """The resources for merging a pilot's ``folder``; intermediate files are removed at the end of the block."""
    from study.merge.combine import MergeResources  # by door 1 alone

    if engine == "memory":
        yield MergeResources(_read_and_told, progress=progress)
        return
    n_bytes = int(SPILL_PER_BYTE * _bytes_of_files(folder))
    with spill_folder(results, n_bytes) as spill, database_in(spill) as database:
        yield working_in(database, results, limits)


def working_in(database: Database, results: Path, limits: MergeLimits = USUAL_MERGE_LIMITS) -> MergeResources:
    """How a merge works from disk, in the folder of a ``database`` beside the ``results``."""
    from study.merge.combine import MergeResources

    read = functools.partial(read_by_size, database=database, limits=limits)
    pieces = functools.partial(SpilledFrames, database.new_folder() / "combined", results)
    return MergeResources(read, limits.rows_per_part, pieces, progress)


# The kinds of files that can be read in pieces, and about how many bytes one of them has as text.
BYTES_AS_TEXT: dict[str, Callable[[Path], int]] = {
    **dict.fromkeys(USUAL_DELIMITERS, _n_bytes),
    **{suffix + GZIP_SUFFIX: bytes_unpacked for suffix in USUAL_DELIMITERS},
    PARQUET: bytes_as_text,
}


def domain_files(folder: Path) -> list[Path]:
    """The domain files of a pilot's folder that can be read in pieces, as far as known without a config."""
    return [path for path in visible_files(folder) if path.is_file() and suffix_of(path) in BYTES_AS_TEXT]


def _bytes_of_files(folder: Path) -> int:
    """About how many bytes they have together as text."""
    return sum(map(_bytes_of_text, domain_files(folder)))


def _bytes_of_text(path: Path) -> int:
    try:
        return BYTES_AS_TEXT[suffix_of(path)](path)
    except OSError:  # the reader reports that it cannot be read
        return _n_bytes(path)


def read_by_size(path: Path, options: FileOptions, database: Database, limits: MergeLimits) -> SourceTable:
    """A large file that can be read in pieces put aside by a ``database``, any other one whole.

    Text with titles above its header is one of the others.
    """
    if is_read_in_pieces(path, limits) and not (suffix_of(path) != PARQUET and has_text_above_header(path, options)):
        return read_large_file(path, options, database, limits.file)
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
