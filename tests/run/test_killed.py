"""Whatever moment a door is killed at, or its disk fails: the results are wholly the old or wholly the new ones."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import subprocess
import sys

import pytest

from disclosure_control.run.beside import MOVED_OUT, SPILL, WORK_FOLDERS
from disclosure_control.run.fingerprints import KEY_FILE, fingerprint
from tests.examples import is_thorough, some_of, tried_of
from tests.run.processes import DoorServer
from tests.run.synthetic_pilot import (
    DONE,
    INPUT_AT_FAULT,
    Doors,
    SyntheticPilot,
    copy_of,
    files_below,
    leaks,
    of_the_data,
    rows_of,
)

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

SUMMARY = {1: "merge_report.json", 2: "CLINIC_privacy_summary.json"}
NEVER = 1_000_000
FAULTY_CONFIG = 'config = {"K": 0, "subject_id": 5}'


@pytest.fixture(autouse=True)
def quick_flush(monkeypatch):
    """Waiting for the disk tells nothing here and takes most of the time."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


@pytest.fixture(scope="module")
def server(tmp_path_factory, finished_template):
    pilot = copy_of(finished_template, tmp_path_factory.mktemp("served"))
    server = DoorServer(tmp_path_factory.mktemp("screen"), pilot)
    yield server
    server.close()


class Versions:
    """A pilot with results whose input and config have changed since, and its results before and after the next run."""

    def __init__(self, pilot: SyntheticPilot, door: int, new_root, start):
        self.root, self.door = pilot.root, door
        self.old = visible(pilot)
        rows = rows_of("VS")
        rows[0]["BMI"], rows[5]["BMI"] = rows[5]["BMI"], rows[0]["BMI"]
        pilot.write_rows("VS.csv", rows)
        # Two file names go and two come, and one sensitive feature more.
        pilot.configure(
            K=4,
            L={"LB__Cholesterol": 2, "VS__BMI": 2},
            T={"LB__Cholesterol": 25, "VS__BMI": 2},
            sensitive_feature=["LB__Cholesterol", "VS__BMI"],
            continuous_qis=["DM__AGE"],
            binning_config={"DM__AGE": [30, 40, 50]},
        )
        after = copy_of(pilot.root, new_root)
        assert start(after).status == DONE
        self.new = visible(after)
        assert self.new[SUMMARY[door]] != self.old[SUMMARY[door]]
        assert bool(set(self.new) - set(self.old)) == bool(set(self.old) - set(self.new)) == (door == 2)

    def copy(self, root) -> SyntheticPilot:
        return copy_of(self.root, root)


def visible(pilot: SyntheticPilot) -> dict[str, bytes]:
    """The result files that a user sees."""
    return files_below(pilot.results)


def left_over(pilot: SyntheticPilot) -> list[str]:
    """What lies beside the results and is unfinished, and what does not belong among them."""
    unfinished = [path.name for path in pilot.beside.iterdir() if path.name in (*WORK_FOLDERS, MOVED_OUT)]
    return sorted([*unfinished, *(path.name for path in pilot.results.glob(".*"))])


def hashes_are_true(files: dict[str, bytes], summary: str, key: bytes) -> bool:
    """Whether the summary names exactly the files of its set, and the right hash of each; that of door 2 is keyed."""
    of_door_1 = {"combined_dataset.csv", "combined_dataset.typed.parquet"}
    belonging = of_door_1 if summary == SUMMARY[1] else set(files) - of_door_1 - set(SUMMARY.values())
    listed = json.loads(files[summary])["files"]
    return set(listed) == belonging and all(
        entry["sha256"] in (plain := hashlib.sha256(files.get(name, b"")).hexdigest(), fingerprint(key, plain))
        for name, entry in listed.items()
    )


@pytest.fixture
def versions(request, tmp_path, finished_template, monkeypatch, capsys):
    pilot = copy_of(finished_template, tmp_path / "old")
    return Versions(
        pilot,
        request.param,
        tmp_path / "new",
        lambda after: Doors(after.desk, monkeypatch, capsys).start(request.param),
    )


def moments(server, pilot: SyntheticPilot, door: int, by_renames: bool = False) -> list[int]:
    """Each operation of a start of this door, which is made, and the one after the last.

    Of those that write beside the results, which nobody sees, every third: they are odd and even in turn, and so is the
    door that starts next. Around the exchange of the sets each one, and the last. The quick run takes fewer;
    ``by_renames`` only what comes with these is another matter.
    """
    assert server.start(pilot, door, NEVER, "kill", by_renames=by_renames).status in (DONE, INPUT_AT_FAULT)
    every = some_of(range(1, server.operations + 2, 3))
    most = 3 if by_renames or not is_thorough() else tried_of(36)  # a door for each: 0.1 s
    every = every[:: max(len(every) // most, 1)]
    step, at = 1 if is_thorough() else 2, server.exchanged
    around = [] if at is None else range(at - 1, at + 6, step)
    return sorted({*every, *around, server.operations, server.operations + 1})


BOTH_DOORS = pytest.mark.parametrize("versions", [1, 2], ids=["door1", "door2"], indirect=True)
COSTLY = pytest.mark.thorough("2 to 6 s; the quick run breaks off the publishing of folders, without doors")


def start_with_a_faulty_config(pilot, door, monkeypatch, capsys):
    """A start of a door that recovers and then gets no further."""
    right = pilot.config_file.read_bytes()
    pilot.write_config(FAULTY_CONFIG)
    assert Doors(pilot.desk, monkeypatch, capsys).start(door).status == INPUT_AT_FAULT
    pilot.write_config(right)


@COSTLY
@BOTH_DOORS
@pytest.mark.parametrize("by_renames", [False, True])
def test_a_door_killed_at_any_operation(versions, server, tmp_path, monkeypatch, capsys, by_renames):
    """The results are wholly the old or wholly the new ones, at once; by renames there are none for a moment."""
    seen, ended = {"old": 0, "none": 0, "new": 0}, None
    for n in moments(server, versions.copy(tmp_path / "whole"), versions.door, by_renames):
        pilot = versions.copy(tmp_path / "killed")
        ended = server.start(pilot, versions.door, n, "kill", by_renames=by_renames)
        found = visible(pilot)
        assert found in (versions.old, versions.new, {}), f"{n}: neither wholly old nor wholly new"
        state = "old" if found == versions.old else "new" if found == versions.new else "none"
        seen[state] += 1
        if found:
            key = (pilot.beside / KEY_FILE).read_bytes()
            assert hashes_are_true(found, SUMMARY[versions.door], key), f"{n}: the hashes do not tell"

        start_with_a_faulty_config(pilot, 1 + n % 2, monkeypatch, capsys)
        assert visible(pilot) == (versions.new if state == "new" else versions.old), f"{n}: changed by the next start"
        assert left_over(pilot) == []

        if n % 4 == 0:
            assert Doors(pilot.desk, monkeypatch, capsys).start(versions.door).status == DONE
            assert of_the_data(visible(pilot)) == of_the_data(versions.new)
            assert left_over(pilot) == []
        shutil.rmtree(pilot.root)
    assert ended, "the door never ended by itself"
    assert ended.status == DONE
    # The moments before and after the exchange were met, and that between two renames, or this would show nothing.
    assert seen["old"] >= (2 if by_renames else tried_of(11))
    assert seen["new"] >= 2
    assert bool(seen["none"]) == by_renames


@COSTLY
@pytest.mark.parametrize("versions", [2], ids=["door2"], indirect=True)
def test_a_door_that_works_from_disk_killed(versions, server, tmp_path, monkeypatch, capsys):
    whole, from_disk = versions.copy(tmp_path / "whole"), ("--engine", "disk")
    assert server.start(whole, 2, NEVER, "kill", *from_disk).status == DONE
    assert visible(whole) == versions.new
    at, n_with_spill = range(1, server.operations + 1, server.operations // 8), 0
    for n in at:
        pilot = versions.copy(tmp_path / "killed")
        assert server.start(pilot, 2, n, "kill", *from_disk) is None
        n_with_spill += SPILL in left_over(pilot)
        start_with_a_faulty_config(pilot, 1 + n % 2, monkeypatch, capsys)
        assert visible(pilot) in (versions.old, versions.new), f"{n}: neither wholly old nor wholly new"
        assert left_over(pilot) == []
        shutil.rmtree(pilot.root)
    assert n_with_spill >= len(at) / 4


@COSTLY
@BOTH_DOORS
@pytest.mark.parametrize("by_renames", [False, True])
def test_killed_while_it_recovers_from_being_killed(versions, server, tmp_path, monkeypatch, capsys, by_renames):
    """Killed once the sets were exchanged, or between the renames; and then at any operation of the next start."""
    moments(server, versions.copy(tmp_path / "whole"), versions.door, by_renames)
    faulty = versions.copy(tmp_path / "faulty")
    assert server.start(faulty, versions.door, server.exchanged + 2, "kill", by_renames=by_renames) is None
    assert visible(faulty) == ({} if by_renames else versions.new)
    assert left_over(faulty)
    faulty.write_config(FAULTY_CONFIG)  # the door recovers and gets no further
    recovered = {}
    for n in moments(server, copy_of(faulty.root, tmp_path / "whole recovery"), 3 - versions.door):
        pilot = copy_of(faulty.root, tmp_path / "again")
        server.start(pilot, 3 - versions.door, n, "kill")
        recovered[n] = not left_over(pilot)
        start_with_a_faulty_config(pilot, 1 + n % 2, monkeypatch, capsys)
        assert visible(pilot) == (versions.old if by_renames else versions.new), f"killed at {n} while recovering"
        assert left_over(pilot) == []
        shutil.rmtree(pilot.root)
    assert not recovered[1]
    assert recovered[n]
    assert n > 5


@COSTLY
@BOTH_DOORS
def test_a_door_whose_disk_is_full_at_any_operation(versions, server, tmp_path, monkeypatch, capsys):
    """A run that says it failed has changed nothing, and changes nothing later; one that says it is done is done."""
    failures, wrong = 0, []
    for n in moments(server, versions.copy(tmp_path / "whole"), versions.door):
        pilot = versions.copy(tmp_path / "failed")
        ended = server.start(pilot, versions.door, n, "ENOSPC")
        assert ended is not None
        assert ended.status in (DONE, INPUT_AT_FAULT), f"{n}: {ended.err}"
        assert leaks(ended.out, ended.err) == []
        if ended.status == INPUT_AT_FAULT:
            failures += 1
            assert "the results were not changed" in ended.err
            assert os.strerror(errno.ENOSPC) in ended.err
        expected = versions.new if ended.status == DONE else versions.old
        at_once = visible(pilot) == expected
        start_with_a_faulty_config(pilot, 1 + n % 2, monkeypatch, capsys)
        if not at_once or visible(pilot) != expected or left_over(pilot):
            wrong.append(n)
        shutil.rmtree(pilot.root)
    assert wrong == []
    assert server.operations < n, "the door never came to its end"
    assert failures >= tried_of(11)


def test_operations_are_counted_on_this_system(tmp_path):
    """The interpreter reports what the tests count; without that they would break off nothing."""
    # In a process of its own: a hook cannot be taken away again, and would slow every later test.
    code = """if True:
        import shutil, sys
        from pathlib import Path
        events = set()
        sys.addaudithook(lambda event, _: events.add(event))
        path = Path("folder", "file")
        path.parent.mkdir()
        path.write_text("")
        path.chmod(0o600)
        path.replace("file").unlink()
        shutil.rmtree("folder")
        print(*events)
    """
    said = subprocess.run([sys.executable, "-S", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert set(said.stdout.split()) >= {"os.mkdir", "open", "os.chmod", "os.rename", "os.remove", "os.rmdir"}
