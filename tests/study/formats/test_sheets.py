"""Workbooks with several sheets: which are tables of the pilot, how they are called, merged, released, and checked."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

import openpyxl
import pandas as pd
import pytest

from disclosure_control.assess.staleness import staleness
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.release.study import read_study
from study.formats.files import find_domain_files, read_domain_file
from study.formats.legends import CODES, PROSE
from study.formats.tables import FileOptions, domain_of, file_of, sheet_path, stem_of, suffix_of
from study.merge.combine import Combined, combine_domains
from tests.cases import each
from tests.config_keys import settings_of_key

IDS = ["DOLLY", "P2", "P3", "P4"]
PATIENTS = [["Register of the clinic"], ["PatNr", "Sex", "Age"], *zip(IDS, "mffm", [50, 61, 47, 70], strict=True)]
LABS = [["PatNr", "Cholesterol"], *zip(IDS, [201, 188, 175, 230], strict=True)]
LEGEND = [["Variable", "Code", "Meaning"], ["Sex", "m", "male"], ["Sex", "f", "female"]]
NOTES = [["This extract was made in May by the register"], ["Please ask us if anything in it is unclear"]]
PERSON = {"column": "PatNr"}


def workbook(folder: Path, sheets: Mapping[str, list], name: str = "clinic.xlsx") -> Path:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(list(row))
    book.save(folder / name)
    return folder / name


def merged(folder: Path, **merge: object) -> Combined:
    return combine_domains(folder, settings_of_key("subject_id", PERSON), settings_of_key("merge", merge))


def faults_of(folder: Path, **merge: object) -> str:
    with pytest.raises(FaultyInputError) as caught:
        merged(folder, **merge)
    assert "DOLLY" not in str(caught.value)
    return str(caught.value)


def test_each_sheet_with_data_is_a_domain_and_legends_are_left_out(tmp_path):
    workbook(tmp_path, {"Patients": PATIENTS, "Labs": LABS, "Legend": LEGEND, "Notes": NOTES, "Plan": [["PatNr", "x"]]})
    found = find_domain_files(tmp_path)
    assert {domain: path.name for domain, path in found.by_domain.items()} == {
        "LABS": "clinic.xlsx#Labs",
        "PATIENTS": "clinic.xlsx#Patients",
    }
    assert found.left_out == {
        "clinic.xlsx#Legend": CODES,
        "clinic.xlsx#Notes": PROSE,
        "clinic.xlsx#Plan": "no records below its headings",
    }
    labs = read_domain_file(found.by_domain["LABS"])
    assert (labs.domain, labs.file_name) == ("LABS", "clinic.xlsx#Labs")
    assert list(labs.frame["Cholesterol"]) == [201, 188, 175, 230]
    assert labs.sha256 == read_domain_file(tmp_path / "clinic.xlsx", FileOptions(sheet="Patients")).sha256


def test_sheets_are_joined_by_the_person(tmp_path):
    workbook(tmp_path, {"Patients": PATIENTS, "Labs": LABS, "Legend": LEGEND})
    combined = merged(tmp_path)
    people = combined.frame.set_index("USUBJID")
    assert sorted(people.index) == IDS
    assert people.loc["DOLLY", ["PATIENTS__Sex", "PATIENTS__Age", "LABS__Cholesterol"]].to_list() == ["m", "50", "201"]
    assert set(combined.report["inputs"]) == {"clinic.xlsx#Patients", "clinic.xlsx#Labs"}
    (note,) = combined.report["inputs"]["clinic.xlsx#Patients"]["notes"]
    assert note == "the headings were found in row 2; row 1 above them holds text that is not read"


def test_one_sheet_with_data_is_the_domain_of_the_file(tmp_path):
    path = workbook(tmp_path, {"Legend": LEGEND, "Patients": PATIENTS, "Notes": NOTES})
    found = find_domain_files(tmp_path)
    assert found.by_domain == {"CLINIC": path}
    assert found.left_out == {"clinic.xlsx#Legend": CODES, "clinic.xlsx#Notes": PROSE}
    table = read_domain_file(path)
    assert list(table.frame["PatNr"]) == IDS
    assert "sheet 'Patients' read, and 2 other sheets left out" in table.notes


def test_a_workbook_of_legends_alone_is_read_as_it_is(tmp_path):
    path = workbook(tmp_path, {"Legend": LEGEND})
    assert find_domain_files(tmp_path).by_domain == {"CLINIC": path}
    assert list(read_domain_file(path).frame.columns) == LEGEND[0]


@each("sheet", ["Labs", "Legend"])
def test_a_declared_sheet_is_read_alone(tmp_path, sheet):
    path = workbook(tmp_path, {"Patients": PATIENTS, "Labs": LABS, "Legend": LEGEND})
    declared = {"CLINIC": FileOptions(sheet=sheet)}
    assert find_domain_files(tmp_path, declared).by_domain == {"CLINIC": path}
    if sheet == "Labs":
        combined = merged(tmp_path, files={"CLINIC": {"sheet": sheet}})
        assert [name for name in combined.frame if "__" in name] == ["CLINIC__Cholesterol"]


def test_the_column_of_the_person_makes_a_sheet_one_of_data(tmp_path):
    """A list of codes by its headings, were it not for the config."""
    codes = [["Code", "Label"], ["A", "x"], ["B", "y"]]
    workbook(tmp_path, {"Patients": [["Code", "Age"], ["A", 50], ["B", 60]], "Codes": codes})
    assert list(find_domain_files(tmp_path).by_domain) == ["CLINIC"]
    assert list(find_domain_files(tmp_path, None, "Code").by_domain) == ["CODES", "PATIENTS"]


def test_settings_and_faults_of_a_sheet_name_it(tmp_path):
    labs = [["Values"], ["PatNr", "Value", None], *([person, 1, 2] for person in IDS)]
    workbook(tmp_path, {"Patients": PATIENTS, "Labs": labs})
    fault = faults_of(tmp_path)
    assert "clinic.xlsx#Labs: " in fault
    assert 'merge: {"files": {"LABS": {"header_row": ' in fault
    assert merged(tmp_path, ignore=["LABS"]).report["left_out"] == {"clinic.xlsx#Labs": "ignored by the config"}
    labs[0] = ["PatNr", "Value", "Other"]
    workbook(tmp_path, {"Patients": PATIENTS, "Labs": labs})
    combined = merged(tmp_path, files={"LABS": {"header_row": 1, "numbers": ["Value"]}}, unknown_subjects=["LABS"])
    assert "LABS__Other" in combined.frame


def test_a_sheet_and_a_file_of_one_domain_are_a_fault_until_one_is_chosen(tmp_path):
    workbook(tmp_path, {"Patients": PATIENTS, "Labs": LABS})
    (tmp_path / "labs.csv").write_text("PatNr,Cholesterol\nDOLLY,1\nP2,2\nP3,3\nP4,4\n")
    fault = faults_of(tmp_path)
    assert "2 files for the domain LABS (clinic.xlsx#Labs, labs.csv)" in fault
    assert 'merge: {"files": {"LABS": {"file": "clinic.xlsx#Labs"}}}' in fault
    assert 'merge: {"files": {"CLINIC": {"sheet": "Labs"}}}' in fault
    values = {}
    for name in ("clinic.xlsx#Labs", "labs.csv"):
        combined = merged(tmp_path, files={"LABS": {"file": name}})
        values[name] = combined.frame.set_index("USUBJID").loc["DOLLY", "LABS__Cholesterol"]
    assert values == {"clinic.xlsx#Labs": "201", "labs.csv": "1"}


def test_two_workbooks_with_sheets_of_one_name_are_a_fault(tmp_path):
    for name in ("one.xlsx", "two.xlsx"):
        workbook(tmp_path, {"Patients": PATIENTS, "Labs": LABS}, name)
    fault = faults_of(tmp_path)
    assert "2 files for the domain LABS (one.xlsx#Labs, two.xlsx#Labs)" in fault
    assert "2 files for the domain PATIENTS" in fault


@pytest.mark.thorough("0.3 s")
def test_dictionaries_beside_a_study_are_left_out_of_merge_and_release(tmp_path):
    workbook(tmp_path, {"Patients": PATIENTS, "Labs": LABS, "Legend": LEGEND})
    (tmp_path / "MedDRA.csv").write_text("pt_code,pt_name,soc_name\n10019211,Headache,Nervous\n")
    (tmp_path / "codelist.csv").write_text("Variable,Code,Label\nSex,m,male\nSex,f,female\n")
    left_out = {"clinic.xlsx#Legend": CODES, "MedDRA.csv": CODES, "codelist.csv": CODES}
    assert merged(tmp_path).report["left_out"] == left_out
    study = read_study(tmp_path, pd.Series(IDS), settings_of_key("subject_id", PERSON), settings_of_key("merge", {}))
    assert study.left_out == left_out
    assert [(file.name, file.stem, file.written_as) for file in study.files] == [
        ("LABS", "Labs", "csv"),
        ("PATIENTS", "Patients", "csv"),
    ]
    assert [list(file.people) for file in study.files] == [[0, 1, 2, 3], [0, 1, 2, 3]]


def test_a_dictionary_is_read_where_it_is_all_there_is(tmp_path):
    (tmp_path / "codelist.csv").write_text("PatNr,Code,Label\nDOLLY,m,male\nP2,f,female\n")
    assert merged(tmp_path).report["left_out"] == {}


def test_a_changed_workbook_is_noticed_once_and_an_unchanged_one_not(tmp_path):
    workbook(tmp_path, {"Patients": PATIENTS, "Labs": LABS, "Legend": LEGEND})
    results = tmp_path / "results"
    results.mkdir()
    report = merged(tmp_path).report | {"pilot": tmp_path.name, "files": {"combined_dataset.csv": {"sha256": "x"}}}
    (results / "merge_report.json").write_text(pd.Series(report).to_json())
    assert staleness(tmp_path, results, "x", {}).reasons == ()
    workbook(tmp_path, {"Patients": PATIENTS, "Labs": LABS[:-1], "Legend": LEGEND})
    shutil.copy(tmp_path / "clinic.xlsx", tmp_path / "other.xlsx")
    assert [one.sentence for one in staleness(tmp_path, results, "x", {}).reasons] == [
        "clinic.xlsx changed after the merge, and what follows does not know it.",
        "other.xlsx came after the merge, and what follows does not know it.",
    ]


def test_names_of_sheets_as_names_of_tables():
    path = sheet_path(Path("pilot") / "Study 1.XLSX", " Labs: a/b? ")
    assert path == Path("pilot") / "Study 1.XLSX#Labs_ a_b_"
    assert (file_of(path), suffix_of(path)) == (Path("pilot") / "Study 1.XLSX", ".xlsx")
    assert (stem_of(path), domain_of(path)) == ("Labs_ a_b_", "LABS_ A_B_")
    for name in ("dm.csv", "dm.csv#a", "#a.csv", "a#b.xlsx", "dm.xlsx#", "dm.csv.gz"):
        assert file_of(Path(name)) == Path(name)
    assert stem_of("dm.csv.gz") == "dm"


def test_a_file_that_is_called_as_a_sheet_is_none(tmp_path):
    path = workbook(tmp_path, {"Patients": PATIENTS})
    shutil.copy(path, tmp_path / "clinic.xlsx#Old")
    found = find_domain_files(tmp_path)
    assert found.by_domain == {"CLINIC": path}
    assert list(found.left_out) == ["clinic.xlsx#Old"]
