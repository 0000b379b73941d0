"""The report as text: quasi-identifiers, binning, one table per model, and what the figures leave out."""

from __future__ import annotations

from collections.abc import Mapping

from Anonymization_Models import DISTANCES, ModelResult, bin_labels
from disclosure_control.assess.assessment import Assessment
from disclosure_control.assess.told import Told, threshold_share_of_range, told_maximum, told_outside, told_range
from disclosure_control.basics.columns import number_text
from disclosure_control.basics.small_counts import WHAT_MASKED_MEANS, count_text
from disclosure_control.basics.words import share_of_text, share_text, text_table


def generate_full_privacy_report(pilot: str, assessment: Assessment) -> str:
    """The report as text: quasi-identifiers, binning, one table per model, and what the figures leave out.

    No record and no subject is in it; small counts are masked, as it goes from hand to hand.
    """
    config, outside = assessment.config, told_outside(assessment)
    lines = [f"Privacy report of pilot {pilot}", "", "Quasi-identifiers"]
    for name in config.quasi_identifiers:
        kind = "categorical" if name in config.categorical_qis else "continuous"
        missing = count_text(outside[name]["missing"])
        lines.append(f"  {name} ({kind}), missing in {missing} of {assessment.classes.n_records}")
    sections = {
        "Binning of quasi-identifiers": config.continuous_qis,
        "Binning of sensitive features, for l-diversity": config.sensitive_features,
    }
    for title, names in sections.items():
        lines += _binning_section(title, {name: outside[name] for name in names}, assessment)
    if any(None in one.values() for one in outside.values()):
        lines += [f"  {WHAT_MASKED_MEANS}"]
    for result in assessment.results:
        risky = [result.n_risky, share_of_text(result.n_risky, result.n_total)]
        figures = [pilot, result.n_total, result.n_evaluated, *risky]
        lines += ["", _title(result), text_table(["Pilot", "Total", "Evaluated", "Risky", "% Risky"], [figures])]
        lines += [f"  {remark}" for remark in _remarks(result, assessment)]
    rows = [
        [policy, n["evaluated"], n["not_evaluated"], n["risky"], share_of_text(n["risky"], n["evaluated"])]
        for policy, n in assessment.missing_policies.items()
    ]
    lines += ["", f"k < {config.K} by the policy for missing quasi-identifiers (in use: {config.missing_qis})"]
    lines += [text_table(["Policy", "Evaluated", "Not evaluated", "Risky", "% of evaluated"], rows)]
    if assessment.notices:
        lines += ["", "Thresholds that cannot be met", *(f"  {notice}" for notice in assessment.notices)]
    return "\n".join(lines) + "\n"


def _binning_section(title: str, outside: Mapping[str, Told], assessment: Assessment) -> list[str]:
    fates = {"tail": "kept in a tail", "missing": "made missing"}
    rows = []
    for name, told in outside.items():
        binning, missing = assessment.binnings.get(name), count_text(told["missing"])
        if binning is None:
            rows.append([name, "not binned, values as they are", "-", "-", missing])
        else:
            ends = [told["below"], told["above"]]
            shown = ["0" if n == 0 else f"{count_text(n)} ({fates[binning.policy]})" for n in ends]
            rows.append([name, ", ".join(bin_labels(binning.edges)), *shown, missing])
    return ["", title, text_table(["Column", "Bins", "Below", "Above", "Missing"], rows)] if rows else []


def _title(result: ModelResult) -> str:
    sign, letter = (">", "t") if result.model == "t_closeness" else ("<", result.model[0])
    feature = f" of {result.sensitive}" if result.sensitive else ""
    return f"{result.model.replace('_', '-')}{feature}: risky where {letter} {sign} {number_text(result.threshold)}"


def _remarks(result: ModelResult, assessment: Assessment) -> list[str]:
    remarks = []
    if result.distance is None and result.worst is not None:
        remarks.append(f"Smallest {result.model[0]} of an evaluated record: {result.worst:.6g}.")
    elif result.distance:
        remarks += _remarks_on_distance(result, assessment)
    n_excluded = result.n_total - assessment.k_anonymity.n_evaluated
    n_without_value = assessment.k_anonymity.n_evaluated - result.n_evaluated
    if n_excluded:
        share = share_of_text(n_excluded, result.n_total)
        remarks.append(f"Not evaluated: {n_excluded} of {result.n_total} ({share}), for lack of a quasi-identifier.")
    if n_without_value:
        share = share_of_text(n_without_value, result.n_total)
        remarks.append(f"Not assessable: {n_without_value} of {result.n_total} ({share}), without {result.sensitive}.")
    if n_excluded or n_without_value:
        remarks.append(f"Of the evaluated, {share_of_text(result.n_risky, result.n_evaluated)} are risky.")
    return remarks


def _remarks_on_distance(result: ModelResult, assessment: Assessment) -> list[str]:
    counted, maximum = assessment.counts[str(result.sensitive)], told_maximum(result)
    words = f"{maximum:g}" if isinstance(maximum, float) else "-"
    if isinstance(maximum, tuple):
        words = "between {:g} and {:g}; told no closer, as it is of a class of few people".format(*maximum)
    remarks = [] if maximum is None else [f"Largest t of an evaluated record: {words}."]
    remarks.append(f"t is the {DISTANCES[str(result.distance)].words}.")
    share, value_range = threshold_share_of_range(result, counted), told_range(result, counted)
    if share is not None and value_range is not None:
        remarks.append(f"{result.threshold:g} is {share_text(share)} of the range of the values, {value_range:g}.")
    elif share is not None:
        remarks.append(f"{result.threshold:g} is about {share:.0%} of the range of the values.")
    return remarks
