"""Plain tables: one or more, of a register, a clinic's export or a questionnaire, which no standard describes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from study.formats.tables import SourceTable
from study.models.registry import DataModel
from study.models.roles import ColumnModel, Role, TableKind, TableModel
from study.models.sdtm_operations import operation_of
from study.models.study_model import StudyModel
from study.operations import NOT_IN_THE_TABLE

_TIME = re.compile(r"(?i)(.*[_\W])?(date|datum|day|visit(num|no|nr)?|dtc?)([_\W].*)?")


def _column(name: str, domain: str, person: str | None) -> ColumnModel:
    if name == person:
        return ColumnModel(Role.PERSON, "it names the person")
    says = operation_of(domain, name)
    role = Role.DATE if _TIME.fullmatch(name) else Role.UNKNOWN
    return ColumnModel(role, says=None if says == NOT_IN_THE_TABLE else says)


def described(tables: Sequence[SourceTable], person: str | None) -> StudyModel:
    """Each file is a table of its own; a single one lists the people, of several whoever is named in any of them."""
    models: dict[str, TableModel] = {}
    for table in tables:
        columns = list(map(str, table.frame.columns))
        models[table.domain] = TableModel(
            table.domain,
            TableKind.ROWS,
            columns={name: _column(name, table.domain, person) for name in columns},
            order=tuple(name for name in columns if _TIME.fullmatch(name)),
        )
    base = next(iter(models)) if len(models) == 1 else None
    return StudyModel("flat", "no other model recognises the files", person, base, models)


MODEL = DataModel(
    "flat", "plain tables: one or more, joined by the person", lambda tables: "plain tables", described, 100
)
