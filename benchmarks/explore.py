"""Exploring a pilot, tables and figures, next to pandas' own description, counts and rank correlations.

python explore.py SIDE N      one side, in a process of its own: prints its seconds as JSON
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from measuring import Side, measure, own_side
from results import BenchmarkOutcome, TimedComparison

N_RECORDS, N_COLUMNS = 1_000_000, 30


def explore_beside_pandas(scale: float, repeats: int) -> BenchmarkOutcome:
    """(e) Tables of 1,000,000 people by 30 columns, and with figures; pandas' describe, counts and Spearman beside."""
    n_records = int(N_RECORDS * scale)
    tables, figures, pandas = measure(
        [_side("explore, tables", n_records), _side("explore, figures", n_records), _side("pandas", n_records)], repeats
    )
    comparisons = [
        TimedComparison("e. exploring, beside", tables, pandas, None),
        TimedComparison("e. with figures, beside", figures, pandas, None),
    ]
    return BenchmarkOutcome(
        comparisons, [f"e: {n_records:,} people by {N_COLUMNS} columns of text, ten of them with gaps"]
    )


def _side(name: str, n_records: int) -> Side:
    return own_side(name, Path(__file__), name, str(n_records), timed_inside=True)


# ---------------------------------------------------------------- inside the child process


def _wide_people(n_records: int):
    """Text as the combined dataset holds it: ten categories, ten numbers with gaps, nine without."""
    import numpy as np
    import pandas as pd

    random = np.random.default_rng(20260101)
    columns = {"USUBJID": pd.Series([f"B{i:08d}" for i in range(n_records)], dtype="str")}
    for i in range(10):
        names = pd.Series([f"value {j}" for j in range(3 + 3 * i)], dtype="str")
        columns[f"category_{i}"] = names[random.integers(0, 3 + 3 * i, n_records)].reset_index(drop=True)
    for i in range(19):
        numbers = pd.Series(random.normal(100, 15, n_records).round(1 if i < 15 else 6)).astype("str")
        columns[f"number_{i}"] = numbers.mask(random.random(n_records) < 0.05) if i < 10 else numbers
    return pd.DataFrame(columns)


def _exploring(n_records: int, figures: bool):
    import pandas as pd

    from config.model_settings import validate_config
    from disclosure_control.analyses.explore.drawing import draw_exploration
    from disclosure_control.analyses.explore.exploration import explore
    from disclosure_control.analyses.explore.settings import ExploreSettings
    from disclosure_control.analyses.explore.step import exploration_tables
    from disclosure_control.assess.assessment import assess

    table = _wide_people(n_records)
    for name in ("number_0", "number_1"):
        table[name] = table[name].astype(float)
    literal = {"categorical_qis": ["category_0", "category_1"], "continuous_qis": ["number_0"], "K": 5, "L": 2, "T": 9}
    literal |= {"binning_config": {"number_0": [0, 50, 100, 150, 200]}, "sensitive_feature": "number_1"}
    config = validate_config(literal, table.columns, {})
    assessment = assess(table, config)
    settings = ExploreSettings(group="category_0")

    def call(rows: pd.DataFrame = table):
        found = explore(rows, config, settings)
        exploration_tables(found, rows["USUBJID"])
        return draw_exploration(found, assessment) if figures else {}

    return call


def _by_pandas(n_records: int):
    import pandas as pd

    table = _wide_people(n_records)

    def call():
        numeric = table.filter(like="number").apply(pd.to_numeric)
        counts = {name: table[name].value_counts() for name in table.filter(like="category")}
        return numeric.describe(), counts, numeric.corr("spearman")

    return call


def main(arguments: list[str]) -> None:
    from inside import timed

    name, n_records = arguments[0], int(arguments[1])
    made = _by_pandas(n_records) if name == "pandas" else _exploring(n_records, name.endswith("figures"))
    found, _ = timed(made, 1)
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1:])
