"""Numbers of one kind over all combinations of a table's categories, totals included, and what adds up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

import numpy as np


class Counted(StrEnum):
    """What the numbers of a block are."""

    PEOPLE = "people"
    SUM = "sum"  # of a number of each person, or a mean times its people

    @property
    def tolerance(self) -> float:
        """By how much two such numbers may differ and still be the same, as a share: means come rounded."""
        return 1e-6 if self is Counted.PEOPLE else 0.01


@dataclass(frozen=True)
class Dimension:
    """A dimension of a table: its ``leaves``, and by each subtotal and ``total`` its parts, the smallest sums first.

    ``overlaps``: a person may be in several leaves, as of adverse events; nothing adds up then, but a whole has at
    least as many people as each of its parts and, where all categories are in the table, at most as many as all.
    """

    name: str
    leaves: tuple[str, ...]
    sums: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    total: str = "Total"
    overlaps: bool = False

    @property
    def categories(self) -> tuple[str, ...]:
        """The leaves, then the sums."""
        return (*self.leaves, *self.sums)

    def relations(self) -> list[tuple[int, list[int]]]:
        """The place of each sum, and those of its parts, the smallest sums first."""
        place = {name: at for at, name in enumerate(self.categories)}
        return [(place[whole], [place[part] for part in parts]) for whole, parts in self.sums.items()]


@dataclass(frozen=True, eq=False)
class Block:
    """The numbers of one ``population`` over ``dimensions``: an axis for each, of its categories; NaN is not known.

    Blocks of the same population share the cells that they have in common. ``shown``: what stands in the table;
    ``fixed``: what stands in a table that left already. ``whole_of``: the population of which these people are a part,
    and the dimensions that it has. ``largest``: of sums, the largest contributors, from the first on, on a last axis.
    ``people``: of sums, how many people each cell has, and ``people_in`` the place of their block among all.
    """

    population: str
    dimensions: tuple[Dimension, ...]
    values: np.ndarray = field(repr=False)
    shown: np.ndarray = field(repr=False)
    counted: Counted = Counted.PEOPLE
    fixed: np.ndarray | None = field(default=None, repr=False)
    whole_of: tuple[str, tuple[str, ...]] | None = None
    largest: np.ndarray | None = field(default=None, repr=False)
    people: np.ndarray | None = field(default=None, repr=False)
    people_in: int | None = None


def completed(block: Block) -> tuple[Block, dict[str, int]]:
    """The block with every sum that can be made, and by dimension how many given sums are not that of their parts.

    Leaves that nobody gave are of nobody.
    """
    values = block.values.astype(float).copy()
    are_leaves = np.ix_(*[np.arange(len(one.leaves)) for one in block.dimensions])
    values[are_leaves] = np.nan_to_num(values[are_leaves], nan=0.0)
    for axis, one in enumerate(block.dimensions):
        if not one.overlaps:
            for whole, parts in one.relations():
                at = _at(values, axis, whole)
                made = values.take(parts, axis=axis).sum(axis=axis)
                values[at] = np.where(np.isnan(values[at]), made, values[at])
    wrong = {}
    for axis, one in enumerate(block.dimensions):
        n_wrong = sum(_n_wrong(block, values, axis, whole, parts) for whole, parts in one.relations())
        if n_wrong:
            wrong[one.name] = n_wrong
    return replace(block, values=values), wrong


def _at(values: np.ndarray, axis: int, place: int) -> tuple[slice | int, ...]:
    return tuple(place if one == axis else slice(None) for one in range(values.ndim))


def _n_wrong(block: Block, values: np.ndarray, axis: int, whole: int, parts: list[int]) -> int:
    given, of_parts = values[_at(values, axis, whole)], values.take(parts, axis=axis)
    together = of_parts.sum(axis=axis)
    slack = block.counted.tolerance * np.maximum(1.0, np.abs(of_parts).sum(axis=axis))
    if block.dimensions[axis].overlaps:
        is_wrong = given < of_parts.max(axis=axis) - slack  # not all categories need be in the table
    else:
        is_wrong = np.abs(given - together) > slack
    return int((is_wrong & ~np.isnan(given) & ~np.isnan(together)).sum())
