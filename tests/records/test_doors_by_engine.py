"""Door 2 by every engine: the same files, the engine by the file's size, and what needs records said before the run."""

from __future__ import annotations

import errno
import os

import pytest

from disclosure_control.assess import opening
from disclosure_control.records import choice, store
from disclosure_control.records.choice import AUTO, ENGINES, choose_engine
from disclosure_control.records.limits import Limits
from disclosure_control.records.spill import Aside
from disclosure_control.steps import STEPS, settings_module
from disclosure_control.steps.risk.sections import SECTIONS
from tests.places import PROJECT
from tests.run.synthetic_pilot import DONE, INPUT_AT_FAULT, files_below, leaks, of_the_data

TINY = Limits(block_bytes=200, cells_per_part=2, flagged_per_part=2)


def published(pilot) -> dict[str, object]:
    return of_the_data(files_below(pilot.results))


@pytest.mark.thorough("2 s: both engines over whole pilots; their parts in the quick run")
@pytest.mark.parametrize("engine", ["memory", "disk"])
def test_the_files_are_the_same(pilot, doors, monkeypatch, engine):
    before = published(pilot)
    assert any(name.startswith("risky_rows_k") for name in before)
    monkeypatch.setattr(opening, "USUAL_LIMITS", TINY)
    run = doors.start(2, "--engine", engine)
    assert run.status == DONE
    assert published(pilot) == before
    assert not leaks(run.out, run.err)


@pytest.mark.thorough("0.8 s")
def test_a_file_that_needs_more_than_a_share_of_free_memory_is_worked_on_from_disk(pilot, doors, monkeypatch):
    before, size = published(pilot), pilot.combined.stat().st_size
    just_enough = choice.MEMORY_PER_BYTE * size / choice.SHARE_OF_FREE
    monkeypatch.setattr(choice, "free_memory", lambda: round(just_enough) + 1)
    assert choose_engine(AUTO, pilot.combined) == choice.Choice("memory")
    monkeypatch.setattr(choice, "free_memory", lambda: round(just_enough) - 1)
    run = doors.start(2)
    assert run.status == DONE
    assert "working from disk" in run.out
    assert published(pilot) == before


def test_what_is_asked_for_wins_and_nothing_known_is_memory(tmp_path, monkeypatch):
    path = tmp_path / "combined_dataset.csv"
    path.write_bytes(b"x" * 100)
    monkeypatch.setattr(choice, "free_memory", lambda: 1)
    assert [choose_engine(name, path).name for name in ENGINES] == list(ENGINES)
    assert choose_engine(AUTO, path).name == "disk"
    assert choose_engine(AUTO, tmp_path / "none.csv").name == "memory"
    monkeypatch.setattr(choice, "free_memory", lambda: None)
    assert choose_engine(AUTO, path).name == "memory"


def test_how_much_memory_is_free_is_known_here():
    free = choice.free_memory()
    assert free is None or 1 << 20 < free < 1 << 50


def test_steps_that_need_records_are_named_before_the_file_is_read(pilot, doors, monkeypatch):
    before = published(pilot)
    pilot.configure(explore={}, sweep={"grid": [{"method": "mondrian", "k": [2, 3]}]})

    def never(*arguments):
        raise AssertionError("the file was read")

    monkeypatch.setattr(store, "count_on_disk", never)
    run = doors.start(2, "--engine", "disk")
    assert run.status == INPUT_AT_FAULT
    assert [line for line in run.fault_lines if "needs all records in memory" in line] == run.fault_lines
    assert len(run.fault_lines) == 2
    assert "--engine memory" in run.err
    assert published(pilot) == before


def test_faults_of_the_dataset_are_said_as_in_memory(pilot, doors):
    rows = pilot.combined_rows()
    pilot.write_combined([*rows, rows[0], {**rows[1], "USUBJID": ""}, rows[2]])
    said = [doors.start(2, "--engine", engine) for engine in ("memory", "disk")]
    assert [run.status for run in said] == [INPUT_AT_FAULT] * 2
    assert said[0].err == said[1].err != ""


def test_text_among_numbers_is_counted_by_people_as_in_memory(pilot, doors):
    rows = pilot.combined_rows()
    for row in rows[:3]:
        row["DM__AGE"] = "old"
    rows[3]["LB__Cholesterol"] = rows[4]["LB__Cholesterol"] = "high"
    pilot.write_combined(rows)
    said = [doors.start(2, "--engine", engine) for engine in ("memory", "disk")]
    assert [run.status for run in said] == [INPUT_AT_FAULT] * 2
    assert "fewer than 10 of 12 values are text" in said[0].err
    assert said[0].err == said[1].err


def test_the_page_has_a_row_for_every_engine():
    page = (PROJECT / "docs" / "scale.md").read_text(encoding="utf-8")
    for name, engine in ENGINES.items():
        assert f"| `{name}` | {engine.words} |" in page


def test_the_page_names_what_runs_from_disk_and_what_does_not():
    page = (PROJECT / "docs" / "scale.md").read_text(encoding="utf-8")
    section = page.split("## What runs from disk")[1].split("What helps:")[0]
    runs, refused = section.split("What a config asks for beyond")
    without_records = {name for name in STEPS if hasattr(settings_module(name), "records_needed")}
    assert {name for name in STEPS if f"`{name}`" in refused} - {"risk"} == set(STEPS) - without_records
    assert {name for name in STEPS if f"`{name}`" in runs} == without_records
    settings = {needed for section in SECTIONS.values() for needed in section.needs_records_with}
    assert {name for name in settings if f"`{name}` of `risk`" in refused} == settings


def test_a_full_disk_is_told_and_leaves_the_earlier_results(pilot, doors, monkeypatch):
    before = published(pilot)

    def full(*arguments):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Aside, "append", full)
    run = doors.start(2, "--engine", "disk")
    assert run.status == INPUT_AT_FAULT
    assert "No space left" in run.err
    assert published(pilot) == before


TREATED = {
    "recommend": {},
    "treatment": [
        {"method": "drop_identifiers"},
        {"method": "recommended"},
        {"method": "suppress_records", "models": ["k", "l"]},
        {"method": "recode_ids", "key_from": {"environment": "PILOT_KEY"}},
    ],
}
