"""Values that few people have: such a value alone singles them out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from Anonymization_Models import EquivalenceClasses


@dataclass(frozen=True)
class SmallLevel:
    """A value of one quasi-identifier that few people have; ``label`` is a value of people: restricted output only."""

    quasi_identifier: str
    label: str | float
    n_people: int


def rare_values(people: np.ndarray, at_most: int) -> np.ndarray:
    """Positions of the values that between one and ``at_most`` people have; fewest first, then in their order.

    ``people`` (n_values,) counts who has each value. Fewer people are riskier.
    """
    rare = np.flatnonzero((people > 0) & (people <= at_most))
    return rare[np.argsort(people[rare], kind="stable")]


def small_levels(classes: EquivalenceClasses, at_most: int = 5) -> list[SmallLevel]:
    """Values of a quasi-identifier, as evaluated, that at most ``at_most`` people have; see ``rare_values``.

    By quasi-identifier, in their order; a missing value is not a level.
    """
    levels = []
    for name, column in zip(classes.quasi_identifiers, classes.columns_of_classes, strict=True):
        present = column.codes >= 0
        people = np.bincount(column.codes[present], classes.size[present], len(column.labels)).astype(np.int64)
        levels += [SmallLevel(name, column.labels[i], int(people[i])) for i in rare_values(people, at_most)]
    return levels
