"""What a recipient reads beside the files: how many people and records they hold."""

from __future__ import annotations

import datetime
import re

from disclosure_control.release.readme import LimitsOfUse, readme
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


def test_at_most_five_limits_stand_above_the_tables_and_no_sentence_is_longer_than_25_words():
    many = "3 of 68 comparisons changed in sign or in significance and must not be relied on: RASH (A against B)"
    limits = [(f"Table {i}", words) for i in range(7) for words in (many, "age leaves in two bands")]
    study = released(FILES, people(["S-1", "S-2", "S-3"], [0, 2]))
    names = {name: f"{name.lower()}.csv" for name in study.files}
    use = LimitsOfUse("with limits", limits)
    text = readme("P", study, names, datetime.datetime(2026, 1, 2, tzinfo=datetime.UTC), use=use)
    first, _, below = text.partition("\nFiles\n")
    assert first.count("  - Table") == 5
    assert "2 further limits: below" in first
    assert below.count("age leaves in two bands") == 7
    said = re.sub(r"(?s)Limits of use\n.*?\n\n", "", text)
    sentences = [one for part in re.split(r"\n\n|\n  - |\n  (?=[A-Z])", said) for one in re.split(r"[.:]\s", part)]
    assert max(len(one.split()) for one in sentences) <= 25
    none = readme("P", study, names, datetime.datetime(2026, 1, 2, tzinfo=datetime.UTC), use=LimitsOfUse("yes"))
    assert "compared before and after: no limit was found" in none
    assert "chance" not in none
