"""What door 2 would flag at other thresholds, from what this run has measured: totals of the whole pilot."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from Anonymization_Models import DISTANCES, ModelResult
from disclosure_control.assess.assessment import Assessment
from disclosure_control.basics.telling.small_counts import Policy

LARGEST_K = 50
LARGEST_L = 30
STEPS_OF_T = 40
POWERS_OF_TWO = (0.25, 0.5, 1.0, 2.0, 4.0)


@dataclass(frozen=True)
class ThresholdCurve:
    """How many of the ``evaluated`` people one model flags at each threshold.

    ``thresholds`` (n,) ascend, the one in use among them; ``risky`` (n,) are people, None where the number is masked.
    """

    model: str
    sensitive: str | None
    in_use: float
    evaluated: int | None
    thresholds: tuple[float, ...]
    risky: tuple[int | None, ...]


def threshold_curves(assessment: Assessment, coarse: bool = False) -> list[ThresholdCurve]:
    """A curve per model of the run, in the order of the report, with every number.

    ``coarse``: thresholds of t are powers of two of the one in use, so that the curve shows the largest t, which may be
    of few people, no closer than the reports.
    """
    return [_curve(result, coarse) for result in assessment.results if result.n_evaluated]


def without_small_counts(curves: Sequence[ThresholdCurve], policy: Policy) -> list[ThresholdCurve]:
    """The curves as published: no two numbers differ by few people, because each step may be a group's size.

    This includes zero and all people. What the thresholds in use flag is published anyway.
    """
    return [dataclasses.replace(curve, risky=_told(curve, policy)) for curve in curves]


def _told(curve: ThresholdCurve, policy: Policy) -> tuple[int | None, ...]:
    in_use = curve.risky[curve.thresholds.index(curve.in_use)]
    told = dict.fromkeys(n for n in (0, curve.evaluated, in_use) if n is not None)
    for n in curve.risky:
        if n is not None and policy.is_apart(n, told):
            told[n] = None
    return tuple(n if n in told else None for n in curve.risky)


def _curve(result: ModelResult, coarse: bool) -> ThresholdCurve:
    flagged = _flagged_by_rising_threshold(result)
    thresholds = np.array(sorted({*_thresholds(result, coarse), float(result.threshold)}))
    if result.model == "t_closeness":
        at_most = thresholds + 1e-12 * np.maximum(
            thresholds, _unit_of_distance(result)
        )  # as ``run_t_closeness`` rounds
        risky = result.n_evaluated - flagged(at_most, "right")
    else:
        risky = flagged(thresholds, "left")
    return ThresholdCurve(
        result.model,
        result.sensitive,
        float(result.threshold),
        result.n_evaluated,
        tuple(thresholds.tolist()),
        tuple(risky.tolist()),
    )


def _flagged_by_rising_threshold(result: ModelResult) -> Callable[[np.ndarray, Literal["left", "right"]], np.ndarray]:
    """How many of the evaluated people have a measure below each threshold ("left"), or at most that ("right")."""
    seen = result.evaluated_classes
    order = np.argsort(result.of_class[seen], kind="stable")
    measured, people = result.of_class[seen][order], np.concatenate([[0], np.cumsum(result.people[seen][order])])
    return lambda thresholds, side: people[np.searchsorted(measured, thresholds, side=side)]


def _thresholds(result: ModelResult, coarse: bool) -> Iterable[float]:
    if result.model == "k_anonymity":
        return range(2, LARGEST_K + 1)
    if result.model == "l_diversity":
        return range(2, LARGEST_L + 1)
    if coarse:
        return [power * float(result.threshold) for power in POWERS_OF_TWO if result.threshold]
    # Round numbers, none of them measured: the largest distance of few people would give a value away.
    in_units = DISTANCES[str(result.distance)].in_units
    top = max(2 * float(result.threshold), result.value_range or 0.0) if in_units else 1.0
    step = float(f"{top / STEPS_OF_T:.1g}") or 1.0
    return [float(f"{step * i:.6g}") for i in range(1, STEPS_OF_T + 1)]


def _unit_of_distance(result: ModelResult) -> float:
    return result.value_range or 1.0 if DISTANCES[str(result.distance)].in_units else 1.0
