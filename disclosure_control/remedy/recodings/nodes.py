"""Equivalence classes of a transformation, rolled up from finer classes: no record is grouped again.

A transformation is one level for each attribute; all of them together are the lattice. The distinct combinations of
values at level 0 are the classes that the assessment formed.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from Anonymization_Models import CountTable, EquivalenceClasses
from disclosure_control.basics.encoding.keys import number_groups, number_rows
from disclosure_control.remedy.recodings.generalisations import Generalisation

Levels = tuple[int, ...]
KEPT_BYTES = 64_000_000  # of classes that are kept for coarser transformations
DENSE_KEYS_PER_CELL = 16


@dataclass(frozen=True)
class Lattice:
    """Every transformation of some people: their distinct combinations of values, and what each becomes by level.

    ``combination_codes`` (n_attributes, n_combinations) are the values at level 0, 0 for missing; ``people``
    (n_combinations,) counts who has each.
    """

    attributes: tuple[Generalisation, ...]
    combination_codes: np.ndarray
    people: np.ndarray

    @classmethod
    def of(cls, classes: EquivalenceClasses, attributes: Sequence[Generalisation]) -> Lattice:
        """All people: those not evaluated are recoded too, and may be evaluated after that."""
        return cls(tuple(attributes), classes.class_codes + 1, classes.size)

    @property
    def n_attributes(self) -> int:
        return len(self.attributes)

    @property
    def n_combinations(self) -> int:
        return len(self.people)

    @cached_property
    def n_people(self) -> int:
        return int(self.people.sum())

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """How many levels each attribute has: (n_attributes,)."""
        return tuple(attribute.n_levels for attribute in self.attributes)

    @cached_property
    def free(self) -> tuple[int, ...]:
        """The attributes with a choice of levels: arrays with a number per transformation have an axis for each.

        An array has at most 64 axes; a lattice that is searched whole has far fewer with a choice.
        """
        return tuple(i for i, n_levels in enumerate(self.shape) if n_levels > 1)

    @cached_property
    def free_shape(self) -> tuple[int, ...]:
        """Shape of an array with a number for each transformation: (n_free,)."""
        return tuple(self.shape[i] for i in self.free)

    def place(self, levels: Levels) -> tuple[int, ...]:
        """Position of a transformation in such an array."""
        return tuple(levels[i] for i in self.free)

    def levels_at(self, place: Sequence[int]) -> Levels:
        """The transformation at that position."""
        at = dict(zip(self.free, place, strict=True))
        return tuple(int(at.get(i, 0)) for i in range(self.n_attributes))

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @cached_property
    def level_codes(self) -> list[list[np.ndarray]]:
        """By attribute and level: the code of each combination, (n_combinations,)."""
        return [
            [level.codes.astype(np.int32)[codes] for level in attribute.levels]
            for attribute, codes in zip(self.attributes, self.combination_codes, strict=True)
        ]

    def only(self, chosen: Sequence[Sequence[int]]) -> Lattice:
        """The part of the lattice with these levels of each attribute."""
        attributes = [attribute.only(levels) for attribute, levels in zip(self.attributes, chosen, strict=True)]
        return Lattice(tuple(attributes), self.combination_codes, self.people)

    def numbers_of(self, levels: Levels) -> Levels:
        """The levels of a part of the lattice by their numbers in the whole."""
        return tuple(attribute.number_of(level) for attribute, level in zip(self.attributes, levels, strict=True))

    @cached_property
    def top(self) -> Levels:
        """The coarsest transformation: the last level of each attribute."""
        return tuple(attribute.height for attribute in self.attributes)


@dataclass(frozen=True)
class Node:
    """The classes of one transformation.

    ``member`` (n_classes,) is a combination of each class, ``size`` (n_classes,) its people, and
    ``class_of_combination`` (n_combinations,) numbers the class of each combination.
    """

    lattice: Lattice
    levels: Levels
    member: np.ndarray
    size: np.ndarray
    class_of_combination: np.ndarray
    cells: dict[int, CountTable] = field(default_factory=dict, compare=False, repr=False)

    @property
    def n_classes(self) -> int:
        return len(self.size)

    @property
    def n_bytes(self) -> int:
        """Memory that its arrays take, its count tables included."""
        own = self.member.nbytes + self.size.nbytes + self.class_of_combination.nbytes
        return own + sum(_n_bytes_of(table) for table in self.cells.values())

    def codes_of(self, attribute: int) -> np.ndarray:
        """Code of an attribute in each class, at this transformation's level: (n_classes,)."""
        return self.lattice.level_codes[attribute][self.levels[attribute]][self.member]

    @cached_property
    def incomplete(self) -> np.ndarray:
        """Classes (n_classes,) of bool with a missing value that the transformation leaves missing."""
        found = np.zeros(self.n_classes, dtype=bool)
        for i, (attribute, level) in enumerate(zip(self.lattice.attributes, self.levels, strict=True)):
            if attribute.levels[level].keeps_missing:
                found |= self.codes_of(i) == 0
        return found


def bottom_node(lattice: Lattice) -> Node:
    """The finest classes. Level 0 of a hierarchy may join values that are spelt differently, so they are counted."""
    return roll_up(_as_given(lattice), (0,) * lattice.n_attributes)


def roll_up(finer: Node, levels: Levels) -> Node:
    """The classes of a transformation from those of one that is nowhere coarser; O(classes of the finer one)."""
    lattice = finer.lattice
    codes, n_codes = [], []
    for attribute, level in enumerate(levels):
        n_of_level = lattice.attributes[attribute].levels[level].n_codes
        if n_of_level > 1:
            codes.append(lattice.level_codes[attribute][level][finer.member])
            n_codes.append(n_of_level)
    group, occupied = number_rows(codes, n_codes, finer.n_classes)
    member = np.empty(len(occupied), dtype=np.int32)
    member[group] = finer.member
    size = np.bincount(group, finer.size, len(occupied)).astype(np.int64)
    return Node(lattice, tuple(levels), member, size, group.astype(np.int32)[finer.class_of_combination])


def roll_up_cells(source: Node, table: CountTable, node: Node) -> CountTable:
    """The count table of ``node`` from that of a node that is nowhere coarser."""
    n_values = max(len(table.values), 1)
    class_of_cell = node.class_of_combination[source.member][table.class_of_cell].astype(np.int64)
    key = class_of_cell * n_values + table.value_of_cell
    n_keys = node.n_classes * n_values
    if n_keys <= max(DENSE_KEYS_PER_CELL * len(key), 65_536):  # few keys: a sum per possible key is the quickest
        of_key = np.bincount(key, table.people, n_keys)
        occupied = np.flatnonzero(of_key)
        people = of_key[occupied].astype(np.int64)
    else:
        group, size = number_groups(key, n_keys)
        occupied = np.empty(len(size), dtype=np.int64)
        occupied[group] = key
        people = np.bincount(group, table.people, len(size)).astype(np.int64)
    class_of_key = occupied // n_values
    return CountTable(class_of_key, occupied - class_of_key * n_values, people, table.values, node.n_classes)


def cells_of_some(node: Node, table: CountTable, wanted: np.ndarray) -> CountTable:
    """The count table of a node for the classes ``wanted`` (n_classes,) of bool, from that of the combinations."""
    kept = wanted[node.class_of_combination][table.class_of_cell]
    cells = (table.class_of_cell[kept], table.value_of_cell[kept], table.people[kept])
    some = CountTable(*cells, table.values, table.n_classes)
    return roll_up_cells(_as_given(node.lattice), some, node)


def _as_given(lattice: Lattice) -> Node:
    """Each combination a class of its own, also where level 0 joins some."""
    every = np.arange(lattice.n_combinations, dtype=np.int32)
    return Node(lattice, (0,) * lattice.n_attributes, every, lattice.people, every)


def _n_bytes_of(table: CountTable) -> int:
    return table.class_of_cell.nbytes + table.value_of_cell.nbytes + table.people.nbytes


class RollUp:
    """Nodes on demand, each from the smallest kept one that is nowhere coarser; the oldest are dropped first."""

    def __init__(self, lattice: Lattice):
        self.bottom = bottom_node(lattice)
        self._kept: deque[Node] = deque()
        self._n_bytes = 0
        self._levels = np.array([self.bottom.levels])
        self._n_classes = np.array([self.bottom.n_classes])

    def node(self, levels: Levels) -> Node:
        """The classes of a transformation, rolled up from the nearest finer one at hand."""
        finer = (self._levels <= np.array(levels)).all(axis=1)
        best = int(np.where(finer, self._n_classes, np.iinfo(np.int64).max).argmin())
        source = self._kept[best - 1] if best else self.bottom
        if source.levels == tuple(levels):
            return source
        node = roll_up(source, levels)
        self._keep(node)
        return node

    def cells(self, node: Node, table: CountTable) -> CountTable:
        """The count table of a node; ``table`` counts the combinations, and identifies the sensitive feature."""
        found = node.cells.get(id(table))
        if found is None:
            source, finer_table = self._source_of_cells(node, table)
            found = node.cells[id(table)] = roll_up_cells(source, finer_table, node)
            if node is not self.bottom:
                self._n_bytes += _n_bytes_of(found)
        return found

    def _source_of_cells(self, node: Node, table: CountTable) -> tuple[Node, CountTable]:
        """The smallest table already computed for a node that is nowhere coarser."""
        finer = (self._levels <= np.array(node.levels)).all(axis=1)
        best, its_table = _as_given(node.lattice), table
        for i in np.flatnonzero(finer):
            candidate = self._kept[i - 1] if i else self.bottom
            cells = candidate.cells.get(id(table))
            if cells is not None and (its_table is table or len(cells.people) < len(its_table.people)):
                best, its_table = candidate, cells
        return best, its_table

    def _keep(self, node: Node) -> None:
        self._kept.append(node)
        self._levels = np.vstack([self._levels, node.levels])
        self._n_classes = np.append(self._n_classes, node.n_classes)
        self._n_bytes += node.n_bytes
        while self._n_bytes > KEPT_BYTES and len(self._kept) > 1:
            self._n_bytes -= self._kept.popleft().n_bytes
            self._levels = np.delete(self._levels, 1, axis=0)  # the first row is the bottom, which stays
            self._n_classes = np.delete(self._n_classes, 1)
