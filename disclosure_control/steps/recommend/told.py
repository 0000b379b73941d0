"""The answers of ``recommend`` as the JSON summary gives them: counts and losses, as a reader may see them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from disclosure_control.basics.telling.small_counts import Policy
from disclosure_control.remedy.recodings.landscape import Landscape, landscape
from disclosure_control.remedy.recodings.search import SearchResult
from disclosure_control.steps.recommend.by_threshold import ForThresholds, as_told
from disclosure_control.steps.recommend.settings import RecommendSettings
from disclosure_control.steps.recommend.short_list import RecodingAnswer, Trial, levels_in_words


@dataclass(frozen=True)
class ToldAnswer:
    """One way to meet the thresholds, in counts of people: None where masked.

    Records left out count as lost, so the ``loss`` is masked with their number: a rounded one is no figure of the
    answer, and may put a worse answer above a better one.
    """

    titles: Sequence[str]
    words: str
    levels: Mapping[str, int]
    loss: float | None
    suppressed: int | None
    suppressed_few: bool
    optimal: bool
    treatment: Sequence[Mapping[str, object]]


@dataclass(frozen=True)
class ToldLandscape:
    """Recodings by ``places``: their levels, their loss, and how many people each leaves at risk without suppression.

    Both are figures of few people, so only the controller is told of places. ``levels`` names the levels of each
    column; ``whole``: there are no further recodings.
    """

    levels: Mapping[str, Sequence[str]]
    places: Sequence[tuple[Sequence[int], float, int]]
    whole: bool


@dataclass(frozen=True)
class ToldRecommendation:
    """The part ``recommend`` of the JSON summary.

    ``optimal``: nothing is better where each recoding leaves out the classes that ``suppress_records`` removes;
    ``any_classes``: nor where it leaves out others.
    """

    metric: str
    counted_from: str
    suppression_limit: float
    models: Sequence[str]
    left_out: Sequence[str]
    records: int | None
    not_evaluated: int
    missing_qis: str
    anybody_at_risk: bool
    optimal: bool
    any_classes: bool
    levels: Mapping[str, int] | None
    loss: float | None
    suppressed: int | None
    checked: int
    lattice_size: int
    short_list: Sequence[ToldAnswer]
    landscape: ToldLandscape
    by_threshold: Sequence[ForThresholds]


def told_recommendation(
    policy: Policy,
    trial: Trial,
    settings: RecommendSettings,
    found: SearchResult,
    short_list: Sequence[RecodingAnswer],
    any_classes: bool,
    driven_by: Sequence[ForThresholds] = (),
    places: Landscape | None = None,
) -> ToldRecommendation:
    """The answers and the other recodings as the reader may see them.

    ``any_classes`` is of ``holds_for_any_classes``, ``places`` are of ``landscape_of``.
    """
    pilot, assessment = trial.pilot, trial.assessment
    told = [_told_answer(policy, answer, trial) for answer in short_list]
    best = told[0] if found.best is not None else None
    return ToldRecommendation(
        metric=settings.metric,
        counted_from="the config's bins" if pilot.begins_in_bins else "exact values",
        suppression_limit=settings.suppression_limit,
        models=pilot.models,
        left_out=pilot.left_out,
        records=assessment.classes.n_records,
        not_evaluated=assessment.classes.n_records - pilot.n_evaluated,
        missing_qis=assessment.config.missing_qis,
        anybody_at_risk=any(one.n_risky for one in assessment.results if one.model[0] in pilot.models),
        optimal=found.is_optimal,
        any_classes=any_classes,
        levels=best.levels if best else None,
        loss=best.loss if best else None,
        suppressed=best.suppressed if best else None,
        checked=found.n_checked,
        lattice_size=found.lattice_size,
        short_list=told,
        landscape=_told_landscape(policy, trial, places),
        by_threshold=as_told(policy, driven_by, [assessment.classes.n_records, pilot.n_evaluated]),
    )


def landscape_of(trial: Trial, short_list: Sequence[RecodingAnswer]) -> Landscape | None:
    """Recodings beside the answers; None where there are none."""
    pilot, names = trial.pilot, [attribute.name for attribute in trial.pilot.lattice.attributes]
    if not pilot.n_evaluated or not names:
        return None
    first = [tuple(answer.levels[name] for name in names) for answer in short_list]
    requirements, (lowest, highest) = pilot.requirements(trial.suppression_limit), (trial.lowest, trial.highest)
    return landscape(pilot.lattice, requirements, trial.metric, trial.weights, lowest, highest, first)


def _told_landscape(policy: Policy, trial: Trial, found: Landscape | None) -> ToldLandscape:
    if found is None:
        return ToldLandscape({}, (), True)
    return ToldLandscape(
        levels={attribute.name: levels_in_words(attribute) for attribute in trial.pilot.lattice.attributes},
        places=[
            (list(place.levels), float(f"{place.loss:.4g}"), place.n_at_risk)
            for place in (found.places if policy.is_exact else ())
        ],
        whole=found.is_whole,
    )


def _told_answer(policy: Policy, answer: RecodingAnswer, trial: Trial) -> ToldAnswer:
    suppressed = policy.told(answer.n_suppressed, trial.assessment.classes.n_records, trial.pilot.n_evaluated)
    return ToldAnswer(
        titles=answer.titles,
        words=answer.words,
        levels=answer.levels,
        loss=None if suppressed is None else answer.loss,
        suppressed=suppressed,
        suppressed_few=bool(policy.are_small(np.array(answer.n_suppressed))),
        optimal=answer.is_optimal,
        treatment=[step.literal for step in answer.treatment],
    )
