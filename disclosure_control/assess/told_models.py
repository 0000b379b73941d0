"""What is told of k, l and t: how many people each model flags, as a reader may see it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from Anonymization_Models import ModelResult
from disclosure_control.assess.assessment import Assessment
from disclosure_control.assess.told import threshold_share_of_range, told_maximum, told_outside, told_range
from disclosure_control.basics.telling.plain import WHERE_FOUND
from disclosure_control.basics.telling.small_counts import Policy, count_text


@dataclass(frozen=True)
class ToldModel:
    """How many people one model flags; None where masked, and the ``total`` where it is reported elsewhere.

    Where nobody was evaluated, nobody was counted: ``risky`` is None then as well.
    """

    threshold: float
    total: int | None = field(metadata=WHERE_FOUND)
    evaluated: int | None
    not_evaluated: int | None
    risky: int | None
    risky_rate: float | None

    @property
    def worst(self) -> str:
        """The riskiest value of an evaluated record, where it is reported."""
        return "-"

    @property
    def at_risk(self) -> str:
        """The people whom it flags, as a cell."""
        return "-" if self.evaluated == 0 else count_text(self.risky, ",")


@dataclass(frozen=True)
class ToldSizes(ToldModel):
    """k or l: ``minimum`` is the least of an evaluated record."""

    minimum: float | None = None

    @classmethod
    def of(cls, result: ModelResult, total: int | None = None) -> ToldSizes:
        """k or l."""
        return cls(*_people(result, total), minimum=result.worst)

    @property
    def worst(self) -> str:
        """The least."""
        return "-" if self.minimum is None else f"{self.minimum:.6g}"


@dataclass(frozen=True)
class ToldCloseness(ToldModel):
    """t: the ``maximum`` of an evaluated record, or what it is between where it is of few people.

    From the distance of few people their values could be calculated.
    """

    maximum: float | None = None
    maximum_between: Sequence[float] | None = None
    distance: str | None = None

    @classmethod
    def of(cls, policy: Policy, result: ModelResult, total: int | None = None) -> ToldCloseness:
        """t as the reader may see it."""
        maximum = told_maximum(policy, result)
        between = list(maximum) if isinstance(maximum, tuple) else None
        at_most = None if isinstance(maximum, tuple) else maximum
        return cls(*_people(result, total), maximum=at_most, maximum_between=between, distance=result.distance)

    @property
    def worst(self) -> str:
        """The largest distance, or its bounds."""
        if self.maximum_between:
            return "{:g} to {:g}".format(*self.maximum_between)
        return "-" if self.maximum is None else f"{self.maximum:.6g}"


@dataclass(frozen=True)
class ToldClosenessByRange(ToldCloseness):
    """The same beside the range of the values."""

    value_range: float | None = None
    threshold_share_of_range: float | None = None
    not_assessable: int | None = None


@dataclass(frozen=True)
class ToldAssessment:
    """The part of the JSON summary on k, l and t."""

    k_anonymity: ToldModel
    l_diversity: Mapping[str, ToldModel]
    t_closeness: Mapping[str, ToldModel]
    missing_qis: str
    missing_policies: Mapping[str, Mapping[str, int | None]]
    out_of_range: Mapping[str, Mapping[str, int | str | None]]
    notices: Sequence[str]


def told_assessment(policy: Policy, assessment: Assessment, notices: Sequence[str] = ()) -> ToldAssessment:
    """The assessment as the reader may see it; ``notices`` are sentences about the inputs, added to its own."""
    outside = told_outside(policy, assessment)
    return ToldAssessment(
        k_anonymity=ToldSizes.of(assessment.k_anonymity, assessment.k_anonymity.n_total),
        l_diversity={name: ToldSizes.of(result, result.n_total) for name, result in assessment.l_diversity.items()},
        t_closeness={name: _closeness(policy, result, assessment) for name, result in assessment.t_closeness.items()},
        missing_qis=assessment.config.missing_qis,
        missing_policies=assessment.missing_policies,
        out_of_range={
            name: {"below": outside[name]["below"], "above": outside[name]["above"], "policy": binning.policy}
            for name, binning in assessment.binnings.items()
        },
        notices=[*notices, *assessment.notices],
    )


def _people(
    result: ModelResult, total: int | None
) -> tuple[float, int | None, int | None, int | None, int | None, float | None]:
    not_evaluated = result.n_total - result.n_evaluated
    n_risky = result.n_risky if result.n_evaluated else None
    return result.threshold, total, result.n_evaluated, not_evaluated, n_risky, result.risky_rate


def _closeness(policy: Policy, result: ModelResult, assessment: Assessment) -> ToldClosenessByRange:
    counted = assessment.counts[str(result.sensitive)]
    return ToldClosenessByRange(
        **vars(ToldCloseness.of(policy, result, result.n_total)),
        value_range=told_range(policy, result, counted),
        threshold_share_of_range=threshold_share_of_range(policy, result, counted),
        not_assessable=assessment.k_anonymity.n_evaluated - result.n_evaluated,
    )
