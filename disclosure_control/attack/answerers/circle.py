"""A number that repeats itself, such as the day of the year: its cosine and its sine are asked of another answerer.

Assumption and cost: those of the other answerer, twice.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from disclosure_control.attack.asking import Answerer, Guess, HiddenQuestion
from disclosure_control.attack.fits import Fits

ROUND = 366.0  # days of a year


def around(one: Answerer) -> Answerer:
    """The answerer, asked of days of the year."""

    def answer(fits: Fits, question: HiddenQuestion) -> Guess | None:
        angle = question.values * (2 * np.pi / ROUND)
        parts = [one.answer(fits, replace(question, values=values)) for values in (np.cos(angle), np.sin(angle))]
        found = [part for part in parts if part is not None]
        if len(found) < 2:
            return None
        day = np.arctan2(found[1].guessed, found[0].guessed) % (2 * np.pi) * (ROUND / (2 * np.pi))
        by = tuple(dict.fromkeys([*found[0].by, *found[1].by]))
        return Guess(by, day, found[0].strength + found[1].strength)

    return replace(one, answer=answer)
