"""What ends a run from outside: the way of Ctrl-C, its status, and what is not finished."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from disclosure_control import night
from disclosure_control.run import memory
from disclosure_control.run.attempts import last_attempt
from disclosure_control.run.beside import WORK_FOLDERS
from disclosure_control.run.doors import Outcome, guarded
from disclosure_control.run.logs import SilentLog
from disclosure_control.run.stopping import Stopped, stopped_by_signals
from tests.run.processes import environment
from tests.run.synthetic_pilot import INPUT_AT_FAULT, PROJECT, leaks, snapshot

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="signals of POSIX")


def by_signal(number: int) -> None:
    """In the place of some work of a pilot."""
    os.kill(os.getpid(), number)
    time.sleep(1)  # the handler runs before this ends


@pytest.mark.parametrize("number", [pytest.param(signal.SIGTERM, marks=pytest.mark.thorough("0.3 s")), signal.SIGINT])
def test_a_night_that_is_stopped_lists_what_is_not_finished(number, pilot, doors, monkeypatch, capsys):
    pilot.sibling("WARD")
    before = snapshot(pilot.root)
    monkeypatch.setattr("Create_Combined_Pilot_Dataset.combine_domains", lambda *arguments: by_signal(number))
    assert night.main(["CLINIC", "WARD"]) == 128 + number
    out, err = capsys.readouterr()
    assert f"Stopped by {'the user' if number == signal.SIGINT else number.name}" in err
    rows = [line for line in out.splitlines() if line.startswith("│")][1:]
    assert [(row.split()[1], "not finished" in row) for row in rows] == [("CLINIC", True), ("WARD", True)]
    assert out.splitlines()[-1].startswith("2 of 2 pilots need a look: not finished (CLINIC, WARD).")
    assert last_attempt(pilot.results).status == 128 + number
    assert snapshot(pilot.root) == before
    assert leaks(out, err) == []
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_library_that_swallows_the_stop_changes_nothing(number):
    def swallowing() -> Outcome:
        try:
            by_signal(number)
        except KeyboardInterrupt:
            raise RuntimeError("Query interrupted") from None  # as DuckDB does
        return Outcome(0, "")

    with pytest.raises(Stopped) as raised, stopped_by_signals():
        guarded(swallowing, SilentLog())
    assert raised.value.status == 128 + number


@pytest.mark.thorough("10 s: both scripts in processes, stopped at moments")
@pytest.mark.parametrize("door", ["Create_Combined_Pilot_Dataset.py", "Main_Anonymization.py"])
def test_sigterm_at_moments_leaves_nothing(door, pilot, tmp_path):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    for moment in (0.1, 0.5, 0.8, 1.0, 1.2):
        command = [sys.executable, str(PROJECT / door)]
        with subprocess.Popen(
            command,
            cwd=pilot.desk,
            env=environment(TMPDIR=str(scratch)),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as run:
            time.sleep(moment)
            run.send_signal(signal.SIGTERM)
            assert run.wait(timeout=60) in (0, 143, -signal.SIGTERM)
        assert list(scratch.iterdir()) == []
        assert [one.name for one in pilot.beside.iterdir() if one.name in WORK_FOLDERS] == []


# ---------------------------------------------------------------- memory


@pytest.mark.parametrize(
    "error", [MemoryError, OSError(12, "Cannot allocate memory"), type("OutOfMemoryException", (Exception,), {})]
)
def test_out_of_memory_is_no_error_of_this_program_and_says_how_much_is_needed(error, pilot, doors, monkeypatch):
    def fails(*arguments):
        raise error

    monkeypatch.setattr("study.merge.combine.combine_domains", fails)
    run = doors.start(1)
    assert run.status == INPUT_AT_FAULT
    assert "needs up to 0.3 GB" in run.err
    assert "--engine disk" in run.err
    assert "report it" not in run.err


OTHERS = [pytest.param(one, marks=pytest.mark.thorough("0.2 s each")) for one in (signal.SIGHUP, signal.SIGINT)]


@pytest.mark.parametrize("number", [signal.SIGTERM, *OTHERS])
def test_a_signal_before_the_run_begins_ends_it_with_its_status(number):
    """As process 1, which ignores a signal without a handler, a container was not to be stopped while it imported."""
    code = (
        "import time; from disclosure_control.run.stopping import end_at_once_by_signals as end; end(); "
        "print('ready', flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code], cwd=PROJECT, stdout=subprocess.PIPE, encoding="utf-8") as begun:
        assert begun.stdout.readline() == "ready\n"
        begun.send_signal(number)
        assert begun.wait(30) == 128 + number


def test_limits_of_control_groups_above_and_of_systemd_count(tmp_path, monkeypatch):
    unit = tmp_path / "system.slice" / "pilots.service"
    unit.mkdir(parents=True)
    for folder, name, number in (
        (unit, "memory.high", 900),
        (unit, "memory.current", 300),
        (unit, "memory.max", "max"),
    ):
        (folder / name).write_text(f"{number}\n")
    (tmp_path / "own").write_text("0::/system.slice/pilots.service\n")
    monkeypatch.setattr(memory, "CGROUPS", tmp_path)
    monkeypatch.setattr(memory, "OF_THIS_PROCESS", tmp_path / "own")
    assert memory.free_memory() == 600
    (tmp_path / "system.slice" / "memory.max").write_text("500\n")
    (tmp_path / "system.slice" / "memory.current").write_text("450\n")
    assert memory.free_memory() == 50
