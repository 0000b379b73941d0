"""Two numbers: additive splines of each two facts, within each level of the sex, all pairs at once.

Assumption: the hidden number is a smooth function of one fact plus a smooth function of another, which may differ by
the sex: sums, differences, and by logarithms products and ratios (CKD-EPI, a dose by body surface). Cost: a system of
equations for each pair, and a product for each exchange; fitted again out of fold for the best pair.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from disclosure_control.attack.asking import Answerer, Guess, HiddenQuestion, strength_of
from disclosure_control.attack.fits import N_FOLDS, Fits

MOST_FACTS = 120  # of which each two are tried: 7,140 pairs
SCREENED_AT = (0.2, 0.4, 0.6, 0.8)  # hinges of the search
FITTED_AT = tuple(np.arange(0.1, 0.95, 0.1))  # of the best pair: deciles
RIDGE = 1e-7
AT_ONCE = 256  # pairs
LEAST_SIZE = 1e-3  # for a logarithm


def two_together(fits: Fits, question: HiddenQuestion) -> Guess | None:
    """The best pair for the true values, and for each exchange: by smooth curves, or by logarithms alone."""
    facts, of_logarithms = fits.facts[:, :MOST_FACTS], question.logarithms
    if facts.shape[1] < 2:
        return None
    bases = [_hinges(one, SCREENED_AT, question.groups) for one in facts.T]
    tried = [_screened(bases, question.values, fits.given)]
    places = fits.with_logarithms[fits.with_logarithms < MOST_FACTS]
    if of_logarithms is not None and len(places) > 1:
        bases = [_hinges(one, (), question.groups) for one in fits.in_logarithms.T[places]]
        pair, strength = _screened(bases, of_logarithms, fits.given)
        tried.append((places[pair], strength))
    best = max(tried, key=lambda one: float(one[1][0]))[0]
    strength = np.max([one[1] for one in tried], axis=0)
    return Guess(best.tolist(), _out_of_fold(facts[:, best], question, fits.given), strength)


def _screened(bases: Sequence[np.ndarray], values: np.ndarray, given: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The pair (2,) of facts, each a basis (n, width), that explains most of the true values; how well (n_values,)."""
    inverse = np.linalg.pinv(given)
    values = values - given @ (inverse @ values)
    basis = np.column_stack(bases)
    basis = basis - given @ (inverse @ basis)
    spread = basis.std(axis=0)
    basis = np.where(spread > 1e-9, basis / np.where(spread > 1e-9, spread, 1.0), 0.0)
    pairs = np.column_stack(np.triu_indices(len(bases), 1))
    explained = _explained(basis.reshape(len(basis), len(bases), -1), values, pairs)
    whole = (values**2).sum(axis=0)
    return pairs[int(explained[:, 0].argmax())], strength_of(whole - explained.max(axis=0), whole)


def _hinges(fact: np.ndarray, at: tuple[float, ...], groups: np.ndarray) -> np.ndarray:
    """The fact and its hinges (n, n_levels * (1 + n_hinges)), within each level of the groups; a gap is the middle."""
    there = np.isfinite(fact)
    middle = float(np.median(fact[there])) if there.any() else 0.0
    filled = np.where(there, fact, middle)
    knots = np.quantile(filled[there], at) if there.any() else np.zeros(len(at))
    scale = max(float(np.ptp(filled)), 1e-12)
    parts = [(filled - middle) / scale, *(np.maximum(filled - knot, 0) / scale for knot in knots)]
    whole = np.column_stack(parts)
    return np.column_stack([whole * (groups == level)[:, None] for level in np.unique(groups).tolist()])


def _explained(bases: np.ndarray, values: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """The sum of squares that each pair of bases (n, n_facts, width) explains of values (n, n_values), of each column.

    (n_pairs, n_values): what the first one explains, and the second one of what is left. So each basis is made
    orthonormal once, but for a small penalty, and a pair costs a system as wide as one basis.
    """
    n_facts, width = bases.shape[1:]
    x = bases.transpose(1, 0, 2)
    products = x.transpose(0, 2, 1) @ x + RIDGE * len(values) * np.eye(width)
    x = x @ np.linalg.inv(np.linalg.cholesky(products)).transpose(0, 2, 1)
    flat = x.transpose(1, 0, 2).reshape(len(values), -1)
    shared = (flat.T @ flat).reshape(n_facts, width, n_facts, width).transpose(0, 2, 1, 3)
    alone = (flat.T @ values).reshape(n_facts, width, -1)
    found = (alone[pairs[:, 0]] ** 2).sum(axis=1)
    for start in range(0, len(pairs), AT_ONCE):
        one, other = pairs[start : start + AT_ONCE].T
        of_both = shared[one, other]
        left = alone[other] - of_both.transpose(0, 2, 1) @ alone[one]
        rest = np.eye(width) - of_both.transpose(0, 2, 1) @ of_both
        factor = np.linalg.inv(np.linalg.cholesky(rest))
        found[start : start + AT_ONCE] += ((factor @ left) ** 2).sum(axis=1)
    return found


def _out_of_fold(two: np.ndarray, question: HiddenQuestion, given: np.ndarray) -> np.ndarray:
    """The guesses (n,) of the true values by two facts, each of people left out; NaN where a fact is missing."""
    there = np.isfinite(two).all(axis=1)
    guessed = np.full(len(two), np.nan)
    if not there.any():
        return guessed
    candidates = []
    for in_logarithms in (False, True):
        x, y = two[there], question.values[there, 0]
        if in_logarithms:
            if y.min() <= 0:
                continue
            x, y = np.log(np.maximum(np.abs(x), LEAST_SIZE)), np.log(y)
        for at in (FITTED_AT, SCREENED_AT, ()):
            bases = [_hinges(one, at, question.groups[there]) for one in x.T]
            found = _ridge(np.column_stack(bases), y, given[there])
            candidates.append(np.exp(found) if in_logarithms else found)
    y = question.values[there, 0]
    guessed[there] = min(candidates, key=lambda one: float(((one - y) ** 2).sum()))
    return guessed


def _ridge(basis: np.ndarray, y: np.ndarray, given: np.ndarray) -> np.ndarray:
    fold = np.arange(len(y)) % N_FOLDS
    guessed = np.zeros(len(y))
    x = np.column_stack([given, basis])
    for number in range(N_FOLDS):
        known = fold != number
        gram = x[known].T @ x[known]
        gram[np.diag_indices_from(gram)] += RIDGE * max(known.sum(), 1)
        guessed[~known] = x[~known] @ np.linalg.solve(gram, x[known].T @ y[known])
    return guessed


ANSWERER = Answerer("two facts together", two_together)
