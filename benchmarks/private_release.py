"""A private mean and a private histogram of 1,000,000 records, against bare calls of the library that adds the noise.

    python private_release.py ours mean 1000000       one side, in a process of its own: prints its seconds as JSON

The bare side has its numbers ready, as a list (as the library's documentation has it) or as an array. Ours begins with
the text of the combined dataset, and ends with the answer on the disk: it parses, encodes, asks the ledger, flushes.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from measuring import measure, own_side
from results import BenchmarkOutcome, ComparisonBar, TimedComparison

N_RECORDS = 1_000_000
N_CALLS = 7
CATEGORIES = ("A", "B", "C", "D", "E", "F")


def private_answers(scale: float, repeats: int) -> BenchmarkOutcome:
    """(p) Mean and histogram: ours from text to the recorded answer, the library fed by a list, and by an array."""
    n_records, comparisons = int(N_RECORDS * scale), []
    for question in ("mean", "histogram"):
        ours, ready, bare_list, bare_array = measure(
            [
                own_side(f"{name}, {question}", Path(__file__), name, question, str(n_records), timed_inside=True)
                for name in SIDES
            ],
            repeats,
        )
        comparisons += [
            TimedComparison(f"p. private {question}", ours, bare_list, ComparisonBar(1.0)),
            TimedComparison(f"p. private {question}, beside", ours, bare_array, None),
            TimedComparison(f"p. private {question},\ncolumn in memory", ready, bare_array, None),
        ]
    return BenchmarkOutcome(
        comparisons, [f"p: {n_records:,} records, epsilon 0.1; ours with the ledger's flushes to the disk"]
    )


# ---------------------------------------------------------------- inside the child process


def made_column(question: str, n_records: int):
    import numpy as np

    rng = np.random.default_rng(1)
    return rng.normal(100, 20, n_records).round(2) if question == "mean" else rng.integers(0, 6, n_records)


def ours(question: str, n_records: int, in_memory: bool):
    """A function that asks one question as door 2 does, each time one that was not asked before."""
    import tempfile
    from decimal import Decimal

    import numpy as np
    import pandas as pd

    from disclosure_control.analyses.private_release.answers import Records
    from disclosure_control.analyses.private_release.ledger import Ledger
    from disclosure_control.analyses.private_release.questions import read_query
    from disclosure_control.analyses.private_release.step import ask

    column = made_column(question, n_records)
    text = column.astype(str) if question == "mean" else np.array(CATEGORIES)[column]
    table = pd.DataFrame({"x": text}, dtype="str")
    settings = {"bounds": [0, 200]} if question == "mean" else {"categories": list(CATEGORIES)}
    query = read_query({"kind": question, "column": "x", "epsilon": "0.1", **settings})
    folder = tempfile.TemporaryDirectory()
    ledger = Ledger(Path(folder.name), Decimal(100), state_folder=Path(folder.name))
    kept = Records(table)
    kept.numbers("x") if question == "mean" else kept.encoded("x")
    n_asked = 0

    def call():
        nonlocal n_asked
        n_asked += 1
        dataset = f"{folder.name} {n_asked}"  # of other data the same question is a new one
        return ask(query, kept if in_memory else Records(table), dataset, ledger)

    return call


def bare(question: str, n_records: int, as_list: bool):
    """The library alone: sum and count of floats, or a count by category."""
    import numpy as np
    import opendp.prelude as dp

    dp.enable_features("contrib")
    column = made_column(question, n_records)
    column = column if question == "mean" else column.astype(np.int32)
    column = column.tolist() if as_list else column
    if question == "mean":
        space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.symmetric_distance()
        total = dp.t.make_clamp(*space, bounds=(0.0, 200.0)) >> dp.t.then_sum() >> dp.m.then_laplace(scale=4000.0)
        count = dp.t.make_count(*space) >> dp.m.then_laplace(scale=20.0)
        measurement = dp.c.make_composition([total, count])
    else:
        space = dp.vector_domain(dp.atom_domain(T="i32")), dp.symmetric_distance()
        counts = dp.t.make_count_by_categories(*space, categories=list(range(6)), null_category=False)
        measurement = counts >> dp.m.then_laplace(scale=10.0)
    return lambda: measurement(column)


SIDES = {
    "ours": lambda question, n: ours(question, n, in_memory=False),
    "ours, column in memory": lambda question, n: ours(question, n, in_memory=True),
    "OpenDP, a list": lambda question, n: bare(question, n, as_list=True),
    "OpenDP, an array": lambda question, n: bare(question, n, as_list=False),
}


def main(name: str, question: str, n_records: str) -> None:
    from inside import timed

    call = SIDES[name](question, int(n_records))
    call()  # imports and the building of the mechanism are not timed
    found, _ = timed(call, N_CALLS)
    print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
