"""From values to the codes that Mondrian cuts, and from its parts back to labels."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import pandas as pd

from disclosure_control.basics.columns import EncodedColumn, number_text
from disclosure_control.basics.hierarchies import ValueHierarchy
from disclosure_control.basics.keys import count_pairs, number_groups
from disclosure_control.treatments.algorithms.mondrian_parts import Attribute

VALUES_PER_MASK = 62
TOP = "*"


class QuasiIdentifier:
    """One encoded column in the order along which it is cut: numbers by size, categories by their codes, the values of
    a hierarchy as its file has them, so that those below one node stand together.

    ``code`` (n_values + 1,) is Mondrian's code of each of the column's, 0 for its last entry, missing.
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
        self.code = np.zeros(n_values + 1, dtype=np.int64)
        self.code[self.order] = np.arange(1, n_values + 1)

    def _first_leaf(self, level: int) -> np.ndarray:
        """The first leaf under the node above each leaf (n_leaves,)."""
        assert self.tree is not None
        _, first, node = np.unique(self.tree.labels[:, level], return_index=True, return_inverse=True)
        return first[node.reshape(-1)]

    @cached_property
    def attribute(self) -> Attribute:
        """The quasi-identifier as parts are cut along it: where its values stand, and the nodes above them."""
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

    def labels_of_parts(self, part_of_record: np.ndarray, numbers: str = "interval") -> pd.Categorical | np.ndarray:
        """The label of each record's part (n_records,), missing where all of its people lack a value."""
        code = self.code[self.column.codes]
        n_parts = int(part_of_record.max(initial=-1)) + 1
        part, code, people = count_pairs(part_of_record, code, n_parts, len(self.order) + 1)
        has_missing = np.zeros(n_parts, dtype=bool)
        has_missing[part[code == 0]] = True
        part, code, people = part[code > 0], code[code > 0], people[code > 0]
        if numbers == "mean" and self.column.is_numeric and self.tree is None:
            return self._means(part, code, people, n_parts)[part_of_record]
        label, texts = self._texts(part, code, n_parts)
        # A label and the same with missing are two categories, side by side.
        variant = np.where(label < 0, -1, 2 * label + has_missing)
        used, number = np.unique(variant, return_inverse=True)
        labels = [None if i < 0 else texts[i // 2] + ("|missing" if i % 2 else "") for i in used.tolist()]
        code_of_label, categories = pd.factorize(pd.Series(labels, dtype=object))  # many values have one node above
        codes = code_of_label[number.reshape(-1)][part_of_record]
        ordered = self.tree is None and self.column.is_numeric
        return pd.Categorical.from_codes(codes, categories=pd.Index(categories, dtype=object), ordered=ordered)

    def _means(self, part: np.ndarray, code: np.ndarray, people: np.ndarray, n_parts: int) -> np.ndarray:
        values = self.column.labels[code - 1]
        n = np.bincount(part, people, n_parts)
        low = np.full(n_parts, np.nan)
        low[part[::-1]] = values[::-1]
        with np.errstate(invalid="ignore"):
            means = low + np.bincount(part, people * (values - low[part]), n_parts) / n
        return means

    def _texts(self, part: np.ndarray, code: np.ndarray, n_parts: int) -> tuple[np.ndarray, list[str]]:
        """Label of each part (n_parts,), -1 without a value, and the labels' texts in order."""
        first = np.flatnonzero(np.diff(part, prepend=-1))
        last = np.append(first[1:], len(part)) - 1
        label = np.full(n_parts, -1)
        if not len(part):
            return label, []
        if self.tree is None and not self.column.is_numeric:
            number, texts = self._sets(part, code, first)
        else:
            pair, low, high = _distinct_pairs(code[first], code[last], len(self.order) + 1)
            number, texts = pair, self._texts_of_ends(low, high)
        label[part[first]] = number
        return label, texts

    def _texts_of_ends(self, low: np.ndarray, high: np.ndarray) -> list[str]:
        if self.tree is None:
            numbers = [number_text(number) for number in self.column.labels]
            ends = zip((low - 1).tolist(), (high - 1).tolist(), strict=True)
            return [numbers[a] if a == b else f"{numbers[a]}--{numbers[b]}" for a, b in ends]
        nodes = self.attribute.nodes
        assert nodes is not None
        equal = nodes[:, low] == nodes[:, high]
        level = equal.argmax(axis=0)  # the lowest node above both; the last level stands above all roots
        leaf = self.leaf[self.order[low - 1]]
        return [
            TOP if up == self.tree.n_levels else self.tree.labels[one, up] for one, up in zip(leaf, level, strict=True)
        ]

    def _sets(self, part: np.ndarray, code: np.ndarray, first: np.ndarray) -> tuple[np.ndarray, list[str]]:
        """Which values the part has: equal sets are one label, ``a|b``."""
        number, n_numbers = np.zeros(len(first), dtype=np.int64), 1
        for start in range(0, len(self.order), VALUES_PER_MASK):
            shift = code - 1 - start
            bits = np.where((shift >= 0) & (shift < VALUES_PER_MASK), 1 << np.clip(shift, 0, VALUES_PER_MASK), 0)
            masks = np.bitwise_or.reduceat(bits, first) if len(first) else bits
            distinct, mask = np.unique(masks, return_inverse=True)
            number, size = number_groups(number * len(distinct) + mask.reshape(-1), n_numbers * max(len(distinct), 1))
            n_numbers = len(size)
        a_part = np.zeros(n_numbers if len(first) else 0, dtype=np.int64)
        a_part[number] = np.arange(len(first))
        end = np.append(first[1:], len(part))
        labels = [str(label) for label in self.column.labels]
        texts = ["|".join(labels[c - 1] for c in code[first[i] : end[i]].tolist()) for i in a_part.tolist()]
        return number, texts


def _distinct_pairs(low: np.ndarray, high: np.ndarray, n_codes: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Number of each pair in the order of low and high, and the distinct pairs."""
    distinct, number = np.unique(low * np.int64(n_codes) + high, return_inverse=True)
    return number.reshape(-1), *np.divmod(distinct, n_codes)
