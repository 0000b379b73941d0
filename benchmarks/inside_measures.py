"""What is timed of the measures of risk inside a child process: one call on records made in memory by a seed.

    python inside_measures.py WHAT N_RECORDS

Prints one line of JSON: seconds and CPU seconds of the call, after a small one that does the imports.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable

import numpy as np
import pandas as pd
from inside import timed

from Anonymization_Models import count_sensitive_values, form_equivalence_classes
from config.model_settings import validate_config
from disclosure_control.assess.assessment import assess
from disclosure_control.measures.key_sets import key_sets
from disclosure_control.measures.special_uniques import special_uniques
from disclosure_control.measures.syntactic_models import evaluate_syntactic_models

LEVELS = (2, 20, 8, 12, 30, 4, 6, 3, 10, 5)


def records(n_records: int, n_keys: int = 5, missing_rate: float = 0.0) -> pd.DataFrame:
    """Categories of ``LEVELS`` values, the first ones commoner, and two sensitive features, a number and a category."""
    generator = np.random.default_rng(20260101)
    columns = {}
    for i, n_levels in enumerate(LEVELS[:n_keys]):
        codes = np.minimum(generator.geometric(2.0 / (n_levels + 1), n_records), n_levels).astype(float)
        codes[generator.random(n_records) < missing_rate] = np.nan
        columns[f"key_{i}"] = codes
    columns["number"] = np.round(generator.gamma(4.0, 25.0, n_records)) % 250
    columns["category"] = pd.Series([f"C{i}" for i in range(20)])[generator.integers(0, 20, n_records)].to_numpy()
    return pd.DataFrame(columns)


def keys(frame: pd.DataFrame) -> list[str]:
    return [name for name in frame if name.startswith("key_")]


def k_l_t(frame: pd.DataFrame) -> object:
    thresholds = {"number": 10.0, "category": 0.2}
    config = {
        "categorical_qis": keys(frame),
        "continuous_qis": [],
        "sensitive_feature": ["number", "category"],
        "K": 5,
        "L": 3,
        "T": thresholds,
    }
    return assess(frame, validate_config(config))


def all_models(frame: pd.DataFrame) -> object:
    classes = form_equivalence_classes(frame, keys(frame))
    counts = {name: count_sensitive_values(classes, frame[name]) for name in ("number", "category")}
    return evaluate_syntactic_models(classes, counts)


def one_pass(frame: pd.DataFrame) -> object:
    return form_equivalence_classes(frame, keys(frame)).size


def wildcards(frame: pd.DataFrame) -> object:
    return form_equivalence_classes(frame, keys(frame)).frequency("wildcard")


def all_subsets(frame: pd.DataFrame) -> object:
    return key_sets(form_equivalence_classes(frame, keys(frame)))


def suda2(frame: pd.DataFrame) -> object:
    return special_uniques(form_equivalence_classes(frame, keys(frame)), 3).score_of_class


# Name -> the call, and the arguments of ``records``.
CALLS: dict[str, tuple[Callable[[pd.DataFrame], object], dict]] = {
    "k_l_t": (k_l_t, {}),
    "all_models": (all_models, {}),
    "one_pass": (one_pass, {}),
    "all_subsets": (all_subsets, {}),
    "wildcards": (wildcards, {"missing_rate": 0.05}),
    "wildcards_none_missing": (wildcards, {}),
    "suda2": (suda2, {}),
    "suda2_ten_keys": (suda2, {"n_keys": 10}),
}


def main() -> None:
    call, options = CALLS[sys.argv[1]]
    call(records(1_000, **options))
    frame = records(int(sys.argv[2]), **options)
    found, _ = timed(lambda: call(frame), 3)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
