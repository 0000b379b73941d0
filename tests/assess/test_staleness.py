"""Door 2 says when the combined dataset is not what the domain files would give."""

from __future__ import annotations

import json

import pytest

from tests.run.synthetic_pilot import DONE


def notes_of(pilot, doors) -> list[str]:
    run = doors.start(2)
    assert run.status == DONE
    summary = (pilot.results / "CLINIC_privacy_summary.txt").read_text(encoding="utf-8")
    notes = [line for line in summary.splitlines() if line.startswith("NOTE: ")]
    assert [line for line in run.out.splitlines() if line.startswith("NOTE: ")] == notes
    assert [f"NOTE: {notice}" for notice in pilot.summary()["notices"][: len(notes)]] == notes
    return notes


def test_nothing_is_said_after_a_merge_of_the_same_files(pilot, doors):
    assert doors.start(1).status == DONE
    assert notes_of(pilot, doors) == []


def test_a_domain_file_that_changed_or_came_is_said_aloud(pilot, doors):
    assert doors.start(1).status == DONE
    path = pilot.folder / "DM.csv"
    path.write_bytes(path.read_bytes() + b"\n")
    (pilot.folder / "QS.csv").write_text("USUBJID,SCORE\n", encoding="utf-8")
    (pilot.folder / "letter.docx").write_bytes(b"no data")
    changed, came = notes_of(pilot, doors)
    assert changed.startswith("NOTE: DM.csv changed after the merge")
    assert came.startswith("NOTE: QS.csv came after the merge")
    assert "Create_Combined_Pilot_Dataset.py" in changed


@pytest.mark.thorough("1 s; a change is said in the quick run")
def test_domain_files_may_be_elsewhere_and_the_merge_report_may_be_gone_or_broken(pilot, doors):
    assert doors.start(1).status == DONE
    for path in pilot.folder.glob("*.csv"):
        path.unlink()
    assert notes_of(pilot, doors) == []
    report = pilot.results / "merge_report.json"
    for text in ("{", "[]", json.dumps({"files": {}})):
        report.write_text(text, encoding="utf-8")
        assert notes_of(pilot, doors) == []
    report.unlink()
    assert notes_of(pilot, doors) == []
