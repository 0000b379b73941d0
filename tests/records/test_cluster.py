"""Workers of a real Dask cluster find what is found in memory; without them it is said what to do."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from config import ClusterSettings
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.records import cluster
from disclosure_control.records.cluster import counting_on_cluster
from disclosure_control.records.limits import Limits
from disclosure_control.records.spill import put_codes
from disclosure_control.run.beside import SPILL, beside
from tests.places import PROJECT
from tests.records.test_engines import CONFIG, results_of
from tests.records.written_pilots import NASTY, NUMBERS, opened_with, text_of
from tests.run.synthetic_pilot import DONE, INPUT_AT_FAULT, files_below, leaks, of_the_data

pytest.importorskip("distributed", reason="requirements/cluster.txt is not installed")
TINY = Limits(block_bytes=600, cells_per_part=3, flagged_per_part=3)
PEOPLE = [
    [f"{i * 7 % 30:02}é", NASTY[i % 15], NUMBERS[i % 5], NUMBERS[i % 7], NASTY[i % 4], NASTY[i % 3]] for i in range(30)
]
EVERY_KIND = CONFIG | {"sensitive_feature": ["V", "W"], "missing_qis": "wildcard", "risk": {"records": False}}


STEPS = [{"method": "bins", "column": "AGE", "edges": [0, 2, 30]}, {"method": "suppress_records"}]


@pytest.fixture(scope="module")
def workers(tmp_path_factory):
    """What two workers of this machine count, and of which files they were asked."""
    asked: list[Path] = []
    with counting_on_cluster(ClusterSettings(), tmp_path_factory.mktemp("workers")) as count:
        yield lambda path, columns: asked.append(path) or count(path, columns), asked


@pytest.mark.thorough("10 s: processes")
def test_two_workers_of_this_machine_find_the_same_bytes_as_in_memory(workers, tmp_path, monkeypatch, capfd):
    """Of the pilot, and of what a treatment left of it."""
    count, asked = workers
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)
    monkeypatch.setattr(cluster, "counting_on_cluster", lambda settings, run: contextlib.nullcontext(count))
    path, config = tmp_path / "combined_dataset.csv", EVERY_KIND | {"treatment": STEPS}
    path.write_bytes(text_of(PEOPLE))
    with opened_with("memory", path, config, TINY) as opened:
        expected = results_of(opened, tmp_path / "memory")
    with opened_with("cluster", path, config, TINY) as opened:
        n_before = len(asked)
        found = results_of(opened, tmp_path / "cluster")
    assert found == expected
    assert len(asked) > n_before > 0
    assert not (beside(tmp_path) / SPILL).exists()
    assert capfd.readouterr() == ("", "")


# ---------------------------------------------------------------- what goes wrong


@pytest.mark.thorough("10 s: processes")
def test_what_goes_wrong_at_a_worker_is_said_without_its_words(workers, tmp_path):
    path, count = tmp_path / "codes.parquet", workers[0]
    put_codes(path, [[np.arange(20)]], 1)
    whole = path.read_bytes()
    path.write_bytes(whole[:4] + bytes(40) + whole[44:])  # the list of its columns is whole
    with pytest.raises(FaultyInputError, match="Dask did not count") as raised:
        list(count(path, [0]))
    path.write_bytes(whole)
    assert [one.num_rows for one in count(path, [0])] == [20]
    assert "codes" not in str(raised.value)


@pytest.mark.thorough("20 s: asks for what nobody answers")
def test_a_scheduler_that_is_not_there_is_told(pilot, doors, monkeypatch):
    before = of_the_data(files_below(pilot.results))
    monkeypatch.setattr(cluster, "SECONDS_TO_CONNECT", 1)
    monkeypatch.setenv("BIOSTREAMS_SCHEDULER", "tcp://127.0.0.1:9")
    run = doors.start(2, "--engine", "cluster")
    assert run.status == INPUT_AT_FAULT
    assert run.fault_lines == [line for line in run.fault_lines if "cannot be reached: start it" in line]
    assert of_the_data(files_below(pilot.results)) == before
    assert not (pilot.beside / SPILL).exists()


def test_without_dask_it_is_told_what_to_install(pilot, doors, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    run = doors.start(2, "--engine", "cluster")
    assert run.status == INPUT_AT_FAULT
    assert "pip install -r requirements/cluster.txt" in run.err


def of_dask(command: str, *arguments: str) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-m", "distributed.cli." + command, *arguments],
        env=os.environ | {"PYTHONPATH": os.fspath(PROJECT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.thorough("processes: 15 s")
def test_a_scheduler_of_its_own_and_its_workers_find_the_same_until_it_goes(pilot, doors, tmp_path, monkeypatch):
    before = of_the_data(files_below(pilot.results))
    file = tmp_path / "scheduler.json"
    scheduler = of_dask(
        "dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(file)
    )
    worker = of_dask(
        "dask_worker",
        "--scheduler-file",
        str(file),
        "--nthreads",
        "1",
        "--no-dashboard",
        "--local-directory",
        str(tmp_path),
    )
    said: list[str] = []
    readers = [threading.Thread(target=lambda one=one: said.extend(one.stderr)) for one in (scheduler, worker)]
    for reader in readers:
        reader.start()
    try:
        monkeypatch.setattr(cluster, "SECONDS_TO_CONNECT", 60)
        monkeypatch.setenv("BIOSTREAMS_SCHEDULER", address_in(file))
        run = doors.start(2, "--engine", "cluster")
        assert run.status == DONE, run.err
        assert of_the_data(files_below(pilot.results)) == before
    finally:
        for process in (worker, scheduler):
            process.terminate()
            process.wait(30)
        for reader in readers:
            reader.join()
    assert not leaks("".join(said), "")


def address_in(file: Path, seconds: float = 30) -> str:
    """The address that a scheduler writes when it is ready."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with contextlib.suppress(OSError, ValueError):
            return json.loads(file.read_text())["address"]
        time.sleep(0.1)
    raise TimeoutError
