"""Many numbers at once: penalised and stepwise linear models, of values and of logarithms, guessed out of fold.

Assumption: the hidden number is a sum or a product of powers of any number of facts, each of them perhaps noisy: doses,
sums of items, FIB-4, markers. Cost: systems of equations of the facts in each fold, and a product for each exchange.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from disclosure_control.attack.asking import Answerer, Guess, HiddenQuestion, strength_of
from disclosure_control.attack.fits import Fits, LeftOut

PENALTIES = (1e-6, 1e-3, 1e-2, 1e-1, 1.0, 10.0)  # of the mean eigenvalue
MOST_STEPS = 8  # facts in a stepwise model
RIDGE = 1e-9
FEWEST_IN_LEVEL = 40  # people, for weights of their own


def many_together(fits: Fits, question: HiddenQuestion) -> Guess | None:
    """The best of the models for the true values, and for each exchange."""
    if not fits.facts.shape[1]:
        return None
    truth = question.values
    tried = [_errors(guessed, truth) for guessed in (*_models(fits, question), *_within_levels(fits, question))]
    best = min(tried, key=lambda one: float(one[0][0]))
    left = np.min([one[0] for one in tried], axis=0)
    return Guess((), best[1], strength_of(left, ((truth - out_of_fold(fits, truth)) ** 2).sum(axis=0)))


def _models(fits: Fits, question: HiddenQuestion) -> Iterator[np.ndarray]:
    """The guesses (n, n_values) out of fold of all models."""
    of_logarithms = question.logarithms
    yield from _penalised(fits.plain_parts, question.values)
    yield from _stepwise(fits.parts_of_both, question.values)
    if of_logarithms is not None and fits.in_logarithms.shape[1]:
        parts = fits.logarithmic_parts
        for guessed in (*_penalised(parts, of_logarithms), *_stepwise(parts, of_logarithms)):
            with np.errstate(over="ignore"):
                yield np.exp(guessed)


def _within_levels(fits: Fits, question: HiddenQuestion) -> Iterator[np.ndarray]:
    """The same of the people of each level of the groups: a formula may have other weights in women."""
    levels, n = np.unique(question.groups, return_counts=True)
    if len(levels) < 2 or n.min() < FEWEST_IN_LEVEL:
        return
    people = [question.groups == level for level in levels.tolist()]
    for of_levels in zip(*(_models(fits.of(who), question.of(who)) for who in people), strict=False):
        guessed = np.zeros_like(question.values)
        for who, found in zip(people, of_levels, strict=True):
            guessed[who] = found
        yield guessed


def out_of_fold(fits: Fits, values: np.ndarray) -> np.ndarray:
    """The values (n, n_values) as they are guessed of people left out by what is given alone."""
    guessed = np.zeros_like(values)
    for part in fits.plain_parts:
        guessed[part.out] = part.explained(values)[part.out]
    return guessed


def _errors(guessed: np.ndarray, truth: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The sum of squares of each column, infinite where a guess is none, and the guesses of the true values."""
    with np.errstate(over="ignore", invalid="ignore"):
        squares = np.nan_to_num(((guessed - truth) ** 2).sum(axis=0), nan=np.inf)
    return squares, guessed[:, 0]


def _penalised(parts: Sequence[LeftOut], values: np.ndarray) -> Iterator[np.ndarray]:
    """The guesses (n, n_values) out of fold, of each penalty; of fewer people than facts by products of the people."""
    found = np.zeros((len(PENALTIES), *values.shape))
    for part in parts:
        explained, x = part.explained(values), part.z[~part.out]
        y = (values - explained)[~part.out]
        is_wide = len(x) < x.shape[1]
        products, sums = (x @ x.T, y) if is_wide else (part.gram, x.T @ y)
        mean = max(float(np.trace(products)) / x.shape[1], 1e-12)
        for number, penalty in enumerate(PENALTIES):  # one system after the other: eigenvalues cost ten times as much
            solved = np.linalg.solve(products + penalty * mean * np.eye(len(products)), sums)
            weights = x.T @ solved if is_wide else solved
            found[number, part.out] = explained[part.out] + part.z[part.out] @ weights
    yield from found


def _stepwise(parts: Sequence[LeftOut], values: np.ndarray) -> Iterator[np.ndarray]:
    """The guesses (n, n_values) out of fold, of models of one fact to ``MOST_STEPS``.

    Each step takes the fact nearest to what is left, and fits all again (orthogonal matching pursuit).
    """
    n_facts, n_values = parts[0].z.shape[1], values.shape[1]
    found = np.zeros((min(MOST_STEPS, n_facts), *values.shape))
    column = np.arange(n_values)
    for part in parts:
        explained, others = part.explained(values), ~part.out
        both = part.z[others].T @ (values - explained)[others]
        gram = part.gram + RIDGE * len(values) * np.eye(n_facts)
        chosen = np.zeros((n_values, 0), dtype=np.int64)
        left = both.copy()
        for step in range(len(found)):
            size = np.abs(left)
            size[chosen.T, column] = -1.0
            chosen = np.column_stack([chosen, size.argmax(axis=0)])
            of_chosen = gram[chosen[:, :, None], chosen[:, None, :]]
            fitted = np.linalg.solve(of_chosen, both[chosen, column[:, None]][..., None])[..., 0]
            weights = np.zeros((n_facts, n_values))
            np.add.at(weights, (chosen.T, column), fitted.T)
            left = both - gram @ weights
            found[step, part.out] = explained[part.out] + part.z[part.out] @ weights
    yield from found


ANSWERER = Answerer("many facts together", many_together)
