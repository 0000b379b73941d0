"""The search for the mildest recoding, against a plain walk of the same lattice; ARX's times stand in the notes.

    python run.py recommend                         the benchmark
    python recommend.py SIDE DATA LIMIT MODELS       one side, in a child process: prints a line of JSON

``DATA`` is adult5, adult9 or a folder of ``made_data`` people; ``MODELS`` "k", or "k,l", "k,t", "k,l,t". What is timed
is encoding, counting and searching of a table in memory. The plain walk is what one would write first: roll up the
distinct combinations for each transformation, in the order of the loss without suppression, and stop at the best found.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import time
from pathlib import Path

ADULT = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass"]
ADULT = [*ADULT, "occupation", "salary-class"]
SHARED = Path(__file__).resolve().parents[2] / "shared" / "data" / "adult"
# Seconds of ARX 3.9.2, warm, on a machine of this kind, by data and limit of suppression; 4 s more to start.
ARX_SECONDS = {
    ("adult5", 0.0): 0.10,
    ("adult5", 0.05): 0.06,
    ("adult5", 1.0): 0.06,
    ("adult9", 0.0): 0.23,
    ("adult9", 0.05): 2.7,
    ("adult9", 1.0): 7.9,
}
N_RECORDS = 1_000_000
K = 5


# ---------------------------------------------------------------- in the child process


def lattice_of(data: str, frame):
    """Classes and lattice of a table: Adult with ARX's hierarchies, made people with their config's bins coarsened."""
    import numpy as np

    from Anonymization_Models import apply_feature_binning, form_equivalence_classes
    from config import parse_config
    from disclosure_control.basics.encoding.hierarchies import read_hierarchy
    from disclosure_control.remedy.recodings import generalisations
    from disclosure_control.remedy.recodings.nodes import Lattice

    if data.startswith("adult"):
        names = ADULT[: int(data.removeprefix("adult"))]
        classes = form_equivalence_classes(frame, names)
        attributes = [
            generalisations.of_hierarchy(
                name,
                column,
                read_hierarchy(SHARED / f"adult_hierarchy_{name}.csv"),
                generalisations.Recoding("hierarchy"),
            )
            for name, column in zip(names, classes.columns, strict=True)
        ]
    else:
        config = parse_config((Path(data) / "config.py").read_text(encoding="utf-8"), "config.py")
        binned, _ = apply_feature_binning(frame, config["binning_config"])
        names = config["categorical_qis"] + config["continuous_qis"]
        classes = form_equivalence_classes(binned, names)
        attributes = []
        for name, column in zip(names, classes.columns, strict=True):
            people = np.bincount(column.codes[column.codes >= 0], minlength=len(column.labels))
            if name in config["binning_config"]:
                attributes.append(generalisations.of_bins(name, column, people, config["binning_config"][name], True))
            else:
                attributes.append(generalisations.of_rarity(name, column, people, 50_000))
    return classes, Lattice.of(classes, attributes)


def searched(data: str, frame, limit: float, models: str) -> dict:
    from Anonymization_Models import count_sensitive_values
    from disclosure_control.remedy.recodings.criteria import Criterion
    from disclosure_control.remedy.recodings.requirements import Requirements
    from disclosure_control.remedy.recodings.search import search

    classes, lattice = lattice_of(data, frame)
    of_adult, of_people = ("occupation", "total_variation_t", 0.4), ("LB__Cholesterol", "wasserstein_t", 10)
    sensitive, distance, t = of_adult if data.startswith("adult") else of_people
    criteria = []
    if models != "k":
        table = count_sensitive_values(classes, frame[sensitive]).table
        chosen = {"l": Criterion("distinct_l", sensitive, 3, table), "t": Criterion(distance, sensitive, t, table)}
        criteria = [chosen[name] for name in models.split(",")[1:]]
    found = search(lattice, Requirements(K, tuple(criteria), limit))
    best = found.best
    return {"loss": best.loss, "suppressed": best.n_suppressed, "checked": found.n_checked, "size": found.lattice_size}


def walked(data: str, frame, limit: float, models: str) -> dict:
    """The plain walk, for k alone: every transformation from the finest combinations, none remembered."""
    import numpy as np
    import pandas as pd

    _, lattice = lattice_of(data, frame)
    people, n, d = lattice.people, lattice.n_people, lattice.n_attributes
    leaves = [attribute.n_leaves for attribute in lattice.attributes]
    shares = [
        [level.shares[codes] for level in attribute.levels]
        for attribute, codes in zip(lattice.attributes, lattice.combination_codes, strict=True)
    ]

    def loss_of(totals) -> float:
        lowest = [n / count for count in leaves]
        return float(np.prod([1 + (t - low) / (n - low) for t, low in zip(totals, lowest, strict=True)]) ** (1 / d) - 1)

    totals = [[float(people @ share) for share in of_attribute] for of_attribute in shares]
    every = itertools.product(*(range(size) for size in lattice.shape))
    by_floor = sorted((loss_of([totals[i][level] for i, level in enumerate(levels)]), levels) for levels in every)
    best, n_suppressed, n_checked = np.inf, 0, 0
    for floor, levels in by_floor:
        if floor >= best:
            break
        n_checked += 1
        key = np.zeros(lattice.n_combinations, dtype=np.int64)
        for i, level in enumerate(levels):
            key = key * lattice.attributes[i].levels[level].n_codes + lattice.level_codes[i][level]
        group, distinct = pd.factorize(key)
        size = np.bincount(group, people, len(distinct))
        gone = (size < K)[group]
        n_gone = int(people[gone].sum())
        if n_gone <= limit * n + 1e-9:
            kept = people * ~gone
            loss = loss_of([float(kept @ shares[i][level]) + n_gone for i, level in enumerate(levels)])
            if loss < best:
                best, n_suppressed = loss, n_gone
    return {"loss": best, "suppressed": n_suppressed, "checked": n_checked, "size": lattice.size}


def main() -> None:
    import pandas as pd

    parser = argparse.ArgumentParser()
    parser.add_argument("side", choices=("searched", "walked"))
    parser.add_argument("data")
    parser.add_argument("limit", type=float)
    parser.add_argument("models")
    options = parser.parse_args()
    side = {"searched": searched, "walked": walked}[options.side]
    is_adult = options.data.startswith("adult")
    file = SHARED / "adult.csv" if is_adult else Path(options.data) / "people.csv"
    table = pd.read_csv(file, sep=";" if is_adult else ",")
    side(options.data, table.head(1000), 1.0, options.models if options.side == "searched" else "k")  # imports
    wall, cpu = time.perf_counter(), time.process_time()
    found = side(options.data, table, options.limit, options.models)
    seconds = {"seconds": time.perf_counter() - wall, "cpu_seconds": time.process_time() - cpu}
    print(json.dumps({**seconds, "found": found}))


# ---------------------------------------------------------------- the benchmark


def recommend(scale: float, repeats: int):
    """Adult with five and nine quasi-identifiers, at three limits; with l and t; and many records with five keys."""
    from made_files import HERE, made
    from measuring import measure, own_side
    from results import BenchmarkOutcome, ComparisonBar, TimedComparison

    def side(kind: str, data: object, limit: float, models: str = "k"):
        name = f"{'search' if kind == 'searched' else 'plain walk'}, {models}, {limit:.0%} may go"
        return own_side(name, HERE / "recommend.py", kind, str(data), str(limit), models, timed_inside=True)

    comparisons, notes = [], []
    cases = [(data, limit, "k") for data, limit in ARX_SECONDS] if SHARED.is_dir() else []
    for data, limit, models in cases:
        ours, plain = measure([side("searched", data, limit, models), side("walked", data, limit)], repeats)
        # Of five attributes the plain walk is done in milliseconds: nothing is judged there.
        bar = ComparisonBar(1.0) if data == "adult9" else None
        comparisons.append(TimedComparison(f"recommend, {data}", ours, plain, bar))
        one, other = ours.runs[0].found["found"], plain.runs[0].found["found"]
        agree = abs(one["loss"] - other["loss"]) < 1e-12 and one["suppressed"] == other["suppressed"]
        seconds, theirs = ours.median("seconds"), ARX_SECONDS[data, limit]
        notes.append(
            f"recommend, {data}, {limit:.0%}: {seconds:.3f} s ({ours.median('cpu_seconds'):.3f} s of CPU) where ARX "
            f"took {theirs:g} s; {one['checked']:,} of {one['size']:,} counted out, {other['checked']:,} in the plain "
            f"walk; the two {'agree' if agree else 'DISAGREE'}"
        )
    if not cases:
        notes.append("recommend: Adult is not there (../shared/data/adult), and was left out")
    people = made("people", int(N_RECORDS * scale))
    more = [("adult5", 0.05, models) for models in ("k,l", "k,t", "k,l,t")] if cases else []
    for data, limit, models in [*more, (people, 0.0, "k"), (people, 0.05, "k"), (people, 0.05, "k,l,t")]:
        of_k = side("searched", data, limit)
        ours, k_alone = measure([side("searched", data, limit, models), of_k], repeats)
        title = data if isinstance(data, str) else f"{int(N_RECORDS * scale):,} records"
        comparisons.append(TimedComparison(f"recommend, {title}", ours, k_alone, None))
    return BenchmarkOutcome(comparisons, notes)


if __name__ == "__main__":
    sys.exit(main())
