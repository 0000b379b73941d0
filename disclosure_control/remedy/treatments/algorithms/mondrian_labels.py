"""From values to the codes that Mondrian cuts, and from its parts back to labels."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import EncodedColumn, number_text
from disclosure_control.basics.encoding.hierarchies import ValueHierarchy
from disclosure_control.basics.encoding.keys import number_groups
from disclosure_control.remedy.treatments.algorithms.mondrian_parts import Attribute, MondrianParts

TOP = "*"


class QuasiIdentifier:
    """One encoded column in the order along which it is cut: numbers by size, categories by their codes, values of a
    hierarchy in the order of its file, so that those below one node are neighbours.

    ``code`` (n_values + 1,) is Mondrian's code of each of the column's codes, 0 for its last entry, missing.
    """

    def __init__(self, column: EncodedColumn, tree: ValueHierarchy | None = None):
        self.column, self.tree = column, tree
        n_values = len(column.labels)
        if tree is not None and n_values:
            tree.nodes_of(column.labels, 0)  # names the hierarchy if a value is not in it
            self.leaf = tree.leaves_of(column.labels)
            self.order = np.lexsort([self._first_leaf(level)[self.leaf] for level in range(tree.n_levels)])
        else:
            self.tree, self.order = None, np.arange(n_values)
        self.code = np.zeros(n_values + 1, dtype=np.min_scalar_type(-n_values - 1))
        self.code[self.order] = np.arange(1, n_values + 1)

    def _first_leaf(self, level: int) -> np.ndarray:
        """The first leaf under the node above each leaf (n_leaves,)."""
        assert self.tree is not None
        _, first, node = np.unique(self.tree.labels[:, level], return_index=True, return_inverse=True)
        return first[node.reshape(-1)]

    @cached_property
    def attribute(self) -> Attribute:
        """The quasi-identifier as an attribute to cut along: the positions of its values, and the nodes above them."""
        n_values = len(self.order)
        by_size = self.tree is None and self.column.is_numeric
        position = self.column.labels.astype(float) if by_size else np.arange(n_values, dtype=float)
        position = np.concatenate([position[:1], position]) if n_values else np.zeros(1)
        return Attribute(position, None if self.tree is None else self._nodes())

    def _nodes(self) -> np.ndarray:
        assert self.tree is not None
        first = np.stack([self._first_leaf(level)[self.leaf[self.order]] for level in range(self.tree.n_levels)])
        changes = np.diff(first, axis=1, prepend=-1) != 0
        nodes = np.concatenate([np.zeros((len(first), 1), dtype=np.int64), np.cumsum(changes, axis=1)], axis=1)
        return np.concatenate([nodes, np.zeros((1, nodes.shape[1]), dtype=np.int64)])

    def labels_of_parts(self, parts: MondrianParts, codes: np.ndarray) -> pd.Categorical:
        """The label of each part (n_parts,), missing where all of its people lack a value; ``codes`` (n_units,)."""
        codes = codes[parts.units]
        has_missing = np.logical_or.reduceat(codes == 0, parts.start)
        label, texts = self._texts(codes, parts.start)
        # A label and the same with missing are two categories, side by side.
        variant = 2 * label + has_missing
        variant[label < 0] = -1
        number, used = _numbered(variant + 1, 2 * len(texts) + 1)
        labels = [None if i < 0 else texts[i // 2] + ("|missing" if i % 2 else "") for i in (used - 1).tolist()]
        code_of_label, categories = pd.factorize(pd.Series(labels, dtype=object))  # many values have one node above
        ordered = self.tree is None and self.column.is_numeric
        of_part = code_of_label[number]
        return pd.Categorical.from_codes(of_part, categories=pd.Index(categories, dtype=object), ordered=ordered)

    def _texts(self, codes: np.ndarray, start: np.ndarray) -> tuple[np.ndarray, list[str]]:
        """Label of each part (n_parts,), -1 without a value, and the labels' texts in order; codes are by part."""
        n_values = len(self.order)
        high = np.maximum.reduceat(codes, start)
        label = np.full(len(start), -1)
        known = np.flatnonzero(high)
        if not len(known):
            return label, []
        if self.tree is None and not self.column.is_numeric:
            number, texts = self._sets(codes, start)
            label[known] = number[known]
            return label, texts
        # A missing value is no low end.
        low = np.minimum.reduceat(np.where(codes > 0, codes, codes.dtype.type(n_values)), start)
        pair = low[known].astype(np.int64) * (n_values + 1) + high[known]
        label[known], pairs = _numbered(pair, (n_values + 1) ** 2)
        return label, self._texts_of_ends(*np.divmod(pairs, n_values + 1))

    def _texts_of_ends(self, low: np.ndarray, high: np.ndarray) -> list[str]:
        if self.tree is None:
            numbers = [number_text(number) for number in self.column.labels]
            ends = zip((low - 1).tolist(), (high - 1).tolist(), strict=True)
            return [numbers[a] if a == b else f"{numbers[a]}--{numbers[b]}" for a, b in ends]
        nodes = self.attribute.nodes
        assert nodes is not None
        equal = nodes[:, low] == nodes[:, high]
        level = equal.argmax(axis=0)  # the lowest node above both; the last level is above all roots
        leaf = self.leaf[self.order[low - 1]]
        return [
            TOP if up == self.tree.n_levels else self.tree.labels[one, up] for one, up in zip(leaf, level, strict=True)
        ]

    def _sets(self, codes: np.ndarray, start: np.ndarray) -> tuple[np.ndarray, list[str]]:
        """Which values the part has: equal sets are one label, ``a|b``."""
        part = np.repeat(np.arange(len(start)), np.diff(start, append=len(codes)))
        _, distinct = _numbered(part * len(self.code) + codes, len(start) * len(self.code))
        of_part, code = np.divmod(distinct, len(self.code))
        by_part = np.split(code, np.flatnonzero(np.diff(of_part)) + 1)
        sets = [tuple(filter(None, one.tolist())) for one in by_part]
        place = {values: i for i, values in enumerate(sorted(set(sets), key=lambda values: values[::-1]))}
        labels = [str(label) for label in self.column.labels]
        return np.array([place[one] for one in sets]), ["|".join(labels[c - 1] for c in values) for values in place]


def _numbered(key: np.ndarray, n_keys: int) -> tuple[np.ndarray, np.ndarray]:
    """The number of each key (n,) in their order, and the distinct keys, which are from 0 to ``n_keys`` - 1."""
    number, size = number_groups(key, n_keys)
    distinct = np.empty(len(size), dtype=np.int64)
    distinct[number] = key
    return number, distinct
