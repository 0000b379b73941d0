"""Where a release works: on all records in memory, or from disk, where large domain files go part by part."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import numpy as np
import pandas as pd

from config import RESULTS_FOLDER
from config.model_settings import PilotConfig
from disclosure_control.assess.assessment import Assessment, evaluate
from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN, numbers_of
from disclosure_control.basics.encoding.dictionary import Dictionary
from disclosure_control.leaving.leaving import Leaving
from disclosure_control.records.disk import PeopleOnDisk
from disclosure_control.records.domain_files import LargeFile, read_large_file
from disclosure_control.records.merging import domain_files, working_in
from disclosure_control.records.other_columns import TableOnDisk
from disclosure_control.records.records import RecordsOnDisk, occurring
from disclosure_control.records.spill import stop_without_room
from disclosure_control.release.deidentify import Gather, ReleasedStudy, the_one
from disclosure_control.release.large_files import LargeReleasedFile, Written, large_file, read_for_release
from disclosure_control.release.merged import leaving_of
from disclosure_control.release.merged_from_disk import leaving_from_disk, records_of
from disclosure_control.release.opened import Opened, OpenedInMemory, OpenedOnDisk
from disclosure_control.release.package import merged_again, opened_again
from disclosure_control.release.people import RecodedColumn, ReleasePeople, labels, recoded_column, recoded_columns
from disclosure_control.release.study import MakeLarge
from disclosure_control.run.results import written_aside
from disclosure_control.steps.running import StepInput
from disclosure_control.treatments.evaluation import config_of, evaluate_treated, holds_numbers
from disclosure_control.treatments.keys import Release
from disclosure_control.treatments.treat_records import TreatedOnDisk
from disclosure_control.treatments.treated_pilot import TreatedPilot
from study.formats.tables import FileOptions, SourceTable
from study.merge.reading import Read
from study.merge.settings import MergeSettings
from study.merge.subject_ids import SubjectIdRule

SPILL_PER_BYTE = 2.0  # about what is put aside by each byte of the large domain files, the released ones among it


@dataclass(frozen=True)
class MergedPackage:
    """The package as door 1 merges it: k, l and t of it, and of each person the id and the class (n_people,).

    ``frame`` (n_people, n_columns) is what was merged, None where the records are not at hand.
    """

    assessment: Assessment
    subjects: pd.Series = field(repr=False)
    classes: np.ndarray
    leaving: Leaving
    frame: pd.DataFrame | None = field(repr=False)


@dataclass(frozen=True)
class Made:
    """What was made of the pilot: the files as they leave, their people and the release that they belong to."""

    released: ReleasedStudy
    people: ReleasePeople
    release: Release
    days: int
    harmless: Mapping[str, str]
    rule: SubjectIdRule
    merge: MergeSettings


class Working(Protocol):
    """How a release gets at the records of a pilot, of its domain files and of the package."""

    read: Read
    large: MakeLarge | None
    most_rows: int | None

    def ids(self) -> pd.Series:
        """The ids of all people (n_people,) of the pilot."""
        ...

    def kept(self) -> np.ndarray:
        """Positions (n_kept,) of those who stay."""
        ...

    def recoded(self, kept: np.ndarray) -> dict[str, RecodedColumn]:
        """The columns that the treatment changed in those who stay."""
        ...

    def promised(self) -> Assessment:
        """k, l and t of the pilot as it is, where nothing was treated."""
        ...

    def gather(self, people: ReleasePeople) -> Gather:
        """What takes the parts of a file that is not in memory."""
        ...

    def written(self, files: Mapping[str, bytes | Path]) -> contextlib.AbstractContextManager[Path]:
        """A folder that holds the package as long as the block lasts."""
        ...

    def opened(self, folder: Path, released: ReleasedStudy) -> dict[str, SourceTable]:
        """The data sets of the package, read again."""
        ...

    def merged(self, tables: Mapping[str, SourceTable], made: Made, promised: Assessment) -> MergedPackage:
        """The package merged by door 1 and evaluated; rows on disk are not asked for afterwards."""
        ...


def working_on(step: StepInput, treated: TreatedPilot | None) -> Working:
    """How a release of this pilot works: as the engine of the run has its records."""
    return FromDisk(step, treated) if isinstance(_table_of(step), TableOnDisk) else InMemory(step, treated)


def _table_of(step: StepInput) -> pd.DataFrame | TableOnDisk:
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

    def __init__(self, step: StepInput, treated: TreatedPilot | None):
        self._step, self._treated = step, treated
        self.read: Read = step.files.read

    def ids(self) -> pd.Series:
        return self._step.dataset.subjects

    def kept(self) -> np.ndarray:
        return np.arange(self._step.dataset.n_subjects) if self._treated is None else self._treated.kept

    def recoded(self, kept: np.ndarray) -> dict[str, RecodedColumn]:
        if self._treated is None:
            return {}
        return recoded_columns(self._step.dataset.typed_table.reset_index(drop=True), self._treated.frame, kept)

    def promised(self) -> Assessment:
        return evaluate_treated(self._step.dataset.typed_table, self._step.assessment.config, as_released=True)

    def gather(self, people: ReleasePeople) -> Gather:
        return the_one

    def written(self, files: Mapping[str, bytes | Path]) -> contextlib.AbstractContextManager[Path]:
        at_hand = {name: content for name, content in files.items() if isinstance(content, bytes)}
        return written_aside(self._step.folder / RESULTS_FOLDER, at_hand)

    def opened(self, folder: Path, released: ReleasedStudy) -> dict[str, SourceTable]:
        return opened_again(folder)

    def merged(self, tables: Mapping[str, SourceTable], made: Made, promised: Assessment) -> MergedPackage:
        as_merged = merged_again(made.rule, made.merge, tables).frame
        frame = typed(as_merged, self._step)
        found = evaluate_treated(frame, promised.config, as_released=True)
        leaving = leaving_of(
            frame,
            found,
            self._step.assessment,
            self._step.dataset.typed_table,
            made.released,
            made.people,
            made.release,
            made.days,
            made.harmless,
            made.rule.column,
        )
        return MergedPackage(found, frame[SUBJECT_COLUMN], found.classes.class_of_record, leaving, as_merged)


def typed(merged: pd.DataFrame, step: StepInput) -> pd.DataFrame:
    """The merged package with columns typed as those of the pilot are, as far as they still can be."""
    numbers = {
        str(name): numbers_of(merged[name])
        for name, column in step.dataset.frame.items()
        if name in merged and column.dtype.kind == "f" and holds_numbers(merged[str(name)])
    }
    return merged.assign(**numbers)


class FromDisk:
    """Records on disk; of each person the id, the pseudonym and what was recoded are in memory. See ``Working``."""

    def __init__(self, step: StepInput, treated: TreatedPilot | None):
        people, table = step.assessment.people, _table_of(step)
        assert isinstance(people, PeopleOnDisk)
        assert isinstance(table, TableOnDisk)
        assert treated is None or isinstance(treated, TreatedOnDisk)
        self._step, self._treated = step, treated
        self._original = RecordsOnDisk.of(people, table) if treated is None else treated.original
        self._limits = people.put_aside[3]
        self._folder = self._original.new_folder()
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

    def ids(self) -> pd.Series:
        return self._original.ids()

    def kept(self) -> np.ndarray:
        if self._treated is None:
            return np.arange(self._original.n_people)
        return Dictionary(self._original.ids()).positions(self._treated.records.ids())

    def recoded(self, kept: np.ndarray) -> dict[str, RecodedColumn]:
        if self._treated is None:
            return {}
        records, values = self._treated.records, self._treated.values
        found = {}
        for name, column in self._original.columns.items():
            before = labels(column.values)[self._original.places(name)]
            after = labels(values[name])[records.places(name)] if name in values else None
            if (one := recoded_column(name, before, after, kept)) is not None:
                found[name] = one
        return found

    def promised(self) -> Assessment:
        values = {name: column.values for name, column in self._original.columns.items()}
        return self._evaluated(self._original, values, self._step.assessment.config)

    def _evaluated(self, records: RecordsOnDisk, values: Mapping[str, pd.Series], config: PilotConfig) -> Assessment:
        adapted = dataclasses.replace(config_of(values, config), binning_config={})
        return evaluate(records.counted_as(adapted, values), adapted)

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
        return self._original.new_folder()

    def merged(self, tables: Mapping[str, SourceTable], made: Made, promised: Assessment) -> MergedPackage:
        merging = working_in(self._new_folder(), self._step.folder / RESULTS_FOLDER, self._limits.domains)
        combined = merged_again(made.rule, made.merge, tables, merging)
        records = records_of(combined, self._new_folder(), self._limits)
        values = {name: self._typed(name, records) for name in records.columns}
        found = self._evaluated(records, values, promised.config)
        assert isinstance(found.people, PeopleOnDisk)
        classes = np.concatenate([np.zeros(0, dtype=np.int32), *found.people.classes_of_blocks()])
        leaving = leaving_from_disk(
            records,
            values,
            found,
            self._step.assessment,
            self._original,
            made.released,
            made.people,
            made.release,
            made.days,
            made.harmless,
        )
        return MergedPackage(found, records.ids(), classes, leaving, None)

    def _typed(self, name: str, records: RecordsOnDisk) -> pd.Series:
        """The values of a merged column, typed as the pilot's are, as far as they still can be."""
        column = records.columns[name]
        values = occurring(column.values, column.people)
        config, before = self._step.assessment.config, self._original.columns.get(name)
        has_role = name in config.quasi_identifiers + config.sensitive_features
        if has_role and before is not None and before.values.dtype.kind == "f" and holds_numbers(values):
            return pd.Series(numbers_of(values), values.index, name=name)
        return values
