"""What a recipient reads beside the files: how many people and records they hold."""

from __future__ import annotations

import datetime

from disclosure_control.release.readme import readme
from tests.release.small_studies import people, released

FILES = {
    "DM": [{"USUBJID": "S-1", "SEX": "F"}, {"USUBJID": "S-2", "SEX": "M"}, {"USUBJID": "S-3", "SEX": "M"}],
    "AE": [{"USUBJID": "S-1", "AETERM": "a"}, {"USUBJID": "S-1", "AETERM": "b"}, {"USUBJID": "S-9", "AETERM": "c"}],
    "TS": [{"STUDYID": "S", "TSPARMCD": "AGEMAX"}],  # of nobody
}


def test_people_are_counted_once_whatever_number_of_records_they_have_and_trial_design_is_nobodys():
    study = released(FILES, people(["S-1", "S-2", "S-3"], [0, 2]))
    names = {name: f"{name.lower()}.csv" for name in study.files}
    text = readme("P", study, names, datetime.datetime(2026, 1, 2, tzinfo=datetime.UTC))
    assert "Study P, de-identified; released 2026-01-02; 2 people." in text
    rows = [line.split() for line in text.splitlines()]
    assert [row for row in rows if len(row) == 2 and ".csv" in row[0]] == [
        ["dm.csv", "2"],
        ["ae.csv", "2"],
        ["ts.csv", "1"],
    ]
