"""Long findings to one value per subject and measurement: the ladder, the columns' names, text, units, carrying."""

import numpy as np
import pandas as pd
import pytest

from tests.cases import quick
from tests.examples import is_thorough
from tests.study.merge.merge_files import DM, columns_of, combine, faults_of, finding, values


def glucose(**variables):
    return finding("LB", **({"TESTCD": "GLUC", "TEST": "Glucose", "STRESN": "5", "STRESU": "mmol/L"} | variables))


def pressure(**variables):
    return finding("VS", **({"TESTCD": "SYSBP", "TEST": "Systolic Blood Pressure", "STRESN": "120"} | variables))


def laboratory(tmp_path, *records, merge=None, name="lb.csv", dm=DM):
    return combine(tmp_path, {"dm.csv": dm, name: list(records)}, merge=merge)


def results_of(tmp_path, people, merge=None):
    """The result of each of some ``people`` of one study, subject -> their records and row of DM, and the counts.

    In the thorough run it is the same in either order of the records; in the quick run the referee's tests shuffle.
    """
    dm = [{"USUBJID": subject, "RFSTDTC": "2014-01-10"} | row for subject, (_, row) in people.items()]
    records = [record | {"USUBJID": subject} for subject, (own, _) in people.items() for record in own]
    forth = laboratory(tmp_path, *records, merge=merge, dm=dm)
    if is_thorough():
        assert forth.frame.equals(laboratory(tmp_path, *reversed(records), merge=merge, dm=dm).frame)
    return values(forth, "LB__Glucose"), forth.report["domains"]["LB"]


# ---------------------------------------------------------------- the ladder


def case(expected, *records, **dm):
    return expected, list(records), dm


def dated(date, start, is_before):
    """The second record has the later visit: only its date can make it the one."""
    records = glucose(STRESN="1", VISITNUM="1", DTC="2016"), glucose(STRESN="2", VISITNUM="2", DTC=date)
    return case("2" if is_before else "1", *records, RFSTDTC=start)


def with_day(day, start, is_before):
    records = (
        glucose(STRESN="1", VISITNUM="1", DTC="", DY="9"),
        glucose(STRESN="2", VISITNUM="2", DTC="2014-01-01" if not start else "", DY=day),
    )
    return case("2" if is_before else "1", *records, RFSTDTC=start)


EXPOSED = [glucose(STRESN="1", DTC="2014-01-09"), glucose(STRESN="2", DTC="2014-01-20")]
LADDER = {
    "the flag of the last observation wins over the older baseline flag": case(
        "2",
        glucose(STRESN="1", BLFL="Y", DTC="2014-01-09", VISITNUM="2"),
        glucose(STRESN="2", LOBXFL="Y", DTC="2014-01-03", VISITNUM="1"),
        glucose(STRESN="3", DTC="2014-01-10", VISITNUM="3"),
    ),
    "the baseline flag wins over a later record before the start": case(
        "1", glucose(STRESN="1", BLFL="Y", DTC="2014-01-03"), glucose(STRESN="2", DTC="2014-01-10")
    ),
    **{
        f"only Y is a flag, not {flag}": case(
            "2", glucose(STRESN="1", BLFL=flag, DTC="2014-01-03"), glucose(STRESN="2", DTC="2014-01-10")
        )
        for flag in ("N", "", "YES")
    },
    "a flag on a record without a result does not count": case(
        "4",
        glucose(STRESN="", STAT="NOT DONE", BLFL="Y", DTC="2014-01-09"),
        glucose(STRESN="4", DTC="2014-01-08"),
        glucose(STRESN="6", DTC="2014-02-08"),
    ),
    "of two flagged records the later one": case(
        "2", glucose(STRESN="1", BLFL="Y", DTC="2014-01-03"), glucose(STRESN="2", BLFL="Y", DTC="2014-01-09")
    ),
    "without a flag the last on or before the reference start": case(
        "2", *(glucose(STRESN=str(n), DTC=f"2014-01-{8 + n:02}") for n in (1, 2, 3))
    ),
    **{
        f"dates are compared at the precision that both have: {date} and {start}": dated(date, start, is_before)
        for date, start, is_before in [
            ("2014-01-10T23:59", "2014-01-10", True),
            ("2014-01-10", "2014-01-10T08:00", True),
            ("2014-01", "2014-01-10", True),
            ("2014", "2014-01-10", True),
            ("2014-01-31", "2014-01", True),
            ("2014-01-10T09:00", "2014-01-10T08:00", False),
            ("2014-01-10T08:00:30", "2014-01-10T08:00", True),
            ("2014-02", "2014-01-10", False),
            ("2015", "2014-01-10", False),
            ("2013-12-31", "2014", True),
        ]
    },
    **{
        f"the study day decides where a date is missing: day {day!r}, start {start!r}": with_day(day, start, is_before)
        for day, is_before in [("-7", True), ("1", True), ("2", False), ("", False)]
        for start in ("2014-01-10", "")
    },
    "of undated records without a visit, day 1 is later than day -7, whatever their sequence numbers": case(
        "4", glucose(STRESN="4", DY="1", SEQ="1"), glucose(STRESN="9", DY="-7", SEQ="2")
    ),
    "a date outweighs the study day": case(
        "1",
        glucose(STRESN="1", VISITNUM="1", DTC="2014-02-01"),
        glucose(STRESN="2", VISITNUM="2", DTC="2014-02-02", DY="-7"),
    ),
    "the start of exposure stands in for a missing reference start": case(
        "2", *EXPOSED, RFSTDTC="", RFXSTDTC="2014-01-21"
    ),
    "the start of exposure is not asked where there is a reference start": case("1", *EXPOSED, RFXSTDTC="2014-01-21"),
    "where all records are later, that of the first visit": case(
        "3",
        glucose(STRESN="1", DTC="2014-03-01", VISITNUM="4"),
        glucose(STRESN="2", DTC="2014-02-01", VISITNUM="10"),
        glucose(STRESN="3", DTC="2014-04-01", VISITNUM="3.5"),
    ),
    "a record without a visit is not the first visit": case(
        "4", glucose(STRESN="4", VISITNUM="4", DTC="2014-02-01"), glucose(STRESN="9", VISITNUM="", DTC="2014-03-01")
    ),
}


def test_which_record_is_the_one(tmp_path):
    """One study, in which every case is a person."""
    people = {f"S{place}": (records, dm) for place, (_, records, dm) in enumerate(LADDER.values(), 1)}
    found, counts = results_of(tmp_path, people)
    expected = {words: one for words, (one, _, _) in LADDER.items()}
    assert dict(zip(LADDER, (found[subject] for subject in people), strict=True)) == expected
    steps = {"baseline_flag_LOBXFL": 1, "baseline_flag_BLFL": 2, "last_before_start": 19, "first_visit": 10}
    assert counts["chosen_by"] == steps


@pytest.mark.thorough("0.3 s")
@pytest.mark.parametrize("name", quick(2, ["lb.csv", "lb.xpt", "lb.parquet", "lb.json", "lb.ndjson"], "0.2 s"))
def test_numbers_are_numbers_in_every_format(tmp_path, name):
    """Visit 10 is after visit 2, sequence 10 after 2; in one format they are text, in another numbers."""
    records = pd.DataFrame(
        [
            glucose(STRESN=1.5, VISITNUM=10.0, SEQ=2.0, DTC="2014-02-03"),
            glucose(STRESN=0.0, VISITNUM=2.0, SEQ=10.0, DTC="2014-02-03"),
            glucose(STRESN=7.0, VISITNUM=2.0, SEQ=2.0, DTC="2014-02-03"),
        ]
    )
    for merge, expected in [({}, "7"), ({"record": "last"}, "1.5"), ({"record": "min"}, "0")]:
        combined = combine(tmp_path, {"dm.csv": DM, name: records}, merge=merge)
        assert values(combined, "LB__Glucose") == {"S1": expected}


@pytest.mark.parametrize("name", ["lb.parquet", "lb.xpt"])
def test_variables_without_any_value_may_be_number_columns(tmp_path, name):
    """pandas writes a column without values as floats, to Parquet and to XPT."""
    for empty in (["BLFL", "LOBXFL", "STAT", "STRESC", "STRESU", "ORRESU", "POS", "TPT"], ["DTC"]):
        records = pd.DataFrame([glucose(STRESN=6.0, DTC="2014-01-05"), glucose(STRESN=5.0, DTC="2014-01-02")])
        records[[f"LB{variable}" for variable in empty]] = np.nan
        combined = combine(tmp_path, {"dm.csv": DM, name: records})
        assert values(combined, "LB__Glucose") == {"S1": "6"}


# ---------------------------------------------------------------- values


def test_the_standard_number_wins_over_its_text_and_the_reported_result(tmp_path):
    records = [
        glucose(STRESN="5", STRESC="5.0", ORRES="90", TEST="A", TESTCD="A"),
        glucose(STRESN="", STRESC="5.0", ORRES="90", TEST="B", TESTCD="B"),
        glucose(STRESN="", STRESC="", ORRES="90.0", TEST="C", TESTCD="C"),
        glucose(STRESN="", STRESC="08", ORRES="", TEST="D", TESTCD="D"),
    ]
    combined = laboratory(tmp_path, *records)
    found = {name: values(combined, name).get("S1") for name in columns_of(combined, "LB")}
    assert found == {"LB__A": "5", "LB__B": "5.0", "LB__C": "90.0", "LB__D": "08"}


def test_a_stored_zero_is_a_value(tmp_path):
    combined = laboratory(tmp_path, glucose(STRESN=0.0), name="lb.xpt")
    assert values(combined, "LB__Glucose") == {"S1": "0"}


def test_not_done_is_missing_and_counted(tmp_path):
    records = [
        glucose(TEST="A", TESTCD="A", STRESN="", STAT="NOT DONE"),
        glucose(TEST="B", TESTCD="B", STRESN="7", STAT="Not Done"),
        glucose(TEST="C", TESTCD="C", STRESN="", ORRES="NOT DONE", STAT=""),
        glucose(TEST="D", TESTCD="D", STRESN="", STAT=""),
        glucose(STAT=""),
    ]
    combined = laboratory(tmp_path, *records)
    assert columns_of(combined, "LB") == ["LB__Glucose"]
    counts = combined.report["domains"]["LB"]
    assert (counts["not_done"], counts["without_value"], counts["chosen"]) == (2, 2, 1)


def test_a_record_that_names_no_test_is_counted(tmp_path):
    combined = laboratory(tmp_path, glucose(), glucose(TEST="", TESTCD="", STRESN="9"))
    counts = combined.report["domains"]["LB"]
    kinds = [name for name in counts if name in ("chosen", "collapsed", "not_done") or name.startswith("without_")]
    assert sum(counts[name] for name in kinds) == counts["records"] == 2


def test_one_record_by_config(tmp_path):
    """By rules for columns, beside one for their domain and none for another."""
    visits = [("4", "2013-12-24", ""), ("5", "2014-01-09", "Y"), ("1", "2014-01-24", "")]
    visits += [("9", "2014-02-24", ""), ("6", "2014-03-24", "")]
    expected = {"first": "4", "last": "6", "min": "1", "max": "9", "mean": "5", "baseline": "5", "Other": "9"}
    records = [
        finding(domain, TEST=test, TESTCD=test[:8].upper(), STRESN=result, DTC=date, BLFL=flag, VISITNUM=str(visit))
        for domain in ("LB", "VS")
        for test in expected
        for visit, (result, date, flag) in enumerate(visits, 1)
    ]
    files = {"dm.csv": DM} | {
        f"{domain}.csv": [record for record in records if f"{domain}TEST" in record] for domain in ("LB", "VS")
    }
    rules = {"LB": "max"} | {f"LB__{rule}": rule for rule in expected if rule != "Other"}
    [row] = combine(tmp_path, files, merge={"record": rules}).frame.dropna(subset="LB__Other").to_dict("records")
    assert {test: row[f"LB__{test}"] for test in expected} == expected
    assert {row[f"VS__{test}"] for test in expected} == {"5"}  # the one with the flag
    [row] = combine(tmp_path, files, merge={"record": "max"}).frame.dropna(subset="LB__Other").to_dict("records")
    assert {row[f"{domain}__{test}"] for domain in ("LB", "VS") for test in expected} == {"9"}


def test_text_stays_out_of_summaries_and_is_counted(tmp_path):
    limit = glucose(STRESN="", STRESC="<1")
    records = [glucose(STRESN="4"), glucose(STRESN="6"), limit, limit | {"USUBJID": "S2"}]
    combined = laboratory(tmp_path, *records, merge={"record": "mean"})
    assert values(combined, "LB__Glucose") == {"S1": "5"}
    assert combined.report["domains"]["LB"]["text_left_out_of_summaries"] == 2


@pytest.mark.parametrize(
    ("rule", "limit", "word"),
    [
        ("keep", "<3.42", "TRACE"),
        ("missing", None, None),
        ({"LB": "number"}, "3.42", "TRACE"),
        ({"LB": "keep", "LB__Bilirubin": "missing"}, None, None),
    ],
)
def test_text_results(tmp_path, rule, limit, word):
    records = [
        glucose(TEST="Bilirubin", TESTCD="BILI", STRESN="", STRESC="<3.42", STRESU="umol/L"),
        glucose(TEST="Bilirubin", TESTCD="BILI", STRESN="", STRESC="TRACE", STRESU="umol/L", USUBJID="S2"),
        glucose(),
    ]
    combined = laboratory(tmp_path, *records, merge={"text_results": rule})
    found = values(combined, "LB__Bilirubin") if limit else {}
    assert (found.get("S1"), found.get("S2")) == (limit, word)
    assert ("LB__Bilirubin" in combined.frame) == (limit is not None)
    assert combined.report["domains"]["LB"]["without_value"] == (0 if limit else 2)


def test_the_number_in_a_limit(tmp_path):
    limits = ["<3.42", "<= 3.42", ">3.42", "> 3.42", ">=3.42"]
    people = {f"S{place}": ([glucose(STRESN="", STRESC=text)], {}) for place, text in enumerate(limits, 1)}
    found, _ = results_of(tmp_path, people, merge={"text_results": "number"})
    assert found == dict.fromkeys(people, "3.42")


@pytest.mark.parametrize("rule", ["keep", "number"])
def test_a_limit_without_a_unit_is_in_the_tests_only_unit(tmp_path, rule):
    records = [glucose(), glucose(STRESN="", STRESC="<3.42", STRESU="", USUBJID="S2")]
    combined = laboratory(tmp_path, *records, merge={"text_results": rule})
    assert values(combined, "LB__Glucose") == {"S1": "5", "S2": "<3.42" if rule == "keep" else "3.42"}
    assert combined.report["units"] == {"LB__Glucose": "mmol/L"}


# ---------------------------------------------------------------- columns and their names

AFTER_1, AFTER_5 = "AFTER STANDING FOR 1 MINUTE", "AFTER LYING DOWN FOR 5 MINUTES"


def test_position_and_time_point_are_in_the_name(tmp_path):
    records = [
        pressure(POS="STANDING", TPT=AFTER_1, TPTNUM="816", STRESN="118"),
        pressure(POS="SUPINE", TPT=AFTER_5, TPTNUM="815", STRESN="121"),
        finding("VS", TEST="Weight", TESTCD="WEIGHT", STRESN="70", POS="", TPT="", TPTNUM=""),
        finding("VS", TEST="Pulse Rate", TESTCD="PULSE", STRESN="71", POS="SUPINE", TPT=AFTER_5, TPTNUM="815"),
    ]
    combined = combine(tmp_path, {"dm.csv": DM, "vs.csv": records})
    assert combined.frame.set_index("USUBJID").loc["S1"].drop("DM__RFSTDTC").to_dict() == {
        f"VS__Systolic Blood Pressure [STANDING, {AFTER_1}]": "118",
        f"VS__Systolic Blood Pressure [SUPINE, {AFTER_5}]": "121",
        "VS__Weight": "70",
        "VS__Pulse Rate": "71",
    }


def test_what_differs_between_records_of_a_test_makes_columns(tmp_path):
    """A test for each variable in which two of its records differ, and one in which two people's are the same."""
    differ = {
        "SPEC": ("SERUM", "URINE"),
        "CAT": ("CHEMISTRY", "URINALYSIS"),
        "SCAT": ("FASTING", "POSTPRANDIAL"),
        "STRESU": ("g/L", "mmol/L"),
        "METHOD": ("DIPSTICK", "QUANTITATIVE"),
        "LOC": ("EAR", "ORAL CAVITY"),
        "LAT": ("LEFT", "RIGHT"),
        "OBJ": ("FEVER", "RASH"),
        "EVAL": ("INVESTIGATOR", "READER"),
        "FAST": ("N", "Y"),
    }
    records, expected = [], {}
    for variable, (one, other) in differ.items():
        differing, same = (
            {"TEST": f"By {variable}", "TESTCD": variable},
            {"TEST": f"Of one {variable}", "TESTCD": "S" + variable},
        )
        records += [
            glucose(**differing | {variable: one, "STRESN": "1"}),
            glucose(**differing | {variable: other, "STRESN": "2"}),
        ]
        records += [glucose(**same | {variable: one, "USUBJID": subject}) for subject in ("S1", "S2")]
        expected |= {f"LB__By {variable} [{one}]": {"S1": "1"}, f"LB__By {variable} [{other}]": {"S1": "2"}}
        expected[f"LB__Of one {variable}"] = {"S1": "5", "S2": "5"}
    combined = laboratory(tmp_path, *records)
    assert {name: values(combined, name) for name in columns_of(combined, "LB")} == expected


def test_a_record_without_a_standard_result_is_in_its_reported_unit(tmp_path):
    records = [
        glucose(STRESN="5", ORRES="90", ORRESU="mg/dL"),
        glucose(STRESN="", ORRES="180", ORRESU="mg/dL", USUBJID="S2"),
    ]
    combined = laboratory(tmp_path, *records)
    assert values(combined, "LB__Glucose [mmol/L]") == {"S1": "5"}
    assert values(combined, "LB__Glucose [mg/dL]") == {"S2": "180"}


def test_differences_in_records_without_a_result_make_no_columns(tmp_path):
    combined = laboratory(tmp_path, glucose(SPEC="SERUM"), glucose(SPEC="URINE", STRESN=""))
    assert columns_of(combined, "LB") == ["LB__Glucose"]


def test_two_measurements_never_share_a_name(tmp_path):
    """What one record says by its position another one says by its method: both results have to survive."""
    records = [pressure(POS="X", METHOD="", STRESN="1"), pressure(POS="", METHOD="X", STRESN="2")]
    combined = combine(tmp_path, {"dm.csv": DM, "vs.csv": records})
    found = combined.frame.set_index("USUBJID").loc["S1", columns_of(combined, "VS")]
    assert sorted(found) == ["1", "2"]


@pytest.mark.parametrize("name", ["vs.csv", "vs.xpt"])
def test_a_time_point_known_by_its_number_alone(tmp_path, name):
    records = pd.DataFrame([pressure(STRESN=1.0, TPTNUM=815.0), pressure(STRESN=2.0, TPTNUM=816.0)])
    if name == "vs.csv":
        records["VSTPTNUM"] = ["815", "816"]
    combined = combine(tmp_path, {"dm.csv": DM, name: records})
    assert columns_of(combined, "VS") == ["VS__Systolic Blood Pressure [815]", "VS__Systolic Blood Pressure [816]"]


def test_overlooked_differences_share_a_column(tmp_path):
    records = [
        pressure(POS="SUPINE", TPT=AFTER_5, STRESN="1", DTC="2014-01-02"),
        pressure(POS="STANDING", TPT=AFTER_1, STRESN="2", DTC="2014-01-09"),
    ]
    pooled = {"VS__Systolic Blood Pressure": ["POS", "TPT"]}
    combined = combine(tmp_path, {"dm.csv": DM, "vs.csv": records}, merge={"pool": pooled})
    assert columns_of(combined, "VS") == ["VS__Systolic Blood Pressure"]
    assert values(combined, "VS__Systolic Blood Pressure") == {"S1": "2"}
    assert combined.report["domains"]["VS"]["collapsed"] == 1
    one = combine(tmp_path, {"dm.csv": DM, "vs.csv": records}, merge={"pool": {"VS__Systolic Blood Pressure": ["POS"]}})
    assert columns_of(one, "VS") == [f"VS__Systolic Blood Pressure [{time_point}]" for time_point in (AFTER_5, AFTER_1)]


def test_the_unit_of_pooled_units_does_not_depend_on_the_order(tmp_path):
    records, merge = [glucose(STRESU="mmol/L"), glucose(STRESU="g/L")], {"pool": {"LB__Glucose": ["UNIT"]}}
    forth, back = laboratory(tmp_path, *records, merge=merge), laboratory(tmp_path, *reversed(records), merge=merge)
    assert columns_of(forth, "LB") == ["LB__Glucose"]
    assert forth.report["units"] == back.report["units"]


def test_one_name_for_two_codes_becomes_two_columns(tmp_path):
    records = [
        glucose(STRESN="1", TESTCD="GLUC"),
        glucose(STRESN="2", TESTCD="GLUCPP"),
        glucose(TEST="Other", TESTCD="OTH"),
    ]
    combined = laboratory(tmp_path, *records)
    assert columns_of(combined, "LB") == ["LB__Glucose (GLUC)", "LB__Glucose (GLUCPP)", "LB__Other"]
    assert values(combined, "LB__Glucose (GLUCPP)") == {"S1": "2"}


def test_names_in_small_letters(tmp_path):
    records = [{name.lower(): value for name, value in glucose().items()}]
    combined = combine(tmp_path, {"dm.csv": [{"usubjid": "S1", "sex": "F"}], "lb.csv": records})
    assert list(combined.frame) == ["USUBJID", "DM__SEX", "LB__Glucose"]


# ---------------------------------------------------------------- carrying


def test_variables_of_the_chosen_record_can_be_carried(tmp_path):
    records = [
        glucose(STRESN="5", BLFL="Y", NRIND="NORMAL", DTC="2014-01-09"),
        glucose(STRESN="9", BLFL="", NRIND="HIGH", DTC="2014-02-09"),
    ]
    combined = laboratory(tmp_path, *records, merge={"carry": {"LB": ["LBNRIND", "LBDTC"]}})
    assert columns_of(combined, "LB") == ["LB__Glucose", "LB__Glucose.LBNRIND", "LB__Glucose.LBDTC"]
    assert values(combined, "LB__Glucose.LBNRIND") == {"S1": "NORMAL"}
    assert values(combined, "LB__Glucose.LBDTC") == {"S1": "2014-01-09"}


@pytest.mark.parametrize("name", ["lb.csv", "lb.xpt"])
def test_a_carried_whole_number_has_no_decimal_point(tmp_path, name):
    records = pd.DataFrame([glucose(STRESN=5.0, STNRHI=7.0, VISITNUM=3.5)])
    if name == "lb.csv":
        records = records.astype({"LBSTNRHI": int})
    combined = combine(tmp_path, {"dm.csv": DM, name: records}, merge={"carry": {"LB": ["LBSTNRHI", "VISITNUM"]}})
    assert values(combined, "LB__Glucose.LBSTNRHI") == {"S1": "7"}
    assert values(combined, "LB__Glucose.VISITNUM") == {"S1": "3.5"}


def test_carrying_a_variable_that_is_not_there_is_a_fault(tmp_path):
    files = {"dm.csv": DM, "lb.csv": [glucose()]}
    [fault] = faults_of(tmp_path, files, merge={"carry": {"LB": ["LBNRINX"]}})
    assert "LBNRINX" in fault


def test_equal_records_that_differ_in_what_is_carried(tmp_path):
    records, merge = [glucose(NRIND="HIGH"), glucose(NRIND="NORMAL")], {"carry": {"LB": ["LBNRIND"]}}
    forth, back = laboratory(tmp_path, *records, merge=merge), laboratory(tmp_path, *reversed(records), merge=merge)
    assert forth.frame.equals(back.frame)


# ---------------------------------------------------------------- counts


def test_ties_between_different_values_are_counted(tmp_path):
    tied, not_tied = ("53", "553", "533", "123"), ("55", "5", "333")
    people = {f"S{results}": ([glucose(STRESN=result) for result in results], {}) for results in (*tied, *not_tied)}
    _, counts = results_of(tmp_path, people)
    assert counts["undecided_ties"] == len(tied)
