"""How the domain files of a pilot are read beside its combined dataset, released, and merged again."""

from __future__ import annotations

import contextlib
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from config.model_settings import PilotConfig
from disclosure_control.records.choice import fits_in_memory
from disclosure_control.records.records import EncodedRecords
from disclosure_control.run.beside import ASIDE, work_folder
from study.formats.files import Read, ReadOnce, read_domain_file
from study.formats.tables import SourceTable

if TYPE_CHECKING:
    from study.merge.combine import Combined, MergeResources

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

    def read_to_release(self, divisible: Divisible) -> Read:
        """How the files of the pilot are read; rows of ``divisible`` tables are divided by person."""
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
    return DomainReader(ReadOnce() if "release" in config.settings else read_domain_file)
