"""What a treatment cost: a registry of measures of (original records, released records, roles of the columns).

    original = OriginalPilot(df, config)
    utility = measure_utility(original.compare(released))
    utility.figures["IL1_overall"], utility.n_values_lost

Values that were compared, and values that could not be, are counted beside the figures.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from disclosure_control.analyses.sweep.utility import changes
from disclosure_control.analyses.sweep.utility.comparison import Comparison, OriginalPilot

__all__ = ["MEASURES", "Comparison", "OriginalPilot", "Utility", "UtilityMeasure", "measure_utility"]


@dataclass(frozen=True)
class UtilityMeasure:
    """One measure: its ``function`` of a comparison gives its figure; None where it has none.

    ``larger_is_worse`` gives the direction; figures lie in [``low``, ``high``] (None: no bound). ``unchanged`` is the
    figure of data that were not changed, None where that depends on the data. ``words`` are for reports.
    """

    function: Callable[[Comparison], float | None]
    words: str
    larger_is_worse: bool = True
    low: float | None = 0.0
    high: float | None = None
    unchanged: float | None = 0.0


# In the order of the table; the first four are the published sweep's.
MEASURES: dict[str, UtilityMeasure] = {
    "IL1_numeric": UtilityMeasure(changes.il1_numeric, "how far numbers moved, as a share of their range"),
    "IL1_categorical": UtilityMeasure(changes.il1_categorical, "share of changed categories", high=1.0),
    "IL1_overall": UtilityMeasure(changes.il1_overall, "how much was changed, numbers and categories"),
    "eigenvalue_similarity_percent": UtilityMeasure(
        changes.eigenvalue_similarity_percent,
        "how far the correlations survived, by their eigenvalues",
        larger_is_worse=False,
        low=-100.0,
        high=100.0,
        unchanged=100.0,
    ),
    "IL1_mean": UtilityMeasure(changes.il1_mean, "how much was changed, per column with a role"),
    "IL1s": UtilityMeasure(changes.il1s, "how far numbers moved, in standard deviations, summed up"),
    "eigenvalue_distance": UtilityMeasure(
        changes.eigenvalue_distance, "relative change of the eigenvalues of the correlations"
    ),
}


@dataclass(frozen=True)
class Utility:
    """What a treatment cost: ``figures`` by measure, and the data they were measured on.

    ``n_compared`` records of ``n_original`` are still there, ``n_removed`` are not. In the columns measured
    ``n_values_lost`` values of the records still there are suppressed or dropped, and ``n_values_unread``
    released values of numeric columns represent no known number (``>90``): both count as lost in full.
    """

    figures: dict[str, float | None]
    n_original: int
    n_compared: int
    n_removed: int
    n_values_lost: int
    n_values_unread: int


def measure_utility(comparison: Comparison, measures: Mapping[str, UtilityMeasure] = MEASURES) -> Utility:
    """Every measure of one comparison, by name."""
    columns = comparison.columns.values()
    return Utility(
        figures={name: measure.function(comparison) for name, measure in measures.items()},
        n_original=comparison.n_original,
        n_compared=comparison.n_compared,
        n_removed=comparison.n_removed,
        n_values_lost=sum(column.n_lost for column in columns),
        n_values_unread=sum(column.n_unread for column in columns),
    )
