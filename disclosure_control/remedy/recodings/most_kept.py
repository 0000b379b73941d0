"""How many people of a class can be left in classes that pass, in a transformation and in all that are finer.

Of a class C with c_v people of each value, let s be in classes that pass, K with k_v of each value. K passes, as the
distance is convex. It is 1 - sum of min(q_v, k_v / s) from the shares q of everybody, and k_v <= c_v, so

    sum over v of min(s q_v, c_v) >= (1 - t) s.

The left side less the right is concave in s and 0 at s = 0, so Newton's steps from s = |C| down never pass the largest
s that is possible: each is a bound. A distance by a hierarchy is the mean of such distances over its levels, each with
the shares of its nodes, and so are the sums.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import cast

import numpy as np

from Anonymization_Models import CountTable
from disclosure_control.basics.encoding.hierarchies import ValueHierarchy
from disclosure_control.basics.encoding.keys import count_pairs

N_STEPS = 4
# Class, people, and share of everybody that one node has, or value, of each cell of one level.
Cells = tuple[np.ndarray, np.ndarray, np.ndarray]


def _of_values(table: CountTable, shares: np.ndarray, settings: Mapping[str, object]) -> list[Cells]:
    return [(table.class_of_cell, table.people, shares[table.value_of_cell])]


def _of_nodes(table: CountTable, shares: np.ndarray, settings: Mapping[str, object]) -> list[Cells]:
    hierarchy = cast(ValueHierarchy, settings["hierarchy"])
    levels = []
    for level in range(hierarchy.height):
        node = hierarchy.nodes_of(table.values, level)
        n_nodes = int(node.max(initial=0)) + 1
        class_of_cell, node_of_cell, people = count_pairs(
            table.class_of_cell, node[table.value_of_cell], table.n_classes, n_nodes, table.people
        )
        levels.append((class_of_cell, people, np.bincount(node, shares, n_nodes)[node_of_cell]))
    return levels


LEVELS: dict[str, Callable[[CountTable, np.ndarray, Mapping[str, object]], list[Cells]]] = {
    "total_variation_t": _of_values,
    "hierarchical_t": _of_nodes,
}


def most_kept(
    model: str, settings: Mapping[str, object], table: CountTable, reference: np.ndarray, threshold: float
) -> np.ndarray | None:
    """For each class (n_classes,) an upper bound of its people with a value who are in passing classes.

    ``reference`` (n_values,) counts everyone, and ``threshold`` is t, raised a little for rounding.
    None where no bound is known for the ``model``.
    """
    if model not in LEVELS or not reference.any():
        return None
    levels = LEVELS[model](table, reference / reference.sum(), settings)
    class_of_cell, people, share = (np.concatenate(parts) for parts in zip(*levels, strict=True))
    wanted = len(levels) * (1.0 - threshold)
    most = table.people_of_class.astype(float)
    for _ in range(N_STEPS):
        whole = people <= share * most[class_of_cell]
        kept = np.bincount(class_of_cell, people * whole, table.n_classes)
        slope = wanted - np.bincount(class_of_cell, share * ~whole, table.n_classes)
        has_too_many = slope * most > kept  # otherwise all of these people may be kept
        np.divide(kept, slope, out=most, where=has_too_many)
    return np.floor(most + 1e-6)
