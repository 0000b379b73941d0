"""The transformation of least loss that meets the requirements, with proof if the search can finish.

Best first by a lower bound of the loss, one number for each transformation of the lattice. Each evaluated
transformation sharpens bounds: records suppressed in it are suppressed in every finer one (k and distinct l), classes
that it joins stay joined in every coarser one, and if k or distinct l alone suppress too many, no finer one is
allowed. l by entropy and t are not monotone once records are suppressed, so nothing is concluded from them then; nor
for finer ones in which other people are evaluated (``missing_policies``). The search ends when the lowest bound is not
below the best loss found: nothing better is left.

It does not evaluate the transformation with the lowest bound but one half way up the chain of its coarser ones, and
continues by bisection, which settles many transformations at a time. Sources: best-first bounds and chains as in
Kohlmayer, Prasser, Eckert, Kemper and Kuhn 2012 (Flash), doi:10.1109/SocialCom-PASSAT.2012.52; El Emam et al. 2009
(OLA), doi:10.1197/jamia.M3144.
"""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import EllipsisType

import numpy as np

from disclosure_control.basics.telling.faults import FaultyInputError, stop_at
from disclosure_control.remedy.recodings.descent import descend, levels_around
from disclosure_control.remedy.recodings.judging import judge
from disclosure_control.remedy.recodings.losses import METRICS
from disclosure_control.remedy.recodings.nodes import Lattice, Levels, Node, RollUp
from disclosure_control.remedy.recodings.requirements import Requirements

LARGEST_LATTICE = 4_000_000  # transformations with a bound each; of a larger lattice only a part is searched


@dataclass(frozen=True)
class Transformation:
    """One transformation under some requirements: its loss, and whom it suppresses.

    ``n_evaluated`` are the people whom the policy for missing values evaluates, who may be suppressed.
    ``suppressed`` (n_combinations,) of bool: which combinations of the lattice belong to classes that fail.
    ``n_classes`` counts the classes that are kept. ``is_allowed``: whether few enough records are suppressed.
    """

    levels: Levels
    loss: float
    n_suppressed: int
    n_evaluated: int
    n_classes: int
    is_allowed: bool
    suppressed: np.ndarray


@dataclass(frozen=True)
class SearchResult:
    """The ``best`` transformation; None where none is allowed, or none was found in time.

    ``is_optimal``: nothing in the lattice is better, or where ``best`` is None, nothing in it is allowed. ``n_checked``
    transformations were evaluated, of the ``lattice_size`` that the levels allow.
    """

    best: Transformation | None
    is_optimal: bool
    n_checked: int
    lattice_size: int


def evaluate(
    lattice: Lattice,
    levels: Sequence[int],
    requirements: Requirements,
    metric: str = "loss",
    weights: Mapping[str, float] | None = None,
    roll_up: RollUp | None = None,
) -> Transformation:
    """One transformation under the requirements; ``roll_up`` may be handed in to share finer classes.

    Raises ``FaultyInputError`` on an unknown metric, attribute of ``weights`` or level.
    """
    _check(lattice, metric, weights, {}, {})
    if not all(0 <= level <= height for level, height in zip(levels, lattice.top, strict=True)):
        raise FaultyInputError(f"levels {tuple(levels)}: allowed are those of the lattice, up to {lattice.top}")
    roll_up = roll_up or RollUp(lattice)
    node = roll_up.node(tuple(levels))
    surely = requirements.surely_suppressed(node, roll_up)
    suppressed = judge(requirements, node, roll_up, surely)
    loss = METRICS[metric].on(lattice, _weights_of(lattice, weights)).loss(node, suppressed)
    n_suppressed = int(node.size[suppressed].sum())
    return Transformation(
        levels=node.levels,
        loss=loss,
        n_suppressed=n_suppressed,
        n_evaluated=requirements.n_evaluated(node),
        n_classes=int((~suppressed).sum()),
        is_allowed=n_suppressed <= requirements.most_suppressed(node),
        suppressed=suppressed[node.class_of_combination],
    )


def search(
    lattice: Lattice,
    requirements: Requirements,
    metric: str = "loss",
    weights: Mapping[str, float] | None = None,
    lowest: Mapping[str, int] | None = None,
    highest: Mapping[str, int] | None = None,
    time_limit: float | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> SearchResult:
    """The transformation of least loss under the requirements.

    ``metric`` is a name of ``METRICS``; ``weights`` (attribute -> number from 0, default 1) count in metrics that are
    sums over attributes. ``lowest`` and ``highest`` bound an attribute's level and so the lattice. After
    ``time_limit`` seconds the best so far is returned, unproven. Of lattices above ``LARGEST_LATTICE`` only a part is
    searched, around the result of a descent from the highest levels, which proves nothing either. Raises
    ``FaultyInputError`` on unknown names and on levels that do not exist.
    """
    lowest, highest = lowest or {}, highest or {}
    _check(lattice, metric, weights, lowest, highest)
    stop = None if time_limit is None else clock() + time_limit
    allowed: list[Sequence[int]] = [
        range(lowest.get(attribute.name, 0), highest.get(attribute.name, attribute.height) + 1)
        for attribute in lattice.attributes
    ]
    n_allowed, start, n_tried = math.prod(len(levels) for levels in allowed), None, 0
    if n_allowed > LARGEST_LATTICE:
        half = None if time_limit is None else clock() + time_limit / 2
        loss = METRICS[metric].on(lattice, _weights_of(lattice, weights))
        start, n_tried = descend(lattice, requirements, loss, allowed, lambda: half is not None and clock() >= half)
        allowed = [*levels_around(start, allowed, LARGEST_LATTICE)]
    part = lattice.only(allowed)
    walk = _Walk(part, requirements, metric, _weights_of(lattice, weights))
    if start is not None and n_tried:
        walk.look_at(tuple(levels.index(level) for levels, level in zip(allowed, start, strict=True)))
    is_done = walk.run(lambda: stop is not None and clock() >= stop)
    best = None
    if walk.best_levels is not None:
        best = evaluate(part, walk.best_levels, requirements, metric, weights, walk.roll_up)
        best = dataclasses.replace(best, levels=part.numbers_of(best.levels))
    return SearchResult(best, is_done and part.size == n_allowed, walk.n_checked + n_tried, n_allowed)


def _check(
    lattice: Lattice,
    metric: str,
    weights: Mapping[str, float] | None,
    lowest: Mapping[str, int],
    highest: Mapping[str, int],
) -> None:
    heights = {attribute.name: attribute.height for attribute in lattice.attributes}
    faults = [] if metric in METRICS else [f"metric {metric!r} is unknown; allowed: {', '.join(METRICS)}"]
    for what, given in (("weights", weights or {}), ("lowest level", lowest), ("highest level", highest)):
        faults += [
            f"{what}: {name!r} is no attribute; allowed: {', '.join(heights)}" for name in given if name not in heights
        ]
    if weights and (min(weights.values()) < 0 or not any(_weights_of(lattice, weights))):
        faults.append("weights: allowed are numbers from 0, one of them above 0")
    for what, given in (("lowest level", lowest), ("highest level", highest)):
        faults += [
            f"{what} of {name!r} is {level}; allowed: 0 to {heights[name]}"
            for name, level in given.items()
            if name in heights and not 0 <= level <= heights[name]
        ]
    stop_at(faults)


def _weights_of(lattice: Lattice, weights: Mapping[str, float] | None) -> tuple[float, ...]:
    return tuple(float((weights or {}).get(attribute.name, 1.0)) for attribute in lattice.attributes)


class _Walk:
    """The state of one search. ``bound`` has a number per transformation, infinite where it is settled.

    Its axes are the attributes with a choice: ``lattice.place`` gives the position of a transformation in it.
    """

    def __init__(self, lattice: Lattice, requirements: Requirements, metric: str, weights: tuple[float, ...]):
        self.lattice, self.requirements = lattice, requirements
        self.roll_up = RollUp(lattice)
        self.loss = METRICS[metric].on(lattice, weights)
        self.best_loss = np.inf
        self.best_levels: Levels | None = None
        self.n_checked = 0
        self.bound = np.array(self.loss.floors(self.roll_up.bottom), dtype=float)

    def run(self, is_over: Callable[[], bool]) -> bool:
        """Walk until nothing better can be left (True) or time is over (False)."""
        while True:
            lowest = np.unravel_index(self.bound.argmin(), self.lattice.free_shape)
            if not self.bound[lowest] < self.best_loss:
                return True
            chain = self._chain(self.lattice.levels_at([int(level) for level in lowest]))
            first, last = 0, len(chain) - 1
            while first <= last:
                if is_over():
                    return False
                middle = (first + last) // 2
                if self.bound[self.lattice.place(chain[middle])] < self.best_loss and not self.look_at(chain[middle]):
                    first = middle + 1
                else:
                    last = middle - 1

    def _chain(self, levels: Levels) -> list[Levels]:
        """From a transformation upwards, each the most promising of the next coarser ones that are not settled."""
        chain = [levels]
        while True:
            coarser = [
                (*levels[:i], levels[i] + 1, *levels[i + 1 :])
                for i in self.lattice.free
                if levels[i] < self.lattice.top[i]
            ]
            bounds = [self.bound[self.lattice.place(one)] for one in coarser]
            if not bounds or not min(bounds) < self.best_loss:
                return chain
            levels = coarser[int(np.argmin(bounds))]
            chain.append(levels)

    def look_at(self, levels: Levels) -> bool:
        """Evaluate a transformation and draw the conclusions; returns whether it is allowed."""
        self.n_checked += 1
        node = self.roll_up.node(levels)
        surely = self.requirements.surely_suppressed(node, self.roll_up)
        n_surely = self._n_suppressed(node, surely)
        place, finer, most = self.lattice.place(levels), self._finer(node), self.requirements.most_suppressed(node)
        if n_surely > most:
            self.bound[finer] = np.inf
            return False
        floor = self.loss.floor_of_coarser(node)
        if floor is not None:
            coarser: tuple[slice | EllipsisType, ...] = (*(slice(level, None) for level in place), ...)
            np.maximum(self.bound[coarser], floor, out=self.bound[coarser])
        self._raise_bounds_of_finer(node, surely)
        least = float(self.bound[place])
        self.bound[place] = np.inf
        if least >= self.best_loss:
            return True

        def loss_of(suppressed: np.ndarray) -> float:
            nothing_more = suppressed is surely and self.loss.floor_is_loss
            return least if nothing_more else self.loss.loss(node, suppressed)

        def enough(suppressed: np.ndarray) -> bool:
            too_many = self._n_suppressed(node, suppressed) > most
            return too_many or (self.loss.grows_with_suppression and loss_of(suppressed) >= self.best_loss)

        suppressed = judge(self.requirements, node, self.roll_up, surely, enough)
        if self._n_suppressed(node, suppressed) > most:
            if most == 0 and self.requirements.is_monotone_without_suppression:
                self.bound[finer] = np.inf
            return False
        loss = loss_of(suppressed)
        if loss < self.best_loss:
            self.best_loss, self.best_levels = loss, levels
        return True

    def _raise_bounds_of_finer(self, node: Node, surely: np.ndarray) -> None:
        if not surely.any():
            return
        floors = self.loss.floors_of_finer(node, surely)
        if floors is not None:
            finer = self._finer(node)
            floors = np.broadcast_to(floors, [level + 1 for level in self.lattice.place(node.levels)])[finer]
            np.maximum(self.bound[finer], floors, out=self.bound[finer])

    def _finer(self, node: Node) -> tuple[slice | EllipsisType, ...]:
        """The finer transformations for which conclusions hold, as a part of ``bound``.

        It ends in an ellipsis: where no attribute has a choice, the part is still an array and no number.
        """
        every = self.requirements.policy.finer(node)
        return (*(every[i] for i in self.lattice.free), ...)

    @staticmethod
    def _n_suppressed(node: Node, suppressed: np.ndarray) -> int:
        return int(node.size[suppressed].sum())
