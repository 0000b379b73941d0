"""Numbers of rows that the config keeps as they were: a gap tells that a record was taken away, and from whom."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import parse_numbers
from disclosure_control.release.deidentify import ReleasedStudy
from disclosure_control.release.facts.opened_rows import OF_THE_COURSE, OpenedRows, fact_entries
from study.models.roles import Role, TableModel


def numbers_are_kept(released: ReleasedStudy) -> bool:
    """Whether a file that leaves has the source's numbers of its rows, which count the rows of a person."""
    return any(
        account.is_as_it_came
        and account.variable in columns_of_gaps(released.model.table(account.file), [account.variable])
        for name, file in released.files.items()
        for account in file.accounts
        if account.variable in file.columns
    )


def gaps(known: OpenedRows) -> list[pd.DataFrame] | None:
    """Who has a gap in the numbers of the rows of a table: fewer rows than the largest number says."""
    found, could_tell = [], False
    for name, frame in known.frames.items():
        for column in columns_of_gaps(known.table(name), list(map(str, frame))):
            could_tell = True
            people, number = known.people(name), parse_numbers(frame[column])
            counts = (people >= 0) & ~np.isnan(number)
            n_rows = np.bincount(people[counts], minlength=known.n_people)
            largest = np.zeros(known.n_people)
            np.maximum.at(largest, people[counts], number[counts])
            who = np.flatnonzero(largest > n_rows)
            found.append(fact_entries(who, f"gap {known.model.domain(name)}", np.full(len(who), "has a gap")))
    return found if could_tell else None


def columns_of_gaps(table: TableModel | None, columns: Sequence[str]) -> list[str]:
    """The columns of a table that count the rows of a person."""
    if table is None or table.kind not in OF_THE_COURSE:
        return []
    return [name for name in table.of_role(Role.RECORD_KEY) if table.columns[name].within_person and name in columns]
