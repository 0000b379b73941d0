"""The whole study of a pilot: every domain file, joined or not, and whose record each row is."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.dictionary import Dictionary
from disclosure_control.basics.telling.faults import FaultyInputError, stop_at
from disclosure_control.basics.telling.progress import going_through
from disclosure_control.release.people import ReleasePeople
from disclosure_control.release.whole_domains import with_pooled_files, with_whole_domains
from study.columns.decisions import with_decisions
from study.formats.files import Read, files_of, find_domain_files, read_domain_file
from study.formats.messages import NO_RECORDS, has_no_records
from study.formats.registry import writers_by_name
from study.formats.rows_of_people import SUBJECT, RowsOfPeople
from study.formats.tables import GZIP_SUFFIX, SourceTable, Through, domain_of, stem_of, suffix_of
from study.merge.ages import with_ages
from study.merge.people import with_persons
from study.merge.reading import chosen_files, with_sdtm_names
from study.merge.settings import MergeSettings
from study.merge.state import MergeState
from study.merge.subject_ids import SubjectIdRule, read_subjects
from study.models.registry import study_model
from study.models.roles import TableKind
from study.models.sdtm import domain_of_table
from study.models.study_model import StudyModel

# The person of a row that belongs to no subject of the pilot.
NOBODY, STRANGER = -1, -2
RELATIONS = {"IDVAR", "IDVARVAL"}
CODED_BY_PARAMETER = ("SC", "TS", "DI")  # domains whose rows are variables, named by a code
DEFINITION = "define.xml"  # describes the source; what leaves has one of its own


def related_domains(frame: pd.DataFrame, domain: str) -> pd.Series:
    """The domain that each row (n_rows,) of a relation refers to: that of its file, where the rows name none."""
    return frame["RDOMAIN"] if "RDOMAIN" in frame else pd.Series(domain, frame.index, dtype="str")


@dataclass(frozen=True)
class _Division:
    """The rows by parts of people: the person at each place, where the parts start, and of whom they were divided."""

    rows: RowsOfPeople
    person: np.ndarray
    starts: np.ndarray
    stays: np.ndarray
    rank: np.ndarray

    def has(self, people: ReleasePeople) -> bool:
        """Whether everybody who stays is in it, in the same order."""
        return bool(np.array_equal(self.rank, people.rank) and not (people.stays & ~self.stays).any())


@dataclass(frozen=True)
class StudyFile:
    """One domain file: its ``table``, the people of its rows, and the name of its format.

    ``people`` (n_ids,), for the ids in ``id_column``, are positions in the pilot's subjects: ``NOBODY`` if a row names
    none (trial design, a relation of whole data sets), ``STRANGER`` if it names a subject that is not in the combined
    dataset. ``domain`` is that of the variables: LB for LBCH and for SUPPLB. It is read in parts of about
    ``rows_per_part`` if its rows are not in memory. ``is_supplemental``: its rows are variables of another data set.
    """

    table: SourceTable
    domain: str
    people: np.ndarray
    written_as: str
    id_column: str | None = None
    rows_per_part: int = sys.maxsize
    is_supplemental: bool = False
    _divided: list[_Division] = field(default_factory=list, repr=False)

    @property
    def name(self) -> str:
        """The data set's name: the stem of its file in capitals."""
        return self.table.domain

    @property
    def stem(self) -> str:
        """The name of its file without the suffix, or of its sheet; the data set's, if neither says which it is."""
        path = Path(self.table.file_name)
        return stem_of(path) if domain_of(path) == self.name else self.name.lower()

    @property
    def is_packed(self) -> bool:
        """Whether it came packed by gzip."""
        return suffix_of(self.table.file_name).endswith(GZIP_SUFFIX)

    def parts(self, people: ReleasePeople) -> Iterator[StudyFile]:
        """The rows of those who stay, part by part in the order of the pseudonyms; those of nobody come last."""
        division = self.divided(people)
        for start, stop in zip(division.starts, [*division.starts[1:], len(division.person)], strict=True):
            frame = division.rows.part(int(start), int(stop))
            person = division.person[start + frame[SUBJECT].to_numpy()]
            given = {one.name: getattr(self.table, one.name) for one in dataclasses.fields(SourceTable)}
            table = SourceTable(**(given | {"frame": frame.drop(columns=SUBJECT)}))
            yield StudyFile(table, self.domain, person, self.written_as, is_supplemental=self.is_supplemental)

    def divided(self, people: ReleasePeople) -> _Division:
        """The rows divided into parts of people; those of the last time, if everybody who stays is in them."""
        if not (self._divided and self._divided[0].has(people)):
            self._divided[:] = [self._division(people)]
        return self._divided[0]

    def rows_of_parts(self) -> np.ndarray:
        """Where the rows stood of which the parts were made, all in memory: their places count within these rows."""
        stays = self._divided[0].stays if self._divided else np.zeros(0, dtype=bool)
        return np.flatnonzero((self.people != STRANGER) & np.append(stays, True)[np.maximum(self.people, NOBODY)])

    def _division(self, people: ReleasePeople) -> _Division:
        n_people = len(people.ids)
        place = np.append(np.where(people.stays, people.rank[:-1], -1), n_people)  # of nobody, -1, the last
        of_id = np.where(self.people == STRANGER, -1, place[np.maximum(self.people, NOBODY)])
        starts = self.table.starts_of_parts(n_people + 1, self.rows_per_part)
        person = np.append(np.argsort(people.rank[:-1]), NOBODY)
        rows = self.table.of_people(of_id, self.id_column)
        return _Division(rows, person, starts, people.stays, people.rank)


@dataclass(frozen=True)
class Study:
    """The files of a pilot in the order of their names, and those that are not released, each with its reason.

    ``model``: what its tables and columns are. ``inputs``: the SHA-256 of the files that were read. ``withheld`` are
    those that the config leaves out: no stage sees them, and they are in a model of their own.
    """

    files: tuple[StudyFile, ...]
    left_out: dict[str, str]
    model: StudyModel
    inputs: Mapping[str, str] = field(default_factory=dict)
    withheld: tuple[StudyFile, ...] = ()
    model_with_withheld: StudyModel | None = None

    @property
    def whole(self) -> StudyModel:
        """What all tables and columns of the study are, as it came in."""
        return self.model_with_withheld or self.model


def _n_bytes(path: Path) -> int:
    return sum(one.stat().st_size for one in files_of(path))


def read_study(
    folder: Path,
    subjects: pd.Series,
    rule: SubjectIdRule,
    settings: MergeSettings,
    leave_out: Sequence[str] = (),
    read: Read = read_domain_file,
    rows_per_part: int = sys.maxsize,
) -> Study:
    """Every domain file of the pilot's ``folder``, also those that the merge ignores, but for those to ``leave_out``.

    ``subjects`` (n_people,) are the ids of the combined dataset, after the ``rule``. Files are read as the merge
    reads them, and taken in parts of about ``rows_per_part``. Raises ``FaultyInputError`` with the faults of all files
    at once.
    """
    found = find_domain_files(folder, settings.files, rule.column)
    left_out = {name: why for name, why in found.left_out.items() if name.lower() != DEFINITION}
    faults: list[str] = []
    tables: list[SourceTable] = []
    ids = Dictionary(subjects.astype("str"))
    ages = {domain: age for domain, age in settings.age.items() if domain not in leave_out}
    withheld: list[SourceTable] = []
    to_read = {age.at.partition(".")[0] for age in ages.values()}  # also of tables that stay
    to_read |= {one.person.through for one in settings.files.values() if isinstance(one.person, Through)}
    each = list(found.by_domain.items())
    for domain, path in going_through("Reading the study", each, lambda one: _n_bytes(one[1]), "bytes"):
        if domain in leave_out:
            left_out[path.name] = "left out by the config"
        if domain == "DEFINE":
            left_out[path.name] = "describes the source"
            continue
        try:
            table = read(path, settings.options_of(domain, rule.column))
        except FaultyInputError as error:
            if has_no_records(error, path):
                left_out[path.name] = NO_RECORDS
            elif domain in leave_out and domain not in to_read:
                left_out[path.name] = "left out by the config, and cannot be read"
            else:
                faults += list(error.faults)
            continue
        table = with_sdtm_names(table, rule)
        if domain in leave_out:
            withheld.append(table)
        if domain not in leave_out or domain in to_read:
            tables.append(table)
    stop_at(faults)
    state = MergeState(rule, settings)
    chosen = chosen_files(tables, state)
    tables, pooled = with_pooled_files(chosen)
    left_out |= state.left_out | pooled
    tables = with_persons(tables, settings.files, rule, settings.unknown_subjects)
    tables = [table for table in with_ages(tables, ages, rule) if table.domain not in leave_out]

    def model_of(some: Sequence[SourceTable]) -> StudyModel:
        return with_decisions(study_model(some, rule.column, settings.model), settings.columns)

    model = model_of(tables)
    legends = {name: known.reason for name, known in model.tables.items() if known.kind is TableKind.LEGEND}
    left_out |= {table.file_name: legends[table.domain] for table in tables if table.domain in legends}
    kept = [table for table in tables if table.domain not in legends]
    not_in_it = {*legends, *leave_out}
    inputs = {table.file_name: table.sha256 for table in chosen if table.domain not in not_in_it}
    kept, joined = with_whole_domains(kept, model, rule.column, settings.ignore)
    if joined:
        left_out |= joined
        model = model_of([*kept, *(table for table in tables if table.domain in legends)])
    whole = model_of([*kept, *withheld]) if withheld else None
    files = tuple(_study_file(table, model, rule, ids, rows_per_part) for table in kept)
    gone = tuple(_study_file(table, whole or model, rule, ids, rows_per_part) for table in withheld)
    return Study(files, left_out, model, inputs, gone, whole)


def _study_file(
    table: SourceTable, model: StudyModel, rule: SubjectIdRule, ids: Dictionary, rows_per_part: int
) -> StudyFile:
    own = table.source_ids(rule.column)[0].to_frame() if rule.column in table.frame else table.frame
    known = model.table(table.domain)
    is_supplemental = known is not None and known.kind is TableKind.SUPPLEMENTAL and "QVAL" in known.columns
    kind = table.written_as or table_format(suffix_of(table.file_name))
    people = people_of_rows(own, rule, ids)
    domain = model.domain(table.domain)
    return StudyFile(table, domain, people, kind, rule.column, rows_per_part, is_supplemental)


def is_divisible(table: SourceTable, rule: SubjectIdRule) -> bool:
    """Whether a file can be released person by person.

    Relations cannot, nor files whose rows are variables of the study or that name no subject.
    """
    columns = set(with_sdtm_names(table, rule).frame)
    is_of_variables = columns >= RELATIONS or domain_of_table(table) in CODED_BY_PARAMETER
    return rule.column in columns and not is_of_variables


def table_format(suffix: str) -> str:
    """The name under which a file that came with this suffix is written again; CSV where its format has no writer."""
    name = suffix.removesuffix(GZIP_SUFFIX).removeprefix(".")
    return name if name in writers_by_name() else "csv"


def people_of_rows(frame: pd.DataFrame, rule: SubjectIdRule, ids: Dictionary) -> np.ndarray:
    """Whose record each row (n_rows,) is: the position in ``ids``, ``NOBODY`` or ``STRANGER``."""
    if rule.column is not None and rule.column not in frame:
        return np.full(len(frame), NOBODY)
    read = read_subjects(frame, rule)
    position = ids.positions(read.ids.astype("str"))
    position = np.where(position < 0, STRANGER, position)
    return np.append(position, NOBODY)[read.code]
