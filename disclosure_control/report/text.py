"""The report as text: quasi-identifiers, binning, one table per model, and what the figures leave out."""

from __future__ import annotations

from collections.abc import Mapping

from Anonymization_Models import DISTANCES, Binning, ModelResult, bin_labels
from disclosure_control.assess.assessment import Assessment
from disclosure_control.basics.columns import number_text
from disclosure_control.basics.words import share_of_text, share_text, text_table


def generate_full_privacy_report(pilot: str, assessment: Assessment) -> str:
    """The report as text: quasi-identifiers, binning, one table per model, and what the figures leave out.

    No record and no subject is in it.
    """
    config, binnings, missing = assessment.config, assessment.binnings, {}
    lines = [f"Privacy report of pilot {pilot}", "", "Quasi-identifiers"]
    for name in config.quasi_identifiers:
        kind = "categorical" if name in config.categorical_qis else "continuous"
        missing[name] = binnings[name].n_missing if name in binnings else assessment.classes.people_without(name)
        lines.append(f"  {name} ({kind}), missing in {missing[name]} of {assessment.classes.n_records}")
    missing |= {name: counted.n_without_value for name, counted in assessment.counts.items()}
    qi_binnings = {name: (binnings.get(name), missing[name]) for name in config.continuous_qis}
    sensitive_binnings = {name: (binnings.get(name), missing[name]) for name in config.sensitive_features}
    lines += _binning_section("Binning of quasi-identifiers", qi_binnings)
    lines += _binning_section("Binning of sensitive features, for l-diversity", sensitive_binnings)
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


def _binning_section(title: str, binnings: Mapping[str, tuple[Binning | None, int]]) -> list[str]:
    fates = {"tail": "kept in a tail", "missing": "made missing"}
    rows = []
    for name, (binning, n_missing) in binnings.items():
        if binning is None:
            rows.append([name, "not binned, values as they are", "-", "-", n_missing])
        else:
            outside = [f"{n} ({fates[binning.policy]})" if n else 0 for n in (binning.n_below, binning.n_above)]
            rows.append([name, ", ".join(bin_labels(binning.edges)), *outside, n_missing])
    return ["", title, text_table(["Column", "Bins", "Below", "Above", "Missing"], rows)] if rows else []


def _title(result: ModelResult) -> str:
    sign, letter = (">", "t") if result.model == "t_closeness" else ("<", result.model[0])
    feature = f" of {result.sensitive}" if result.sensitive else ""
    return f"{result.model.replace('_', '-')}{feature}: risky where {letter} {sign} {number_text(result.threshold)}"


def _remarks(result: ModelResult, assessment: Assessment) -> list[str]:
    remarks = []
    if result.worst is not None:
        worst = "Largest t" if result.model == "t_closeness" else f"Smallest {result.model[0]}"
        remarks.append(f"{worst} of an evaluated record: {result.worst:.6g}.")
    if result.distance:
        remarks.append(f"t is the {DISTANCES[result.distance].words}.")
        of_range = result.share_of_range(result.threshold)
        if of_range is not None:
            remarks.append(
                f"{result.threshold:g} is {share_text(of_range)} of the range of the values, {result.value_range:g}."
            )
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
