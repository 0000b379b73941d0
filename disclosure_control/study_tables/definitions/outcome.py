"""The outcome that the config names, by its predictors: a regression, or Kaplan-Meier by one column."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from disclosure_control.study_tables.asked import OutcomeAsked
from disclosure_control.study_tables.definitions.demographics import numbers_of_people
from disclosure_control.study_tables.definitions.time_to_event import survival_table
from disclosure_control.study_tables.registry import TableDefinition
from disclosure_control.study_tables.regression import Estimates, cox, least_squares, logistic
from disclosure_control.study_tables.side import EVERYBODY, MOST_LEVELS, DomainRows, StudySide, mean_by_place
from disclosure_control.study_tables.table import CellKind, StudyTable
from study.models.roles import TableKind

NOT_YET = ("0", "N", "NO", "FALSE", "ALIVE", "CENSORED", "NEIN")  # words for an outcome that did not happen


@dataclass(frozen=True)
class ValuesOfPeople:
    """A column of people: ``numbers`` (n_people,), or ``codes`` (n_people,) of ``labels``, -1 where missing."""

    name: str
    numbers: np.ndarray | None = field(repr=False)
    codes: np.ndarray = field(repr=False)
    labels: tuple[str, ...] = field(repr=False)


def make(side: StudySide) -> Iterator[StudyTable]:
    """The table that the config asks for, where this side has all its columns."""
    asked = side.outcome
    if asked is None:
        return
    found = [_values(side, name) for name in (asked.column, *asked.by)]
    columns = [one for one in found if one is not None]
    if len(columns) < len(found):
        return
    outcome, *by = columns
    if asked.time is None:
        yield from _regression(side, asked, outcome, by)
    elif (time := _values(side, asked.time)) is not None and time.numbers is not None:
        if len(by) == 1:
            yield _survival(side, asked, outcome, by[0], time.numbers)
        else:
            yield from _hazards(side, asked, outcome, by, time.numbers)


def _values(side: StudySide, name: str) -> ValuesOfPeople | None:
    """A column of the combined dataset: one of people, or the mean result of a test."""
    domain, _, variable = name.partition("__")
    rows = side.domain(domain)
    if rows is None:
        return None
    if rows.table.kind is TableKind.FINDINGS:
        return _result(side, rows, name, variable)
    if variable not in rows:
        return None
    codes, labels = rows.codes(variable)
    order = np.argsort(labels, kind="stable")
    of_people, known = np.full(side.n_people, -1), (rows.people >= 0) & (codes >= 0)
    of_people[rows.people[known]] = np.argsort(order)[codes[known]]
    of_people[side.arm < 0] = -1
    numbers = numbers_of_people(side, rows, variable) if side.is_number(rows, variable) else None
    return ValuesOfPeople(name, _of_those_counted(side, numbers), of_people, tuple(labels[order].tolist()))


def _result(side: StudySide, rows: DomainRows, name: str, test: str) -> ValuesOfPeople | None:
    number = rows.called("STRESN") or rows.called("ORRES")
    is_test = np.zeros(len(rows.people), dtype=bool)
    for short in ("TEST", "TESTCD"):
        if (column := rows.called(short)) is not None:
            is_test |= rows.is_one_of(column, test.upper())
    if number is None or not is_test.any():
        return None
    values = np.where(is_test, rows.numbers(number), np.nan)
    known = (rows.people >= 0) & ~np.isnan(values)
    mean = mean_by_place(rows.people[known], values[known], side.n_people)
    return ValuesOfPeople(name, _of_those_counted(side, mean), np.full(side.n_people, -1), ())


def _of_those_counted(side: StudySide, numbers: np.ndarray | None) -> np.ndarray | None:
    return None if numbers is None else np.where(side.arm >= 0, numbers, np.nan)


def _regression(
    side: StudySide, asked: OutcomeAsked, outcome: ValuesOfPeople, by: list[ValuesOfPeople]
) -> Iterator[StudyTable]:
    is_logistic = len(outcome.labels) == 2
    if is_logistic:
        values = np.where(outcome.codes >= 0, outcome.codes.astype(float), np.nan)
    elif outcome.numbers is not None:
        values = outcome.numbers
    else:
        return
    table, names = _design(side, by)
    table = np.column_stack([np.ones(side.n_people), table])
    used = by_values(~np.isnan(values) & ~np.isnan(table).any(axis=1), table, values)
    found = (logistic if is_logistic else least_squares)(table[used], values[used])
    if found is not None:
        kind = "logistic regression, log odds" if is_logistic else "linear regression"
        yield _estimates(side, asked, names, Estimates(found.value[1:], found.error[1:]), len(used), kind)


def _hazards(
    side: StudySide, asked: OutcomeAsked, outcome: ValuesOfPeople, by: list[ValuesOfPeople], time: np.ndarray
) -> Iterator[StudyTable]:
    table, names = _design(side, by)
    happened = _happened(outcome)
    is_used = (outcome.codes >= 0) & ~np.isnan(time) & ~np.isnan(table).any(axis=1)
    used = by_values(is_used, table, time, happened)
    found = cox(table[used], time[used], happened[used])
    if found is not None:
        yield _estimates(side, asked, names, found, len(used), "Cox regression, log hazard ratios")


def by_values(is_used: np.ndarray, *columns: np.ndarray) -> np.ndarray:
    """The places of those who are used, by their values: no digit depends on the order of people."""
    used = np.flatnonzero(is_used)
    found: np.ndarray = used[np.lexsort(np.column_stack(columns)[used].T)]
    return found


def _design(side: StudySide, by: list[ValuesOfPeople]) -> tuple[np.ndarray, list[str]]:
    """The predictors (n_people, n_columns) and their names; of a category the values against its commonest one."""
    design, names = [np.empty((side.n_people, 0))], []
    for column in by:
        if column.numbers is not None:
            design.append(column.numbers)
            names.append(column.name)
        elif len(column.labels) <= MOST_LEVELS:
            people = np.bincount(column.codes[column.codes >= 0], minlength=len(column.labels))
            base = int(np.argmax(people))
            for code in np.flatnonzero((people > 0) & (np.arange(len(people)) != base)).tolist():
                design.append(np.where(column.codes >= 0, (column.codes == code).astype(float), np.nan))
                names.append(f"{column.name} {column.labels[code]} against {column.labels[base]}")
    return np.column_stack(design), names


def _estimates(
    side: StudySide, asked: OutcomeAsked, names: list[str], found: Estimates, n_used: int, kind: str
) -> StudyTable:
    shape = (len(names), 1)
    return StudyTable(
        "outcome",
        asked.column,
        f"{asked.column} by its predictors, {kind}",
        CellKind.ESTIMATE,
        (EVERYBODY,),
        tuple(names),
        tuple(names),
        np.full(shape, n_used),
        np.full(shape, int((side.arm >= 0).sum())),
        found.value[:, None],
        found.error[:, None],
        is_main=True,
    )


def _survival(
    side: StudySide, asked: OutcomeAsked, outcome: ValuesOfPeople, by: ValuesOfPeople, time: np.ndarray
) -> StudyTable:
    time = np.where(outcome.codes >= 0, time, np.nan)
    title = f"Time to {asked.column} by {asked.by[0]}"
    return survival_table(side, asked.column, title, by.labels, time, _happened(outcome), by.codes, "outcome")


def _happened(outcome: ValuesOfPeople) -> np.ndarray:
    """Whether each person (n_people,) had the event; False where that is missing."""
    return np.array([label.strip().upper() not in NOT_YET for label in outcome.labels] + [False])[outcome.codes]


TABLE = TableDefinition(
    "outcome",
    "the outcome that `fit_for_use` names, by its predictors: a regression, or curves by one column",
    make,
    place=90,
)
