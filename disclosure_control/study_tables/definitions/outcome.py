"""The outcome that the config names, by its predictors: a regression, or Kaplan-Meier by one column."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from disclosure_control.study_tables.definitions.time_to_event import survival_table
from disclosure_control.study_tables.registry import defined
from disclosure_control.study_tables.regression import Estimates, cox, least_squares, logistic
from disclosure_control.study_tables.side import EVERYBODY, MOST_LEVELS, StudySide
from disclosure_control.study_tables.table import CellKind, Cells, StudyTable
from study.models.roles import TableKind

NOT_YET = ("0", "N", "NO", "FALSE", "ALIVE", "CENSORED", "NEIN")  # words for an outcome that did not happen


@dataclass(frozen=True)
class ValuesOfPeople:
    """A column of people: ``numbers`` (n_people,), or ``codes`` (n_people,) of ``labels``, -1 where missing."""

    name: str
    numbers: np.ndarray | None = field(repr=False)
    codes: np.ndarray = field(repr=False)
    labels: tuple[str, ...] = field(repr=False)


@defined(90, "the outcome that `fit_for_use` names, by its predictors: a regression, or curves by one column")
def make(side: StudySide) -> Iterator[StudyTable]:
    """The table that the config asks for, where this side has all its columns."""
    asked = side.outcome
    if asked is None:
        return
    named = (asked.column, *asked.by, *filter(None, [asked.time]))
    found = [one for name in named if (one := _values(side, name)) is not None]
    if len(found) < len(named):
        return
    outcome, by, time = found[0], found[1 : len(asked.by) + 1], found[-1].numbers
    if asked.time is not None and len(by) == 1 and time is not None:
        time, title = np.where(outcome.codes >= 0, time, np.nan), f"Time to {asked.column} by {asked.by[0]}"
        happened = _happened(outcome)
        yield survival_table(side, asked.column, title, by[0].labels, time, happened, by[0].codes, "outcome")
    elif asked.time is None or time is not None:
        yield from _regression(side, outcome, by, None if asked.time is None else time)


def _values(side: StudySide, name: str) -> ValuesOfPeople | None:
    """A column of the combined dataset: one of people, or the mean result of a test."""
    domain, _, variable = name.partition("__")
    rows = side.domain(domain)
    if rows is None:
        return None
    is_there, of_people, labels, numbers = side.arm >= 0, np.full(side.n_people, -1), (), None
    if rows.table.kind is TableKind.FINDINGS:
        named = [column for short in ("TEST", "TESTCD") if (column := rows.called(short)) is not None]
        is_test = np.any([rows.is_one_of(column, variable.upper()) for column in named], axis=0)
        if rows.result is None or not np.any(is_test):
            return None
        numbers = np.where(is_test, rows.numbers(rows.result), np.nan)
    elif variable in rows:
        of_people, labels = np.maximum(side.one_code(rows, variable), -1), tuple(rows.codes(variable)[1].tolist())
        numbers = rows.numbers(variable) if side.is_number(rows, variable) else None
    else:
        return None
    mean = None if numbers is None else np.where(is_there, side.mean(rows.people, numbers), np.nan)
    return ValuesOfPeople(name, mean, np.where(is_there, of_people, -1), labels)


def _regression(
    side: StudySide, outcome: ValuesOfPeople, by: Sequence[ValuesOfPeople], time: np.ndarray | None
) -> Iterator[StudyTable]:
    design, names = _design(side, by)
    fit: Callable[..., Estimates | None]
    if time is not None:
        happened = np.where(outcome.codes >= 0, _happened(outcome), np.nan)
        fit, kind, values = cox, "Cox regression, log hazard ratios", [time, happened]
    elif len(outcome.labels) == 2:
        is_second = np.where(outcome.codes >= 0, outcome.codes.astype(float), np.nan)
        fit, kind, values = logistic, "logistic regression, log odds", [is_second]
    elif outcome.numbers is not None:
        fit, kind, values = least_squares, "linear regression", [outcome.numbers]
    else:
        return
    table = np.column_stack([np.ones((side.n_people, int(time is None))), design, *values])
    table = table[~np.isnan(table).any(axis=1)]
    table = table[np.lexsort(table.T)]  # no digit depends on the order of people
    found = fit(table[:, : -len(values)], *table[:, -len(values) :].T)
    if found is not None:
        value, error = (one[len(one) - len(names) :, None] for one in found)
        about = "outcome", outcome.name, f"{outcome.name} by its predictors, {kind}", (EVERYBODY,)
        cells, margin = Cells(np.full(value.shape, len(table)), value, error), (side.arm >= 0).sum()
        yield StudyTable.of_cells(CellKind.ESTIMATE, about, names, cells, margin, is_main=True)


def _design(side: StudySide, by: Sequence[ValuesOfPeople]) -> tuple[np.ndarray, list[str]]:
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


def _happened(outcome: ValuesOfPeople) -> np.ndarray:
    """Whether each person (n_people,) had the event; False where that is missing."""
    return np.array([label.strip().upper() not in NOT_YET for label in outcome.labels] + [False])[outcome.codes]
