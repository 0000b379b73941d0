"""Which threshold asks for what: the mildest recoding for k alone, for k and l, and for all of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from disclosure_control.basics.settings.changes import python_text
from disclosure_control.basics.telling.small_counts import NOT_SHOWN, Policy
from disclosure_control.basics.telling.words import listed
from disclosure_control.remedy.recodings.search import SearchResult, Transformation, evaluate
from disclosure_control.steps.recommend.short_list import Trial, in_words, main_question

MODELS = ("k", "l", "t")
SHARE_OF_TIME = 0.1  # of the limit of all searches, for each further one
# Times T, in three digits as they are pasted: coarse steps disclose little of the distances of single classes.
LARGER_T = (1.25, 1.5, 2, 3, 4)


@dataclass(frozen=True)
class ForThresholds:
    """The mildest recoding for some of the thresholds, in words, and the records that it leaves out.

    None of both where no recoding was found. ``costs``: the columns that t alone drops, and ``keeps`` the T by which
    they would stay, by sensitive feature.
    """

    models: tuple[str, ...]
    words: str | None
    suppressed: int | None
    costs: Sequence[str] = ()
    keeps: Mapping[str, float] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The thresholds in words."""
        *first, last = self.models
        return f"{', '.join(first)} and {last}" if first else f"{last} alone"


def by_thresholds(trial: Trial, found: SearchResult) -> tuple[ForThresholds, ...]:
    """The mildest recoding for k, for k and l, and for k, l and t, as far as they can be met; ``found`` is the last.

    Nothing where one threshold alone is asked for.
    """
    pilot = trial.pilot
    asked = [model for model in MODELS if model in pilot.models]
    if len(asked) < 2:
        return ()
    milder = [_searched(trial, tuple(asked[:n])) for n in range(1, len(asked))]
    answers = [_in_words(trial, tuple(asked[:n]), one) for n, one in enumerate(milder, start=1)]
    last = _in_words(trial, tuple(asked), found)
    if asked[-1] == "t" and found.best is not None and milder[-1].best is not None:
        last = _with_costs_of_t(trial, last, milder[-1].best, found.best)
    return (*answers, last)


def _searched(trial: Trial, models: tuple[str, ...]) -> SearchResult:
    pilot = trial.pilot
    criteria = tuple(one for one in pilot.criteria if ("t" if one.model.endswith("_t") else "l") in models)
    milder = dataclasses.replace(trial, pilot=dataclasses.replace(pilot, criteria=criteria, models=models))
    return milder.search(main_question(milder), SHARE_OF_TIME * trial.time_limit)


def _with_costs_of_t(
    trial: Trial, answer: ForThresholds, without: Transformation, best: Transformation
) -> ForThresholds:
    """With the columns that the ``best`` recoding drops and one ``without`` t keeps, and the least T to keep them."""
    pilot = trial.pilot
    ends = zip(pilot.lattice.attributes, without.levels, best.levels, strict=True)
    costs = [one.name for one, kept, level in ends if kept < one.height == level]
    for times in LARGER_T if costs else ():
        criteria = tuple(
            dataclasses.replace(one, threshold=float(f"{times * one.threshold:.3g}"))
            if one.model.endswith("_t")
            else one
            for one in pilot.criteria
        )
        met = dataclasses.replace(pilot, criteria=criteria).requirements(trial.suppression_limit)
        tried = evaluate(pilot.lattice, without.levels, met, trial.metric, trial.weights)
        if tried.n_suppressed == without.n_suppressed:
            of_t = (one for one in criteria if one.model.endswith("_t"))
            return dataclasses.replace(answer, costs=costs, keeps={one.sensitive: one.threshold for one in of_t})
    return answer


def _in_words(trial: Trial, models: tuple[str, ...], found: SearchResult) -> ForThresholds:
    if found.best is None:
        return ForThresholds(models, None, None)
    return ForThresholds(models, in_words(trial.pilot, found.best.levels), found.best.n_suppressed)


def as_told(policy: Policy, answers: Sequence[ForThresholds], beside: Sequence[int]) -> list[ForThresholds]:
    """The answers as the reader may see them: a number that gives a small one with another answer, or with those
    ``beside`` it, is None.
    """
    told: list[ForThresholds] = []
    shown = list(beside)
    for answer in reversed(answers):  # that of all thresholds is told elsewhere, too
        n = None if answer.suppressed is None else policy.told(answer.suppressed, *shown)
        shown += [] if n is None else [n]
        told.append(dataclasses.replace(answer, suppressed=n))
    return told[::-1]


def in_sentences(answers: Sequence[ForThresholds], n_records: str) -> list[str]:
    """A line for each of the thresholds, masked counts as such; "the same" where it asks for nothing more."""
    lines, before = [], None
    for answer in answers:
        if answer.words is None:
            lines.append(f"{answer.text}: no recoding was found.")
        elif before is not None and answer.words == before.words and answer.suppressed == before.suppressed:
            lines.append(f"{answer.text}: the same.")
        else:
            n_out = NOT_SHOWN if answer.suppressed is None else f"{answer.suppressed}"
            lines.append(f"{answer.text}: {answer.words}; {n_out} of {n_records} records left out.")
        if answer.costs:
            t = [*answer.keeps.values()]
            line = python_text(t[0] if len(t) == 1 else dict(answer.keeps))
            lines.append(f'T alone costs {listed(answer.costs)}. To keep it, if T may be larger: "T": {line}')
        before = answer
    return lines
