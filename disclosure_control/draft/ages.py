"""The drafted age: of people with a date of birth and no age, at the first day that the files have of each."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Sequence
from pathlib import Path

from disclosure_control.draft.literal import DraftedValue, Group, Node
from study.formats.files import files_of
from study.formats.tables import SourceTable, without_moments
from study.models.roles import Role, TableKind
from study.models.study_model import StudyModel

HAS_AN_AGE = (Role.AGE, Role.BIRTH_YEAR)
_WHY = "the files have a date of birth and no age; it is made at {}, and the date of birth stays out"


def draft_ages(tables: Sequence[SourceTable], model: StudyModel, person: str | None, folder: Path) -> dict[str, Node]:
    """The lines of ``merge["age"]``: none where people have an age or a year of birth, or no date of birth.

    ``person`` is the column that names the person. One table gets a line: that of the people, else the one with the
    most people.
    """
    if any(known.of_role(*HAS_AN_AGE) for known in model.tables.values()):
        return {}
    with_birth = [
        (table, born)
        for table in tables
        if person is None or person in table.frame
        for born in _births(table, model)[:1]
    ]
    if not with_birth:
        return {}
    table, born = max(with_birth, key=lambda pair: (pair[0].domain == model.base, _n_people(pair[0], person)))
    at, words = _day(table, tables, model, person, folder)
    lines = {"born": DraftedValue(born), "at": DraftedValue(at)}
    return {_named(table, tables): Group(lines, _WHY.format(words), review=True)}


def _named(table: SourceTable, tables: Iterable[SourceTable]) -> str:
    """The domain of a table as the config for this and the next export names it."""
    return without_moments(one.domain for one in tables)[table.domain]


def _births(table: SourceTable, model: StudyModel) -> list[str]:
    known = model.table(table.domain)
    return [] if known is None else [name for name in known.of_role(Role.BIRTH) if name in table.frame]


def _n_people(table: SourceTable, person: str | None) -> int:
    return table.n_rows if person is None else len(table.counts_of(person))


def _day(
    table: SourceTable, tables: Sequence[SourceTable], model: StudyModel, person: str | None, folder: Path
) -> tuple[str, str]:
    """The day at which people have their age, as the config names it, and in words: the nearest that the files have."""
    own = [name for name in (*reversed(model.starts), *_days(table, model)) if name in table.frame]
    if own:
        return own[0], f"the person's first {own[0]}"
    others = [
        (other, days[0])
        for other in tables
        if other is not table and person is not None and person in other.frame and (days := _days(other, model))
    ]
    if others:
        is_of_visits = model.tables_of_visits
        other, day = max(others, key=lambda one: (one[0].domain in is_of_visits, _n_people(one[0], person)))
        domain = _named(other, tables)
        return f"{domain}.{day}", f"the person's first {day} in {domain}"
    made = max((path.stat().st_mtime for path in files_of(folder / table.file_name) if path.is_file()), default=0.0)
    day = datetime.date.fromtimestamp(made).isoformat()
    return day, f"{day}, the day on which {table.file_name} was written, for no file has a day of its people"


def _days(table: SourceTable, model: StudyModel) -> list[str]:
    """The columns with days of the rows, those first by which the rows follow each other in time."""
    known = model.table(table.domain)
    if known is None or known.kind is TableKind.DICTIONARY:
        return []
    dates = known.of_role(Role.DATE)
    first = [name for name in known.order if name in dates]
    return [name for name in dict.fromkeys([*first, *dates]) if name in table.frame]
