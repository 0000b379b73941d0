"""The OMOP Common Data Model 5.3 and 5.4: which tables there are, and what each column is for, by patterns of names.

The lists are data, ``omop_columns.json``. Names are in small letters there; files may write them in any case.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from study.models.roles import ColumnModel, Role, TableKind
from study.operations import Operation, OperationKind, VariableClass

PERSON, CONCEPT = "person", "concept"
PERSON_ID = "person_id"
FIRST_LOCAL_CONCEPT = 2_000_000_000  # from here on a site numbers concepts of its own
_BY_STANDARD = "its name in OMOP CDM"

_CLASS = VariableClass
_REMOVE, _REMOVE_TABLE, _KEEP = OperationKind.REMOVE, OperationKind.REMOVE_DATA_SET, OperationKind.KEEP


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
        Operation(_REMOVE, VariableClass(removed[1]), removed[0]) if removed else None,
    )
    for pattern, role, *removed in LISTS["roles"]
)
_PARTS_OF_BIRTH = ("month_of_birth", "day_of_birth", "birth_datetime")
# A key of OMOP is a number that the database gave to the row: the same everywhere, but of no system outside of it.
_RECORD_ID = Operation(OperationKind.RECODE_ID, _CLASS.NOT_IDENTIFYING, "a number of the record in the database")


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
        says = Operation(_REMOVE_TABLE, _CLASS.NOT_KNOWN, NOT_RELEASED[table][1])
        return ColumnModel(role, _BY_STANDARD, refers_to=target, says=says)
    if table in DICTIONARIES:
        role = Role.RECORD_KEY if name == f"{table}_id" else Role.FOREIGN_KEY if target else Role.LABEL
        says = Operation(_KEEP, _CLASS.NOT_IDENTIFYING, "public: a table of the vocabularies")
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
