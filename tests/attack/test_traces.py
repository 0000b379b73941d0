"""What counts as a trace of an original in what leaves."""

from __future__ import annotations

import pytest

from disclosure_control.attack.answerers import forms
from disclosure_control.attack.traces.traces import find_traces
from disclosure_control.basics.settings.changes import applied
from disclosure_control.basics.telling.small_counts import EXACT
from disclosure_control.steps.release.traces import reasons_of_traces
from study.formats.tables import SourceTable
from tests.release.small_studies import people, released, study_of

IDS = [f"SUBJECT-{i:04}" for i in range(40)]


def traces_of(files, lines=(), spoilt=None, ids=IDS):
    who = people(ids, list(range(len(ids))))
    made = released(files, who, lines)
    opened = {
        name: SourceTable(name, f"{name}.csv", "", file.frame.copy(), {}, ()) for name, file in made.files.items()
    }
    if spoilt is not None:
        spoilt({name: table.frame for name, table in opened.items()})
    return find_traces(study_of(files, ids), made, opened, who, {}, "USUBJID")


def events(n=2000):
    """Records with numbers of six digits: some of the pseudonyms have six such digits in a row, by chance."""
    return {
        "DM": [{"USUBJID": one, "SEX": "F"} for one in IDS],
        "AE": [{"USUBJID": IDS[i % 40], "AESEQ": float(i), "AESPID": f"{100_000 + i}"} for i in range(n)],
    }


def test_digits_within_a_pseudonym_are_chance():
    found = traces_of(events())
    assert found.total == 0
    assert found.searched > 4000


@pytest.mark.thorough("0.4 s")
def test_columns_with_too_many_cells_for_own_digits_are_named(monkeypatch):
    """Of 40 numbers of five digits: a count of 0 says nothing of those that were not searched."""
    rows = [{"USUBJID": one, "LBTESTCD": "ALB", "LBSTRESN": 12345.0 + place} for place, one in enumerate(IDS)]
    files = {"DM": [{"USUBJID": one, "SEX": "F"} for one in IDS], "LB": rows}
    assert traces_of(files).not_asked == ()
    monkeypatch.setattr(forms, "MOST_PAIRS", 39)
    assert traces_of(files).not_asked == ("LB.LBSTRESN",)


@pytest.mark.thorough("0.3 s")
def test_an_original_number_left_among_the_pseudonyms_is_a_trace():
    def spoilt(frames):
        frames["AE"].loc[7, "AESPID"] = "100042"

    found = traces_of(events(), spoilt=spoilt)
    assert (found.removed_identifiers, found.where) == (1, {"AE.AESPID": 1})


def test_digits_in_the_results_of_one_test_are_taken_out_with_it():
    """Without the column no result would be left, and the release could not be merged."""
    ids = [f"S-{200_017 + 37 * place}" for place in range(60)]
    rows = [
        {"USUBJID": one, "LBTESTCD": code, "LBTEST": test, "LBSTRESN": number}
        for place, one in enumerate(ids)
        for code, test, number in (("ALT", "Alt", 20.0 + place), ("RATIO", "Ratio", 90 + int(one[2:]) / 1e6))
    ]
    found = traces_of({"DM": [{"USUBJID": one, "SEX": "F"} for one in ids], "LB": rows}, ids=ids)
    (reason,) = reasons_of_traces(EXACT, found)
    assert applied({}, reason.changes) == {"merge": {"drop": ["LB__Ratio"]}}
