"""Where a release works: on all records in memory, or from disk, where large domain files go part by part."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Protocol

import pandas as pd

from config import RESULTS_FOLDER
from disclosure_control.records.disk import NO_LIMITS, PeopleOnDisk
from disclosure_control.records.domain_files import LargeFile, read_large_file
from disclosure_control.records.merging import domain_files, working_in
from disclosure_control.records.other_columns import TableOnDisk
from disclosure_control.records.records import EncodedRecords
from disclosure_control.records.spill import stop_without_room
from disclosure_control.release.deidentify import Gather, ReleasedStudy, the_one
from disclosure_control.release.large_files import LargeReleasedFile, Written, large_file, read_for_release
from disclosure_control.release.merged import Made, records_of
from disclosure_control.release.opened import Opened, OpenedInMemory, OpenedOnDisk
from disclosure_control.release.package import merged_again, opened_again
from disclosure_control.release.people import ReleasePeople
from disclosure_control.release.study import MakeLarge
from disclosure_control.run.results import written_aside
from disclosure_control.steps.release.settings import ReleaseSettings
from disclosure_control.steps.running import StepInput
from disclosure_control.treatments.treat_records import TreatedOnDisk
from disclosure_control.treatments.treated_pilot import TreatedPilot
from study.formats.tables import FileOptions, SourceTable
from study.merge.reading import Read
from study.merge.subject_ids import SubjectIdRule

SPILL_PER_BYTE = 2.0  # about what is put aside by each byte of the large domain files, the released ones among it


class Working(Protocol):
    """How a release gets at the records of a pilot, of its domain files and of the package."""

    read: Read
    large: MakeLarge | None
    most_rows: int | None
    original: EncodedRecords

    def gather(self, people: ReleasePeople) -> Gather:
        """What takes the parts of a file that is not in memory."""
        ...

    def written(self, files: Mapping[str, bytes | Path]) -> contextlib.AbstractContextManager[Path]:
        """A folder that holds the package as long as the block lasts."""
        ...

    def opened(self, folder: Path, released: ReleasedStudy) -> dict[str, SourceTable]:
        """The data sets of the package, read again."""
        ...

    def merged(self, tables: Mapping[str, SourceTable], made: Made) -> EncodedRecords:
        """The package merged by door 1; rows on disk are not asked for afterwards."""
        ...


def working_on(step: StepInput[ReleaseSettings], treated: TreatedPilot | None) -> Working:
    """How a release of this pilot works: as the engine of the run has its records."""
    return FromDisk(step, treated) if isinstance(_table_of(step), TableOnDisk) else InMemory(step)


def _table_of(step: StepInput[ReleaseSettings]) -> pd.DataFrame | TableOnDisk:
    return step.dataset.table


def opened_tables(tables: Mapping[str, SourceTable]) -> dict[str, Opened]:
    """The data sets of a package, to be asked."""
    return {
        name: OpenedOnDisk(table) if isinstance(table, LargeFile) else OpenedInMemory(table.frame)
        for name, table in tables.items()
    }


class InMemory:
    """All records at hand: see ``Working``."""

    large: MakeLarge | None = None
    most_rows: int | None = None

    def __init__(self, step: StepInput[ReleaseSettings]):
        self._step = step
        self.read: Read = step.files.read
        self.original = EncodedRecords.in_memory(step.dataset.typed_table)

    def gather(self, people: ReleasePeople) -> Gather:
        return the_one

    def written(self, files: Mapping[str, bytes | Path]) -> contextlib.AbstractContextManager[Path]:
        at_hand = {name: content for name, content in files.items() if isinstance(content, bytes)}
        return written_aside(self._step.folder / RESULTS_FOLDER, at_hand)

    def opened(self, folder: Path, released: ReleasedStudy) -> dict[str, SourceTable]:
        return opened_again(folder)

    def merged(self, tables: Mapping[str, SourceTable], made: Made) -> EncodedRecords:
        return records_of(merged_again(made.rule, made.merge, tables), None, NO_LIMITS)


class FromDisk:
    """Records on disk; of each person the id, the pseudonym and what was recoded are in memory. See ``Working``."""

    def __init__(self, step: StepInput[ReleaseSettings], treated: TreatedPilot | None):
        people, table = step.assessment.people, _table_of(step)
        assert isinstance(people, PeopleOnDisk)
        assert isinstance(table, TableOnDisk)
        assert treated is None or isinstance(treated, TreatedOnDisk)
        self._step = step
        self.original = EncodedRecords.of(people, table) if treated is None else treated.original
        self._limits = people.put_aside[3]
        self._folder = self.original.new_folder()
        sizes = [path.stat().st_size for path in domain_files(step.folder)]
        n_bytes = sum(size for size in sizes if size >= self._limits.domains.large_bytes)
        stop_without_room(step.folder / RESULTS_FOLDER, SPILL_PER_BYTE * n_bytes)
        self.most_rows: int | None = self._limits.rows_at_hand
        rule = step.assessment.config.of(SubjectIdRule)
        self.read: Read = functools.partial(
            read_for_release, rule=rule, folder=self._folder, limits=self._limits.domains
        )
        self.large: MakeLarge | None = large_file(self._limits.domains)
        self._package = self._folder / "released"
        self._package.mkdir(mode=0o700)

    def gather(self, people: ReleasePeople) -> Gather:
        return Written(self._package, self._folder, people, self._step.settings.format).gather

    @contextlib.contextmanager
    def written(self, files: Mapping[str, bytes | Path]) -> Iterator[Path]:
        for name, content in files.items():
            if isinstance(content, bytes):
                (self._package / name).touch(mode=0o600)
                (self._package / name).write_bytes(content)
        yield self._package

    def opened(self, folder: Path, released: ReleasedStudy) -> dict[str, SourceTable]:
        large = {file.path.name for file in released.files.values() if isinstance(file, LargeReleasedFile)}

        def read(path: Path, options: FileOptions) -> SourceTable:
            if path.name not in large:
                return self.read(path, options)
            return read_large_file(path, options, self._new_folder(), self._limits.domains.file)

        return opened_again(folder, read)

    def _new_folder(self) -> Path:
        return self.original.new_folder()

    def merged(self, tables: Mapping[str, SourceTable], made: Made) -> EncodedRecords:
        merging = working_in(self._new_folder(), self._step.folder / RESULTS_FOLDER, self._limits.domains)
        combined = merged_again(made.rule, made.merge, tables, merging)
        return records_of(combined, self._new_folder(), self._limits)
