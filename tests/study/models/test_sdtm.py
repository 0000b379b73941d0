"""SDTM: which domain a file is, of which kind, and what its variables are for."""

from __future__ import annotations

import pandas as pd

from study.formats.tables import SourceTable
from study.models.roles import Role, TableKind
from study.models.sdtm import (
    described,
    domain_of_table,
    domain_of_variables,
    findings_prefix,
    is_informative,
    recognised,
    role_of,
    supplemental_parent,
)
from study.models.words_of_codes import column_in_words, in_words, text_of_code
from tests.cases import each


def table(domain: str, columns: str, **values: list[str]) -> SourceTable:
    frame = pd.DataFrame({name: ["x", "y"] for name in columns.split()} | values, dtype="str")
    return SourceTable(domain, f"{domain.lower()}.csv", "0" * 64, frame, {}, ())


@each(
    "columns, prefix",
    [
        ("LBTEST LBSTRESN", "LB"), ("LBTESTCD LBORRES", "LB"), ("LBTEST VSORRES", None), ("LBTEST", None),
        ("LBORRES", None), ("VSTEST LBTEST VSSTRESC", "VS"), ("XLBTEST LBORRES", None),
    ],
)  # fmt: skip
def test_tests_and_their_results_are_findings(columns, prefix):
    assert findings_prefix(columns.split()) == prefix


@each(
    "domain, columns, kind",
    [("AE", "AETERM", TableKind.EVENTS), ("CM", "CMTRT", TableKind.EVENTS), ("ZZ", "ZZDECOD", TableKind.EVENTS),
     ("AE", "AESEQ", TableKind.EVENTS), ("DM", "DMSEQ", TableKind.PEOPLE), ("AE", "CMTRT", TableKind.PEOPLE),
     ("SV", "SVSEQ", TableKind.TIMING)],
)  # fmt: skip
def test_terms_and_treatments_are_events(domain, columns, kind):
    assert described([table(domain, columns)], None).tables[domain].kind is kind


def test_supplemental_domains_name_their_parents():
    names = ("SUPPLBCH", "SUPPQUAL", "SUPPL", "SUPPAE", "LB", "AESUPP")
    assert [*map(supplemental_parent, names)] == ["LBCH", "", None, "AE", None, None]


@each(
    "file, own, of_variables",
    [
        (table("LBCH", "LBTEST LBORRES"), "LB", "LB"),
        (table("LBCH", "LBTEST LBORRES", DOMAIN=["LB", "LB"]), "LB", "LB"),
        (table("LBCH", "A", DOMAIN=["LB", "VS"]), "LBCH", "LBCH"),
        (table("XYZ", "LBTEST LBORRES"), "XYZ", "XYZ"),
        (table("SUPPLBCH", "QNAM QVAL", RDOMAIN=["LB", "LB"]), "SUPPLBCH", "LB"),
        (table("SUPPLBCH", "QNAM QVAL", RDOMAIN=["LB", "VS"]), "SUPPLBCH", "LBCH"),
        (table("SUPPLBCH", "QNAM QVAL"), "SUPPLBCH", "LBCH"),
    ],
)
def test_the_domain_of_a_file(file, own, of_variables):
    assert (domain_of_table(file), domain_of_variables(file)) == (own, of_variables)


def test_what_recognises_sdtm():
    files = {
        "DM": "A", "XX": "USUBJID", "LB": "LBTEST LBORRES", "SUPP": "QNAM QVAL", "Q": "QNAM", "ZZ": "A B"
    }  # fmt: skip
    assert [bool(recognised([table(name, columns)])) for name, columns in files.items()] == [True] * 4 + [False] * 2


@each(
    "name, role",
    [
        ("AGE", Role.AGE), ("SEX", Role.SEX), ("RFSTDTC", Role.DATE), ("AESTDTC", Role.DATE),
        ("AESTDY", Role.STUDY_DAY),
        ("AEDECOD", Role.CODED_TERM), ("AEPTCD", Role.CODED_TERM), ("SITEID", Role.SITE), ("BRTHDTC", Role.BIRTH),
        ("AESEQ", Role.RECORD_KEY), ("AESER", Role.CATEGORY), ("ZZZZ", Role.CATEGORY), ("ARM", Role.ARM),
        ("VISIT", Role.VISIT), ("AETERM", Role.VERBATIM), ("DTHDTC", Role.DEATH_DATE),
    ],
)  # fmt: skip
def test_what_variables_are_for(name, role):
    assert role_of(name, "AE") is role


def test_a_study_of_several_files():
    files = [
        table("DM", "USUBJID STUDYID RFSTDTC AGE"),
        table("LBCH", "USUBJID LBTEST LBORRES"),
        table("LBHE", "USUBJID LBTEST LBORRES LBSEQ"),
        table("AE", "USUBJID AEDECOD AEPTCD AESOC AESEQ"),
        table("SUPPLBCH", "USUBJID QNAM QVAL"),
        table("SV", "USUBJID VISIT"),
        table("TA", "ARM"),
        table("QQ", "USUBJID ANSWER"),
    ]
    model = described(files, None)
    kinds = {name: one.kind for name, one in model.tables.items()}
    assert kinds == {
        "DM": TableKind.PEOPLE, "LB": TableKind.FINDINGS, "AE": TableKind.EVENTS, "SUPPLBCH": TableKind.SUPPLEMENTAL,
        "SV": TableKind.TIMING, "TA": TableKind.DESIGN, "QQ": TableKind.PEOPLE,
    }  # fmt: skip
    assert (model.base, model.person, model.starts) == ("DM", "USUBJID", ["RFSTDTC"])
    assert [*model.tables["LB"].columns] == ["USUBJID", "LBTEST", "LBORRES", "LBSEQ"]
    assert [model.domain(name) for name in ("LBCH", "LBHE", "SUPPLBCH")] == ["LB", "LB", "LBCH"]
    assert [*model.left_out] == ["TA"]
    assert [is_informative(name, "LB") for name in ("LBSEQ", "STUDYID", "LBORRES", "AESEQ")] == [
        False,
        False,
        True,
        True,
    ]
    terms = model.tables["AE"].columns
    assert [(one.ladder, one.level, one.code_of) for one in (terms["AEDECOD"], terms["AEPTCD"], terms["USUBJID"])] == [
        ("AE", terms["AEDECOD"].level, ""), ("AE", terms["AEDECOD"].level, "AEDECOD"), ("", 0, "")
    ]  # fmt: skip
    assert terms["AESOC"].level > terms["AEDECOD"].level
    keys = (("AE", "AESEQ"), ("LB", "LBGRPID"), ("LB", "AESEQ"), ("XX", "XXSEQ"))
    assert [model.key_scope(*one) for one in keys] == [(True, ""), (True, ""), (False, ""), (False, "")]


def test_codes_in_words():
    words = {"1": "yes", "2": "no"}
    assert in_words(pd.Series([1.0, 2.0, None, 1.0]), words.get).fillna("-").tolist() == ["yes", "no", "-", "yes"]
    assert in_words(pd.Series(["1", "3", None], dtype="str"), words.get).fillna("-").tolist() == ["yes", "-", "-"]
    derive = column_in_words("a", words)
    frame = pd.DataFrame({"a": ["1", " 2.0", "3", None]}, dtype="str")
    assert derive(frame).fillna("-").tolist() == ["yes", "no", "3", "-"]
    assert derive(frame.rename(columns={"a": "b"})).isna().tolist() == [True] * 4
    assert [text_of_code(one) for one in (1.0, " 1 ", 1.5)] == ["1", "1", "1.5"]
