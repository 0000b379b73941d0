"""The report of k, l and t: quasi-identifiers, binning, a table per model, and what these leave out."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

import numpy as np

from Anonymization_Models import DISTANCES, ModelResult
from disclosure_control.assess.assessment import Assessment
from disclosure_control.assess.threshold_curves import ThresholdCurve
from disclosure_control.assess.told import (
    Told,
    ToldAssessment,
    ToldCloseness,
    ToldModel,
    ToldSizes,
    threshold_share_of_range,
    told_maximum,
    told_outside,
    told_range,
)
from disclosure_control.basics.drawings import rows
from disclosure_control.basics.drawings.pieces import Drawing
from disclosure_control.basics.encoding.binning import Binning, bin_labels
from disclosure_control.basics.encoding.columns import number_text
from disclosure_control.basics.encoding.interval_labels import BINS_HOLD
from disclosure_control.basics.telling.sections import Figure, Part, Section, Sentence, Style, Table, WhatIf, Where
from disclosure_control.basics.telling.small_counts import (
    MASKED_CELL,
    WHAT_MASKED_MEANS,
    Policy,
    count_text,
    people_told,
)
from disclosure_control.basics.telling.words import capitalised, counted, listed, people_text, share_of_text, share_text

MOST_NAMED, MOST_BINNED, MOST_MODELS = 8, 4, 9  # in the short text; the full one names them all
MOST_FEATURES = 3  # sensitive features that one line names
MOST_SIZES = 12  # class sizes with a bar of their own
OF_EVALUATED = "% of evaluated"
FATES = {"tail": "kept in a tail", "missing": "made missing"}

AS_COUNTED = (
    "How many people k, l and t evaluate, do not evaluate and flag, before and after a treatment, and the smallest "
    "class, are shown as counted."
)


# ---------------------------------------------------------------- texts


def assessment_sections(policy: Policy, pilot: str, assessment: Assessment) -> tuple[Section, ...]:
    """The section of the texts. No record and no subject is in it."""
    return (Section("models", f"Privacy report of pilot {pilot}", tuple(_parts(policy, pilot, assessment))),)


def _parts(policy: Policy, pilot: str, assessment: Assessment) -> Iterator[Part]:
    config, outside = assessment.config, told_outside(policy, assessment)
    yield from _in_short(policy, pilot, assessment, outside)
    yield Sentence("Quasi-identifiers", Style.HEADING, Where.TEXT)
    for name in config.quasi_identifiers:
        kind = "categorical" if name in config.categorical_qis else "continuous"
        missing = count_text(outside[name]["missing"])
        yield Sentence(f"{name} ({kind}), missing in {missing} of {assessment.classes.n_records}", where=Where.TEXT)
    titles = {
        "Binning of quasi-identifiers": config.continuous_qis,
        "Binning of sensitive features, for l-diversity": config.sensitive_features,
    }
    for title, names in titles.items():
        yield from _binning(title, {name: outside[name] for name in names}, assessment)
    if assessment.binnings:
        yield Sentence(f"A bin {BINS_HOLD}.", where=Where.TEXT)
    if any(None in one.values() for one in outside.values()):
        yield Sentence(WHAT_MASKED_MEANS, where=Where.TEXT | Where.SHORT)
    for result in assessment.results:
        yield from _model(policy, pilot, result, assessment)
    title = f"k < {config.K} by the policy for missing quasi-identifiers (in use: {config.missing_qis})"
    yield policies_table(title, assessment.missing_policies)
    if assessment.notices:
        yield Sentence("Thresholds that cannot be met", Style.HEADING, Where.TEXT)
        yield from (Sentence(notice, where=Where.TEXT) for notice in assessment.notices)


def _in_short(policy: Policy, pilot: str, assessment: Assessment, outside: Mapping[str, Told]) -> Iterator[Part]:
    """Who is in it, which bins, and k, l and t, in few lines."""
    config, results = assessment.config, assessment.results
    people = people_text(assessment.k_anonymity.n_total, ",")
    yield Sentence(f"Privacy report of pilot {pilot}: {people}", where=Where.SHORT)
    for kind, names in (("Categorical", config.categorical_qis), ("Continuous", config.continuous_qis)):
        named = listed(names, at_most=MOST_NAMED) or "none"
        yield Sentence(f"  {kind} quasi-identifiers: {named}", where=Where.SHORT)
    binned = [name for name in (*config.continuous_qis, *config.sensitive_features) if name in assessment.binnings]
    for name in binned[:MOST_BINNED]:
        binning = assessment.binnings[name]
        bins = listed(bin_labels(binning.edges), at_most=MOST_NAMED)
        yield Sentence(f"  Bins of {name}: {bins}{_beside_bins(outside[name], binning)}", where=Where.SHORT)
    if len(binned) > MOST_BINNED:
        yield Sentence(f"  Bins of {len(binned) - MOST_BINNED} more columns: in the details", where=Where.SHORT)
    if binned:
        yield Sentence(f"  A bin {BINS_HOLD}.", where=Where.SHORT)
    told = results[:MOST_MODELS]
    rows = [_row_in_short(policy, one) for one in told]
    columns = [*rows[0]]
    if all(one.n_evaluated == one.n_total for one in told):
        columns.remove(OF_EVALUATED)  # the same shares as those before them
    yield Table("", columns, [[row[name] for name in columns] for row in rows], range(1, len(columns)), Where.SHORT)
    n_left_out = assessment.k_anonymity.n_total - assessment.k_anonymity.n_evaluated
    if n_left_out:
        of_all = f"{n_left_out} of {assessment.k_anonymity.n_total}"
        yield Sentence(f"Not evaluated: {of_all}, for lack of a quasi-identifier.", where=Where.SHORT)
    policies = assessment.missing_policies
    if len({tuple(one.items()) for one in policies.values()}) > 1:  # so that no policy hides people
        each = ", ".join(f"{name} {_flagged(n)} of {_count(n['evaluated'])}" for name, n in policies.items())
        yield Sentence(f"k by the policy for missing values: {each}.", where=Where.SHORT)
    further = [counted(len(results) - MOST_MODELS, "further model")] if len(results) > MOST_MODELS else []
    further += [f"what cannot be met ({len(assessment.notices)})"] if assessment.notices else []
    if further:
        yield Sentence(f"In the details: {', '.join(further)}.", where=Where.SHORT)


def _beside_bins(told: Told, binning: Binning) -> str:
    """The people outside the bins, what becomes of them, and those without a value, where there are any."""
    found = {end: _fate(told[end], binning) for end in ("below", "above") if told[end] != 0}
    missing = {} if told["missing"] == 0 else {"missing": count_text(told["missing"])}
    return "".join(f"; {end} {says}" for end, says in {**found, **missing}.items())


def _row_in_short(policy: Policy, result: ModelResult) -> dict[str, object]:
    told = ToldCloseness.of(policy, result) if result.distance else ToldSizes.of(result)
    sign, letter = (">", "t") if result.distance else ("<", result.model[0])
    of = f" of {textwrap.shorten(result.sensitive, 40, placeholder=' ...')}" if result.sensitive else ""
    return {
        "Model": f"{letter}{of} {sign} {number_text(result.threshold)}",
        "Total": f"{result.n_total:,}",
        "Evaluated": _count(told.evaluated),
        "Risky": told.at_risk,
        "% Risky": share_of_text(result.n_risky, result.n_total) if result.n_evaluated else "-",
        OF_EVALUATED: share_text(told.risky_rate),
        "Riskiest": told.worst,
    }


def policies_table(title: str, policies: Mapping[str, Mapping[str, int]]) -> Table:
    """The people whom k flags under each policy for missing quasi-identifiers."""
    rows = [
        [policy, n["evaluated"], n["not_evaluated"], _flagged(n), share_of_text(n["risky"], n["evaluated"])]
        for policy, n in policies.items()
    ]
    columns = ("Policy", "Evaluated", "Not evaluated", "Risky", OF_EVALUATED)
    return Table(title, columns, rows, range(1, 5), Where.TEXT)


def _flagged(of_policy: Mapping[str, int | None]) -> str:
    """The people whom k flags under a policy, as a cell; of nobody evaluated, nobody was counted."""
    return "-" if of_policy["evaluated"] == 0 else _count(of_policy["risky"])


def _binning(title: str, outside: Mapping[str, Told], assessment: Assessment) -> Iterator[Part]:
    cells = []
    for name, told in outside.items():
        binning, missing = assessment.binnings.get(name), count_text(told["missing"])
        labels, below, above = ["not binned, exact values"], "-", "-"
        if binning is not None:
            labels = list(bin_labels(binning.edges))
            below, above = (_fate(told[end], binning) for end in ("below", "above"))
        cells.append([name, ", ".join(labels), below, above, missing])
    if cells:
        yield Table(title, ("Column", "Bins", "Below", "Above", "Missing"), cells, (2, 3, 4), Where.TEXT)


def _fate(n: int | None, binning: Binning) -> str:
    return "0" if n == 0 else f"{count_text(n)} ({FATES[binning.policy]})"


def _model(policy: Policy, pilot: str, result: ModelResult, assessment: Assessment) -> Iterator[Part]:
    sign, letter = (">", "t") if result.model == "t_closeness" else ("<", result.model[0])
    feature = f" of {result.sensitive}" if result.sensitive else ""
    threshold = number_text(result.threshold)
    title = f"{result.model.replace('_', '-')}{feature}: risky where {letter} {sign} {threshold}"
    risky: list[object] = [result.n_risky, share_of_text(result.n_risky, result.n_total)]
    figures = [pilot, result.n_total, result.n_evaluated, *(risky if result.n_evaluated else ["-", "-"])]
    yield Table(title, ("Pilot", "Total", "Evaluated", "Risky", "% Risky"), [figures], range(1, 5), Where.TEXT)
    remarks = [*_on_worst(policy, result, assessment), *_on_left_out(result, assessment)]
    yield from (Sentence(remark, where=Where.TEXT) for remark in remarks)


def _on_worst(policy: Policy, result: ModelResult, assessment: Assessment) -> list[str]:
    if result.distance:
        return _on_distance(policy, result, assessment)
    return [] if result.worst is None else [f"Smallest {result.model[0]} of an evaluated record: {result.worst:.6g}."]


def _on_left_out(result: ModelResult, assessment: Assessment) -> list[str]:
    remarks = []
    n_excluded = result.n_total - assessment.k_anonymity.n_evaluated
    n_without_value = assessment.k_anonymity.n_evaluated - result.n_evaluated
    if n_excluded:
        share = share_of_text(n_excluded, result.n_total)
        remarks.append(f"Not evaluated: {n_excluded} of {result.n_total} ({share}), for lack of a quasi-identifier.")
    if n_without_value:
        share = share_of_text(n_without_value, result.n_total)
        remarks.append(f"Not assessable: {n_without_value} of {result.n_total} ({share}), without {result.sensitive}.")
    if not result.n_evaluated:
        remarks.append("Nobody was evaluated.")
    elif n_excluded or n_without_value:
        remarks.append(f"Of the evaluated, {share_of_text(result.n_risky, result.n_evaluated)} are risky.")
    return remarks


def _on_distance(policy: Policy, result: ModelResult, assessment: Assessment) -> list[str]:
    counted, maximum = assessment.counts[str(result.sensitive)], told_maximum(policy, result)
    words = f"{maximum:g}" if isinstance(maximum, float) else "-"
    if isinstance(maximum, tuple):
        words = "between {:g} and {:g}; shown as a range, because the class is small".format(*maximum)
    remarks = [] if maximum is None else [f"Largest t of an evaluated record: {words}."]
    remarks.append(f"t is the {DISTANCES[str(result.distance)].words}.")
    share, value_range = threshold_share_of_range(policy, result, counted), told_range(policy, result, counted)
    if share is not None and value_range is not None:
        remarks.append(f"{result.threshold:g} is {share_text(share)} of the range of the values, {value_range:g}.")
    elif share is not None:
        remarks.append(f"{result.threshold:g} is about {share:.0%} of the range of the values.")
    return remarks


# ---------------------------------------------------------------- pages


def page_sections(policy: Policy, told: ToldAssessment, curves: Sequence[ThresholdCurve]) -> list[Section]:
    """The head of a page, and its table of models with what changes them; ``told`` and ``curves`` are the reader's."""
    k = told.k_anonymity
    return [
        Section("head", "", [_head(told), Sentence(f"{WHAT_MASKED_MEANS} {AS_COUNTED}", where=Where.EVIDENCE)]),
        Section("who", "", list(_who(policy, told, k, curves))),
        *([] if policy.is_strict else _evidence(told)),
    ]


def _evidence(told: ToldAssessment) -> list[Section]:
    # What to write into which row is for the controller's screen.
    notices = [Sentence(notice.partition(":\n")[0], where=Where.EVIDENCE) for notice in told.notices]
    in_use = Sentence(
        f'Policy in use: "{told.missing_qis}". The table shows how many people k flags under each policy.',
        where=Where.EVIDENCE,
    )
    rows = [
        [name, *(count_text(one[key]) for key in ("evaluated", "not_evaluated")), _flagged(one)]
        for name, one in told.missing_policies.items()
    ]
    columns = ("Policy", "Evaluated", "Not evaluated", "At risk by k")
    policies = Table("Missing values", columns, rows, range(1, 4), Where.EVIDENCE)
    models = Table("At risk before any treatment", MODEL_COLUMNS, _models(told), range(1, 5), Where.EVIDENCE)
    return [
        Section("thresholds", "", notices),
        Section("missing_values", "", [in_use, policies]),
        Section("risk", "", [models]),
    ]


MODEL_COLUMNS = ("Model", "At risk", "Of evaluated", "Share", "Not evaluated")


def _models(told: ToldAssessment) -> list[list[str]]:
    models = {f"k < {number_text(told.k_anonymity.threshold)}": told.k_anonymity}
    models |= {f"l of {name} < {number_text(one.threshold)}": one for name, one in told.l_diversity.items()}
    models |= {f"t of {name} > {number_text(one.threshold)}": one for name, one in told.t_closeness.items()}
    return [
        [name, one.at_risk, _count(one.evaluated), share_text(one.risky_rate), _count(one.not_evaluated)]
        for name, one in models.items()
    ]


def _head(told: ToldAssessment) -> Sentence:
    n = told.k_anonymity.total
    people = capitalised(people_told(n, ","))
    models = [f"K {number_text(told.k_anonymity.threshold)}"]
    if len(told.l_diversity) > 1:
        models.append(f"{len(told.l_diversity)} sensitive features")
    for name in told.l_diversity if len(told.l_diversity) == 1 else ():
        by_l, by_t = (number_text(one[name].threshold) for one in (told.l_diversity, told.t_closeness))
        models.append(f"L {by_l}, T {by_t} for {name}")
    return Sentence(f"{people}; {'; '.join(models)}.", where=Where.PAGES | Where.FIRST)


def _who(policy: Policy, told: ToldAssessment, k: ToldModel, curves: Sequence[ThresholdCurve]) -> Iterator[Part]:
    masked = "" if policy.is_exact else " Masked: the number could disclose something about single people."
    yield Sentence(
        f"An equivalence class is all people with the same quasi-identifiers; k is its size.{masked}",
        Style.DEFINITION,
        Where.PAGES,
    )
    yield Table("People at risk by model", MODEL_COLUMNS, _models(told), range(1, 5), Where.PAGES)
    yield from (Sentence(notice, Style.NOTICE, Where.PAGE) for notice in told.notices)
    data = {"curves": [asdict(curve) for curve in curves]}
    yield WhatIf("thresholds", "What if the thresholds were different", data)
    sizes = class_sizes(policy, curves)
    if sizes is not None:
        threshold = number_text(k.threshold)
        yield Figure(
            sizes,
            f"People by the size of their class. Hatched bars, up to the line: at risk, k < {threshold}.",
            Where.PAGES,
        )
    yield Sentence("Policies for missing values", Style.HEADING, Where.PAGES)
    yield Sentence(
        "People with a missing quasi-identifier are counted in one of three ways. Category: missing is a value of its "
        "own. Exclude: such people are not evaluated. Wildcard: missing matches any value.",
        Style.DEFINITION,
        Where.PAGES,
    )
    policies = [
        [f"{name}{', in use' if name == told.missing_qis else ''}", _flagged(one), _count(one["evaluated"])]
        for name, one in told.missing_policies.items()
    ]
    title = "People at risk by the policy for missing values"
    yield Table(title, ("missing_qis", "At risk (k)", "Evaluated"), policies, (1, 2), Where.PAGES)


def _count(n: int | None) -> str:
    return count_text(n, ",")


def class_sizes(policy: Policy, curves: Sequence[ThresholdCurve]) -> Drawing | None:
    """People by the size of their class, from the totals at each threshold: those below 3 less those below 2.

    No class is larger than all people: a small pilot has rows up to its own size.
    """
    curve = next((curve for curve in curves if curve.model == "k_anonymity"), None)
    if curve is None or curve.evaluated is None:
        return None
    below = dict(zip((int(k) for k in curve.thresholds), curve.risky, strict=True))
    in_use = int(curve.in_use)
    last = max(MOST_SIZES, in_use + 2)
    if last + 1 not in below:  # a K larger than the curve is left out
        return None
    told = [0, *(below[size] for size in range(2, last + 2)), curve.evaluated]
    bars = []
    for size, (before, up_to) in enumerate(itertools.pairwise(told), start=1):
        if size > max(curve.evaluated, in_use):
            break
        label = f"k = {size}" if size <= last else f"k > {last}"
        n = None if before is None or up_to is None else up_to - before
        if n is not None and policy.are_small(np.array([n]))[0]:
            n = None
        bars.append(rows.Bar(label, n or 0, _count(n), size < in_use))
    if all(bar.text == MASKED_CELL for bar in bars):
        return None
    return rows.row_chart(
        "People by the size of their class",
        f"Classes of fewer than {in_use} people are hatched: their people are at risk. "
        + "; ".join(f"{bar.label}: {bar.text}" for bar in bars),
        bars,
        threshold_after=in_use - 1,
    )
