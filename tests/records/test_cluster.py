"""Workers of a real Dask cluster, within this process or beside it, find what is found in memory, and die unnoticed."""

from __future__ import annotations

import contextlib
import logging
import os
import subprocess
import sys
import threading
import warnings
from pathlib import Path

import pytest

from config import ClusterSettings
from disclosure_control.basics.telling.faults import FaultElsewhereError, FaultyInputError
from disclosure_control.records import cluster_tasks, dask_workers
from disclosure_control.records.dask_workers import (
    MUST_AGREE,
    DaskWorkers,
    Failed,
    guarded,
    may_work_in,
)
from disclosure_control.records.limits import Limits
from disclosure_control.run.beside import SPILL, beside
from disclosure_control.run.memory import OF_A_WORKER
from tests.places import PROJECT
from tests.records.memory_of_a_worker import pages_cleared_again
from tests.records.tasks_that_fail import broken, dying, dying_once, full
from tests.records.test_engines import CONFIG, results_of
from tests.records.written_pilots import NASTY, NUMBERS, opened_with, text_of
from tests.run.synthetic_pilot import DONE, INPUT_AT_FAULT, OUR_FAULT, files_below, leaks, of_the_data

pytest.importorskip("distributed", reason="requirements/cluster.txt is not installed")
TINY = Limits(block_bytes=200, range_bytes=600, people_per_part=3, flagged_per_part=3, key_limit=12)
PEOPLE = [
    [f"{i * 7 % 30:02}é", NASTY[i % 15], NUMBERS[i % 5], NUMBERS[i % 7], NASTY[i % 4], NASTY[i % 3]] for i in range(30)
]
EVERY_KIND = CONFIG | {"sensitive_feature": ["V", "W"], "missing_qis": "wildcard", "risk": {"records": False}}


@contextlib.contextmanager
def within_this_process(settings, run):
    """Stands for ``dask_workers``: two workers that are threads."""
    from distributed import Client, LocalCluster

    options = {"processes": False, "dashboard_address": None, "silence_logs": logging.CRITICAL}
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, local_directory=os.fspath(run), **options) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield DaskWorkers(client, "here")


@pytest.mark.thorough("3 s: both engines over whole pilots; their parts in the quick run")
def test_the_same_bytes_as_in_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)
    path = tmp_path / "combined_dataset.csv"
    path.write_bytes(text_of(PEOPLE))
    with opened_with("memory", path, EVERY_KIND, TINY) as opened:
        expected = results_of(opened, tmp_path / "memory")
    with opened_with("cluster", path, EVERY_KIND, TINY, within_this_process) as opened:
        found = results_of(opened, tmp_path / "cluster")
        modes = {oct(one.stat().st_mode & 0o777) for one in (beside(tmp_path) / SPILL).rglob("*[!k]") if one.is_file()}
    assert found == expected
    assert modes == {"0o600"}
    assert not (beside(tmp_path) / SPILL).exists()


# ---------------------------------------------------------------- what goes wrong


def test_an_error_of_a_task_leaves_it_without_its_words():
    def quoting(value):
        raise KeyError(value)

    found = guarded(quoting, ("ZZSUBJ",))
    assert isinstance(found, Failed)
    assert found.kind == "KeyError"
    assert "ZZSUBJ" not in repr(found)
    assert guarded(full, ()) == Failed(system_error=28)
    with pytest.raises(FaultElsewhereError, match=r"KeyError at test_cluster[.]py"):
        dask_workers._found(found)
    with pytest.raises(OSError, match="at a worker"):
        dask_workers._found(guarded(full, ()))


class AskedScheduler:
    """Stands for a client: what a scheduler and its workers say of themselves, and whether they see the folder."""

    def __init__(self, n_workers=1, sees=True, **differing):
        ours = dict.fromkeys(MUST_AGREE, "2026.1.0")
        theirs = {"packages": ours | differing}
        self.versions = {"client": {"packages": ours}, "scheduler": theirs, "workers": {"a": theirs, "b": theirs}}
        self.n_workers, self.sees = n_workers, sees

    def nthreads(self):
        return {f"tcp://{i}": 1 for i in range(self.n_workers)}

    def wait_for_workers(self, n, timeout):
        pass

    def get_versions(self, packages):
        return self.versions

    def run(self, function, *arguments):
        return {"a": function(*arguments), "b": self.sees and function(*arguments)}


@pytest.mark.parametrize(
    ("scheduler", "words"),
    [
        (AskedScheduler(dask="2025.1.0"), "the scheduler has dask 2025.1.0, and this process has 2026.1.0"),
        (AskedScheduler(pandas=None), r"a worker has pandas \(none\)"),
        (AskedScheduler(n_workers=0), "has no workers"),
        (AskedScheduler(sees=False), "1 of 2 workers cannot read and write the pilot's folder"),
    ],
)
def test_a_cluster_that_cannot_do_it_is_told_before_anything_is_read(tmp_path, scheduler, words):
    dask_workers._check(AskedScheduler(), "tls://there", tmp_path)
    with pytest.raises(FaultyInputError, match=words) as raised:
        dask_workers._check(scheduler, "tls://there", tmp_path)
    assert len(raised.value.faults) <= 2
    assert list(tmp_path.iterdir()) == []
    assert not may_work_in(os.fspath(tmp_path), "not there")


def test_a_file_that_changes_while_it_is_read_is_a_fault(tmp_path):
    path = tmp_path / "combined_dataset.csv"
    path.write_bytes(text_of(PEOPLE))
    columns = ("USUBJID", "SEX", "AGE", "V", "W", "SITE")
    reading = cluster_tasks.ReadTask(path, columns, ("SEX",), TINY, tmp_path, cluster_tasks.stamp_of(path))
    cluster_tasks.read_range(reading, 0, path.stat().st_size)
    os.utime(path, ns=(1, 1))
    with pytest.raises(FaultyInputError, match="changed while it was read"):
        cluster_tasks.read_range(reading, 0, path.stat().st_size)


@pytest.mark.parametrize("n_deaths", [0, 1, dask_workers.STARTS])
def test_a_worker_that_dies_while_it_starts_is_started_again_a_few_times(tmp_path, monkeypatch, recwarn, n_deaths):
    import distributed

    deaths, closed = iter([RuntimeError("ZZSUBJ")] * n_deaths), []

    class Started:
        def __init__(self, **options):
            warnings.warn("Port 8787 is already in use.", stacklevel=1)
            if error := next(deaths, None):
                raise error

        def close(self):
            closed.append(self)
            raise AssertionError

    monkeypatch.setattr(distributed, "LocalCluster", Started)
    starting = dask_workers._of_this_machine(ClusterSettings(), tmp_path)
    if n_deaths == dask_workers.STARTS:
        with pytest.raises(FaultyInputError, match="could not be started"), starting:
            pass
    else:
        with starting as cluster:
            pass
        assert closed == [cluster]
    assert not recwarn.list


FEW_PAGES = 1000  # of two megabytes for each of twenty arrays there are 160, of four kilobytes 82,000
GNU = pytest.mark.skipif("CS_GNU_LIBC_VERSION" not in os.confstr_names, reason="another C library keeps what it will")


@GNU
def test_a_worker_keeps_the_memory_that_it_frees():
    import dask

    work = "import threading as t; from tests.records.memory_of_a_worker import pages_cleared_again as w; "
    work += "t.Thread(target=lambda: print(w())).start()"
    with dask.config.set(dask_workers.QUIET):
        of_worker = {name: str(one) for name, one in dask.config.get("distributed.nanny.pre-spawn-environ").items()}
    assert of_worker.keys() >= OF_A_WORKER.keys() | {"OMP_NUM_THREADS"}
    found = subprocess.check_output([sys.executable, "-c", work], env=os.environ | of_worker, cwd=PROJECT, text=True)
    assert int(found) < FEW_PAGES


# ---------------------------------------------------------------- processes


@GNU
@pytest.mark.thorough("processes: 5 s")
def test_the_workers_of_this_machine_keep_the_memory_that_they_free(tmp_path):
    with dask_workers.dask_workers(ClusterSettings(), tmp_path) as workers:
        assert max(workers.each(pages_cleared_again, [()] * 4)) < FEW_PAGES


@pytest.mark.thorough("20 s: asks for what nobody answers")
def test_a_scheduler_that_is_not_there_is_told(pilot, doors, monkeypatch):
    before = of_the_data(files_below(pilot.results))
    monkeypatch.setattr(dask_workers, "SECONDS_TO_CONNECT", 1)
    monkeypatch.setenv("BIOSTREAMS_SCHEDULER", "tcp://127.0.0.1:9")
    run = doors.start(2, "--engine", "cluster")
    assert run.status == INPUT_AT_FAULT
    assert run.fault_lines == [line for line in run.fault_lines if "refuses or cannot be reached" in line]
    assert of_the_data(files_below(pilot.results)) == before
    assert not (pilot.beside / SPILL).exists()


def test_without_dask_it_is_told_what_to_install(pilot, doors, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    run = doors.start(2, "--engine", "cluster")
    assert run.status == INPUT_AT_FAULT
    assert "pip install -r requirements/cluster.txt" in run.err


@pytest.mark.thorough("processes: 10 s each")
@pytest.mark.parametrize("name", ["read_range", "count_cells_of_range", "order_flagged"])
def test_a_worker_that_dies_at_a_task_changes_no_byte(tmp_path, monkeypatch, name):
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)
    path = tmp_path / "combined_dataset.csv"
    path.write_bytes(text_of(PEOPLE))
    with opened_with("memory", path, EVERY_KIND, TINY) as opened:
        expected = results_of(opened, tmp_path / "memory")
    task = getattr(cluster_tasks, name)
    each = DaskWorkers.each

    def dying(self, asked, arguments):
        if asked is not task:
            return each(self, asked, arguments)
        return each(self, dying_once, ((tmp_path / "died", task, one) for one in arguments))

    monkeypatch.setattr(DaskWorkers, "each", dying)
    with opened_with("cluster", path, EVERY_KIND, TINY, dask_workers.dask_workers) as opened:
        found = results_of(opened, tmp_path / "cluster")
    assert (tmp_path / "died").exists()
    assert found == expected
    assert not (beside(tmp_path) / SPILL).exists()


@pytest.mark.thorough("processes: 10 s each")
@pytest.mark.parametrize(
    ("task", "status", "words"),
    [
        (full, INPUT_AT_FAULT, "No space left"),
        (broken, OUR_FAULT, "ZeroDivisionError at tasks_that_fail.py:"),
        (dying, INPUT_AT_FAULT, "several workers died at the same piece of work"),
    ],
)
def test_a_task_that_fails_in_a_process_is_told_and_leaves_the_earlier_results(
    pilot, doors, monkeypatch, task, status, words
):
    before = of_the_data(files_below(pilot.results))
    each = DaskWorkers.each
    monkeypatch.setitem(dask_workers.QUIET, "distributed.scheduler.allowed-failures", 1)
    monkeypatch.setattr(DaskWorkers, "each", lambda self, asked, arguments: each(self, task, arguments))
    run = doors.start(2, "--engine", "cluster")
    assert run.status == status
    assert words in run.err
    assert "Traceback" not in run.err
    assert not leaks(run.out, run.err)
    assert of_the_data(files_below(pilot.results)) == before
    assert not (pilot.beside / SPILL).exists()


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
        monkeypatch.setattr(dask_workers, "SECONDS_TO_CONNECT", 60)
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
    import json
    import time

    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with contextlib.suppress(OSError, ValueError):
            return json.loads(file.read_text())["address"]
        time.sleep(0.1)
    raise TimeoutError
