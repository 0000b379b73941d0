"""A study's define.xml: what it says of variables, where the data contradict it, and what XML must not do."""

from __future__ import annotations

import re

import pandas as pd
import pytest

from disclosure_control.basics.files import SourceFile
from disclosure_control.basics.telling.faults import FaultyInputError
from study.define_xml import CodeList, contradictions, find_definition, read_definition
from study.formats.files import read_domain_file
from study.formats.tables import SourceTable
from tests.places import SHARED_DATA
from tests.study.merge.merge_files import combine, needs_shared_data

STUDY = SHARED_DATA / "dataset_json" / "whole_study"
DEFINE = """<?xml version="1.0"?>
<ODM xmlns="http://www.cdisc.org/ns/odm/v1.3" xmlns:def="http://www.cdisc.org/ns/def/v2.0"><Study OID="S">
<GlobalVariables><StudyName>ABC-01</StudyName></GlobalVariables><MetaDataVersion OID="M">
<ItemGroupDef OID="IG.DM" Name="DM" Domain="DM">
  <ItemRef ItemOID="IT.ID" Mandatory="Yes"/><ItemRef ItemOID="IT.SEX" Mandatory="Yes"/>
  <ItemRef ItemOID="IT.AGE" Mandatory="No"/><ItemRef ItemOID="IT.ARM" Mandatory="Yes"/><ItemRef ItemOID="IT.GONE"/>
</ItemGroupDef>
<ItemDef OID="IT.ID" Name="USUBJID" DataType="text"/>
<ItemDef OID="IT.SEX" Name="SEX" DataType="text"><Description><TranslatedText>Sex of the
  person</TranslatedText></Description><CodeListRef CodeListOID="CL.SEX"/><def:Origin Type="Collected"/></ItemDef>
<ItemDef OID="IT.AGE" Name="AGE" DataType="integer" Origin="Derived"/>
<ItemDef OID="IT.ARM" Name="ARM" DataType="text"><CodeListRef CodeListOID="CL.OUT"/></ItemDef>
<CodeList OID="CL.SEX" Name="Sex" DataType="text">
  <CodeListItem CodedValue="F"><Decode><TranslatedText>Female</TranslatedText></Decode></CodeListItem>
  <EnumeratedItem CodedValue="M"/>
</CodeList>
<CodeList OID="CL.OUT" Name="MedDRA" DataType="text"><ExternalCodeList Dictionary="MEDDRA"/></CodeList>
</MetaDataVersion></Study></ODM>
"""


def source(text: str | bytes, tmp_path) -> SourceFile:
    return SourceFile(tmp_path / "define.xml", text.encode() if isinstance(text, str) else text)


def table(**columns) -> SourceTable:
    return SourceTable("DM", "dm.csv", "", pd.DataFrame(columns), {}, ())


def test_what_is_said_of_variables(tmp_path):
    definition = read_definition(source(DEFINE, tmp_path))
    assert (definition.study, list(definition.datasets), len(definition.sha256)) == ("ABC-01", ["DM"], 64)
    sex, age = definition.variable("dm", "sex"), definition.variable("DM", "AGE")
    assert (sex.label, sex.data_type, sex.origin, sex.is_mandatory) == ("Sex of the person", "text", "Collected", True)
    assert sex.code_list == CodeList("Sex", {"F": "Female", "M": ""})
    assert (age.label, age.data_type, age.origin, age.is_mandatory) == ("", "integer", "Derived", False)
    assert definition.variable("DM", "ARM").code_list.terms == {}
    assert definition.variable("DM", "GONE") is None
    assert definition.variable("VS", "SEX") is None


@pytest.mark.parametrize(
    ("attributes", "inside", "label"),
    [
        ('def:Label="Old"', "", "Old"),
        ("", "<Description><TranslatedText>New</TranslatedText></Description>", "New"),
        ('def:Label="Old"', "<Description><TranslatedText>New</TranslatedText></Description>", "New"),
    ],
)
def test_a_dataset_is_called_as_either_version_says_it(attributes, inside, label, tmp_path):
    text = DEFINE.replace('Domain="DM">', f'Domain="DM" {attributes}>{inside}', 1)
    assert read_definition(source(text, tmp_path)).described["DM"].label == label


def test_contradictions_in_names_and_counts(tmp_path):
    definition = read_definition(source(DEFINE, tmp_path))
    found = table(USUBJID=["S1", "S2", "S3"], Sex=["F", "DOLLY", "DOLLY"], AGE=["50", "DOLLY", None], EXTRA=["x"] * 3)
    assert contradictions(definition, found) == [
        "define.xml does not describe 'EXTRA'",
        "define.xml requires ARM, which the file does not have",
        "define.xml: SEX has 2 values outside its code list 'Sex'",
        "define.xml: AGE has 1 value that cannot be read as integer",
    ]
    whole = table(USUBJID=["S1"], SEX=[None], AGE=[50.0], ARM=["whatever"])
    assert contradictions(definition, whole) == []
    other = SourceTable("VS", "vs.csv", "", whole.frame, {}, ())
    assert contradictions(definition, other) == ["define.xml does not describe this dataset"]


def test_codes_that_are_numbers(tmp_path):
    text = DEFINE.replace('CodedValue="F"', 'CodedValue="1"').replace('CodedValue="M"', 'CodedValue="2"')
    definition = read_definition(source(text, tmp_path))
    found = table(USUBJID=["S1", "S2", "S3"], SEX=[1.0, 2.0, 3.0], ARM=["x"] * 3)
    assert contradictions(definition, found) == ["define.xml: SEX has 1 value outside its code list 'Sex'"]


BOMB = '<!DOCTYPE ODM [<!ENTITY a "DOLLY"><!ENTITY b "&a;&a;&a;">]>'


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (DEFINE.replace("<ODM", BOMB + "<ODM", 1), "a document type"),
        (DEFINE.replace("<ODM", '<!DOCTYPE ODM SYSTEM "file:///etc/passwd"><ODM', 1), "a document type"),
        (DEFINE.replace("<ODM", BOMB + "<ODM", 1).replace('"1.0"', '"1.0" encoding="utf-16"').encode("utf-16"), "type"),
        (DEFINE[:900], "not valid XML in line"),
        ("<html><body>DOLLY</body></html>", "not Define-XML"),
        ("<ODM>DOLLY</ODM>", "not Define-XML"),
        (b"", "not valid XML"),
        (b"\xff\xfe\x00", "not valid XML"),
        (DEFINE.replace('"1.0"', '"1.0" encoding="DOLLYCODE"'), "not valid XML"),
    ],
)
def test_what_is_no_definition(tmp_path, text, says):
    with pytest.raises(FaultyInputError, match=says) as caught:
        read_definition(source(text, tmp_path))
    assert "DOLLY" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_the_merge_holds_the_files_against_it_and_a_broken_one_stops_nothing(tmp_path):
    files = {"dm.csv": [{"USUBJID": "S1", "SEX": "X", "ARM": "A"}], "Define.XML": DEFINE}
    report = combine(tmp_path, files).report
    assert report["inputs"]["dm.csv"]["notes"] == ["Define.XML: SEX has 1 value outside its code list 'Sex'"]
    assert report["left_out"] == {"Define.XML": "a description of the data, which was compared with the data"}
    report = combine(tmp_path, files | {"Define.XML": DEFINE[:900]}).report
    assert report["left_out"] == {"Define.XML": "a description of the data that could not be used"}
    assert "not valid XML" in report["notes"][0]


def test_a_link_out_of_the_folder_is_not_followed(tmp_path):
    (tmp_path / "pilot").mkdir()
    (tmp_path / "define.xml").write_text(DEFINE)
    (tmp_path / "pilot" / "define.xml").symlink_to(tmp_path / "define.xml")
    with pytest.raises(FaultyInputError, match="a link that leads out of"):
        read_definition(find_definition(tmp_path / "pilot"))


@needs_shared_data
def test_the_definition_of_a_whole_study():
    """Counted in the text of the file, without a parser of XML."""
    text = (STUDY / "define.xml").read_text(encoding="utf-8")
    groups = re.findall(r"<ItemGroupDef.*?</ItemGroupDef>", text, re.DOTALL)
    definition = read_definition(STUDY / "define.xml")
    assert len(definition.datasets) == len(groups) == 31
    assert sum(map(len, definition.datasets.values())) == sum(group.count("<ItemRef ") for group in groups)
    assert definition.variable("DM", "SEX").code_list.terms == {"F": "Female", "M": "Male"}
    assert definition.variable("DM", "RFSTDTC").label == "Subject Reference Start Date/Time"
    labels = read_domain_file(STUDY / "json" / "dm.json").labels
    assert {name: definition.variable("DM", name).label for name in labels} == labels


@needs_shared_data
def test_a_study_against_its_own_definition():
    definition = read_definition(STUDY / "define.xml")
    assert contradictions(definition, read_domain_file(STUDY / "json" / "dm.json")) == []
    laboratory = read_domain_file(STUDY / "json" / "lb.json")
    [note] = contradictions(definition, laboratory)
    terms = definition.variable("LB", "LBTEST").code_list.terms
    n_outside = sum(test not in terms for test in laboratory.frame["LBTEST"])
    assert note == f"define.xml: LBTEST has {n_outside} values outside its code list 'Laboratory Test Name'"
