"""Rows that are variables: of SUPP-- by their QNAM, of findings by their test, of characteristics by their code."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from disclosure_control.release.accounts import GONE, SAYS_AGAIN, Account, Decisions, operation_of_column
from disclosure_control.release.columns import Rows, recoded_ids, treated
from disclosure_control.release.recodings import rows_of_test, says_again, with_results_recoded
from disclosure_control.release.study import CODED_BY_PARAMETER, StudyFile
from study.models.roles import TableKind, TableModel
from study.operations import Operation, OperationKind, VariableClass, decided

CHARACTERISTICS = "SC"


def supplemental(file: StudyFile, given: Rows) -> tuple[pd.DataFrame, np.ndarray, list[Account]]:
    """SUPP--: each QNAM is a variable of its parent; its rows are kept or removed, and QVAL treated, like that
    variable.
    """
    frame, decisions = given.frame.copy(), given.decisions
    kept, accounts = np.ones(len(frame), dtype=bool), []
    value = frame["QVAL"].to_numpy(dtype=object).copy()
    for name in sorted(frame["QNAM"].dropna().unique()):
        at = frame["QNAM"].eq(name).to_numpy(dtype=bool)
        part = replace(given, people=given.people[at], frame=frame[at])
        says = operation_of_column(name, file.domain, decisions)
        account = Account(file.name, file.domain, name, says, rows_of="QNAM", n_values=int(at.sum()))
        recoding = decisions.people.recoded.get(f"{file.domain}__{name}")
        column, account = treated(part.frame["QVAL"].rename(name), file, part, account, recoding)
        accounts.append(account)
        if column is None:
            kept[at] = False
        else:
            value[at] = column.to_numpy(dtype=object)
    frame["QVAL"] = pd.Series(value, frame.index, dtype="str")
    kept &= frame["QVAL"].notna().to_numpy()
    return frame, kept, accounts


@dataclass(frozen=True)
class RecodedRowsPlan:
    """Facts about all released rows of a file, needed before some of them are treated.

    ``tests``: recoded columns whose test the file has, and whether any row names its measurement.
    ``said_again``: codes of tests that repeat recoded information.
    """

    tests: Mapping[str, bool] = field(default_factory=dict)
    said_again: tuple[str, ...] = ()


def planned(file: StudyFile, frames: Iterable[pd.DataFrame], decisions: Decisions) -> RecodedRowsPlan:
    """The plan of a file, of the ``frames`` of all of its rows that leave; these are made only where one is needed."""
    columns = list(map(str, file.table.frame))
    recoded = [one for one in decisions.people.recoded.values() if one.domain == file.domain]
    in_rows = [one for one in recoded if one.variable not in columns]
    table = decisions.model.table(file.name)
    if file.is_supplemental or not recoded or table is None or table.kind is not TableKind.FINDINGS:
        return RecodedRowsPlan()
    names = [name for name in (table.called("TESTCD"), table.called("TEST")) if name in columns]
    is_there, is_told = set(), set()
    pairs = [pd.DataFrame(columns=names, dtype="str")]
    for frame in frames:
        for one in in_rows:
            of_test, of_measurement = rows_of_test(frame, one, table)
            is_there |= {one.name} if of_test.any() else set()
            is_told |= {one.name} if of_measurement.any() else set()
        pairs.append(frame[names].drop_duplicates())
    tests = {one.name: one.name in is_told for one in in_rows if one.name in is_there}
    return RecodedRowsPlan(tests, _codes_said_again(file.domain, pd.concat(pairs, ignore_index=True), table, decisions))


def _codes_said_again(domain: str, pairs: pd.DataFrame, table: TableModel, decisions: Decisions) -> tuple[str, ...]:
    """Codes of tests that repeat, by code or name, what was recoded; ``pairs`` of both, as in the rows."""
    code, test = table.called("TESTCD"), table.called("TEST")
    if code not in pairs:
        return ()
    said = {
        column: pairs[column]
        .map(lambda name: says_again(str(name), domain, decisions.people.recoded), na_action="ignore")
        .eq(True)
        for column in (code, test)
        if column in pairs
    }
    again = pd.concat(said, axis="columns").any(axis="columns")
    return tuple(sorted(pairs[code][again].dropna().unique()))


def by_parameter(file: StudyFile, given: Rows, plan: RecodedRowsPlan) -> tuple[pd.DataFrame, np.ndarray, list[Account]]:
    """Domains whose rows are tests or parameters: results that the treatment recoded, and codes that are variables."""
    frame = given.frame.copy(deep=False)
    kept = np.ones(len(frame), dtype=bool)
    accounts: list[Account] = []
    decisions = given.decisions
    table = decisions.model.table(file.name) or TableModel(file.name, TableKind.ROWS)
    says = Operation(OperationKind.KEEP, VariableClass.QUASI_IDENTIFIER_1, "recoded by the treatment")
    for name, is_told in plan.tests.items():
        recoding = decisions.people.recoded[name]
        at = rows_of_test(frame, recoding, table)[is_told]
        decisions.placed.add(name)
        test = Account(file.name, file.domain, recoding.variable, says, rows_of="test", n_values=int(at.sum()))
        if recoding.released is None:
            kept &= ~at
            accounts.append(test.removed(recoding.reason))
        else:
            n_lost = with_results_recoded(frame, recoding, given.people, at, table) if at.any() else 0
            accounts.append(replace(test, recoded=True, n_lost=n_lost))
    by = table.called("TESTCD")
    for code in plan.said_again:
        at = frame[by].eq(code).to_numpy(dtype=bool)
        kept &= ~at
        accounts.append(Account(file.name, file.domain, code, SAYS_AGAIN, rows_of=by, n_values=int(at.sum())))
    if file.domain in CODED_BY_PARAMETER:
        accounts += _codes(file, given, frame, kept)
    return frame, kept, accounts


def _codes(file: StudyFile, given: Rows, frame: pd.DataFrame, kept: np.ndarray) -> list[Account]:
    """Remove rows of codes by the table or the config, and recode ids among them; in ``frame`` and ``kept``."""
    by = next((n for n in (f"{file.domain}TESTCD", f"{file.domain}PARMCD") if n in frame), None)
    accounts: list[Account] = []
    decisions = given.decisions
    for code in sorted(frame[by].dropna().unique()) if by else ():
        says = decided(file.domain, code, decisions.lines) or decisions.model.standard(file.domain, code)
        at = frame[by].eq(code).to_numpy(dtype=bool)
        if says.operation == OperationKind.REVIEW and (
            file.domain != CHARACTERISTICS or _has_role(frame[at], file, decisions)
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


def _has_role(rows: pd.DataFrame, file: StudyFile, decisions: Decisions) -> bool:
    names = {value for name in rows.columns if name.endswith(("TEST", "TESTCD")) for value in rows[name].dropna()}
    return any(
        role.startswith(f"{file.domain}__") and role.partition("__")[2].partition(" [")[0] in names
        for role in (*decisions.people.roles, *decisions.people.recoded)
    )
