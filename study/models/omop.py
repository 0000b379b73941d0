"""OMOP CDM 5.3 and 5.4: an export of its tables, one file each, as CSV, tab-separated text or Parquet.

Concepts appear under their names in the merge: those of CONCEPT where it is among the files, of a few that every export
has else. The files that leave keep the ids of the concepts. What each column is for is data, ``omop.json``: patterns of
names in small letters, which files may write in any case.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import number_text
from study.formats.tables import SourceTable
from study.models.column_roles import PlainTable
from study.models.registry import DataModel
from study.models.roles import ColumnModel, Derive, Role, TableKind, TableModel
from study.models.study_model import StudyModel
from study.models.words_of_codes import in_words, text_of_code
from study.operations import Operation, OperationKind, VariableClass

PERSON, CONCEPT = "person", "concept"
PERSON_ID = "person_id"
FIRST_LOCAL_CONCEPT = 2_000_000_000  # from here on a site numbers concepts of its own
_BY_STANDARD = "its name in OMOP CDM"

LISTS: Mapping[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
OF_PEOPLE = {table: TableKind(kind) for kind, tables in LISTS["of people"].items() for table in tables}
# Names what the codes of other tables mean: the entries that these have leave.
DICTIONARIES = ("concept",)
# Tables that are not released, with the kind and the reason.
NOT_RELEASED: Mapping[str, tuple[TableKind, str]] = {
    table: (TableKind(kind), reason) for kind, reason, tables in LISTS["not released"] for table in tables
}
TABLES = (*OF_PEOPLE, *DICTIONARIES, *NOT_RELEASED)

# Where a column's name does not end with the name of the table that it refers to.
_REFERS: Mapping[str, str] = {
    "visit_detail_parent_id": "visit_detail",
    "episode_parent_id": "episode",
    "subject_id": PERSON,
}
_OF_CONCEPT = re.compile(r".*concept_id(_[12])?")
_REFERENCE = re.compile(rf"(?:.*_)?({'|'.join(sorted(TABLES, key=len, reverse=True))})_id")

# The first pattern that fits decides. What is removed, whatever its role, has the reason and the class of the column.
_PATTERNS = tuple(
    (
        re.compile(pattern),
        Role(role),
        Operation(OperationKind.REMOVE, VariableClass(removed[1]), removed[0]) if removed else None,
    )
    for pattern, role, *removed in LISTS["roles"]
)
_PARTS_OF_BIRTH = ("month_of_birth", "day_of_birth", "birth_datetime")
# A key of OMOP is a number that the database gave to the row: the same everywhere, but of no system outside of it.
_RECORD_ID = Operation(OperationKind.RECODE_ID, VariableClass.NOT_IDENTIFYING, "a number of the record in the database")


def refers_to(table: str, name: str) -> str:
    """The table whose rows a column names, "" if it names none; of a key, its own table."""
    if _OF_CONCEPT.fullmatch(name):
        return CONCEPT
    found = _REFERENCE.fullmatch(name)
    return _REFERS.get(name, found[1] if found else "")


@cache
def column_of(table: str, name: str) -> ColumnModel:
    """What a column of a table is for; a name that OMOP does not have is of no known role."""
    target = refers_to(table, name)
    if table in NOT_RELEASED:
        role = _role(table, name, target)[0]
        says = Operation(OperationKind.REMOVE_DATA_SET, VariableClass.NOT_KNOWN, NOT_RELEASED[table][1])
        return ColumnModel(role, _BY_STANDARD, refers_to=target, says=says)
    if table in DICTIONARIES:
        role = Role.RECORD_KEY if name == f"{table}_id" else Role.FOREIGN_KEY if target else Role.LABEL
        says = Operation(OperationKind.KEEP, VariableClass.NOT_IDENTIFYING, "public: a table of the vocabularies")
        return ColumnModel(role, _BY_STANDARD, refers_to=target, says=says)
    role, operation = _role(table, name, target)
    return ColumnModel(role, _BY_STANDARD, refers_to=target, part_of=_whole_of(table, name), says=operation)


def _role(table: str, name: str, target: str) -> tuple[Role, Operation | None]:
    if name == f"{table}_id" and table != PERSON:
        return Role.RECORD_KEY, _RECORD_ID
    for pattern, role, says in _PATTERNS:
        if pattern.fullmatch(name):
            return role, says
    return (Role.FOREIGN_KEY, _RECORD_ID) if target else (Role.UNKNOWN, None)


def _whole_of(table: str, name: str) -> str:
    """The column that says the same without detail: of ``gender_source_value``, ``gender_concept_id``."""
    if name in _PARTS_OF_BIRTH:
        return "year_of_birth"
    found = re.fullmatch(r"(.+?)_source_(value|concept_id)", name)
    return f"{found[1]}_concept_id" if found else ""


# ---------------------------------------------------------------- tables

NO_CONCEPT = "0"  # "No matching concept": no value
# Of an export without CONCEPT: gender, race and ethnicity as the standard vocabularies name them.
NAMES: Mapping[str, str] = LISTS["names of concepts in an export without CONCEPT"]
_NOT_KNOWN = ColumnModel(Role.UNKNOWN, "no table of OMOP CDM, and names no people")
# What rows of these tables say of a person; everything else in them names other rows.
_IN_THE_MERGE = {
    PERSON: (Role.SEX, Role.ORIGIN, Role.BIRTH_YEAR),
    "death": (Role.DEATH_DATE, Role.CODED_TERM),
}
# Columns of findings by the names that the merge has for what they contain.
_SHORT: Mapping[str, str] = LISTS["short names of findings"]
# For the recipient.
_FORM = (
    "These are tables of the OMOP CDM. Pseudonyms are whole numbers of up to 53 bits: a database needs bigint.",
    "CONCEPT, if it is here, has the concepts that occur in these files. A label in place of a concept's id was put",
    "there to protect people; 0 means no concept.",
)
_NOT_NAMED = (Role.DESCRIBES_RECORD, Role.UNKNOWN)
NamesOfConcepts = Callable[[Iterable[str]], Mapping[str, str]]


def recognised(tables: Sequence[SourceTable]) -> str:
    """A table of people by id and gender, or two tables of OMOP with its column of people."""
    found = [table for table in tables if table.domain.lower() in OF_PEOPLE and PERSON_ID in _by_small_name(table)]
    for table in found:
        if table.domain.lower() == PERSON and "gender_concept_id" in _by_small_name(table):
            return f"{table.file_name} has the people of OMOP CDM"
    if len(found) > 1:
        return f"{found[0].file_name} and {found[1].file_name} are tables of OMOP CDM"
    return ""


def described(tables: Sequence[SourceTable], person: str | None) -> StudyModel:
    """The tables of an export; whatever else is among the files is a table of people if it names them."""
    names = _names_of_concepts(tables)
    models = {table.domain: _table(table, names) for table in tables}
    known = {name: None for table in tables for name in map(str, table.frame.columns)}
    own = next((name for name in known if name.lower() == PERSON_ID), PERSON_ID)
    return StudyModel(
        "omop",
        recognised(tables),
        person if person in known else own,
        PERSON.upper() if PERSON.upper() in models else None,
        models,
        form=_FORM,
        ids_are_numbers=True,
        has_empty_tables=True,
    )


def _by_small_name(table: SourceTable) -> dict[str, str]:
    """The columns of a table by their names in small letters."""
    return {name.lower(): name for name in map(str, table.frame.columns)}


# ---------------------------------------------------------------- tables


def _table(table: SourceTable, names: NamesOfConcepts) -> TableModel:
    name, written = table.domain.lower(), _by_small_name(table)
    kind, reason = _kind(name, written)
    is_known = name in TABLES or PERSON_ID in written
    columns = {own: _column(name, small, written) if is_known else _NOT_KNOWN for small, own in written.items()}
    if name not in OF_PEOPLE:
        return TableModel(table.domain, kind, reason, columns)
    columns |= _answers(table, columns, written)
    shown = _IN_THE_MERGE.get(name, set(Role) - {Role.RECORD_KEY, Role.SITE})
    left = [own for own, column in columns.items() if column.part_of or column.role not in shown]
    left += [own for small, own in written.items() if small == "death_datetime"]
    short = _short_names(name, table, written) if kind is TableKind.FINDINGS else {}
    return TableModel(
        table.domain,
        kind,
        reason,
        columns,
        short=short,
        derived=_derived(table, columns, short, names),
        order=tuple(own for own, column in columns.items() if column.role in (Role.DATE, Role.DEATH_DATE)),
        not_merged=frozenset(left),
        no_term=frozenset([NO_CONCEPT]),
    )


def _kind(name: str, written: Mapping[str, str]) -> tuple[TableKind, str]:
    if name in OF_PEOPLE:
        return OF_PEOPLE[name], ""
    if name in NOT_RELEASED:
        return NOT_RELEASED[name]
    if name in DICTIONARIES:
        return TableKind.DICTIONARY, "a table of the vocabularies"
    if PERSON_ID in written:
        return TableKind.ROWS, ""
    return TableKind.DICTIONARY, "it names no people, and is no table of OMOP CDM"


def _column(table: str, name: str, written: Mapping[str, str]) -> ColumnModel:
    """What OMOP says of a column, other tables and columns named as the files write them."""
    found = column_of(table, name)
    return dataclasses.replace(found, refers_to=found.refers_to.upper(), part_of=written.get(found.part_of, ""))


def _answers(
    table: SourceTable, columns: Mapping[str, ColumnModel], written: Mapping[str, str]
) -> dict[str, ColumnModel]:
    """The text of an observation as a category, where it is one of a few words that many people have."""
    own = written.get("value_as_string")
    seen = PlainTable(table, written.get(PERSON_ID)).role(own) if own else None
    if own is None or seen is None or seen.role not in (Role.CATEGORY, Role.FLAG):
        return {}
    return {own: dataclasses.replace(columns[own], role=Role.CATEGORY, reason=seen.reason, is_guessed=True)}


def _short_names(name: str, table: SourceTable, written: Mapping[str, str]) -> dict[str, str]:
    moment, day = f"{name}_datetime", f"{name}_date"
    is_timed = moment in written and int(table.counts_of(written[moment]).sum()) == table.n_rows
    short = {f"{name}_concept_id": "TEST", **_SHORT, moment if is_timed else day: "DTC"}
    return {written[small]: called for small, called in short.items() if small in written}


# ---------------------------------------------------------------- concepts


def _derived(
    table: SourceTable, columns: Mapping[str, ColumnModel], short: Mapping[str, str], names: NamesOfConcepts
) -> dict[str, Derive]:
    """Columns of concepts under their names; a unit without a concept as the source writes it."""
    unit = _by_small_name(table).get("unit_source_value", "")
    return {
        name: _named(table, name, names, unit if short.get(name) == "STRESU" else "")
        for name, column in columns.items()
        if column.refers_to == CONCEPT.upper()
        and not column.part_of
        and (not short or name in short)  # of findings no other column is merged
        and column.role not in _NOT_NAMED
    }


def _named(table: SourceTable, name: str, names: NamesOfConcepts, beside: str) -> Derive:
    @cache
    def known() -> Mapping[str, str]:
        return names(map(text_of_code, table.counts_of(name).index))

    def derive(frame: pd.DataFrame) -> pd.Series:
        if name not in frame:  # of rows that leave without it
            return pd.Series(np.nan, frame.index, name=name, dtype="str")
        of_concept = known()
        named = in_words(frame[name], lambda concept: _name(concept, of_concept))
        return named.fillna(frame[beside].astype("str")) if beside in frame else named

    return derive


def _name(concept: str, names: Mapping[str, str]) -> str | None:
    return None if concept.strip() == NO_CONCEPT else names.get(concept.strip(), concept)


def _names_of_concepts(tables: Sequence[SourceTable]) -> NamesOfConcepts:
    """The names of concepts by id, each once: a name that several of the ids have is followed by the id."""
    concepts = next((table for table in tables if table.domain.lower() == CONCEPT), None)
    written = {} if concepts is None else _by_small_name(concepts)

    @cache
    def index() -> pd.Series:
        if concepts is None or not {"concept_id", "concept_name"} <= set(written):
            return pd.Series(NAMES)
        ids = concepts.column(written["concept_id"])
        texts = ids.astype("str").str.strip() if ids.dtype.kind != "f" else ids.map(number_text, na_action="ignore")
        found = pd.Series(concepts.column(written["concept_name"]).to_numpy(dtype=object), pd.Index(texts))
        found = found[~found.index.duplicated() & found.notna().to_numpy()]
        return pd.concat([found, pd.Series(NAMES).drop(found.index, errors="ignore")])

    def names(ids: Iterable[str]) -> dict[str, str]:
        found = index().reindex(list(dict.fromkeys(ids))).dropna()
        is_shared = found.duplicated(keep=False)
        # LOINC's "Glucose [Mass/volume]" in parentheses: in brackets the merge puts what distinguishes measurements.
        return {
            str(one): (f"{name} ({one})" if shared else str(name)).replace("[", "(").replace("]", ")")
            for one, name, shared in zip(found.index, found, is_shared, strict=True)
        }

    return names


MODEL = DataModel(
    "omop",
    "OMOP CDM 5.3 and 5.4, one file for each table, as CSV, tab-separated text or Parquet",
    recognised,
    described,
    place=30,
)
