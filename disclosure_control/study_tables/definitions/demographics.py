"""Who was in the study, by arm: age, sex, origin, and what else the table of people says of each."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from disclosure_control.study_tables.registry import TableDefinition
from disclosure_control.study_tables.side import MOST_LEVELS, DomainRows, StudySide
from disclosure_control.study_tables.table import CellKind, StudyTable, share_table
from study.models.roles import Role, TableKind

DEMOGRAPHIC = (Role.AGE, Role.BIRTH_YEAR, Role.SEX, Role.ORIGIN)
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
    """The columns of a table that say something of people, and those of them that are numbers."""
    columns = [name for name in rows.table.of_role(*DEMOGRAPHIC, *FURTHER) if name in rows]
    columns = [name for name in columns if (rows.codes(name)[0] >= 0).any()]
    return columns, [name for name in columns if side.is_number(rows, name)]


def numbers_of_people(side: StudySide, rows: DomainRows, column: str) -> np.ndarray:
    """The mean number of each person (n_people,), NaN without one."""
    values = rows.numbers(column)
    known = (rows.people >= 0) & ~np.isnan(values)
    n = np.bincount(rows.people[known], minlength=side.n_people)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean: np.ndarray = np.bincount(rows.people[known], values[known], side.n_people) / n
    return mean


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
    for column in columns:
        codes, levels = rows.codes(column)
        if len(levels) > MOST_LEVELS:
            continue
        order = np.argsort(levels, kind="stable")
        people = side.count_people(rows.people, codes, len(levels))[order]
        labels += levels[order].tolist()
        groups += [column] * len(levels)
        counts.append(people)
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
    )


TABLE = TableDefinition(
    "demographics",
    "who was in the study, by arm: age, sex, origin and every other column of people or of their rows in time, means "
    "and shares",
    make,
    place=10,
)
