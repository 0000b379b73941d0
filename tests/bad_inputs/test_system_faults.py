"""Broken surroundings: full disks, folders and files that may not be read or written, a pilot that is held."""

from __future__ import annotations

import errno
import os
import shutil
import sys
from pathlib import Path

import pytest

from disclosure_control.run.results import held
from tests.run.processes import held_by_another_process, start_process, without_root_powers
from tests.run.synthetic_pilot import DONE, INPUT_AT_FAULT, LOCKED, leaks, snapshot

BOTH_DOORS = pytest.mark.parametrize("door", [1, 2])
COSTLY = pytest.mark.thorough("1 s for a process; the other door, or a run in this process, is tried in the quick run")
posix = pytest.mark.skipif(os.name != "posix", reason="permissions and limits of POSIX systems")


def assert_refused(run, pilot, before, *says: str, status: int = INPUT_AT_FAULT) -> None:
    """The message, the status, nobody on the screen, and everything on disk as it was before."""
    assert "Traceback" not in run.err
    assert [text for text in says if text not in run.err + run.out] == [], run.err + run.out
    assert run.status == status, run.err
    assert leaks(run.out, run.err) == []
    assert snapshot(pilot.root) == before


# ---------------------------------------------------------------- disks


@pytest.mark.thorough("0.3 s")
@BOTH_DOORS
def test_disk_full_when_results_are_flushed(door, pilot, doors, monkeypatch):
    def no_space(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", no_space)
    before = snapshot(pilot.root)
    run = doors.start(door)
    assert_refused(run, pilot, before, "CLINIC: No space left on device", "the results were not changed")
    assert len(run.fault_lines) == 1


@pytest.mark.thorough("0.4 s")
@BOTH_DOORS
def test_disk_full_when_results_are_written(door, pilot, doors, monkeypatch):
    to_file = Path.open

    def full(path, mode="r", *arguments, **options):
        if "w" not in mode or "processed_for_anonym" not in str(path):
            return to_file(path, mode, *arguments, **options)
        return to_file("/dev/full", mode, *arguments, **options)

    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full on this system")
    monkeypatch.setattr(Path, "open", full)
    before = snapshot(pilot.root)
    assert_refused(doors.start(door), pilot, before, "CLINIC: No space left on device", "the results were not changed")


@pytest.mark.thorough("1 s in processes")
@posix
def test_limit_on_the_size_of_files(pilot):
    import resource

    before = snapshot(pilot.root)
    run = start_process(pilot, 2, before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200)))
    assert_refused(run, pilot, before, "CLINIC: File too large", "the results were not changed")


# ---------------------------------------------------------------- folders and files that may not be used


@pytest.mark.thorough("1 s in processes")
@posix
def test_results_folder_read_only(pilot):
    pilot.results.chmod(0o500)
    before = snapshot(pilot.root)
    run = start_process(pilot, 2, before=without_root_powers)
    assert_refused(run, pilot, before, "CLINIC: The folder processed_for_anonym is read-only", "were not changed")


@pytest.mark.thorough("0.7 s in a process")
@posix
def test_data_folder_read_only(pilot):
    for path in pilot.results.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    pilot.results.rmdir()
    pilot.folder.chmod(0o500)
    before = snapshot(pilot.root)
    run = start_process(pilot, 1, before=without_root_powers)
    assert_refused(run, pilot, before, "CLINIC: The folder CLINIC is read-only")


@posix
@COSTLY
def test_a_pilot_without_a_config_where_no_config_can_be_written(pilot):
    pilot.config_file.unlink()
    pilot.config_folder.chmod(0o500)
    before = snapshot(pilot.root)
    run = start_process(pilot, 1, before=without_root_powers)
    assert_refused(run, pilot, before, "CLINIC: CLINIC.py: cannot be written", "mounted read-only")


@posix
@COSTLY
def test_data_folder_read_only_around_a_results_folder_that_is_not(pilot):
    """The results change by renaming folders in it: where that cannot be, nothing is lost and the run says so."""
    pilot.folder.chmod(0o500)
    before = snapshot(pilot.root)
    run = start_process(pilot, 1, before=without_root_powers)
    assert_refused(run, pilot, before, "CLINIC: The folder CLINIC is read-only", "were not changed")


@BOTH_DOORS
def test_results_folder_that_is_a_mount_of_its_own(door, pilot, doors, monkeypatch):
    monkeypatch.setattr(os.path, "ismount", lambda path: Path(path).name == pilot.results.name)
    before = snapshot(pilot.root)
    assert_refused(doors.start(door), pilot, before, "is a mount of its own", "Mount the folder CLINIC instead")


@pytest.mark.thorough("0.8 s in a process")
@posix
def test_data_folder_not_to_be_listed(pilot):
    pilot.folder.chmod(0o300)
    run = start_process(pilot, 1, before=without_root_powers)
    pilot.folder.chmod(0o700)
    assert run.status == INPUT_AT_FAULT
    assert "CLINIC: the pilot's folder cannot be listed: Permission denied" in run.err.replace(f"{pilot.folder}: ", "")


@pytest.mark.thorough("1.5 s in processes; a full disk is tried in the quick run")
@posix
@pytest.mark.parametrize(
    ("door", "name", "says"),
    [
        (1, "pilots/CLINIC/VS.csv", "CLINIC: VS.csv: the file cannot be read: Permission denied"),
        (2, "pilots/CLINIC/processed_for_anonym/combined_dataset.csv", "Permission denied"),
        pytest.param(2, "configs/CLINIC.py", "CLINIC.py", marks=COSTLY),
        pytest.param(1, "desk/.env", "cannot be read", marks=COSTLY),
    ],
    ids=lambda part: str(part).rpartition("/")[2] if "/" in str(part) else "",
)
def test_file_unreadable(door, name, says, pilot):
    before = snapshot(pilot.root)
    (pilot.root / name).chmod(0)
    run = start_process(pilot, door, before=without_root_powers)
    (pilot.root / name).chmod(before[name][1])
    assert_refused(run, pilot, before, says, Path(name).name)


@BOTH_DOORS
def test_results_path_is_a_file(door, pilot, doors):
    pilot.results.rename(pilot.root / "elsewhere")
    pilot.results.write_text("ZZSUBJ-48151")
    before = snapshot(pilot.root)
    assert_refused(doors.start(door), pilot, before, "CLINIC: ", "processed_for_anonym", "the results were not changed")


@posix
@pytest.mark.skipif(sys.platform == "darwin", reason="names need not be UTF-8 on Linux alone")
def test_file_name_that_is_no_text(pilot, doors):
    """Such a name is told without stopping the message, and without bytes that a terminal would act upon."""
    (pilot.folder / os.fsdecode(b"notes\xff\x1b[31m.csv")).write_text("")
    run = doors.start(1)
    assert run.status == INPUT_AT_FAULT
    assert "is no text in UTF-8; rename it" in run.err
    assert "\x1b" not in run.err + run.out


# ---------------------------------------------------------------- links that lead out of the pilot


def elsewhere_of(pilot):
    """A folder of somebody else, open to all, with a file in it that is nobody's business."""
    elsewhere = pilot.root / "elsewhere"
    elsewhere.mkdir(mode=0o777)
    elsewhere.chmod(0o777)
    (elsewhere / "VS.csv").write_text("USUBJID,BMI\nZZSUBJ-48151,1\n")
    return elsewhere


@posix
@BOTH_DOORS
def test_a_results_folder_that_is_a_link_out_of_the_pilot(door, pilot, doors):
    pilot.results.rename(pilot.folder / "moved")
    pilot.results.symlink_to(elsewhere_of(pilot))
    before = snapshot(pilot.root)
    assert_refused(doors.start(door), pilot, before, "CLINIC: processed_for_anonym: a link that leads out of the pilot")


@posix
@BOTH_DOORS
def test_a_folder_beside_the_results_that_is_a_link_out_of_the_pilot(door, pilot, doors):
    pilot.beside.rename(pilot.folder / "moved")
    pilot.beside.symlink_to(elsewhere_of(pilot))
    before = snapshot(pilot.root)
    assert_refused(doors.start(door), pilot, before, "CLINIC: .processed_for_anonym: a link that leads out of")


@posix
@BOTH_DOORS
@pytest.mark.parametrize("name", [".lock", "new", "earlier", ".hash_key", "combined_dataset.csv", "released"])
def test_a_link_in_the_results_folder_that_leads_out_of_the_pilot(name, door, pilot, doors):
    elsewhere = elsewhere_of(pilot)
    path = (pilot.results if name in ("combined_dataset.csv", "released") else pilot.beside) / name
    path.unlink(missing_ok=True)
    path.symlink_to(elsewhere if name in ("new", "earlier", "released") else elsewhere / "VS.csv")
    before = snapshot(elsewhere)
    run = doors.start(door)
    assert (run.status, snapshot(elsewhere)) == (INPUT_AT_FAULT, before)
    assert f"CLINIC: {name}: a link that leads out of the pilot" in run.err


@posix
@pytest.mark.parametrize("target", ["VS.csv", "none.csv", "/dev/zero"], ids=["file", "nothing", "device"])
def test_a_domain_file_that_is_a_link_out_of_the_pilot(target, pilot, doors):
    pilot.remove("VS.csv")
    (pilot.folder / "VS.csv").symlink_to(elsewhere_of(pilot) / target)
    before = snapshot(pilot.root)
    why = "VS.csv is a device" if target == "/dev/zero" else "VS.csv: a link that leads out of the pilot"
    assert_refused(doors.start(1), pilot, before, why)


@pytest.mark.thorough("0.5 s")
@posix
def test_links_within_the_pilot_are_followed(pilot, doors):
    (pilot.folder / "data").mkdir()
    (pilot.folder / "VS.csv").rename(pilot.folder / "data" / "vital.csv")
    (pilot.folder / "VS.csv").symlink_to(Path("data") / "vital.csv")
    (pilot.folder / "results").mkdir()
    pilot.results.rename(pilot.folder / "results" / "here")
    pilot.results.symlink_to(Path("results") / "here")
    assert [run.status for run in doors.start_both()] == [DONE, DONE]


# ---------------------------------------------------------------- a pilot that another run holds


def test_a_pilot_that_is_held_is_left_alone_until_it_is_let_go(pilot, doors):
    before = snapshot(pilot.root)
    with held(pilot.results):
        assert doors.start(2).status == LOCKED
    assert snapshot(pilot.root) == before
    assert doors.start(1).status == DONE


@pytest.mark.thorough("0.6 s in processes")
def test_lock_of_a_process_that_was_killed_holds_nobody(pilot, doors):
    with held_by_another_process(pilot) as holder:
        assert doors.start(1).status == LOCKED
        holder.kill()
        holder.wait()
        assert doors.start(1).status == DONE


@pytest.mark.thorough("0.6 s in processes; a held lock is met in the quick run")
def test_lock_does_not_hold_other_pilots(pilot, doors):
    pilot.sibling("WARD")
    with held_by_another_process(pilot):
        run = doors.start(1, "CLINIC", "WARD")
    assert run.status == LOCKED
    assert {name: status for name, (status, _) in run.outcomes.items()} == {"CLINIC": LOCKED, "WARD": DONE}


# ---------------------------------------------------------------- faults as a user sees them


@pytest.mark.thorough("0.8 s in a process")
def test_a_terminal_that_knows_ascii_alone_stops_nothing(pilot):
    pilot.configure(categorical_qis=["DM__ΦΥΛΟ"])
    run = start_process(pilot, 2, PYTHONIOENCODING="ascii", PYTHONUTF8="0", LC_ALL="C")
    assert run.status == INPUT_AT_FAULT
    assert "column 'DM__????' is not in the combined dataset" in run.err
