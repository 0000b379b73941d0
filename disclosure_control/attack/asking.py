"""What an answerer is asked: a hidden column of people, beside 200 exchanges of it, which show what chance gives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from disclosure_control.attack.fits import Fits

N_EXCHANGES = 200
MOST_ASKED = 1_000  # people by whom relations are fitted: more find no other relation
LEAST_IN_GROUP = 10  # people with the same released value, for a constant of their own
SEED = 20_260_101  # exchanges are drawn in the order of the people's hashed ids: the same for any order of records


@dataclass(frozen=True)
class HiddenQuestion:
    """The ``values`` (n, 1 + n_exchanges) of a hidden column: the true ones first, then exchanged ones.

    Exchanges are among people with the same released value, so that any of them could be true for all that the release
    says of the column itself. ``groups`` (n,) has the levels of a quasi-identifier of few levels, such as the sex,
    within which a relation may differ.
    """

    values: np.ndarray = field(repr=False)
    groups: np.ndarray = field(repr=False)

    def of(self, people: np.ndarray) -> HiddenQuestion:
        """The same of some people, (n,) of bool."""
        return HiddenQuestion(self.values[people], self.groups[people])

    @cached_property
    def logarithms(self) -> np.ndarray | None:
        """The logarithms of the values; None where one is not above 0."""
        return np.log(self.values) if self.values.min(initial=np.inf) > 0 else None


@dataclass(frozen=True)
class Guess:
    """What an answerer found: ``by`` which facts, the ``guessed`` values (n,) of people left out, NaN without one.

    ``strength`` (1 + n_exchanges,): how well it explains the true values and the exchanged ones, in one measure.
    """

    by: Sequence[int]
    guessed: np.ndarray = field(repr=False)
    strength: np.ndarray = field(repr=False)


@dataclass(frozen=True)
class Answerer:
    """A way to guess: its ``name`` in a sentence, and its function; its file says what it assumes, and its cost."""

    name: str
    answer: Callable[[Fits, HiddenQuestion], Guess | None]


def exchanged(values: np.ndarray, released: np.ndarray, asked: np.ndarray) -> np.ndarray:
    """The values (n,) and ``N_EXCHANGES`` exchanges of those ``asked`` with the same ``released`` code (n, 1 + n)."""
    generator = np.random.default_rng(SEED)
    who = np.flatnonzero(asked)
    groups = released[who]
    order = np.argsort(groups, kind="stable")
    found = np.tile(values[:, None], (1, 1 + N_EXCHANGES))
    for number in range(1, 1 + N_EXCHANGES):
        drawn = np.lexsort((generator.random(len(who)), groups))
        found[who[order], number] = values[who[drawn]]
    return found


def intercepts(codes: Sequence[np.ndarray]) -> np.ndarray:
    """An intercept for everybody, and one for each level (n,) with enough people, but for one of each (n, n_given)."""
    columns = [np.ones(len(codes[0]))]
    for one in codes:
        levels, n = np.unique(one, return_counts=True)
        enough = levels[n >= LEAST_IN_GROUP]
        kept = enough[1:] if len(enough) == len(levels) else enough
        columns += [(one == level).astype(float) for level in kept.tolist()]
    return np.column_stack(columns)


def strength_of(left: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """Half the logarithm of the whole sum of squares over what is left: 0 says nothing, 1 leaves a seventh."""
    return 0.5 * np.log(np.maximum(whole, 1e-300) / np.maximum(left, 1e-12 * np.maximum(whole, 1e-300)))


def is_beyond_chance(strength: np.ndarray, n_questions: int) -> bool:
    """Whether the first one is beyond what exchanges give.

    It is larger than in each of the exchanges, and rarer than one in a hundred over ``n_questions`` by the law of
    largest values (Gumbel) that the exchanges follow.
    """
    by_chance = strength[1:]
    spread = float(by_chance.std()) * np.sqrt(6) / np.pi
    rare = float(by_chance.mean()) + spread * (np.log(100 * max(n_questions, 1)) - np.euler_gamma)
    return bool(strength[0] > max(rare, float(by_chance.max(initial=-np.inf))))
