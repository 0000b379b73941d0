"""Side-by-side timings: one command, one machine, ratios with their bars.

    python benchmarks/run.py                      everything: about half an hour, 4 GB of memory and 2 GB of disk
    python benchmarks/run.py models door_2        these benchmarks
    python benchmarks/run.py --scale 0.01         a hundredth of the records: does it run? The bars are for scale 1.
    python benchmarks/run.py --repeats 9          instead of each benchmark's own number

Data and the other tools' environments are made at first use, in ``benchmarks/data`` and ``benchmarks/environments``.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version

from doors import demo, door_1, door_1_omop, door_2, engines
from explore import explore_beside_pandas
from linkage_attack import exact_linkage
from measures import measures
from models import growth, models_against_reading
from private_release import private_answers
from recommend import recommend
from release import release
from results import BenchmarkOutcome, TimedComparison, median_spread, table
from rivals import openmed, pycanon
from treatment import anonypy, mondrian_against_models, treatments


@dataclass(frozen=True)
class Benchmark:
    """A function of scale and number of repeats, and how many repeats there are by default."""

    run: Callable[[float, int], BenchmarkOutcome]
    repeats: int


BENCHMARKS = {
    "models": Benchmark(models_against_reading, 7),
    "door_2": Benchmark(door_2, 5),
    "engines": Benchmark(engines, 3),
    "door_1": Benchmark(door_1, 5),
    "omop": Benchmark(door_1_omop, 5),
    "openmed": Benchmark(openmed, 3),
    "pycanon": Benchmark(pycanon, 3),
    "growth": Benchmark(growth, 3),
    "measures": Benchmark(measures, 5),
    "recommend": Benchmark(recommend, 5),
    "release": Benchmark(release, 3),
    "treatments": Benchmark(treatments, 3),
    "mondrian": Benchmark(mondrian_against_models, 3),
    "anonypy": Benchmark(anonypy, 1),
    "explore": Benchmark(explore_beside_pandas, 1),
    "linkage": Benchmark(exact_linkage, 3),
    "private_release": Benchmark(private_answers, 3),
    "demo": Benchmark(demo, 9),
}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"benchmarks: {', '.join(BENCHMARKS)}; default: all")
    parser.add_argument("--scale", type=_scale, default=1.0, help="share of the records, above 0")
    parser.add_argument("--repeats", type=_repeats, help="of every side")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.names if name not in BENCHMARKS]
    if unknown:
        parser.error(f"no benchmark {', '.join(unknown)}; there are: {', '.join(BENCHMARKS)}")

    print(machine(), flush=True)
    start = time.perf_counter()
    comparisons: list[TimedComparison] = []
    notes: list[str] = []
    for name in options.names or BENCHMARKS:
        print(f"Running {name} ...", flush=True)
        outcome = BENCHMARKS[name].run(options.scale, options.repeats or BENCHMARKS[name].repeats)
        comparisons += outcome.comparisons
        notes += outcome.notes
    if comparisons:
        print(table(comparisons, judged=options.scale == 1))
        notes.append(
            f"the slowest run of a side took {median_spread(comparisons):.2f} times as long as its fastest "
            "(median over the sides): how unsteady the machine was"
        )
    for note in [*notes, f"the whole run took {(time.perf_counter() - start) / 60:.1f} minutes"]:
        print(f"  {note}")
    if options.scale != 1:
        print(f"  --scale {options.scale:g}: the bars are for scale 1, and nothing is judged by them")
    return 0


def machine() -> str:
    """The machine and the versions that matter, in one line."""
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "pandas", "pyarrow"))
    hardware = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    load = f"load {os.getloadavg()[0]:.1f} at the start"
    return f"{hardware}, {load}; Python {platform.python_version()}, {packages}"


def _scale(text: str) -> float:
    value = float(text)
    if not value > 0:
        raise argparse.ArgumentTypeError("a number above 0 is needed")
    return value


def _repeats(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("a whole number from 1 up is needed")
    return value


if __name__ == "__main__":
    sys.exit(main())
