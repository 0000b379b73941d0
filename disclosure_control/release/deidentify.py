"""Every file of a study after the operations: rows of people who stay, columns by the table, one account per column."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
import pandas as pd

from disclosure_control.basics.kept import Kept
from disclosure_control.basics.telling.progress import going_through, progress
from disclosure_control.release.accounts import GONE, Account, Decisions, operation_of_column
from disclosure_control.release.columns import COLUMN_OPERATIONS, Rows, treated
from disclosure_control.release.columns_seen import ColumnSeen
from disclosure_control.release.people import BY_TREATMENT, RecodedColumn, ReleasePeople
from disclosure_control.release.recodings import folded_columns, with_folded_columns
from disclosure_control.release.rows_as_variables import RecodedRowsPlan, by_parameter, planned, supplemental
from disclosure_control.release.study import NOBODY, RELATIONS, STRANGER, Study, StudyFile, related_domains
from disclosure_control.remedy.treatments.keys import Release
from disclosure_control.remedy.treatments.methods.shift_dates import REMOVE_TIMES
from study.models.study_model import StudyModel
from study.operations import OperationKind, OperationRule


class ReleasedRows(NamedTuple):
    """Rows as they leave: a ``frame`` (n_rows, n_columns), and of each row its place in the source and its person."""

    frame: pd.DataFrame
    rows: np.ndarray
    people: np.ndarray

    def where(self, kept: np.ndarray) -> ReleasedRows:
        """Some of them, (n_rows,) of bool."""
        return ReleasedRows(self.frame[kept].reset_index(drop=True), self.rows[kept], self.people[kept])


class Overview(NamedTuple):
    """Facts about all rows of a file: its ``columns`` without rows, and the number of rows in each part.

    ``people`` are those with rows, each once; ``devices`` those that rows name.
    """

    columns: pd.DataFrame
    lengths: list[int]
    people: np.ndarray
    devices: set[str]


@dataclass(frozen=True)
class ReleasedFile:
    """One file as it leaves, in ``parts`` of some people each: all in one where they are in memory."""

    source: StudyFile
    parts: Iterable[ReleasedRows] = field(repr=False)
    accounts: tuple[Account, ...]

    @cached_property
    def overview(self) -> Overview:
        """Facts about all its rows together."""
        columns = pd.DataFrame()
        found = Overview(columns, [], np.zeros(0, dtype=np.int64), set())
        people: list[np.ndarray] = []
        for part in self.parts:
            columns = part.frame.iloc[:0]
            found.lengths.append(len(part.rows))
            people.append(np.unique(part.people))
            found.devices.update(part.frame["SPDEVID"].dropna() if "SPDEVID" in part.frame else ())
        return found._replace(columns=columns, people=np.unique(np.concatenate([found.people, *people])))

    def with_overview_of(self, before: ReleasedFile, changed: Collection[str]) -> ReleasedFile:
        """The same file, if only values of the ``changed`` columns differ from ``before``: the others are not asked."""
        vars(self)["overview"], vars(self)["seen"] = before.overview, before.seen | self._seen_in(changed)
        return self

    @cached_property
    def seen(self) -> dict[str, ColumnSeen]:
        """The record of each column; no look of a trial asks for it."""
        return self._seen_in(map(str, self.columns))

    def _seen_in(self, names: Iterable[str]) -> dict[str, ColumnSeen]:
        found = {name: ColumnSeen() for name in names}
        for part in self.parts:
            found = {name: seen.after(part.frame[name], part.people) for name, seen in found.items()}
        return found

    @property
    def is_in_parts(self) -> bool:
        """Whether its rows are not all at hand."""
        return len(self.overview.lengths) > 1

    @property
    def n_records(self) -> int:
        return sum(self.overview.lengths)

    @property
    def why_nothing_leaves(self) -> str:
        """The reason for which such a file does not leave: it has no row, or none with a value. "" of all others."""
        if not self.n_records:
            return "no record of it is left"
        has_value = any(column.notna().any() for part in self.parts for _, column in part.frame.items())
        return "" if has_value else "no value of it is left"

    @property
    def columns(self) -> pd.DataFrame:
        """Its columns, without a row."""
        return self.overview.columns

    @property
    def has_people(self) -> bool:
        """Whether any row is that of somebody."""
        return bool((self.overview.people != NOBODY).any())

    @property
    def whole(self) -> ReleasedRows:
        """All rows of a file that is in one part."""
        (one,) = self.parts
        return one

    @property
    def frame(self) -> pd.DataFrame:
        """The frame (n_rows, n_columns) of a file that is in one part."""
        return self.whole.frame

    @property
    def people(self) -> np.ndarray:
        """The person of each row (n_rows,) of a file that is in one part."""
        return self.whole.people

    def where(self, is_kept: Callable[[pd.DataFrame], pd.Series | np.ndarray]) -> ReleasedFile:
        """The same file without the rows (n_rows,) of each part that are not kept."""
        return replace(self, parts=[part.where(np.asarray(is_kept(part.frame), dtype=bool)) for part in self.parts])

    def with_frame(self, frame: pd.DataFrame) -> ReleasedFile:
        """The same rows with other values, of a file that is in one part."""
        return replace(self, parts=[self.whole._replace(frame=frame)])


@dataclass(frozen=True)
class ReleasedStudy:
    """The files that leave by the name of their data set; ``left_out`` the others, each with its reason.

    ``unplaced`` are columns of the combined dataset that the treatment changed and that were found in no file.
    ``model``: what tables and columns are. ``unnamed``: names of files and variables that the recipient is not told.
    """

    files: dict[str, ReleasedFile]
    left_out: dict[str, str]
    accounts: tuple[Account, ...]
    unplaced: tuple[str, ...]
    model: StudyModel
    unnamed: frozenset[str] = frozenset()

    def with_files(self, files: Mapping[str, ReleasedFile], why: str = "") -> ReleasedStudy:
        """The study with other files; those of which nothing leaves are left out, each with the reason or ``why``."""
        reasons = {name: reason for name, file in files.items() if (reason := file.why_nothing_leaves)}
        left_out = self.left_out | {files[name].source.table.file_name: why or one for name, one in reasons.items()}
        return replace(self, files={name: files[name] for name in files if name not in reasons}, left_out=left_out)


def deidentify(
    study: Study,
    people: ReleasePeople,
    lines: Sequence[OperationRule],
    key: bytes,
    release: Release,
    times: str | tuple[str, ...] = REMOVE_TIMES,
    kept: Kept | None = None,
) -> ReleasedStudy:
    """Every released file of the study. ``lines`` override the table of operations; the key determines ids and offsets.
    Times of day are removed, or kept, or kept in the domains that ``times`` names. ``kept``: files in memory as they
    were released before, by all that decides over them.

    Rows of people who are removed, or who are not in the combined dataset, are in no file. Rows are sorted by person in
    the order of the pseudonyms, and keep their order within a person. A file is treated part by part, with all rows of
    a person in one part.
    """
    decisions = Decisions(people, lines, key, release, study.model, times=times)
    files: dict[str, ReleasedFile] = {}
    accounts: list[Account] = []
    left_out = dict(study.left_out)
    before = (kept or Kept()).of_files
    for file in going_through("De-identifying the files", study.files, lambda file: len(file.people), "rows"):
        find = partial(_released_and_placed, file, replace(decisions, placed=set()))
        is_in_memory = file.table.fits(0)
        released, placed, _ = before.of(_decided_over(file, decisions), find) if is_in_memory else find()
        decisions.placed |= placed
        accounts += released.accounts
        if not any(account.operation.operation != OperationKind.REMOVE_DATA_SET for account in released.accounts):
            left_out[file.table.file_name] = released.accounts[0].operation.reason
        else:
            files[file.name] = released
    made = ReleasedStudy({}, left_out, tuple(accounts), (), study.model).with_files(files)
    made = made.with_files(_with_relations(made.files, decisions))
    of_others = {name.partition(".")[0].upper() for name in made.left_out} - set(map(study.model.domain, made.files))
    unplaced = tuple(
        name
        for name, one in people.recoded.items()
        if name not in decisions.placed and one.reason == BY_TREATMENT and name.partition("__")[0] not in of_others
    )
    made = made.with_files(_without_lonely_devices(made.files))
    return replace(made.with_files(_with_dictionaries_cut(made.files, study.model)), unplaced=unplaced)


def _decided_over(file: StudyFile, decisions: Decisions) -> Hashable:
    """All that decides over a file, and the places of its rows."""
    people, names = decisions.people, {str(name) for name in file.table.frame}
    recoded = [
        (one.name, one.print if one.domain == file.domain or one.variable in names else b"")
        for one in people.recoded.values()
    ]
    undated = b"" if people.undated is None else people.undated.tobytes()
    whose = people.stays.tobytes(), people.offsets.tobytes(), undated, tuple(people.roles), tuple(recoded)
    by = decisions.key, decisions.release, decisions.times, repr(decisions.lines)
    return id(file.divided(people)), whose, by


def _released_and_placed(file: StudyFile, decisions: Decisions) -> tuple[ReleasedFile, set[str], object]:
    """A file as it leaves, and the recodings that were found in it; with the division that its rows are places of."""
    return _released(file, decisions), decisions.placed, file.divided(decisions.people)


def _released(file: StudyFile, decisions: Decisions) -> ReleasedFile:
    people = decisions.people
    plan = planned(file, (rows_that_leave(part, people)[1] for part in file.parts(people)), decisions)
    kept, accounts = file.table.pieces(ReleasedRows), list[Account]()
    with progress(f"De-identifying {file.table.file_name}", file.table.n_rows, "rows") as advance:
        for part in file.parts(people):
            rows, of_part = _released_part(part, plan, decisions)
            kept.append(rows)
            accounts = [_added(*both) for both in zip(accounts, of_part, strict=True)] if accounts else of_part
            advance(part.table.n_rows)
    return ReleasedFile(file, kept, tuple(accounts))


def _added(one: Account, other: Account) -> Account:
    counts = ("n_values", "n_lost", "n_partial", "n_times")
    return replace(one, **{name: getattr(one, name) + getattr(other, name) for name in counts})


def _released_part(file: StudyFile, plan: RecodedRowsPlan, decisions: Decisions) -> tuple[ReleasedRows, list[Account]]:
    rows, frame = rows_that_leave(file, decisions.people)
    people = file.people[rows]
    known = decisions.model.table(file.name)
    frame = with_folded_columns(frame, file.domain, known, decisions.people.recoded)
    given = Rows(people, frame, file.domain, decisions)
    frame, kept, accounts = supplemental(file, given) if file.is_supplemental else by_parameter(file, given, plan)
    rows, people, frame = rows[kept], people[kept], frame[kept].reset_index(drop=True)
    given = replace(given, people=people, frame=frame)
    columns = {}
    for name in frame:
        column, account = _column(str(name), file, given)
        accounts.append(account)
        if column is not None:
            columns[str(name)] = column
    return ReleasedRows(pd.DataFrame(columns, index=frame.index), rows, people), accounts


def rows_that_leave(file: StudyFile, people: ReleasePeople) -> tuple[np.ndarray, pd.DataFrame]:
    """Places of the rows (n_kept,) of people who stay, by pseudonym; those of nobody come last, as they came."""
    stays = np.append(people.stays, True)
    rows = np.flatnonzero((file.people != STRANGER) & stays[np.maximum(file.people, NOBODY)])
    rows = rows[np.argsort(people.rank[file.people[rows]], kind="stable")]
    return rows, file.table.frame.iloc[rows].reset_index(drop=True)


# ---------------------------------------------------------------- columns


def _column(name: str, file: StudyFile, given: Rows) -> tuple[pd.Series | None, Account]:
    """A column as released, None if it is removed, and its account."""
    n_values = int(given.frame[name].notna().sum())
    says = operation_of_column(name, file.domain, given.decisions)
    account = Account(file.name, file.domain, name, says, n_values=n_values)
    return treated(given.frame[name], file, given, account, _recoding_of(name, file, given.decisions))


def _recoding_of(name: str, file: StudyFile, decisions: Decisions) -> RecodedColumn | None:
    """The recoding of the variable of this name: the file's own, else that of the base (DM), which other files copy."""
    if file.is_supplemental:
        return None
    own = decisions.people.recoded.get(f"{file.domain}__{name}")
    of_base = f"{decisions.model.base}__{name}"
    return own or (decisions.people.recoded.get(of_base) if name not in ("STUDYID", "DOMAIN") else None)


# ---------------------------------------------------------------- what ties rows together


def _with_relations(files: dict[str, ReleasedFile], decisions: Decisions) -> dict[str, ReleasedFile]:
    """IDVARVAL of SUPP-- and RELREC is treated like the variable that IDVAR names; links to removed records are
    removed.
    """
    related = {
        name: replace(file, parts=[_related(part, file.source.domain, files, decisions) for part in file.parts])
        for name, file in files.items()
        if set(file.columns) >= RELATIONS
    }
    return {**files, **related}


def _related(
    given: ReleasedRows, domain_of_file: str, files: Mapping[str, ReleasedFile], decisions: Decisions
) -> ReleasedRows:
    frame = given.frame
    related = related_domains(frame, domain_of_file)
    value, kept = frame["IDVARVAL"].astype(object), np.ones(len(frame), dtype=bool)
    pairs = pd.DataFrame({"domain": related, "variable": frame["IDVAR"]}).dropna().drop_duplicates()
    for domain, variable in pairs.itertuples(index=False):
        at = (related.eq(domain) & frame["IDVAR"].eq(variable)).to_numpy(dtype=bool)
        says = operation_of_column(variable, domain[:2], decisions)
        rows = Rows(given.people[at], frame[at], domain[:2], decisions)
        if says.operation in GONE or not _leaves(domain, variable, files):
            kept[at] = False
        elif says.operation in COLUMN_OPERATIONS:
            column = frame["IDVARVAL"][at].rename(variable)
            value[at] = COLUMN_OPERATIONS[says.operation](column, rows).column.to_numpy()
    return given._replace(frame=frame.assign(IDVARVAL=value.astype("str"))).where(kept)


def _leaves(domain: str, variable: str, files: Mapping[str, ReleasedFile]) -> bool:
    """Whether a variable of a domain, or of a part of it, is in a file that leaves."""
    return any(variable in file.columns for name, file in files.items() if domain in (name, file.source.domain))


def _without_lonely_devices(files: dict[str, ReleasedFile]) -> dict[str, ReleasedFile]:
    """Tables of devices keep only devices of people in the study: others belonged to people who were removed."""
    used = {device for file in files.values() if file.has_people for device in file.overview.devices}
    cut = {
        name: file.where(lambda frame: frame["SPDEVID"].isin(used))
        for name, file in files.items()
        if used and "SPDEVID" in file.columns and not file.has_people
    }
    return {**files, **cut}


def _with_dictionaries_cut(files: Mapping[str, ReleasedFile], model: StudyModel) -> dict[str, ReleasedFile]:
    """Of a dictionary that names columns only the rows of columns that leave; without any, it does not leave."""
    leaving: set[str] = set()
    for name, file in files.items():
        if (table := model.table(name)) is not None and not table.names_columns:
            names = list(map(str, file.columns))
            parts = {table.columns[name].part_of for name in names if name in table.columns}
            leaving |= {one.casefold() for one in (*names, *parts.intersection(folded_columns(table)))}
    cut = {}
    for name, file in files.items():
        if (table := model.table(name)) is not None and table.names_columns:
            by = [column for column in table.names_columns if column in file.columns]
            cut[name] = file.where(partial(_names_any, by, leaving))
    return {**files, **cut}


def _names_any(by: Sequence[str], names: Collection[str], frame: pd.DataFrame) -> pd.Series:
    return frame[list(by)].map(str.casefold, "ignore").isin(names).any(axis=1)
