"""Measures of risk beyond k, l and t, against k, l and t, against one pass over the records, and as they grow."""

from __future__ import annotations

from made_files import HERE
from measuring import Side, measure, own_side
from results import BenchmarkOutcome, ComparisonBar, TimedComparison

INSIDE = HERE / "inside_measures.py"


def side(name: str, what: str, n_records: int) -> Side:
    return own_side(name, INSIDE, what, str(n_records), timed_inside=True)


def measures(scale: float, repeats: int) -> BenchmarkOutcome:
    """All syntactic models, wildcards and all subsets of five keys, each in processes of its own."""
    million, hundred_thousand = int(1_000_000 * scale), int(100_000 * scale)
    sides = {
        "models": side("all syntactic models, two sensitive features", "all_models", million),
        "k_l_t": side("k, l, t of two sensitive features", "k_l_t", million),
        "subsets": side("all 31 subsets of five keys", "all_subsets", million),
        "pass": side("one pass: the classes of five keys", "one_pass", million),
        "wildcards": side("wildcards, 5% missing in each key", "wildcards", hundred_thousand),
        "none missing": side("the same without missing values", "wildcards_none_missing", hundred_thousand),
    }
    found = dict(zip(sides, measure(list(sides.values()), repeats), strict=True))
    comparisons = [
        TimedComparison("measures: models", found["models"], found["k_l_t"], ComparisonBar(2.0)),
        TimedComparison("measures: wildcards", found["wildcards"], found["none missing"], ComparisonBar(5.0)),
        TimedComparison("measures: subsets", found["subsets"], found["pass"], ComparisonBar(3.0)),
    ]
    return BenchmarkOutcome(comparisons, [])
