"""Treatments that search: seconds and growth, beside k, l, t and beside anonypy.

The people are those of ``made_data.py``: three text quasi-identifiers, age and body mass index, here without bins of
age, so that half of 100,000 people are alike to fewer than three. sdcMicro is not run here: what it took on such a
machine, with data of its own, stands in the notes.
"""

from __future__ import annotations

import subprocess

from environments import NotInstalledError, python_with
from made_files import HERE, made
from measuring import FailedSideError, Side, measure, own_side
from models import assess_side
from results import BenchmarkOutcome, ComparisonBar, TimedComparison

INSIDE = HERE / "inside_treatment.py"
THEIRS = {
    ("local_suppression", 10_000): "bar 1 s; sdcMicro 65 s",
    ("local_suppression", 100_000): "bar 10 s; sdcMicro not done after 1,600 s",
    ("mdav", 100_000): "bar 10 s; sdcMicro 66 s",
    ("mondrian", 100_000): "anonypy 157 s",
}


def side(method: str, n_people: int, *options: str) -> Side:
    file = made("people", n_people) / "people.csv"
    name = f"{method.replace('_', ' ')} of {n_people:,}{' '.join(('', *options))}"
    return own_side(name, INSIDE, method, file, *options, timed_inside=True)


def treatments(scale: float, repeats: int) -> BenchmarkOutcome:
    """Each treatment at two sizes: seconds, and time per record from one to the next (10 where it is quadratic)."""
    outcome = BenchmarkOutcome()
    for method, *options in (
        ("local_suppression", "wildcard"),
        ("local_suppression", "category"),
        ("mdav",),
        ("mondrian",),
    ):
        sizes = [int(size * scale) for size in (10_000, 100_000)]
        small, large = measure([side(method, size, *options) for size in sizes], repeats)
        title = f"growth, per record\n{sizes[1]:,}"
        outcome.comparisons.append(TimedComparison(title, large, small, ComparisonBar(3), units=(sizes[1], sizes[0])))
        for size, measured in zip(sizes, (small, large), strict=True):
            theirs = THEIRS.get((method, size), "no figure of another tool")
            found = measured.runs[0].found["figures"]
            outcome.notes.append(
                f"{measured.side.name}: {measured.median('seconds'):.2f} s ({theirs}); "
                + ", ".join(f"{name} {value:,}" for name, value in found.items())
            )
    return outcome


def mondrian_against_models(scale: float, repeats: int) -> BenchmarkOutcome:
    """Mondrian, k=5, of 1,000,000 people against k, l and t of the same."""
    n_people = int(1_000_000 * scale)
    made("people", n_people)
    ours, models = measure([side("mondrian", n_people), assess_side(n_people)], repeats)
    return BenchmarkOutcome([TimedComparison("Mondrian", ours, models, ComparisonBar(10))])


def anonypy(scale: float, repeats: int) -> BenchmarkOutcome:
    """Mondrian, k=5, of 10,000 people against anonypy on the same; it grows with the square."""
    n_people = int(10_000 * scale)
    try:
        python = python_with("anonypy", "anonypy==0.2.*")
        if not list(python.parents[1].glob("lib/python*/site-packages/pandas")):  # anonypy does not ask for it
            subprocess.run([python, "-m", "pip", "install", "--quiet", "pandas==2.*"], check=True)
    except (NotInstalledError, subprocess.CalledProcessError) as error:
        return BenchmarkOutcome(notes=[f"anonypy could not be installed, and is left out: {error}"])
    command = [python, INSIDE, "anonypy", made("people", n_people) / "people.csv"]
    rival = Side(f"anonypy of {n_people:,}", command, timed_inside=True, warm_up=False)
    try:
        ours, theirs = measure([side("mondrian", n_people), rival], repeats)
    except FailedSideError as error:
        return BenchmarkOutcome(notes=[str(error)])
    found = [measured.runs[0].found["figures"] for measured in (ours, theirs)]
    comparison = TimedComparison("times faster than\nanonypy", ours, theirs, ComparisonBar(50, True), faster=True)
    return BenchmarkOutcome([comparison], [f"Mondrian: {found[0]} here, {found[1]} there"])
