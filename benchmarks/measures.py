"""Measures of risk beyond k, l and t, against k, l and t, against one pass over the records, and as they grow."""

from __future__ import annotations

from made_files import HERE
from measuring import Side, measure, own_side
from results import BenchmarkOutcome, ComparisonBar, TimedComparison

INSIDE = HERE / "inside_measures.py"


def side(name: str, what: str, n_records: int) -> Side:
    return own_side(name, INSIDE, what, str(n_records), timed_inside=True)


def measures(scale: float, repeats: int) -> BenchmarkOutcome:
    """All syntactic models, wildcards, all subsets of five keys, and SUDA2, each in processes of its own."""
    million, hundred_thousand = int(1_000_000 * scale), int(100_000 * scale)
    sides = {
        "models": side("all syntactic models, two sensitive features", "all_models", million),
        "k_l_t": side("k, l, t of two sensitive features", "k_l_t", million),
        "subsets": side("all 31 subsets of five keys", "all_subsets", million),
        "pass": side("one pass: the classes of five keys", "one_pass", million),
        "wildcards": side("wildcards, 5% missing in each key", "wildcards", hundred_thousand),
        "none missing": side("the same without missing values", "wildcards_none_missing", hundred_thousand),
        "suda2": side("SUDA2, five keys, 1,000,000 records", "suda2", million),
        "suda2 tenth": side("SUDA2, five keys, 100,000 records", "suda2", hundred_thousand),
        "suda2 ten": side("SUDA2, ten keys, 100,000 records", "suda2_ten_keys", hundred_thousand),
    }
    found = dict(zip(sides, measure(list(sides.values()), repeats), strict=True))
    comparisons = [
        TimedComparison("measures: models", found["models"], found["k_l_t"], ComparisonBar(2.0)),
        TimedComparison("measures: wildcards", found["wildcards"], found["none missing"], ComparisonBar(5.0)),
        TimedComparison("measures: subsets", found["subsets"], found["pass"], ComparisonBar(3.0)),
        TimedComparison(
            "measures: SUDA2,\nper record",
            found["suda2"],
            found["suda2 tenth"],
            ComparisonBar(1.5),
            (million, hundred_thousand),
        ),
        TimedComparison("measures: SUDA2,\nten keys, beside", found["suda2 ten"], found["suda2 tenth"], None),
    ]
    return BenchmarkOutcome(comparisons, [])
