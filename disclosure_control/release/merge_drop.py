"""What the config leaves out of the combined dataset (``merge["drop"]``) does not leave in the study's files either."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from disclosure_control.release.people import RecodedColumn
from study.models.roles import Role, TableKind
from study.models.study_model import StudyModel
from study.operations import Operation, OperationKind, OperationRule, VariableClass

LEFT_OUT = 'left out by the config, under "merge", "drop"'
# Pseudonyms take the place of these, and keep the study's files together.
_COPY_PEOPLE = ("sdtm", "adam")  # elsewhere, a name of two tables has two meanings
_STAYS = (OperationKind.RECODE_SUBJECT, OperationKind.RECODE_ID, OperationKind.NUMBER_ANEW)


def rules_of_drop(drop: Sequence[str], model: StudyModel) -> tuple[OperationRule, ...]:
    """The lines of a table of operations that remove the variables of dropped columns, in their domain. Keys stay, as
    pseudonyms; so do dates of events outside CDISC, moved.

    Variables of SDTM's people are removed from every file: analysis data sets copy them.
    """
    return tuple(_rules(drop, model))


def _rules(drop: Sequence[str], model: StudyModel) -> Iterator[OperationRule]:
    for domain, variable in _variables(drop):
        if model.operation(domain, variable).operation in _STAYS or _is_moved(model, domain, variable):
            continue
        is_copied = domain == model.base and model.model in _COPY_PEOPLE
        pattern = f"*.{variable}" if is_copied else f"{domain}.{variable}"
        known = model.operation(domain, variable).variable_class
        variable_class = VariableClass.QUASI_IDENTIFIER_2 if known is VariableClass.NOT_KNOWN else known
        yield OperationRule((pattern.upper(),), Operation(OperationKind.REMOVE, variable_class, LEFT_OUT))


def _is_moved(model: StudyModel, domain: str, variable: str) -> bool:
    """Whether a column has the dates of events, which leave moved.

    In the combined dataset the date of an admission reaches a person, and a draft drops it. In the files a moved date
    takes its place, as a pseudonym takes that of a key: without it nobody could tell one visit from the next. CDISC's
    dates are dropped where a config says so: its drafts name no date of an event.
    """
    column = model.column(domain, variable)
    is_event = column is not None and column.role is Role.DATE and model.model not in _COPY_PEOPLE
    return is_event and model.operation(domain, variable).operation is OperationKind.OFFSET


def tests_of_drop(drop: Sequence[str], model: StudyModel, n_people: int) -> dict[str, RecodedColumn]:
    """Dropped columns that are a test of a table of findings: its rows do not leave."""
    nothing = np.full(n_people, None, dtype=object)
    return {
        f"{domain}__{variable}": RecodedColumn(f"{domain}__{variable}", nothing, None, LEFT_OUT)
        for domain, variable in _variables(drop)
        if (table := model.table(domain)) is not None
        and table.kind is TableKind.FINDINGS
        and variable not in table.columns
    }


def _variables(drop: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Domain and variable or test of each dropped column."""
    for name in drop:
        domain, between, variable = name.partition("__")
        if between and variable:
            yield domain, variable
