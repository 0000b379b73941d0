"""Who was in the study, by arm: age, sex, origin, and what else the table of people says of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import parse_numbers
from disclosure_control.study_tables.registry import defined
from disclosure_control.study_tables.rows import DomainRows, Levels
from disclosure_control.study_tables.side import MOST_LEVELS, YES, StudySide
from disclosure_control.study_tables.table import ANY, StudyTable
from study.models.roles import Role, TableKind
from study.operations import OperationKind

DEMOGRAPHIC = (Role.AGE, Role.BIRTH_YEAR, Role.SEX, Role.ORIGIN)
LEAST_ROWS = 10  # numbered from one end to the other
FURTHER = (Role.PLACE, Role.NUMBER, Role.CATEGORY, Role.FLAG, Role.DEATH, Role.CODED_TERM, Role.UNKNOWN)


@defined(10, "who was in the study, by arm: age, sex, origin and every other column of people, means and shares")
def make(side: StudySide) -> Iterator[StudyTable]:
    """Of each table of people, or of their rows in time, the means of its numbers, and the shares of its categories.

    The number of a person with several rows is the mean of them; a person may have several categories.
    """
    for rows in side.domains(TableKind.PEOPLE, TableKind.ROWS):
        columns, numbers = columns_of(side, rows)
        title, measured = f"Characteristics of people, means ({rows.domain})", numbers_of_people(side, rows, numbers)
        bands = {name: n_bands for name in numbers if (n_bands := rows.bands(name))}
        yield side.means("demographics_means", rows, title, measured, bands=bands)
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
            numbers = rows.numbers(name) if len(labels) == len(codes) >= LEAST_ROWS else np.zeros(0)
            counts_rows = len(numbers) > 0 and np.ptp(numbers) == len(numbers) - 1 and not (numbers % 1).any()
            if not counts_rows and (len(labels) > 1 or (codes < 0).any()):
                yield name


def _says_again(side: StudySide, rows: DomainRows, column: str) -> bool:
    """Whether a column is the code of another one, or of sites: numbers of a category that its standard removes."""
    is_category = column in rows.table.of_role(Role.CATEGORY)
    is_removed = is_category and side.model.operation(rows.domain, column).operation is OperationKind.REMOVE
    return is_removed and not np.isnan(parse_numbers(pd.Series(rows.codes(column)[1], dtype="str"))).any()


def is_flag_of_everybody(side: StudySide, rows: DomainRows, column: str) -> bool:
    """Whether a flag says yes or nothing, as the standards have it of deaths: then everybody is its denominator."""

    def says_yes_alone() -> bool:
        labels = rows.codes(column)[1].tolist()
        return column in rows.table.of_role(Role.FLAG, Role.DEATH) and len(labels) == 1 and labels[0] in YES

    return bool(side.as_before(("flag", rows.domain, column), says_yes_alone))


def numbers_of_people(side: StudySide, rows: DomainRows, columns: Sequence[str]) -> dict[str, np.ndarray]:
    """The mean number of each person (n_people,), NaN without one, of some columns."""
    return {name: side.mean(rows.people, rows.numbers(name)) for name in columns}


def _shares(side: StudySide, rows: DomainRows, columns: list[str]) -> StudyTable:
    of_some = Levels.of_flag(ANY, np.ones(len(rows.people), dtype=bool))
    n = side.count(rows.people, of_some.codes, 1)[0].sum()
    parts = [of_some] if side.as_before(("some", rows.domain), lambda: n < side.people_in_arms.sum()) else []
    for column in columns:
        part = rows.part(column)
        if is_flag_of_everybody(side, rows, column):
            part = part if part.levels else Levels([column], ["Y"], part.codes)
        else:
            part = replace(part, of=side.count(rows.people, np.where(part.codes >= 0, 0, -1), 1)[0])
        parts += [part] if len(part.levels) <= MOST_LEVELS else []
    title, deaths = f"Characteristics of people, shares ({rows.domain})", tuple(rows.table.of_role(Role.DEATH))
    return side.shares("demographics", rows, title, parts, deaths=deaths)
