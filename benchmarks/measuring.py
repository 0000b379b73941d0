"""Running two or more sides one after the other, again and again, each time in a fresh child process.

Times and peak memory are those of the child alone, as the system gives them when it ends (``os.wait4``, so Linux and
macOS). On Linux a child's peak is never reported below the size of the process that starts it: this one imports
nothing large.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
BYTES_PER_RSS = 1 if sys.platform == "darwin" else 1024


class FailedSideError(Exception):
    """A side ended with another status than 0."""


@dataclass(frozen=True)
class Side:
    """A command and how it is timed: as a whole process, or by its own clock (``timed_inside``: it prints JSON)."""

    name: str
    command: Sequence[str | Path]
    environment: Mapping[str, str] = field(default_factory=dict)
    timed_inside: bool = False
    warm_up: bool = True


@dataclass(frozen=True)
class MeasuredRun:
    """One run of a side: wall and CPU seconds, peak memory in MB, and what else it printed as JSON."""

    seconds: float
    cpu_seconds: float
    peak_mb: float
    found: dict


@dataclass(frozen=True)
class Measured:
    """All runs of a side, in order."""

    side: Side
    runs: tuple[MeasuredRun, ...]

    def median(self, quantity: str) -> float:
        return statistics.median(getattr(run, quantity) for run in self.runs)


def own_side(name: str, *arguments: str | Path, **options) -> Side:
    """A Python script of the project, or ``-c`` and a statement, in the environment that runs the benchmarks."""
    environment = {"PYTHONPATH": str(PROJECT)} | options.pop("environment", {})
    return Side(name, [sys.executable, *arguments], environment, **options)


def measure(sides: Sequence[Side], repeats: int) -> list[Measured]:
    """Run all sides ``repeats`` times in turn, A B A B ..., so that drift of the machine meets each alike."""
    for side in sides:
        if side.warm_up:
            run_once(side)
    runs = [[] for _ in sides]
    for _ in range(repeats):
        for side, of_side in zip(sides, runs, strict=True):
            of_side.append(run_once(side))
    return [Measured(side, tuple(of_side)) for side, of_side in zip(sides, runs, strict=True)]


def run_once(side: Side) -> MeasuredRun:
    """One child process from its start to its end."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        start = time.perf_counter()
        child = subprocess.Popen(
            [str(part) for part in side.command],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            env=_plain_environment() | side.environment,
        )
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            raise FailedSideError(f"{side.name}: ended with status {child.returncode}: {_last_line(errors)}")
        output.seek(0)
        found = json.loads(output.read()) if side.timed_inside else {}
    return MeasuredRun(
        seconds=found.pop("seconds", seconds),
        cpu_seconds=found.pop("cpu_seconds", usage.ru_utime + usage.ru_stime),
        peak_mb=usage.ru_maxrss * BYTES_PER_RSS / 1e6,
        found=found,
    )


def _plain_environment() -> dict[str, str]:
    """The environment without what would change another Python's imports or a door's settings."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "BIOSTREAMS_"))}


def _last_line(errors) -> str:
    errors.seek(0)
    lines = errors.read().decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else "nothing was said"
