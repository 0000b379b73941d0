"""Every file of a study after the operations: rows of people who stay, columns by the table, one account per column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from cdisc.operations import Line, Operation, OperationKind, VariableClass, decided, operation_of
from disclosure_control.release.columns import COLUMN_OPERATIONS, Rows, recoded_ids
from disclosure_control.release.people import People, RecodedColumn, of_rows
from disclosure_control.release.recodings import says_again, test_rows, with_results_recoded
from disclosure_control.release.study import NOBODY, STRANGER, Study, StudyFile
from disclosure_control.run.progress import going_through
from disclosure_control.treatments.keys import Release

GONE = (OperationKind.REMOVE, OperationKind.REVIEW, OperationKind.REMOVE_DATA_SET)
# Whose values the treatment may recode; the others are handled from the source alone, so that one rule moves all dates.
RECODABLE = (
    OperationKind.DERIVE_AGE,
    OperationKind.RAISE_TO_CONTINENT,
    OperationKind.NO_FURTHER,
    OperationKind.KEEP,
    OperationKind.REVIEW,
)
CHARACTERISTICS = "SC"
CODED_BY_PARAMETER = ("SC", "TS", "DI")  # domains whose rows are variables, named by a code


@dataclass(frozen=True)
class Account:
    """What became of one variable of a ``domain``: a column, or the rows of a QNAM or code (of column ``rows_of``).

    ``operation`` says what was done by the table or the config, ``recoded`` whether the treatment's labels stand in
    it, ``n_values`` how many values there were in the rows of people who stay, ``n_lost`` how many were emptied.
    ``has_rare_terms``: some of its terms were raised, or went with their rows.
    """

    file: str
    domain: str
    variable: str
    operation: Operation
    recoded: bool = False
    rows_of: str = ""
    n_values: int = 0
    n_lost: int = 0
    has_rare_terms: bool = False

    @property
    def is_disguised(self) -> bool:
        """Whether its values look like those that they stand for: pseudonyms, moved dates."""
        return self.operation.operation in (
            OperationKind.OFFSET,
            OperationKind.RECODE_ID,
            OperationKind.RECODE_SUBJECT,
        )

    @property
    def stays(self) -> bool:
        """Whether it is released."""
        return self.operation.operation not in GONE


@dataclass(frozen=True)
class ReleasedFile:
    """One file as it leaves: ``frame`` (n_rows, n_columns), and of each row its place in the source and its person."""

    source: StudyFile
    frame: pd.DataFrame
    rows: np.ndarray
    people: np.ndarray
    accounts: tuple[Account, ...]


@dataclass(frozen=True)
class ReleasedStudy:
    """The files that leave by the name of their data set; ``left_out`` the others, each with its reason.

    ``unplaced`` are columns of the combined dataset that the treatment changed and that were found in no file.
    """

    files: dict[str, ReleasedFile]
    left_out: dict[str, str]
    accounts: tuple[Account, ...]
    unplaced: tuple[str, ...]


@dataclass
class _State:
    people: People
    lines: Sequence[Line]
    key: bytes
    release: Release
    subject_column: str | None
    placed: set[str] = field(default_factory=set)


def deidentify(
    study: Study, people: People, lines: Sequence[Line], key: bytes, release: Release, subject_column: str | None
) -> ReleasedStudy:
    """Every file of the study as it leaves. ``lines`` override the table of operations; the key gives ids and offsets.

    Rows of people who do not stay, or whom the combined dataset does not know, are in no file. Rows stand by person,
    in the order of the pseudonyms, and within a person as they came.
    """
    state = _State(people, lines, key, release, subject_column)
    files: dict[str, ReleasedFile] = {}
    accounts: list[Account] = []
    left_out = dict(study.left_out)
    for file in going_through("De-identifying the files", study.files, lambda file: len(file.table.frame), "rows"):
        released = _released(file, state)
        accounts += released.accounts
        if not any(account.operation.operation != OperationKind.REMOVE_DATA_SET for account in released.accounts):
            left_out[file.table.file_name] = released.accounts[0].operation.reason
        elif released.frame.empty:
            left_out[file.table.file_name] = "no record of it is left"
        else:
            files[file.name] = released
    files = _with_relations(files, state)
    unplaced = tuple(name for name in people.recoded if name not in state.placed)
    return ReleasedStudy(_without_lonely_devices(files), left_out, tuple(accounts), unplaced)


def _released(file: StudyFile, state: _State) -> ReleasedFile:
    rows = _rows_that_leave(file, state.people)
    people = file.people[rows]
    frame = file.table.frame.iloc[rows].reset_index(drop=True)
    given = Rows(people, frame, state.people, state.key, state.release, file.domain)
    if file.is_supplemental:
        frame, kept, accounts = _supplemental(file, given, state)
    else:
        frame, kept, accounts = _by_parameter(file, given, state)
    rows, people, frame = rows[kept], people[kept], frame[kept].reset_index(drop=True)
    given = replace(given, people=people, frame=frame)
    columns = {}
    for name in frame:
        column, account = _column(str(name), file, given, state)
        accounts.append(account)
        if column is not None:
            columns[str(name)] = column
    return ReleasedFile(file, pd.DataFrame(columns, index=frame.index), rows, people, tuple(accounts))


def _rows_that_leave(file: StudyFile, people: People) -> np.ndarray:
    """Places of the rows (n_kept,) of people who stay, by pseudonym; those of nobody come last, as they came."""
    rank = np.empty(len(people.ids) + 1, dtype=np.int64)
    rank[np.argsort(people.pseudonyms)] = np.arange(len(people.ids))
    rank[NOBODY] = len(people.ids)
    stays = np.append(people.stays, True)
    rows = np.flatnonzero((file.people != STRANGER) & stays[np.maximum(file.people, NOBODY)])
    return rows[np.argsort(rank[file.people[rows]], kind="stable")]


# ---------------------------------------------------------------- columns


def _column(name: str, file: StudyFile, given: Rows, state: _State) -> tuple[pd.Series | None, Account]:
    """A column as it leaves, None where it goes, and its account."""
    says = operation_of_column(name, file.domain, state)
    recoding = _recoding_of(name, file, state)
    n_values = int(given.frame[name].notna().sum())
    account = Account(file.name, file.domain, name, says, n_values=n_values)
    if recoding is not None and says.operation in RECODABLE:
        state.placed.add(recoding.name)
        if recoding.released is None:
            return None, replace(account, operation=replace(says, operation=OperationKind.REMOVE, reason=BY_TREATMENT))
        column = _with_labels(given.frame[name], of_rows(recoding.released, given.people))
        account = replace(account, recoded=True)
        if says.operation == OperationKind.DERIVE_AGE:
            column = COLUMN_OPERATIONS[says.operation](column, given).column
    elif says.operation in GONE:
        if recoding is not None:
            state.placed.add(recoding.name)
        return None, account
    elif recoding is not None and says.operation == OperationKind.OFFSET and not _was_moved(recoding):
        state.placed.add(recoding.name)
        coarse = replace(says, operation=OperationKind.REMOVE, reason="coarsened: beside it, moved dates would tell")
        return None, replace(account, operation=coarse)
    else:
        if recoding is not None:
            state.placed.add(recoding.name)
        done = COLUMN_OPERATIONS[says.operation](given.frame[name], given)
        column, account = done.column, replace(account, n_lost=done.n_lost)
    return column, account


BY_TREATMENT = "dropped by the treatment"
SAYS_AGAIN = Operation(
    OperationKind.REMOVE,
    VariableClass.QUASI_IDENTIFIER_1,
    "says, alone or with another one, what the treatment recoded",
)


def operation_of_column(name: str, domain: str, state: _State) -> Operation:
    """What is done with a column: the config's line, the id column's, the table's; a role in the config decides."""
    in_table = "USUBJID" if name == state.subject_column else name
    says = decided(domain, name, state.lines) or operation_of(domain, in_table)
    if says_again(name, domain, state.people.recoded):
        return SAYS_AGAIN
    if says.operation == OperationKind.REVIEW and f"{domain}__{name}" in state.people.roles:
        return Operation(OperationKind.NO_FURTHER, VariableClass.QUASI_IDENTIFIER_1, "the config gives it a role")
    return says


def _recoding_of(name: str, file: StudyFile, state: _State) -> RecodedColumn | None:
    """The recoding of the variable of this name: the file's own, else that of DM, of which other files hold copies."""
    if file.is_supplemental:
        return None
    own = state.people.recoded.get(f"{file.domain}__{name}")
    return own or (state.people.recoded.get(f"DM__{name}") if name not in ("STUDYID", "DOMAIN") else None)


def _was_moved(recoding: RecodedColumn) -> bool:
    """Whether the treatment kept the precision of every date: it moved them, which is done here from the source."""
    if recoding.released is None:
        return False
    pairs = pd.DataFrame({"original": recoding.original, "released": recoding.released}).dropna()
    return bool((pairs["original"].str.len() == pairs["released"].str.len()).all())


def _with_labels(column: pd.Series, released: np.ndarray) -> pd.Series:
    """The released labels, where the column has a value; numbers where the column held numbers and all labels are."""
    fresh = pd.Series(released, column.index, name=column.name, dtype="str").where(column.notna())
    if column.dtype.kind == "f":
        numbers = pd.to_numeric(fresh, errors="coerce")
        if not (numbers.isna() & fresh.notna()).any():
            return numbers.astype("float64")
    return fresh


# ---------------------------------------------------------------- rows that are variables


def _supplemental(file: StudyFile, given: Rows, state: _State) -> tuple[pd.DataFrame, np.ndarray, list[Account]]:
    """SUPP--: each QNAM is a variable of its parent; its rows go or stay, and QVAL is treated, as that variable."""
    frame = given.frame.copy()
    kept, accounts = np.ones(len(frame), dtype=bool), []
    value = frame["QVAL"].to_numpy(dtype=object).copy()
    for name in sorted(frame["QNAM"].dropna().unique()):
        at = frame["QNAM"].eq(name).to_numpy(dtype=bool)
        part = replace(given, people=given.people[at], frame=frame[at])
        says = operation_of_column(name, file.domain, state)
        recoding = state.people.recoded.get(f"{file.domain}__{name}")
        if says_again(name, file.domain, state.people.recoded):
            says = SAYS_AGAIN
        account = Account(file.name, file.domain, name, says, rows_of="QNAM", n_values=int(at.sum()))
        if recoding is not None:
            state.placed.add(recoding.name)
        if recoding is not None and recoding.released is not None and says.operation in RECODABLE:
            value[at] = of_rows(recoding.released, given.people[at])
            account = replace(account, recoded=True)
        elif says.operation in GONE or (recoding is not None and recoding.released is None):
            kept[at] = False
        else:
            column = part.frame["QVAL"].rename(name)
            done = COLUMN_OPERATIONS[says.operation](column, part)
            value[at], account = done.column.to_numpy(), replace(account, n_lost=done.n_lost)
        accounts.append(account)
    frame["QVAL"] = pd.Series(value, frame.index, dtype="str")
    kept &= frame["QVAL"].notna().to_numpy()
    return frame, kept, accounts


def _by_parameter(file: StudyFile, given: Rows, state: _State) -> tuple[pd.DataFrame, np.ndarray, list[Account]]:
    """Domains whose rows are tests or parameters: results that the treatment recoded, and codes that are variables."""
    frame = given.frame.copy(deep=False)
    kept = np.ones(len(frame), dtype=bool)
    accounts: list[Account] = []
    for recoding in state.people.recoded.values():
        if recoding.domain != file.domain or recoding.variable in frame:
            continue
        at = test_rows(frame, recoding)
        if not at.any():
            continue
        state.placed.add(recoding.name)
        if recoding.released is None:
            kept &= ~at
        else:
            with_results_recoded(frame, recoding, given.people, at)
        says = Operation(OperationKind.KEEP, VariableClass.QUASI_IDENTIFIER_1, "recoded by the treatment")
        if recoding.released is None:
            says = replace(says, operation=OperationKind.REMOVE, reason=BY_TREATMENT)
        accounts.append(
            Account(
                file.name, file.domain, recoding.variable, says, recoding.released is not None, "test", int(at.sum())
            )
        )
    accounts += _tests_said_again(file, frame, kept, state)
    if file.domain in CODED_BY_PARAMETER:
        accounts += _codes(file, given, frame, kept, state)
    return frame, kept, accounts


def _tests_said_again(file: StudyFile, frame: pd.DataFrame, kept: np.ndarray, state: _State) -> list[Account]:
    """Rows of tests that say what the treatment recoded go; in ``kept``."""
    by, accounts = f"{file.domain}TESTCD", []
    for code in sorted(frame[by].dropna().unique()) if by in frame else ():
        at = frame[by].eq(code).to_numpy(dtype=bool)
        names = {
            str(code),
            *(frame[f"{file.domain}TEST"][at].dropna().unique() if f"{file.domain}TEST" in frame else ()),
        }
        if any(says_again(name, file.domain, state.people.recoded) for name in names):
            kept &= ~at
            accounts.append(Account(file.name, file.domain, str(code), SAYS_AGAIN, rows_of=by, n_values=int(at.sum())))
    return accounts


def _codes(file: StudyFile, given: Rows, frame: pd.DataFrame, kept: np.ndarray, state: _State) -> list[Account]:
    """Rows of codes that the table or the config removes go, ids among them are recoded; in ``frame`` and ``kept``."""
    by = next((n for n in (f"{file.domain}TESTCD", f"{file.domain}PARMCD") if n in frame), None)
    accounts: list[Account] = []
    for code in sorted(frame[by].dropna().unique()) if by else ():
        says = operation_of(file.domain, code, state.lines)
        at = frame[by].eq(code).to_numpy(dtype=bool)
        if says.operation == OperationKind.REVIEW and (
            file.domain != CHARACTERISTICS or _has_role(frame[at], file, state)
        ):
            continue
        accounts.append(Account(file.name, file.domain, code, says, rows_of=str(by), n_values=int(at.sum())))
        if says.operation in GONE:
            kept &= ~at
        elif says.operation == OperationKind.RECODE_ID:
            for name in frame.columns.intersection([f"{file.domain}{s}" for s in ("VAL", "ORRES", "STRESC")]):
                column = frame[name].astype(object)
                column[at] = recoded_ids(frame[name][at], None, given).to_numpy()
                frame[name] = column.astype("str")
    return accounts


def _has_role(rows: pd.DataFrame, file: StudyFile, state: _State) -> bool:
    names = {value for name in rows.columns if name.endswith(("TEST", "TESTCD")) for value in rows[name].dropna()}
    return any(
        role.startswith(f"{file.domain}__") and role.partition("__")[2].partition(" [")[0] in names
        for role in (*state.people.roles, *state.people.recoded)
    )


# ---------------------------------------------------------------- what ties rows together


def _with_relations(files: dict[str, ReleasedFile], state: _State) -> dict[str, ReleasedFile]:
    """IDVARVAL of SUPP-- and RELREC follows the variable that IDVAR names; ties to what does not leave go."""
    found = {}
    for name, file in files.items():
        frame = file.frame
        if not {"IDVAR", "IDVARVAL"} <= set(frame):
            found[name] = file
            continue
        related = frame["RDOMAIN"] if "RDOMAIN" in frame else pd.Series(file.source.domain, frame.index, dtype="str")
        value, kept = frame["IDVARVAL"].astype(object), np.ones(len(frame), dtype=bool)
        pairs = pd.DataFrame({"domain": related, "variable": frame["IDVAR"]}).dropna().drop_duplicates()
        for domain, variable in pairs.itertuples(index=False):
            at = (related.eq(domain) & frame["IDVAR"].eq(variable)).to_numpy(dtype=bool)
            says = operation_of_column(variable, domain[:2], state)
            given = Rows(file.people[at], frame[at], state.people, state.key, state.release, domain[:2])
            if says.operation in GONE or not _leaves(domain, variable, files):
                kept[at] = False
            elif says.operation in COLUMN_OPERATIONS:
                column = frame["IDVARVAL"][at].rename(variable)
                value[at] = COLUMN_OPERATIONS[says.operation](column, given).column.to_numpy()
        fresh = frame.assign(IDVARVAL=value.astype("str"))[kept].reset_index(drop=True)
        if len(fresh):
            found[name] = replace(file, frame=fresh, rows=file.rows[kept], people=file.people[kept])
    return found


def _leaves(domain: str, variable: str, files: dict[str, ReleasedFile]) -> bool:
    """Whether a variable of a domain, or of a part of it, is in a file that leaves."""
    return any(variable in file.frame for name, file in files.items() if domain in (name, file.source.domain))


def _without_lonely_devices(files: dict[str, ReleasedFile]) -> dict[str, ReleasedFile]:
    """Tables of devices hold those alone that a person in the study has: others were of people who are gone."""
    used: set[str] = set()
    for file in files.values():
        if "SPDEVID" in file.frame and (file.people != NOBODY).any():
            used |= set(file.frame["SPDEVID"].dropna())
    found = {}
    for name, file in files.items():
        if used and "SPDEVID" in file.frame and (file.people == NOBODY).all():
            kept = file.frame["SPDEVID"].isin(used).to_numpy()
            file = replace(
                file, frame=file.frame[kept].reset_index(drop=True), rows=file.rows[kept], people=file.people[kept]
            )
        if len(file.frame):
            found[name] = file
    return found
