"""Domain files that do not fit in memory: taken by parts of their people, and written part by part as they leave."""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.dictionary import Dictionary
from disclosure_control.basics.telling.progress import progress
from disclosure_control.records.merging import MergeLimits, people_per_part, read_by_size
from disclosure_control.records.spill import SpilledArrays, stop_without_room
from disclosure_control.release.accounts import Account
from disclosure_control.release.columns_seen import ColumnSeen
from disclosure_control.release.deidentify import ReleasedFile, RowsOfSource
from disclosure_control.release.people import ReleasePeople
from disclosure_control.release.rows_as_variables import CODED_BY_PARAMETER
from disclosure_control.release.study import NOBODY, STRANGER, StudyFile, people_of_rows
from disclosure_control.run.tables import harmless
from study.formats.delimited_guesses import USUAL_DELIMITERS
from study.formats.files import read_domain_file
from study.formats.outgoing import FileWriter
from study.formats.registry import writers_by_name
from study.formats.tables import FileOptions, SourceTable, suffix_of
from study.merge.belonging import domain_of_table
from study.merge.large_tables import LargeTable, RowsOfPeople
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
    if isinstance(table, LargeTable):
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

    table: LargeTable
    rule: SubjectIdRule = SubjectIdRule()  # noqa: RUF009
    limits: MergeLimits = MergeLimits()  # noqa: RUF009
    _divided: list[_Division] = field(default_factory=list, repr=False)

    @classmethod
    def of(
        cls, table: LargeTable, domain: str, rule: SubjectIdRule, ids: Dictionary, written_as: str, limits: MergeLimits
    ) -> LargeStudyFile:
        """The file of a table; ``ids`` are those of the pilot's people."""
        own, _ = table.source_ids(rule.column)
        return cls(table, domain, people_of_rows(own.to_frame(), rule, ids), written_as, rule, limits)

    @property
    def is_large(self) -> bool:
        """Its rows are not at hand."""
        return True

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
        return _Division(self.table.of_people(of_id, starts, self.rule.column), person, starts)

    def _with(self, frame: pd.DataFrame) -> SourceTable:
        given = {one.name: getattr(self.table, one.name) for one in dataclasses.fields(SourceTable)}
        return SourceTable(**(given | {"frame": frame}))


# ---------------------------------------------------------------- as it leaves


@dataclass(frozen=True)
class LargeReleasedFile(ReleasedFile):
    """A file that was written to ``path`` part by part: ``frame`` has its columns and no row, ``people`` each once.

    ``spilled`` holds, part by part, the places of the rows in the source's part, and their people.
    """

    path: Path = Path()
    of_parts: Sequence[int] = ()
    seen: Mapping[str, ColumnSeen] = field(default_factory=dict)
    of_devices: frozenset[str] = frozenset()
    spilled: SpilledArrays | None = None
    of_people: ReleasePeople | None = None

    @property
    def n_records(self) -> int:
        """How many rows it has."""
        return sum(self.of_parts)

    @property
    def lengths(self) -> Sequence[int]:
        """How many rows come of each part."""
        return self.of_parts

    @property
    def devices(self) -> set[str]:
        """The devices that its rows name."""
        return set(self.of_devices)

    @property
    def columns_seen(self) -> Mapping[str, ColumnSeen]:
        """What is told of its columns beside their values."""
        return self.seen

    @property
    def beside_source(self) -> Iterator[RowsOfSource]:
        """The rows of the source that it was made of, part by part."""
        assert self.spilled is not None
        assert self.of_people is not None
        arrays = iter(self.spilled)
        for part in self.source.parts(self.of_people):
            yield RowsOfSource(part.table.frame, next(arrays), next(arrays))


@dataclass(frozen=True)
class Written:
    """Writes files part by part into the ``folder`` of the package, by the writer of ``format_name``, or their own.

    What is kept of them besides is put aside in the folder ``aside``.
    """

    folder: Path
    aside: Path
    people: ReleasePeople
    format_name: str | None

    def gather(self, file: StudyFile, parts: Iterable[ReleasedFile]) -> ReleasedFile:
        """The file as it leaves, written. Raises ``FaultyInputError`` where the disk has less room than it takes."""
        writer = writers_by_name()[self.format_name or file.written_as]
        assert writer.write_rows is not None  # of delimited text alone the rows are not at hand
        path = self.folder / f"{file.stem}{writer.suffix}"
        path.touch(mode=0o600)
        gathered = _Gathered(len(self.people.ids))
        spilled = SpilledArrays(self.aside / f"places_{path.name}")
        with path.open("wb") as written, progress(f"Writing {path.name}", file.table.n_rows, "rows") as advance:
            for part in parts:
                if len(part.frame.columns):
                    written.write(_rows(writer, part.frame, has_header=not gathered.lengths))
                spilled.append(part.rows)
                spilled.append(part.people)
                gathered.add(part)
                advance(len(part.source.table.frame))
                stop_without_room(self.aside, written.tell() * (1 + gathered.share_to_come(file.table.n_rows)))
        if not gathered.n_records or gathered.nothing is None or not len(gathered.nothing.columns):
            path.unlink()
        return LargeReleasedFile(
            file,
            pd.DataFrame() if gathered.nothing is None else gathered.nothing,
            np.zeros(0, dtype=np.int64),
            gathered.people,
            tuple(gathered.accounts),
            path,
            tuple(gathered.lengths),
            gathered.seen,
            frozenset(gathered.devices),
            spilled,
            self.people,
        )


def _rows(writer: FileWriter, frame: pd.DataFrame, has_header: bool) -> bytes:
    assert writer.write_rows is not None
    return writer.write_rows(harmless(frame) if writer.opened_by_spreadsheets else frame, has_header)


class _Gathered:
    """What is kept of the parts of a file beside their rows."""

    def __init__(self, n_people: int):
        self.nothing: pd.DataFrame | None = None
        self.lengths: list[int] = []
        self.seen: dict[str, ColumnSeen] = {}
        self.devices: set[str] = set()
        self.accounts: list[Account] = []
        self._n_of_source = 0
        self._has_rows = np.zeros(n_people + 1, dtype=bool)

    def add(self, part: ReleasedFile) -> None:
        """Take one more part in."""
        if self.nothing is None:
            self.nothing, self.accounts = part.frame.iloc[:0], list(part.accounts)
        else:
            self.accounts = [_added(*both) for both in zip(self.accounts, part.accounts, strict=True)]
        self.lengths.append(part.n_records)
        self.devices |= part.devices
        self._has_rows[part.people] = True
        self._n_of_source += len(part.source.table.frame)
        for name, column in part.frame.items():
            self.seen[str(name)] = self.seen.get(str(name), ColumnSeen()).after(column, part.people)

    @property
    def n_records(self) -> int:
        return sum(self.lengths)

    @property
    def people(self) -> np.ndarray:
        """Who has rows, each once, ``NOBODY`` last."""
        people = np.flatnonzero(self._has_rows)
        return np.where(people == len(self._has_rows) - 1, NOBODY, people)

    def share_to_come(self, n_rows: int) -> float:
        """How many times as many rows come as came, at most."""
        return (n_rows - self._n_of_source) / max(self._n_of_source, 1)


def _added(one: Account, other: Account) -> Account:
    return replace(one, n_values=one.n_values + other.n_values, n_lost=one.n_lost + other.n_lost)


def large_file(limits: MergeLimits) -> partial[LargeStudyFile]:
    """What makes a file of the study of a table whose rows are on disk."""
    return partial(LargeStudyFile.of, limits=limits)
