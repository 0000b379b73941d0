"""Domains with one row per subject already: what is kept, what is dropped, and what two rows for one subject are."""

import numpy as np
import pandas as pd
import pytest

from disclosure_control.basics.encoding.columns import parse_numbers
from study.merge.wide import says
from tests.examples import some_of
from tests.study.merge.merge_files import DM, columns_of, combine, faults_of, finding, shuffled, values

VISITS = [
    {"USUBJID": "S1", "BMI": "21", "VSDTC": "2014-03-01"},
    {"USUBJID": "S1", "BMI": "19", "VSDTC": "2014-01-01"},
    {"USUBJID": "S1", "BMI": "35", "VSDTC": "2014-02-01"},
    {"USUBJID": "S2", "BMI": "18", "VSDTC": "2014-01-05"},
]


def test_wide_and_long_are_told_apart_by_the_data(tmp_path):
    wide = [{"USUBJID": "S1", "BMI": "21"}, {"USUBJID": "S2", "BMI": "22"}]
    long = [finding("VS", TEST="BMI", STRESN="21"), finding("VS", TEST="BMI", STRESN="22", USUBJID="S2")]
    for rows, form in [(wide, "wide"), (long, "findings")]:
        combined = combine(tmp_path, {"dm.csv": DM, "vs.csv": rows})
        assert values(combined, "VS__BMI") == {"S1": "21", "S2": "22"}
        assert combined.report["domains"]["VS"]["form"] == form


def test_columns_that_tell_nothing_are_dropped_and_said_to_be(tmp_path):
    row = {
        "STUDYID": "T", "DOMAIN": "VS", "USUBJID": "S1", "SUBJID": "1", "VSSEQ": "1", "VSGRPID": "G", "VSREFID": "R",
        "VSSPID": "P", "VSLNKID": "L", "VSLNKGRP": "K", "BMI": "21", "VSDTC": "2014-01-01", "VSTIM": "8", "LBSEQ": "3",
    }  # fmt: skip
    combined = combine(tmp_path, {"dm.csv": DM, "vs.csv": [row]})
    assert columns_of(combined, "VS") == ["VS__BMI", "VS__VSDTC", "VS__VSTIM", "VS__LBSEQ"]
    dropped = ["STUDYID", "DOMAIN", "SUBJID", "VSSEQ", "VSGRPID", "VSREFID", "VSSPID", "VSLNKID", "VSLNKGRP"]
    assert combined.report["domains"]["VS"]["dropped_columns"] == dropped


@pytest.mark.parametrize("odd", ["unknown", "7.5", "<3,42"])
def test_one_person_changes_nobody_elses_number(odd, tmp_path):
    """With files fully declared the bins of the others stay whoever joins; what is no number is counted aloud."""
    people = [(f"S{i:02}", f"{3 + i % 2 * 2},4{i % 10}") for i in range(50)]
    declared = {"delimiter": ";", "encoding": "utf-8", "decimal": ",", "missing": ["-99"]}
    frames = []
    for rows in (people, [*people, ("S99", odd)]):
        text = "USUBJID;GLUCOSE\n" + "".join(f"{subject};{value}\n" for subject, value in rows)
        combined = combine(tmp_path, {"DM.csv": text}, merge={"files": {"DM": declared}})
        frames.append(combined)
    assert frames[1].frame["DM__GLUCOSE"].tolist()[:50] == frames[0].frame["DM__GLUCOSE"].tolist()
    numbers = parse_numbers(frames[1].frame["DM__GLUCOSE"])
    assert np.histogram(numbers[:50], [3, 5, 7])[0].tolist() == [25, 25]
    aloud = [] if odd == "7.5" else ["Texts in columns of numbers: DM__GLUCOSE (1 of 51)"]
    assert (frames[0].report["notes"], frames[1].report["notes"]) == ([], aloud)


def test_a_table_of_numbers_is_written_as_people_write_numbers(tmp_path):
    rows = pd.DataFrame({"USUBJID": ["S1", "S2"], "AGE": [38.0, None], "BMI": [21.5, 0.1 + 0.2], "N": [0.0, 1e-7]})
    combined = combine(tmp_path, {"dm.parquet": rows})
    assert combined.frame["DM__AGE"].tolist()[0] == "38"
    assert combined.frame["DM__AGE"].isna().tolist() == [False, True]
    assert combined.frame["DM__BMI"].tolist() == ["21.5", "0.3"]
    assert combined.frame["DM__N"].tolist()[0] == "0"
    assert float(combined.frame["DM__N"].tolist()[1]) == 1e-7


def test_the_config_drops_columns(tmp_path):
    files = {"dm.csv": [row | {"AGE": "30", "SEX": "F"} for row in DM]}
    combined = combine(tmp_path, files, merge={"drop": ["DM__AGE"]})
    assert list(combined.frame) == ["USUBJID", "DM__RFSTDTC", "DM__SEX"]
    assert combined.report["dropped_columns"] == ["DM__AGE"]
    [fault] = faults_of(tmp_path, files, merge={"drop": ["DM__AGE", "DM__AGES"]})
    assert "'DM__AGES'" in fault
    assert "'DM__AGE'" not in fault


def test_rows_come_in_the_order_of_the_subjects_and_dm_first(tmp_path):
    files = {
        "dm.csv": [{"USUBJID": name, "AGE": name[1:]} for name in ("S3", "S10", "S1")],
        "ae2.csv": [{"USUBJID": "S10", "X": "1"}],
    }
    combined = combine(tmp_path, files)
    assert combined.frame["USUBJID"].tolist() == ["S1", "S10", "S3"]
    assert list(combined.frame) == ["USUBJID", "DM__AGE", "AE2__X"]
    other_order = combine(tmp_path, {"ae2.csv": files["ae2.csv"], "dm.csv": files["dm.csv"][::-1]})
    assert combined.frame.equals(other_order.frame)
    assert values(combined, "AE2__X") == {"S10": "1"}


# ---------------------------------------------------------------- several rows for one subject


def test_two_rows_for_one_subject_are_a_fault(tmp_path):
    [fault] = faults_of(tmp_path, {"dm.csv": DM, "vs.csv": VISITS})
    assert fault.startswith("VS: fewer than 10 of fewer than 10 subject")
    assert '"several_rows": {"VS": ' in fault
    for secret in ("S1", "S2", "21", "2014"):
        assert secret not in fault


def test_faults_of_all_domains_come_at_once(tmp_path):
    faults = faults_of(tmp_path, {"dm.csv": DM, "vs.csv": VISITS, "sc.csv": [{"USUBJID": "S2", "X": "1"}] * 2})
    assert [fault[:3] for fault in faults] == ["SC:", "VS:"]


@pytest.mark.parametrize(("rule", "expected"), [("first", "19"), ("last", "21")])
@pytest.mark.parametrize("seed", some_of(range(4)))
def test_first_and_last_go_by_the_dates_and_not_by_the_file(tmp_path, rule, expected, seed):
    files = {"dm.csv": DM, "vs.csv": shuffled(VISITS, seed)}
    combined = combine(tmp_path, files, merge={"several_rows": {"VS": rule}})
    assert values(combined, "VS__BMI") == {"S1": expected, "S2": "18"}
    assert combined.report["domains"]["VS"]["collapsed"] == 2


@pytest.mark.parametrize("rule", ["first", "last"])
@pytest.mark.parametrize("seed", some_of(range(4)))
def test_rows_of_one_date_are_ordered_by_their_values(tmp_path, rule, seed):
    rows = [{"USUBJID": "S1", "A": a, "B": b} for a in ("", "1", "2") for b in ("", "x", "y")]
    merge = {"several_rows": {"VS": rule}}
    first = combine(tmp_path, {"dm.csv": DM, "vs.csv": rows}, merge=merge)
    second = combine(tmp_path, {"dm.csv": DM, "vs.csv": shuffled(rows, seed)}, merge=merge)
    assert first.frame.equals(second.frame)
    found = tuple(first.frame.loc[0, ["VS__A", "VS__B"]].fillna(""))
    assert found in [(row["A"], row["B"]) for row in rows]


@pytest.mark.parametrize("rule", ["first", "last"])
def test_a_row_without_a_date_is_neither_first_nor_last(tmp_path, rule):
    rows = [{"USUBJID": "S1", "BMI": "1", "VSDTC": ""}, {"USUBJID": "S1", "BMI": "2", "VSDTC": "2014-01-01"}]
    combined = combine(tmp_path, {"dm.csv": DM, "vs.csv": rows}, merge={"several_rows": {"VS": rule}})
    assert values(combined, "VS__BMI") == {"S1": "2"}


@pytest.mark.parametrize(("rule", "expected"), [("first", "1"), ("last", "2")])
def test_the_reference_start_is_that_of_the_chosen_row(tmp_path, rule, expected):
    rows = [
        {"USUBJID": "S1", "DMDTC": "2014-01-01", "RFSTDTC": "2014-01-10"},
        {"USUBJID": "S1", "DMDTC": "2014-01-02", "RFSTDTC": "2014-01-20"},
    ]
    records = [
        finding("LB", TEST="Glucose", STRESN="1", DTC="2014-01-05"),
        finding("LB", TEST="Glucose", STRESN="2", DTC="2014-01-15"),
    ]
    for demographics in (rows, rows[::-1]):
        files = {"dm.csv": demographics, "lb.csv": records}
        combined = combine(tmp_path, files, merge={"several_rows": {"DM": rule}})
        assert values(combined, "LB__Glucose") == {"S1": expected}


@pytest.mark.parametrize("n_others", [0, 20_000])
def test_which_rows_say_a_word_in_any_case_whether_there_are_few_texts_or_many(n_others):
    texts = ["Y", "y", "N", None, *(f"text {number}" for number in range(n_others))]
    found = says(pd.DataFrame({"VSBLFL": pd.Series(texts, dtype="str")}), "VSBLFL", "Y")
    assert found.tolist() == [True, True, *[False] * (2 + n_others)]
    assert not says(pd.DataFrame({"OTHER": ["Y"]}), "VSBLFL", "Y").any()


def test_a_difference_that_no_record_can_have_is_a_fault(tmp_path):
    (fault,) = faults_of(tmp_path, {"dm.csv": DM}, merge={"pool": {"VS__BMI": ["COLOUR"]}})
    assert "pool" in fault
