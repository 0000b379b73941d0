"""The domain files by the engine of the run: all in memory, or the large ones on disk and people part by part.

Door 1 merges them so; door 2 reads them so beside the combined dataset, releases them, and merges what it released.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from disclosure_control.basics.telling.progress import progress
from disclosure_control.records.choice import AUTO, Choice, by_free_memory, fits_from_disk
from disclosure_control.records.disk import records_of_pieces
from disclosure_control.records.domain_files import PARQUET, read_large_file
from disclosure_control.records.domains import Divisible, DomainReader
from disclosure_control.records.limits import USUAL_LIMITS, Limits
from disclosure_control.records.records import EncodedRecords
from disclosure_control.records.spill import SpilledPieces, spill_folder
from disclosure_control.records.sql import Database, database_in
from disclosure_control.run.memory import MEMORY_PER_BYTE
from study.formats.blocks import bytes_as_text
from study.formats.files import read_domain_file, visible_files
from study.formats.header_rows import USUAL_DELIMITERS, has_text_above_header
from study.formats.parquet_domains import can_be_read_in_pieces
from study.formats.tables import GZIP_SUFFIX, FileOptions, SourceTable, domain_of, suffix_of
from study.models.sdtm import supplemental_parent

if TYPE_CHECKING:
    from study.formats.files import Read
    from study.merge.combine import Combined, MergeResources

SPILL_PER_BYTE = 1.0  # bytes stored per byte of the domain files


def choose_merging(asked: str, folder: Path) -> Choice:
    """The engine that was ``asked`` for; by ``auto`` in memory, unless the files need more than a share of the free."""
    if asked != AUTO:
        return Choice(asked)
    n_bytes = _bytes_of_files(folder)
    return by_free_memory(f"the domain files have {n_bytes / 1e9:.1f} GB of text", MEMORY_PER_BYTE * n_bytes)


@contextlib.contextmanager
def working_on(engine: str, folder: Path, results: Path, limits: Limits = USUAL_LIMITS) -> Iterator[MergeResources]:
    """The resources for merging a pilot's ``folder``; intermediate files are removed at the end of the block."""
    from study.merge.combine import MergeResources  # by door 1 alone

    if engine == "memory":
        yield MergeResources(_read_and_told, progress=progress)
        return
    n_bytes = int(SPILL_PER_BYTE * _bytes_of_files(folder))
    with spill_folder(results, n_bytes) as spill, database_in(spill) as database:
        yield working_in(database, limits)


def working_in(database: Database, limits: Limits = USUAL_LIMITS) -> MergeResources:
    """How a merge works from disk, in the folder of a ``database``."""
    from study.merge.combine import MergeResources

    read = functools.partial(read_by_size, database=database, limits=limits)
    pieces = functools.partial(SpilledPieces, database.new_folder() / "combined")
    return MergeResources(read, limits.rows_per_part, pieces, progress)


READ_IN_PIECES = (*USUAL_DELIMITERS, *(suffix + GZIP_SUFFIX for suffix in USUAL_DELIMITERS), PARQUET)


def domain_files(folder: Path) -> list[Path]:
    """The domain files of a pilot's folder that can be read in pieces, as far as known without a config."""
    return [path for path in visible_files(folder) if path.is_file() and suffix_of(path) in READ_IN_PIECES]


def _bytes_of_files(folder: Path) -> int:
    """About how many bytes they have together as text."""
    return sum(map(bytes_as_text, domain_files(folder)))


def read_by_size(path: Path, options: FileOptions, database: Database, limits: Limits) -> SourceTable:
    """A large file that can be read in pieces put aside by a ``database``, any other one whole.

    Text with titles above its header is one of the others.
    """
    if is_read_in_pieces(path, limits) and not (suffix_of(path) != PARQUET and has_text_above_header(path, options)):
        return read_large_file(path, options, database, limits)
    return _read_and_told(path, options)


def is_read_in_pieces(path: Path, limits: Limits) -> bool:
    """Whether a file is large, and of a format and a kind that can be read in pieces."""
    suffix = suffix_of(path)
    is_large = suffix in READ_IN_PIECES and bytes_as_text(path) >= limits.large_bytes
    is_large &= suffix != PARQUET or can_be_read_in_pieces(path)
    return is_large and supplemental_parent(domain_of(path)) is None


def _read_and_told(path: Path, options: FileOptions) -> SourceTable:
    with progress(f"Reading {path.name}"):
        return read_domain_file(path, options)


@dataclass(frozen=True)
class DomainsFromDisk(DomainReader):
    """Large files, put aside by a run, and read by parts of their people."""

    database: Database = field(kw_only=True)
    limits: Limits = field(kw_only=True)

    def read_to_release(self, divisible: Divisible) -> Read:
        return self.read_package(divisible)

    def read_package(self, divisible: Divisible) -> Read:
        """See ``DomainReader``; files are read whole if they are packed, no delimited text, or not ``divisible``."""

        def read(path: Path, options: FileOptions) -> SourceTable:
            if suffix_of(path) not in USUAL_DELIMITERS:
                return read_domain_file(path, options)
            table = self.read(path, options)
            if is_read_in_pieces(path, self.limits) and not divisible(table):
                return read_domain_file(path, options)
            return table

        return read

    @contextlib.contextmanager
    def package(self, results: Path) -> Iterator[Path]:
        """See ``DomainReader``; files written there are published from there, and removed with the run."""
        yield self.database.new_folder()

    def merged(self, merge: Callable[[MergeResources], Combined]) -> EncodedRecords:
        combined = merge(working_in(self.database, self.limits))
        return records_of_pieces(combined.columns, combined.pieces, self.database, self.limits)


def domains_from_disk(database: Database, limits: Limits) -> DomainsFromDisk:
    """Large files put aside, and any others whole that need no more than a run from disk takes."""

    def read(path: Path, options: FileOptions) -> SourceTable:
        return read_by_size(path, options, database, limits)

    def fits(path: Path) -> bool:
        return is_read_in_pieces(path, limits) or fits_from_disk(path)

    at_hand = limits.rows_at_hand
    rows_per_part = limits.rows_per_part
    return DomainsFromDisk(read, fits, 2 * at_hand, at_hand, rows_per_part, database=database, limits=limits)
