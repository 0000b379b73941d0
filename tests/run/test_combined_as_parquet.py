"""Both doors where the config asks for the combined dataset in Parquet: the same results, and one dataset at a time."""

from __future__ import annotations

import functools
import hashlib
import json
import stat

import pandas as pd
import pytest

from disclosure_control.records import merging
from disclosure_control.records.limits import FileLimits, MergeLimits
from disclosure_control.run.clock import utc_now
from disclosure_control.verify import verify
from tests.run.fixtures import kept_screen
from tests.run.synthetic_pilot import (
    DONE,
    INPUT_AT_FAULT,
    Doors,
    SyntheticPilot,
    copy_of,
    files_below,
    leaks,
    of_the_data,
)

TEXT, PARQUET = "combined_dataset.csv", "combined_dataset.parquet"


@pytest.fixture(scope="module")
def published_once(finished_template, tmp_path_factory):
    """Results of a second run of both doors, with the combined dataset in Parquet."""
    pilot = copy_of(finished_template, tmp_path_factory.mktemp("published"))
    with kept_screen() as screen, pytest.MonkeyPatch.context() as monkeypatch:
        doors = Doors(pilot.desk, monkeypatch, screen)
        monkeypatch.setattr("disclosure_control.run.clock.utc_now", utc_now)
        pilot.configure(merge={"combined_as": "parquet"})
        for door in (1, 2):
            run = doors.start(door)
            assert run.status == DONE
            assert not leaks(run.out, run.err)
    return pilot.root


@pytest.fixture
def as_parquet(published_once, finished_template, tmp_path, doors, monkeypatch):
    """Such a pilot at a desk of one's own, and its files as they were with text."""
    monkeypatch.setattr("disclosure_control.run.clock.utc_now", utc_now)
    pilot = copy_of(published_once, tmp_path)
    pilot.configure(merge={"combined_as": "parquet"})
    return pilot, files_below(SyntheticPilot(finished_template).results)


def rows_of(path):
    return pd.read_parquet(path).fillna("").to_numpy().tolist()


@pytest.mark.thorough("0.6 s")
def test_door_1_writes_one_file_of_the_same_text_that_is_hashed_and_closed_to_others(as_parquet):
    pilot, as_text = as_parquet
    assert not (pilot.results / TEXT).exists()
    path = pilot.results / PARQUET
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    header, *rows = (line[1:-1].split('","') for line in as_text[TEXT].decode().splitlines())
    assert list(pd.read_parquet(path)) == header
    assert len(rows_of(path)) == len(rows) == 12
    report = pilot.merge_report()
    assert report["files"] == {
        PARQUET: {"sha256": hashlib.sha256(path.read_bytes()).hexdigest(), "restricted": True, "rows": 12}
    }
    before = json.loads(as_text["merge_report.json"])
    assert {**report, "files": None} == {**before, "files": None}


@pytest.mark.thorough("0.8 s")
def test_the_results_are_those_of_the_text_in_memory_and_from_disk(as_parquet, doors):
    pilot, as_text = as_parquet
    expected = {name: content for name, content in of_the_data(as_text).items() if name.startswith("risky_rows")}
    assert expected
    before = of_the_data(files_below(pilot.results))
    summary = pilot.summary()
    assert set(summary["inputs"]) == {PARQUET}
    assert summary["identifiers"]["columns_looked_at"][PARQUET] > 0
    said = json.loads(as_text["CLINIC_privacy_summary.json"])
    for name in ("k_anonymity", "l_diversity", "t_closeness", "missing_policies", "verdict"):
        assert summary[name] == said[name]
    assert {name: before[name] for name in expected} == expected
    assert doors.start(2, "--engine", "disk").status == DONE
    assert of_the_data(files_below(pilot.results)) == before


@pytest.mark.thorough("1 s: both doors several times")
def test_it_holds_when_it_is_made_again_and_where_the_domain_files_are_gone(as_parquet):
    pilot, _ = as_parquet
    found = verify(pilot.results)
    assert found.n_changed == 0, found.changed
    (pilot.folder / "DM.csv").unlink()
    found = verify(pilot.results)
    assert any(f"{PARQUET} was used without merging" in note for note in found.notes)
    assert not any(PARQUET in words for changed in found.changed.values() for words in changed)


def test_a_config_that_no_longer_asks_for_it_goes_back_to_text(as_parquet, doors):
    pilot, as_text = as_parquet
    pilot.configure(merge={})
    assert doors.start(1).status == DONE
    assert not (pilot.results / PARQUET).exists()
    assert (pilot.results / TEXT).read_bytes() == as_text[TEXT]


def test_two_combined_datasets_are_at_fault_and_no_results_change(as_parquet, doors):
    pilot, as_text = as_parquet
    before = of_the_data(files_below(pilot.results))
    (pilot.results / TEXT).write_bytes(as_text[TEXT])
    run = doors.start(2)
    assert run.status == INPUT_AT_FAULT
    (fault,) = run.fault_lines
    assert f"{TEXT} and {PARQUET}: both in processed_for_anonym; allowed: one of them" in fault
    (pilot.results / TEXT).unlink()
    assert of_the_data(files_below(pilot.results)) == before


@pytest.mark.thorough("0.5 s; that pieces change no byte is a property of the writer's test")
def test_a_merge_from_disk_writes_the_same_bytes(as_parquet, doors, monkeypatch):
    pilot, _ = as_parquet
    before = (pilot.results / PARQUET).read_bytes()
    tiny = MergeLimits(large_bytes=0, rows_per_part=3, file=FileLimits(block_bytes=300))
    monkeypatch.setattr(merging, "working_on", functools.partial(merging.working_on, limits=tiny))
    assert doors.start(1, "--engine", "disk").status == DONE
    assert (pilot.results / PARQUET).read_bytes() == before
