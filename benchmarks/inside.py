"""What is timed inside a child process of the project's own environment: one call, after a small one to warm up.

    python inside.py read FILE [--engine pyarrow]      pandas.read_csv
    python inside.py assess FILE CONFIG                k, l and t of every record, of a table already in memory

Prints one line of JSON: seconds, CPU seconds and, for ``assess``, the figures that it found. The warm-up runs on the
first records of the file, so that no import is timed; with ``--calls`` short calls are repeated and their median
taken.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from io import BytesIO
from itertools import islice
from pathlib import Path

import numpy as np
import pandas as pd

from config import parse_config
from config.model_settings import validate_config
from disclosure_control.assess.assessment import assess

N_WARM_UP = 1_000


def first_records(path: Path) -> BytesIO:
    with path.open("rb") as file:
        return BytesIO(b"".join(islice(file, N_WARM_UP + 1)))


def timed(call: Callable[[], object], n_calls: int) -> tuple[dict, object]:
    """Median wall and CPU seconds of a call, and what the last one returned."""
    seconds, cpu_seconds = [], []
    for _ in range(n_calls):
        result = None  # what the call before returned makes room
        wall, cpu = time.perf_counter(), time.process_time()
        result = call()
        seconds.append(time.perf_counter() - wall)
        cpu_seconds.append(time.process_time() - cpu)
    return {"seconds": statistics.median(seconds), "cpu_seconds": statistics.median(cpu_seconds)}, result


def figures(assessment, sensitive: str) -> dict:
    """Worst values, and sums over the records by position, which differ as soon as one record has another value."""
    results = {
        "k": assessment.k_anonymity,
        "l": assessment.l_diversity[sensitive],
        "t": assessment.t_closeness[sensitive],
    }
    found = {"classes": assessment.classes.n_classes}
    for letter, result in results.items():
        found[letter] = result.worst
        found[f"{letter} of all records"] = float(np.arange(1, result.n_total + 1) @ np.nan_to_num(result.measure))
    return found


def of_every_record(assessment):
    """The assessment once measures and flags are handed back to the records, which is done when they are asked for."""
    for result in assessment.results:
        _ = result.measure, result.risky
    return assessment


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=("read", "assess"))
    parser.add_argument("file", type=Path)
    parser.add_argument("config", type=Path, nargs="?")
    parser.add_argument("--engine", default=None)
    parser.add_argument("--calls", type=int, default=1)
    options = parser.parse_args()
    if options.what == "read":
        pd.read_csv(first_records(options.file), engine=options.engine)
        found, _ = timed(lambda: pd.read_csv(options.file, engine=options.engine), options.calls)
    else:
        config = validate_config(parse_config(options.config.read_text(encoding="utf-8"), options.config.name))
        assess(pd.read_csv(first_records(options.file)), config)
        table = pd.read_csv(options.file)
        found, assessment = timed(lambda: of_every_record(assess(table, config)), options.calls)
        found["figures"] = figures(assessment, config.sensitive_features[0])
    print(json.dumps(found))


if __name__ == "__main__":
    main()
