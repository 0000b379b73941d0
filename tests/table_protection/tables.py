"""Small tables for the tests of what may leave of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from disclosure_control.table_protection.blocks import Block, Dimension


def dimension(name: str, leaves: Sequence[str], **more: Any) -> Dimension:
    """A dimension with a total over all leaves, or with the ``sums`` that are given."""
    return Dimension(name, tuple(leaves), **({"sums": {"Total": tuple(leaves)}} | more))


def block(population: str, dimensions: Sequence[Dimension], leaves: Sequence, **more: Any) -> Block:
    """A table whose totals are the sums of its ``leaves``, all of it shown."""
    values = np.full([len(one.categories) for one in dimensions], np.nan)
    values[tuple(slice(len(one.leaves)) for one in dimensions)] = leaves
    return Block(population, tuple(dimensions), values, **({"shown": np.ones(values.shape, dtype=bool)} | more))
