"""Value hierarchies as ARX reads them: one line per value, `;` between the levels, the value itself (the leaf) first.

    C00;Block 0;Chapter 0;*
    C01;Block 0;Chapter 0;*

Level 0 is the value as in the data, the last level its coarsest form.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import encode_column, parse_numbers
from disclosure_control.basics.files import SourceFile, read_file
from disclosure_control.basics.telling.faults import FaultyInputError


@dataclass(frozen=True)
class ValueHierarchy:
    """What each value of one attribute becomes level by level.

    ``labels`` (n_leaves, n_levels) of text, leaf first; the leaves are distinct, and equal labels of a level have
    equal labels on the next, so each level groups the nodes of the one before. ``build_hierarchy`` checks this.
    """

    name: str
    labels: np.ndarray = field(repr=False)

    @property
    def n_levels(self) -> int:
        """Level 0, the values themselves, and all coarser ones."""
        return self.labels.shape[1]

    @property
    def height(self) -> int:
        """Steps from a leaf to the top."""
        return self.n_levels - 1

    @property
    def has_one_root(self) -> bool:
        """Whether the last level is one label for all values."""
        return len(set(self.labels[:, -1])) == 1

    def leaves_of(self, values: np.ndarray) -> np.ndarray:
        """Which leaf each distinct value is: (n_values,), -1 where the hierarchy has no such leaf.

        ``values`` are the labels of an encoded column: floats, or text in the project's canonical spelling.
        """
        known = self._leaf_of_number if values.dtype.kind == "f" else self._leaf_of_text
        return np.array([known.get(value, -1) for value in values], dtype=np.int64)

    @cached_property
    def _leaf_of_number(self) -> dict[float, int]:
        numbers = parse_numbers(pd.Series(self.labels[:, 0], dtype=object)) + 0.0
        return {number: leaf for leaf, number in enumerate(numbers) if not np.isnan(number)}

    @cached_property
    def _leaf_of_text(self) -> dict[str, int]:
        canonical = encode_column(pd.Series(self.labels[:, 0], dtype=object))
        return {canonical.labels[code]: leaf for leaf, code in enumerate(canonical.codes)}

    @cached_property
    def _node_of_leaf(self) -> list[np.ndarray]:
        """By level the number of the node above each leaf, (n_leaves,)."""
        return [np.unique(of_level, return_inverse=True)[1].reshape(-1) for of_level in self.labels.T]

    def nodes_of(self, values: np.ndarray, level: int) -> np.ndarray:
        """Number of the node above each distinct value: (n_values,), 0 to nodes of the level - 1.

        Raises ``FaultyInputError`` with the count of values that are no leaf.
        """
        leaf = self.leaves_of(values)
        if (leaf < 0).any():
            raise FaultyInputError(
                f"hierarchy {self.name!r}: {int((leaf < 0).sum())} of {len(values)} distinct values of the data are "
                "not among its leaves; allowed: values in its first column; add a line for each of them"
            )
        return self._node_of_leaf[level][leaf]

    def generalise(self, column: pd.Series, level: int) -> pd.Series:
        """The column at a level of the hierarchy (n_records,), index kept; missing stays missing, level 0 changes none.

        Raises ``FaultyInputError`` on a level that does not exist and on values that are no leaf.
        """
        if not 0 <= level < self.n_levels:
            raise FaultyInputError(
                f"hierarchy {self.name!r}: level {level} does not exist; allowed: 0 to {self.height}; change it"
            )
        encoded = encode_column(column)
        above = np.append(self._labels_at(encoded.labels, level), np.array([None]))
        return pd.Series(above[encoded.codes], index=column.index, name=column.name, dtype=object)

    def _labels_at(self, values: np.ndarray, level: int) -> np.ndarray:
        distinct = np.unique(self.labels[:, level])
        return distinct[self.nodes_of(values, level)] if len(values) else np.empty(0, dtype=object)


def build_hierarchy(rows: Sequence[Sequence[str]], name: str) -> ValueHierarchy:
    """A hierarchy of rows, one per leaf, leaf first. One ``FaultyInputError`` names all faults.

    Allowed: at least one row, all of one length of two or more, no empty cell, each leaf once, and for each label one
    label above it. Faults name lines (from 1) and levels (from 0), no labels.
    """
    faults = _faults_of_shape(rows)
    if not faults:
        labels = np.array([[cell.strip() for cell in row] for row in rows], dtype=object)
        faults = _faults_of_tree(labels)
    if faults:
        raise FaultyInputError([f"hierarchy {name!r}: {fault}" for fault in faults])
    return ValueHierarchy(name, labels)


def _faults_of_shape(rows: Sequence[Sequence[str]]) -> list[str]:
    if not rows or len(rows[0]) < 2:
        return ["needs a line per value and at least two levels, separated by ';'; allowed: VALUE;COARSER;...;*"]
    n_levels = len(rows[0])
    faults = []
    for number, row in enumerate(rows, start=1):
        if len(row) != n_levels:
            faults.append(f"line {number}: {len(row)} levels; allowed: {n_levels} as in line 1; complete the line")
        elif any(not cell.strip() for cell in row):
            faults.append(f"line {number}: an empty cell; allowed: text on every level; fill it in")
    return faults


def _faults_of_tree(labels: np.ndarray) -> list[str]:
    faults = []
    leaves = encode_column(pd.Series(labels[:, 0], dtype=object))
    n_repeated = len(labels) - len(leaves.labels)
    if n_repeated:
        faults.append(f"{n_repeated} lines repeat a leaf; allowed: one line per value; remove the others")
    for level in range(1, labels.shape[1] - 1):
        pairs = set(zip(labels[:, level], labels[:, level + 1], strict=True))
        n_split = len(pairs) - len(set(labels[:, level]))
        if n_split:
            faults.append(
                f"level {level}: {n_split} labels too many above its labels; allowed: one label of level {level + 1} "
                f"above each label of level {level}; rename those that differ"
            )
    return faults


def read_hierarchy(file: Path | SourceFile, delimiter: str = ";") -> ValueHierarchy:
    """A hierarchy from a CSV file without a header, UTF-8. Raises ``FaultyInputError`` as ``build_hierarchy`` does."""
    source = read_file(file) if isinstance(file, Path) else file
    try:
        text = io.StringIO(source.content.decode("utf-8-sig"), newline="")
    except UnicodeDecodeError:
        raise FaultyInputError(f"hierarchy {source.name!r}: is not UTF-8 text; save it as UTF-8") from None
    return build_hierarchy([row for row in csv.reader(text, delimiter=delimiter) if row], source.name)
