"""k, l and t as shared outside: every count apart from every other published one, and no extreme."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

from disclosure_control.assess.threshold_curves import ThresholdCurve
from disclosure_control.assess.told import ToldAssessment, ToldModel
from disclosure_control.basics.telling.class_divisions import many_divisions
from disclosure_control.basics.telling.told_outside import STRICT, ToldCounts


def assessment_outside(told: ToldAssessment, counts: ToldCounts) -> ToldAssessment:
    """The part of the models and the policies that may be shared."""
    k = told.k_anonymity
    return replace(
        told,
        k_anonymity=k_outside(k, counts),
        l_diversity={name: model_outside(one, counts) for name, one in told.l_diversity.items()},
        t_closeness={name: model_outside(one, counts) for name, one in told.t_closeness.items()},
        missing_policies={
            name: {"evaluated": outside.evaluated, "risky": outside.risky}
            for name, one in told.missing_policies.items()
            for outside in [k_outside(ToldModel(k.threshold, None, one["evaluated"], None, one["risky"], None), counts)]
        },
        out_of_range={},
        notices=(),
    )


def k_outside(told: ToldModel, counts: ToldCounts) -> ToldModel:
    """The same of k; where those at risk, or the others, divide into classes in few ways, they are masked."""
    k, risky, evaluated = told.threshold, told.risky, told.evaluated
    is_open = risky is not None and evaluated is not None and many_divisions({int(k): risky}, evaluated, STRICT) != {}
    return model_outside(told if is_open else replace(told, risky=None), counts)


def model_outside(told: ToldModel, counts: ToldCounts) -> ToldModel:
    """Counts and share of a model, without the extreme."""
    total = counts.tell(counts.n_people)
    evaluated = None if total is None else counts.tell(told.evaluated)
    risky = None if evaluated is None else counts.tell(told.risky, evaluated)
    not_evaluated = None if total is None or evaluated is None else total - evaluated
    rate = None if risky is None or not evaluated else risky / evaluated
    return ToldModel(told.threshold, total, evaluated, not_evaluated, risky, rate)


def curves_outside(curves: Sequence[ThresholdCurve], told: ToldAssessment, counts: ToldCounts) -> list[ThresholdCurve]:
    """The curves of the models, masked as ``told`` for outside; ``curves`` are the exact ones, ``coarse``."""
    models = {"l_diversity": told.l_diversity, "t_closeness": told.t_closeness}
    return [
        _curve(one, told.k_anonymity if one.sensitive is None else models[one.model][one.sensitive], counts)
        for one in curves
    ]


def _curve(curve: ThresholdCurve, told: ToldModel, counts: ToldCounts) -> ThresholdCurve:
    evaluated, in_use = told.evaluated, told.risky
    if evaluated is None:
        return replace(curve, evaluated=None, risky=(None,) * len(curve.risky))
    risky = [
        in_use if at == curve.in_use else counts.tell_between(n, evaluated)
        for at, n in zip(curve.thresholds, curve.risky, strict=True)
    ]
    if curve.model == "k_anonymity":
        told_numbers = {int(k): n for k, n in zip(curve.thresholds, risky, strict=True) if n is not None}
        open_ones = many_divisions(told_numbers, evaluated, STRICT, kept=[int(curve.in_use)])
        risky = [open_ones.get(int(k)) for k in curve.thresholds]
    is_rising = curve.model != "t_closeness"
    risky = _with_what_follows(risky if is_rising else risky[::-1], evaluated)
    return replace(curve, evaluated=evaluated, risky=tuple(risky if is_rising else risky[::-1]))


def _with_what_follows(rising: Sequence[int | None], most: int) -> list[int | None]:
    """Rising counts with those filled in that are between two equal ones: they are known all the same."""
    low = list(itertools.accumulate((0 if n is None else n for n in rising), max))
    high = list(itertools.accumulate((most if n is None else n for n in reversed(rising)), min))[::-1]
    return [one if one == other else None for one, other in zip(low, high, strict=True)]
