"""SUPP-- files fold into their parent, record by record; what finds no parent is counted."""

import pandas as pd
import pytest

from tests.study.merge.merge_files import DM, columns_of, combine, faults_of, finding, values

CARRY = {"carry": {"LB": ["LBMETHQ"]}}


def qualifier(subject="S1", name="LBMETHQ", value="X", domain="LB", variable="LBSEQ", key="1"):
    record = {"USUBJID": subject, "RDOMAIN": domain, "IDVAR": variable, "IDVARVAL": key}
    return record | {"QNAM": name, "QLABEL": "a label", "QVAL": value, "QORIG": "DERIVED"}


def of_subject(subject="S1", name="ITT", value="Y"):
    return qualifier(subject, name, value, "DM", "", "")


def result(test="Glucose", sequence="1", **variables):
    return finding("LB", TEST=test, TESTCD=test[:4].upper(), STRESN="5", SEQ=sequence, DOMAIN="LB", **variables)


def counts_of(combined, domain):
    counts = combined.report["domains"][domain]
    return counts["supplemental_folded"], counts["supplemental_without_parent"]


def test_without_a_key_a_qualifier_belongs_to_the_subject(tmp_path):
    rows = [of_subject("S1"), of_subject("S1", "SAFETY"), of_subject("S2", "ITT", "N")]
    combined = combine(tmp_path, {"dm.csv": DM, "suppdm.csv": rows})
    assert columns_of(combined, "DM") == ["DM__RFSTDTC", "DM__ITT", "DM__SAFETY"]
    assert values(combined, "DM__ITT") == {"S1": "Y", "S2": "N"}
    assert values(combined, "DM__SAFETY") == {"S1": "Y"}
    assert counts_of(combined, "DM") == (3, 0)


def test_the_variables_that_point_to_the_parent_may_be_absent(tmp_path):
    rows = [{"USUBJID": "S2", "QNAM": "ITT", "QVAL": "Y"}]
    assert values(combine(tmp_path, {"dm.csv": DM, "suppdm.csv": rows}), "DM__ITT") == {"S2": "Y"}


@pytest.mark.parametrize("name", ["lb.csv", "lb.xpt"])
def test_a_key_is_compared_as_a_number(tmp_path, name):
    """IDVARVAL is padded text; the sequence number is a float in a transport file."""
    sequences = {"Glucose": 1, "Albumin": 2, "Urate": 3, "Bilirubin": 4, "Sodium": 20, "Potassium": 30}
    records = pd.DataFrame([result(test, float(number)) for test, number in sequences.items()])
    if name == "lb.csv":
        records["LBSEQ"] = [str(number) for number in sequences.values()]
    rows = [qualifier(key=key, value=f"V{number}") for number, key in enumerate(["1", "  2", "3.0", "       4 "], 1)]
    combined = combine(tmp_path, {"dm.csv": DM, name: records, "supplb.csv": rows}, merge=CARRY)
    found = {test: values(combined, f"LB__{test}.LBMETHQ") for test in sequences}
    assert found == {test: {"S1": f"V{number}"} if number < 5 else {} for test, number in sequences.items()}
    assert counts_of(combined, "LB") == (4, 0)


def test_a_key_that_is_text_stays_text(tmp_path):
    """Group 01 is another one than group 1."""
    records = [result(GRPID="A01"), result("Albumin", "2", GRPID="A1")]
    rows = [qualifier(variable="LBGRPID", key="A1")]
    combined = combine(tmp_path, {"dm.csv": DM, "lb.csv": records, "supplb.csv": rows}, merge=CARRY)
    assert values(combined, "LB__Albumin.LBMETHQ") == {"S1": "X"}
    assert values(combined, "LB__Glucose.LBMETHQ") == {}


def test_a_key_of_one_subject_is_not_that_of_another(tmp_path):
    records = [result(), result() | {"USUBJID": "S2"}]
    rows = [qualifier("S2")]
    combined = combine(tmp_path, {"dm.csv": DM, "lb.csv": records, "supplb.csv": rows}, merge=CARRY)
    assert values(combined, "LB__Glucose.LBMETHQ") == {"S2": "X"}


def test_one_qualifier_may_belong_to_several_records(tmp_path):
    records = [result(VISITNUM="1"), result("Albumin", "2", VISITNUM="1"), result("Sodium", "3", VISITNUM="2")]
    rows = [qualifier(variable="VISITNUM", key="1")]
    combined = combine(tmp_path, {"dm.csv": DM, "lb.csv": records, "supplb.csv": rows}, merge=CARRY)
    found = [values(combined, f"LB__{test}.LBMETHQ") for test in ("Glucose", "Albumin", "Sodium")]
    assert found == [{"S1": "X"}, {"S1": "X"}, {}]
    assert counts_of(combined, "LB") == (1, 0)


def test_qualifiers_can_be_flags_of_events(tmp_path):
    files = {
        "dm.csv": DM,
        "ae.csv": [{"USUBJID": "S1", "AESEQ": "1", "AETERM": "RASH"}],
        "suppae.csv": [qualifier(name="AETRTEM", value="Y", domain="AE", variable="AESEQ")],
    }
    combined = combine(tmp_path, files, merge={"events": {"AE": {"AETRTEM": ["Y"]}}})
    assert values(combined, "AE__AETRTEM=Y") == {"S1": "Y", "S2": "N"}


# ---------------------------------------------------------------- several domains and split domains


@pytest.mark.thorough("0.2 s")
def test_suppqual_names_the_parent_in_each_row(tmp_path):
    rows = [of_subject(), qualifier(), qualifier(domain="QS", name="QSX")]
    files = {"dm.csv": DM, "lb.csv": [result()], "suppqual.csv": rows}
    combined = combine(tmp_path, files, merge=CARRY)
    assert values(combined, "DM__ITT") == {"S1": "Y"}
    assert values(combined, "LB__Glucose.LBMETHQ") == {"S1": "X"}
    assert counts_of(combined, "DM") == counts_of(combined, "LB") == (1, 0)
    [reason] = [reason for name, reason in combined.report["left_out"].items() if "QS" in name]
    assert reason.startswith("1 record")


SPLIT = {
    "dm.csv": DM,
    "lbch.csv": [result("Glucose", "1")],
    "lbhe.csv": [result("Hemoglobin", "2")],
}


@pytest.mark.parametrize("domain", ["LB", "LBHE", ""])
def test_the_qualifiers_of_a_part_fold_into_the_whole_domain(tmp_path, domain):
    """LBHE is a part of LB, whether SUPPLBHE names LB as its domain (as SDTM has it), its own part, or none."""
    rows = [qualifier(key="2", domain=domain)]
    if not domain:
        rows = [{name: value for name, value in row.items() if name != "RDOMAIN"} for row in rows]
    combined = combine(tmp_path, {**SPLIT, "supplbhe.csv": rows}, merge=CARRY)
    assert values(combined, "LB__Hemoglobin.LBMETHQ") == {"S1": "X"}
    assert values(combined, "LB__Glucose.LBMETHQ") == {}
    assert combined.report["left_out"] == {}
    assert counts_of(combined, "LB") == (1, 0)


def test_parts_in_different_formats_are_one_domain(tmp_path):
    """The numbers of one part are floats, those of the other text."""
    other = pd.DataFrame([result("Hemoglobin", 2.0, VISITNUM=1.0)]).assign(LBSTRESN=0.0)
    files = {**SPLIT, "supplbhe.csv": [qualifier(key="   2"), qualifier(key="1", value="Z")]}
    del files["lbhe.csv"]
    combined = combine(tmp_path, {**files, "lbhe.xpt": other}, merge=CARRY)
    assert combined.frame.set_index("USUBJID").loc["S1"].drop("DM__RFSTDTC").to_dict() == {
        "LB__Glucose": "5",
        "LB__Glucose.LBMETHQ": "Z",
        "LB__Hemoglobin": "0",
        "LB__Hemoglobin.LBMETHQ": "X",
    }


# ---------------------------------------------------------------- what finds no parent


def test_qualifiers_without_a_parent_are_counted(tmp_path):
    """The record without a sequence number is nobody's parent, not even of a qualifier without a key value."""
    records = [result(), result("Albumin", "")]
    no_record, none_of_the_subject = qualifier(key="99"), qualifier(subject="S2")
    no_variable, no_key, no_name = qualifier(variable="LBLNKID"), qualifier(key=""), qualifier(name="")
    orphans = [no_record, none_of_the_subject, no_variable, no_key, no_name]
    files = {"dm.csv": DM, "lb.csv": records, "supplb.csv": [qualifier(), *orphans]}
    combined = combine(tmp_path, files, merge=CARRY)
    assert counts_of(combined, "LB") == (1, len(orphans))
    assert values(combined, "LB__Glucose.LBMETHQ") == {"S1": "X"}
    assert values(combined, "LB__Albumin.LBMETHQ") == {}


def test_qualifiers_of_a_domain_that_is_not_there_are_left_out_and_said_to_be(tmp_path):
    combined = combine(tmp_path, {"dm.csv": DM, "supplb.csv": [qualifier(), qualifier(key="2")]})
    [(name, reason)] = combined.report["left_out"].items()
    assert "supplb.csv" in name
    assert "2 records for LB" in reason
    assert reason.on_screen.startswith("fewer than 10 records for LB")  # records are of people


# ---------------------------------------------------------------- faults


@pytest.mark.parametrize("second", [qualifier(value="X"), qualifier(value="Z", key=" 1.0")])
def test_two_values_of_one_name_are_a_fault(tmp_path, second):
    files = {"dm.csv": DM, "lb.csv": [result()], "supplb.csv": [qualifier(), second]}
    [fault] = faults_of(tmp_path, files)
    assert fault.startswith("supplb.csv: fewer than 10 records")
    assert "LBMETHQ" in fault
    assert "S1" not in fault


@pytest.mark.parametrize("name", ["supplb.csv", "supplbch.csv"])
def test_two_values_of_one_name_by_different_keys_are_a_fault(tmp_path, name):
    """The record is named once by its sequence number and once by its visit; or once in each of two files."""
    second = qualifier(variable="VISITNUM", key="1", value="Z")
    files = {"dm.csv": DM, "lb.csv": [result(VISITNUM="1")], "supplb.csv": [qualifier()]}
    files[name] = [*files.get(name, []), second]
    [fault] = faults_of(tmp_path, files)
    assert "LBMETHQ" in fault
    assert "S1" not in fault


def test_a_supplemental_file_needs_its_columns(tmp_path):
    [fault] = faults_of(
        tmp_path, {"dm.csv": DM, "lb.csv": [result()], "supplb.csv": [{"USUBJID": "S1", "IDVAR": "LBSEQ"}]}
    )
    assert fault.startswith("supplb.csv: no column QNAM and QVAL and IDVARVAL")


def test_a_value_that_contradicts_the_variable_of_the_parent_is_a_fault(tmp_path):
    """SUPPDM says F where DM says M: nobody may decide that in silence; where they agree there is nothing to decide."""
    dm = [row | {"SEX": "M"} for row in DM]
    [fault] = faults_of(tmp_path, {"dm.csv": dm, "suppdm.csv": [of_subject("S1", "SEX", "F")]})
    assert fault.startswith("suppdm.csv: fewer than 10 records give a parent record a second SEX")
    combined = combine(tmp_path, {"dm.csv": dm, "suppdm.csv": [of_subject("S1", "SEX", "M")]})
    assert values(combined, "DM__SEX")["S1"] == "M"


def test_a_shifted_column_in_rdomain_is_not_shown(tmp_path):
    rows = [of_subject("S1") | {"RDOMAIN": "P1-SECRET"}]
    [fault] = faults_of(tmp_path, {"dm.csv": DM, "suppdm.csv": rows})
    assert "fewer than 10 values of RDOMAIN" in fault
    assert "SECRET" not in fault


def test_an_idvar_that_means_missing_belongs_to_the_subject(tmp_path):
    """Files of R: kept as text, such an IDVAR named a variable that is nowhere, and all records were lost."""
    rows = [of_subject(one) | {"IDVAR": token, "IDVARVAL": token} for one, token in (("S1", "NA"), ("S2", "."))]
    combined = combine(tmp_path, {"dm.csv": DM, "suppdm.csv": rows})
    assert values(combined, "DM__ITT") == {"S1": "Y", "S2": "Y"}
    assert combined.report["domains"]["DM"]["supplemental_without_parent"] == 0
