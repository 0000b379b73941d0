"""Exact linkage next to a pandas merge.

python linkage_attack.py SIDE N      one side, in a process of its own: prints its seconds as JSON
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from measuring import Side, measure, own_side
from results import BenchmarkOutcome, ComparisonBar, TimedComparison

HERE = Path(__file__).resolve().parent
N_RECORDS = 1_000_000
KEYS = ("sex", "postal_code", "age", "birthday")


def exact_linkage(scale: float, repeats: int) -> BenchmarkOutcome:
    """(x) Unique pairs of 1,000,000 against 1,000,000 records, and every person's chance; a merge on the same keys."""
    n_records = int(N_RECORDS * scale)
    comparisons = []
    for n_keys in (2, 3, 4):
        ours, merge = measure(
            [_side(f"linkage, {n_keys} keys", n_records), _side(f"merge, {n_keys} keys", n_records)], repeats
        )
        comparisons.append(
            TimedComparison(f"x. exact linkage\n{', '.join(KEYS[:n_keys])}", ours, merge, ComparisonBar(3.0))
        )
    return BenchmarkOutcome(comparisons, [f"x: {n_records:,} records against as many"])


def _side(name: str, n_records: int) -> Side:
    return own_side(name, HERE / "linkage_attack.py", name, str(n_records), timed_inside=True)


# ---------------------------------------------------------------- inside the child process


def _linking(n_records: int, n_keys: int, by_merge: bool):
    import numpy as np
    import pandas as pd

    from disclosure_control.analyses.linkage_attack.linkage import attack_linkage, compare_tables

    random, keys = np.random.default_rng(20260101), list(KEYS[:n_keys])
    identified = pd.DataFrame(
        {
            "sex": random.choice(["F", "M"], n_records),
            "postal_code": random.integers(10_000, 10_000 + max(n_records // 2, 1), n_records).astype(str),
            "age": random.integers(18, 90, n_records),
            "birthday": random.integers(0, 366, n_records),
        }
    ).astype({"sex": "str", "postal_code": "str"})
    order = random.permutation(n_records)
    truth = np.empty(n_records, dtype=np.int64)
    truth[order] = np.arange(n_records)
    released = identified.iloc[order].reset_index(drop=True)
    if by_merge:
        sides = [table[keys].assign(number=np.arange(n_records)) for table in (released, identified)]
        return lambda: sides[0].merge(sides[1], on=keys)

    def call():
        attack = attack_linkage(
            compare_tables(released, identified, {key: key for key in keys}, "exact"), truth, "exact"
        )
        return {"named": attack.pairs.attack.rate, "chance": attack.guesses.attack.rate}

    return call


def main(arguments: list[str]) -> None:
    from inside import timed

    name, n_records = arguments[0], int(arguments[1])
    what, n_keys, _ = name.replace(",", "").split()
    _linking(100, int(n_keys), what == "merge")()  # imports are not timed
    found, _ = timed(_linking(n_records, int(n_keys), what == "merge"), 1)
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1:])
