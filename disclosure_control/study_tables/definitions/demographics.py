"""Who was in the study, by arm: age, sex, origin, and what else the table of people says of each."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import parse_numbers
from disclosure_control.study_tables.registry import TableDefinition
from disclosure_control.study_tables.side import MOST_LEVELS, YES, DomainRows, StudySide, mean_by_place
from disclosure_control.study_tables.table import ANY, CellKind, StudyTable, share_table
from study.models.roles import Role, TableKind
from study.operations import OperationKind

DEMOGRAPHIC = (Role.AGE, Role.BIRTH_YEAR, Role.SEX, Role.ORIGIN)
LEAST_ROWS = 10  # numbered from one end to the other
FURTHER = (Role.PLACE, Role.NUMBER, Role.CATEGORY, Role.FLAG, Role.DEATH, Role.CODED_TERM, Role.UNKNOWN)


def make(side: StudySide) -> Iterator[StudyTable]:
    """Of each table of people, or of their rows in time, the means of its numbers, and the shares of its categories.

    The number of a person with several rows is the mean of them; a person may have several categories.
    """
    for rows in side.domains(TableKind.PEOPLE, TableKind.ROWS):
        columns, numbers = columns_of(side, rows)
        yield _means(side, rows, numbers)
        yield _shares(side, rows, [name for name in columns if name not in numbers])


def columns_of(side: StudySide, rows: DomainRows) -> tuple[list[str], list[str]]:
    """The columns of a table that say something of people, and those of them that are numbers.

    One value of everybody says nothing, and neither does a number of the row.
    """
    named = side.as_before(("columns", rows.domain), lambda: list(_telling(side, rows)))
    there = [name for name in named if rows.has(name) or (name in rows and is_flag_of_everybody(side, rows, name))]
    return there, [name for name in there if side.is_number(rows, name)]


def _telling(side: StudySide, rows: DomainRows) -> Iterator[str]:
    for name in rows.table.of_role(*DEMOGRAPHIC, *FURTHER):
        if rows.has(name) and not _says_again(side, rows, name):
            codes, labels = rows.codes(name)
            is_number = len(labels) == len(codes) >= LEAST_ROWS and side.is_number(rows, name)
            numbers = rows.numbers(name) if is_number else np.zeros(0)
            counts_rows = is_number and float(np.ptp(numbers)) == len(codes) - 1 and not (numbers % 1).any()
            if not counts_rows and (len(labels) > 1 or (codes < 0).any()):
                yield name


def _says_again(side: StudySide, rows: DomainRows, column: str) -> bool:
    """Whether a column is the code of another one, or of sites: numbers of a category that its standard removes."""
    known = rows.table.columns.get(column)
    if known is None or known.role is not Role.CATEGORY:
        return False
    is_removed = side.model.operation(rows.domain, column).operation is OperationKind.REMOVE
    return is_removed and not np.isnan(parse_numbers(pd.Series(rows.codes(column)[1], dtype="str"))).any()


def is_flag_of_everybody(side: StudySide, rows: DomainRows, column: str) -> bool:
    """Whether a flag says yes or nothing, as the standards have it of deaths: then everybody is its denominator."""
    known = rows.table.columns.get(column)

    def says_yes_alone() -> bool:
        labels = rows.codes(column)[1].tolist()
        return known is not None and known.role in (Role.FLAG, Role.DEATH) and len(labels) == 1 and labels[0] in YES

    return bool(side.as_before(("flag", rows.domain, column), says_yes_alone))


def numbers_of_people(side: StudySide, rows: DomainRows, column: str) -> np.ndarray:
    """The mean number of each person (n_people,), NaN without one."""
    values = rows.numbers(column)
    known = (rows.people >= 0) & ~np.isnan(values)
    return mean_by_place(rows.people[known], values[known], side.n_people)


def _means(side: StudySide, rows: DomainRows, columns: list[str]) -> StudyTable:
    shape = (len(columns), len(side.arms))
    n, mean, error = np.zeros(shape), np.full(shape, np.nan), np.full(shape, np.nan)
    everybody, one_code = np.arange(side.n_people), np.zeros(side.n_people, dtype=np.int64)
    for place, column in enumerate(columns):
        found = side.means(everybody, one_code, numbers_of_people(side, rows, column), 1)
        n[place], mean[place], error[place] = found.n[0], found.mean[0], found.error[0]
    return StudyTable(
        "demographics_means",
        rows.domain,
        f"Characteristics of people, means ({rows.domain})",
        CellKind.MEAN,
        side.arms,
        tuple(columns),
        tuple(columns),
        n,
        np.broadcast_to(side.people_in_arms, shape),
        mean,
        error,
        bands={name: n_bands for name in columns if (n_bands := rows.bands(name))},
    )


def _shares(side: StudySide, rows: DomainRows, columns: list[str]) -> StudyTable:
    labels, groups, counts, of = [], [], [], []
    in_it = side.count_people(rows.people, np.zeros(len(rows.people), dtype=np.int64), 1)
    if side.as_before(("some", rows.domain), lambda: in_it.sum() < side.people_in_arms.sum()):  # as of those who died
        labels, groups, counts, of = [ANY], [ANY], [in_it], [np.broadcast_to(side.people_in_arms, in_it.shape)]
    for column in columns:
        codes, levels = rows.codes(column)
        of_everybody = is_flag_of_everybody(side, rows, column)
        levels = levels if len(levels) or not of_everybody else np.array(["Y"], dtype=object)
        if len(levels) > MOST_LEVELS:
            continue
        order = np.argsort(levels, kind="stable")
        people = side.count_people(rows.people, codes, len(levels))[order]
        labels += levels[order].tolist()
        groups += [column] * len(levels)
        counts.append(people)
        valued = side.people_in_arms
        if not of_everybody:
            valued = side.count_people(rows.people, np.where(codes >= 0, 0, -1), 1)
        of.append(np.broadcast_to(valued, people.shape))
    empty = np.zeros((0, len(side.arms)), dtype=np.int64)
    return share_table(
        "demographics",
        rows.domain,
        f"Characteristics of people, shares ({rows.domain})",
        side.arms,
        labels,
        groups,
        np.vstack([empty, *counts]),
        np.vstack([empty, *of]),
        deaths=rows.table.of_role(Role.DEATH),
    )


TABLE = TableDefinition(
    "demographics",
    "who was in the study, by arm: age, sex, origin and every other column of people, means and shares",
    make,
    place=10,
)
