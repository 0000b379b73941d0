"""The figures of an assessment that may be masked, by the policy of their reader."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from Anonymization_Models import DISTANCES, ModelResult, SensitiveCounts
from disclosure_control.assess.assessment import Assessment
from disclosure_control.basics.encoding.binning import Binning
from disclosure_control.basics.encoding.columns import EncodedColumn, labels_of
from disclosure_control.basics.telling.plain import WHERE_FOUND
from disclosure_control.basics.telling.small_counts import MissingShown, Policy, count_text, hidden_groups

Told = dict[str, int | None]


def gaps_of(policy: Policy, assessment: Assessment) -> dict[str, MissingShown]:
    """How the groups without a value are published, by quasi-identifier.

    The number of people who lack any of them is a total of the pilot, the people whom "exclude" leaves out. If only one
    column has missing values, that is its number. If the number of one column is hidden, and the published ones do not
    add up to the total, the rest would narrow the hidden ones down; so it would if few people lack other columns alone.
    """
    classes = assessment.classes
    columns = dict(zip(assessment.config.quasi_identifiers, classes.columns_of_classes, strict=True))
    n_missing = {name: n for name, column in columns.items() if (n := _n_without_value(column, classes.size))}
    if len(n_missing) == 1:
        return dict.fromkeys(columns, MissingShown.LIKE_ANY_GROUP) | dict.fromkeys(n_missing, MissingShown.KNOWN)
    n_excluded = assessment.missing_policies["exclude"]["not_evaluated"]
    told = {
        name: n for name, n in n_missing.items() if not hidden_groups(policy, columns[name], people=classes.size)[0]
    }
    lack_others_alone = n_excluded - np.array(list(n_missing.values()), dtype=int)
    is_narrow = len(told) < len(n_missing) and sum(told.values()) < n_excluded
    is_narrow |= bool(policy.are_small(lack_others_alone).any())
    return dict.fromkeys(columns, MissingShown.HIDDEN if is_narrow else MissingShown.LIKE_ANY_GROUP)


def told_outside(policy: Policy, assessment: Assessment) -> dict[str, Told]:
    """People without a value (``missing``), ``below`` and ``above`` the edges, by column; None where it is masked.

    Quasi-identifiers come first, then sensitive features; of a column without bins, nobody is below or above. Missing
    and the tails are groups of the column: whichever ``shares_by_group`` hides is hidden here too. Without a value of
    a sensitive feature is who is not assessable, a total of the pilot.
    """
    config, binnings, classes = assessment.config, assessment.binnings, assessment.classes
    columns = dict(zip(config.quasi_identifiers, classes.columns_of_classes, strict=True))
    gaps = gaps_of(policy, assessment)
    told = {
        name: _of_quasi_identifier(policy, column, classes.size, binnings.get(name), gaps[name])
        for name, column in columns.items()
    }
    if MissingShown.HIDDEN in gaps.values():  # zeros of other columns would say of which one they are
        told = {name: {**one, "missing": one["missing"] or None} for name, one in told.items()}
    return told | {
        name: _of_sensitive_feature(policy, assessment.counts[name], binnings.get(name))
        for name in config.sensitive_features
    }


def _n_without_value(column: EncodedColumn, people: np.ndarray) -> int:
    return int(people[column.codes < 0].sum())


def _of_quasi_identifier(
    policy: Policy, column: EncodedColumn, people: np.ndarray, binning: Binning | None, gaps: MissingShown
) -> Told:
    hidden = hidden_groups(policy, column, gaps=gaps, people=people)
    n_missing = _n_without_value(column, people)
    counts: Told = {"missing": n_missing, "below": 0, "above": 0}
    if binning is None:
        return {**counts, "missing": None if hidden[0] else n_missing}
    parts = {"missing": binning.n_missing, "below": binning.n_below, "above": binning.n_above}
    if binning.policy == "missing":  # those out of range are part of the group without a value
        parts_hidden = policy.hidden_parts(np.array(list(parts.values()))) | hidden[0]
    else:
        tails = [label[:1] for label in labels_of(column)]
        of_tail = {sign: bool(hidden[1:][tails.index(sign)]) if sign in tails else False for sign in "<>"}
        parts_hidden = np.array([hidden[0], of_tail["<"], of_tail[">"]])
    return _masked(parts, parts_hidden)


def _of_sensitive_feature(policy: Policy, counted: SensitiveCounts, binning: Binning | None) -> Told:
    n_missing = counted.n_without_value
    if binning is None:
        return {"missing": n_missing, "below": 0, "above": 0}
    n_inside = int(counted.people_of_value().sum()) - binning.n_below - binning.n_above
    hidden = policy.hidden_parts(np.array([binning.n_below, binning.n_above, n_inside]))
    return {"missing": n_missing, **_masked({"below": binning.n_below, "above": binning.n_above}, hidden[:2])}


def _masked(parts: dict[str, int], hidden: Sequence[bool] | np.ndarray) -> Told:
    return {name: None if hides and n else n for (name, n), hides in zip(parts.items(), hidden, strict=True)}


def told_maximum(policy: Policy, result: ModelResult) -> float | tuple[float, float] | None:
    """The largest t as published: three digits, or bounds if a class that is so far has few people.

    The bounds are neighbours among the threshold T times the powers of two. None if nothing was evaluated.
    """
    if result.worst is None:
        return None
    farthest = result.evaluated_classes & (result.people > 0) & (result.of_class == result.worst)
    is_share = result.distance is not None and not DISTANCES[result.distance].in_units
    most = 1.0 if is_share else math.inf
    return policy.extreme(result.worst, int(result.people[farthest].min()), result.threshold or 1.0, most)


def told_range(policy: Policy, result: ModelResult, counted: SensitiveCounts) -> float | None:
    """The range of a sensitive feature's values, where its least and its largest value are each of many people."""
    values = counted.values
    if result.value_range is None or not counted.is_numeric:
        return None
    people_of_value = counted.people_of_value()
    ends = [people_of_value[values == end(values)].sum() for end in (np.min, np.max)]
    return result.value_range if min(ends) >= policy.threshold else None


def threshold_share_of_range(policy: Policy, result: ModelResult, counted: SensitiveCounts) -> float | None:
    """T as a share of the range of the values; in one digit if the range itself may not be published."""
    share = result.share_of_range(result.threshold)
    return share if share is None or told_range(policy, result, counted) is not None else float(f"{share:.1g}")


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
