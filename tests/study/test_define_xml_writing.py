"""The define.xml of a release: valid by CDISC's schema, and when read again what the files are."""

from __future__ import annotations

import importlib.resources
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pandas as pd
import pytest

from disclosure_control.basics.files import SourceFile
from study.define_xml import (
    CodeList,
    DatasetDefinition,
    DescribedTable,
    StudyDefinition,
    VariableDefinition,
    define_xml,
    read_definition,
)
from study.formats.outgoing import OutgoingTable

odmlib = pytest.importorskip("odmlib", reason="odmlib is optional: requirements/formats.txt")

CREATED = datetime(2026, 1, 2)
SEX = CodeList("Sex", {"F": "Female", "M": "Male", "U": "Unknown"})


def variable(name, label, code_list=None, origin="Collected"):
    return VariableDefinition(name, label, "text", origin, True, code_list, 1 if name == "USUBJID" else None)


SOURCE = StudyDefinition(
    "define.xml",
    "",
    "S",
    {"DM": {one.name: one for one in (variable("USUBJID", "Subject"), variable("SEX", "Sex", SEX))}},
    {"DM": DatasetDefinition("Demographics", "DM", "One record per subject", "SPECIAL PURPOSE", "No", "No")},
    ({"Name": "SDTMIG", "Type": "IG", "Version": "3.3", "Status": "Final"},),
)
FRAME = pd.DataFrame(
    {
        "USUBJID": ["a1", "b22", "c3"],
        "SEX": ["F", "M", None],
        "AGE": [61.0, 90.0, float("nan")],
        "VALUE": [0.25, 1.5, 3.0],
        "RFSTDTC": ["2014-01-02", "2014-01", "2014-02-03"],
        "NONE": pd.Series([None] * 3, dtype="str"),
    }
)
TABLE = OutgoingTable("DM", "", FRAME, {"AGE": "Age"}, "S", CREATED)


def written(levels) -> bytes:
    content = define_xml([DescribedTable(TABLE, "dm.csv", levels, frozenset({"USUBJID"}))], SOURCE, CREATED)
    assert content is not None
    return content


@pytest.mark.thorough("2 s: reading the schema")
def test_it_is_valid_by_the_schema_of_define_xml(tmp_path):
    xmlschema = pytest.importorskip("xmlschema")
    schema = importlib.resources.files("odmlib") / "schemas" / "define" / "2.1" / "define2-1-0.xsd"
    path = tmp_path / "define.xml"
    path.write_bytes(written({"SEX": ["F", "M"]}))
    faults = [str(fault.reason) for fault in xmlschema.XMLSchema(str(schema)).iter_errors(str(path))]
    assert faults == []


def test_read_again_it_says_what_the_file_is():
    found = read_definition(SourceFile(__import__("pathlib").Path("define.xml"), written({"SEX": ["F", "M"]})))
    assert found.study == "S"
    assert found.described["DM"] == DatasetDefinition(
        "Demographics", "DM", "One record per subject", "SPECIAL PURPOSE", "No", "No"
    )
    variables = found.datasets["DM"]
    assert list(variables) == list(FRAME)
    assert {name: one.data_type for name, one in variables.items()} == {
        "USUBJID": "text",
        "SEX": "text",
        "AGE": "integer",
        "VALUE": "float",
        "RFSTDTC": "text",
        "NONE": "text",
    }
    assert variables["AGE"].label == "Age"
    assert (variables["USUBJID"].origin, variables["SEX"].origin) == ("Derived", "Collected")
    assert variables["SEX"].code_list.terms == {"F": "Female", "M": "Male"}, "no code that nobody has"
    assert not variables["SEX"].is_mandatory, "one value is missing"


def test_a_code_list_that_may_not_be_told_is_not_there():
    assert b"Female" not in written({})
    assert b"CodeListRef" not in written({})
    assert b"EnumeratedItem" in written({"RFSTDTC": ["2014-01"]}), "values without a meaning are listed alone"


def test_origins_of_version_2_0_are_written_as_version_2_1_has_them():
    """CRF and eDT are no longer origins; what is none in either is not written."""
    origins = {"CRF": "Collected", "eDT": "Collected", "Assigned": "Assigned", "by hand": ""}
    columns = {f"V{i}": variable(f"V{i}", "Value", origin=one) for i, one in enumerate(origins)}
    source = replace(SOURCE, datasets={"DM": columns})
    table = OutgoingTable("DM", "", pd.DataFrame({name: ["a"] for name in columns}), {}, "S", CREATED)
    content = define_xml([DescribedTable(table, "dm.csv", {}, frozenset())], source, CREATED)
    found = read_definition(SourceFile(Path("define.xml"), content)).datasets["DM"]
    assert [found[name].origin for name in columns] == list(origins.values())
