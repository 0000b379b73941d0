"""Variables that no table of operations has a line for: what their values propose, for a controller to take over."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from disclosure_control.release.accounts import Account
from disclosure_control.release.deidentify import ReleasedStudy
from disclosure_control.release.study import Study, StudyFile
from study.formats.tables import SourceTable
from study.models.column_roles import PlainTable
from study.models.roles import Role
from study.models.study_model import OPERATION_OF_ROLE
from study.models.values_seen import ValuesSeen
from study.operations import OperationKind

MOST_SHARED = 50  # different words of a column whose every value many people share
_VALUES_OF_ROWS = ("QVAL", "SCORRES", "TSVAL", "DIVAL")  # of variables that are rows


@dataclass(frozen=True)
class ProposedOperation:
    """The operation proposed for a variable, by the pattern that a config names it by, and why."""

    pattern: str
    operation: OperationKind
    why: str


def waiting_for_the_config(released: ReleasedStudy) -> dict[str, list[Account]]:
    """The accounts of variables with values that wait for the config, by the pattern that names them there."""
    found: dict[str, list[Account]] = {}
    for account in released.accounts:
        if account.operation.operation == OperationKind.REVIEW and account.n_values:
            found.setdefault(f"{account.domain}.{account.variable}", []).append(account)
    return found


def proposed_by_values(released: ReleasedStudy, study: Study, k: int) -> list[ProposedOperation]:
    """What the values of each waiting variable propose: flags, numbers and words that many share stay.

    What may say whose the row is, such as a text, a code of one person or a name, is removed. The values are those of
    the ``study`` as it came. ``k``: a word is shared if on average so many people have it.
    """
    files = {file.name: file for file in study.files}
    return [
        _proposed(pattern, accounts[0], files[accounts[0].file], k)
        for pattern, accounts in waiting_for_the_config(released).items()
    ]


def _proposed(pattern: str, account: Account, file: StudyFile, k: int) -> ProposedOperation:
    table, name = _as_column(file.table, account)
    if table is None:
        return ProposedOperation(pattern, OperationKind.REMOVE, "its values were not looked at")
    plain = PlainTable(table, file.id_column if file.id_column in table.frame else None)
    guessed = plain.role(name)
    role, why = guessed.role, guessed.reason
    values = plain.values(name)
    if role in (Role.UNKNOWN, Role.VERBATIM) and _are_shared(values, plain.n_people, k):
        role, why = Role.CATEGORY, f"it has {values.n_distinct} short values, which many people share"
    operation = OPERATION_OF_ROLE[role].operation
    if operation == OperationKind.REVIEW:
        operation = OperationKind.REMOVE
    words = "stays" if operation in (OperationKind.KEEP, OperationKind.NO_FURTHER) else "may tell whose row it is"
    return ProposedOperation(pattern, operation, f"{words}: {why}")


def _are_shared(values: ValuesSeen, n_people: int, k: int) -> bool:
    """Whether few short values are those of many people each: not a text, which is another one in each row."""
    return values.are_short and 0 < values.n_distinct <= MOST_SHARED and values.n_distinct * k <= n_people


def _as_column(table: SourceTable, account: Account) -> tuple[SourceTable | None, str]:
    """The table with the variable as a column: as it is, or of the rows that are the variable."""
    if not account.rows_of:
        return table, account.variable
    value = next((name for name in (*_VALUES_OF_ROWS, f"{account.domain}ORRES") if name in table.frame), None)
    if value is None or account.rows_of not in table.frame or not len(table.frame):
        return None, account.variable
    rows = table.frame[table.frame[account.rows_of] == account.variable]
    ids = [name for name in ("USUBJID",) if name in rows]
    frame = rows[[*ids, value]].rename(columns={value: account.variable}).reset_index(drop=True)
    return _of_frame(table, frame), account.variable


def _of_frame(table: SourceTable, frame: pd.DataFrame) -> SourceTable:
    return SourceTable(table.domain, table.file_name, table.sha256, frame, {}, ())
