"""A set with a folder in it: published at once like the rest, completed or undone after a stop at any rename."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from disclosure_control.run.fingerprints import KEY_FILE
from disclosure_control.run.results import held, recover, staged

SUMMARY = "P_privacy_summary.json"


def publish(folder: Path, files: dict[str, bytes | Path]) -> None:
    with staged(folder, SUMMARY) as results:
        results.write_all({}, {}, files)
        results.publish({})


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name not in (".lock", KEY_FILE, SUMMARY)
    }


OLD = {"a.txt": b"old", "released/dm.csv": b"old dm", "released/gone.csv": b"old gone"}
NEW = {"a.txt": b"new", "released/dm.csv": b"new dm", "released/ae.csv": b"new ae"}


def test_a_file_that_was_written_already_is_taken_from_its_path(tmp_path):
    aside, results = tmp_path / "aside.csv", tmp_path / "results"
    results.mkdir()
    content = bytes(range(256)) * 9000  # more than is copied at once, and nothing of it changed
    aside.write_bytes(content)
    publish(results, {"released/dm.csv": aside})
    assert contents(results) == {"released/dm.csv": content}
    assert not aside.exists()
    summaries = []
    for source in (content, tmp_path / "again.csv"):
        (tmp_path / "again.csv").write_bytes(content)
        publish(results, {"released/dm.csv": source})
        summaries.append(json.loads((results / SUMMARY).read_text())["files"]["released/dm.csv"])
    assert summaries[0] == summaries[1]


def test_files_of_a_folder_come_and_go_with_the_set(tmp_path):
    publish(tmp_path, OLD)
    publish(tmp_path, NEW)
    assert contents(tmp_path) == NEW
    assert set(json.loads((tmp_path / SUMMARY).read_text())["files"]) == set(NEW)
    publish(tmp_path, {"a.txt": b"x"})
    assert not (tmp_path / "released").exists()


def test_a_file_that_no_run_made_stays_in_the_folder(tmp_path):
    publish(tmp_path, OLD)
    (tmp_path / "released" / "mine.txt").write_bytes(b"mine")
    publish(tmp_path, {})
    assert contents(tmp_path) == {"released/mine.txt": b"mine"}


@pytest.mark.skipif(os.name != "posix", reason="modes of POSIX systems")
def test_the_folder_and_its_files_are_the_owners_alone(tmp_path):
    (tmp_path / "released").mkdir(mode=0o755)
    publish(tmp_path, NEW)
    assert stat.S_IMODE((tmp_path / "released").stat().st_mode) == 0o700
    assert {stat.S_IMODE((tmp_path / name).stat().st_mode) for name in NEW} == {0o600}


@pytest.mark.parametrize("fails_at", range(1, 9))
def test_a_disk_that_fails_at_any_rename_leaves_the_earlier_set(fails_at, tmp_path, monkeypatch):
    publish(tmp_path, OLD)
    count, real = [0], Path.replace

    def replace(self, target):
        count[0] += 1
        if count[0] == fails_at:
            raise OSError(5, "Input/output error")
        return real(self, target)

    monkeypatch.setattr(Path, "replace", replace)
    with pytest.raises(OSError, match="Input/output"):
        publish(tmp_path, NEW)
    assert contents(tmp_path) == OLD


class Killed(BaseException):
    """As if the process was gone: nothing of ours runs after it."""


@pytest.mark.parametrize("killed_at", range(2, 9))
def test_a_run_that_is_killed_between_two_renames_is_completed_by_the_next(killed_at, tmp_path, monkeypatch):
    publish(tmp_path, OLD)
    count, real = [0], Path.replace

    def replace(self, target):
        count[0] += 1
        if count[0] == killed_at:
            raise Killed
        return real(self, target)

    monkeypatch.setattr(Path, "replace", replace)
    with pytest.raises(Killed):
        publish(tmp_path, NEW)
    monkeypatch.setattr(Path, "replace", real)
    recover(tmp_path)
    assert contents(tmp_path) == NEW


@pytest.mark.parametrize("name", ["a/b/c.csv", ".notes", ".notes/x", "released/.x"])
def test_a_file_of_a_name_that_no_set_has_stays_whatever_a_summary_says(name, tmp_path):
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_bytes(b"mine")
    (tmp_path / SUMMARY).write_text(json.dumps({"files": {name: {}}}))
    publish(tmp_path, NEW)
    assert (tmp_path / name).read_bytes() == b"mine"


@pytest.mark.parametrize("name", ["../outside.csv", "released/../../outside.csv", "/etc/x", "a/b/c.csv", ".commit/x"])
def test_a_summary_cannot_make_a_run_touch_what_is_not_of_the_set(name, tmp_path):
    folder = tmp_path / "pilot" / "results"
    folder.mkdir(parents=True)
    (tmp_path / "pilot" / "outside.csv").write_bytes(b"mine")
    (folder / SUMMARY).write_text(json.dumps({"files": {name: {}}}))
    publish(folder, {})
    assert (tmp_path / "pilot" / "outside.csv").read_bytes() == b"mine"


@pytest.mark.skipif(os.name != "posix", reason="symbolic links")
def test_a_link_within_the_folder_that_leads_out_of_the_pilot_stops_the_run(tmp_path):
    folder = tmp_path / "pilot" / "results"
    publish_to = folder / "released"
    publish_to.mkdir(parents=True)
    (publish_to / "dm.csv").symlink_to(tmp_path / "elsewhere.csv")
    with pytest.raises(ValueError, match="leads out"), held(folder):
        pass
