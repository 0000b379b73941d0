"""The tables of a study that is awkward in every way that was seen, worked by hand, whatever the order of its rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from disclosure_control.study_tables.comparison import compared
from disclosure_control.study_tables.definitions.change_from_baseline import columns_of_scales
from disclosure_control.study_tables.registry import study_tables
from disclosure_control.study_tables.table import StudyTable
from tests.cases import each
from tests.study_tables.sides import model_of, row, side_of

IDS = ["P1", "P2", "P3", "P4", "P5"]
# P2 was to have placebo and had the drug; P5 failed the screening; P4 died; everybody is of one country.
PEOPLE = pd.DataFrame(
    {
        "USUBJID": IDS,
        "ARM": ["Placebo", "Placebo", "Active", "Active", "Screen Failure"],
        "ACTARM": ["Placebo", "Active", "Active", "Active", "Screen Failure"],
        "RFXSTDTC": ["2020-01-10T09:00", "2020-01-10", "2020-01-10", "2020-01-10", None],
        "DTHFL": [None, None, None, "Y", None],
        "COUNTRY": "DEU",
        "SEX": ["F", "M", "F", "M", "F"],
    }
)
RESULTS = ["USUBJID", "VSTESTCD", "VSSTRESN", "VSSTRESU", "VISITNUM", "VISIT", "VSDTC", "VSDY", "VSBLFL", "VSLOBXFL"]
SIGNS = pd.DataFrame(
    [
        # No flag: the last before the first dose at nine are two at half past eight, of which the mean counts: 36.8.
        ["P1", "TEMP", 36.0, "C", -1.0, "Screening", "2020-01-03", -7.0, None, None],
        ["P1", "TEMP", 36.5, "C", 1.0, "Baseline", "2020-01-10T08:00", 1.0, None, None],
        ["P1", "TEMP", 36.7, "C", 1.0, "Baseline", "2020-01-10T08:30", 1.0, None, None],
        ["P1", "TEMP", 36.9, "C", 1.0, "Baseline", "2020-01-10T08:30", 1.0, None, None],
        ["P1", "TEMP", 38.0, "C", 1.0, "Baseline", "2020-01-10T10:00", 1.0, None, None],
        ["P1", "TEMP", 37.0, "C", 2.0, "WEEK 2", "2020-01-24", 15.0, None, None],
        # No date: the study day decides, and the first day is still before.
        ["P2", "TEMP", 36.0, "C", -1.0, "Screening", None, -3.0, None, None],
        ["P2", "TEMP", 36.2, "C", 1.0, "Baseline", None, 1.0, None, None],
        ["P2", "TEMP", 36.9, "C", 2.0, "Week 2", None, 14.0, None, None],
        # Flagged at an unscheduled visit, in the newer way.
        ["P3", "TEMP", 36.6, "C", 1.0, "Baseline", "2020-01-09", -1.0, None, None],
        ["P3", "TEMP", 37.2, "C", 1.1, "Unscheduled", "2020-01-10", 1.0, None, "Y"],
        ["P3", "TEMP", 37.5, "C", 2.0, "Week 2", "2020-01-24", 15.0, None, None],
        # Two flags: the last before exposure counts, at a visit with a number below 0.
        ["P4", "TEMP", 36.1, "C", -1.0, "Screening", "2020-01-05", -5.0, None, "Y"],
        ["P4", "TEMP", 36.4, "C", 1.0, "Baseline", "2020-01-10", 1.0, "Y", None],
        ["P4", "TEMP", 36.8, "C", 2.0, "Week 2", "2020-01-24", 15.0, None, None],
        # One test in two units.
        ["P1", "WEIGHT", 70.0, "kg", 1.0, "Baseline", "2020-01-10", 1.0, "Y", None],
        ["P1", "WEIGHT", 71.0, "kg", 2.0, "Week 2", "2020-01-24", 15.0, None, None],
        ["P3", "WEIGHT", 150.0, "LB", 1.0, "Baseline", "2020-01-10", 1.0, "Y", None],
        ["P3", "WEIGHT", 154.0, "LB", 2.0, "Week 2", "2020-01-24", 15.0, None, None],
        # A test of one visit.
        ["P1", "HEIGHT", 170.0, "cm", -1.0, "Screening", "2020-01-03", -7.0, None, None],
        ["P4", "HEIGHT", 180.0, "cm", -1.0, "Screening", "2020-01-05", -5.0, None, None],
    ],
    columns=RESULTS,
)
EVENTS = pd.DataFrame(
    [
        ["P1", "Headache", "2020-01", None, None],  # may be after the start
        ["P1", "Nausea", "2020-01", -2.0, None],  # the day decides
        ["P2", "Headache", "2019-12", None, None],  # is before it
        ["P3", "Rash", "2020-01-14", 5.0, "N"],  # the flag decides
        ["P4", "Rash", None, None, None],  # may be after it
        ["P5", "Headache", "2020-01-14", None, None],  # of nobody in an arm
    ],
    columns=["USUBJID", "AEDECOD", "AESTDTC", "AESTDY", "AETRTEM"],
)
DOSES = pd.DataFrame(
    {"USUBJID": ["P1", "P2", "P3", "P4"], "EXTRT": "X", "EXDOSE": [0.0, 50.0, 50.0, 50.0], "EXSTDTC": "2020-01-10"}
).assign(EXENDTC=["2020-01-19", "2020-01-29", "2020-01-29", "2020-01-29"])
ENDS = pd.DataFrame(
    [
        ["P1", "COMPLETED", "STUDY TREATMENT"],
        ["P1", "COMPLETED", "STUDY PARTICIPATION"],
        ["P2", "ADVERSE EVENT", "STUDY TREATMENT"],
        ["P2", "COMPLETED", "STUDY PARTICIPATION"],
        ["P3", "COMPLETED", "STUDY TREATMENT"],
        ["P3", "LOST TO FOLLOW-UP", "STUDY PARTICIPATION"],
        ["P4", "DEATH", "STUDY TREATMENT"],
        ["P4", "DEATH", "STUDY PARTICIPATION"],
    ],
    columns=["USUBJID", "DSDECOD", "DSSCAT"],
).assign(DSCAT="DISPOSITION EVENT", DSTERM="x")
STUDY = {"DM": PEOPLE, "VS": SIGNS, "AE": EVENTS, "EX": DOSES, "DS": ENDS}


def tables_of(frames: dict[str, pd.DataFrame], ids: list[str], person: str = "USUBJID") -> dict[str, StudyTable]:
    frames = {
        name: frame.astype({name: "str" for name in frame if frame[name].dtype == object})
        for name, frame in frames.items()
    }
    return study_tables(side_of(frames, ids, model_of(frames, person)))


@pytest.fixture(scope="module")
def tables() -> dict[str, StudyTable]:
    return tables_of(STUDY, IDS)


def cells(table: StudyTable, name: str, group: str | None = None) -> dict[str, tuple[int, int, float]]:
    """People, margin and value of a row by arm, to nine digits."""
    place = row(table, name, group)
    arrays = zip(table.n[place], table.of[place], table.value[place], strict=True)
    return {arm: (int(n), int(of), round(float(x), 9)) for arm, (n, of, x) in zip(table.columns, arrays, strict=True)}


def test_the_baseline_is_flagged_or_the_last_before_the_first_dose_by_date_and_time(tables):
    """P1: 37.0 - 36.8, P2: 36.9 - 36.2; P3: 37.5 - 37.2, P4: 36.8 - 36.1."""
    changes = tables["change_from_baseline.VS"]
    assert cells(changes, "TEMP, Week 2") == {"Active": (2, 2, 0.5), "Placebo": (2, 2, 0.45)}
    assert cells(changes, "TEMP, Baseline")["Active"] == (1, 2, 0.3)  # after P4's, which was at visit -1


def test_a_visit_is_its_number_whatever_it_is_called(tables):
    names = {name.rpartition(", ")[2] for name in tables["change_from_baseline.VS"].rows}
    assert names == {"Baseline", "Week 2"}


def test_numbers_of_visits_that_are_nowhere_whole_plan_none():
    visits = {"USUBJID": IDS, "VISITNUM": [9.1, 9.2, 9.3, 9.4, 9.5], "VISIT": "Visit 9", "SVSTDTC": "2020-01-08"}
    assert not any("VISIT" in name for name in tables_of({"DM": PEOPLE, "SV": pd.DataFrame(visits)}, IDS))


def test_units_of_a_test_are_apart(tables):
    changes = tables["change_from_baseline.VS"]
    assert cells(changes, "WEIGHT (kg), Week 2")["Placebo"] == (1, 2, 1.0)
    assert cells(changes, "WEIGHT (LB), Week 2")["Active"] == (1, 2, 4.0)


def test_a_test_of_one_visit_has_its_mean_result(tables):
    assert tables["results.VS"].rows == ("HEIGHT",)
    assert cells(tables["results.VS"], "HEIGHT") == {"Active": (1, 2, 180.0), "Placebo": (1, 2, 170.0)}


def test_a_first_event_is_one_that_the_table_of_events_counts():
    """The flag says that P3's rash of day 5 is not of the treatment; P2's has no flag."""
    events = pd.concat([EVENTS, pd.DataFrame([["P2", "Rash", "2020-01-15", 6.0, None]], columns=list(EVENTS))])
    people = PEOPLE.assign(RFPENDTC="2020-04-10")
    first = tables_of({"DM": people, "AE": events.reset_index(drop=True)}, IDS)["time_to_event.AE"]
    assert {arm: n for arm, (_, _, n) in cells(first, "day 30").items()} == {"Active": 0.666666667, "Placebo": 1.0}


def test_events_since_the_treatment_began_are_those_that_are_not_surely_before(tables):
    """By the arm in which people were treated: P1 alone had placebo."""
    found = tables["adverse_events.AE"]
    assert cells(found, "Any adverse event") == {"Active": (3, 3, 1.0), "Placebo": (1, 1, 1.0)}
    assert cells(found, "Adverse event since treatment began") == {
        "Active": (1, 3, round(1 / 3, 9)),
        "Placebo": (1, 1, 1.0),
    }
    assert found.events[row(found, "Adverse event since treatment began")].tolist() == [1, 1]
    assert cells(tables["terms.AE"], "Headache") == {"Active": (1, 3, round(1 / 3, 9)), "Placebo": (1, 1, 1.0)}


def test_exposure_is_that_of_the_arm_in_which_people_were_treated(tables):
    found = tables["exposure.EX"]
    assert cells(found, "Mean dose of a record") == {"Active": (3, 3, 50.0), "Placebo": (1, 1, 0.0)}
    assert cells(found, "Days from first to last dose") == {"Active": (3, 3, 20.0), "Placebo": (1, 1, 10.0)}


def test_the_end_of_treatment_and_of_study_are_two_tables(tables):
    treatment, study = (tables[f"disposition.DS.STUDY {part}"] for part in ("TREATMENT", "PARTICIPATION"))
    assert cells(treatment, "COMPLETED") == {"Active": (1, 2, 0.5), "Placebo": (1, 2, 0.5)}
    assert cells(study, "COMPLETED") == {"Active": (0, 2, 0.0), "Placebo": (2, 2, 1.0)}
    assert all(table.n.sum(axis=0).tolist() == [2, 2] for table in (treatment, study))


def test_events_of_several_epochs_are_a_table_each_and_elements_one_of_visits():
    ends = pd.DataFrame({"USUBJID": IDS[:4] * 2, "DSDECOD": ["COMPLETED"] * 7 + ["DEATH"], "DSTERM": "x"})
    ends = ends.assign(DSCAT="DISPOSITION EVENT", EPOCH=["TREATMENT"] * 4 + ["FOLLOW-UP"] * 4)
    elements = pd.DataFrame({"USUBJID": [*IDS, *IDS[:3]], "ETCD": ["SCR"] * 5 + ["TRT"] * 3, "SESTDTC": "2020-01-10"})
    found = tables_of({"DM": PEOPLE, "DS": ends, "SE": elements}, IDS)
    assert cells(found["disposition.DS.TREATMENT"], "COMPLETED") == {"Active": (2, 2, 1.0), "Placebo": (2, 2, 1.0)}
    assert cells(found["disposition.DS.FOLLOW-UP"], "DEATH") == {"Active": (1, 2, 0.5), "Placebo": (0, 2, 0.0)}
    assert cells(found["visits.SE"], "TRT") == {"Active": (1, 2, 0.5), "Placebo": (2, 2, 1.0)}


def test_a_visit_or_element_that_is_gone_leaves_the_others_in_the_table():
    elements = pd.DataFrame({"USUBJID": [*IDS, *IDS[:3]], "ETCD": ["SCR"] * 5 + ["TRT"] * 3, "SESTDTC": "2020-01-10"})
    model = model_of(frames := {"DM": PEOPLE, "SE": elements})
    came = side_of(frames, IDS, model)
    before, after = study_tables(came), study_tables(side_of({"DM": PEOPLE, "SE": elements[:5]}, IDS, model, came))
    found = compared(before["visits.SE"], after["visits.SE"])
    assert found.gone == ()
    assert found.vanished.tolist() == [name == "TRT" for name in before["visits.SE"].rows]


def test_of_columns_of_adam_that_say_the_same_end_one_is_read():
    ends = {"EOSSTT": ["COMPLETED", "DISCONTINUED"] * 2, "DCDECOD": ["COMPLETED", "DEATH"] * 2}
    people = pd.DataFrame(
        {"USUBJID": IDS[:4], "TRT01P": ["A", "A", "B", "B"], "DCREASCD": ["Completed", "Death"] * 2} | ends
    )
    (table,) = (one for one in tables_of({"ADSL": people}, IDS[:4]).values() if one.name == "disposition")
    assert {*table.groups} == {"DCDECOD", "EOSSTT"}


def test_a_flag_of_deaths_has_everybody_as_its_denominator_and_one_country_is_no_row(tables):
    found = tables["demographics.DM"]
    assert cells(found, "Y", "DTHFL") == {"Active": (1, 2, 0.5), "Placebo": (0, 2, 0.0)}
    assert "COUNTRY" not in found.groups


@pytest.mark.thorough("0.3 s")
def test_shuffled_rows_change_no_byte_of_any_table(tables):
    rng = np.random.default_rng(1)
    for _ in range(5):
        frames = {name: frame.sample(frac=1, random_state=rng).reset_index(drop=True) for name, frame in STUDY.items()}
        again = tables_of(frames, list(frames["DM"]["USUBJID"]))
        assert list(again) == list(tables)
        for key, table in tables.items():
            assert (again[key].rows, again[key].groups, again[key].columns) == (table.rows, table.groups, table.columns)
            for array in ("n", "of", "value", "error"):
                assert getattr(again[key], array).tobytes() == getattr(table, array).tobytes(), (key, array)


# ---------------------------------------------------------------- other forms


def test_times_in_months_have_horizons_in_months():
    """Two people an arm; events after 2 and 7 months, others seen for 13 and 4: without event at 6 months 1/2 and 1."""
    people = pd.DataFrame({"USUBJID": IDS[:4], "TRT01P": ["A", "A", "B", "B"], "STUDYID": "S"})
    times = pd.DataFrame(
        {"USUBJID": IDS[:4], "PARAMCD": "OS", "AVAL": [2.0, 13.0, 7.0, 4.0], "CNSR": [0.0, 1.0, 0.0, 1.0]}
    ).assign(AVALU="MONTHS", STUDYID="S")
    found = tables_of({"ADSL": people, "ADTTE": times}, IDS[:4])["time_to_event.ADTTE.OS"]
    assert found.rows == ("month 1", "month 2", "month 3", "month 6", "month 12")
    assert "months" in found.title
    assert found.value[row(found, "month 6")].tolist() == [0.5, 1.0]


def test_a_long_table_outside_sdtm_has_its_results_by_visit_and_arm():
    """Twelve people of two arms: each result rises by one from visit to visit; a plain table has the arms."""
    ids = [f"P{place:02}" for place in range(12)]
    people = pd.DataFrame({"patient": ids, "arm": ["A", "B", "B"] * 4, "sex": ["F", "M"] * 6})
    rows = [
        {"patient": one, "visit": str(visit), "labname": name, "labresult": str(value + place + visit)}
        for name, value in (("CRP", 3.0), ("ALT", 20.0))
        for place, one in enumerate(ids)
        for visit in (1, 2)
    ]
    found = tables_of({"PEOPLE": people, "LAB": pd.DataFrame(rows)}, ids, "patient")
    assert cells(found["change_from_baseline.LAB"], "CRP, visit 2") == {"A": (4, 4, 1.0), "B": (8, 8, 1.0)}
    found = tables_of({"LAB": pd.DataFrame(rows).drop(columns="visit")}, ids, "patient")["results.LAB"]
    assert cells(found, "CRP") == {"All people": (12, 12, 10.0)}


def test_a_plain_wide_table_has_its_arms_and_the_changes_of_its_scales():
    """As ACTG175 has them: cd40 before, cd420 after 20 weeks; of a person in two arms the arm is not known."""
    n = 24
    frame = pd.DataFrame({"pidnum": [f"P{i:02}" for i in range(n)], "arms": [str(i % 3) for i in range(n)]})
    frame["cd40"] = [300.0 + 10 * i for i in range(n)]
    frame["cd420"] = [300.0 + 10 * i + 5 * (i % 3) for i in range(n)]
    found = tables_of({"TRIAL": frame}, list(frame["pidnum"]), "pidnum")["change_from_baseline.TRIAL"]
    assert cells(found, "cd420 less cd40") == {"0": (8, 8, 0.0), "1": (8, 8, 5.0), "2": (8, 8, 10.0)}
    twice = pd.concat([frame, frame.assign(arms="0")]).reset_index(drop=True)
    assert tables_of({"TRIAL": twice}, list(frame["pidnum"]), "pidnum")["demographics_means.TRIAL"].columns == (
        "All people",
    )


@each(
    "names, pairs",
    [
        (("q1", "q2", "q9", "q10", "q11", "q12"), []),
        (("HEIGHTBL", "age10", "I20"), []),
        (("cd40", "cd420", "cd80", "cd496"), [("cd40", "cd420"), ("cd40", "cd496")]),
        (
            ("hamd_week12", "hamd_week8", "hamd_baseline"),
            [("hamd_baseline", "hamd_week8"), ("hamd_baseline", "hamd_week12")],
        ),
        (("sbp_v2", "sbp_v1"), []),
        (("il10", "il12", "il17"), []),
        (("score10", "score12", "icd10", "icd19", "factor_v_1", "factor_v_2", "vitamin_d_3", "vitamin_d_12"), []),
        (("sbp_week4", "sbp_week8"), []),
        (("sbp0", "sbp4", "sbp12"), [("sbp0", "sbp4"), ("sbp0", "sbp12")]),
        (("sbp_w0", "sbp_w3", "sbp_d3"), [("sbp_w0", "sbp_d3"), ("sbp_w0", "sbp_w3")]),
    ],
)
def test_columns_of_one_scale_are_told_by_their_headings(names, pairs):
    assert columns_of_scales(names) == pairs


def test_what_repeats_another_column_or_names_the_site_is_no_characteristic():
    people = {"USUBJID": IDS, "TRT01P": "A", "RACE": ["WHITE", "ASIAN"] * (len(IDS) // 2) + ["ASIAN"] * (len(IDS) % 2)}
    frame = pd.DataFrame(people | {"SITEGR1": [f"{place}" for place in range(len(IDS))], "AGEGR1": ["<65", *IDS[1:]]})
    frame["RACEN"] = frame["RACE"].map({"WHITE": 1.0, "ASIAN": 2.0})
    tables = tables_of({"ADSL": frame}, IDS)
    assert {group for table in tables.values() for group in table.groups} == {"RACE", "AGEGR1"}


def test_numbers_of_rows_are_no_figure_of_people():
    n = 20
    frame = pd.DataFrame({"ID": [f"P{i}" for i in range(n)], "obs": np.arange(1.0, n + 1), "age": np.arange(n) ** 2.0})
    found = tables_of({"COHORT": frame}, list(frame["ID"]), "ID")
    assert found["demographics_means.COHORT"].rows == ("age",)


def test_a_level_of_terms_that_does_not_leave_is_gone_and_no_other_takes_its_place():
    ids = ["a", "b", "c"]
    events = pd.DataFrame({"USUBJID": ids, "AEDECOD": ["Rash", "Itch", "Cough"], "AEBODSYS": ["Skin", "Skin", "Lung"]})
    frames = {"DM": pd.DataFrame({"USUBJID": ids}), "AE": events}
    model = model_of(frames)
    came = side_of(frames, ids, model)
    study_tables(came)
    leaving = {**frames, "AE": events.drop(columns="AEDECOD")}
    table = study_tables(side_of(leaving, ids, model, came))["terms.AE"]
    assert list(zip(table.groups, table.rows, table.n[:, 0], strict=True)) == [
        ("class", "Lung", 1),
        ("class", "Skin", 2),
    ]
