"""Many runs of three pilots that are killed, started twice, or out of disk: no set is partial, no history is lost.

``SOAK_RUNS=200 python -m pytest --thorough tests/run/test_soak.py -s`` is the long form, and prints its figures: 200
runs of every kind, and 200 that are killed, half of them while the sets change. A full disk is a small file system of
its own where one can be mounted; elsewhere a limit on the size of files stands for it.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import os
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from disclosure_control.run.beside import LOCK, NEW
from disclosure_control.run.fingerprints import KEY_FILE, fingerprint
from disclosure_control.run.results import held
from tests.places import PROJECT
from tests.run.processes import environment
from tests.run.synthetic_pilot import DONE, INPUT_AT_FAULT, LOCKED, SCRIPTS, SyntheticPilot, files_below

N_RUNS = int(os.environ.get("SOAK_RUNS", "12"))
SEED = int(os.environ.get("SOAK_SEED", "1"))
KEEP_RUNS = 10
MEGABYTE = 1 << 20
DISK = 48 * MEGABYTE
KILLED = None
# What a pilot is asked beside its own config: files in a folder of the set, and a table of the treated.
KEYS: dict[str, dict] = {
    "PENTELI": {},
    "SDTM_DEMO": {"release": {"key_from": {"environment": "SOAK_KEY"}}},
    "LINKAGE_DEMO": {"linkage_attack": None},  # seconds, and files of no further kind
}
THRESHOLDS = (2, 3, 5)


# ---------------------------------------------------------------- a disk that can be full, and doors on it


@dataclass(frozen=True)
class Disk:
    """A ``folder`` on a file system of its own (``is_small``), or on one whose room cannot be taken."""

    folder: Path
    is_small: bool

    @contextlib.contextmanager
    def with_room_for(self, n_bytes: int) -> Iterator[Callable[[], None] | None]:
        """Only so much can be written as long as the block lasts; gives what a process has to call before it starts."""
        if not self.is_small:
            most = min(n_bytes, MEGABYTE)
            yield lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
            return
        filler = self.folder / "filler"
        n_free = shutil.disk_usage(self.folder).free
        with filler.open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, max(n_free - n_bytes, 1))
        try:
            yield None
        finally:
            filler.unlink()


@pytest.fixture
def disk(tmp_path):
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = shutil.which("mount") and subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", str(folder)], capture_output=True, check=False
    )
    is_small = bool(mounted) and mounted.returncode == 0
    try:
        yield Disk(folder, is_small)
    finally:
        if is_small:
            subprocess.run(["umount", str(folder)], check=True)


@dataclass
class Door:
    """A door at work in a process of its own."""

    pilot: SyntheticPilot
    door: int
    process: subprocess.Popen
    output: Path
    started: float = field(default_factory=time.monotonic)
    status: int | None = None
    peak: int = 0

    def wait(self, until: Callable[[], bool] | None = None) -> None:
        """Until the process has ended; or killed it, at once, when ``until`` is so."""
        while (ended := os.wait4(self.process.pid, os.WNOHANG))[0] == 0:
            if until is not None and until():
                os.kill(self.process.pid, signal.SIGKILL)
                until = None
            time.sleep(0.0005 if until is not None else 0.01)
        code = os.waitstatus_to_exitcode(ended[1])
        self.process.returncode = code
        self.status = KILLED if code == -signal.SIGKILL else code
        self.peak = ended[2].ru_maxrss

    @property
    def said(self) -> str:
        return self.output.read_text(encoding="utf-8")

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.started


def start(pilot: SyntheticPilot, door: int, number: int, before: Callable[[], None] | None = None) -> Door:
    temporary, output = pilot.root / "temporary", pilot.root / f"said_{number}"
    temporary.mkdir(exist_ok=True)
    settings = {
        "BIOSTREAMS_DATA_DIR": str(pilot.data_folder),
        "BIOSTREAMS_CONFIG_DIR": str(pilot.config_folder),
        "BIOSTREAMS_KEEP_RUNS": str(KEEP_RUNS),
        "SOAK_KEY": "a key of this test alone, 0123456789 abcdefghij",
        "TMPDIR": str(temporary),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    with output.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, str(PROJECT / SCRIPTS[door]), pilot.name],
            cwd=pilot.desk, env=environment(**settings), stdout=file, stderr=file, preexec_fn=before,
        )  # fmt: skip
    return Door(pilot, door, process, output)


# ---------------------------------------------------------------- what stands there


def prepared(root: Path, name: str) -> SyntheticPilot:
    """A shipped pilot in a place of its own, without results."""
    import ast

    pilot = SyntheticPilot(root / name, name)
    for folder in (pilot.data_folder, pilot.config_folder, pilot.desk):
        folder.mkdir(parents=True)
    shutil.copytree(PROJECT / "pilot_report" / name, pilot.folder, ignore=shutil.ignore_patterns("*processed*"))
    module = ast.parse((PROJECT / "config" / f"{name}.py").read_text(encoding="utf-8"))
    literal = ast.literal_eval(module.body[-1].value) | KEYS[name]
    pilot.config = {key: value for key, value in literal.items() if value is not None}
    pilot.configure()
    return pilot


def summaries(pilot: SyntheticPilot) -> tuple[str, str]:
    """Of door 1 and of door 2."""
    return "merge_report.json", f"{pilot.name}_privacy_summary.json"


def is_whole(pilot: SyntheticPilot, files: dict[str, bytes]) -> bool:
    """Whether both summaries name exactly the files of their sets, each with its true hash."""
    key = (pilot.beside / KEY_FILE).read_bytes()
    named: list[str] = []
    for summary in summaries(pilot):
        if summary not in files:
            continue
        entries = json.loads(files[summary])["files"]
        named += [summary, *entries]
        for name, entry in entries.items():
            plain = hashlib.sha256(files.get(name, b"")).hexdigest()
            if entry["sha256"] not in (plain, fingerprint(key, plain)):
                return False
    return sorted(named) == sorted(files)


def lines_of(files: dict[str, bytes]) -> list[bytes]:
    return files["history.jsonl"].splitlines()


def size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def ids_of(pilot: SyntheticPilot) -> list[str]:
    return [row["USUBJID"] for row in pilot.combined_rows()]


# ---------------------------------------------------------------- what happens to a run

Happening = Callable[["Soak", SyntheticPilot], list[Door]]


class Soak:
    """The three pilots on the disk, the moments of chance, and what was measured."""

    def __init__(self, disk: Disk):
        self.disk, self.chance = disk, np.random.default_rng(SEED)
        self.pilots = [prepared(disk.folder, name) for name in KEYS]
        self.number = 0
        self.seconds: dict[tuple[str, int], float] = {}
        self.peaks: dict[tuple[str, int], list[int]] = {}
        self.seen: Counter = Counter()
        self.all_undisturbed()
        self.ids = {pilot.name: ids_of(pilot) for pilot in self.pilots}
        self.sizes = {pilot.name: [size_of(pilot.root)] for pilot in self.pilots}

    def start(self, pilot: SyntheticPilot, door: int, before: Callable[[], None] | None = None) -> Door:
        self.number += 1
        return start(pilot, door, self.number, before)

    def all_undisturbed(self) -> None:
        for pilot in self.pilots:
            for door in (1, 2):
                (started,) = self.undisturbed(pilot, door)
                assert started.status == DONE
                started.output.unlink()

    def a_door(self) -> int:
        return 1 if self.chance.random() < 0.2 else 2

    def undisturbed(self, pilot: SyntheticPilot, door: int | None = None) -> list[Door]:
        started = self.start(pilot, door or self.a_door())
        started.wait()
        self.seconds[pilot.name, started.door] = started.seconds
        self.peaks.setdefault((pilot.name, started.door), []).append(started.peak)
        return [started]

    def a_moment(self, door: Door) -> Callable[[], bool]:
        """Any moment of a run; or, half of the times, one soon after its set was written and the sets change."""
        seen: list[float] = []
        if self.chance.random() < 0.5:
            limit = self.chance.uniform(0, 1.1 * self.seconds[door.pilot.name, door.door])
            return lambda: door.seconds >= limit
        summary = door.pilot.beside / NEW / summaries(door.pilot)[door.door - 1]
        after = self.chance.uniform(0, 0.004)

        def is_due() -> bool:
            if not seen and summary.exists():
                seen.append(door.seconds)
            return bool(seen) and door.seconds >= seen[0] + after

        return is_due

    def killed(self, pilot: SyntheticPilot) -> list[Door]:
        started = self.start(pilot, self.a_door())
        started.wait(self.a_moment(started))
        return [started]

    def two_at_once(self, pilot: SyntheticPilot) -> list[Door]:
        both = [self.start(pilot, self.a_door()) for _ in range(2)]
        for one in both:
            one.wait()
        return both

    def two_at_once_and_one_killed(self, pilot: SyntheticPilot) -> list[Door]:
        both = [self.start(pilot, self.a_door()) for _ in range(2)]
        both[0].wait(self.a_moment(both[0]))
        both[1].wait()
        return both

    def full_disk(self, pilot: SyntheticPilot) -> list[Door]:
        room = int(self.chance.uniform(0, 1.5 * size_of(pilot.results)))
        with self.disk.with_room_for(room) as before:
            started = self.start(pilot, self.a_door(), before)
            started.wait()
        return [started]


HAPPENINGS: tuple[Happening, ...] = (
    Soak.killed,
    Soak.two_at_once,
    Soak.full_disk,
    Soak.two_at_once_and_one_killed,
    Soak.undisturbed,
)
MAY_END = {
    "killed": {KILLED, DONE},
    "two_at_once": {DONE, LOCKED},
    "two_at_once_and_one_killed": {KILLED, DONE, LOCKED},
    "full_disk": {DONE, INPUT_AT_FAULT},
    "undisturbed": {DONE},
}


def check(soak: Soak, pilot: SyntheticPilot, name: str, before: dict[str, bytes], doors: list[Door]) -> None:
    """The set is whole, the old one or a new one; no line of the history is gone; nothing is left over."""
    statuses = [one.status for one in doors]
    where = f"run {soak.number}, {pilot.name}, {name}: {statuses}"
    assert set(statuses) <= MAY_END[name], f"{where}: {[one.said for one in doors]}"
    said = "".join(one.said for one in doors)
    assert not [one for one in soak.ids[pilot.name] if one in said], where
    assert "Traceback" not in said
    after = files_below(pilot.results)
    assert is_whole(pilot, after), f"{where}: a partial set"
    if KILLED in statuses:
        soak.seen[f"killed {state_of(pilot)}"] += 1
    with held(pilot.results):  # as the next start would
        pass
    assert files_below(pilot.results) == after, f"{where}: changed by the next start"
    assert not [*pilot.results.glob(".*")], where
    beside = {path.name for path in pilot.beside.iterdir()}
    memory = {"history.jsonl", "alone_since.csv", "quasi_identifier_groups.csv"}
    assert beside <= {LOCK, KEY_FILE} | memory, where
    assert not [*(pilot.root / "temporary").iterdir()], where
    old, new = lines_of(before), lines_of(after)
    n_new = next(n for n in range(3) if new == [*old, *new[len(new) - n :]][-KEEP_RUNS:] and (n or new == old))
    of_door_2 = [one.status for one in doors if one.door == 2]
    assert of_door_2.count(DONE) <= n_new <= of_door_2.count(DONE) + of_door_2.count(KILLED), f"{where}: {n_new} lines"
    if KILLED not in statuses and DONE not in statuses:
        assert after == before, where
    soak.seen.update({f"{name}: {'killed' if one is KILLED else one}": statuses.count(one) for one in {*statuses}})
    for one in doors:
        one.output.unlink()


def state_of(pilot: SyntheticPilot) -> str:
    """When a run was killed, by what it left."""
    new = pilot.beside / NEW
    if not new.exists():
        return "before or after it wrote"
    return "while the sets changed" if any((new / name).exists() for name in summaries(pilot)) else "while it wrote"


@pytest.mark.thorough("50 s for 12 runs; SOAK_RUNS=200 for the long form")
@pytest.mark.skipif(not hasattr(os, "wait4"), reason="needs processes of POSIX")
def test_runs_that_are_killed_started_twice_and_out_of_disk(disk):
    soak = Soak(disk)
    for number in range(N_RUNS):
        pilot = soak.pilots[number % len(soak.pilots)]
        happening = HAPPENINGS[int(soak.chance.integers(len(HAPPENINGS)))] if number >= 5 else HAPPENINGS[number]
        before = files_below(pilot.results)
        pilot.configure(K=int(soak.chance.choice(THRESHOLDS)))  # names of files come and go with it
        check(soak, pilot, happening.__name__, before, happening(soak, pilot))
        soak.sizes[pilot.name].append(size_of(pilot.root))
    soak.all_undisturbed()
    for pilot in soak.pilots:
        files = files_below(pilot.results)
        assert is_whole(pilot, files)
        assert len(lines_of(files)) <= KEEP_RUNS
    told = figures(soak)
    print(json.dumps(told, indent=1))
    for name, sizes in told["bytes"].items():
        assert sizes["last"] <= 1.25 * sizes["first"] + KEEP_RUNS * 2_000, f"{name} grows"
    for name, peak in told["peak of memory, kB"].items():
        assert peak["last"] <= 1.1 * peak["first"], f"{name} takes more and more memory"


@pytest.mark.thorough("50 s for 12 runs; SOAK_RUNS=200 for the long form")
@pytest.mark.skipif(not hasattr(os, "wait4"), reason="needs processes of POSIX")
def test_runs_that_are_killed_half_of_them_while_the_sets_change(disk):
    soak, turns = Soak(disk), itertools.count()
    while soak.seen["killed: killed"] < N_RUNS:  # some end before they would be killed
        pilot = soak.pilots[next(turns) % len(soak.pilots)]
        before = files_below(pilot.results)
        pilot.configure(K=int(soak.chance.choice(THRESHOLDS)))
        check(soak, pilot, "killed", before, soak.killed(pilot))
    print(json.dumps(figures(soak)["ended"], indent=1))
    assert soak.seen["killed while the sets changed"] >= N_RUNS / 4


def figures(soak: Soak) -> dict:
    """How the runs ended, and whether files or memory grow: the first and the last third of the runs."""
    return {
        "runs": N_RUNS,
        "processes": soak.number,
        "ended": dict(sorted(soak.seen.items())),
        "full disk": "a file system" if soak.disk.is_small else "a limit on files",
        "bytes": {
            name: {"first": sizes[0], "largest": max(sizes), "last": sizes[-1]} for name, sizes in soak.sizes.items()
        },
        "peak of memory, kB": {
            f"{name}, door {door}": {
                "first": statistics.median(peaks[: max(len(peaks) // 3, 1)]),
                "last": statistics.median(peaks[-max(len(peaks) // 3, 1) :]),
                "runs": len(peaks),
            }
            for (name, door), peaks in soak.peaks.items()
        },
    }
