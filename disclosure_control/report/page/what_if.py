"""What door 2 would flag at other thresholds, from what this run has measured: totals of the whole pilot."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from Anonymization_Models import ModelResult
from disclosure_control.assess.assessment import Assessment
from disclosure_control.basics.small_counts import SmallCounts

LARGEST_K = 50
LARGEST_L = 30
STEPS_OF_T = 40


@dataclass(frozen=True)
class ThresholdCurve:
    """How many of the ``evaluated`` people one model flags at each threshold.

    ``thresholds`` (n,) ascend, the one in use among them; ``risky`` (n,) are people, None where the number is masked.
    """

    model: str
    sensitive: str | None
    in_use: float
    evaluated: int
    thresholds: tuple[float, ...]
    risky: tuple[int | None, ...]


def threshold_curves(assessment: Assessment, small_counts: SmallCounts) -> list[ThresholdCurve]:
    """A curve per model of the run, in the order of the report. No step of a curve names or describes anybody."""
    return [_curve(result, small_counts) for result in assessment.results if result.n_evaluated]


def _curve(result: ModelResult, small_counts: SmallCounts) -> ThresholdCurve:
    measured = np.sort(result.measure[result.evaluated])
    thresholds = np.array(sorted({*_thresholds(result), result.threshold}))
    if result.model == "t_closeness":
        risky = len(measured) - np.searchsorted(measured, thresholds, side="right")
    else:
        risky = np.searchsorted(measured, thresholds, side="left")
    told = _told(risky, result.n_risky, result.n_evaluated, small_counts)
    return ThresholdCurve(
        result.model, result.sensitive, float(result.threshold), result.n_evaluated, tuple(thresholds.tolist()), told
    )


def _told(risky: np.ndarray, in_use: int, n_evaluated: int, small_counts: SmallCounts) -> tuple[int | None, ...]:
    """The totals as they may be told: no two differ by few people, for of one column each step tells a group's size.

    Told anyway are those ``in_use``, where small counts are not hidden everywhere.
    """
    told: dict[int, None] = {0: None, n_evaluated: None}
    if not small_counts.is_strict:
        told[in_use] = None
    for n in risky.tolist():
        if all(other == n or abs(other - n) >= small_counts.threshold for other in told):
            told[n] = None
    return tuple(n if n in told else None for n in risky.tolist())


def _thresholds(result: ModelResult) -> Iterable[float]:
    if result.model == "k_anonymity":
        return range(2, LARGEST_K + 1)
    if result.model == "l_diversity":
        return range(2, LARGEST_L + 1)
    # Round numbers, none of them measured: the largest distance of few people would give a value away.
    top = 1.0 if result.distance != "wasserstein" else max(2 * result.threshold, result.value_range or 0.0)
    step = float(f"{top / STEPS_OF_T:.1g}") or 1.0
    return [float(f"{step * i:.6g}") for i in range(1, STEPS_OF_T + 1)]
