"""Many transformations side by side: what each costs, and how many people its classes leave at risk."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from disclosure_control.remedy.recodings.nodes import Lattice, Levels, RollUp
from disclosure_control.remedy.recodings.requirements import Requirements
from disclosure_control.remedy.recodings.search import evaluate

MOST_TRANSFORMATIONS = 600
FEWEST_TRANSFORMATIONS = 20
MOST_COMBINATIONS = 2_000_000  # transformations in all; a limit in seconds would make runs differ


@dataclass(frozen=True)
class LatticePoint:
    """A transformation by its ``levels``: ``loss`` of the metric, and people in classes that fail (more: riskier)."""

    levels: Levels
    loss: float
    n_at_risk: int


@dataclass(frozen=True)
class Landscape:
    """``places`` of the transformations that were evaluated; ``is_whole`` where these are all that are allowed."""

    places: tuple[LatticePoint, ...]
    is_whole: bool


def landscape(
    lattice: Lattice,
    requirements: Requirements,
    metric: str,
    weights: Mapping[str, float] | None,
    lowest: Mapping[str, int],
    highest: Mapping[str, int],
    first: Sequence[Levels] = (),
) -> Landscape:
    """All transformations between ``lowest`` and ``highest``, or of many the ``first`` ones and the coarsest.

    At most ``MOST_TRANSFORMATIONS``, fewer where very many combinations of values have to be counted.
    """
    allowed = [
        range(lowest.get(attribute.name, 0), highest.get(attribute.name, attribute.height) + 1)
        for attribute in lattice.attributes
    ]
    n_allowed = math.prod(len(levels) for levels in allowed)
    roll_up = RollUp(lattice)
    most = min(MOST_TRANSFORMATIONS, max(FEWEST_TRANSFORMATIONS, MOST_COMBINATIONS // roll_up.bottom.n_classes))
    coarsest_first = itertools.product(*(reversed(levels) for levels in allowed))
    wanted = dict.fromkeys([*first, *itertools.islice(coarsest_first, most)])
    places = []
    for levels in itertools.islice(wanted, most):
        found = evaluate(lattice, levels, requirements, metric, weights, roll_up)
        places.append(LatticePoint(levels, found.loss, found.n_suppressed))
    return Landscape(tuple(places), len(places) == n_allowed)
