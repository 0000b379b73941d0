"""Ages that no file has: from the date of birth and the first day of each person, as a further column of a table.

It is made as soon as the files are read, for the merge and for a release alike, so that the age leaves as any other
column, in the treatment's bands, and the date of birth does not.
"""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import number_text
from disclosure_control.basics.settings.fields import SettingsGroup, setting
from disclosure_control.basics.settings.kinds import Kind, Place, is_name
from disclosure_control.basics.telling.faults import nearest_name, stop_at
from study.formats.days import days_of as whole_days_of
from study.formats.messages import Note
from study.formats.tables import SourceTable, without_moments
from study.merge.subject_ids import ReadSubjects, SubjectIdRule, read_subjects
from study.merge.units import with_one_unit

OLDEST_AGE = 130
# Where a part of a date is missing, the middle of the time that it may be.
_MIDDLES = {r"^(\d{4})(?:[T ].*)?$": r"\1-07-01", r"^(\d{4}-\d{2})(?:[T ].*)?$": r"\1-15"}
_DAY = r"\d{4}-\d{2}-\d{2}(?:[T ].*)?"


@dataclass(frozen=True)
class AgeAt(SettingsGroup):
    """How an age is made: the column ``born``, and the day ``at`` which people have it."""

    born: str = setting(Kind(is_name, "a column of the file"), "the column with the date of birth")
    at: str = setting(
        Kind(is_name, 'a column, "DOMAIN.column" of another file, or a day such as "2024-05-01"'),
        "the day of the age: the person's first day in a column of the file, or of another file; or one day for all",
    )

    def check(self, place: Place, given: Mapping[str, Any]) -> Iterator[str]:
        """The day of birth is no day of an age."""
        if self.at == self.born:
            yield f"{place['at']}: it is the date of birth itself; name the column of another day"


def with_ages(tables: Sequence[SourceTable], rules: Mapping[str, AgeAt], rule: SubjectIdRule) -> list[SourceTable]:
    """The ``tables``, those with a rule (by domain) with a column ``age``, and a note on it.

    Ages of several units are of one first. A domain may be named without the moment of its export. ``rule`` is that of
    the ids. Raises ``FaultyInputError`` with all tables and columns that the rules name and the files do not have.
    """
    tables = [with_one_unit(table) for table in tables]
    own = {table.domain: table for table in tables}
    by_domain = {short: own[domain] for domain, short in without_moments(own).items()} | own
    stop_at([fault for domain, age in rules.items() for fault in _faults(domain, age, by_domain, rule)])
    of_table = {by_domain[domain].domain: age for domain, age in rules.items()}
    return [
        _with_age(table, of_table[table.domain], by_domain, rule) if table.domain in of_table else table
        for table in tables
    ]


def name_of_age(table: SourceTable) -> str:
    """What the column is called: in capitals beside headings in capitals, as in SDTM."""
    return "AGE" if all(str(name).isupper() for name in table.frame.columns) else "age"


def days_of(values: pd.Series) -> np.ndarray:
    """Dates in ISO 8601 (n,) as days, of partial ones the middle; NaT where there is none."""
    texts = values.astype("str")
    for partial, middle in _MIDDLES.items():
        texts = texts.str.replace(partial, middle, regex=True)
    return whole_days_of(texts.where(texts.str.fullmatch(_DAY)))


def completed_years(born: pd.Series, days: pd.Series) -> np.ndarray:
    """Birthdays from the day of birth to another day (n,), both days; NaN where one is missing, or no person's age."""
    is_known = (born.notna() & days.notna()).to_numpy()
    birth, day = (pd.DatetimeIndex(one.to_numpy()) for one in (born, days))
    is_before = (day.month < birth.month) | ((day.month == birth.month) & (day.day < birth.day))
    years = np.where(is_known, (day.year - birth.year).to_numpy(dtype=float) - is_before, np.nan)
    return np.where((years >= 0) & (years <= OLDEST_AGE), years, np.nan)


def _faults(domain: str, age: AgeAt, tables: Mapping[str, SourceTable], rule: SubjectIdRule) -> Iterator[str]:
    place = f"merge['age'][{domain!r}]"
    table = tables.get(domain)
    if table is None:
        yield f"{place}: no file of this domain{nearest_name(domain, tables)}"
        return
    columns = list(map(str, table.frame.columns))
    if age.born not in columns:
        yield f"{place}['born']: no column {age.born!r} in {table.file_name}{nearest_name(age.born, columns)}"
    if name_of_age(table) in columns:
        yield f"{place}: {table.file_name} has a column {name_of_age(table)!r}; delete this line, or rename the column"
    if rule.column is not None and rule.column not in columns:
        yield f"{place}: {table.file_name} has no column {rule.column!r}, so nobody knows whose birth it is"
    if _one_day(age.at) is None and _place_of(age.at, table, tables) is None:
        yield (
            f"{place}['at']: found {age.at!r}; allowed: a column of {table.file_name}, one of another file such as "
            f'"VISITS.date", or a day such as "2024-05-01"{nearest_name(age.at, columns)}'
        )


def _one_day(at: str) -> np.datetime64 | None:
    try:
        return np.datetime64(datetime.date.fromisoformat(at), "D")
    except ValueError:
        return None


def _place_of(at: str, table: SourceTable, tables: Mapping[str, SourceTable]) -> tuple[SourceTable, str] | None:
    """The table and the column that ``at`` names; None if there is no such."""
    if at in table.frame:
        return table, at
    domain, _, column = at.partition(".")
    other = tables.get(domain)
    return (other, column) if other is not None and column in other.frame else None


def _with_age(table: SourceTable, age: AgeAt, tables: Mapping[str, SourceTable], rule: SubjectIdRule) -> SourceTable:
    born = _first_day(table, age.born, rule)
    day = _one_day(age.at)
    if day is not None:
        days = pd.Series(day, born.index)
    else:
        found = _place_of(age.at, table, tables)
        assert found is not None  # checked before
        days = _first_day(*found, rule).reindex(born.index)
    ages = pd.Series(completed_years(born, days), born.index)
    called = name_of_age(table)
    made = table.with_column_of_ids(rule.column, called, lambda ids: _of_ids(ids, ages, rule))
    at = age.at if day is not None else f"the first {age.at}"
    n_without = int(ages.isna().sum())
    why = "people have none: a date is missing, or the dates contradict each other"
    note = Note.of(
        lambda told: (
            f"{called} in years at {at}, made from {age.born}" + (f"; {told(n_without)} {why}" if n_without else "")
        )
    )
    label = {called: f"Age in years at {at}, made from the date of birth"}
    return dataclasses.replace(made, labels={**table.labels, **label}, notes=(*table.notes, note))


def _first_day(table: SourceTable, column: str, rule: SubjectIdRule) -> pd.Series:
    """The first day of each person in a column of dates, by the person's id under the rule."""
    names = [name for name in (rule.column, column) if name is not None]
    rows = table.combinations(names, None)
    assert rows is not None  # no limit
    subjects = read_subjects(rows, rule)
    days = pd.Series(days_of(rows[column].astype("str"))).groupby(subjects.code).min()
    return days.reindex(range(len(subjects.ids))).set_axis(subjects.ids)


def _of_ids(ids: pd.Series, ages: pd.Series, rule: SubjectIdRule) -> pd.Series:
    """The age of each id (n,) as text, as a file of text has it; missing where it is not known."""
    subjects: ReadSubjects = read_subjects(ids.to_frame(rule.column), rule)
    of_person = ages.reindex(subjects.ids).to_numpy()
    texts = np.array([None if np.isnan(one) else number_text(float(one)) for one in (*of_person, np.nan)], dtype=object)
    return pd.Series(texts[subjects.code], ids.index, dtype="str")
