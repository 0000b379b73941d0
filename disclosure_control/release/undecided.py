"""Variables that nobody understood: they stay here, in groups by what their values look like."""

from __future__ import annotations

from disclosure_control.release.accounts import Account
from disclosure_control.release.deidentify import ReleasedStudy
from disclosure_control.release.study import Study, StudyFile
from study.columns.closed import ClosedGroup, Look, groups_of, look_of
from study.formats.tables import SourceTable
from study.models.values_seen import ValuesSeen
from study.operations import OperationKind

_VALUES_OF_ROWS = ("QVAL", "SCORRES", "TSVAL", "DIVAL")  # of variables that are rows


def waiting_for_the_config(released: ReleasedStudy) -> dict[str, list[Account]]:
    """The accounts of variables with values that wait for the config, by the pattern that names them there."""
    found: dict[str, list[Account]] = {}
    for account in released.accounts:
        if account.operation.operation == OperationKind.REVIEW and account.n_values:
            found.setdefault(f"{account.domain}.{account.variable}", []).append(account)
    return found


def staying_here(released: ReleasedStudy, study: Study) -> list[ClosedGroup]:
    """The waiting variables in groups, by their values in the ``study`` as it came."""
    files = {file.name: file for file in study.files}
    waiting = [accounts[0] for accounts in waiting_for_the_config(released).values()]
    return groups_of((one.domain, one.variable, _look(files[one.file], one)) for one in waiting)


def _look(file: StudyFile, account: Account) -> Look:
    table, name = _as_column(file.table, account)
    return Look.WORDS if table is None else look_of(name, ValuesSeen.of(table, name))


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
    return SourceTable(table.domain, table.file_name, table.sha256, frame, {}, ()), account.variable
