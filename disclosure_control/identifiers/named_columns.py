"""Columns that identify a person or contain free text by their names, and why.

A variable of SDTM is judged by its line in the table of operations, any other heading by the words of ``words.json``.
The scan of values finds columns with other headings.
"""

from __future__ import annotations

from collections.abc import Sequence

from disclosure_control.basics.column_names import variables_of
from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN
from study.concepts import concept_of
from study.models.role_words import role_of_heading
from study.models.roles import Role
from study.models.sdtm_operations import operation_of
from study.operations import OperationKind

# An id that a release gives anew is dropped where nothing gives it anew.
_DROPPED = (OperationKind.REMOVE_DATA_SET, OperationKind.REMOVE, OperationKind.RECODE_SUBJECT, OperationKind.RECODE_ID)
_NAMING = (Role.BIRTH, Role.IDENTIFIER, Role.VERBATIM)


def identifier_columns(columns: Sequence[str]) -> dict[str, str]:
    """Column -> reason to drop it, for columns that name a person or hold free text, without the subject's own id.

    A number at the end of a name makes no difference.
    """
    found = {}
    for column in columns:
        domain = column.partition("__")[0] if "__" in column else ""
        why = (_why(domain, variable.rstrip("0123456789 ")) for variable in variables_of(column))
        if column != SUBJECT_COLUMN and (reason := next(filter(None, why), "")):
            found[column] = reason
    return found


def _why(domain: str, variable: str) -> str:
    if variable.isupper():
        says = operation_of(domain, variable)
        if says.operation in _DROPPED:
            return says.reason
    named = role_of_heading(variable)
    is_naming = named is not None and named.role in _NAMING and concept_of(variable) is None
    return named.reason if named is not None and is_naming else ""
