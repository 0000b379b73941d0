"""What the config leaves out of the combined dataset (``merge["drop"]``) does not leave in the study's files either."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.dictionary import Dictionary
from disclosure_control.records.records import EncodedRecords
from disclosure_control.release.people import RecodedColumn
from disclosure_control.release.recodings import RESULTS, rows_of_test
from disclosure_control.release.study import Study, people_of_rows
from study.columns.known_to_outsiders import known_to_outsiders
from study.merge.subject_ids import SubjectIdRule
from study.models.roles import Role, TableKind, TableModel
from study.models.study_model import StudyModel
from study.operations import Operation, OperationKind, OperationRule, VariableClass

LEFT_OUT = 'left out by the config, under "merge", "drop"'
# Pseudonyms take the place of these, and keep the study's files together.
_COPY_PEOPLE = ("sdtm", "adam")  # elsewhere, a name of two tables has two meanings
_STAYS = (OperationKind.RECODE_SUBJECT, OperationKind.RECODE_ID, OperationKind.NUMBER_ANEW)


def rules_of_drop(drop: Sequence[str], model: StudyModel) -> Iterator[OperationRule]:
    """The lines of a table of operations that remove the variables of dropped columns, in their domain. Keys stay, as
    pseudonyms; so do dates of events outside CDISC, moved.

    Variables of SDTM's people are removed from every file: analysis data sets copy them.
    """
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


# Kinds of what outsiders may know that are no one value of a person; moved dates are searched in any case.
NOT_LOOKED_FOR = ("date", "event")
# What outsiders may know of a person by the role of the column; it is looked for where a merge left it out.
KNOWN_BY_ROLE = (Role.SITE, Role.PLACE, Role.BIRTH, Role.BIRTH_YEAR, Role.AGE, Role.SEX, Role.ORIGIN)


def columns_of_source(
    drop: Sequence[str], study: Study, original: EncodedRecords, rule: SubjectIdRule, most: int | None
) -> dict[str, pd.Series]:
    """What outsiders may know and the combined dataset does not have, for each person (n_people,) of the pilot.

    By their names the columns that ``merge["drop"]`` keeps out, such as the test of a weight: the first value by date.
    By their roles those of the tables of people, such as a site.
    """
    known = {name for name, kind in known_to_outsiders(drop).items() if kind not in NOT_LOOKED_FOR}
    ids: Dictionary | None = None
    by_name, by_role = dict[str, pd.Series](), dict[str, pd.Series]()
    for file in study.files:
        model = study.model.table(file.name)
        if model is None or file.is_supplemental or rule.column not in file.table.frame:
            continue
        columns = [name for name in _of_people(model) if name in file.table.frame]
        of_role = {f"{file.domain}__{name}": name for name in columns}
        dropped = [name for name in drop if name in known and name.partition("__")[0] == file.domain]
        wanted = [name for name in dict.fromkeys((*dropped, *of_role)) if name not in original.columns]
        read = list(map(str, file.table.frame)) if dropped else [str(rule.column), *columns]
        frame = file.table.combinations(read, most) if wanted else None
        if frame is None:
            continue
        frame = frame.reset_index(drop=True)
        ids = ids or Dictionary(original.ids().astype("str"))
        person = people_of_rows(frame, rule, ids)
        for name in wanted:
            values = frame[of_role[name]] if name in of_role else _in_order(name, frame, model)
            of_person = person[values.index]
            first = values[of_person >= 0].groupby(of_person[of_person >= 0]).first().reindex(range(original.n_people))
            if name in of_role or first.notna().any():
                found = by_name if name in dropped else by_role
                found[name] = found[name].fillna(first) if name in found else first
    return by_name | by_role


def _of_people(table: TableModel) -> list[str]:
    return table.of_role(*KNOWN_BY_ROLE) if table.kind is TableKind.PEOPLE else []


def _in_order(name: str, frame: pd.DataFrame, model: TableModel) -> pd.Series:
    """The values of a column of the combined dataset in the rows of its file, or the results of its test, by date."""
    frame = model.as_merged(frame)
    column = RecodedColumn(name, np.empty(0), None)
    values, is_there = frame.get(column.variable), np.ones(len(frame), dtype=bool)
    if values is None:
        _, is_there = rows_of_test(frame, column, model)
        results = (model.read(short, frame) for short in RESULTS)
        values = next((one for one in results if one is not None and one[is_there].notna().any()), None)
    if values is None:
        return pd.Series(dtype=object, index=np.zeros(0, dtype=np.int64))
    date = model.read("DTC", frame)
    by = pd.DataFrame({"date": "" if date is None else date.astype("str"), "value": values.astype("str")})
    order = by[is_there].sort_values(["date", "value"], kind="stable").index
    there: pd.Series = values.loc[order].dropna()
    return there
