"""Door 1 on a pilot without a config: it drafts one, never over another, and what it merges is what the draft says."""

from __future__ import annotations

import pytest

from config import Settings, list_pilots, parse_config, sheet_of
from disclosure_control.draft.draft import draft_config
from disclosure_control.run import config_files as files
from disclosure_control.run.config_files import write_draft
from study.columns.sheet import read_sheet
from study.formats.files import ReadOnce, read_domain_file
from study.formats.tables import FileOptions
from tests.cases import each
from tests.run.synthetic_pilot import (
    CONFIG,
    DISTRICT,
    DONE,
    INPUT_AT_FAULT,
    SyntheticPilot,
    leaks,
    rows_of,
    snapshot,
    unprintable,
)


@pytest.fixture
def new(fresh):
    """A pilot of files alone."""
    fresh.config_file.unlink()
    return fresh


def draft_of(pilot: SyntheticPilot) -> dict:
    return parse_config(pilot.config_file.read_text(encoding="utf-8"), pilot.config_file.name)


@pytest.mark.thorough("0.7 s")
def test_two_commands_lead_to_a_report(new, doors):
    first, second = doors.start_both()
    assert (first.status, first.err, second.status, second.err) == (DONE, "", DONE, "")
    drafted = draft_of(new)
    assert drafted["categorical_qis"] == CONFIG["categorical_qis"]
    assert drafted["continuous_qis"] == CONFIG["continuous_qis"]
    assert drafted["sensitive_feature"] == [CONFIG["sensitive_feature"]]
    assert drafted["K"] == 3
    assert drafted["recommend"] == {"weights": {"DM__AGE": 5, "DM__SEX": 5}}
    assert "CLINIC.py" in first.outcomes["CLINIC"][1]
    # Neither the screen nor the draft shows anybody.
    assert leaks(first.out, second.out, new.config_file.read_text(encoding="utf-8")) == []
    assert unprintable(first.out, second.out) == []


@pytest.mark.thorough("0.3 s")
def test_a_column_that_says_another_in_more_detail_is_no_quasi_identifier_and_counts_as_known(new, doors):
    rows = [{**row, "RACE": "ASIAN", "RACE1": ("KOREAN", "THAI")[i % 2]} for i, row in enumerate(rows_of("DM"))]
    new.write_rows("DM.csv", rows)
    doors.start(1)
    assert "DM__RACE1" not in draft_of(new)["categorical_qis"]
    (row,) = [row for row in read_sheet(sheet_of(new.config_file)).rows.values() if row.column == "RACE1"]
    assert (row.known_to_outsiders, row.evidence) == ("yes", "repeats DM__RACE in more detail")


@pytest.mark.thorough("0.5 s")
def test_what_is_merged_is_what_the_draft_says(new, doors):
    new.write_rows(
        "DM.csv",
        [{**row, "SITEID": "7"} for row in rows_of("DM")[:6]] + [{**row, "SITEID": "8"} for row in rows_of("DM")[6:]],
    )
    doors.start(1)
    assert draft_of(new)["merge"] == {"drop": ["DM__SITEID"]}
    combined = new.combined.read_bytes()
    assert b"SITEID" not in combined
    assert doors.start(1).status == DONE
    assert new.combined.read_bytes() == combined


@pytest.mark.thorough("0.8 s")
def test_the_order_of_rows_and_files_makes_no_difference(new, doors, tmp_path):
    doors.start(1)
    text = new.config_file.read_bytes()
    new.config_file.unlink()
    for domain in ("DM", "VS", "LB", "SC"):
        new.write_rows(f"{domain}.csv", rows_of(domain)[::-1])
    doors.start(1)
    assert new.config_file.read_bytes() == text


def test_a_config_is_left_as_it_is(pilot, doors):
    before = snapshot(pilot.config_folder)
    assert doors.start(1).status == DONE
    assert snapshot(pilot.config_folder) == before


@pytest.mark.thorough("1 s: whole drafts; their parts in the quick run")
def test_a_draft_beside_a_config_has_a_name_that_no_run_reads(pilot, doors):
    before = pilot.config_file.read_bytes()
    for name in ("CLINIC.draft.py", "CLINIC.draft2.py"):
        assert doors.start(1, "--draft-config").status == DONE
        assert (pilot.config_folder / name).is_file()
    assert pilot.config_file.read_bytes() == before
    assert list_pilots(Settings(pilot.data_folder, pilot.config_folder, None, None)) == ["CLINIC"]


@pytest.mark.thorough("0.6 s")
def test_a_draft_beside_a_config_keeps_what_was_decided_of_the_merge(pilot, doors):
    pilot.configure(
        merge={"drop": [f"SC__{DISTRICT}"]},
        categorical_qis=["DM__SEX"],
        subject_id={"column": "USUBJID", "case": "upper"},
    )
    assert doors.start(1, "--draft-config").status == DONE
    drafted = parse_config((pilot.config_folder / "CLINIC.draft.py").read_text(encoding="utf-8"), "")
    assert drafted["subject_id"] == {"column": "USUBJID", "case": "upper"}
    assert drafted["merge"] == {"drop": [f"SC__{DISTRICT}"]}
    assert drafted["categorical_qis"] == ["DM__SEX"]


@pytest.mark.thorough("0.5 s")
def test_a_new_pilot_with_the_option_gets_its_config(new, doors):
    assert doors.start(1, "--draft-config").status == DONE
    assert [path.name for path in new.config_folder.iterdir()] == ["CLINIC.py"]


def test_files_that_cannot_be_merged_leave_no_draft(new, doors):
    new.remove("DM.csv")
    run = doors.start(1)
    assert run.status == INPUT_AT_FAULT
    assert "No DM file" in run.err
    assert list(new.config_folder.iterdir()) == []


@pytest.mark.thorough("0.3 s")
def test_a_config_that_came_meanwhile_stands(new, doors, monkeypatch):
    def late(text, folder, pilot, beside):
        new.write_config("config = {}\n")
        return write_draft(text, folder, pilot, "draft" if beside else "")

    monkeypatch.setattr(files, "write_draft", late)
    run = doors.start(1)
    assert run.status == INPUT_AT_FAULT
    assert "meanwhile" in run.err
    assert new.config_file.read_text() == "config = {}\n"
    assert not new.combined.exists()


@pytest.mark.thorough("0.3 s")
def test_a_folder_of_configs_that_takes_no_file_changes_nothing(new, doors, monkeypatch):
    def full(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", full)
    run = doors.start(1)
    assert run.status == INPUT_AT_FAULT
    assert list(new.config_folder.iterdir()) == []
    assert not new.combined.exists()


@pytest.mark.thorough("0.6 s")
def test_without_hard_links_it_is_written_all_the_same(new, doors, monkeypatch):
    def none(*arguments):
        raise OSError(95, "not supported")

    monkeypatch.setattr(files.os, "link", none)
    assert doors.start(1, "--draft-config").status == DONE
    text = new.config_file.read_bytes()
    assert doors.start(1, "--draft-config").status == DONE
    assert new.config_file.read_bytes() == text
    assert sorted(path.name for path in new.config_folder.iterdir()) == ["CLINIC.draft.py", "CLINIC.py"]


def test_door_2_needs_a_config_and_says_who_drafts_one(new, doors):
    run = doors.start(2)
    assert run.status == INPUT_AT_FAULT
    assert "no config for the pilot CLINIC" in run.err
    assert "Create_Combined_Pilot_Dataset.py, which drafts one" in run.err


@pytest.mark.thorough("0.5 s")
def test_two_studies_are_for_the_controller_and_the_rest_is_drafted_then(new, doors):
    studies = ["A"] * 6 + ["B"] * 6
    new.write_rows("DM.csv", [{**row, "STUDYID": study} for row, study in zip(rows_of("DM"), studies, strict=True)])
    run = doors.start(1)
    assert run.status == INPUT_AT_FAULT
    assert "study" in run.err
    assert "CLINIC.py: not drafted" in run.err
    assert not new.config_file.exists()
    new.write_config('config = {"merge": {"study": "*"}}')
    assert doors.start(1, "--draft-config").status == DONE
    drafted = parse_config((new.config_folder / "CLINIC.draft.py").read_text(encoding="utf-8"), "")
    assert drafted["merge"] == {"study": "*"}
    assert drafted["categorical_qis"] == CONFIG["categorical_qis"]


@pytest.mark.thorough("0.5 s")
@each("people_are_called", ["USUBJID", "PatNr"])
def test_a_draft_reads_every_file_once(people_are_called, new, monkeypatch):
    read = []

    def noted(path, options):
        read.append(path.name)
        return read_domain_file(path, options)

    for file in new.folder.glob("*.csv"):
        file.write_text(file.read_text(encoding="utf-8").replace("USUBJID", people_are_called), encoding="utf-8")
    monkeypatch.setattr("disclosure_control.draft.draft.ReadOnce", lambda: ReadOnce(noted))
    text = draft_config(new.name, new.folder, {}).text
    assert f'"column": "{people_are_called}"' in text
    assert sorted(read) == ["DM.csv", "LB.csv", "SC.csv", "VS.csv"]


def test_a_file_whose_headings_depend_on_the_person_is_read_again(tmp_path):
    reads = ReadOnce()
    grouped = "Clinic,,Body,\nNo,Sex,Weight,Height\n" + "".join(f"P{n},m,{70 + n},{160 + n}\n" for n in range(9))
    (tmp_path / "DM.csv").write_text(grouped, encoding="utf-8")
    (tmp_path / "VS.csv").write_text("Unnamed: 0,Sex\n1,m\n2,f\n", encoding="utf-8")
    for file, without, name in (("DM.csv", "Clinic No", "No"), ("VS.csv", "Sex", "Unnamed: 0")):
        assert reads(tmp_path / file, FileOptions()).frame.columns[0] == without
        assert reads(tmp_path / file, FileOptions(keep=(name,))).frame.columns[0] == name
