"""Domain files that do not fit in memory: taken by parts of their people, and put aside as they leave."""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from disclosure_control.records.merging import MergeLimits, SpilledFrames, people_per_part, read_by_size
from disclosure_control.records.spill import SpilledArrays
from disclosure_control.release.deidentify import KeptParts, ReleasedRows, at_hand
from disclosure_control.release.people import ReleasePeople
from disclosure_control.release.rows_as_variables import CODED_BY_PARAMETER
from disclosure_control.release.study import NOBODY, STRANGER, StudyFile
from study.formats.delimited_guesses import USUAL_DELIMITERS
from study.formats.files import read_domain_file
from study.formats.tables import FileOptions, SourceTable, suffix_of
from study.merge.belonging import domain_of_table
from study.merge.large_tables import RowsOfPeople, rows_of_people
from study.merge.reading import with_sdtm_names
from study.merge.subject_ids import SUBJECT, SubjectIdRule

RELATIONS = {"IDVAR", "IDVARVAL"}


def read_for_release(
    path: Path, options: FileOptions, rule: SubjectIdRule, folder: Path, limits: MergeLimits
) -> SourceTable:
    """A domain file, its rows put aside in a ``folder`` where it is large and can be divided by person.

    Whole are what is packed or no delimited text, supplements, relations, and files whose rows are variables of the
    study or that name no subject.
    """
    if suffix_of(path) not in USUAL_DELIMITERS:
        return read_domain_file(path, options)
    table = read_by_size(path, options, Path(tempfile.mkdtemp(dir=folder)), limits)
    if not table.is_at_hand:
        columns = set(with_sdtm_names(table, rule).frame)
        if rule.column not in columns or columns >= RELATIONS or domain_of_table(table) in CODED_BY_PARAMETER:
            return read_domain_file(path, options)
    return table


# ---------------------------------------------------------------- as it came


@dataclass
class _Division:
    """The rows by parts of people, once they are divided: the person at each place, and where the parts start."""

    rows: RowsOfPeople
    person: np.ndarray
    starts: np.ndarray


@dataclass(frozen=True)
class LargeStudyFile(StudyFile):
    """A file whose rows are on disk; ``people`` are those of its distinct ids. See ``StudyFile``."""

    rule: SubjectIdRule = SubjectIdRule()  # noqa: RUF009
    limits: MergeLimits = MergeLimits()  # noqa: RUF009
    _divided: list[_Division] = field(default_factory=list, repr=False)

    def parts(self, people: ReleasePeople) -> Iterator[StudyFile]:
        """The rows of those who stay, part by part in the order of the pseudonyms; those of nobody come last."""
        if not self._divided:
            self._divided.append(self._division(people))
        (division,) = self._divided
        for start, stop in zip(division.starts, [*division.starts[1:], len(division.person)], strict=True):
            frame = division.rows.part(int(start), int(stop))
            person = division.person[start + frame.pop(SUBJECT).to_numpy()]
            yield StudyFile(self._with(frame), self.domain, person, self.written_as)

    def _division(self, people: ReleasePeople) -> _Division:
        n_people = len(people.ids)
        place = np.append(np.where(people.stays, people.rank[:-1], -1), n_people)  # of nobody, -1, the last
        of_id = np.where(self.people == STRANGER, -1, place[np.maximum(self.people, NOBODY)])
        starts = np.arange(0, n_people + 1, people_per_part(n_people + 1, [self.table], self.limits))
        person = np.append(np.argsort(people.rank[:-1]), NOBODY)
        return _Division(rows_of_people(self.table, of_id, starts, self.rule.column), person, starts)

    def _with(self, frame: pd.DataFrame) -> SourceTable:
        given = {one.name: getattr(self.table, one.name) for one in dataclasses.fields(SourceTable)}
        return SourceTable(**(given | {"frame": frame}))


# ---------------------------------------------------------------- as it leaves


class PartsOnDisk:
    """Parts of a file as it leaves, put aside in a ``folder``: put all, then iterate as often as needed."""

    def __init__(self, folder: Path, file: StudyFile):
        folder.mkdir(mode=0o700)
        self._frames = SpilledFrames(folder / "rows", folder.parent, file.table.n_rows)
        self._places = SpilledArrays(folder / "places")

    def append(self, part: ReleasedRows, /) -> None:
        """Put one more part. Raises ``FaultyInputError`` where the disk has less room than all parts take."""
        self._frames.append(part.frame)
        self._places.append(part.rows)
        self._places.append(part.people)

    def __iter__(self) -> Iterator[ReleasedRows]:
        places = iter(self._places)
        for frame in self._frames:
            yield ReleasedRows(frame, next(places), next(places))


def kept_by_size(file: StudyFile, folder: Path) -> KeptParts:
    """Where the parts of a file are kept: on disk where its rows are there, too."""
    return at_hand(file) if file.table.is_at_hand else PartsOnDisk(folder / f"released_{file.name}", file)


def file_by_size(
    table: SourceTable, domain: str, people: np.ndarray, written_as: str, rule: SubjectIdRule, limits: MergeLimits
) -> StudyFile:
    """The file of the study that a table is."""
    if table.is_at_hand:
        return StudyFile(table, domain, people, written_as)
    return LargeStudyFile(table, domain, people, written_as, rule, limits)
