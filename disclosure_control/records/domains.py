"""How the domain files of a pilot are read beside its combined dataset, released, and merged again."""

from __future__ import annotations

import contextlib
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from config.model_settings import PilotConfig
from disclosure_control.records.choice import fits_from_disk, fits_in_memory
from disclosure_control.records.limits import Limits
from disclosure_control.records.merging import domain_files, is_read_in_pieces, read_by_size, working_in
from disclosure_control.records.records import EncodedRecords
from disclosure_control.records.spill import stop_without_room
from disclosure_control.records.sql import Database
from disclosure_control.run.beside import ASIDE, work_folder
from disclosure_control.run.tables import csv_bytes
from study.formats.blocks import kind_of
from study.formats.delimited_headers import USUAL_DELIMITERS
from study.formats.files import DomainFiles, read_domain_file
from study.formats.tables import FileOptions, SourceTable, suffix_of

if TYPE_CHECKING:
    from study.merge.assembling import Combined
    from study.merge.combine import MergeResources
    from study.merge.reading import Read

RELEASE_PER_BYTE = 2.5  # bytes stored per byte of the large domain files, with the released ones

# Whether a table can be released part by part.
Divisible = Callable[[SourceTable], bool]


@dataclass(frozen=True)
class DomainReader:
    """How domain files are read beside the combined dataset: ``fits`` selects the files that ``read`` accepts.

    Of a table on disk, a column is available if it has at most ``most_rows``, and ``rows_to_search`` of a released one;
    it is released in parts of about ``rows_per_part``.
    """

    read: Read = read_domain_file
    fits: Callable[[Path], bool] = fits_in_memory
    most_rows: int = sys.maxsize
    rows_to_search: int = sys.maxsize
    rows_per_part: int = sys.maxsize

    def read_to_release(self, folder: Path, divisible: Divisible) -> Read:
        """How the files of the pilot's ``folder`` are read; rows of ``divisible`` tables are divided by person.

        Raises ``FaultyInputError`` if the disk has less free space than their release needs.
        """
        return self.read

    def read_package(self, divisible: Divisible) -> Read:
        """How the files of a package are read, which nobody asks for again."""
        return read_domain_file

    @contextlib.contextmanager
    def package(self, results: Path) -> Iterator[Path]:
        """A folder for a package, so that it can be opened from disk before it is published."""
        folder = work_folder(results, ASIDE)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def merged(self, merge: Callable[[MergeResources], Combined]) -> EncodedRecords:
        """What a merge comes to, every column as text; rows on disk are not asked for afterwards."""
        from study.merge.combine import IN_MEMORY

        return EncodedRecords.in_memory(merge(IN_MEMORY).frame)


def domains_in_memory(config: PilotConfig) -> DomainReader:
    """Every file whole, and but once where the config asks for a release of all of them."""
    return DomainReader(DomainFiles(is_kept="release" in config.settings).read)


@dataclass(frozen=True)
class DomainsFromDisk(DomainReader):
    """Large files, put aside by a run beside the ``results``, and read by parts of their people."""

    database: Database = field(kw_only=True)
    results: Path = field(kw_only=True)
    limits: Limits = field(kw_only=True)

    def read_to_release(self, folder: Path, divisible: Divisible) -> Read:
        sizes = [path.stat().st_size for path in domain_files(folder)]
        large = [size for size in sizes if size >= self.limits.domains.large_bytes]
        stop_without_room(self.results, RELEASE_PER_BYTE * sum(large))
        return self.read_package(divisible)

    def read_package(self, divisible: Divisible) -> Read:
        """See ``DomainReader``; files are read whole if they are packed, no delimited text, or not ``divisible``."""

        def read(path: Path, options: FileOptions) -> SourceTable:
            if suffix_of(path) not in USUAL_DELIMITERS:
                return read_domain_file(path, options)
            table = self.read(path, options)
            if is_read_in_pieces(path, self.limits.domains) and not divisible(table):
                return read_domain_file(path, options)
            return table

        return read

    @contextlib.contextmanager
    def package(self, results: Path) -> Iterator[Path]:
        """See ``DomainReader``; files written there are published from there, and removed with the run."""
        yield self.database.new_folder()

    def merged(self, merge: Callable[[MergeResources], Combined]) -> EncodedRecords:
        """See ``DomainReader``; written as door 1 writes it, and read again."""
        combined = merge(working_in(self.database, self.results, self.limits.domains))
        path = self.database.new_folder() / "combined.csv"
        path.touch(mode=0o600)
        with path.open("wb") as file:
            for number, piece in enumerate(combined.pieces):
                file.write(csv_bytes(piece, has_header=number == 0))
        text = kind_of(path).blocks(path, self.limits.block_bytes)
        records = EncodedRecords.of_text(text, self.database, self.limits)
        path.unlink()
        return records


def domains_from_disk(database: Database, results: Path, limits: Limits) -> DomainsFromDisk:
    """Large files put aside, and any others whole that need no more than a run from disk takes."""

    def read(path: Path, options: FileOptions) -> SourceTable:
        return read_by_size(path, options, database, limits.domains)

    def fits(path: Path) -> bool:
        return is_read_in_pieces(path, limits.domains) or fits_from_disk(path)

    at_hand = limits.rows_at_hand
    return DomainsFromDisk(
        read, fits, 2 * at_hand, at_hand, limits.domains.rows_per_part,
        database=database, results=results, limits=limits,
    )  # fmt: skip
