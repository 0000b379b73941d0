"""SDTM: which domain a file is, of which kind it is, and what each of its variables is for.

Source: CDISC Study Data Tabulation Model Implementation Guide 3.4. ``sdtm_operations`` says what is done with each
variable before a release.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from study.formats.tables import SourceTable
from study.models.registry import DataModel
from study.models.roles import ColumnModel, Role, TableKind, TableModel
from study.models.sdtm_operations import operation_of
from study.models.study_model import StudyModel

BASE_DOMAIN = "DM"  # defines the subjects
PERSON = "USUBJID"
# The start of the study for a person; the second, if given, takes precedence.
STARTS = ("RFXSTDTC", "RFSTDTC")
_LISTS = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
_KINDS = {domain: TableKind(kind) for kind, _, domains in _LISTS["domains"] for domain in domains}
TRIAL_DESIGN = tuple(domain for domain, kind in _KINDS.items() if kind is TableKind.DESIGN)
# Files that are not even read, and why.
LEFT_OUT = {domain: reason for _, reason, domains in _LISTS["domains"] for domain in domains if reason}
LEFT_OUT["DEFINE"] = "a description of the data"

# Variables that carry no information about a person; ``--`` stands for the domain's two letters.
NOT_INFORMATIVE = frozenset(_LISTS["not informative"])

# Kinds of facts that are counted of a study where its config names none, and whether their months count.
FACTS = {"terms": True, "visits": False, "death": False, "hospital": True}

# Levels of coded terms, from the finest on, each in words and the suffix of its code: MedDRA's, and classes of drugs.
LEVELS: Mapping[str, str] = _LISTS["levels"]

_TEST = re.compile(r"([A-Z][A-Z0-9])TEST(CD)?")
_TERM = re.compile(rf"([A-Z][A-Z0-9])({'|'.join((*LEVELS, *LEVELS.values()))})")


def findings_prefix(columns: list[str]) -> str | None:
    """The two letters of a findings domain in long form (a test and a result in each row), else None."""
    prefixes = {match[1] for name in columns if (match := _TEST.fullmatch(name))}
    for prefix in sorted(prefixes):
        if any(f"{prefix}{result}" in columns for result in ("STRESN", "STRESC", "ORRES")):
            return prefix
    return None


def _is_of_events(domain: str, columns: list[str]) -> bool:
    """Whether a domain is of events or interventions: a term or a treatment in each row.

    A de-identified file may lack the topic; its records are numbered nevertheless.
    """
    prefix = domain[:2]
    has_topic = any(f"{prefix}{topic}" in columns for topic in ("TERM", "TRT", "DECOD"))
    return has_topic or (_KINDS.get(prefix) is TableKind.EVENTS and f"{prefix}SEQ" in columns)


def supplemental_parent(domain: str) -> str | None:
    """``LBCH`` for ``SUPPLBCH``, "" for ``SUPPQUAL`` (its rows name the parent), None for other domains."""
    if not domain.startswith("SUPP") or len(domain) < 6:
        return None
    return "" if domain == "SUPPQUAL" else domain[4:]


def is_informative(name: str, domain: str) -> bool:
    """Whether a variable of a domain can say something about a person."""
    own = f"--{name.removeprefix(domain[:2])}" if name.startswith(domain[:2]) else name
    return not NOT_INFORMATIVE & {name, own}


# ---------------------------------------------------------------- the model

# What variables are for: pattern -> role. ``--`` stands for the letters of the domain; the first that fits decides.
_ROLES = tuple((_TERM.pattern if one == "{term}" else one, Role(role)) for one, role in _LISTS["roles"])


def role_of(name: str, prefix: str) -> Role:
    """What a variable is for, by its name; ``prefix`` has the letters of its domain."""
    names = (name, f"--{name.removeprefix(prefix)}" if name.startswith(prefix) else name)
    found = (role for pattern, role in _ROLES if any(re.fullmatch(pattern, one) for one in names))
    return next(found, Role.CATEGORY)


def with_its_term(column: ColumnModel, name: str) -> ColumnModel:
    """Of a coded term: the letters of its records, its level, and of a code the variable with its words."""
    match = _TERM.fullmatch(name)
    if match is None:
        return column
    levels = [*LEVELS, *LEVELS.values()]
    place = levels.index(match[2])
    level = place % len(LEVELS)
    words = "" if place == level else f"{match[1]}{levels[level]}"
    return dataclasses.replace(column, ladder=match[1], level=level, code_of=words)


def _column(name: str, domain: str, person: str) -> ColumnModel:
    prefix = domain[:2]
    role = Role.PERSON if name == person else role_of(name, prefix)
    says = operation_of(domain, PERSON if name == person else name)
    own = name.startswith(prefix)
    return with_its_term(ColumnModel(role, "its name in SDTM", within_person=own, says=says), name)


def named_domain(table: SourceTable) -> str:
    """The domain that a file's content names: in the column DOMAIN, or in its variables; else the file's name."""
    return only_value(table, "DOMAIN") or findings_prefix(list(table.frame.columns)) or table.domain


def only_value(table: SourceTable, column: str) -> str:
    """The one value of a column; "" where the table has no such column, or others in it."""
    named = list(table.counts_of(column).index) if column in table.frame else []
    return str(named[0]) if len(named) == 1 else ""


def domain_of_table(table: SourceTable) -> str:
    """The domain of a file; that of a part (lbch.xpt) is named in its DOMAIN column or in its variables."""
    parent = named_domain(table)
    is_part = len(parent) == 2 and table.domain.startswith(parent)
    return parent if is_part else table.domain


def domain_of_variables(table: SourceTable) -> str:
    """The domain whose variables a file contains: LB for LBCH, and for SUPPLB."""
    parent = supplemental_parent(table.domain)
    return domain_of_table(table) if parent is None else only_value(table, "RDOMAIN") or parent


def _kind(domain: str, columns: list[str]) -> TableKind:
    known = _KINDS.get(domain, TableKind.EVENTS)
    if supplemental_parent(domain) is not None:
        return TableKind.SUPPLEMENTAL
    if known is not TableKind.EVENTS and not (known is TableKind.TIMING and findings_prefix(columns)):
        return known
    if findings_prefix(columns) is not None:
        return TableKind.FINDINGS
    return TableKind.EVENTS if _is_of_events(domain, columns) else TableKind.PEOPLE


def _table(domain: str, of_variables: str, columns: list[str], person: str) -> TableModel:
    kind = _kind(domain, columns)
    return TableModel(
        domain,
        kind,
        LEFT_OUT.get(domain, ""),
        {name: _column(name, of_variables, person) for name in columns},
        prefix=findings_prefix(columns) or domain[:2],
        starts=tuple(name for name in STARTS if name in columns) if domain == BASE_DOMAIN else (),
        order=(f"{domain[:2]}DTC",),
        not_merged=frozenset(name for name in columns if not is_informative(name, domain)),
    )


def recognised(tables: Sequence[SourceTable]) -> str:
    """A domain of subjects, the subject's SDTM name, or the variables of a findings domain."""
    for table in tables:
        columns = list(map(str, table.frame.columns))
        if table.domain == BASE_DOMAIN or PERSON in columns:
            return f"{table.file_name} has the subjects of SDTM"
        if findings_prefix(columns) is not None or {"QNAM", "QVAL"} <= set(columns):
            return f"{table.file_name} has the variables of an SDTM domain"
    return ""


def described(tables: Sequence[SourceTable], person: str | None) -> StudyModel:
    """The domains of a study, files of one domain together."""
    columns: dict[str, list[str]] = {}
    domains: dict[str, str] = {}
    for table in tables:
        domains[table.domain] = domain_of_variables(table)
        domain = domains[table.domain] if supplemental_parent(table.domain) is None else table.domain
        columns[domain] = list(dict.fromkeys([*columns.get(domain, ()), *map(str, table.frame.columns)]))
    column = PERSON if person is None else person
    models: Mapping[str, TableModel] = {
        name: _table(name, domains.get(name, name), found, column) for name, found in columns.items()
    }
    return StudyModel(
        "sdtm",
        recognised(tables),
        column,
        BASE_DOMAIN if BASE_DOMAIN in models else None,
        models,
        domains,
        BASE_DOMAIN,
        operation_of,
        facts=FACTS,
    )


MODEL = DataModel(
    "sdtm",
    "SDTM domains, one file each (or the parts of a domain that SDTM splits), with SUPP-- and RELREC",
    recognised,
    described,
    place=40,
    has_legends=True,
)
