"""The step ``fairness``: who has the favourable outcome, and whom the anonymisation affects most.

Rates of two groups, their difference and their ratio, each with its interval; and by group who bears the anonymisation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from Anonymization_Models import apply_feature_binning
from disclosure_control.analyses.fairness.burden import burden_by_group, by_share, folded
from disclosure_control.analyses.fairness.outcome import FavourableOutcome, outcome_of
from disclosure_control.analyses.fairness.report import fairness_sections
from disclosure_control.analyses.fairness.settings import FairnessSettings
from disclosure_control.analyses.fairness.told import FairnessTold, MeasureByGroup, RatesTold
from disclosure_control.assess.told import gaps_of
from disclosure_control.basics.encoding.columns import EncodedColumn, code_of_value, encode_column, labels_of
from disclosure_control.basics.telling.faults import stop_at
from disclosure_control.basics.telling.small_counts import (
    SMALLEST_PRINTED_GROUP,
    GroupShare,
    MissingShown,
    Policy,
    told_parts,
)
from disclosure_control.measures.group_fairness import TwoGroups
from disclosure_control.steps.running import StepInput, StepResult, StepTold

ALL_OTHERS = "(all others)"
TOO_FEW_TO_TELL = (
    f"fewer than {SMALLEST_PRINTED_GROUP} people of a group are compared, or are favoured, or are not; rates of so few "
    "people disclose the outcome of each"
)


def run_step(step: StepInput[FairnessSettings]) -> StepResult:
    """The figures of both questions, and their section; only files name groups."""
    settings: FairnessSettings = step.settings
    groups = encode_column(groups_of(step))
    treated = step.earlier["treatment"].outcome if "treatment" in step.earlier else None

    def tell(policy: Policy) -> StepTold:
        missing = gaps_of(policy, step.assessment).get(settings.sensitive, MissingShown.LIKE_ANY_GROUP)
        burden = burden_by_group(policy, groups, step.assessment, treated, step.dataset.everybody.typed_table, missing)
        found = fairness_of(policy, groups, settings, step.dataset.everybody.text[settings.favourable.column], burden)
        return StepTold(found, fairness_sections(policy, step.pilot, found))

    return StepResult.told_by(tell)


def groups_of(step: StepInput[FairnessSettings]) -> pd.Series:
    """The column of the groups: a quasi-identifier as evaluated, in its bins, and any other one unchanged."""
    config, name = step.assessment.config, step.settings.sensitive
    if name not in config.quasi_identifiers:
        return step.dataset.everybody.text[name]
    return apply_feature_binning(step.dataset.everybody.frame, config.binning_config, config.out_of_range)[0][name]


def fairness_of(
    policy: Policy,
    groups: EncodedColumn,
    settings: FairnessSettings,
    outcome: pd.Series,
    burden: Sequence[MeasureByGroup] = (),
) -> FairnessTold:
    """The figures under ``fairness``: people, rates, difference and ratio with their intervals, M, by group.

    ``groups`` and ``outcome``, the column of the favourable rule, have one row per person. People without an outcome or
    a group are counted and not compared. If fewer than ten people of a group are compared, favoured or not favoured,
    the figures are None, and ``not_told`` has the reason; if so few are not compared that the number of the others is
    masked, the groups' sizes are None and the figures have two digits. Raises ``FaultyInputError`` if a compared group
    is empty.
    """
    rule = settings.favourable
    found = outcome_of(outcome, rule)
    reference, group = _compared(groups, settings)
    usable = found.known & (reference | group)
    both = _two_groups(reference & usable, group & usable, found.favourable)
    people = {
        "compared": int(usable.sum()),
        "without_outcome": int((~found.known).sum()),
        "without_group": int((found.known & (groups.codes < 0)).sum()),
        "in_other_groups": int((found.known & (groups.codes >= 0) & ~(reference | group)).sum()),
    }
    told_people = told_parts(policy, people)
    return FairnessTold(
        favourable=rule,
        favourable_values_of_nobody=found.n_values_of_nobody,
        sensitive=settings.sensitive,
        reference=str(settings.reference),
        group=ALL_OTHERS if settings.group is None else str(settings.group),
        people={"total": len(outcome), **told_people},
        rates=_rates_told(policy, both, are_exact=told_people["compared"] is not None),
        by_group=_by_group(policy, groups, found, (reference, group) if _can_be_told(policy, both) else ()),
        anonymisation=burden,
    )


def _can_be_told(policy: Policy, both: TwoGroups) -> bool:
    favoured = (both.n_reference_favourable, both.n_group_favourable)
    sizes = (both.n_reference, both.n_group)
    counts = [(n, n_favoured, n - n_favoured) for n, n_favoured in zip(sizes, favoured, strict=True)]
    return not policy.are_small(np.array(counts)).any()


def _compared(groups: EncodedColumn, settings: FairnessSettings) -> tuple[np.ndarray, np.ndarray]:
    """The members of the reference group and of the sensitive one, (n_records,) of bool each."""
    values = {"reference": settings.reference, "group": settings.group}
    codes = {name: code_of_value(groups, value) for name, value in values.items() if value is not None}
    faults = [
        f"fairness[{name!r}]: nobody has this value in column {settings.sensitive!r}, which has "
        f"{len(groups.labels)} different ones; write it as the dataset does"
        for name, code in codes.items()
        if code is None
    ]
    if not faults and codes["reference"] == codes.get("group"):
        faults.append("fairness['group']: the same as the reference; name another group, or none for all others")
    stop_at(faults)
    reference = groups.codes == codes["reference"]
    group = groups.codes == codes["group"] if "group" in codes else (groups.codes >= 0) & ~reference
    return reference, group


def _two_groups(reference: np.ndarray, group: np.ndarray, favourable: np.ndarray) -> TwoGroups:
    counts = [int(who.sum()) for who in (reference, reference & favourable, group, group & favourable)]
    faults = [
        f"fairness: the {name} has nobody whose outcome is known, so there is nothing to compare; name another"
        for name, n in (("reference group", counts[0]), ("sensitive group", counts[2]))
        if n == 0
    ]
    stop_at(faults)
    return TwoGroups(*counts)


def _rates_told(policy: Policy, both: TwoGroups, are_exact: bool) -> RatesTold:
    if not _can_be_told(policy, both):
        return RatesTold(not_told=TOO_FEW_TO_TELL)
    ratio_interval = both.ratio_interval()
    told = RatesTold(
        n_reference=both.n_reference,
        n_group=both.n_group,
        reference_rate=both.reference_rate,
        group_rate=both.group_rate,
        statistical_parity_difference=both.statistical_parity_difference,
        statistical_parity_difference_95=list(both.difference_interval()),
        disparate_impact=both.disparate_impact,
        disparate_impact_95=None if ratio_interval is None else list(ratio_interval),
        disparate_impact_inverse=both.disparate_impact_inverse,
        disparate_impact_inverse_95=None if ratio_interval is None else [1 / one for one in reversed(ratio_interval)],
        meets_four_fifths=both.meets_four_fifths,
        massaging_label_changes=both.massaging_label_changes,
    )
    if are_exact:
        return told
    rounded = {name: _to_two_digits(value) for name, value in vars(told).items()}
    return RatesTold(**{**rounded, "n_reference": None, "n_group": None})


def _to_two_digits(value: Any) -> Any:
    if isinstance(value, list):
        return [_to_two_digits(one) for one in value]
    return float(f"{value:.2g}") if isinstance(value, float) else value


def _by_group(
    policy: Policy, groups: EncodedColumn, outcome: FavourableOutcome, told: tuple[np.ndarray, ...]
) -> list[GroupShare]:
    """The shares of all groups; ``told`` are those (n_records,) of bool whose figures are reported as well.

    Small groups are hidden within each of these and within the rest, so that no difference of two figures gives a
    small group.
    """
    rest = ~np.logical_or.reduce([np.zeros(len(outcome.known), dtype=bool), *told])
    shares: list[GroupShare] = []
    for part in (*told, rest):
        shares += folded(policy, groups, outcome.known, outcome.favourable, "favoured", part)
    names = set(labels_of(groups)) | {"missing"}
    named = by_share([share for share in shares if share.group in names])
    return named + [share for share in shares if share.group not in names]
