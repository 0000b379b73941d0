"""Ages made from dates of birth: by hand, against a slow reference, from disk as in memory, and in a release."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.draft.draft import draft_config
from disclosure_control.records.limits import Limits
from disclosure_control.records.merging import working_on
from study.merge.ages import completed_years, days_of
from study.merge.combine import combine_domains
from study.merge.settings import MergeSettings
from tests.config_keys import settings_of_key
from tests.examples import examples
from tests.study.merge.merge_files import write

RULE = settings_of_key("subject_id", {"column": "pat", "case": "upper"})
VISITS = [
    {"pat": "a1", "geb": "1950-06-15", "besuch": "2020-06-14"},  # the day before the birthday
    {"pat": "a1", "geb": "1950-06-15", "besuch": "2021-06-15"},
    {"pat": "a2", "geb": "1980-02-29", "besuch": "2021-02-28"},  # no birthday yet in a common year
    {"pat": "a3", "geb": "1990", "besuch": "2020-07-01"},  # the middle of the year
    {"pat": "a4", "geb": "2022-01-01", "besuch": "2020-01-01"},  # born later: no age
    {"pat": "a5", "geb": "", "besuch": "2020-01-01"},
]
BY_HAND = ["69", "40", "30", None, None]


def merge(**age: str) -> MergeSettings:
    return settings_of_key("merge", {"age": {"VISITS": {"born": "geb", **age}}})


def ages(folder, settings: MergeSettings, column: str = "VISITS__age") -> list:
    frame = combine_domains(folder, RULE, settings).frame
    return frame[column].astype(object).where(frame[column].notna(), None).tolist()


def test_the_age_is_that_of_the_first_day(tmp_path):
    write(tmp_path / "visits.csv", VISITS)
    assert ages(tmp_path, merge(at="besuch")) == BY_HAND


def test_the_age_at_a_day_of_another_file_under_another_spelling_of_ids(tmp_path):
    write(tmp_path / "visits.csv", VISITS)
    write(tmp_path / "entry.csv", [{"pat": f"A{i}", "day": f"200{i}-12-31"} for i in range(1, 5)])
    assert ages(tmp_path, merge(at="ENTRY.day")) == ["51", "22", "13", None, None]


@pytest.mark.thorough("0.4 s")
def test_from_disk_as_in_memory_and_noted_without_a_small_count(tmp_path):
    rng = np.random.default_rng(3)
    born = pd.Timestamp("1930-01-01") + pd.to_timedelta(rng.integers(0, 25_000, 60), unit="D")
    days = pd.Timestamp("2019-01-01") + pd.to_timedelta(rng.integers(0, 900, 300), unit="D")
    people = rng.integers(0, 60, 300)
    rows = [
        {"pat": f"p{i}", "geb": f"{born[i]:%Y-%m-%d}" if i > 3 else "", "besuch": f"{day:%Y-%m-%d}"}
        for i, day in zip(people, days, strict=True)
    ]
    folder = tmp_path / "pilot"
    folder.mkdir()
    write(folder / "visits.csv", rows)
    (tmp_path / "results").mkdir()
    settings = merge(at="besuch")
    in_memory = combine_domains(folder, RULE, settings)
    with working_on("disk", folder, tmp_path / "results", Limits(large_bytes=0, rows_per_part=50)) as working:
        from_disk = combine_domains(folder, RULE, settings, working).frame
    pd.testing.assert_frame_equal(in_memory.frame, from_disk)
    assert in_memory.frame["VISITS__age"].notna().sum() == 56
    (note,) = (note for note in in_memory.report["inputs"]["visits.csv"]["notes"] if "made from geb" in note)
    assert "4 people have none" in note
    assert "fewer than 10 people have none" in note.on_screen


DAYS = st.dates(datetime.date(1900, 1, 1), datetime.date(2100, 12, 31))


@given(st.lists(st.tuples(DAYS, DAYS), min_size=1, max_size=20))
@examples(40)
def test_years_are_counted_by_birthdays(pairs):
    def birthdays(born: datetime.date, day: datetime.date) -> float:
        if day < born:
            return np.nan
        years = 0
        while (born.year + years + 1, born.month, born.day) <= (day.year, day.month, day.day):
            years += 1
        return years if years <= 130 else np.nan

    born, day = (pd.Series(days_of(pd.Series([one.isoformat() for one in side]))) for side in zip(*pairs, strict=True))
    np.testing.assert_array_equal(completed_years(born, day), [birthdays(*pair) for pair in pairs])


def test_partial_dates_count_as_their_middle():
    found = days_of(pd.Series(["1990", "1990-04", "1990-04-02T10:00", "1990-13-01", "april", None], dtype="str"))
    assert [str(day) for day in found] == ["1990-07-01", "1990-04-15", "1990-04-02", "NaT", "NaT", "NaT"]


def test_every_fault_of_the_rules_is_named_at_once(tmp_path):
    write(tmp_path / "visits.csv", [{**row, "age": "3"} for row in VISITS])
    settings = settings_of_key(
        "merge", {"age": {"VISITS": {"born": "gebb", "at": "besuche"}, "VISIT": {"born": "geb", "at": "2020-01-01"}}}
    )
    with pytest.raises(FaultyInputError) as error:
        combine_domains(tmp_path, RULE, settings)
    faults = list(error.value.faults)
    assert len(faults) == 4
    for words in ("no column 'gebb'", "has a column 'age'", "found 'besuche'", "no file of this domain"):
        assert any(words in fault for fault in faults), words


@pytest.mark.thorough("0.3 s")
def test_the_draft_makes_an_age_at_the_first_visit_and_leaves_the_date_of_birth_out(tmp_path):
    rng = np.random.default_rng(4)
    people = [
        {"patient_id": f"q{i:03}", "dob": f"{1930 + i % 60}-0{1 + i % 9}-1{i % 9}", "sex": "mf"[i % 2]}
        for i in range(80)
    ]
    write(tmp_path / "people.csv", people)
    days = rng.integers(10, 28, 240)
    visits = [
        {"patient_id": f"q{i % 80:03}", "visit_date": f"2020-05-{day}", "sbp": str(day)} for i, day in enumerate(days)
    ]
    write(tmp_path / "visits.csv", visits)
    drafted = draft_config("NEW", tmp_path, {})
    assert '"at": "VISITS.visit_date"' in drafted.text
    assert "the person's first visit_date in VISITS" in " ".join(drafted.text.replace("#", " ").split())
    assert "PEOPLE__age" in drafted.text.partition('"continuous_qis"')[2].partition("]")[0]
    assert "PEOPLE__dob" not in drafted.combined.columns
    assert drafted.combined.frame["PEOPLE__age"].notna().all()


def test_the_draft_names_the_day_of_the_file_where_no_other_day_is_known(tmp_path):
    people = [{"patient_id": f"q{i:03}", "dob": f"{1930 + i % 60}-02-1{i % 9}", "sex": "mf"[i % 2]} for i in range(80)]
    write(tmp_path / "people.csv", people)
    made = datetime.date.fromtimestamp((tmp_path / "people.csv").stat().st_mtime).isoformat()
    text = draft_config("NEW", tmp_path, {}).text
    assert f'"at": "{made}"' in text
    assert "the day on which people.csv" in " ".join(text.replace("#", " ").split())


def test_no_age_is_drafted_beside_an_age(tmp_path):
    people = [
        {"patient_id": f"q{i:03}", "dob": f"{1930 + i % 60}-02-1{i % 9}", "age": str(90 - i % 60)} for i in range(80)
    ]
    write(tmp_path / "people.csv", people)
    assert '"born"' not in draft_config("NEW", tmp_path, {}).text
