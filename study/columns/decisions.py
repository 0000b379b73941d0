"""What is decided about single columns: in the sheet, by a person, or in the config, which stands above it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass

from disclosure_control.basics.settings.fields import SettingsGroup, setting
from disclosure_control.basics.settings.kinds import FLAG, TEXTS, one_of
from study.models.column_roles import SEEN
from study.models.roles import ColumnModel, ColumnsAskedFor, Role
from study.models.study_model import OPERATION_OF_ROLE, StudyModel
from study.operations import NOT_UNDERSTOOD, Operation, OperationKind

# The person of a row is named by ``subject_id``, and nobody decides that a column is unknown.
ROLES_TO_DECIDE = tuple(role for role in Role if role not in (Role.PERSON, Role.UNKNOWN))
_SAYS_LITTLE = (Role.NUMBER, Role.CATEGORY, Role.FLAG)  # of these, outsiders may know some and not others


@dataclass(frozen=True)
class ColumnDecision(SettingsGroup):
    """What a person says of a column; None, or no codes, where they say nothing."""

    role: Role | None = setting(
        one_of(*ROLES_TO_DECIDE, Role.UNKNOWN).read_as(Role), "what it is for; unknown: it stays here", None
    )
    known_to_outsiders: bool | None = setting(FLAG, "whether outsiders may know its values", None)
    missing: tuple[str, ...] = setting(TEXTS.but("a list of codes"), "codes in it that mean missing", ())
    kept: tuple[str, ...] = setting(TEXTS.but("a list of values"), "values in it that look like codes for missing", ())

    @property
    def opens(self) -> bool:
        """Whether somebody decided about the column, and not of codes in it alone."""
        return self.role not in (None, Role.UNKNOWN) or self.known_to_outsiders is not None


Decided = Mapping[str, ColumnDecision]  # by the name of the column in the combined dataset, ``TABLE__column``


def known_by_decision(decided: Decided) -> dict[str, bool]:
    """Of which columns somebody decided whether outsiders know them."""
    return {name: one.known_to_outsiders for name, one in decided.items() if one.known_to_outsiders is not None}


def staying_here(decided: Decided) -> list[str]:
    """The columns of which the sheet says that nobody understood them yet."""
    return [name for name, one in decided.items() if one.role is Role.UNKNOWN]


def by_column(decided: Decided, table: str, what: str) -> dict[str, tuple[str, ...]]:
    """What was decided of the values of a table, by column: the codes ``missing``, or those that are ``kept``."""
    apart = ((*name.partition("__"), getattr(one, what)) for name, one in decided.items() if getattr(one, what))
    return {column: values for of, _, column, values in apart if of == table}


def with_decisions(model: StudyModel, decided: Decided) -> StudyModel:
    """The model, the columns of its tables being what somebody decided that they are.

    A variable that is no column, as rows of supplemental tables name it, has the operation of its role.
    """
    if not decided:
        return model
    of_table: dict[str, dict[str, ColumnDecision]] = {}
    for name, one in decided.items():
        table, _, column = name.partition("__")
        of_table.setdefault(table, {})[column] = one
    tables = {
        name: dataclasses.replace(table, columns=_as_decided(table.columns, of_table[name]))
        if name in of_table
        else table
        for name, table in model.tables.items()
    }

    def standard(domain: str, variable: str) -> Operation:
        decision = of_table.get(domain, {}).get(variable, ColumnDecision())
        says = model.standard(domain, variable)
        if decision.role is Role.UNKNOWN:
            return NOT_UNDERSTOOD
        if decision.role is not None or (decision.opens and says.operation is OperationKind.REVIEW):
            return OPERATION_OF_ROLE[decision.role or Role.CATEGORY]
        return says

    return dataclasses.replace(model, tables=tables, standard=standard)


def _as_decided(columns: Mapping[str, ColumnModel], decided: Decided) -> ColumnsAskedFor:
    """The columns of a table as decided; what the model says of them is asked only when a column is."""
    return ColumnsAskedFor(columns, lambda name: _decided_column(columns[name], decided.get(name, ColumnDecision())))


def _decided_column(column: ColumnModel, decision: ColumnDecision) -> ColumnModel:
    if decision.role is Role.UNKNOWN:
        return dataclasses.replace(column, is_closed=True)
    if decision.role not in (None, column.role):
        why = "as decided in the sheet of columns"
        column = dataclasses.replace(column, role=decision.role, reason=why, says=None, is_guessed=True)
    if decision.opens:
        role = Role.CATEGORY if column.role is Role.UNKNOWN else column.role
        column = dataclasses.replace(column, role=role, is_closed=False)
    if decision.known_to_outsiders and column.says is None and column.role in _SAYS_LITTLE:
        return dataclasses.replace(column, says=SEEN)
    is_unseen = decision.known_to_outsiders is False and column.says is SEEN
    return dataclasses.replace(column, says=None) if is_unseen else column
