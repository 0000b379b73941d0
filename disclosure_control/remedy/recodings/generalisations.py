"""What each value of a quasi-identifier becomes, level by level: from a hierarchy, from bins, or by rarity.

Level 0 is the value as the assessment evaluates it; the last level is the coarsest. Values joined on one level stay
joined on the next.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from disclosure_control.basics.encoding.columns import EncodedColumn
from disclosure_control.basics.encoding.hierarchies import ValueHierarchy
from disclosure_control.basics.telling.faults import FaultyInputError

N_FINEST_INTERVALS = 16  # intervals of a number that the config does not bin; on later levels 8, 4, 2, 1
RARITY_STEP = 4  # categories of fewer than K people are joined first, then of fewer than 4 K, 16 K, ...


@dataclass(frozen=True)
class Recoding:
    """What a level does to a column, as a config writes it: a ``kind`` and its ``settings``.

    Kinds: "none", "bins" (``edges``), "hierarchy" (``file`` or ``rule``, ``level``), "rare" (``rarer_than``,
    ``others``) and "drop".
    ``after_bins``: the settings of "bins" that are applied to the column first.
    """

    kind: str
    settings: dict[str, object] = field(default_factory=dict)
    after_bins: dict[str, object] | None = None


@dataclass(frozen=True)
class Level:
    """One level: ``codes`` (n_values + 1,) of the values, the missing one first, from 0 to ``n_codes`` - 1.

    ``shares`` (n_values + 1,): the share of the attribute's leaves that each value is joined with, up to 1; 0 for a
    value that nobody has and that is no leaf.
    ``labels`` (n_codes,): text of each code, None for a missing value that stays missing.
    """

    codes: np.ndarray
    shares: np.ndarray
    labels: np.ndarray = field(repr=False)
    recoding: Recoding

    @property
    def n_codes(self) -> int:
        """Number of codes at this level, a missing value included."""
        return len(self.labels)

    @property
    def keeps_missing(self) -> bool:
        """Whether there is a missing value that stays missing; its code is 0."""
        return len(self.labels) > 0 and self.labels[0] is None


@dataclass(frozen=True)
class Generalisation:
    """The levels of one quasi-identifier. ``n_leaves``: how many values its domain has, a missing one included.

    ``parts``: where some levels were left out, the numbers of the levels kept, and the height of the whole.
    ``level_0``: level 0 of the whole, where it may have been left out; losses are counted from it.
    """

    name: str
    levels: tuple[Level, ...]
    n_leaves: int
    parts: tuple[tuple[int, ...], int] | None = None
    level_0: Level | None = None

    @property
    def n_levels(self) -> int:
        return len(self.levels)

    @property
    def height(self) -> int:
        """Steps from level 0 to the top."""
        return len(self.levels) - 1

    @property
    def finest(self) -> Level:
        """Level 0, even where it was left out."""
        return self.levels[0] if self.level_0 is None else self.level_0

    @property
    def full_height(self) -> int:
        """Steps from level 0 to the top, counting levels that were left out."""
        return self.height if self.parts is None else self.parts[1]

    @cached_property
    def n_levels_with_missing(self) -> int:
        """On how many of the first levels a missing value stays missing: 0 where there is none."""
        return sum(level.keeps_missing for level in self.levels)

    def number_of(self, level: int) -> int:
        """Number of a level among all of them, including those left out."""
        return level if self.parts is None else self.parts[0][level]

    def only(self, chosen: Sequence[int]) -> Generalisation:
        """The generalisation without the levels that are not ``chosen``."""
        numbers = tuple(self.number_of(level) for level in chosen)
        levels = tuple(self.levels[level] for level in chosen)
        return Generalisation(self.name, levels, self.n_leaves, (numbers, self.full_height), self.finest)


def _level(group: np.ndarray, shares: np.ndarray, labels: np.ndarray, recoding: Recoding, has_missing: bool) -> Level:
    """A level of grouped values (n_values,); a missing value is a group of its own."""
    occupied, code = np.unique(group, return_inverse=True)
    kept_labels = np.concatenate([[None] if has_missing else [], labels[occupied]]).astype(object)
    codes = np.concatenate([[0], code.reshape(-1) + has_missing])
    return Level(codes, shares, kept_labels, recoding)


def _dropped(n_values: int) -> Level:
    """The dropped attribute: one value for everyone, missing values included."""
    ones = np.ones(n_values + 1)
    return Level(np.zeros(n_values + 1, dtype=np.int64), ones, np.array(["*"], dtype=object), Recoding("drop"))


def _generalisation(
    name: str, column: EncodedColumn, groupings: Sequence[tuple[np.ndarray, np.ndarray, Recoding]], is_leaf: np.ndarray
) -> Generalisation:
    """Levels of groupings (group of each value, text of each group, recoding), then the attribute dropped.

    ``is_leaf`` (n_values,) of bool. A level that joins no two values of the data is left out, as is one that leaves a
    single value for all, which is the level of the dropped attribute.
    """
    has_missing = bool((column.codes < 0).any())
    n_leaves = int(is_leaf.sum()) + has_missing
    occurring = np.flatnonzero(np.bincount(column.codes + 1))
    levels = []
    for group, labels, recoding in groupings:
        leaves_of_group = np.bincount(group, is_leaf, len(labels))
        shares = np.concatenate([[1.0], leaves_of_group[group]]) / max(n_leaves, 1)
        levels.append(_level(group, shares, labels, recoding, has_missing))
    n_left = [len(np.unique(level.codes[occurring])) for level in levels]
    kept = levels[:1]
    for i in range(1, len(levels)):
        if 1 < n_left[i] < n_left[i - 1]:
            kept.append(levels[i])
    if n_left[0] > 1:
        kept.append(_dropped(len(is_leaf)))
    return Generalisation(name, tuple(kept), n_leaves)


# ---------------------------------------------------------------- the sources of levels


def of_hierarchy(name: str, column: EncodedColumn, hierarchy: ValueHierarchy, recoding: Recoding) -> Generalisation:
    """The levels of a value hierarchy, none left out, so that level numbers match the file's.

    Shares count the hierarchy's leaves, whether they occur in the data or not, as ARX does. The last level of a
    hierarchy with one root drops the attribute, missing values included; on the others missing stays missing.
    ``recoding`` names the file. Raises ``FaultyInputError`` with the number of values that are no leaf.
    """
    leaf = hierarchy.leaves_of(column.labels)
    if (leaf < 0).any():
        raise FaultyInputError(
            f"hierarchy {hierarchy.name!r} of {name!r}: {int((leaf < 0).sum())} of {len(leaf)} distinct values are not "
            "among its leaves; allowed: the values as the config evaluates them (bins, where it bins the column), in "
            "the first column of the file; add a line for each"
        )
    has_missing = bool((column.codes < 0).any())
    n_leaves = len(hierarchy.labels) + has_missing
    levels = []
    for number in range(hierarchy.n_levels):
        labels, node = np.unique(hierarchy.labels[:, number].astype(str), return_inverse=True)
        of_node = np.bincount(node.reshape(-1)) / n_leaves
        group = node.reshape(-1)[leaf]
        shares = np.concatenate([[1 / n_leaves], of_node[group]])
        as_level = Recoding("hierarchy", {**recoding.settings, "level": number}, recoding.after_bins)
        if number == 0:
            as_level = _as_evaluated(recoding.after_bins)
        levels.append(_level(group, shares, labels.astype(object), as_level, has_missing))
    if hierarchy.has_one_root:
        levels[-1] = _dropped(len(leaf))
    return Generalisation(name, tuple(levels), n_leaves)


def _as_evaluated(bins: dict[str, object] | None) -> Recoding:
    """Level 0: what the assessment evaluates. Where it evaluates bins, the values have to be binned."""
    return Recoding("none") if bins is None else Recoding("bins", bins)


def bin_settings(edges: Sequence[float], has_tails: bool) -> dict[str, object]:
    """The settings of the treatment "bins"; tails are its default."""
    return {"edges": [*edges]} if has_tails else {"edges": [*edges], "out_of_range": "missing"}


def of_bins(
    name: str, column: EncodedColumn, people: np.ndarray, edges: Sequence[float], has_tails: bool
) -> Generalisation:
    """The config's own bins, then neighbours joined in pairs until one bin is left; then the attribute is dropped.

    Of an odd number of bins, the one of most ``people`` (n_values,) that can stays alone, so that none is of few.
    The edges of coarser bins are some of the finer ones. A lower tail with somebody in it is a bin like the others, so
    that the coarsest level has two groups of many; the last edge stays. Each bin is a leaf, and so is each tail that
    contains somebody.
    """
    occurs = np.bincount(column.codes[column.codes >= 0], minlength=len(column.labels)) > 0
    n_bins, is_leaf, groupings = len(edges) - 1, occurs.copy(), []
    is_leaf[slice(1, -1) if has_tails else slice(None)] = True
    of_each = people if has_tails else np.concatenate([[0], people])  # place 0 is the lower tail
    first = int(not (has_tails and occurs[0]))
    begins, n_before = list(range(first, n_bins + 1)), 0
    while len(begins) != n_before and len(begins) + first >= 2:
        group = np.searchsorted(begins, np.arange(n_bins + 1), side="right") - 1 + first
        coarse = [*(edges[begin - 1] for begin in begins if begin), edges[-1]]
        bins = [f"{low:g}--{high:g}" for low, high in itertools.pairwise(coarse)]
        labels = [f"<{coarse[0]:g}", *bins, f">{coarse[-1]:g}"] if has_tails else bins
        group = np.append(group, group[-1] + 1) if has_tails else group[1:] - 1
        groupings.append((group, np.array(labels, dtype=object), Recoding("bins", bin_settings(coarse, has_tails))))
        n_before, begins = len(begins), _paired(begins, of_each[: n_bins + 1])
    return _generalisation(name, column, groupings, is_leaf)


def _paired(begins: Sequence[int], people: np.ndarray) -> list[int]:
    """Where groups of bins begin whose neighbours were joined in pairs, but for one of an odd number, the largest."""
    alone = len(begins)
    if alone % 2:
        of_group = np.add.reduceat(people, begins)
        alone = max(range(0, alone, 2), key=lambda at: (of_group[at], at))
    return [*begins[:alone:2], *begins[alone : alone + 1], *begins[alone + 1 :: 2]]


def of_numbers(name: str, column: EncodedColumn) -> Generalisation:
    """A number without bins in the config: 16 intervals of a round width, then 8, 4, 2, 1, then dropped."""
    values = column.labels.astype(float)
    exact = (np.arange(len(values)), np.array([f"{value:.15g}" for value in values], dtype=object), Recoding("none"))
    groupings = [exact]
    if len(values) > 1:
        edges = _round_edges(float(values.min()), float(values.max()))
        finest = np.clip(np.searchsorted(edges[:-1], values, side="right") - 1, 0, N_FINEST_INTERVALS - 1)
        for step in (1, 2, 4, 8, 16):
            coarse = [*edges[:-1:step], edges[-1]]
            labels = np.array([f"{low:g}--{high:g}" for low, high in itertools.pairwise(coarse)], dtype=object)
            groupings.append((finest // step, labels, Recoding("bins", {"edges": coarse})))
    return _generalisation(name, column, groupings, np.ones(len(values), dtype=bool))


def _round_edges(low: float, high: float) -> list[float]:
    """Edges of 16 intervals around a range, their width 1, 2 or 5 times a power of ten."""
    wanted = (high - low) / (N_FINEST_INTERVALS - 1)
    power = 10.0 ** math.floor(math.log10(wanted))
    width = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= wanted * (1 - 1e-12))
    first = math.floor(low / width)
    return [float(f"{(first + i) * width:.12g}") for i in range(N_FINEST_INTERVALS + 1)]


def of_rarity(name: str, column: EncodedColumn, people: np.ndarray, k: int) -> Generalisation:
    """Categories of few people joined: fewer than ``k``, then 4 k, 16 k, ..., then the attribute is dropped.

    ``people`` (n_values,) counts who has each category. A level exists only if it joins at least two more categories.
    """
    n_values, everybody = len(column.labels), int(people.sum())
    as_is = (np.arange(n_values), column.labels.astype(object), Recoding("none"))
    groupings = [as_is]
    joined = "other" if "other" not in set(column.labels) else "(other)"
    fewer_than = k
    while fewer_than <= everybody:
        is_rare = people < fewer_than
        if 2 <= is_rare.sum() < n_values:
            group = np.where(is_rare, 0, np.cumsum(~is_rare))
            labels = np.array([joined, *column.labels[~is_rare]], dtype=object)
            groupings.append((group, labels, Recoding("rare", {"rarer_than": fewer_than, "others": joined})))
        fewer_than *= RARITY_STEP
    return _generalisation(name, column, groupings, np.ones(n_values, dtype=bool))
