"""A number or a category by an order of people: what two facts give puts people with alike values side by side.

Assumption: the sum, difference, product or ratio of two facts decides, in whatever way: the factor between two units at
one site, a distance whose sign says nothing. Cost: five orders of the people for each two facts, in which neighbours
are compared for each exchange (the ratio of von Neumann).
"""

from __future__ import annotations

import numpy as np

from disclosure_control.attack.asking import Answerer, Guess, HiddenQuestion, strength_of
from disclosure_control.attack.fits import Fits

BESIDE = 2  # neighbours on either side


def value_by_order(fits: Fits, question: HiddenQuestion) -> Guess | None:
    """The mean of the neighbours' values (n,) in the best order: of a label, which is 1, how many of them have it."""
    values, best = question.values, None
    left = np.full(values.shape[1], np.inf)
    for one, others, order in fits.orders_of_two:
        for number, of_values in enumerate(np.ascontiguousarray(values.T)):
            step = np.diff(of_values[order], axis=1)
            size = np.einsum("ij,ij->i", step, step) / 2
            at = int(size.argmin())
            if number == 0 and size[at] < left[0]:
                best = ((one, int(others[at])), order[at])
            left[number] = min(left[number], size[at])
    if best is None:
        return None
    pair, order_of_best = best
    whole = ((values - values.mean(axis=0)) ** 2).sum(axis=0)
    return Guess(pair, _of_neighbours(values[order_of_best, 0], order_of_best), strength_of(left, whole))


def _of_neighbours(ordered: np.ndarray, order: np.ndarray) -> np.ndarray:
    """The mean (n,) of the values ``ordered`` (n,) of the neighbours of each person, as the ``order`` says."""
    padded = np.pad(ordered.astype(float), BESIDE, constant_values=np.nan)
    shifts = [shift for shift in range(-BESIDE, BESIDE + 1) if shift]
    found = np.zeros(len(ordered))
    found[order] = np.nanmean([padded[BESIDE + shift : BESIDE + shift + len(ordered)] for shift in shifts], axis=0)
    return found


ANSWERER = Answerer("two facts together", value_by_order)
