"""A table that left before: numbers for the cells that it did not show, so that they agree with those that it did.

Which ones does not matter for the proof: all that agree are alike to whoever reads the tables.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from disclosure_control.table_protection.blocks import Block
from disclosure_control.table_protection.cells import CellSystem, relate


def with_likely_numbers(block: Block, now: np.ndarray) -> Block | None:
    """The block with whole numbers in place of what it does not show; None if no numbers agree with what it does.

    ``now`` are the numbers of the same cells today, in its shape: where no cell became smaller, none of those that are
    not shown is taken to be larger than today.
    """
    known, system = block.shown & ~np.isnan(block.values), CellSystem()
    place = np.arange(block.values.size).reshape(block.values.shape)
    system.base = [0.0] * block.values.size
    relate(system, block, place)
    grew = bool((block.values <= now)[known & ~np.isnan(now)].all())
    most = np.where(np.isnan(now) | (not grew), np.inf, now).ravel()
    low = np.where(known, np.nan_to_num(block.values), 0).ravel()
    high = np.where(known.ravel(), low, most)
    rows = [(system.sums, 0), (system.bounds, np.inf)]
    limits = [LinearConstraint(system.matrix(one), 0, end) for one, end in rows if one]
    near = np.nan_to_num(now).ravel()
    found = milp(-(near > 0).astype(float), integrality=np.ones(len(low)), bounds=Bounds(low, high), constraints=limits)
    if found.x is None:
        found = milp(np.zeros(len(low)), integrality=np.ones(len(low)), bounds=Bounds(low, high), constraints=limits)
    if found.x is None:
        return None
    return replace(block, values=np.round(found.x).reshape(block.values.shape))
