"""Two studies in one folder and two files of one domain: a fault, until the config chooses or pools them."""

import pytest

from tests.study.merge.merge_files import combine, faults_of, finding, values


def people(study, *subjects, **more):
    return [{"STUDYID": study, "DOMAIN": "DM", "USUBJID": name, "AGE": "50"} | more for name in subjects]


DM_A, DM_B = people("A", "S1", "S2"), people("B", "S8", "S9", AGE="60")
VS = [finding("VS", USUBJID=name, DOMAIN="VS", TEST="Weight", STRESN=str(80)) for name in ("S1", "S8")]


# Studies


def test_two_studies_in_one_file_are_a_fault_with_names_and_counts(tmp_path):
    [fault] = faults_of(tmp_path, {"dm.csv": DM_A + DM_B + people("B", "S7")})
    assert fault == (
        "2 STUDYIDs in the pilot's files, with their rows: 'A' in dm.csv (2); 'B' in dm.csv (3). Allowed: one study. "
        'Choose it by merge: {"study": "A"}, or combine them by merge: {"study": ["A", "B"]}'
    )


def test_the_chosen_study_alone_is_merged_and_the_others_rows_are_counted(tmp_path):
    files = {"dm.csv": DM_A + DM_B, "vs.csv": [row | {"STUDYID": "B"} for row in VS[1:]]}
    combined = combine(tmp_path, files, merge={"study": "B"})
    assert values(combined, "DM__AGE") == {"S8": "60", "S9": "60"}
    assert values(combined, "VS__Weight") == {"S8": "80"}
    assert combined.report["inputs"]["dm.csv"]["rows_of_other_studies"] == 2
    of_a = combine(tmp_path, files, merge={"study": "A"})
    assert of_a.report["left_out"] == {"vs.csv": "none of its 1 rows belongs to the chosen study"}
    assert list(values(of_a, "DM__AGE")) == ["S1", "S2"]


@pytest.mark.parametrize("study", [["A", "B"], "*"])
def test_studies_are_pooled_knowingly(tmp_path, study):
    combined = combine(tmp_path, {"dm.csv": DM_A + DM_B}, merge={"study": study})
    assert list(values(combined, "DM__AGE")) == ["S1", "S2", "S8", "S9"]


def test_a_study_that_is_not_there_is_a_fault(tmp_path):
    [fault] = faults_of(tmp_path, {"dm.csv": DM_A + DM_B}, merge={"study": "C"})
    assert "merge['study']: 'C' is not a STUDYID in the pilot's files, which have 2" in fault


def test_one_study_in_other_spelling_of_blanks_is_one(tmp_path):
    rows = [*people("A", "S1"), *people(" A ", "S2")]
    assert len(combine(tmp_path, {"dm.csv": rows}).frame) == 2


def test_a_studyid_that_numbers_people_is_neither_chosen_by_nor_shown(tmp_path):
    rows = [{"STUDYID": f"P{number}", "USUBJID": f"S{number}", "AGE": "50"} for number in range(30)]
    combined = combine(tmp_path, {"dm.csv": rows})
    assert len(combined.frame) == 30
    assert any("STUDYID has 30 values" in note for note in combined.report["notes"])
    [fault] = faults_of(tmp_path, {"dm.csv": rows[:3] + people("A", "S91", "S92")})
    assert "P0" not in fault
    assert "4 STUDYIDs" in fault
    assert "one that is not shown, as it may identify a person in dm.csv (1)" in fault
    assert 'combine them by merge: {"study": "*"}' in fault


def test_numeric_studies_are_chosen_as_they_are_written(tmp_path):
    rows = [{"STUDYID": float(study), "USUBJID": f"S{n}", "AGE": 50.0} for n, study in enumerate([7, 7, 8])]
    assert len(combine(tmp_path, {"dm.json": rows}, merge={"study": "7"}).frame) == 2


# Files


def test_two_files_of_a_domain_are_a_fault_with_names_and_counts(tmp_path):
    files = {"dm.csv": people("A", "S1", "S2"), "dm_vaccine.csv": people("A", "S8", "S9", "S7")}
    [fault] = faults_of(tmp_path, files)
    assert "2 files of the domain DM: dm.csv (2 rows, one STUDYID), dm_vaccine.csv (3 rows, one STUDYID)" in fault
    assert 'merge: {"files": {"DM": {"file": "dm.csv"}}}' in fault
    assert 'merge: {"files": {"DM": {"file": ["dm.csv", "dm_vaccine.csv"]}}}' in fault


def test_the_study_may_choose_the_file(tmp_path):
    files = {"dm.csv": DM_A, "dm_vaccine.csv": DM_B}
    faults = faults_of(tmp_path, files)
    assert [fault.split(" in ")[0].split(":")[0] for fault in faults] == ["2 STUDYIDs", "2 files of the domain DM"]
    combined = combine(tmp_path, files, merge={"study": "B"})
    assert list(values(combined, "DM__AGE")) == ["S8", "S9"]


def test_the_chosen_file_alone_is_merged(tmp_path):
    files = {"dm.csv": DM_A, "dm_vaccine.csv": DM_B}
    combined = combine(tmp_path, files, merge={"files": {"DM": {"file": "dm_vaccine.csv"}}})
    assert list(values(combined, "DM__AGE")) == ["S8", "S9"]
    assert combined.report["left_out"] == {"dm.csv": "not chosen by merge['files']['DM']['file']"}


def test_files_are_pooled_knowingly(tmp_path):
    files = {"dm.csv": DM_A, "demographics.csv": people("A", "S8", "S9")}
    assert "2 files of the domain DM" in faults_of(tmp_path, files)[0]
    pooled = {"files": {"DM": {"file": ["dm.csv", "demographics.csv"]}}}
    assert list(values(combine(tmp_path, files, merge=pooled), "DM__AGE")) == ["S1", "S2", "S8", "S9"]
    twice = {"dm.csv": DM_A, "dm2.csv": DM_A}
    pooled = {"files": {"DM": {"file": ["dm.csv", "dm2.csv"]}}}
    assert (
        "DM: fewer than 10 of fewer than 10 subjects have several rows" in faults_of(tmp_path, twice, merge=pooled)[0]
    )


def test_one_domain_in_two_formats_is_chosen_by_file(tmp_path):
    files = {"dm.csv": DM_A, "dm.json": DM_B}
    [fault] = faults_of(tmp_path, files)
    assert 'choose one by merge: {"files": {"DM": {"file": "dm.csv"}}}' in fault
    combined = combine(tmp_path, files, merge={"files": {"DM": {"file": "dm.json"}}})
    assert list(values(combined, "DM__AGE")) == ["S8", "S9"]
    assert combined.report["left_out"] == {"dm.csv": "another file of the domain was chosen"}


def test_a_chosen_file_that_is_not_there_is_a_fault(tmp_path):
    [fault] = faults_of(tmp_path, {"dm.csv": DM_A}, merge={"files": {"DM": {"file": "dmm.csv"}}})
    assert "there is no data file 'dmm.csv'; did you mean 'dm.csv'?" in fault


def test_supplemental_files_of_one_domain_under_two_names_are_a_fault(tmp_path):
    supplemental = [{"RDOMAIN": "DM", "USUBJID": "S1", "IDVAR": "", "IDVARVAL": "", "QNAM": "ITT", "QVAL": "Y"}]
    files = {"dm.csv": DM_A, "suppdm.csv": supplemental, "suppdm_vaccine.csv": supplemental}
    [fault] = faults_of(tmp_path, files)
    assert "2 files of the domain SUPPDM: suppdm.csv (1 row" in fault


@pytest.mark.parametrize("names", [("lbch.csv", "lbhe.csv"), ("lb.csv", "lbhe.csv"), ("lb1.csv", "lb2.csv")])
def test_split_domains_stay(tmp_path, names):
    tests = {"Glucose": "5", "Iron": "9"}.items()
    parts = [[finding("LB", DOMAIN="LB", TEST=test, STRESN=result)] for test, result in tests]
    files = {"dm.csv": DM_A} | dict(zip(names, parts, strict=True))
    combined = combine(tmp_path, files)
    assert values(combined, "LB__Glucose") == {"S1": "5"}
    assert values(combined, "LB__Iron") == {"S1": "9"}
