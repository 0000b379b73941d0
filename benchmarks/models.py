"""k, l and t with a result for each record, against reading the same table from its file; and how they grow."""

from __future__ import annotations

import itertools
from pathlib import Path

from made_files import HERE, PILOT, made
from measuring import Side, measure, own_side
from results import BenchmarkOutcome, ComparisonBar, TimedComparison

INSIDE = HERE / "inside.py"
N_RECORDS = 1_000_000
GROWTH_SIZES = (100_000, 1_000_000, 10_000_000)


def assess_side(n_records: int) -> Side:
    folder = made("people", n_records)
    arguments = (INSIDE, "assess", folder / "people.csv", folder / "config.py")
    return own_side(f"k, l, t of {n_records:,} records", *arguments, timed_inside=True)


def reading_side(name: str, file: Path, *options: str) -> Side:
    return own_side(name, INSIDE, "read", file, *options, timed_inside=True)


def models_against_reading(scale: float, repeats: int) -> BenchmarkOutcome:
    """(a) k, l and t of a table in memory against ``pandas.read_csv`` of its file.

    Besides the file of the six columns alone, the one that door 1 writes, with ids and with quotes.
    """
    n_records = int(N_RECORDS * scale)
    file = made("people", n_records) / "people.csv"
    as_door_1_writes = made("combined_dataset", n_records) / "pilots" / PILOT / "processed_for_anonym"
    sides = [
        assess_side(n_records),
        reading_side("pandas.read_csv", file),
        reading_side('pandas.read_csv, engine="pyarrow"', file, "--engine", "pyarrow"),
        reading_side("pandas.read_csv, ids and quotes", as_door_1_writes / "combined_dataset.csv"),
    ]
    ours, default, arrow, with_ids = measure(sides, repeats)
    comparisons = [
        TimedComparison("a. models", ours, default, ComparisonBar(2.0, of_cpu=1.5)),
        TimedComparison("a. models, beside", ours, arrow, None),
        TimedComparison("a. models, beside", ours, with_ids, None),
    ]
    found = ours.runs[0].found["figures"]
    return BenchmarkOutcome(comparisons, [f"a: {n_records:,} records in {found['classes']:,} equivalence classes"])


def growth(scale: float, repeats: int) -> BenchmarkOutcome:
    """(a) at three sizes: time per record from one size to the next, which stays the same where growth is linear."""
    sizes = [int(size * scale) for size in GROWTH_SIZES]
    measured = measure([assess_side(size) for size in sizes], repeats)
    steps = itertools.pairwise(zip(sizes, measured, strict=True))
    comparisons = [
        TimedComparison(f"growth, per record\n{size:,}", larger, smaller, ComparisonBar(1.5), units=(size, size_before))
        for (size_before, smaller), (size, larger) in steps
    ]
    notes = [
        f"growth: {size:,} records: {1e9 * one.median('seconds') / size:,.0f} ns and "
        f"{1e6 * one.median('peak_mb') / size:,.0f} bytes of peak memory a record"
        for size, one in zip(sizes, measured, strict=True)
    ]
    return BenchmarkOutcome(comparisons, notes)
