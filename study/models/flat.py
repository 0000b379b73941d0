"""Plain tables: one or more, of a register, an electronic record or a questionnaire, which no standard describes.

What a column is for is guessed from its heading and values (``column_roles``), what the rows of a table are from both,
too (``long_tables``). Roles are guessed when they are asked for: a merge of people with one row each asks for none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from study.formats.tables import SourceTable
from study.headings import is_number, names_subjects, words_of
from study.models.column_roles import GuessedColumns, PlainTable, is_unique
from study.models.long_tables import rows_of
from study.models.registry import DataModel
from study.models.role_words import names_a_label, names_a_term, role_of_heading
from study.models.roles import ColumnModel, Role, TableKind, TableModel
from study.models.study_model import StudyModel

FLAT = "flat"  # the name of the model
_NAME_OF_A_DICTIONARY = re.compile(
    r".*\b(dictionary|codebook|code ?book|legend|legende|lookup|katalog|catalog|catalogue|schluessel|diccionario|"
    r"dizionario|glossary|glossar|terminology|codes|concepts?|kodebuch|codelist|codeliste)\b.*"
)
_MOST_COLUMNS_OF_A_DICTIONARY = 6
# Roles that only a row about a person has.
_OF_PEOPLE = (Role.BIRTH, Role.BIRTH_YEAR, Role.AGE, Role.SEX, Role.ORIGIN, Role.DATE, Role.DEATH, Role.DEATH_DATE)


def described(tables: Sequence[SourceTable], person: str | None) -> StudyModel:
    """Each file is a table of its own; a single one lists the people, of several whoever is named in any of them."""
    named = person if any(person in table.frame for table in tables) else None
    models = {table.domain: _table(table, named, tables) for table in tables}
    base = next(iter(models)) if len(models) == 1 else None
    return StudyModel(FLAT, "no other model recognises the files", named, base, models)


def _table(table: SourceTable, person: str | None, tables: Sequence[SourceTable]) -> TableModel:
    others = [one for one in tables if one is not table]
    own = person if person in table.frame else _named_person(table)
    if own is None and others and (left_out := _of_no_person(table, others)):
        told = _told_of_dictionary(table)
        columns = GuessedColumns(PlainTable(table, None, told, others))
        return TableModel(table.domain, TableKind.DICTIONARY, left_out, columns)
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


def _of_no_person(table: SourceTable, others: Sequence[SourceTable]) -> str:
    """Why no row of a table is that of a person: it explains codes, or other tables refer to it; "" if not so."""
    columns = list(map(str, table.frame.columns))
    roles = [says.role for name in columns if (says := role_of_heading(name))]
    name = words_of(table.domain)
    if names_subjects(name.removesuffix("s").removesuffix("en")):
        return ""
    if _NAME_OF_A_DICTIONARY.fullmatch(name):
        return "a dictionary, by its name: it says what codes of other tables mean"
    if len(columns) <= _MOST_COLUMNS_OF_A_DICTIONARY and not any(role in _OF_PEOPLE for role in roles):
        coded = [one for one in columns if names_a_term(one) or is_number(one)]
        if any(map(names_a_label, columns)) and any(is_unique(table, one) for one in coded):
            return "a dictionary: each row has a code of its own and what it means"
    keys = [one for one in columns if is_number(one) and is_unique(table, one)]
    things = {words_of(str(one)) for other in others for one in other.frame.columns}
    if keys and any(name in (thing, f"{thing}s", f"{thing}es") for thing in things):
        return "a list to which other tables refer; no row is that of a person"
    return ""


def _told_of_dictionary(table: SourceTable) -> dict[str, ColumnModel]:
    """Of codes and what they mean nothing needs to be guessed from values, each of which is there once."""
    told = {}
    for name in map(str, table.frame.columns):
        if names_a_label(name):
            told[name] = ColumnModel(Role.LABEL, "it says what the code beside it means", is_guessed=True)
        elif names_a_term(name):
            told[name] = ColumnModel(Role.CODED_TERM, "the code that the dictionary explains", is_guessed=True)
    return told


MODEL = DataModel(
    "flat",
    "plain tables: one or more, joined by the person",
    lambda tables: "plain tables",
    described,
    100,
    has_legends=True,
)
