"""FHIR R4: bulk data as flat tables, one for each type of resource, and these tables again after a release.

The tables and the roles of their columns are declared in ``study/formats/fhir/views.json``: what is read of a resource
and what each column is for are one line there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import pandas as pd

from disclosure_control.basics.encoding.columns import number_text
from study.formats.fhir.views import declared_views, views_by_resource
from study.formats.tables import SourceTable
from study.models.registry import DataModel
from study.models.roles import ColumnModel, Derive, Role, TableKind, TableModel
from study.models.study_model import StudyModel
from study.operations import Operation, OperationKind, VariableClass

BASE_TABLE, PERSON = "PATIENT", "patient_id"
# A part of a table: OBSERVATION_001.
_PART = re.compile(r"([A-Z_]+?)(_\d+)*")
# Statuses of what did not happen, or was recorded in error.
_NOT_SO = ("not-done", "not-taken", "entered-in-error", "cancelled", "refuted")
_STATUSES = ("status", "verification_status")
_FORM = (
    "These are flat tables made of FHIR R4 resources: a row for each resource, of an Observation for each value.",
    "Names, identifiers, streets, notes, narrative and extensions were not read, but for race and ethnicity (US Core).",
)
# An id that many rows name says as much of a person as the code of what it names.
_ID_OF_A_TERM = Operation(
    OperationKind.RECODE_ID, VariableClass.NOT_IDENTIFYING, "names a resource that says in words what a code says"
)
_NUMBER, _SIGN = "value_number", "value_comparator"
_IN_WORDS = ("value_display", "value_text", "value_code", "value_flag", "value_datetime")


def recognised(tables: Sequence[SourceTable]) -> str:
    """A table of one of the views, by its name and columns: as it was read, or as it was released."""
    named = (f"{table.file_name} is the table {name} of FHIR" for table in tables if (name := _table_of(table)))
    return next(named, "")


def _table_of(table: SourceTable) -> str | None:
    """The table of a file or of a part of it; None if it is not one of FHIR."""
    match = _PART.fullmatch(table.domain)
    name = match[1] if match else ""
    columns = {str(column) for column in table.frame.columns}
    if name not in _models():
        return None
    known = _models()[name]
    is_of_fhir = set(known.of_role(Role.PERSON, Role.RECORD_KEY)) <= columns <= set(known.columns)
    return name if is_of_fhir else None


def described(tables: Sequence[SourceTable], person: str | None) -> StudyModel:
    """The tables of the views; parts of one are together."""
    domains = {table.domain: _table_of(table) or table.domain for table in tables}
    known = {
        name: _models().get(name) or TableModel(name, TableKind.ROWS, "not a table of FHIR")
        for name in domains.values()
    }
    base = BASE_TABLE if BASE_TABLE in known else None
    return StudyModel("fhir", recognised(tables), PERSON, base, known, domains, BASE_TABLE, form=_FORM)


@cache
def _models() -> Mapping[str, TableModel]:
    views = {view.name.upper(): view for view in views_by_resource().values()}
    return {name: _model(name, declared, views[name].columns) for name, declared in declared_views().items()}


def _model(name: str, declared: Mapping[str, Any], columns: Sequence[Mapping[str, Any]]) -> TableModel:
    described_columns = {one["name"]: _column(name, one) for one in columns}
    statuses = [column for column in _STATUSES if column in described_columns]
    derived: dict[str, Derive] = {}
    if statuses:
        derived["happened_or_not"] = lambda frame: _not_done(frame, statuses)
    if name == "OBSERVATION":
        derived |= {"value_in_words": _in_words, _NUMBER: _exact_number}
    keys = [column for column, one in described_columns.items() if one.role in (Role.RECORD_KEY, Role.FOREIGN_KEY)]
    return TableModel(
        name,
        TableKind(declared["kind"]),
        declared["title"],
        described_columns,
        short={**declared.get("short", {}), **({"happened_or_not": "STAT"} if statuses else {})},
        derived=derived,
        order=tuple(column for column, one in described_columns.items() if one.role is Role.DATE),
        not_merged=frozenset(keys),
        has_visits=name == "ENCOUNTER",
    )


def _column(table: str, declared: Mapping[str, Any]) -> ColumnModel:
    role = Role(declared["role"])
    own = table if role is Role.RECORD_KEY or (role is Role.PERSON and table == BASE_TABLE) else ""
    refers_to = own or declared.get("refers_to", "").upper()
    return ColumnModel(
        role,
        f"{declared['path']} of FHIR",
        refers_to=refers_to,
        part_of=declared.get("label_of", ""),
        says=_ID_OF_A_TERM if role is Role.CODED_TERM and refers_to else None,
    )


def _not_done(frame: pd.DataFrame, statuses: Sequence[str]) -> pd.Series:
    """``NOT DONE`` in the rows of what did not happen, was refuted or recorded in error."""
    is_not_so = pd.Series(False, frame.index)
    for name in statuses:
        is_not_so |= frame[name].isin(_NOT_SO) if name in frame else False
    return pd.Series("NOT DONE", frame.index, dtype="str").where(is_not_so)


def _exact_number(frame: pd.DataFrame) -> pd.Series:
    """The number of an observation; missing where a sign before it says that it is a limit: ``<105`` is not 105."""
    return frame[_NUMBER].where(frame[_SIGN].isna()) if _SIGN in frame else frame[_NUMBER]


def _in_words(frame: pd.DataFrame) -> pd.Series:
    """The result of an observation that is no number: a limit, words for its code, its text, and so on."""
    words = pd.Series(pd.NA, frame.index, dtype="str")
    if _SIGN in frame and _NUMBER in frame:
        numbers = frame[_NUMBER]
        texts = numbers.map(number_text, na_action="ignore") if numbers.dtype.kind == "f" else numbers
        words = frame[_SIGN].astype("str") + texts.astype("str")
    for name in _IN_WORDS:
        words = words.fillna(frame[name]) if name in frame and frame[name].dtype.kind != "f" else words
    return words


MODEL = DataModel(
    "fhir",
    "FHIR R4 bulk data (`.ndjson`) or Bundles (`.json`), as flat tables",
    recognised,
    described,
    place=20,
)
