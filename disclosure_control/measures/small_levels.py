"""Values that few people have: such a value alone singles them out."""

from __future__ import annotations

import numpy as np


def rare_values(people: np.ndarray, at_most: int) -> np.ndarray:
    """Positions of the values that between one and ``at_most`` people have; fewest first, then in their order.

    ``people`` (n_values,) counts who has each value. Fewer people are riskier.
    """
    rare = np.flatnonzero((people > 0) & (people <= at_most))
    return rare[np.argsort(people[rare], kind="stable")]
