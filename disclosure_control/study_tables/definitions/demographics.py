"""Who was in the study, by arm: age, sex, origin, and what else the table of people says of each."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from disclosure_control.study_tables.registry import TableDefinition
from disclosure_control.study_tables.side import MOST_LEVELS, DomainRows, StudySide
from disclosure_control.study_tables.table import CellKind, StudyTable, share_table
from study.models.roles import Role, TableKind

DEMOGRAPHIC = (Role.AGE, Role.BIRTH_YEAR, Role.SEX, Role.ORIGIN)
FURTHER = (Role.NUMBER, Role.CATEGORY, Role.FLAG, Role.UNKNOWN)


def make(side: StudySide) -> Iterator[StudyTable]:
    """Of each table of people the means of its numbers, and the shares of its categories."""
    for rows in side.domains(TableKind.PEOPLE):
        columns = [name for name in rows.table.of_role(*DEMOGRAPHIC, *FURTHER) if name in rows]
        columns = [name for name in columns if (rows.codes(name)[0] >= 0).any()]
        numbers = [name for name in columns if side.is_number(rows, name)]
        yield _means(side, rows, numbers)
        yield _shares(side, rows, [name for name in columns if name not in numbers])


def _means(side: StudySide, rows: DomainRows, columns: list[str]) -> StudyTable:
    shape = (len(columns), len(side.arms))
    n, mean, error = np.zeros(shape), np.full(shape, np.nan), np.full(shape, np.nan)
    for place, column in enumerate(columns):
        found = side.means(rows.people, np.zeros(len(rows.people), dtype=np.int64), rows.numbers(column), 1)
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
        of.append(np.broadcast_to(people.sum(axis=0), people.shape))
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
    "who was in the study, by arm: age, sex, origin and what else the table of people says, means and shares",
    make,
    place=10,
)
