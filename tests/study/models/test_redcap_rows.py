"""The rows of a REDCap export: the order of events and instances, folded checkboxes, and the demo, by slow referees."""

from __future__ import annotations

import datetime
import runpy

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from study.models import redcap_rows
from tests.cases import each
from tests.examples import examples
from tests.places import PROJECT
from tests.study.merge.merge_files import columns_of, combine, shuffled, values

ID = {"column": "study_id"}


LONGITUDINAL = [
    {"study_id": "1", "redcap_event_name": "final_arm_1", "sex": "", "weight": "70", "seen": "2020-09-01"},
    {"study_id": "1", "redcap_event_name": "a_start_arm_1", "sex": "F", "weight": "", "seen": "2020-01-01"},
    {"study_id": "1", "redcap_event_name": "dose_1_arm_1", "sex": "", "weight": "80", "seen": "2020-02-01"},
    {"study_id": "2", "redcap_event_name": "dose_1_arm_1", "sex": "", "weight": "61", "seen": "2021-02-01"},
    {"study_id": "2", "redcap_event_name": "final_arm_1", "sex": "M", "weight": "60", "seen": ""},
]
EVENTS = [
    {"event_name": "A", "arm_num": "1", "day_offset": day, "unique_event_name": name}
    for name, day in [("final_arm_1", "1"), ("dose_1_arm_1", "100"), ("a_start_arm_1", "20")]
]


def test_events_are_in_the_order_of_their_file_by_days_after_the_start(tmp_path):
    combined = combine(tmp_path, {"data.csv": shuffled(LONGITUDINAL), "event.csv": EVENTS}, ID)
    assert values(combined, "DATA__weight") == {"1": "70", "2": "60"}
    assert values(combined, "DATA__count") == {"1": "3", "2": "2"}
    assert not [name for name in columns_of(combined, "DATA") if "redcap" in name]


def test_without_such_a_file_events_are_in_the_order_of_their_dates(tmp_path):
    """The last event of person 2 has no date: those of other people tell when it is."""
    combined = combine(tmp_path, {"data.csv": shuffled(LONGITUDINAL)}, ID)
    assert values(combined, "DATA__weight") == {"1": "80", "2": "61"}
    assert values(combined, "DATA__sex") == {"1": "F", "2": "M"}


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["month_6_arm_1", "baseline_arm_1", "week_2_arm_1"], ["baseline_arm_1", "week_2_arm_1", "month_6_arm_1"]),
        (["12 months (Arm 1: A)", "Screening (Arm 1: A)", "Enrolment (Arm 1: A)", "6 months (Arm 1: A)"],
         ["Screening (Arm 1: A)", "Enrolment (Arm 1: A)", "6 months (Arm 1: A)", "12 months (Arm 1: A)"]),
        (["visit_10_arm_2", "visit_2_arm_2", "final_visit_arm_2", "baseline_arm_2"],
         ["baseline_arm_2", "visit_2_arm_2", "visit_10_arm_2", "final_visit_arm_2"]),
        (["v2_arm_1", "v11_arm_1", "screening_arm_1"], ["screening_arm_1", "v2_arm_1", "v11_arm_1"]),
        (["12mo_followup_arm_1", "6_month_followup_arm_1", "baseline_visit_arm_1", "end_of_study_arm_1"],
         ["baseline_visit_arm_1", "6_month_followup_arm_1", "12mo_followup_arm_1", "end_of_study_arm_1"]),
        (["dose_1_arm_1", "visit_1_arm_1"], []),  # numbers of two kinds
        (["cycle_1_day_15_arm_1", "cycle_2_day_1_arm_1"], []),
        (["baseline_arm_1", "post_baseline_arm_1"], []),
        (["phone_call_arm_1", "baseline_arm_1"], []),
    ],
)  # fmt: skip
def test_names_of_events_say_their_order_where_each_has_a_time_on_one_scale(names, expected):
    places = redcap_rows.places_by_name(names)
    assert sorted(places, key=places.__getitem__) == expected


def test_events_in_labels_are_found_in_the_plan_with_their_arm():
    plan = redcap_rows.places_by_plan(
        pd.DataFrame(
            [
                {"event_name": "Visit 1", "arm_num": 1, "unique_event_name": "visit_1_arm_1"},
                {"event_name": "First dose", "arm_num": 2, "unique_event_name": "first_dose_arm_2"},
            ]
        )
    )
    assert redcap_rows.place_by_plan("First dose (Arm 2: Drug B)", plan) == 1
    assert redcap_rows.place_by_plan("Visit 1", plan) == redcap_rows.place_by_plan("visit_1_arm_1", plan) == 0
    assert pd.isna(redcap_rows.place_by_plan("Visit 1 (Arm 2: Drug B)", plan))


REPEATING = [
    {"study_id": "1", "redcap_repeat_instrument": "", "redcap_repeat_instance": "", "sex": "F", "bp": ""},
    {"study_id": "1", "redcap_repeat_instrument": "bp", "redcap_repeat_instance": "10", "sex": "", "bp": "110"},
    {"study_id": "1", "redcap_repeat_instrument": "bp", "redcap_repeat_instance": "2", "sex": "", "bp": "120"},
    {"study_id": "1", "redcap_repeat_instrument": "side effects", "redcap_repeat_instance": "1", "sex": "", "bp": ""},
    {"study_id": "2", "redcap_repeat_instrument": "", "redcap_repeat_instance": "", "sex": "M", "bp": ""},
]


def test_a_repeating_instrument_gives_its_first_instance_by_number_and_how_many_there_are(tmp_path):
    combined = combine(tmp_path, {"data.csv": shuffled(REPEATING)}, ID)
    assert values(combined, "DATA__bp") == {"1": "120"}
    assert values(combined, "DATA__bp_count") == {"1": "2", "2": "0"}
    assert values(combined, "DATA__side_effects_count") == {"1": "1", "2": "0"}


event_places = st.permutations(["zero_arm_1", "one_arm_1", "two_arm_1"])
cells = st.lists(
    st.tuples(
        st.sampled_from("AB"),
        st.integers(0, 2),
        st.one_of(st.none(), st.integers(1, 12)),
        st.one_of(st.none(), st.sampled_from(["x", "y", "z"])),
    ),
    min_size=1,
    max_size=12,
    unique_by=lambda cell: cell[:3],
)


@pytest.mark.thorough("1 s: whole public exports; every form by small ones in the quick run")
@given(event_places, cells, st.integers(0, 99))
@examples(50)
def test_first_values_by_event_and_instance_are_those_of_the_referee(tmp_path_factory, order, rows, seed):
    """By loops: events in the order of the plan, the event's own row before its instances, these by their number."""
    plan = [{"event_name": one, "arm_num": "1", "day_offset": 7 * i, "unique_event_name": one}
            for i, one in enumerate(order)]  # fmt: skip
    data = [
        {
            "study_id": person,
            "redcap_event_name": order[place],
            "redcap_repeat_instrument": "" if instance is None else "form",
            "redcap_repeat_instance": "" if instance is None else instance,
            "answer": value or "",
        }
        for person, place, instance, value in rows
    ]
    expected: dict[str, str] = {}
    for person in "AB":
        for place in range(3):
            for instance in (None, *range(1, 13)):
                for one in rows:
                    if one[:3] == (person, place, instance) and one[3] is not None:
                        expected.setdefault(person, one[3])
    folder = tmp_path_factory.mktemp("redcap")
    combined = combine(folder, {"data.csv": shuffled(data, seed), "event.csv": shuffled(plan, seed)}, ID)
    assert values(combined, "DATA__answer") == expected


@given(st.lists(st.integers(0, 400), min_size=3, max_size=3, unique=True), st.integers(-300, 300))
@examples(60)
def test_the_order_by_dates_stays_when_all_dates_of_a_person_move(days, offset):
    events = ["a", "b", "c"]
    first = datetime.date(2020, 1, 1)

    def places(moved: int) -> list[str]:
        rows = [
            {"person": person, "event": event, "date": str(first + datetime.timedelta(day + by))}
            for person, by in ((1, 0), (2, moved)) for event, day in zip(events, days, strict=True)
        ]  # fmt: skip
        found = redcap_rows.places_by_dates(pd.DataFrame(rows))
        return sorted(found, key=found.__getitem__)

    assert places(0) == places(offset) == [event for _, event in sorted(zip(days, events, strict=True))]


# ---------------------------------------------------------------- checkboxes


@pytest.mark.thorough("1 s: whole public exports; every form by small ones in the quick run")
@given(
    st.lists(
        st.tuples(*[st.sampled_from(["0", "1", None, "Checked", "Unchecked"])] * 3, st.sampled_from(["2", None])),
        max_size=15,
    )
)
@examples(100)
def test_folded_checkboxes_are_those_of_the_referee(rows):
    names, labels = ["race___1", "race___2", "race____9"], ["White", "Black, African", "Unknown"]
    frame = pd.DataFrame(rows, columns=[*names, "base_complete"]).astype("str")
    expected = []
    for *boxes, status in rows:
        words = [label for box, label in zip(boxes, labels, strict=True) if box in ("1", "Checked")]
        if words:
            expected.append("; ".join(words))
        elif status is not None and any(box is not None for box in boxes):
            expected.append("none checked")
        else:
            expected.append(None)
    derive = redcap_rows.folded(dict(zip(names, labels, strict=True)), redcap_rows.RedcapForm("base_complete", names))
    found = derive(frame)
    assert [None if pd.isna(one) else one for one in found] == expected
    numbers = frame.replace({"Checked": "1", "Unchecked": "0"}).astype("float64")  # as Parquet has them
    assert derive(numbers).equals(found)
    # The same in any order of the rows.
    assert derive(frame.iloc[::-1]).iloc[::-1].equals(found)


@each(
    ("status", "others", "is_filled_in"),
    [
        ("2", {}, True),
        ("1", {}, True),
        ("0", {}, False),
        ("0.0", {}, False),
        ("Incomplete", {}, False),
        ("0", {"smoker": "1"}, True),  # another field of the form
        ("0", {"drug___1": "1"}, True),  # another checkbox of it
        ("0", {"drug___1": "0"}, False),
        (None, {"smoker": "1"}, False),  # a row of another form
    ],
)
def test_a_form_is_filled_in_if_it_has_a_status_or_a_value(status, others, is_filled_in):
    form = redcap_rows.RedcapForm("base_complete", ["race___1", "drug___1"], ["smoker"])
    row = {"race___1": "0", "drug___1": "0", "smoker": None, "base_complete": status} | others
    frame = pd.DataFrame([row], dtype="str")
    assert form.is_filled_in(frame).tolist() == [is_filled_in]
    [race] = redcap_rows.folded({"race___1": "White"}, form)(frame)
    assert race == "none checked" if is_filled_in else pd.isna(race)


# ---------------------------------------------------------------- the demo


def test_the_script_reproduces_the_demo_byte_for_byte(tmp_path):
    runpy.run_path(str(PROJECT / "benchmarks" / "makers" / "make_redcap_demo.py"))["write_redcap_demo"](tmp_path)
    shipped = {path.name: path.read_bytes() for path in (PROJECT / "pilot_report" / "REDCAP_DEMO").glob("*.csv")}
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == shipped


def test_files_of_single_instruments_are_tables_of_one_study(tmp_path):
    base = [{"record_id": "1", "sex": "F", "base_complete": "2"}]
    added = {"redcap_repeat_instrument": "lab", "redcap_repeat_instance": "1", "crp": "7"}
    laboratory = [{"record_id": one, **added} for one in "12"]
    combined = combine(tmp_path, {"base.csv": base, "lab.csv": laboratory}, {"column": "record_id"})
    assert list(combined.frame) == ["USUBJID", "BASE__sex", "LAB__crp"]
    assert values(combined, "BASE__sex") == {"1": "F"}
    assert values(combined, "LAB__crp") == {"1": "7", "2": "7"}
