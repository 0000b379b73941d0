"""Where a release works: on all records in memory, or from disk, where large domain files go part by part."""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from config import RESULTS_FOLDER
from disclosure_control.records.merging import domain_files, working_in
from disclosure_control.records.records import EncodedRecords
from disclosure_control.records.spill import stop_without_room
from disclosure_control.release.deidentify import Keep, at_hand
from disclosure_control.release.large_files import file_by_size, kept_by_size, read_for_release
from disclosure_control.release.merged import records_of
from disclosure_control.release.package import merged_again
from disclosure_control.release.study import MakeFile, StudyFile
from disclosure_control.run.results import written_aside
from disclosure_control.steps.release.settings import ReleaseSettings
from disclosure_control.steps.running import StepInput
from disclosure_control.treatments.treated_pilot import TreatedPilot
from study.formats.files import read_domain_file
from study.formats.tables import SourceTable
from study.merge.combine import IN_MEMORY, MergeResources
from study.merge.reading import Read
from study.merge.settings import MergeSettings
from study.merge.subject_ids import SubjectIdRule

SPILL_PER_BYTE = 2.5  # about what is put aside by each byte of the large domain files, the released ones among it


def _nothing_put_aside() -> None:
    return None


@dataclass(frozen=True)
class Working:
    """How a release gets at the ``original`` records of a pilot, of its domain files and of the package.

    How files are ``read`` and ``read_again``, ``made`` files of the study, and how their parts are ``kept`` until they
    are written. Of a table that is not at hand ``most_rows`` are searched together. ``new_folder`` gives one for what
    is put aside, None where nothing is.
    """

    original: EncodedRecords
    read: Read
    read_again: Read = read_domain_file
    made: MakeFile = StudyFile
    kept: Keep = at_hand
    merging: Callable[[], MergeResources] = lambda: IN_MEMORY
    most_rows: int = sys.maxsize
    new_folder: Callable[[], Path | None] = _nothing_put_aside

    def merged(self, tables: Mapping[str, SourceTable], rule: SubjectIdRule, settings: MergeSettings) -> EncodedRecords:
        """A package merged by door 1; rows on disk are not asked for afterwards."""
        combined = merged_again(rule, settings, tables, self.merging())
        return records_of(combined, self.new_folder(), self.original.limits)


def working_on(step: StepInput[ReleaseSettings], treated: TreatedPilot | None) -> Working:
    """How a release of this pilot works: as its records are at hand or put aside."""
    original = step.dataset.records() if treated is None else treated.original
    if original.folder is None:
        return Working(original, step.files.read)
    results, limits, folder = step.folder / RESULTS_FOLDER, original.limits.domains, original.new_folder()
    sizes = [path.stat().st_size for path in domain_files(step.folder)]
    stop_without_room(results, SPILL_PER_BYTE * sum(size for size in sizes if size >= limits.large_bytes))
    rule = step.assessment.config.of(SubjectIdRule)
    read = functools.partial(read_for_release, rule=rule, folder=folder, limits=limits)
    return Working(
        original,
        read,
        read,
        functools.partial(file_by_size, rule=rule, limits=limits),
        functools.partial(kept_by_size, folder=folder),
        lambda: working_in(original.new_folder(), results, limits),
        original.limits.rows_at_hand,
        original.new_folder,
    )


@contextlib.contextmanager
def written(files: Mapping[str, bytes | Path], folder: Path | None, results: Path) -> Iterator[Path]:
    """A folder that holds the package as long as the block lasts: that into which large files were written, if any."""
    at_hand = {name: content for name, content in files.items() if isinstance(content, bytes)}
    if folder is None:
        with written_aside(results, at_hand) as aside:
            yield aside
        return
    for name, content in at_hand.items():
        (folder / name).touch(mode=0o600)
        (folder / name).write_bytes(content)
    yield folder
