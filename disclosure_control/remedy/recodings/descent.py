"""A good start in a lattice too large for a bound per transformation: descend from the top while the loss falls."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from disclosure_control.remedy.recodings.judging import judge
from disclosure_control.remedy.recodings.losses import LatticeLoss
from disclosure_control.remedy.recodings.nodes import Lattice, Levels, RollUp
from disclosure_control.remedy.recodings.requirements import Requirements


def descend(
    lattice: Lattice,
    requirements: Requirements,
    loss: LatticeLoss,
    allowed: Sequence[Sequence[int]],
    is_over: Callable[[], bool],
) -> tuple[Levels, int]:
    """From the highest levels down, one level of one attribute at a time, while that lowers the loss and is allowed.

    In each round the attributes are tried in the order of what each gains alone. Returns the levels reached (the
    highest ones where nothing is allowed) and how many transformations were tried.
    """
    roll_up, n_tried = RollUp(lattice), 0

    def loss_of(levels: Levels) -> float:
        nonlocal n_tried
        n_tried += 1
        node = roll_up.node(levels)
        suppressed = judge(requirements, node, roll_up, requirements.surely_suppressed(node, roll_up))
        is_allowed = node.size[suppressed].sum() <= requirements.most_suppressed(node)
        return loss.loss(node, suppressed) if is_allowed else np.inf

    def lowered(i: int) -> Levels:
        return (*here[:i], here[i] - 1, *here[i + 1 :])

    here = tuple(levels[-1] for levels in allowed)
    if is_over():
        return here, n_tried
    loss_here, has_moved = loss_of(here), True
    while has_moved:
        has_moved = False
        alone: dict[int, float] = {}
        for i, levels in enumerate(allowed):
            if here[i] > levels[0]:
                if is_over():
                    return here, n_tried
                alone[i] = loss_of(lowered(i))
        for i in sorted((i for i in alone if alone[i] < np.inf), key=lambda i: alone[i]):
            if is_over():
                return here, n_tried
            candidate = loss_of(lowered(i)) if has_moved else alone[i]
            if candidate < loss_here:
                here, loss_here, has_moved = lowered(i), candidate, True
    return here, n_tried


def levels_around(start: Levels, allowed: Sequence[Sequence[int]], largest: int) -> list[list[int]]:
    """For each attribute the level of ``start`` and its neighbours: at most ``largest`` transformations together."""
    chosen = [{level} for level in start]
    for distance in range(1, max(len(levels) for levels in allowed)):
        for i, levels in enumerate(allowed):
            for level in (start[i] - distance, start[i] + distance):
                n_others = math.prod(len(one) for j, one in enumerate(chosen) if j != i)
                if level in levels and n_others * (len(chosen[i]) + 1) <= largest:
                    chosen[i].add(level)
    return [sorted(levels) for levels in chosen]
