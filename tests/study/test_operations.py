"""The table of operations: what the public descriptions of PHUSE's standard say of single variables, and its shape."""

from __future__ import annotations

from study.models.sdtm_operations import LINES, operation_of, overriding_line
from study.operations import OperationKind, VariableClass
from tests.cases import each

# From the PhUSE 2016 paper DH02 and its macros, which name these variables; free text as the issue has it.
PUBLISHED = {
    ("DM", "USUBJID"): OperationKind.RECODE_SUBJECT,
    ("DM", "AGE"): OperationKind.DERIVE_AGE,
    ("DM", "COUNTRY"): OperationKind.RAISE_TO_CONTINENT,
    ("DM", "BRTHDTC"): OperationKind.REMOVE,
    ("DM", "RFSTDTC"): OperationKind.OFFSET,
    ("SV", "SVSTDTC"): OperationKind.OFFSET,
    ("DS", "DSSTDTC"): OperationKind.OFFSET,
    ("AE", "AESPID"): OperationKind.RECODE_ID,
    ("LB", "LBREFID"): OperationKind.RECODE_ID,
    ("AE", "AETERM"): OperationKind.REMOVE,
    ("AE", "AEDECOD"): OperationKind.NO_FURTHER,
    ("CM", "CMTRT"): OperationKind.REMOVE,
    ("CO", "COVAL"): OperationKind.REMOVE_DATA_SET,
    ("CO", "COSEQ"): OperationKind.REMOVE_DATA_SET,
    ("DM", "STUDYID"): OperationKind.KEEP,
    ("AE", "AESTDY"): OperationKind.KEEP,
    ("AE", "AESHOSP"): OperationKind.KEEP,
    ("EC", "ECPRESP"): OperationKind.KEEP,
    ("EX", "EXTRT"): OperationKind.KEEP,
    ("TS", "SSTDTC"): OperationKind.REMOVE,
    ("TS", "ACTSUB"): OperationKind.REMOVE,  # the code list's name; ACTSUBJ was written here before
    ("TS", "ACTSUBJ"): OperationKind.REMOVE,
    ("TS", "TITLE"): OperationKind.KEEP,
    ("TV", "TVSTRL"): OperationKind.KEEP,
    ("LB", "LBNAM"): OperationKind.REMOVE,
}


@each(("where", "operation"), PUBLISHED.items())
def test_operations_are_those_of_the_standard(where, operation):
    assert operation_of(*where).operation == operation


@each(
    ("where", "expected"),
    [
        (("DM", "SUBJID"), VariableClass.DIRECT_IDENTIFIER),
        (("DM", "SEX"), VariableClass.QUASI_IDENTIFIER_1),
        (("SC", "MARISTAT"), VariableClass.QUASI_IDENTIFIER_1),
        (("AE", "AEDECOD"), VariableClass.QUASI_IDENTIFIER_2),
        (("DM", "DTHDTC"), VariableClass.QUASI_IDENTIFIER_2),
        (("LB", "LBTESTCD"), VariableClass.NOT_IDENTIFYING),
        (("LB", "Cholesterol"), VariableClass.NOT_KNOWN),
    ],
)
def test_classes(where, expected):
    assert operation_of(*where).variable_class == expected


@each(("domain", "variable"), [("ZZ", "WHATEVER"), ("AE", "NOTE"), ("SUPPDM", "REMARK"), ("DM", "")])
def test_what_the_table_does_not_know_is_for_review_and_never_kept(domain, variable):
    assert operation_of(domain, variable).operation == OperationKind.REVIEW


def test_a_config_overrides_a_line_for_one_domain_and_the_class_stays():
    keep = overriding_line("AE.AETERM", OperationKind.KEEP)
    assert operation_of("AE", "AETERM", [keep]).operation == OperationKind.KEEP
    assert operation_of("AE", "AETERM", [keep]).variable_class == VariableClass.QUASI_IDENTIFIER_2
    assert operation_of("MH", "MHTERM", [keep]).operation == OperationKind.REMOVE


def test_a_config_overrides_a_line_for_all_domains():
    drop = overriding_line("--SPID", OperationKind.REMOVE)
    assert {operation_of(domain, f"{domain}SPID", [drop]).operation for domain in ("AE", "CM")} == {
        OperationKind.REMOVE
    }


def test_every_pattern_decides_something():
    """A line that an earlier one hides would say what nobody reads."""
    hidden = []
    for line in LINES:
        for pattern in line.patterns:
            domain, _, variable = pattern.rpartition(".")
            example = (domain.replace("*", "Q1") or "Q1", variable.replace("--", domain[:2] or "Q1").replace("*", "Z"))
            if operation_of(*example) != line.says:
                hidden.append(pattern)
    assert hidden == []
