"""ADaM: analysis data sets, alone or beside the SDTM domains that they were made of.

Source: CDISC Analysis Data Model Implementation Guide 1.3: ADSL has one row per subject, a data set of the basic
structure (BDS) a parameter and its value in each row, one of occurrences (OCCDS) an event or a treatment.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from pathlib import Path

from study.formats.tables import SourceTable
from study.models import sdtm
from study.models.registry import DataModel
from study.models.roles import ColumnModel, Role, TableKind, TableModel
from study.models.sdtm_operations import operation_of
from study.models.study_model import StudyModel
from study.operations import NOT_IN_THE_TABLE, Operation, decided, rules_of_table

SUBJECTS = "ADSL"
_DATA_SET = re.compile(r"AD[A-Z0-9]{1,6}")
# Columns that one data set has and a copy of ADSL's columns in it does not make it.
_OCCURRENCE = re.compile(r"([A-Z]{2})(TERM|DECOD|TRT)")
_OF_AVALUE = {
    "PARAM": "TEST",
    "PARAMCD": "TESTCD",
    "AVAL": "STRESN",
    "AVALC": "STRESC",
    "PARCAT1": "CAT",
    "ATPT": "TPT",
    "ATPTN": "TPTNUM",
    "DTYPE": "METHOD",
    "ABLFL": "BLFL",
    "ADT": "DTC",
    "ADY": "DY",
    "AVISITN": "VISITNUM",
    "ASEQ": "SEQ",
}

# Lines that are asked before SDTM's table, which has results of VS by these names, and those that it does not have. The
# first line that matches decides.
_FIRST, LINES = rules_of_table(Path(__file__).with_name("adam_operations.json")).values()


def is_analysis(table: SourceTable) -> bool:
    """Whether a file is an ADaM data set: by its name and the subject's id, or by the analysis value of a parameter."""
    columns = set(map(str, table.frame.columns))
    if {"PARAMCD", "AVAL"} <= columns or {"PARAMCD", "AVALC"} <= columns:
        return True
    has_analysis_columns = any(re.fullmatch(r"TRT\w*[PA]|TRTSDT|SAFFL|ITTFL|STUDYID", name) for name in columns)
    return bool(_DATA_SET.fullmatch(table.domain)) and sdtm.PERSON in columns and has_analysis_columns


def adam_operation(domain: str, variable: str) -> Operation:
    """What is done with a variable of an analysis data set: what SDTM does with that of its name, else by ``LINES``."""
    says = operation_of(domain, variable, _FIRST)
    return says if says != NOT_IN_THE_TABLE else decided(domain, variable, LINES) or NOT_IN_THE_TABLE


def _table(domain: str, columns: list[str], person: str, copied: frozenset[str]) -> TableModel:
    prefixes = sorted({match[1] for name in columns if (match := _OCCURRENCE.fullmatch(name))})
    is_of_values = "PARAMCD" in columns
    kind = TableKind.FINDINGS if is_of_values else TableKind.EVENTS if prefixes else TableKind.ROWS
    prefix = prefixes[0] if prefixes and not is_of_values else ""
    return TableModel(
        domain,
        TableKind.PEOPLE if domain == SUBJECTS else kind,
        columns={name: _column(name, domain, prefix, person, columns) for name in columns},
        short={name: short for name, short in _OF_AVALUE.items() if is_of_values and name in columns},
        prefix=prefix,
        starts=tuple(name for name in ("TRTSDT", *sdtm.STARTS) if name in columns) if domain == SUBJECTS else (),
        order=tuple(name for name in ("ADT", "ASTDT", "AVISITN") if name in columns),
        not_merged=frozenset(
            name for name in columns if name in copied or not sdtm.is_informative(name, prefix or domain)
        ),
    )


def _column(name: str, domain: str, prefix: str, person: str, columns: Sequence[str]) -> ColumnModel:
    says = adam_operation(domain, sdtm.PERSON if name == person else name)
    own = bool(prefix) and name.startswith(prefix)
    if name == person:
        return ColumnModel(Role.PERSON, "the subject of the analysis data set", says=says)
    if re.fullmatch(r"\w+GR\d+N?", name) or name in ("RACEN", "SEXN", "ETHNICN", "COUNTRYN"):
        of = re.sub(r"(GR\d+)?N?$", "", name)
        return ColumnModel(Role.CATEGORY, "groups or numbers another column", part_of=of, says=says)
    if name == "WEIGHTBL":  # with a height it determines the BMI; without it the height does not
        return ColumnModel(Role.NUMBER, "its name in ADaM", part_of="BMIBL", says=says)
    if re.fullmatch(r"DC\w*REAS(CD)?", name):  # finer than the disposition beside it, and rare where that is not
        ladder = "DC" if "DCDECOD" in columns else ""
        return ColumnModel(Role.CODED_TERM, "why a subject left the study", ladder=ladder, says=says)
    role = sdtm.role_of(name, prefix or "--")
    column = ColumnModel(role, "its name in ADaM", within_person=own, says=says)
    return sdtm.with_its_term(column, name)


def described(tables: Sequence[SourceTable], person: str | None) -> StudyModel:
    """The analysis data sets, with the SDTM domains beside them; what they copy of the subjects is merged once."""
    analysis = [table for table in tables if is_analysis(table)]
    study = sdtm.described([table for table in tables if not is_analysis(table)], person)
    column = sdtm.PERSON if person is None else person
    names = {table.domain: list(map(str, table.frame.columns)) for table in analysis}
    base = study.base or (SUBJECTS if SUBJECTS in names else None)
    of_base: Sequence[str] = list(study.tables[base].columns) if study.base and base else names.get(base or "", [])
    models: dict[str, TableModel] = dict(study.tables)
    for domain, columns in names.items():
        copied = frozenset() if domain == base else frozenset(of_base) - {column}
        models[domain] = _table(domain, columns, column, copied)
    return dataclasses.replace(
        study,
        model="adam",
        reason=recognised(tables),
        base=base,
        tables=models,
        domain_of_data_set={**study.domain_of_data_set, **{domain: domain for domain in names}},
        base_needed="DM or ADSL" if len(models) > 1 and base is None else "",
        standard=adam_operation,
        facts={},
    )


def recognised(tables: Sequence[SourceTable]) -> str:
    """An analysis data set among the files."""
    return next((f"{table.file_name} is an ADaM data set" for table in tables if is_analysis(table)), "")


MODEL = DataModel(
    "adam",
    "ADaM: ADSL beside or instead of DM, and data sets of parameters or occurrences",
    recognised,
    described,
    place=30,
    has_legends=True,
)
