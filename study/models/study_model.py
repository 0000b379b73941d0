"""A study as its data model describes it: its tables, whose row each is, keys, and what every column is for."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from study.models.roles import ColumnModel, Role, TableKind, TableModel
from study.operations import NOT_IN_THE_TABLE, NOT_UNDERSTOOD, Operation, OperationKind, VariableClass

# Tables that are no part of the merge: no row of them is that of a person, or it holds free text alone.
NOT_MERGED = (TableKind.DESIGN, TableKind.RELATIONS, TableKind.DICTIONARY, TableKind.LEGEND, TableKind.FREE_TEXT)
# Tables that may have a visit or a stay in each row.
OF_VISITS = (TableKind.TIMING, TableKind.ROWS)

# What is done with a column of a role before a release, where the standard does not say.
OPERATION_OF_ROLE: Mapping[Role, Operation] = {Role.UNKNOWN: NOT_IN_THE_TABLE} | {
    Role(role): Operation(OperationKind(operation), VariableClass(of_class), reason)
    for role, operation, of_class, reason in json.loads(
        Path(__file__).with_name("role_operations.json").read_text(encoding="utf-8")
    )["operations"]
}


@dataclass(frozen=True)
class StudyModel:
    """The tables of a study by domain, and the column ``person`` that names the person of each row.

    ``model`` names the data model, ``reason`` says how it was recognised. ``base`` is the domain that lists the people;
    None: all whom any table names, unless the model has one that must list them, ``base_needed``.
    ``domain_of_data_set``: the name of a file's data set (``LBCH``) -> the domain of its variables. ``standard`` says
    what is done with a variable that is no column: a QNAM, a code of a test. ``form``: lines for the recipient, where
    the study leaves in another form than it came in. ``ids_are_numbers``: ids are whole numbers, and pseudonyms of
    people and records have to be such, too, for a database to take them. ``has_empty_tables``: exports have a file
    for each table of the database, also for those without records. ``facts``: the kinds of facts of rows that
    are counted where the config names none, and whether their months count; none: every kind that the tables have
    columns for, with months.
    """

    model: str
    reason: str
    person: str | None
    base: str | None
    tables: Mapping[str, TableModel]
    domain_of_data_set: Mapping[str, str] = field(default_factory=dict)
    base_needed: str = ""
    standard: Callable[[str, str], Operation] = field(default=lambda domain, variable: NOT_IN_THE_TABLE, repr=False)
    form: tuple[str, ...] = ()
    ids_are_numbers: bool = False
    has_empty_tables: bool = False
    facts: Mapping[str, bool] = field(default_factory=dict)

    def domain(self, data_set: str) -> str:
        """The domain of a data set; its own name, where it is no part of another."""
        return self.domain_of_data_set.get(data_set, data_set)

    def table(self, data_set: str) -> TableModel | None:
        """What is known of a data set or domain."""
        return self.tables.get(data_set) or self.tables.get(self.domain(data_set))

    def column(self, data_set: str, name: str) -> ColumnModel | None:
        """What a column of a data set is for; None where it is not in the model."""
        table = self.table(data_set)
        return None if table is None else table.columns.get(name)

    def operation(self, domain: str, variable: str) -> Operation:
        """What is done with a variable before a release: as its standard says, else as is done with its role."""
        column = self.column(domain, variable)
        if column is None:
            return self.standard(domain, variable)
        return NOT_UNDERSTOOD if column.is_closed else column.says or OPERATION_OF_ROLE[column.role]

    def key_scope(self, domain: str, variable: str) -> tuple[bool, str]:
        """Whether a key counts within a person alone, and the table whose rows it names, "" where that is not known."""
        column, table = self.column(domain, variable), self.table(domain)
        if column is not None:
            return column.within_person, column.refers_to
        return table is not None and bool(table.prefix) and variable.upper().startswith(table.prefix), ""

    @property
    def starts(self) -> list[str]:
        """The columns that say when the study began for a person; the last with a value counts."""
        return list(dict.fromkeys(name for table in self.tables.values() for name in table.starts))

    @property
    def tables_of_visits(self) -> list[str]:
        """The tables with a visit or a stay in each row: they name visits, or rows of other tables name theirs.

        Visits are no events: of a prescription, which an administration names, this is not so.
        """
        named = {
            column.refers_to
            for name, table in self.tables.items()
            for column in table.columns.values()
            if column.role is Role.FOREIGN_KEY and column.refers_to != name
        }
        return [
            name
            for name, table in self.tables.items()
            if table.has_visits
            or (table.kind is TableKind.TIMING and table.of_role(Role.VISIT))
            or (name in named and table.kind in OF_VISITS and table.of_role(Role.DATE))
        ]

    @property
    def left_out(self) -> dict[str, str]:
        """The domains that are no part of a merge, each with the reason."""
        return {name: table.reason for name, table in self.tables.items() if table.kind in NOT_MERGED}


NOTHING_KNOWN = StudyModel("", "", None, None, {})
