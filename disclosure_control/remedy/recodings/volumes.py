"""Losses of whole classes, and those that count the values a record may have had: the leaves under what is released."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from disclosure_control.remedy.recodings.nodes import Lattice, Node, bottom_node


@dataclass(frozen=True)
class LossOfClasses(ABC):
    """A loss on one lattice whose bounds come from transformations already evaluated."""

    lattice: Lattice
    floor_is_loss = False
    grows_with_suppression = True

    @abstractmethod
    def loss(self, node: Node, suppressed: np.ndarray) -> float:
        """The loss of a transformation, given its ``suppressed`` classes (n_classes,) of bool."""

    def floors_of_finer(self, node: Node, suppressed: np.ndarray) -> np.ndarray | None:
        """A lower bound for all that are finer and suppress these classes; None where none is known."""
        return None

    def floors(self, bottom: Node) -> np.ndarray:
        """A lower bound for every transformation, of the lattice's ``free_shape``."""
        return np.full(self.lattice.free_shape, self.floor_of_coarser(bottom))

    def floor_of_coarser(self, node: Node) -> float:
        """A lower bound for ``node`` and all that are coarser, for any suppression: their classes are sums of these."""
        return self.loss(node, np.zeros(node.n_classes, dtype=bool))


class _OfVolumes(LossOfClasses):
    @cached_property
    def leaves(self) -> list[list[np.ndarray]]:
        """By attribute and level: how many leaves are under each value at level 0, (n_values + 1,)."""
        return [
            [np.maximum(np.rint(level.shares * attribute.n_leaves), 1.0) for level in attribute.levels]
            for attribute in self.lattice.attributes
        ]

    @cached_property
    def domain(self) -> float:
        """How many combinations of values are possible."""
        return float(np.prod([float(max(attribute.n_leaves, 1)) for attribute in self.lattice.attributes]))

    def volumes(self, node: Node) -> np.ndarray:
        """How many combinations of values each class may represent: (n_classes,)."""
        found = np.ones(node.n_classes)
        for of_levels, level, codes in zip(self.leaves, node.levels, self.lattice.combination_codes, strict=True):
            found *= of_levels[level][codes[node.member]]
        return found


class Ambiguity(_OfVolumes):
    """Over all records, how many combinations of values each may have had; a suppressed record may have had any."""

    def floors_of_finer(self, node: Node, suppressed: np.ndarray) -> np.ndarray:
        """A lower bound for all that are finer: the suppressed lose everything, at best the others lose nothing."""
        gone = node.size[suppressed].sum()
        return np.asarray(gone * self.domain + (self.lattice.n_people - gone))

    def loss(self, node: Node, suppressed: np.ndarray) -> float:
        """The loss of a transformation, given its ``suppressed`` classes (n_classes,) of bool."""
        kept = np.where(suppressed, self.domain, self.volumes(node))
        return float(np.dot(node.size, kept))


class Divergence(_OfVolumes):
    """KL divergence, in bits, of the records from the best guess given the release: that each class, and the suppressed
    records together, are spread evenly over the values that they may have had.

    It grows as classes are joined or suppressed: among the distributions that agree with a release on its classes, the
    even one is the projection of all that are finer. But a few suppressed records may cost more than many.
    """

    grows_with_suppression = False

    @cached_property
    def bottom(self) -> Node:
        """The finest classes of the whole lattice, even where the search covers a part of it."""
        finest = [dataclasses.replace(attribute, levels=(attribute.finest,)) for attribute in self.lattice.attributes]
        return bottom_node(dataclasses.replace(self.lattice, attributes=tuple(finest)))

    @cached_property
    def mass(self) -> np.ndarray:
        """The weight of each of the finest classes: (n_bottom_classes,)."""
        return self.bottom.size / max(self.lattice.n_people, 1)

    @cached_property
    def of_records(self) -> float:
        """Minus the entropy of the finest classes, in bits, weighted by ``mass``."""
        return float(self.mass @ np.log2(self.bottom.size / max(self.lattice.n_people, 1)))

    def loss(self, node: Node, suppressed: np.ndarray) -> float:
        """The loss of a transformation, in bits, given its ``suppressed`` classes (n_classes,) of bool."""
        n = max(self.lattice.n_people, 1)
        mass = np.bincount(node.class_of_combination[self.bottom.member], self.mass, node.n_classes)
        n_suppressed = int(node.size[suppressed].sum())
        guessed = np.where(suppressed, n_suppressed / self.domain, node.size / self.volumes(node)) / n
        return self.of_records - float(mass @ np.log2(guessed))


class DivergenceByRecord(Divergence):
    """The same sum with a term for each record instead of each combination of values, as ARX takes it.

    So a combination of many people counts by the square of their number: it is no divergence, may be below 0, and
    nothing bounds it; the whole lattice has to be tried.
    """

    @cached_property
    def mass(self) -> np.ndarray:
        """The weight of each of the finest classes: (n_bottom_classes,)."""
        return self.bottom.size**2.0 / max(self.lattice.n_people, 1)

    def floor_of_coarser(self, node: Node) -> float:
        """Nothing bounds this loss."""
        return -np.inf
