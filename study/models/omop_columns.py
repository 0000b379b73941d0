"""The OMOP Common Data Model 5.3 and 5.4: which tables there are, and what each column is for, by patterns of names.

Source: OHDSI, Common Data Model, https://ohdsi.github.io/CommonDataModel/. Names are in small letters here; files may
write them in any case.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from study.models.roles import ColumnModel, Role, TableKind
from study.operations import Operation, OperationKind, VariableClass

PERSON, CONCEPT = "person", "concept"
PERSON_ID = "person_id"
FIRST_LOCAL_CONCEPT = 2_000_000_000  # from here on a site numbers concepts of its own
_BY_STANDARD = "its name in OMOP CDM"

_CLASS = VariableClass
_REMOVE, _REMOVE_TABLE, _KEEP = OperationKind.REMOVE, OperationKind.REMOVE_DATA_SET, OperationKind.KEEP

EVENTS = (
    "condition_occurrence",
    "drug_exposure",
    "procedure_occurrence",
    "device_exposure",
    "specimen",
    "condition_era",
    "drug_era",
    "dose_era",
    "episode",
)
TIMES = ("visit_occurrence", "visit_detail", "observation_period", "payer_plan_period")
FINDINGS = ("measurement", "observation")
OF_PEOPLE = {
    PERSON: TableKind.PEOPLE,
    "death": TableKind.ROWS,
    **dict.fromkeys(EVENTS, TableKind.EVENTS),
    **dict.fromkeys(TIMES, TableKind.TIMING),
    **dict.fromkeys(FINDINGS, TableKind.FINDINGS),
}
# Names what the codes of other tables mean: the entries that these have leave.
DICTIONARIES = ("concept",)
_VOCABULARIES = (
    *("vocabulary", "domain", "concept_class", "relationship"),
    *("concept_relationship", "concept_synonym", "concept_ancestor", "drug_strength"),
)
_PUBLIC = "a table of the vocabularies; whoever receives the data can get it from athena.ohdsi.org"
_OTHER_PEOPLE = "it names records of people without saying whose they are, so nobody's rows can be left out"
_PLACES = "where people live and who treats them"
# Tables that are not released, with the kind and the reason.
NOT_RELEASED: Mapping[str, tuple[TableKind, str]] = {
    "note": (TableKind.FREE_TEXT, "free text"),
    "note_nlp": (TableKind.FREE_TEXT, "parts of free text"),
    "care_site": (TableKind.DESIGN, _PLACES),
    "provider": (TableKind.DESIGN, _PLACES),
    "location": (TableKind.DESIGN, _PLACES),
    "cost": (TableKind.RELATIONS, _OTHER_PEOPLE),
    "fact_relationship": (TableKind.RELATIONS, _OTHER_PEOPLE),
    "episode_event": (TableKind.RELATIONS, _OTHER_PEOPLE),
    "cohort": (TableKind.RELATIONS, "lists of people that were made of the other tables"),
    "cohort_definition": (TableKind.DESIGN, "describes lists of people that are not released"),
    "attribute_definition": (TableKind.DESIGN, "describes lists of people that are not released"),
    "cdm_source": (TableKind.DESIGN, "names the organisation, and days on which the source was taken"),
    "metadata": (TableKind.DESIGN, "describes the source"),
    **dict.fromkeys(_VOCABULARIES, (TableKind.DICTIONARY, _PUBLIC)),
    "source_to_concept_map": (TableKind.DICTIONARY, "codes of the source, which name people or places in some"),
}
TABLES = (*OF_PEOPLE, *DICTIONARIES, *NOT_RELEASED)

# Where a column's name does not end with the name of the table that it refers to.
_REFERS: Mapping[str, str] = {
    "visit_detail_parent_id": "visit_detail",
    "episode_parent_id": "episode",
    "subject_id": PERSON,
}
_OF_CONCEPT = re.compile(r".*concept_id(_[12])?")
_REFERENCE = re.compile(rf"(?:.*_)?({'|'.join(sorted(TABLES, key=len, reverse=True))})_id")
_OF_ANY_TABLE = "event_id|.*_event_id|fact_id_[12]"

# The first pattern that fits decides. What an operation of None means is what is done with the role.
_REPEATS = Operation(_REMOVE, _CLASS.QUASI_IDENTIFIER_2, "the code of the source, finer than the standard concept")
_LIMITS = Operation(_REMOVE, _CLASS.QUASI_IDENTIFIER_2, "limits of normal values depend on age, sex and laboratory")
_NAMES_ANY = Operation(_REMOVE, _CLASS.DIRECT_IDENTIFIER, "names a record of a table that another column names")
_ROLES: tuple[tuple[str, Role, Operation | None], ...] = (
    ("person_id|subject_id", Role.PERSON, None),
    (_OF_ANY_TABLE, Role.FOREIGN_KEY, _NAMES_ANY),
    ("year_of_birth", Role.BIRTH_YEAR, None),
    ("month_of_birth|day_of_birth|birth_datetime", Role.BIRTH, None),
    ("death_date|death_datetime", Role.DEATH_DATE, None),
    (".*_source_concept_id", Role.CODED_TERM, _REPEATS),
    ("unique_device_id|production_id|lot_number|specimen_source_id|npi|dea|provider_name", Role.IDENTIFIER, None),
    (".*_source_value|.*source_description", Role.VERBATIM, None),
    ("gender_concept_id", Role.SEX, None),
    ("(race|ethnicity)_concept_id", Role.ORIGIN, None),
    ("country_concept_id|address_.*|city|state|zip|county|latitude|longitude", Role.PLACE, None),
    (".*unit_concept_id", Role.UNIT, None),
    (".*type_concept_id|.*_field_concept_id|domain_concept_id_[12]", Role.DESCRIBES_RECORD, None),
    (
        "(operator|modifier|qualifier|route|condition_status|admitt(ed_from|ing_source)|discharged?_to)_concept_id",
        Role.CATEGORY,
        None,
    ),
    (_OF_CONCEPT.pattern, Role.CODED_TERM, None),
    ("(provider|care_site)_id", Role.SITE, None),
    ("location_id", Role.PLACE, None),
    ("measurement_time", Role.TIME, None),
    (".*_date|.*_datetime|.*_date_.*", Role.DATE, None),
    ("range_(low|high)", Role.NUMBER, _LIMITS),
    (
        "value_as_number|quantity|refills|days_supply|dose_value|gap_days|.*_count|.*_number|total_.*|paid_.*"
        "|amount_.*|(numerator|denominator)_value|box_size|(min|max)_levels_of_separation",
        Role.NUMBER,
        None,
    ),
    ("value_as_string|stop_reason|sig|.*_text|.*_title|snippet|lexical_variant|term_.*", Role.VERBATIM, None),
)
_PATTERNS = tuple((re.compile(pattern), role, says) for pattern, role, says in _ROLES)
_PARTS_OF_BIRTH = ("month_of_birth", "day_of_birth", "birth_datetime")
# A key of OMOP is a number that the database gave to the row: the same everywhere, but of no system outside of it.
_RECORD_ID = Operation(OperationKind.RECODE_ID, _CLASS.NOT_IDENTIFYING, "a number of the record in the database")


def refers_to(table: str, name: str) -> str:
    """The table whose rows a column names, "" if it names none; of a key, its own table."""
    if _OF_CONCEPT.fullmatch(name):
        return CONCEPT
    found = _REFERENCE.fullmatch(name)
    return _REFERS.get(name, found[1] if found else "")


@cache
def column_of(table: str, name: str) -> ColumnModel:
    """What a column of a table is for; a name that OMOP does not have is of no known role."""
    target = refers_to(table, name)
    if table in NOT_RELEASED:
        role = _role(table, name, target)[0]
        says = Operation(_REMOVE_TABLE, _CLASS.NOT_KNOWN, NOT_RELEASED[table][1])
        return ColumnModel(role, _BY_STANDARD, refers_to=target, says=says)
    if table in DICTIONARIES:
        role = Role.RECORD_KEY if name == f"{table}_id" else Role.FOREIGN_KEY if target else Role.LABEL
        says = Operation(_KEEP, _CLASS.NOT_IDENTIFYING, "public: a table of the vocabularies")
        return ColumnModel(role, _BY_STANDARD, refers_to=target, says=says)
    role, operation = _role(table, name, target)
    return ColumnModel(role, _BY_STANDARD, refers_to=target, part_of=_whole_of(table, name), says=operation)


def _role(table: str, name: str, target: str) -> tuple[Role, Operation | None]:
    if name == f"{table}_id" and table != PERSON:
        return Role.RECORD_KEY, _RECORD_ID
    for pattern, role, says in _PATTERNS:
        if pattern.fullmatch(name):
            return role, says
    return (Role.FOREIGN_KEY, _RECORD_ID) if target else (Role.UNKNOWN, None)


def _whole_of(table: str, name: str) -> str:
    """The column that says the same without detail: of ``gender_source_value``, ``gender_concept_id``."""
    if name in _PARTS_OF_BIRTH:
        return "year_of_birth"
    found = re.fullmatch(r"(.+?)_source_(value|concept_id)", name)
    return f"{found[1]}_concept_id" if found else ""
