"""What fits of the same facts share, whatever they are asked: parts in which people are left out, and sums of products.

Everything that a fit learns, centring included, it learns in each part from the other people alone: centred before,
noise would predict itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

N_FOLDS = 5
MOST_ORDERED = 60  # facts, by each two of which people are ordered
SELDOM_0 = 0.95  # share of people, whose fact is not 0
LEAST_SPREAD = 1e-9


@dataclass(frozen=True)
class LeftOut:
    """People left out (``out``, (n,) of bool), and the facts less what is ``given``, as the others teach it.

    ``z`` (n, n_facts) has a spread of 1 in the others, or is 0; ``given`` (n, n_known), for values less the same, is
    what maps values of the others to what the given explains of everybody's.
    """

    out: np.ndarray = field(repr=False)
    z: np.ndarray = field(repr=False)
    given: np.ndarray = field(repr=False)

    @cached_property
    def gram(self) -> np.ndarray:
        """The sums of products of the facts over the others (n_facts, n_facts)."""
        others = self.z[~self.out]
        return others.T @ others

    def explained(self, values: np.ndarray) -> np.ndarray:
        """What the given explains of values (n, n_values), as the others teach it."""
        explained: np.ndarray = self.given @ values[~self.out]
        return explained


@dataclass(frozen=True)
class Fits:
    """The facts (n, n_facts) of people, NaN where missing, beside what is ``given`` (n, n_given) without a search."""

    facts: np.ndarray = field(repr=False)
    given: np.ndarray = field(repr=False)

    @cached_property
    def fold(self) -> np.ndarray:
        """The part in which each person (n,) is left out."""
        found: np.ndarray = np.arange(len(self.given)) % N_FOLDS
        return found

    @cached_property
    def filled(self) -> np.ndarray:
        """The facts, gaps with the mean of the fact."""
        there = np.isfinite(self.facts)
        means = np.where(there, self.facts, 0.0).sum(axis=0) / np.maximum(there.sum(axis=0), 1)
        found: np.ndarray = np.where(there, self.facts, means)
        return found

    @cached_property
    def with_logarithms(self) -> np.ndarray:
        """Which facts (n_with_logarithms,) are hardly ever 0: of a change beside its percentage both signs are one."""
        found: np.ndarray = np.flatnonzero((self.filled != 0).mean(axis=0) >= SELDOM_0)
        return found

    @cached_property
    def in_logarithms(self) -> np.ndarray:
        """The logarithms of the sizes of these facts, of a 0 their mean, and other facts as they are (n, n_facts)."""
        found, at = self.filled.copy(), self.with_logarithms
        size = np.abs(found[:, at])
        logarithms = np.log(np.where(size > 0, size, 1.0))
        means = np.where(size > 0, logarithms, 0.0).sum(axis=0) / np.maximum((size > 0).sum(axis=0), 1)
        found[:, at] = np.where(size > 0, logarithms, means)
        return found

    def of(self, people: np.ndarray) -> Fits:
        """The same of some people, (n,) of bool."""
        return Fits(self.facts[people], self.given[people])

    @cached_property
    def orders_of_two(self) -> list[tuple[int, np.ndarray, np.ndarray]]:
        """Each fact with the later ones (n_made,), and the orders of the people (n_made, n) by what both give.

        By their sum, difference, distance, product and ratio.
        """
        facts, found = np.ascontiguousarray(self.filled[:, :MOST_ORDERED].T), []
        size = np.maximum(np.abs(facts), LEAST_SPREAD) * np.where(facts < 0, -1.0, 1.0)
        for one in range(len(facts) - 1):
            x, z = facts[one], facts[one + 1 :]
            made = np.concatenate([x + z, x - z, np.abs(x - z), x * z, x / size[one + 1 :]])
            found.append((one, np.tile(np.arange(one + 1, len(facts)), 5), _orders(made)))
        return found

    @cached_property
    def plain_parts(self) -> list[LeftOut]:
        """The parts, with the facts."""
        return self._parts(self.filled)

    @cached_property
    def logarithmic_parts(self) -> list[LeftOut]:
        """The parts, with the logarithms."""
        return self._parts(self.in_logarithms)

    @cached_property
    def parts_of_both(self) -> list[LeftOut]:
        """The parts, with the facts and then the logarithms."""
        both = zip(self.plain_parts, self.logarithmic_parts, strict=True)
        return [LeftOut(one.out, np.column_stack([one.z, other.z]), one.given) for one, other in both]

    def _parts(self, x: np.ndarray) -> list[LeftOut]:
        found = []
        for number in range(N_FOLDS):
            out = self.fold == number
            given = self.given @ np.linalg.pinv(self.given[~out])
            left = x - given @ x[~out]
            spread = left[~out].std(axis=0)
            is_used = spread > LEAST_SPREAD
            found.append(LeftOut(out, np.where(is_used, left / np.where(is_used, spread, 1.0), 0.0), given))
        return found


def _orders(made: np.ndarray) -> np.ndarray:
    """The order of the people by each row of numbers (n_made, n); the earlier person first where two are alike.

    The person takes the place of the last bits of the number, as bits of floats are in the order of their values: plain
    numbers are sorted four times as fast, and alike on any processor.
    """
    n_bits = made.shape[1].bit_length()
    key = (made + 0.0).view(np.int64)  # a zero has one sign
    key ^= (key >> 63) & np.iinfo(np.int64).max
    key = (key >> n_bits << n_bits) + np.arange(made.shape[1])
    key.sort(axis=1)
    return (key & ((1 << n_bits) - 1)).astype(np.int32)
