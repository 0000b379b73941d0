"""The typed columns from door 1 to door 2: the same results with and without them, and an edited text counts."""

from __future__ import annotations

import hashlib
import stat

import pytest

from disclosure_control.records import store
from disclosure_control.run.clock import utc_now
from disclosure_control.verify import verify
from tests.run.synthetic_pilot import DONE, files_below, of_the_data

TEXT, TYPED = "combined_dataset.csv", "combined_dataset.typed.parquet"


@pytest.fixture
def merged(pilot, doors):
    """A pilot whose files were merged."""
    assert doors.start(1).status == DONE
    return pilot


@pytest.fixture
def is_text_read(monkeypatch):
    """How often door 2 read the text itself."""
    read, original = [], store.read_as_written
    monkeypatch.setattr(store, "read_as_written", lambda file: read.append(file) or original(file))
    return read


def results_of(pilot, doors, *options):
    assert doors.start(2, *options).status == DONE
    return of_the_data(files_below(pilot.results))


def test_door_1_lists_the_columns_among_its_files_and_closes_them_to_others(merged):
    path = merged.results / TYPED
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    files = merged.merge_report()["files"]
    assert set(files) == {TEXT, TYPED}
    assert files[TYPED] == {"sha256": hashlib.sha256(path.read_bytes()).hexdigest(), "restricted": True}


@pytest.mark.thorough("1 s: both doors several times")
def test_results_are_the_same_with_the_columns_without_them_and_from_disk(merged, doors, is_text_read):
    with_columns = results_of(merged, doors)
    assert not is_text_read
    assert TYPED in with_columns  # they stay where they are
    assert results_of(merged, doors, "--engine", "disk") == with_columns
    damaged = (
        with_columns[TYPED][:30] + bytes(byte ^ 1 for byte in with_columns[TYPED][30:60]) + with_columns[TYPED][60:]
    )
    (merged.results / TYPED).write_bytes(damaged)
    from_disk = results_of(merged, doors, "--engine", "disk")
    listed = {name: content for name, content in with_columns.items() if name.startswith("risky")}
    assert {name: from_disk[name] for name in listed} == listed != {}
    (merged.results / TYPED).unlink()
    without = results_of(merged, doors)
    assert len(is_text_read) == 1
    assert without == {name: content for name, content in with_columns.items() if name != TYPED}


@pytest.mark.thorough("1 s: both doors several times")
def test_who_edits_the_text_gets_what_they_wrote(merged, doors, is_text_read):
    edited = merged.combined.read_bytes().replace(b"FMARKER", b"MMARKER")
    merged.combined.write_bytes(edited)
    with_columns = [results_of(merged, doors) for _ in range(2)][-1]  # in the first the history tells of the edit
    assert len(is_text_read) == 2
    listed = b"".join(content for name, content in files_below(merged.results).items() if name.startswith("risky"))
    assert b"MMARKER" in listed
    assert b"FMARKER" not in listed
    assert any(notice.startswith(f"{TEXT} is not what") for notice in merged.summary()["notices"])
    (merged.results / TYPED).unlink()
    without = results_of(merged, doors)
    assert without == {name: content for name, content in with_columns.items() if name != TYPED}


@pytest.mark.thorough("0.6 s")
def test_columns_that_are_not_those_of_the_merge_are_said_aloud(merged, doors):
    path = merged.results / TYPED
    path.write_bytes(path.read_bytes() + b"x")
    run = doors.start(2)
    assert run.status == DONE
    assert f"NOTE: {TYPED} is not what the merge of this pilot wrote" in run.out


@pytest.mark.thorough("1 s: both doors several times")
def test_what_was_published_holds_with_the_columns_and_not_with_others(merged, doors, monkeypatch):
    monkeypatch.setattr("disclosure_control.run.clock.utc_now", utc_now)
    results_of(merged, doors)
    found = verify(merged.results)
    assert found.n_changed == 0, found.changed
    (merged.results / TYPED).write_bytes(b"others")
    changed = [words for kind in verify(merged.results).changed.values() for words in kind]
    assert changed == [f"{TYPED}: changed since the merge"]
