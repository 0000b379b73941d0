"""The report of the step ``recommend``: what to give up, the effect of that, and the lines to paste."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

from disclosure_control.assess.told import ToldModel
from disclosure_control.basics.drawings import planes
from disclosure_control.basics.drawings.pieces import Drawing
from disclosure_control.basics.telling.plain import plain
from disclosure_control.basics.telling.sections import (
    Details,
    Figure,
    Part,
    Section,
    Sentence,
    Style,
    WhatIf,
    Where,
)
from disclosure_control.basics.telling.small_counts import (
    MASKED_CELL,
    count_in_sentence,
    count_text,
)
from disclosure_control.basics.telling.told_outside import ToldCounts
from disclosure_control.basics.telling.words import capitalised, counted, many_text
from disclosure_control.remedy.recodings.losses import METRICS
from disclosure_control.steps.recommend import OUTLINES
from disclosure_control.steps.recommend.by_threshold import in_sentences
from disclosure_control.steps.recommend.told import ToldAnswer, ToldRecommendation

NOT_ANONYMOUS = "Data that meet the thresholds are still pseudonymised personal data, not anonymous data."


def recommend_sections(told: ToldRecommendation) -> tuple[Section, ...]:
    """How certain the answers are, the recodings by cost and risk, and each answer with the lines for the config."""
    loss = f"Loss of the recommended recoding ({told.metric}, from 0 to 1): {told.loss or 0:.4g}."
    evidence = () if told.loss is None else (Sentence(loss, where=Where.EVIDENCE),)
    return (OUTLINES[0].section(_parts(told)), Section("utility", "", evidence))


def _parts(told: ToldRecommendation) -> Iterator[Part]:
    yield Sentence("Next best step", Style.HEADING, Where.SHORT)
    for sentence in told.left_out:
        yield Sentence(sentence, Style.NOTICE)
    if told.not_evaluated:
        yield Sentence(
            f"{told.not_evaluated} of {told.records} records are not evaluated, for lack of a quasi-identifier. Where "
            "a column is dropped, those who lack only it are evaluated; the others stay in the data. The share that "
            "is left out is of the records evaluated then; the loss is of all records."
        )
    if not told.models:
        yield Sentence("No threshold can be met by any recoding.", Style.NOTICE)
    yield Sentence(_how_sure(told), where=Where.REPORT | Where.SHORT)
    if told.levels is not None and told.optimal:
        yield Sentence(
            "Answer 1 is proven: no other recoding that the levels allow meets the thresholds at a lower loss, with at "
            f"most {100 * told.suppression_limit:g}% of the records left out.{_by_the_rule(told)}",
            where=Where.OUTSIDE,
        )
    yield from _which_threshold(told)
    yield from _map(told)
    for number, answer in enumerate(told.short_list, start=1):
        yield Sentence(f"{number}. {'; '.join(answer.titles)}", Style.HEADING, Where.EVERYWHERE)
        yield from _answer(answer, told)
    if told.short_list:
        yield from _in_short(told)
    yield Sentence(NOT_ANONYMOUS, Style.SMALL, Where.EVERYWHERE)


def _which_threshold(told: ToldRecommendation) -> Iterator[Part]:
    """The mildest recoding for k alone, for k and l, for all: beside each other, so that a reader sees what decides."""
    lines = in_sentences(told.by_threshold, "all" if told.records is None else f"{told.records}")
    if lines:
        yield Sentence("Which threshold asks for it", where=Where.REPORT | Where.SHORT, further=lines)


def _how_sure(told: ToldRecommendation) -> str:
    size, limit = many_text(told.lattice_size), f"{100 * told.suppression_limit:g}%"
    if told.not_evaluated == told.records:
        return "No record is evaluated: there is nothing to recommend."
    if not told.anybody_at_risk and told.models:
        if told.left_out:
            return "By the thresholds that can be met nothing has to be given up; the others are not met."
        return "Nobody is at risk by the thresholds: nothing has to be given up."
    if told.levels is not None and told.optimal:
        return (
            f"Proven: no other of the {size} recodings meets the thresholds at a lower loss than answer 1, with at "
            f"most {limit} of the records left out. {told.checked:,} of them had to be tried.{_by_the_rule(told)}"
        )
    if told.levels is not None:
        return (
            f"Answer 1 is the best of {told.checked:,} recodings that were tried, of {size}. A better one may exist: "
            "raise time_limit, or limit levels."
        )
    if told.optimal:
        return (
            f"None of the {size} allowed recodings meets the thresholds with at most {limit} of the records left "
            f"out: allow more, or higher levels.{_by_the_rule(told)}"
        )
    return f"No answer in time, after {told.checked:,} of {size} recodings: raise time_limit, or limit levels."


def _by_the_rule(told: ToldRecommendation) -> str:
    """Of which classes left out a proof speaks, where it is not of all."""
    if told.any_classes:
        return ""
    rule = "Each leaves out the classes that suppress_records removes"
    return f" {rule}; leaving out others was not tried and may cost less."


def _map(told: ToldRecommendation) -> Iterator[Part]:
    if not told.landscape.places:
        return
    yield Sentence(
        "Each point is a recoding of all quasi-identifiers: points to the right are coarser, points above leave more "
        "people at risk. Diamonds are the answers below.",
        Style.DEFINITION,
        Where.PAGES,
    )
    n_shown = f"{len(told.landscape.places)} of {many_text(told.lattice_size)} recodings."
    yield Figure(landscape_map(told), n_shown, Where.PAGES)
    data = {"landscape": plain(told.landscape), "records": told.records}
    yield WhatIf("levels", "What if it were released coarser, or finer", data)


def landscape_map(told: ToldRecommendation) -> Drawing:
    """The recodings as points: the answers by the people they leave out, the others by those they leave at risk."""
    answers = {tuple(answer.levels.values()): n for n, answer in enumerate(told.short_list, start=1)}
    points = []
    for levels, loss, n_at_risk in told.landscape.places:
        number = answers.get(tuple(levels))
        n = n_at_risk if number is None else told.short_list[number - 1].suppressed or 0
        words = f"loss {loss:.3g}, {n:,} people at risk or left out"
        points.append(planes.Point(loss, n / max(told.records or 1, 1), words, f"{number or ''}"))
    described = "; ".join(
        f"answer {n}: loss {'-' if answer.loss is None else format(answer.loss, '.3g')}, "
        f"{count_text(answer.suppressed)} left out"
        for n, answer in enumerate(told.short_list, start=1)
    )
    loss_of = "loss" if told.metric == "loss" else f"loss ({told.metric})"
    title, axes = (
        "Recodings by what they cost and whom they leave at risk",
        ("more is coarser", "people at risk, or left out"),
    )
    return planes.scatter_chart(title, described, points, f"{loss_of}: {axes[0]}", axes[1])


def _answer(answer: ToldAnswer, told: ToldRecommendation) -> Iterator[Part]:
    yield Sentence(_outcome(answer, told), where=Where.EVERYWHERE)
    n_left = MASKED_CELL if answer.suppressed is None else f"{(told.records or 0) - answer.suppressed}"
    loss = MASKED_CELL if answer.loss is None else f"{answer.loss:.4g}"
    released = f"Records released: {n_left}. {_loss_in_words(told)}: {loss}."
    yield Sentence(released, where=Where.REPORT)
    if answer.treatment:
        steps = [f"    {json.dumps(step, ensure_ascii=False)}," for step in answer.treatment]
        yield Details("Lines for the config", ['"treatment": [', *steps, "],"], is_code=True)


def _outcome(answer: ToldAnswer, told: ToldRecommendation) -> str:
    """What to give up, and who is left out."""
    n_out = "a few" if answer.suppressed_few else count_in_sentence(answer.suppressed)
    of = "all" if told.records is None else told.records
    holds = "all thresholds that can be met hold" if told.left_out else "all thresholds hold"
    return f"{answer.words}; {n_out} of {of} records left out: {holds}."


def _loss_in_words(told: ToldRecommendation) -> str:
    """What the metric measures, and from where: losses of ``sweep`` start from exact values under any config."""
    metric = METRICS[told.metric]
    words = f"{metric.words}, counted from {told.counted_from}" if metric.is_of_values else metric.words
    return capitalised(words)


def _in_short(told: ToldRecommendation) -> Iterator[Part]:
    n_others = len(told.short_list) - 1
    more = f" {counted(n_others, 'other answer')} in the details." if n_others else ""
    yield Sentence(
        f"1. {_outcome(told.short_list[0], told)}",
        where=Where.SHORT,
        further=[f'To apply it: "treatment": [{{"method": "recommended"}}].{more}'],
    )
    yield Sentence(
        'To apply answer 1: "treatment": [{"method": "recommended"}]. To apply another one, paste its lines.',
        where=Where.REPORT,
    )


# ---------------------------------------------------------------- the shareable page


def sections_outside(told: ToldRecommendation, counts: ToldCounts, k: ToldModel) -> tuple[Section, ...]:
    """The answers for the shareable page: no loss, no line of the config, no recoding beside them."""
    answers = [
        replace(
            answer,
            suppressed=None if k.evaluated is None else counts.tell(answer.suppressed),
            suppressed_few=False,
            loss=None,
            treatment=[],
        )
        for answer in told.short_list
    ]
    outside = replace(
        told,
        records=k.total,
        left_out=["not told outside"],  # whether a threshold cannot be met
        landscape=replace(told.landscape, places=()),
        short_list=answers,
        by_threshold=(),
    )
    return recommend_sections(outside)
