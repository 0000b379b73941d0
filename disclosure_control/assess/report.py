"""The report of k, l and t: quasi-identifiers, binning, a table per model, and what these leave out."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field

import numpy as np

from Anonymization_Models import DISTANCES, ModelResult
from disclosure_control.assess.assessment import Assessment
from disclosure_control.assess.threshold_curves import ThresholdCurve
from disclosure_control.assess.told import Told, threshold_share_of_range, told_maximum, told_outside, told_range
from disclosure_control.basics.drawings import rows
from disclosure_control.basics.drawings.pieces import Drawing
from disclosure_control.basics.encoding.binning import Binning, bin_labels
from disclosure_control.basics.encoding.columns import number_text
from disclosure_control.basics.encoding.interval_labels import BINS_HOLD
from disclosure_control.basics.telling.plain import WHERE_FOUND
from disclosure_control.basics.telling.sections import Figure, Part, Section, Sentence, Style, Table, WhatIf, Where
from disclosure_control.basics.telling.small_counts import (
    MASKED_CELL,
    NOT_SHOWN,
    WHAT_MASKED_MEANS,
    Policy,
    count_text,
)
from disclosure_control.basics.telling.words import listed, share_of_text, share_text

MOST_NAMED, MOST_BINNED, MOST_NOTICES = 8, 3, 2  # in the short text; the full one names them all
MOST_FEATURES = 3  # sensitive features with their thresholds in the head of a page
MOST_SIZES = 12  # class sizes with a bar of their own
FATES = {"tail": "kept in a tail", "missing": "made missing"}
IN_TEXTS = Where.TEXT | Where.SHORT

AS_COUNTED = (
    "How many people k, l and t evaluate, do not evaluate and flag, before and after a treatment, and the smallest "
    "class, are shown as counted."
)


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


# ---------------------------------------------------------------- texts


def assessment_sections(policy: Policy, pilot: str, assessment: Assessment) -> tuple[Section, ...]:
    """The section of the texts. No record and no subject is in it."""
    return (Section("models", f"Privacy report of pilot {pilot}", tuple(_parts(policy, pilot, assessment))),)


def _parts(policy: Policy, pilot: str, assessment: Assessment) -> Iterator[Part]:
    config, outside = assessment.config, told_outside(policy, assessment)
    yield Sentence(f"Privacy report of pilot {pilot}", Style.HEADING, Where.SHORT)
    yield Sentence("Quasi-identifiers", Style.HEADING, IN_TEXTS)
    for kind, names in (("Categorical", config.categorical_qis), ("Continuous", config.continuous_qis)):
        yield Sentence(f"{kind}: {listed(names, at_most=MOST_NAMED) or 'none'}", where=Where.SHORT)
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
        yield Sentence(f"A bin {BINS_HOLD}.", where=IN_TEXTS)
    if any(None in one.values() for one in outside.values()):
        yield Sentence(WHAT_MASKED_MEANS, where=IN_TEXTS)
    for result in assessment.results:
        yield from _model(policy, pilot, result, assessment)
    title = f"k < {config.K} by the policy for missing quasi-identifiers (in use: {config.missing_qis})"
    yield policies_table(title, assessment.missing_policies)
    if assessment.notices:
        yield Sentence("Thresholds that cannot be met", Style.HEADING, IN_TEXTS)
        yield from (Sentence(notice, where=Where.TEXT) for notice in assessment.notices)
        yield from _first(assessment.notices, MOST_NOTICES)


def policies_table(title: str, policies: Mapping[str, Mapping[str, int]]) -> Table:
    """The people whom k flags under each policy for missing quasi-identifiers."""
    rows = [
        [policy, n["evaluated"], n["not_evaluated"], _flagged(n), share_of_text(n["risky"], n["evaluated"])]
        for policy, n in policies.items()
    ]
    columns = ("Policy", "Evaluated", "Not evaluated", "Risky", "% of evaluated")
    return Table(title, columns, rows, range(1, 5), Where.TEXT)


def _flagged(of_policy: Mapping[str, int | None]) -> str:
    """The people whom k flags under a policy, as a cell; of nobody evaluated, nobody was counted."""
    return "-" if of_policy["evaluated"] == 0 else _count(of_policy["risky"])


def _of_evaluated(of_policy: Mapping[str, int]) -> str:
    return f"{of_policy['risky']} of {of_policy['evaluated']}" if of_policy["evaluated"] else "nobody"


def _first(sentences: Sequence[str], at_most: int) -> Iterator[Part]:
    """The first ``at_most`` sentences, for the short text, and the number of those left out."""
    yield from (Sentence(sentence, where=Where.SHORT) for sentence in sentences[:at_most])
    if len(sentences) > at_most:
        yield Sentence(f"and {len(sentences) - at_most} more", where=Where.SHORT)


def _binning(title: str, outside: Mapping[str, Told], assessment: Assessment) -> Iterator[Part]:
    cells, sentences = [], []
    for name, told in outside.items():
        binning, missing = assessment.binnings.get(name), count_text(told["missing"])
        labels, below, above = ["not binned, exact values"], "-", "-"
        if binning is not None:
            labels = list(bin_labels(binning.edges))
            below, above = (_fate(told[end], binning) for end in ("below", "above"))
        cells.append([name, ", ".join(labels), below, above, missing])
        tails = "" if binning is None else f"; below {below}, above {above}"
        sentences.append(f"{name}: {listed(labels, at_most=MOST_NAMED)}{tails}, missing {missing}")
    if cells:
        yield Table(title, ("Column", "Bins", "Below", "Above", "Missing"), cells, (2, 3, 4), Where.TEXT)
        yield Sentence(title.removesuffix(", for l-diversity"), Style.HEADING, Where.SHORT)
        yield from _first(sentences, MOST_BINNED)


def _fate(n: int | None, binning: Binning) -> str:
    return "0" if n == 0 else f"{count_text(n)} ({FATES[binning.policy]})"


def _model(policy: Policy, pilot: str, result: ModelResult, assessment: Assessment) -> Iterator[Part]:
    sign, letter = (">", "t") if result.model == "t_closeness" else ("<", result.model[0])
    feature = f" of {result.sensitive}" if result.sensitive else ""
    threshold = number_text(result.threshold)
    title = f"{result.model.replace('_', '-')}{feature}: risky where {letter} {sign} {threshold}"
    risky: list[object] = [result.n_risky, share_of_text(result.n_risky, result.n_total)]
    figures = [pilot, result.n_total, result.n_evaluated, *(risky if result.n_evaluated else ["-", "-"])]
    yield Table(title, ("Pilot", "Total", "Evaluated", "Risky", "% Risky"), [figures], range(1, 5), IN_TEXTS)
    remarks = [_on_worst(policy, result, assessment), _on_left_out(result, assessment)]
    yield from (Sentence(remark, where=Where.TEXT) for some in remarks for remark in some)
    yield from (Sentence(" ".join(some), where=Where.SHORT) for some in remarks if some)
    if result.model == "k_anonymity":
        policies = "; ".join(
            f"{policy}{' (in use)' if policy == assessment.config.missing_qis else ''} {_of_evaluated(n)} evaluated"
            for policy, n in assessment.missing_policies.items()
        )
        yield Sentence(f"At risk under each policy for missing quasi-identifiers: {policies}.", where=Where.SHORT)


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
    notices = [Sentence(notice, where=Where.EVIDENCE) for notice in told.notices]
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
    people = f"{NOT_SHOWN.capitalize()} of people" if n is None else f"{n:,} people"
    names = list(told.l_diversity)[:MOST_FEATURES]
    models = [f"l of {name} < {number_text(told.l_diversity[name].threshold)}" for name in names]
    models += [f"t of {name} > {number_text(told.t_closeness[name].threshold)}" for name in names]
    n_more = len(told.l_diversity) - len(names)
    more = f", and by l and t of {n_more} more sensitive features" if n_more else ""
    at_risk = ", ".join([f"k < {number_text(told.k_anonymity.threshold)}", *models])
    return Sentence(f"{people} came in; at risk where {at_risk}{more}.", where=Where.PAGES)


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
