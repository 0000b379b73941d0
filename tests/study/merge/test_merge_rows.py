"""Tables with several rows for a person: the first value by time, never by the order of the file."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.study.merge.merge_files import combine, values

ID = {"column": "patient"}
VISITS = [
    {"patient": "B", "visit_date": "2020-03-01", "weight": "70", "smoker": ""},
    {"patient": "A", "visit_date": "2021-01-05", "weight": "82", "smoker": "no"},
    {"patient": "A", "visit_date": "2020-12-31", "weight": "80", "smoker": ""},
    {"patient": "A", "visit_date": "", "weight": "99", "smoker": "yes"},
    {"patient": "B", "visit_date": "2020-04-01", "weight": "64", "smoker": "yes"},
]


@pytest.mark.parametrize(
    ("merge", "weight", "smoker"),
    [
        ({}, {"A": "80", "B": "70"}, {"A": "no", "B": "yes"}),
        ({"record": "first"}, {"A": "80", "B": "70"}, {"A": "no", "B": "yes"}),
        ({"record": "last"}, {"A": "82", "B": "64"}, {"A": "no", "B": "yes"}),
        ({"record": {"WARD__weight": "mean"}}, {"A": "87", "B": "67"}, {"A": "no", "B": "yes"}),
        ({"record": {"WARD": "max"}}, {"A": "99", "B": "70"}, {}),
    ],
)
def test_each_column_gives_its_first_value_by_date(tmp_path, merge, weight, smoker):
    """A row without a date is neither the first nor the last one where another has a value."""
    combined = combine(tmp_path, {"ward.csv": VISITS}, ID, merge)
    assert values(combined, "WARD__weight") == weight
    assert values(combined, "WARD__smoker") == smoker
    assert values(combined, "WARD__count") == {"A": "3", "B": "2"}
    counts = combined.report["domains"]["WARD"]
    assert (counts["form"], counts["rows"], counts["collapsed"], counts["undecided_ties"]) == ("rows in time", 5, 3, 0)


def test_values_of_one_day_are_counted_as_undecided(tmp_path):
    rows = [{"patient": "A", "visit_date": "2020-01-01", "bp": one} for one in ("120", "110", "110")]
    combined = combine(tmp_path, {"ward.csv": rows}, ID)
    assert values(combined, "WARD__bp") == {"A": "110"}
    assert combined.report["domains"]["WARD"]["undecided_ties"] == 1


def test_a_person_with_one_row_each_is_a_table_of_people(tmp_path):
    rows = [{"patient": one, "visit_date": "2020-01-01", "bp": "120"} for one in "AB"]
    combined = combine(tmp_path, {"ward.csv": rows}, ID)
    assert list(combined.frame) == ["USUBJID", "WARD__visit_date", "WARD__bp"]


def test_several_tables_are_joined_by_whoever_is_named_in_any(tmp_path):
    people = [{"patient": "A", "sex": "F"}, {"patient": "B", "sex": "M"}]
    combined = combine(tmp_path, {"people.csv": people, "ward.csv": [*VISITS, {"patient": "C", "weight": "50"}]}, ID)
    assert values(combined, "PEOPLE__sex") == {"A": "F", "B": "M"}
    assert values(combined, "WARD__weight") == {"A": "80", "B": "70", "C": "50"}


def slow_first(rows: list[dict], column: str) -> dict[str, str]:
    """By person: of the rows with a value, those of the earliest date (without a date: the last), the least value."""
    found = {}
    for person in {row["patient"] for row in rows}:
        own = [row for row in rows if row["patient"] == person and row[column]]
        if own:
            found[person] = min(own, key=lambda row: (row["visit_date"] or "9999", row[column]))[column]
    return found


ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "patient": st.sampled_from("ABC"),
            "visit_date": st.sampled_from(["", "2020-01-01", "2020-01-02", "2020-02-01"]),
            "what": st.sampled_from(["", "x", "y", "z"]),
        }
    ),
    min_size=1,
    max_size=12,
)


@pytest.mark.thorough("0.3 s")
@given(rows=ROWS, seed=st.integers(0, 9))
@examples(40)
def test_as_the_referee_says_in_whatever_order(tmp_path_factory, rows, seed):
    rows = [*rows, {"patient": "A", "visit_date": "2019-01-01", "what": ""}, {**rows[0], "what": ""}]
    expected = slow_first(rows, "what")
    shuffled = [rows[i] for i in np.random.default_rng(seed).permutation(len(rows))]
    combined = combine(tmp_path_factory.mktemp("rows"), {"ward.csv": shuffled}, ID)
    if "WARD__what" in combined.frame:
        assert values(combined, "WARD__what") == expected
