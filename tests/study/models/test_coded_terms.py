"""Coded terms of a table: their levels, what says the same in other words, and which rows took place."""

from __future__ import annotations

import pandas as pd

from study.formats.tables import SourceTable
from study.models.coded_terms import term_ladders
from study.models.roles import ColumnModel, Role, TableKind, TableModel
from study.models.sdtm import described
from study.operations import Operation, OperationKind, VariableClass

TERM = Role.CODED_TERM
OF_IDS = Operation(OperationKind.RECODE_ID, VariableClass.QUASI_IDENTIFIER_2, "an id")


def sdtm_table(domain: str, columns: list[str]) -> TableModel:
    frame = pd.DataFrame({name: ["x"] for name in ("USUBJID", *columns)}, dtype="str")
    return described([SourceTable(domain, f"{domain}.csv", "0" * 64, frame, {}, ())], None).tables[domain]


def test_levels_of_sdtm_go_from_the_finest_on_each_with_its_code():
    columns = ["AESOC", "AETERM", "AEPTCD", "AELLT", "AEDECOD", "AEBDSYCD", "SMQ01NAM", "CQX"]
    [found] = term_ladders("AE", sdtm_table("AE", columns), [*columns, "NOT_THERE"])
    assert (found.name, found.prefix, found.levels) == ("AE", "AE", ("AELLT", "AEDECOD", "AESOC"))
    assert found.columns == ("AELLT", "AEDECOD", "AEPTCD", "AEBDSYCD", "AESOC")
    assert found.said_again == {"AETERM", "AETRT", "AEMODIFY", "AETOX", "AESCAT", "SMQ01NAM"}
    assert found.answers == ["AEOCCUR", "AESTAT"]
    assert not found.is_of_ids
    assert term_ladders("AE", None, columns) == []


def test_rows_that_were_denied_or_not_asked_did_not_happen():
    [found] = term_ladders("MH", sdtm_table("MH", ["MHDECOD", "MHOCCUR", "MHSTAT"]), ["MHDECOD"])
    rows = pd.DataFrame({"MHOCCUR": ["Y", "n", None, "Y"], "MHSTAT": [None, None, None, "Not done"]}, dtype="str")
    assert found.happened(rows).tolist() == [True, False, True, False]
    assert found.happened(rows[["MHOCCUR"]]).tolist() == [True, False, True, True]
    assert found.happened(rows[[]]).tolist() == [True] * 4
    assert found.read("STAT", rows).equals(rows["MHSTAT"])
    assert found.read("TERM", rows) is None


def test_terms_of_other_models_are_apart_unless_one_says_a_part_of_the_other():
    columns = {
        "drug": ColumnModel(TERM),
        "drug_code": ColumnModel(TERM, part_of="drug", level=1, code_of="drug"),
        "drug_name": ColumnModel(Role.LABEL, part_of="drug"),
        "note": ColumnModel(Role.VERBATIM),
        "site_name": ColumnModel(Role.LABEL, part_of="site"),
        "drug_2": ColumnModel(TERM, part_of="site", says=OF_IDS),
        "site": ColumnModel(Role.SITE),
        "test": ColumnModel(TERM),
    }
    table = TableModel("T", TableKind.EVENTS, columns=columns, short={"test": "TEST", "drug": "TERM", "note": "OCCUR"})
    found = {one.name: one for one in term_ladders("T", table, columns)}
    assert {name: (one.levels, one.columns) for name, one in found.items()} == {
        "T.drug": (("drug",), ("drug", "drug_code")),
        "T.drug_2": (("drug_2",), ("drug_2",)),
    }
    assert [one.is_of_ids for one in found.values()] == [False, True]
    assert found["T.drug"].said_again == {"drug_name", "note"}
    assert found["T.drug_2"].said_again == {"note"}
    assert found["T.drug"].answers == ["note", "STAT"]
    assert found["T.drug"].happened(pd.DataFrame({"note": ["n", "Y"]}, dtype="str")).tolist() == [False, True]
