"""The overview of all pilots: what the last runs said, how old that is, and what to look after; nobody in it."""

from __future__ import annotations

import datetime
import os
import re
import stat

import pytest

from config import read_settings
from disclosure_control.overview import main
from disclosure_control.report.pilots.rows import PilotRow, overview_page, pilot_rows
from disclosure_control.run.attempts import Attempt, keep_attempt
from tests.run.synthetic_pilot import DONE, leaks

NOW = datetime.datetime(2026, 2, 2, 12, 0, tzinfo=datetime.UTC)  # two days after the run


def rows(now=NOW, older_than=31) -> dict[str, PilotRow]:
    return {row.name: row for row in pilot_rows(read_settings(), now, older_than)}


def test_a_row_says_what_the_last_run_said(pilot, doors):
    row, summary = rows()["CLINIC"], pilot.summary()
    assert (row.verdict, row.about) == (summary["verdict"]["verdict"], summary["verdict"]["about"])
    assert (row.people, row.days, row.when) == (12, 2, "2026-01-31 12:00")
    assert row.thresholds == {"k": "3", "l": "2", "t": "30"}
    t = summary["t_closeness"]["LB__Cholesterol"]["risky_rate"]
    assert (row.shares["k"], row.shares["t"]) == ("50.0%", f"{t:.1%}")
    assert (row.open_points, row.newly_alone, row.remarks) == (16, "-", [])
    assert list(row.trend) == [0.5]


def test_what_to_look_after(pilot, doors):
    assert rows(older_than=1)["CLINIC"].remarks == ["The last run is 2 days old."]
    assert rows(NOW - datetime.timedelta(days=1), 0)["CLINIC"].remarks == ["The last run is 1 day old."]
    pilot.configure(K=4)
    assert rows()["CLINIC"].remarks == ["The config changed after the last run."]
    pilot.config_file.unlink()
    assert rows()["CLINIC"].remarks == ["There is no config that can be read."]


@pytest.mark.thorough("0.4 s")
def test_a_review_that_is_due(pilot, doors):
    pilot.configure(context={"review_date": "2026-02-01"})
    assert doors.start(2).status == DONE
    assert rows()["CLINIC"].remarks == ["The review was due on 2026-02-01."]
    assert rows(now=NOW - datetime.timedelta(days=1))["CLINIC"].remarks == []


def test_pilots_without_a_run_or_with_results_that_cannot_be_read_have_their_row(pilot, doors):
    pilot.sibling("NEWCOMER")
    path = pilot.results / "CLINIC_privacy_summary.json"
    path.write_text(path.read_text()[:200])
    found = rows()
    assert [row.has_run for row in found.values()] == [False, False]
    assert "verify" in found["CLINIC"].remarks[0]


@pytest.mark.thorough("0.7 s")
def test_a_pilot_whose_runs_fail_comes_first_and_its_old_verdict_is_said_to_be_old(pilot, doors):
    pilot.sibling("WARD")
    assert doors.start(1, "WARD").status == doors.start(2, "WARD").status == DONE
    assert list(rows()) == ["CLINIC", "WARD"]
    ward = pilot.data_folder / "WARD"
    (ward / "DM.csv").unlink()
    doors.start(1, "WARD")
    found = rows()
    assert list(found) == ["WARD", "CLINIC"]
    assert found["WARD"].failure.startswith(
        "Create_Combined_Pilot_Dataset.py on 2026-01-31 12:00 UTC ended with status 2"
    )
    assert found["WARD"].remarks == ["DM.csv changed or vanished after the merge: run both scripts."]
    page = overview_page(list(found.values()), "")
    assert "1 of 2 pilots have no result of their last attempt." in page  # one that is at work has not failed
    assert "No result since" in page
    keep_attempt(ward / "processed_for_anonym", Attempt("2026-01-31T12:00", "Main_Anonymization.py"))
    assert "has not ended" in rows()["WARD"].failure


def test_one_pilot_that_cannot_be_read_does_not_stop_the_page(pilot, doors, monkeypatch):
    pilot.sibling("WARD")

    def closed(results):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("disclosure_control.report.pilots.rows.read_memory", closed)
    assert rows()["CLINIC"].remarks == ["Its results cannot be read: Permission denied."]
    assert len(rows()) == 2


def test_the_page_is_written_whole_for_its_owner_and_needs_nothing(pilot, doors, capsys):
    assert main([]) == DONE
    path = pilot.data_folder / "overview.html"
    assert "1 pilot in" in capsys.readouterr().out
    text = path.read_text(encoding="utf-8")
    assert leaks(text) == []
    assert "CLINIC" in text
    assert not re.search(r"<script|src=|href=|url\(|@import", text)
    if os.name == "posix":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [one.name for one in pilot.data_folder.iterdir() if one.is_file()] == ["overview.html"]


def test_the_trend_is_a_line_from_the_first_to_the_last_run():
    row = PilotRow("P", days=0, trend=[1.0, None, 0.5, 0.0])
    assert row.path == "M0.0 2.0L66.7 12.0L100.0 22.0"
    assert row.trend_in_words == "100.0% to 0.0% in 4 runs"
    first = PilotRow("P", days=0, trend=[0.5])
    assert (first.path, first.trend_in_words) == ("", "the first run")


def test_words_of_results_cannot_leave_their_place():
    page = overview_page([PilotRow("P", remarks=["<script>alert(1)</script>"])], "now")
    assert "<script" not in page
    assert "&lt;script&gt;" in page
