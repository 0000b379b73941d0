"""A category, such as the sex, by many facts or by two: how likely each person has a label, guessed out of fold.

Assumption: by many facts, a weighted sum of them lies higher in people with the label (the linear discriminant); by
two, the facts have another mean, spread or correlation in people with the label (the quadratic discriminant: a T-score
and a density give the sex, for the formula between them differs). Cost: as for numbers, and the moments of each two.
"""

from __future__ import annotations

import numpy as np

from disclosure_control.attack.answerers.many import many_together
from disclosure_control.attack.answerers.pairs import MOST_FACTS
from disclosure_control.attack.asking import Answerer, Guess, HiddenQuestion
from disclosure_control.attack.fits import N_FOLDS, Fits

FLOOR = 1e-7  # of the product of both variances: below it rounding decides
CERTAIN = 30.0  # log odds


def label_by_many(fits: Fits, question: HiddenQuestion) -> Guess | None:
    """The probability (n,) that a person has the label, which ``question.values`` is 1 for, else 0."""
    found = many_together(fits, question)
    if found is None:
        return None
    has = question.values[:, 0] > 0
    score = found.guessed
    means, spread = [score[has].mean(), score[~has].mean()], _within(score, has)
    odds = ((score - means[1]) ** 2 - (score - means[0]) ** 2) / (2 * spread**2) + np.log(has.mean() / (1 - has.mean()))
    return Guess(found.by, _probability(odds), found.strength)


def _within(score: np.ndarray, has: np.ndarray) -> float:
    squares = ((score[has] - score[has].mean()) ** 2).sum() + ((score[~has] - score[~has].mean()) ** 2).sum()
    return max(float(np.sqrt(squares / max(len(score) - 2, 1))), 1e-9)


def label_by_two(fits: Fits, question: HiddenQuestion) -> Guess | None:
    """The same by the two facts whose moments differ most between people with the label and without."""
    x = fits.facts[:, :MOST_FACTS]
    if x.shape[1] < 2:
        return None
    x = np.where(np.isfinite(x), x, np.nanmedian(x, axis=0))
    x = (x - x.mean(axis=0)) / np.maximum(x.std(axis=0), 1e-12)
    of_all = _log_determinants(x, np.ones(len(x), dtype=bool))
    strength = np.zeros(question.values.shape[1])
    for number, has in enumerate(question.values.T > 0):
        gain = of_all - has.mean() * _log_determinants(x, has) - (~has).mean() * _log_determinants(x, ~has)
        strength[number] = gain.max() / 2
        if number == 0:
            one, other = np.unravel_index(int(gain.argmax()), gain.shape)
    two = x[:, [one, other]]
    return Guess(
        (int(one), int(other)), _probability(_odds_out_of_fold(two, question.values[:, 0] > 0, fits.fold)), strength
    )


def _log_determinants(x: np.ndarray, who: np.ndarray) -> np.ndarray:
    """The logarithm of the determinant of the covariance of each two facts (n_facts, n_facts), of some people."""
    part = x[who] - x[who].mean(axis=0)
    moments = part.T @ part / max(len(part), 1)
    size = np.diag(moments)
    product = np.maximum(np.outer(size, size), FLOOR)
    found = np.log(np.maximum(product - moments**2, FLOOR * np.maximum(product, 1.0)))
    np.fill_diagonal(found, 0.0)
    return found


def _odds_out_of_fold(two: np.ndarray, has: np.ndarray, fold: np.ndarray) -> np.ndarray:
    odds = np.zeros(len(two))
    for number in range(N_FOLDS):
        part = fold == number
        for who, sign in ((has & ~part, 1.0), (~has & ~part, -1.0)):
            if who.sum() < 3:
                continue
            middle = two[who].mean(axis=0)
            spread = np.cov(two[who].T) + 1e-6 * np.eye(2)
            away = two[part] - middle
            distance = np.einsum("ij,jk,ik->i", away, np.linalg.inv(spread), away)
            odds[part] += sign * (np.log(who.sum()) - 0.5 * (distance + np.log(np.linalg.det(spread))))
    return odds


def _probability(odds: np.ndarray) -> np.ndarray:
    found: np.ndarray = 1 / (1 + np.exp(-np.clip(odds, -CERTAIN, CERTAIN)))
    return found


BY_MANY = Answerer("many facts together", label_by_many)
BY_TWO = Answerer("two facts together", label_by_two)
