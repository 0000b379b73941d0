"""Plain tables: one or more, of a register, an electronic record or a questionnaire, which no standard describes.

What a column is for is guessed from its heading and values (``column_roles``), what the rows of a table are from both,
too (``long_tables``). Roles are guessed when they are asked for: a merge of people with one row each asks for none.
"""

from __future__ import annotations

from collections.abc import Sequence

from study.formats.tables import SourceTable
from study.headings import is_number, names_subjects, words_of
from study.models.column_roles import PEOPLE_OF_A_CATEGORY, PlainTable, is_unique
from study.models.long_tables import rows_of
from study.models.role_words import role_of_heading
from study.models.roles import TableKind, TableModel
from study.models.study_model import DataModel, StudyModel

FLAT = "flat"  # the name of the model
LISTED = 0.8  # of the values in rows of people, at least this share is in a list


def described(tables: Sequence[SourceTable], person: str | None) -> StudyModel:
    """Each file is a table of its own; a single one lists the people, of several whoever is named in any of them."""
    named = person if any(person in table.frame for table in tables) else None
    models = {table.domain: _table(table, named, tables) for table in tables}
    base = next(iter(models)) if len(models) == 1 else None
    return StudyModel(FLAT, "no other model recognises the files", named, base, models)


def _table(table: SourceTable, person: str | None, tables: Sequence[SourceTable]) -> TableModel:
    others = [one for one in tables if one is not table]
    own = person if person in table.frame else _named_person(table)
    if own is None and (reason := _why_a_list(table, others)):
        listed = PlainTable(table, None, {}, others, is_of_people=False)
        return TableModel(table.domain, TableKind.DICTIONARY, reason, listed.roles)
    return rows_of(PlainTable(table, own, others=others), not others)


def _named_person(table: SourceTable) -> str | None:
    """The column whose heading names the person, where the config's name is not in the table."""
    return next((str(name) for name in table.frame.columns if names_subjects(str(name))), None)


def _why_a_list(table: SourceTable, others: Sequence[SourceTable]) -> str:
    """Why no row of a table is that of a person: its rows have ids, and other tables have a column of its name.

    Such a list is ``ORGANIZATIONS`` beside a column ``ORGANIZATION``, or has a column ``itemid`` with another value in
    each row, which rows of many people name; "" if it is none. What explains codes is a legend, and recognised before.
    """
    name = words_of(table.domain)
    if names_subjects(name.removesuffix("s").removesuffix("en")):
        return ""
    keys = [one for one in map(str, table.frame.columns) if is_number(one) and is_unique(table, one)]
    things = {words_of(str(one)) for other in others for one in other.frame.columns}
    is_named = bool(keys) and any(name in (thing, f"{thing}s", f"{thing}es") for thing in things)
    if is_named or any(_names_shared_rows(str(one), table, others) for one in table.frame.columns):
        return "a list to which other tables refer; no row is that of a person"
    return ""


def _names_shared_rows(name: str, table: SourceTable, others: Sequence[SourceTable]) -> bool:
    """Whether each row of a table has its value in a column, and rows of people name these, the commonest of many.

    A household, a sample or a case is shared by few or by nobody. Numbers that only count, dates and visits name no
    rows of another table.
    """
    if is_number(name) or role_of_heading(name) is not None:
        return False
    naming = [(other, person) for other in others if name in other.frame and (person := _named_person(other))]
    if not naming or not is_unique(table, name):
        return False
    listed = table.counts_of(name).index
    for other, person in naming:
        counts = other.counts_of(name)
        if not len(counts) or counts.index.isin(listed).mean() < LISTED:
            continue
        commonest = min(counts.index[counts == counts.max()])
        if other.has_several(
            person,
            name,
            lambda values, one=commonest: (values == one).to_numpy(dtype=bool, na_value=False),  # type: ignore[misc]
            PEOPLE_OF_A_CATEGORY,
        ):
            return True
    return False


MODEL = DataModel(
    "flat",
    "plain tables: one or more, joined by the person",
    lambda tables: "plain tables",
    described,
    100,
    has_legends=True,
)
