"""k, l and t against the two Python tools that give all three, on the same binned records and by the same distance."""

from __future__ import annotations

import math
from pathlib import Path

from environments import NotInstalledError, python_with, version_of
from made_files import HERE, made
from measuring import FailedSideError, Measured, Side, measure, own_side
from results import BenchmarkOutcome, ComparisonBar, TimedComparison

JUDGED_BY = ("seconds", "cpu_seconds")


def openmed(scale: float, repeats: int) -> BenchmarkOutcome:
    """(d) OpenMed takes numbers for categories: its t is the total variation."""
    n_records = int(1_000_000 * scale)
    return against(
        "OpenMed", "openmed", "openmed==3.1.*", n_records, "total_variation", ComparisonBar(50, True), repeats
    )


def pycanon(scale: float, repeats: int) -> BenchmarkOutcome:
    """(d) pyCANON's t of a number is the ordered earth mover's distance."""
    n_records = int(10_000 * scale)
    return against("pyCANON", "pycanon", "pycanon==1.3.*", n_records, "ordered", ComparisonBar(1000, True), repeats)


def against(
    tool: str, package: str, requirement: str, n_records: int, distance: str, bar: ComparisonBar, repeats: int
) -> BenchmarkOutcome:
    try:
        python = python_with(package, requirement)
        name = f"{tool} {version_of(python, package)}"
    except NotInstalledError as error:
        return BenchmarkOutcome(notes=[f"d: {tool} could not be installed, and is left out: {error}"])
    folder = made("binned_people", n_records)
    try:
        ours, theirs = measure([_own(folder, n_records, distance), _other(name, python, package, folder)], repeats)
    except FailedSideError as error:
        return BenchmarkOutcome(notes=[f"d: {error}"])
    title = f"d. times faster than\n{tool}, {n_records:,}"
    comparison = TimedComparison(title, ours, theirs, bar, faster=True, judged_by=JUDGED_BY)
    return BenchmarkOutcome([comparison], [agreement(name, ours, theirs)])


def _own(folder: Path, n_records: int, distance: str) -> Side:
    n_calls = max(1, 200_000 // max(n_records, 1))  # a call of milliseconds is repeated
    files = (folder / "people.csv", folder / f"config_{distance}.py")
    arguments = ("assess", *files, "--calls", str(min(n_calls, 20)))
    return own_side(f"k, l, t ({distance.replace('_', ' ')})", HERE / "inside.py", *arguments, timed_inside=True)


def _other(name: str, python: Path, package: str, folder: Path) -> Side:
    command = [python, HERE / f"{package}_side.py", folder / "people.csv"]
    return Side(name, command, timed_inside=True, warm_up=False)


def agreement(name: str, ours: Measured, theirs: Measured) -> str:
    """Whether both found the same, in words: every figure that the other tool gives."""
    own, other = (measured.runs[0].found["figures"] for measured in (ours, theirs))
    differing = [key for key in other if not math.isclose(own[key], other[key], rel_tol=1e-9)]
    if differing:
        figures = "; ".join(f"{key}: {other[key]:.10g} there, {own[key]:.10g} here" for key in differing)
        return f"d: {name} finds something else: {figures}"
    return f"d: {name} finds the same: {', '.join(other)}"
