"""Which threshold asks for what: the mildest recoding for k alone, for k and l, and for all of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

from disclosure_control.basics.telling.small_counts import NOT_SHOWN, Policy
from disclosure_control.remedy.recodings.search import SearchResult
from disclosure_control.steps.recommend.short_list import Trial, in_words, main_question

MODELS = ("k", "l", "t")
SHARE_OF_TIME = 0.1  # of the limit of all searches, for each further one


@dataclass(frozen=True)
class ForThresholds:
    """The mildest recoding for some of the thresholds, in words, and the records that it leaves out.

    None of both where no recoding was found.
    """

    models: tuple[str, ...]
    words: str | None
    suppressed: int | None

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
    answers = [_searched(trial, tuple(asked[:n])) for n in range(1, len(asked))]
    return (*answers, _in_words(trial, tuple(asked), found))


def _searched(trial: Trial, models: tuple[str, ...]) -> ForThresholds:
    pilot = trial.pilot
    criteria = tuple(one for one in pilot.criteria if ("t" if one.model.endswith("_t") else "l") in models)
    milder = dataclasses.replace(trial, pilot=dataclasses.replace(pilot, criteria=criteria, models=models))
    return _in_words(milder, models, milder.search(main_question(milder), SHARE_OF_TIME * trial.time_limit))


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
        before = answer
    return lines
