"""Columns that identify a person or contain free text by their names, and why.

A variable of SDTM is judged by its line in the table of operations, any other heading by the words of ``words.json``:
a number of the subject or of a site goes as SUBJID and SITEID do. The scan of values finds columns with other headings.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from disclosure_control.basics.column_names import variables_of
from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN
from study.concepts import concept_of
from study.headings import names_subjects
from study.models.role_words import is_key, role_of_heading
from study.models.roles import Role
from study.models.sdtm_operations import NAMES_AND_TEXTS, operation_of
from study.operations import OperationKind, VariableClass

# An id that a release gives anew is dropped where nothing gives it anew.
_DROPPED = (OperationKind.REMOVE_DATA_SET, OperationKind.REMOVE, OperationKind.RECODE_SUBJECT, OperationKind.RECODE_ID)
_POINT = re.compile(r"\b\.\b")
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
        is_direct = says.variable_class is VariableClass.DIRECT_IDENTIFIER or says in NAMES_AND_TEXTS
        if says.operation in _DROPPED and is_direct:  # K judges places, groups of age and the like
            return says.reason
    named, numbers = role_of_heading(variable), is_key(variable)
    if named is None:
        return "identifies the subject in other files" if numbers and names_subjects(variable) else ""
    # A point between words cuts none off: "birth.date" is no year of birth.
    is_naming = named.role in _NAMING and concept_of(_POINT.sub(" ", variable)) is None
    return named.reason if is_naming or (named.role is Role.SITE and numbers) else ""
