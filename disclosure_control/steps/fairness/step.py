"""The step ``fairness``: who gets the favourable outcome, and whom the anonymisation hits most.

Rates of two groups, their difference and their ratio, each with its interval, in all and within strata, since a
difference in all may vanish, or turn round, among people who are alike.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
import pandas as pd

from Anonymization_Models import form_equivalence_classes
from disclosure_control.basics.columns import EncodedColumn, code_of_value, encode_column, labels_of
from disclosure_control.basics.faults import FaultyInputError
from disclosure_control.basics.small_groups import SMALLEST_PRINTED_GROUP
from disclosure_control.measures.group_fairness import FOUR_FIFTHS, TwoGroups, pool_strata
from disclosure_control.steps.fairness.burden import burden_by_group, folded
from disclosure_control.steps.fairness.outcome import Outcome, outcome_of
from disclosure_control.steps.fairness.report import fairness_report, first_lines
from disclosure_control.steps.fairness.settings import FairnessSettings
from disclosure_control.steps.running import StepInput, StepResult

ALL_OTHERS = "(all others)"
TOO_FEW_TO_TELL = (
    f"fewer than {SMALLEST_PRINTED_GROUP} people of a group are compared: rates of so few would tell of each of them"
)


def run_step(step: StepInput) -> StepResult:
    """The figures of both questions, and their section; groups are named in the files alone."""
    settings: FairnessSettings = step.settings
    frame = seen_frame(step, settings)
    figures = fairness_of(frame, settings, step.dataset.table[settings.favourable.column])
    groups = encode_column(frame[settings.sensitive])
    treated = step.earlier["treatment"].outcome if "treatment" in step.earlier else None
    figures["anonymisation"] = burden_by_group(groups, step.assessment, treated, step.dataset.typed_table)
    return StepResult(
        figures,
        fairness_report(figures),
        first_lines=first_lines(figures),
        screen=fairness_report(figures, for_screen=True),
    )


def seen_frame(step: StepInput, settings: FairnessSettings) -> pd.DataFrame:
    """The columns of groups and strata: quasi-identifiers as evaluated, in bins, and any others as they are."""
    binned, table = step.assessment.binned, step.dataset.table
    names = (settings.sensitive, *settings.strata)
    of_config = step.assessment.config.quasi_identifiers
    return pd.DataFrame({name: binned[name] if name in of_config else table[name] for name in names})


def fairness_of(frame: pd.DataFrame, settings: FairnessSettings, outcome: pd.Series | None = None) -> dict:
    """The figures under ``fairness``: people, rates, difference and ratio with their intervals, M, by group, strata.

    ``frame`` has one row per person; ``outcome`` is the column of the favourable rule, by default that of the frame.
    Whoever lacks the outcome or the group is counted and not compared. Where fewer than ten people of a group are
    compared the figures are None, and ``not_told`` says why. Raises ``FaultyInputError`` where a group that is
    compared has nobody.
    """
    rule = settings.favourable
    found = outcome_of(frame[rule.column] if outcome is None else outcome, rule)
    groups = encode_column(frame[settings.sensitive])
    reference, group = _compared(groups, settings)
    usable = found.known & (reference | group)
    both = _two_groups(reference & usable, group & usable, found.favourable)
    figures = {
        "favourable": rule.figures(),
        "favourable_values_of_nobody": found.n_values_of_nobody,
        "sensitive": settings.sensitive,
        "reference": str(settings.reference),
        "group": ALL_OTHERS if settings.group is None else str(settings.group),
        "people": {
            "total": len(frame),
            "compared": int(usable.sum()),
            "without_outcome": int((~found.known).sum()),
            "without_group": int((found.known & (groups.codes < 0)).sum()),
            "in_other_groups": int((found.known & (groups.codes >= 0) & ~(reference | group)).sum()),
        },
        **_figures_of(both),
        "by_group": _by_group(groups, found, (reference, group) if _can_be_told(both) else ()),
    }
    if settings.strata:
        figures["within_strata"] = _within_strata(frame, settings.strata, usable, reference, found.favourable)
    return figures


def _can_be_told(both: TwoGroups) -> bool:
    return min(both.n_reference, both.n_group) >= SMALLEST_PRINTED_GROUP


def _compared(groups: EncodedColumn, settings: FairnessSettings) -> tuple[np.ndarray, np.ndarray]:
    """Who belongs to the reference group and who to the sensitive one, (n_records,) of bool each."""
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
    if faults:
        raise FaultyInputError(faults)
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
    if faults:
        raise FaultyInputError(faults)
    return TwoGroups(*counts)


def _figures_of(both: TwoGroups) -> dict:
    ratio_interval = both.ratio_interval()
    inverse = None if ratio_interval is None else [1 / ratio_interval[1], 1 / ratio_interval[0]]
    figures = {
        "n_reference": both.n_reference,
        "n_group": both.n_group,
        "reference_rate": both.reference_rate,
        "group_rate": both.group_rate,
        "statistical_parity_difference": both.statistical_parity_difference,
        "statistical_parity_difference_95": list(both.difference_interval()),
        "disparate_impact": both.disparate_impact,
        "disparate_impact_95": None if ratio_interval is None else list(ratio_interval),
        "disparate_impact_inverse": both.disparate_impact_inverse,
        "disparate_impact_inverse_95": inverse,
        "meets_four_fifths": both.meets_four_fifths,
        "massaging_label_changes": both.massaging_label_changes,
    }
    is_told = _can_be_told(both)
    figures = figures if is_told else dict.fromkeys(figures)
    return {**figures, "four_fifths_line": FOUR_FIFTHS, "not_told": None if is_told else TOO_FEW_TO_TELL}


def _by_group(groups: EncodedColumn, outcome: Outcome, told: tuple[np.ndarray, ...]) -> list[dict]:
    """The shares of all groups; ``told`` are those (n_records,) of bool whose figures stand beside them.

    Small groups are hidden within each of these and within the rest, so that taking one figure from another leaves no
    small group either.
    """
    rest = outcome.known & ~np.logical_or.reduce([np.zeros(len(outcome.known), dtype=bool), *told])
    shares: list[dict] = []
    for part in (*(part & outcome.known for part in told), rest):
        shares += folded(groups, part, outcome.favourable, "favoured")
    names = set(labels_of(groups)) | {"missing"}
    named = sorted((share for share in shares if share["group"] in names), key=lambda share: -share["favoured_rate"])
    return named + [share for share in shares if share["group"] not in names]


def _within_strata(
    frame: pd.DataFrame, strata: Sequence[str], usable: np.ndarray, reference: np.ndarray, favourable: np.ndarray
) -> dict:
    """One count over (stratum, group, outcome), and what is pooled of it; a missing value is a stratum of its own."""
    classes = form_equivalence_classes(frame[usable], list(strata))
    cell = 4 * classes.class_of_record + 2 * ~reference[usable] + favourable[usable]
    n = np.bincount(cell, minlength=4 * classes.n_classes).reshape(-1, 4)
    counts = np.column_stack([n[:, 0] + n[:, 1], n[:, 1], n[:, 2] + n[:, 3], n[:, 3]])
    figures = {"columns": list(strata), **dataclasses.asdict(pool_strata(counts)), "not_told": None}
    with_both = counts[(counts[:, 0] > 0) & (counts[:, 2] > 0)]
    if len(with_both) and with_both[:, [0, 2]].sum(axis=0).min() < SMALLEST_PRINTED_GROUP:
        pooled = ("difference", "difference_interval", "ratio", "ratio_interval", "chi_squared", "p_value")
        figures |= {**dict.fromkeys(pooled), "not_told": TOO_FEW_TO_TELL}
    return figures
