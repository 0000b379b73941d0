"""What the config leaves out of the combined dataset is not in the files that leave either."""

from __future__ import annotations

import dataclasses

import pytest

from disclosure_control.release.deidentify import deidentify
from disclosure_control.release.merge_drop import LEFT_OUT, rules_of_drop, tests_of_drop
from study.models.roles import ColumnModel, Role, TableKind, TableModel
from study.models.sdtm_operations import overriding_line
from study.models.study_model import StudyModel
from study.operations import OperationKind
from tests.release.small_studies import KEY, RELEASE, people, study_of

tests_of_drop.__test__ = False  # type: ignore[attr-defined]
IDS = ["S-1", "S-2"]
SUBJECT = {"STUDYID": "S", "DOMAIN": "DM", "SEX": "F", "DTHDTC": "2014-03-02", "DTHFL": "Y"}
RESULT = {"STUDYID": "S", "DOMAIN": "VS", "VSSTRESN": 1.0, "VSSEQ": 1.0}
FILES = {
    "DM": [{**SUBJECT, "USUBJID": one} for one in IDS],
    "AE": [{"STUDYID": "S", "DOMAIN": "AE", "USUBJID": one, "AESPID": "E1", "DTHDTC": "2014-03-02"} for one in IDS],
    "VS": [
        {**RESULT, "USUBJID": one, "VSTESTCD": code, "VSTEST": code.title()}
        for one in IDS
        for code in ("HEIGHT", "PULSE")
    ],
}


def left(drop: list[str], lines=()):
    study, who = study_of(FILES, IDS), people(IDS, [0, 1])
    who = dataclasses.replace(who, recoded=tests_of_drop(drop, study.model, len(IDS)))
    return deidentify(study, who, (*lines, *rules_of_drop(drop, study.model)), KEY, RELEASE)


def test_the_date_of_death_that_the_draft_drops_does_not_stand_in_released():
    """DM.DTHDTC, and where another file copies it; the codebook says why."""
    after = left(["DM__DTHDTC"])
    assert "DTHDTC" not in after.files["DM"].frame
    assert "DTHDTC" not in after.files["AE"].frame
    assert "DTHFL" in after.files["DM"].frame
    said = [one.operation for one in after.accounts if one.variable == "DTHDTC"]
    assert [(one.operation, one.reason) for one in said] == [(OperationKind.REMOVE, LEFT_OUT)] * 2


def test_the_rows_of_a_dropped_test_do_not_leave():
    after = left(["VS__Height"])
    assert set(after.files["VS"].frame["VSTESTCD"]) == {"PULSE"}
    (said,) = [one for one in after.accounts if one.variable == "Height"]
    assert (said.operation.operation, said.operation.reason) == (OperationKind.REMOVE, LEFT_OUT)
    assert after.unplaced == ()


@pytest.mark.parametrize("name", ["AE__AESPID", "DM__USUBJID"])
def test_keys_leave_as_pseudonyms_all_the_same(name):
    domain, variable = name.split("__")
    found = left([name]).files[domain].frame[variable]
    assert found.notna().all()
    assert not set(found) & {"E1", *IDS}


def test_a_line_of_the_config_decides_before_what_the_merge_drops():
    after = left(["DM__DTHDTC"], [overriding_line("DM.DTHDTC", OperationKind.OFFSET)])
    assert "DTHDTC" in after.files["DM"].frame


def test_what_no_file_has_is_no_reason_to_hold():
    after = left(["AE__count", "VS__Weight", "LB__Glucose [BLOOD]", "no_domain"])
    assert after.unplaced == ()
    assert {name: list(file.frame) for name, file in after.files.items()} == {
        name: list(file.frame) for name, file in left([]).files.items()
    }


def test_a_name_that_two_tables_share_is_dropped_in_its_own_where_it_has_two_meanings():
    model = StudyModel("fhir", "", "patient_id", "PATIENT", {})
    assert [one.patterns for one in rules_of_drop(["PATIENT__status"], model)] == [("PATIENT.STATUS",)]
    model = StudyModel("adam", "", "USUBJID", "ADSL", {})
    assert [one.patterns for one in rules_of_drop(["ADSL__DTHDT"], model)] == [("*.DTHDT",)]


def test_the_date_of_an_admission_leaves_moved_and_that_of_a_birth_does_not():
    """A draft drops both of a hospital's export, as the combined dataset would show them as they are."""
    columns = {
        "admitted": ColumnModel(Role.DATE),
        "born": ColumnModel(Role.BIRTH),
        "died": ColumnModel(Role.DEATH_DATE),
    }
    model = StudyModel("flat", "", "patient", "T", {"T": TableModel("T", TableKind.ROWS, columns=columns)})
    rules = rules_of_drop(["T__admitted", "T__born", "T__died"], model)
    assert [one.patterns for one in rules] == [("T.BORN",), ("T.DIED",)]
