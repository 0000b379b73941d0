"""A look at a distance without the count table of a transformation: never above the distance, and much cheaper.

A distance between two distributions is the largest, or a sum, of differences of means of some functions of the value;
a few of these functions give a lower bound. Their sums over the people of a class are sums over its combinations, so
no cell of the class is needed. Where a class is too far by the lower bound, it is too far.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from Anonymization_Models import CountTable
from disclosure_control.generalisation.nodes import Node

N_PARTS = 8  # of the values, about as many people in each
FEWEST_CELLS = 8  # per combination; below, the table itself is as quick


def _edges(of_value: np.ndarray) -> np.ndarray:
    """Positions of the values that bound the parts: (n_parts + 1,), rising."""
    if len(of_value) <= N_PARTS:
        return np.arange(len(of_value))
    running = np.cumsum(of_value)
    wanted = running[-1] * np.arange(1, N_PARTS) / N_PARTS
    return np.unique([0, *np.searchsorted(running, wanted), len(of_value) - 1])


def _areas(values: np.ndarray, of_value: np.ndarray) -> np.ndarray:
    """Wasserstein's distance is the area between two distribution functions; from edge to edge, the difference of the
    means of the clipped values is that area at least.
    """
    edges = values[_edges(of_value)]
    return np.array([np.clip(values, low, high) - low for low, high in itertools.pairwise(edges)])


def _shares(values: np.ndarray, of_value: np.ndarray) -> np.ndarray:
    """Joining values never makes two distributions differ more. The sum counts what is too much and what lacks."""
    part = np.searchsorted(_edges(of_value)[1:], np.arange(len(values)), side="right")
    return 0.5 * (part == np.arange(part.max(initial=0) + 1)[:, np.newaxis])


FUNCTIONS = {"wasserstein_t": _areas, "total_variation_t": _shares}


@dataclass(frozen=True)
class CoarseMeasure:
    """Sums of the functions over the people of each combination: ``sums`` (n_functions, n_combinations), and the people
    who have a value: ``people`` (n_combinations,).
    """

    sums: np.ndarray
    people: np.ndarray

    @classmethod
    def of(cls, model: str, table: CountTable) -> CoarseMeasure | None:
        """None where the model has no such bound, or the table is so small that it would not pay."""
        if model not in FUNCTIONS or len(table.people) < FEWEST_CELLS * table.n_classes:
            return None
        functions = FUNCTIONS[model](table.values, table.people_of_value)
        sums = [
            np.bincount(table.class_of_cell, table.people * of_value[table.value_of_cell], table.n_classes)
            for of_value in functions
        ]
        return cls(np.array(sums), table.people_of_class)

    def of_classes(self, node: Node, gone: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Of each class (n_classes,) a number that its distance is not below, but for rounding, NaN where nobody has a
        value; and how many have one. The people of the classes ``gone`` are no reference.
        """
        people = np.bincount(node.class_of_combination, self.people, node.n_classes)
        sums = np.array([np.bincount(node.class_of_combination, one, node.n_classes) for one in self.sums])
        counted = slice(None) if gone is None else ~gone
        everybody = people[counted].sum()
        if not everybody:
            return np.full(node.n_classes, np.nan), people
        reference = sums[:, counted].sum(axis=1, keepdims=True) / everybody
        means = np.divide(sums, people, out=np.full(sums.shape, np.nan), where=people > 0)
        return np.abs(means - reference).sum(axis=0), people
