"""Labels and names that tell where, or of whom: in headers, README.txt, codebook and define.xml of what leaves."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from disclosure_control.release.deidentify import ReleasedStudy
from disclosure_control.release.readme import readme
from disclosure_control.release.texts.labels import LabelJudge, judged_definition
from study.define_xml import DatasetDefinition, StudyDefinition, VariableDefinition
from study.formats.outgoing import Moment, OutgoingTable
from study.formats.registry import writers_by_name
from study.formats.tables import FileOptions
from study.merge.settings import MergeSettings
from study.models.study_model import NOTHING_KNOWN
from tests.cases import quick
from tests.steps.release.conftest import KEY, Package, package, step_on
from tests.steps.release.made_study import demographics, made, rows, starts

PLANTED = "Site 701 Graz m.huber@kages.at"
NOTHING = MergeSettings()
PARTS = ("Graz", "GRAZ", "graz", "huber", "Huber", "HUBER", "kages.at", "kages_", "701 G")


@pytest.fixture(autouse=True)
def _key(monkeypatch):
    monkeypatch.setenv("RELEASE_TEST_KEY", KEY)


def tells(made: Package) -> list[str]:
    """The files of a package, by name, that a recipient reads one of the planted words in, also in their names."""
    spaced = {name: content.replace(b"\x00", b"") for name, content in made.files.items()}
    return [name for name, content in spaced.items() if any(p.encode() in content or p in name for p in PARTS)]


def of_labelled(form: str, to, label: str = "", labels: dict | None = None, release: dict | None = None) -> Package:
    """A made study whose vital signs came in a format with labels."""
    source = to / "source"
    source.mkdir()
    start = starts()
    pd.DataFrame(demographics(start)).to_csv(source / "dm.csv", index=False)
    of = {"VSTESTCD": lambda i: "PULSE", "VSTEST": lambda i: "Pulse Rate", "VSORRES": lambda i: str(60 + i % 20)}
    frame = pd.DataFrame(rows("VS", lambda i: start[i], **of))
    table = OutgoingTable("VS", label, frame, labels or {}, "ST", Moment(2026, 1, 1))
    writer = writers_by_name()[form]
    (source / f"vs{writer.suffix}").write_bytes(writer.write(table))
    return released(source, to, release)


def released(
    source, to, release: dict | None = None, qis: tuple[str, ...] = ("DM__SEX",), merge: MergeSettings = NOTHING
) -> Package:
    literal = {"categorical_qis": list(qis), "continuous_qis": [], "binning_config": {}, "K": 5}
    literal |= {"sensitive_feature": [], "sensitive_binning_config_for_L": {}}
    settings = {"key_from": {"environment": "RELEASE_TEST_KEY"}, "outsiders_know": {"facts": 0}, **(release or {})}
    files = {name: {"value_labels": one.value_labels} for name, one in merge.files.items()}
    literal |= {"merge": {"files": files}} if files else {}
    given, kept = step_on(source, to, {**literal, "release": settings}, None, merge)
    return package(source, given, kept, to)


@pytest.mark.thorough("1 s: a whole release; what it finds is tested by parts in tests/leaving and tests/release")
@pytest.mark.parametrize("form", ["xpt5", "parquet"])
def test_by_a_label_of_a_variable(form, tmp_path):
    found = of_labelled(form, tmp_path, labels={"VSORRES": PLANTED, "VSTEST": "Name of Measurement"})
    assert tells(found) == []
    labels = {one["variable"]: one["label"] for one in json.loads(found.files["codebook.json"])["variables"]}
    assert labels["VSORRES"] == "Result or Finding in Original Units"  # the standard's
    assert labels["VSTEST"] == "Name of Measurement"
    counted = {"emptied": {}, "replaced": {"VS": 1}, "left_out": 0, "needed": 0, "unread": 0}
    assert found.result.figures["labels"] == counted
    (row,) = found.result.tables["labels_and_names.csv"].to_dict("records")
    assert (row["text"], row["instead"]) == (PLANTED, "Result or Finding in Original Units")


@pytest.mark.thorough("1 s: a whole release; what it finds is tested by parts in tests/leaving and tests/release")
def test_a_declared_label_leaves(tmp_path):
    found = of_labelled("json", tmp_path, labels={"VSORRES": PLANTED}, release={"declared_names": [PLANTED]})
    assert "vs.json" in tells(found)


@pytest.mark.thorough("1 s: a release of its own")
def test_by_labels_of_an_spss_file(tmp_path):
    """The label of a column, of the data set, and of a value that half of the people have."""
    pyreadstat = pytest.importorskip("pyreadstat")
    frame = people_of_a_clinic()
    frame["ward"] = np.arange(len(frame)) % 2 + 1.0
    source = tmp_path / "source"
    source.mkdir()
    pyreadstat.write_sav(
        frame,
        source / "people.sav",
        file_label=PLANTED,
        column_labels={"ward": f"ward of {PLANTED}", "sex": "sex", "USUBJID": "id", "crp": "CRP"},
        variable_value_labels={"ward": {1.0: PLANTED, 2.0: "other"}},
    )
    merge = MergeSettings(files={"PEOPLE": FileOptions(value_labels="labels")})
    found = released(source, tmp_path, {"operations": {"PEOPLE.ward": "keep"}}, ("PEOPLE__sex",), merge)
    assert tells(found) == []
    assert "ward" in found.opened["PEOPLE"]


def people_of_a_clinic() -> pd.DataFrame:
    """A plain table: an id, a sex and a result for each of 120 people."""
    number = np.arange(120)
    return pd.DataFrame({"USUBJID": [f"P{i:04d}" for i in number], "sex": number % 2 + 1.0, "crp": number % 7 + 0.5})


@pytest.mark.thorough("0.4 s")
def test_by_the_names_of_columns(tmp_path):
    frame, names = people_of_a_clinic(), ["Dr. Huber notes", "graz_score", "m.huber@kages.at", "HUBER"]
    for name in names:
        frame[name] = np.arange(len(frame)) % 3 + 0.5
    settings = {"operations": {f"PEOPLE.{name}": "keep" for name in ("crp", *names)}}
    source = tmp_path / "source"
    source.mkdir()
    frame.to_csv(source / "people.csv", index=False)
    found = released(source, tmp_path, settings, ("PEOPLE__sex",))
    assert tells(found) == []
    assert found.result.figures["labels"]["left_out"] == len(names)
    assert "crp" in found.opened["PEOPLE"]


@pytest.mark.thorough("0.3 s")
def test_by_the_name_of_a_file(tmp_path):
    """A file keeps its name, which the merge needs: the release is held."""
    source = tmp_path / "source"
    source.mkdir()
    people_of_a_clinic().to_csv(source / "graz_huber.csv", index=False)
    (source / "kages_huber_protocol.pdf").write_bytes(b"%PDF-")
    found = released(source, tmp_path, qis=("GRAZ_HUBER__sex",))
    (reason,) = [one for one in found.result.reasons_to_hold if "may name somebody" in one.sentence]
    assert "1 file" in reason.sentence
    assert "huber" not in reason.sentence
    assert b"kages" not in found.files["README.txt"]


@pytest.mark.thorough("1 s each: a release; a unit of everybody is below")
def test_by_qualifiers_of_everybody(tmp_path):
    planted = [("HUBER", "Notes"), ("A", PLANTED), ("B", "Notes of Dr. Huber"), ("C", "Site 701 Graz")]
    dm = demographics(starts())
    supp = [
        {"STUDYID": "ST", "RDOMAIN": "DM", "USUBJID": one["USUBJID"], "IDVAR": None, "IDVARVAL": None}
        | {"QNAM": name, "QLABEL": label, "QVAL": "Y", "QORIG": "CRF"}
        for one in dm
        for name, label in (*planted, ("ITTFL", "Intent to Treat"))
    ]
    lines = {f"DM.{name}": "keep" for name, _ in planted}
    found = made({"DM": dm, "SUPPDM": supp}, tmp_path, {"operations": lines})
    assert tells(found) == []
    assert "Intent to Treat" in set(found.opened["SUPPDM"]["QLABEL"])


@pytest.mark.thorough("1 s: a whole release; what it finds is tested by parts in tests/leaving and tests/release")
def test_by_units_of_many(tmp_path):
    start, units = starts(), ["Graz", "Huber", PLANTED, "U/L"]
    of = {"LBTESTCD": lambda i: "ALT", "LBORRES": lambda i: "5", "LBORRESU": lambda i: units[i % 4]}
    lb = rows("LB", lambda i: start[i], **of)
    found = made({"DM": demographics(start), "LB": lb}, tmp_path)
    assert tells(found) == []
    assert set(found.opened["LB"]["LBORRESU"].dropna()) == {"U/L"}


@pytest.mark.thorough("1 s: a whole release; what it finds is tested by parts in tests/leaving and tests/release")
def test_by_a_code_list_and_a_label_of_the_define_xml(tmp_path):
    """Of the study's own define.xml: the label of a variable without one in its file, and what a code means."""
    start = starts()
    source = tmp_path / "source"
    source.mkdir()
    for name, table in {"dm": demographics(start), "pe": rows("PE", lambda i: start[i], PEORRES=of_two)}.items():
        outgoing = OutgoingTable(name.upper(), "", pd.DataFrame(table), {}, "ST", Moment(2026, 1, 1))
        (source / f"{name}.json").write_bytes(writers_by_name()["json"].write(outgoing))
    (source / "define.xml").write_text(DEFINE, encoding="utf-8")
    found = released(source, tmp_path)
    assert "define.xml" in found.files, found.result.figures["no_define_xml"]
    assert tells(found) == []


def test_by_the_name_of_the_pilot_and_of_a_standard():
    assert "Huber" not in readme("Huber_Graz", NO_STUDY, {}, Moment(2026, 1, 1))
    assert "Study SDTM_DEMO, de-identified" in readme("SDTM_DEMO", NO_STUDY, {}, Moment(2026, 1, 1))
    named = {"Name": f"CT of {PLANTED}", "Type": "CT", "Version": "2025-03-28", "Status": "Final"}
    ours = {"Name": "SDTMIG", "Type": "IG", "Version": "3.4", "Status": "Final"}
    dated = {"Name": "CDISC/NCI", "Type": "CT", "Version": "2025-03-28", "Status": "Final"}
    variable = VariableDefinition("X", "", "text", "Collected by Dr. Huber", False, None)
    given = StudyDefinition(
        file_name="define.xml",
        sha256="",
        study="ST",
        datasets={"PE": {"X": variable}},
        described={"PE": DatasetDefinition(class_name="Findings of Dr. Huber")},
        standards=(named, ours, dated),
    )
    judged = judged_definition(given, LabelJudge(is_standard=True))
    assert judged.standards == (ours, dated)
    assert (judged.described["PE"].class_name, judged.datasets["PE"]["X"].origin) == ("", "")


NO_STUDY = ReleasedStudy({}, {}, (), (), NOTHING_KNOWN)


def of_two(i: int) -> str:
    """One of two codes."""
    return "AB"[i % 2]


DEFINE = f"""<?xml version="1.0" encoding="UTF-8"?>
<ODM xmlns="http://www.cdisc.org/ns/odm/v1.3" xmlns:def="http://www.cdisc.org/ns/def/v2.1" FileOID="F">
<Study OID="ST"><GlobalVariables><StudyName>ST</StudyName><StudyDescription>ST</StudyDescription>
<ProtocolName>ST</ProtocolName></GlobalVariables><MetaDataVersion OID="M" Name="ST" def:DefineVersion="2.1.0">
<ItemGroupDef OID="IG.PE" Name="PE" Repeating="Yes" def:Structure="One per visit of Dr. Huber">
<Description><TranslatedText>{PLANTED}</TranslatedText></Description><ItemRef ItemOID="IT.PEORRES" Mandatory="No"/>
</ItemGroupDef><ItemDef OID="IT.PEORRES" Name="PEORRES" DataType="text" Length="1">
<Description><TranslatedText>Finding of Dr. Huber</TranslatedText></Description><CodeListRef CodeListOID="CL.P"/>
</ItemDef><CodeList OID="CL.P" Name="P" DataType="text"><CodeListItem CodedValue="A"><Decode>
<TranslatedText>{PLANTED}</TranslatedText></Decode></CodeListItem><CodeListItem CodedValue="B"><Decode>
<TranslatedText>other</TranslatedText></Decode></CodeListItem></CodeList></MetaDataVersion></Study></ODM>"""


@pytest.mark.thorough("1 s: a release of its own")
def test_by_an_emptied_text_in_the_lines_on_what_was_lost(tmp_path):
    """README.txt and codebook say which rows of the study's tables must not be relied on, by their names."""
    start = starts()
    of = {"LBTESTCD": lambda i: "ALT" if i < 118 else "HUBERM", "LBTEST": lambda i: "ALT" if i < 118 else "Huber, M"}
    lb = rows("LB", lambda i: start[i], LBSTRESN=lambda i: float(i % 9), **of)
    assert tells(made({"DM": demographics(start), "LB": lb}, tmp_path)) == []


@pytest.mark.thorough("2.1 s")
@pytest.mark.parametrize(
    ("column", "stem"), quick(1, [("stroeck", "people"), ("crp", "zwettler")], "2 s: two releases")
)
def test_by_a_name_in_no_list_of_names(column, stem, tmp_path):
    """The release is held until its controller has read it: the line that the reason gives says so."""
    source, role = tmp_path / "source", (f"{stem.upper()}__sex",)
    source.mkdir()
    people_of_a_clinic().rename(columns={"crp": column}).to_csv(source / f"{stem}.csv", index=False)
    settings = {"operations": {f"{stem.upper()}.{column}": "keep"}}
    found = released(source, tmp_path, settings, role)
    (reason,) = [one for one in found.result.reasons_to_hold if "words that the tool does not know" in one.sentence]
    (change,) = reason.changes
    assert change.path == ("release", "declared_names")
    (tmp_path / "again").mkdir()
    again = released(source, tmp_path / "again", {**settings, "declared_names": change.value}, role)
    assert not [one for one in again.result.reasons_to_hold if "the tool does not know" in one.sentence]


@pytest.mark.thorough("1 s: a release of its own")
def test_a_name_of_what_does_not_leave_is_not_told(tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    people_of_a_clinic().assign(stroeck="x", crp_date="2024-05-01").to_csv(source / "people.csv", index=False)
    (source / "zwettler.pdf").write_bytes(b"%PDF-")
    found = released(source, tmp_path, {"operations": {"PEOPLE.stroeck": "remove"}}, ("PEOPLE__sex",))
    assert not [one for one in found.result.reasons_to_hold if "the tool does not know" in one.sentence]
    assert [name for name, content in found.files.items() if b"stroeck" in content or b"zwettler" in content] == []
