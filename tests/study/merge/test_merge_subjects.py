"""Who the subjects are: how ids are spelled, whom DM knows, which tables are about subjects at all."""

import ast

import pandas as pd
import pytest

from study.merge import subject_ids
from study.merge.subject_ids import SubjectIdRule
from tests.config_keys import faults_of_key
from tests.examples import some_of, tried_of
from tests.places import PROJECT
from tests.study.merge.merge_files import DM, combine, faults_of, finding, values

PENTELI = ast.literal_eval(
    ast.parse((PROJECT / "config" / "PENTELI.py").read_text(encoding="utf-8")).body[-1].value
)["subject_id"]  # fmt: skip


def ids(*subjects):
    return [{"USUBJID": subject, "AGE": str(30 + number)} for number, subject in enumerate(subjects)]


def subjects_of(tmp_path, rows, rule=None, name="dm.csv"):
    return combine(tmp_path, {name: rows}, subject_id=rule).frame["USUBJID"].tolist()


def notes_of(combined, name):
    return combined.report["inputs"][name]["notes"]


# ---------------------------------------------------------------- rules for ids


@pytest.mark.parametrize("spelling", ["PENTELI-0001", "penteli_1", " P 0001 ", "1", "P1", "Penteli 01", "p-001"])
def test_the_rule_of_penteli(spelling):
    assert SubjectIdRule(**PENTELI).apply(pd.Index([spelling]))[0].tolist() == ["PENTELI-0001"]


@pytest.mark.parametrize("spelling", ["SITE 2-0001", "PENTELI-", "PENTELI-1A", "Q0001", "PENTELI--1"])
def test_the_rule_of_penteli_leaves_other_ids_apart(spelling):
    rule = SubjectIdRule(**PENTELI)
    ids, n_unmatched = rule.apply(pd.Index([spelling, "P 0001"]))
    assert (ids[0], n_unmatched) == (f"PENTELI-{spelling.upper()}", 1)


@pytest.mark.parametrize(
    ("rule", "spelling", "expected"),
    [
        ({}, "ab-1", "ab-1"),
        ({"case": "upper"}, "ab-1", "AB-1"),
        ({"case": "lower"}, "AB-1", "ab-1"),
        ({"zero_pad": 5}, "12", "00012"),
        ({"zero_pad": 5}, "A12", "A12"),
        ({"zero_pad": 2}, "123", "123"),
        ({"prefix": "X-"}, "12", "X-12"),
        ({"pattern": r"^.*-(\d+)$", "replacement": r"\1"}, "01-701-1015", "1015"),
        ({"pattern": "-"}, "01-701-1015", "017011015"),
        ({"pattern": r"^(?P<site>\d+)/(?P<who>\d+)$", "replacement": r"\g<who>-\g<site>"}, "701/15", "15-701"),
        ({"pattern": r"^(?=A)(\w)(\w+)$", "replacement": r"\2"}, "A12", "12"),
        ({"pattern": r"[\W_]+"}, "Π-01", "Π01"),  # letters of every script are letters
        ({"case": "upper", "pattern": "^S", "zero_pad": 4, "prefix": "T"}, "s7", "T0007"),
    ],
)
def test_each_part_of_a_rule(rule, spelling, expected):
    assert faults_of_key("subject_id", rule) == []
    assert SubjectIdRule(**rule).apply(pd.Index([spelling]))[0].tolist() == [expected]


ENDLESS = [r"^(a+)+$", r"^(a|a)*$", r"^(a|aa)+$", r"(.*a){25}$", r"^a*a*a*a*a*a*a*a*$"]


@pytest.mark.parametrize("pattern", some_of(ENDLESS))
def test_a_pattern_that_backtracks_without_end_is_a_fault(pattern, tmp_path, monkeypatch):
    monkeypatch.setattr(subject_ids, "SECONDS", tried_of(10) / 10)
    [fault] = faults_of(tmp_path, {"dm.csv": ids("a" * 400 + "!", "7")}, subject_id={"pattern": pattern})
    assert "subject_id['pattern']: stopped after" in fault
    assert "aaa" not in fault


@pytest.mark.parametrize("pattern", ["(" * 5000 + ")" * 5000, "a{99999999999999999999}", "(", "a**"])
def test_a_text_that_is_no_pattern_is_a_fault(pattern):
    assert faults_of_key("subject_id", {"pattern": pattern})[0].startswith("subject_id['pattern']: found ")


def test_a_check_of_the_config_runs_no_pattern():
    nested = "(" * 12 + "0?" + "){99}" * 12
    assert faults_of_key("subject_id", {"pattern": nested, "replacement": r"\12"}) == []
    assert len(faults_of_key("subject_id", {"pattern": nested, "replacement": r"\13"})) == 1


def test_ids_that_the_pattern_does_not_touch_are_noted(tmp_path):
    rule = {"pattern": r"^P(\d+)$", "replacement": r"\1"}
    files = {"dm.csv": ids("P1", "P2", "Q3", "4"), "vs.csv": [{"USUBJID": "P1", "BMI": "20"}]}
    combined = combine(tmp_path, files, subject_id=rule)
    [note] = notes_of(combined, "dm.csv")
    assert "2 ids" in note
    assert "Q3" not in note
    assert notes_of(combined, "vs.csv") == []


@pytest.mark.parametrize(
    ("rule", "spellings"),
    [
        ({"case": "upper"}, ["ab", "AB", "c"]),
        ({"zero_pad": 4}, ["1", "01", "0001", "2"]),
        ({"pattern": r"^\d+-"}, ["701-1", "702-1", "702-2"]),
    ],
)
def test_ids_that_a_rule_merges_are_a_fault(tmp_path, rule, spellings):
    [fault] = faults_of(tmp_path, {"dm.csv": ids(*spellings)}, subject_id=rule)
    assert fault.startswith("dm.csv: ")
    assert f"makes fewer than 10 of {len(spellings)} source ids" in fault
    assert not any(spelling in fault.replace("subject_id", "") for spelling in spellings if len(spelling) > 1)


def test_a_rule_that_leaves_nothing_of_an_id_is_a_fault(tmp_path):
    [fault] = faults_of(tmp_path, {"dm.csv": ids("ABC", "12")}, subject_id={"pattern": "[A-Z]+"})
    assert fault.startswith("dm.csv: ")
    assert "subject_id" in fault
    assert "ABC" not in fault


@pytest.mark.parametrize("blank", ["", "   "])
def test_a_row_without_an_id_is_a_fault(tmp_path, blank):
    [fault] = faults_of(tmp_path, {"dm.csv": DM, "vs.csv": [{"USUBJID": name, "X": "1"} for name in ("S1", blank)]})
    assert fault.startswith("vs.csv: USUBJID is empty in fewer than 10 of 2 rows")


def test_leading_zeros_stay(tmp_path):
    assert subjects_of(tmp_path, ids("007", "0007", "7")) == ["0007", "007", "7"]


@pytest.mark.parametrize("name", ["dm.xpt", "dm.parquet"])
def test_numeric_ids_are_whole_numbers(tmp_path, name):
    rows = pd.DataFrame({"USUBJID": [1015.0, 7.0, 123456789.0], "AGE": [1.0, 2.0, 3.0]})
    assert subjects_of(tmp_path, rows, {"zero_pad": 6}, name) == ["000007", "001015", "123456789"]


def test_long_numeric_ids_keep_their_digits(tmp_path):
    """Insurance and device numbers have 15 digits and more; floats hold whole numbers up to 2**53."""
    begins = [123456789012345, 1234567890123456, 2**53 - 2, 12345678901234567]
    numbers = [number + more for number in begins for more in (0, 1)]
    rows = pd.DataFrame({"USUBJID": numbers, "AGE": [1, 2] * len(begins)})
    assert subjects_of(tmp_path, rows, name="dm.parquet") == sorted(map(str, numbers))


def test_numeric_and_text_ids_meet(tmp_path):
    files = {
        "dm.parquet": pd.DataFrame({"USUBJID": [1, 2], "AGE": [30, 40]}),
        "vs.csv": [{"USUBJID": "2", "BMI": "20"}],
        "lb.xpt": pd.DataFrame([finding("LB", TEST="Glucose", STRESN=5.0, USUBJID=1.0)]),
    }
    combined = combine(tmp_path, files)
    assert values(combined, "VS__BMI") == {"2": "20"}
    assert values(combined, "LB__Glucose") == {"1": "5"}


# ---------------------------------------------------------------- another id column, or none


def test_rows_are_numbered_where_there_is_no_id(tmp_path):
    rows = [{"age": str(50 - number)} for number in range(12)]
    combined = combine(tmp_path, {"heart.csv": rows}, subject_id={"column": None})
    assert combined.frame["USUBJID"].tolist() == [str(number) for number in range(1, 13)]
    assert combined.frame["HEART__age"].tolist() == [row["age"] for row in rows]


def test_row_numbers_need_one_file(tmp_path):
    faults = faults_of(tmp_path, {"a.csv": [{"x": "1"}], "b.csv": [{"x": "1"}]}, subject_id={"column": None})
    assert any("2 files" in fault for fault in faults)


def test_another_id_column(tmp_path):
    rows = [{"pidnum": "0100", "age": "30"}, {"pidnum": "0099", "age": "40"}]
    combined = combine(tmp_path, {"AIDS.csv": rows}, subject_id={"column": "pidnum"})
    assert list(combined.frame) == ["USUBJID", "AIDS__age"]
    assert values(combined, "AIDS__age") == {"0100": "30", "0099": "40"}


def test_an_absent_id_column_is_a_fault_that_names_the_setting(tmp_path):
    faults = faults_of(tmp_path, {"dm.csv": DM, "aids.csv": [{"pidnum": "1"}], "sc.csv": [{"PatientId": "1"}]})
    assert [fault.split(":")[0] for fault in faults] == ["aids.csv", "sc.csv"]
    assert all("'USUBJID'" in fault and '{"person": "..."}' in fault for fault in faults)


# ---------------------------------------------------------------- whom DM knows


def results(*subjects):
    return [finding("LB", TEST="Glucose", STRESN="5", USUBJID=subject) for subject in subjects]


def test_a_subject_that_dm_does_not_know_is_a_fault(tmp_path):
    [fault] = faults_of(tmp_path, {"dm.csv": DM, "lb.csv": results("S1", "ZZ7", "ZZ7", "ZZ8")})
    assert fault.startswith("lb.csv: fewer than 10 of 3 subjects are not in DM")
    assert 'merge: {"unknown_subjects": ["LB"]}' in fault
    assert "USUBJID" in fault
    assert "spelled" not in fault
    assert not any(name in fault for name in ("S1", "ZZ7", "ZZ8"))


def test_the_setting_leaves_them_out_and_counts_them(tmp_path):
    files = {"dm.csv": DM, "lb.csv": results("S1", "ZZ7", "ZZ7", "ZZ8")}
    combined = combine(tmp_path, files, merge={"unknown_subjects": ["LB"]})
    assert combined.frame["USUBJID"].tolist() == ["S1", "S2"]
    counts = combined.report["domains"]["LB"]
    assert (counts["unknown_subjects_left_out"], counts["rows_of_unknown_subjects"], counts["rows"]) == (2, 3, 1)
    assert combined.report["inputs"]["lb.csv"]["rows"] == 4
    assert faults_of(tmp_path, files, merge={"unknown_subjects": ["VS"]})


@pytest.mark.parametrize("named", ["LB", "LBCH"])
def test_the_setting_names_the_domain_or_its_part(tmp_path, named):
    rows = [row | {"DOMAIN": "LB"} for row in results("S1", "ZZ7")]
    files = {"dm.csv": DM, "lbch.csv": rows, "lbhe.csv": [row | {"LBTEST": "Hgb"} for row in rows[:1]]}
    combined = combine(tmp_path, files, merge={"unknown_subjects": [named]})
    assert combined.report["domains"]["LB"]["unknown_subjects_left_out"] == 1
    assert values(combined, "LB__Hgb") == {"S1": "5"}


def test_a_person_in_two_parts_of_a_domain_is_one_person(tmp_path):
    rows = [row | {"DOMAIN": "LB"} for row in results("S1", "ZZ7")]
    files = {"dm.csv": DM, "lbch.csv": rows, "lbhe.csv": [row | {"LBTEST": "Hgb"} for row in rows]}
    counts = combine(tmp_path, files, merge={"unknown_subjects": ["LB"]}).report["domains"]["LB"]
    assert counts["rows_of_unknown_subjects"] == 2
    assert counts["unknown_subjects_left_out"] == 1


def test_no_subject_in_common(tmp_path):
    [fault] = faults_of(tmp_path, {"dm.csv": DM, "lb.csv": results("701-S1", "701-S2")})
    assert "fewer than 10 of 2 subjects" in fault
    assert "written differently" in fault
    assert "subject_id" in fault


def test_a_domain_of_unknown_subjects_alone(tmp_path):
    files = {"dm.csv": DM, "lb.csv": results("ZZ7"), "vs.csv": [{"USUBJID": "ZZ7", "BMI": "20"}]}
    combined = combine(tmp_path, files, merge={"unknown_subjects": ["LB", "VS"]})
    assert combined.frame["USUBJID"].tolist() == ["S1", "S2"]
    for domain in ("LB", "VS"):
        counts = combined.report["domains"][domain]
        assert (counts["subjects"], counts["subjects_without_record"]) == (0, 2)


def test_unknown_subjects_of_a_supplemental_file(tmp_path):
    """The setting that the message names makes a run whose table on the screen can be drawn."""
    from Create_Combined_Pilot_Dataset import merge_table

    rows = [
        {"USUBJID": name, "RDOMAIN": "DM", "IDVAR": "", "IDVARVAL": "", "QNAM": "ITT", "QVAL": "Y"}
        for name in ("S1", "ZZ7")
    ]
    files = {"dm.csv": DM, "suppdm.csv": rows}
    [fault] = faults_of(tmp_path, files)
    assert 'merge: {"unknown_subjects": ["SUPPDM"]}' in fault
    combined = combine(tmp_path, files, merge={"unknown_subjects": ["SUPPDM"]})
    assert values(combined, "DM__ITT") == {"S1": "Y"}
    assert "unknown_subjects_left_out': 1" in str(combined.report)
    assert "DM" in merge_table(combined.report)


def test_several_domains_need_dm(tmp_path):
    files = {"lb.csv": results("S1"), "vs.csv": [{"USUBJID": "S1", "BMI": "20"}]}
    [fault] = faults_of(tmp_path, files)
    assert "No DM file beside LB, VS" in fault


def test_one_domain_does_not_need_dm(tmp_path):
    combined = combine(tmp_path, {"lbch.csv": results("S2", "S1"), "ts.csv": "TSPARMCD\nX\n"})
    assert values(combined, "LB__Glucose") == {"S1": "5", "S2": "5"}


# ---------------------------------------------------------------- tables that are not about subjects


@pytest.mark.parametrize("suffix", [".csv", ".xpt"])
def test_tables_that_are_not_about_subjects_are_left_out_and_said_to_be(tmp_path, suffix):
    """They are not even read: a transport file that is none at all does not stop the merge."""
    names = [f"{domain}{suffix}" for domain in ("ta", "te", "tv", "ti", "ts", "relrec", "co")]
    combined = combine(tmp_path, {"dm.csv": DM} | dict.fromkeys(names, b"\xff\xfe not a table"))
    assert sorted(combined.report["left_out"]) == sorted(names)
    assert list(combined.report["inputs"]) == ["dm.csv"]


@pytest.mark.parametrize("named", ["LB", "lb"])
def test_the_config_can_ignore_a_domain(tmp_path, named):
    combined = combine(tmp_path, {"dm.csv": DM, "lb.csv": results("ZZ7")}, merge={"ignore": [named]})
    assert combined.report["left_out"] == {"lb.csv": "ignored by the config"}
    assert list(combined.frame) == ["USUBJID", "DM__RFSTDTC"]


def test_files_of_other_kinds_are_left_out_and_said_to_be(tmp_path):
    combined = combine(tmp_path, {"dm.csv": DM, "protocol.pdf": b"%PDF-1.7"})
    assert list(combined.report["left_out"]) == ["protocol.pdf"]


def test_nothing_but_left_out_tables_is_a_fault(tmp_path):
    [fault] = faults_of(tmp_path, {"ts.csv": "X\n1\n"})
    assert "no file with data of subjects" in fault
