"""Plain tables: one or more, of a register, an electronic record or a questionnaire, which no standard describes.

What a column is for is guessed from its heading and values (``column_roles``), what the rows of a table are from both,
too (``long_tables``). Roles are guessed when they are asked for: a merge of people with one row each asks for none.
"""

from __future__ import annotations

from collections.abc import Sequence

from study.formats.tables import SourceTable
from study.headings import is_number, names_subjects, words_of
from study.models.column_roles import GuessedColumns, PlainTable, is_unique
from study.models.long_tables import rows_of
from study.models.registry import DataModel
from study.models.roles import TableKind, TableModel
from study.models.study_model import StudyModel

FLAT = "flat"  # the name of the model


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
        return TableModel(
            table.domain, TableKind.DICTIONARY, reason, GuessedColumns(PlainTable(table, None, {}, others))
        )
    rows = rows_of(PlainTable(table, own, others=others), not others)
    return TableModel(
        table.domain,
        rows.kind,
        rows.reason,
        GuessedColumns(PlainTable(table, own, rows.told, others)),
        short=rows.short,
        order=rows.order,
        of_person=rows.of_person,
    )


def _named_person(table: SourceTable) -> str | None:
    """The column whose heading names the person, where the config's name is not in the table."""
    return next((str(name) for name in table.frame.columns if names_subjects(str(name))), None)


def _why_a_list(table: SourceTable, others: Sequence[SourceTable]) -> str:
    """Why no row of a table is that of a person: its rows have ids, and other tables have a column of its name.

    Such a list is ``ORGANIZATIONS`` beside a column ``ORGANIZATION``; "" if it is none. What explains codes is a
    legend, and recognised before.
    """
    name = words_of(table.domain)
    if names_subjects(name.removesuffix("s").removesuffix("en")):
        return ""
    keys = [one for one in map(str, table.frame.columns) if is_number(one) and is_unique(table, one)]
    things = {words_of(str(one)) for other in others for one in other.frame.columns}
    if keys and any(name in (thing, f"{thing}s", f"{thing}es") for thing in things):
        return "a list to which other tables refer; no row is that of a person"
    return ""


MODEL = DataModel(
    "flat",
    "plain tables: one or more, joined by the person",
    lambda tables: "plain tables",
    described,
    100,
    has_legends=True,
)
