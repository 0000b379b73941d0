"""The report as text: quasi-identifiers, binning, one table per model, and what the figures leave out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from Anonymization_Models import DISTANCES, ModelResult
from disclosure_control.assess.assessment import Assessment
from disclosure_control.assess.told import Told, threshold_share_of_range, told_maximum, told_outside, told_range
from disclosure_control.basics.encoding.binning import Binning, bin_labels
from disclosure_control.basics.encoding.columns import number_text
from disclosure_control.basics.encoding.interval_labels import BINS_HOLD
from disclosure_control.basics.telling.small_counts import WHAT_MASKED_MEANS, count_text
from disclosure_control.basics.telling.words import listed, share_of_text, share_text, text_table

MOST_NAMED, MOST_BINNED, MOST_NOTICES = 8, 3, 2  # in the short report; the full one names them all
MOST_FEATURES = 3  # sensitive features that one line names
FATES = {"tail": "kept in a tail", "missing": "made missing"}


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
    if assessment.binnings:
        lines.append(f"  A bin {BINS_HOLD}.")
    if any(None in one.values() for one in outside.values()):
        lines += [f"  {WHAT_MASKED_MEANS}"]
    for result in assessment.results:
        lines += _model_lines(pilot, result, _remarks(result, assessment))
    rows = [
        [policy, n["evaluated"], n["not_evaluated"], n["risky"], share_of_text(n["risky"], n["evaluated"])]
        for policy, n in assessment.missing_policies.items()
    ]
    lines += [f"k < {config.K} by the policy for missing quasi-identifiers (in use: {config.missing_qis})"]
    lines += [text_table(["Policy", "Evaluated", "Not evaluated", "Risky", "% of evaluated"], rows)]
    if assessment.notices:
        lines += ["", "Thresholds that cannot be met", *(f"  {notice}" for notice in assessment.notices)]
    return "\n".join(lines) + "\n"


def short_privacy_report(pilot: str, assessment: Assessment) -> str:
    """The same figures in few lines, however many quasi-identifiers there are; the full report has the rest."""
    config, outside = assessment.config, told_outside(assessment)
    names = listed(config.quasi_identifiers, at_most=MOST_NAMED)
    lines = [f"Privacy report of pilot {pilot}", "", "Quasi-identifiers", f"  {names}"]
    lines += _short_binning("Binning of quasi-identifiers", config.continuous_qis, outside, assessment)
    lines += _short_binning("Binning of sensitive features", config.sensitive_features, outside, assessment)
    if assessment.binnings:
        lines.append(f"  A bin {BINS_HOLD}.")
    if any(None in one.values() for one in outside.values()):
        lines.append(f"  {WHAT_MASKED_MEANS}")
    policies = "; ".join(
        f"{policy}{' (in use)' if policy == config.missing_qis else ''} {n['risky']} of {n['evaluated']} evaluated"
        for policy, n in assessment.missing_policies.items()
    )
    for result in assessment.results:
        remarks = _short_remarks(result, assessment)
        if result.model == "k_anonymity":
            remarks.append(f"At risk by the policy for missing quasi-identifiers: {policies}.")
        lines += _model_lines(pilot, result, remarks)
    if assessment.notices:
        lines += ["", "Thresholds that cannot be met", *first_lines_of(assessment.notices, MOST_NOTICES)]
    return "\n".join(lines) + "\n"


def first_lines_of(sentences: Sequence[str], at_most: int) -> list[str]:
    """The first ``at_most`` sentences, indented; what is left out for length is counted."""
    more = [f"  and {len(sentences) - at_most} more"] if len(sentences) > at_most else []
    return [*(f"  {sentence}" for sentence in sentences[:at_most]), *more]


def _short_binning(title: str, names: Sequence[str], outside: Mapping[str, Told], assessment: Assessment) -> list[str]:
    sentences = []
    for name in names:
        binning, told = assessment.binnings.get(name), outside[name]
        words = "not binned, values as they are"
        if binning is not None:
            labels = bin_labels(binning.edges)
            below, above = (_fate(told[end], binning) for end in ("below", "above"))
            words = f"{listed(labels, at_most=MOST_NAMED)}; below {below}, above {above}"
        sentences.append(f"{name}: {words}, missing {count_text(told['missing'])}")
    return [title, *first_lines_of(sentences, MOST_BINNED)] if sentences else []


def _fate(n: int | None, binning: Binning) -> str:
    return "0" if n == 0 else f"{count_text(n)} ({FATES[binning.policy]})"


def _model_lines(pilot: str, result: ModelResult, remarks: Sequence[str]) -> list[str]:
    risky = [result.n_risky, share_of_text(result.n_risky, result.n_total)]
    figures = [pilot, result.n_total, result.n_evaluated, *risky]
    table = text_table(["Pilot", "Total", "Evaluated", "Risky", "% Risky"], [figures])
    return ["", _title(result), table, *(f"  {remark}" for remark in remarks)]


def _binning_section(title: str, outside: Mapping[str, Told], assessment: Assessment) -> list[str]:
    rows = []
    for name, told in outside.items():
        binning, missing = assessment.binnings.get(name), count_text(told["missing"])
        if binning is None:
            rows.append([name, "not binned, values as they are", "-", "-", missing])
        else:
            shown = [_fate(told[end], binning) for end in ("below", "above")]
            rows.append([name, ", ".join(bin_labels(binning.edges)), *shown, missing])
    return ["", title, text_table(["Column", "Bins", "Below", "Above", "Missing"], rows)] if rows else []


def _title(result: ModelResult) -> str:
    sign, letter = (">", "t") if result.model == "t_closeness" else ("<", result.model[0])
    feature = f" of {result.sensitive}" if result.sensitive else ""
    return f"{result.model.replace('_', '-')}{feature}: risky where {letter} {sign} {number_text(result.threshold)}"


def _remarks(result: ModelResult, assessment: Assessment) -> list[str]:
    return [*_remarks_on_worst(result, assessment), *_remarks_on_left_out(result, assessment)]


def _short_remarks(result: ModelResult, assessment: Assessment) -> list[str]:
    """The same in two lines at most."""
    both = _remarks_on_worst(result, assessment), _remarks_on_left_out(result, assessment)
    return [" ".join(remarks) for remarks in both if remarks]


def _remarks_on_worst(result: ModelResult, assessment: Assessment) -> list[str]:
    if result.distance is None and result.worst is not None:
        return [f"Smallest {result.model[0]} of an evaluated record: {result.worst:.6g}."]
    return _remarks_on_distance(result, assessment) if result.distance else []


def _remarks_on_left_out(result: ModelResult, assessment: Assessment) -> list[str]:
    remarks = []
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


def risky_shares(assessment: Assessment) -> str:
    """The share at risk by each model, in one line; of many sensitive features the largest share by l and by t."""
    by_model: dict[str, list[ModelResult]] = {}
    for one in assessment.results:
        by_model.setdefault(one.model[0], []).append(one)
    words = []
    for letter, results in by_model.items():
        if len(results) <= MOST_FEATURES:
            of = [f"{letter}{f' of {one.sensitive}' if one.sensitive else ''}" for one in results]
            words += [f"{name}: {share_text(one.risky_rate)}" for name, one in zip(of, results, strict=True)]
            continue
        most = max((one.risky_rate for one in results if one.risky_rate is not None), default=None)
        n_none = sum(one.risky_rate is None for one in results)
        not_told = f" ({n_none} of them could not be evaluated)" if n_none else ""
        words.append(f"{letter}, the largest of {len(results)} sensitive features: {share_text(most)}{not_told}")
    return "; ".join(words)
