"""What chance explains: whether originals stand in their own people's rows more often than in those of others.

Exchange the originals among the people. The number of people with their own in their rows then has a distribution
whose factorial moments are bounded: that of order k is at most (mean pairs per person)**k, because no more sets of k
pairs in different rows exist. So k or more people have a chance of at most mean**k / k!, exactly, whatever the rows
are and without drawing one permutation (Markov's inequality for the number of sets of k such people).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, lgamma, log

# A run asks some thousand columns; a false alarm in one of a million is no more than one in a thousand runs.
HIGHEST_CHANCE = 1e-6


@dataclass(frozen=True)
class Exchange:
    """How people and originals meet in some rows.

    ``n_own``: people in whose rows their own original is; ``n_pairs``: pairs of a person and anybody, the person
    included, whose original is in the person's rows; ``n_of_others``: pairs of a person and an original that is not the
    person's; ``n_people`` of the pilot.
    """

    n_own: int = 0
    n_pairs: int = 0
    n_of_others: int = 0
    n_people: int = 0

    def __add__(self, other: Exchange) -> Exchange:
        """Those of other people together with these."""
        return Exchange(
            self.n_own + other.n_own,
            self.n_pairs + other.n_pairs,
            self.n_of_others + other.n_of_others,
            max(self.n_people, other.n_people),
        )

    @property
    def highest_chance(self) -> float:
        """How likely so many own originals are at most, if originals had nothing to do with people: in [0, 1]."""
        if not self.n_own:
            return 1.0
        return min(1.0, exp(self.n_own * log(self.n_pairs / self.n_people) - lgamma(self.n_own + 1)))

    @property
    def is_more_than_chance(self) -> bool:
        """Whether chance does not explain them. Of few people the most that there can be is that all have their own."""
        return self.highest_chance <= max(HIGHEST_CHANCE, exp(-lgamma(self.n_people + 1)) * (1 + 1e-9))
