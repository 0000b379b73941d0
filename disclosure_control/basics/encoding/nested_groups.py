"""Groups that lie within groups of another column, as districts lie in countries: what both disclose of each other.

If a country of 600 people and two districts of 300 and 295 are published, the hidden district has 5. So the groups
hidden within one outer group must have enough people there, too, both of those who are hit and of the others.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from disclosure_control.basics.encoding.columns import EncodedColumn
from disclosure_control.basics.encoding.keys import count_pairs
from disclosure_control.basics.telling.small_counts import MissingShown, Policy, hidden_groups


def hidden_beside_each_other(
    policy: Policy,
    columns: Sequence[EncodedColumn],
    considered: np.ndarray,
    hit: np.ndarray,
    gaps: Sequence[MissingShown],
    people: np.ndarray,
) -> list[np.ndarray]:
    """For each column, which groups are hidden, (1 + n_labels,) of bool as by ``hidden_groups``, considering the
    others.

    ``considered``, ``hit`` (n,) of bool and ``people`` (n,) are of the entries of the columns. A group lies within one
    of another column if none of its people are elsewhere. If all published groups that touch an outer group lie within
    it, their sum is known, and the hidden part follows. Columns without small counts are unchanged.
    """
    kinds = np.column_stack([people * (considered & hit), people * (considered & ~hit)]).astype(np.int64)
    counts = [_counts(column, kinds) for column in columns]
    hidden = [hidden_groups(policy, column, gaps=gap, people=people) for column, gap in zip(columns, gaps, strict=True)]
    coarse_first = sorted(range(len(columns)), key=lambda i: (len(columns[i].labels), i))
    for place, inner in enumerate(coarse_first):
        for outer in coarse_first[:place]:
            is_masked = [hidden[i] | policy.are_small(counts[i]).any(axis=1) for i in (outer, inner)]
            if is_masked[0].any() or is_masked[1].any():
                hidden[inner] |= _hidden_within(policy, columns[outer], columns[inner], is_masked, kinds, people)
    return hidden


def _counts(column: EncodedColumn, kinds: np.ndarray) -> np.ndarray:
    """Who is hit and who is not (1 + n_labels, 2), the row without a value first."""
    n_groups = 1 + len(column.labels)
    return np.column_stack([np.bincount(column.codes + 1, of_kind, n_groups) for of_kind in kinds.T]).astype(np.int64)


def _hidden_within(
    policy: Policy,
    outer: EncodedColumn,
    inner: EncodedColumn,
    is_masked: Sequence[np.ndarray],
    kinds: np.ndarray,
    people: np.ndarray,
) -> np.ndarray:
    """Which inner groups are hidden (n_inner,), so that no outer group discloses its hidden ones, nor they it."""
    sizes = 1 + len(outer.labels), 1 + len(inner.labels)
    outer_masked, inner_masked = is_masked
    pairs = [
        count_pairs(outer.codes + 1, inner.codes + 1, *sizes, one) for one in (people, *kinds.T.astype(people.dtype))
    ]
    of_outer, of_inner, _ = pairs[0]
    cells = np.column_stack([n for *_, n in pairs[1:]]).astype(np.int64)
    is_within = np.bincount(of_inner, minlength=sizes[1])[of_inner] == 1
    is_open = ~inner_masked[of_inner]
    # A reported group that is only partly in the outer one leaves the hidden ones unknown.
    is_summed = np.bincount(of_outer, is_open & ~is_within, sizes[0]) == 0
    left = np.column_stack([np.bincount(of_outer, ~is_open * one, sizes[0]) for one in cells.T])
    is_few = policy.are_small(left).any(axis=1) & ~outer_masked
    tells_masked = outer_masked & (left.sum(axis=1) == 0)
    hidden = np.zeros(sizes[1], dtype=bool)
    for group in np.flatnonzero(is_summed & (is_few | tells_masked)).tolist():
        here = np.flatnonzero(of_outer == group)
        primary = ~is_open[here]
        if not primary.any():
            primary[np.argmin(cells[here].sum(axis=1))] = True
        hidden[of_inner[here[policy.hidden_rows(cells[here], primary)]]] = True
    return hidden
