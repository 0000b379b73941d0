"""Cheap lower bounds of a distance, which need no count table of the transformation.

A distance between two distributions is the largest, or a sum, of differences of means of some functions of the value;
a few of these functions give a lower bound. Their sums over the people of a class are sums over its combinations, so
no cell of the class is needed. A class fails if its lower bound already exceeds the threshold.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from Anonymization_Models import CountTable
from disclosure_control.remedy.recodings.nodes import Node

N_PARTS = 8  # parts of the values, with about as many people in each
FEWEST_CELLS = 8  # cells per combination; with fewer, the table itself is as quick


def _edges(of_value: np.ndarray) -> np.ndarray:
    """Positions of the values that bound the parts: (n_parts + 1,), rising."""
    if len(of_value) <= N_PARTS:
        return np.arange(len(of_value))
    running = np.cumsum(of_value)
    wanted = running[-1] * np.arange(1, N_PARTS) / N_PARTS
    return np.unique([0, *np.searchsorted(running, wanted), len(of_value) - 1])


def _areas(values: np.ndarray, of_value: np.ndarray) -> np.ndarray:
    """Wasserstein's distance is the area between two distribution functions. Between two edges, that area is at least
    the difference of the means of the clipped values.
    """
    edges = values[_edges(of_value)]
    return np.array([np.clip(values, low, high) - low for low, high in itertools.pairwise(edges)])


def _shares(values: np.ndarray, of_value: np.ndarray) -> np.ndarray:
    """Joining values never makes two distributions differ more. The sum counts both surpluses and deficits."""
    part = np.searchsorted(_edges(of_value)[1:], np.arange(len(values)), side="right")
    return 0.5 * (part == np.arange(part.max(initial=0) + 1)[:, np.newaxis])


FUNCTIONS = {"wasserstein_t": _areas, "total_variation_t": _shares}


@dataclass(frozen=True)
class CoarseMeasure:
    """Sums of the functions over the people of each combination, ``sums`` (n_functions, n_combinations), and the number
    of people who have a value, ``people`` (n_combinations,).
    """

    sums: np.ndarray
    people: np.ndarray

    @classmethod
    def of(cls, model: str, table: CountTable) -> CoarseMeasure | None:
        """The bounds of a model; None where it has none, or the table is too small for them to save time."""
        if model not in FUNCTIONS or len(table.people) < FEWEST_CELLS * table.n_classes:
            return None
        functions = FUNCTIONS[model](table.values, table.people_of_value)
        sums = [
            np.bincount(table.class_of_cell, table.people * of_value[table.value_of_cell], table.n_classes)
            for of_value in functions
        ]
        return cls(np.array(sums), table.people_of_class)

    def of_classes(self, node: Node, gone: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """A lower bound of each class's distance (n_classes,), up to rounding, and the number of people with a value.

        NaN where nobody has a value. The people of the classes ``gone`` are left out of the reference.
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
