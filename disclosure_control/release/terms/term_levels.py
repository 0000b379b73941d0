"""Which level of its hierarchy each coded term shows, so that no term is left that few people have."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.keys import count_keys, number_groups

NOTHING = -1
_ANY_COST = np.iinfo(np.int64).max


def levels_shown(
    terms: Sequence[np.ndarray],
    people: np.ndarray,
    group: np.ndarray,
    at_least: int,
    at_any_cost: Collection[int] = (),
    is_hidden: np.ndarray | None = None,
) -> np.ndarray:
    """The level that each row (n_rows,) shows, 0 the finest, -1 for a row that no level helps.

    ``terms`` (n_levels, n_rows) are labels, None where missing; ``people`` and ``group`` (n_rows,) whole numbers from
    0: people are counted within a group. Rows show the same if their labels agree from their level on. A row shows no
    finer level than it has; one without any term is unchanged.

    At a level ``at_any_cost`` as many people of the commonest term beside them join rare rows as these lack, if that
    leaves it to enough others: those of the lowest numbers in ``people``, which have to say nothing of them. Else the
    smallest term beside them joins them, whatever that costs. If the last level is such, nothing is left of a term
    there, and rare rows show it even if nothing joins them.

    Rows that are ``is_hidden`` (n_rows,) of bool show no term; there, people with such a row are half of all at most.
    """
    node = _nodes(terms, group)
    hides = len(node) - 1 in at_any_cost
    level = np.where(np.logical_and.reduce([one == NOTHING for one in node]), 0, NOTHING)
    may_show = np.ones(len(people), dtype=bool) if is_hidden is None else ~is_hidden
    shown = np.full(len(people), NOTHING, dtype=np.int64)  # what each settled row shows: one number for one term
    for j, nodes in enumerate(node):
        is_root = hides and j == len(node) - 1
        waiting = (level == NOTHING) & (nodes != NOTHING) & (may_show | is_root)
        if not waiting.any():
            continue
        n_nodes = int(nodes.max()) + 1
        n_waiting = np.bincount(nodes[waiting], minlength=n_nodes)
        least = np.full(n_nodes, at_least)
        if is_root and not may_show.all():
            alike = waiting & ~may_show
            least = np.maximum(least, 2 * _n_people(nodes[alike], people[alike], n_nodes))
        enough = _n_people(nodes[waiting], people[waiting], n_nodes) >= least
        limit = np.where(n_waiting > 0, _ANY_COST, 0) if j in at_any_cost else n_waiting * (len(node) - hides - j)
        beside = _smallest_beside(nodes, level, shown, j, np.where(enough, 0, limit))
        joined = np.zeros(len(people), dtype=bool)
        if j in at_any_cost:
            joined, is_filled = _some_beside(nodes, shown, people, waiting & ~enough[nodes], least, at_least)
            beside[is_filled] = NOTHING
            enough = enough | is_filled
        stays = enough | (beside != NOTHING) | is_root
        now = joined | (waiting & stays[nodes]) | (np.isin(shown, beside) & (shown != NOTHING))
        level[now], shown[now] = j, int(shown.max()) + 1 + nodes[now]
    return level


def _nodes(terms: Sequence[np.ndarray], group: np.ndarray) -> list[np.ndarray]:
    """For each level one number (n_rows,) per label and those of the coarser levels, within a group; -1 of no label."""
    found, path = [], group
    for labels_of_level in reversed(terms):
        codes, distinct = pd.factorize(labels_of_level, sort=True)
        key = path * (len(distinct) + 1) + codes + 1
        path, _ = number_groups(key, int(key.max(initial=0)) + 1)
        found.append(np.where(codes < 0, NOTHING, path))
    return found[::-1]


def _n_people(nodes: np.ndarray, people: np.ndarray, n_nodes: int) -> np.ndarray:
    n_people = int(people.max(initial=-1)) + 1
    cells, _ = count_keys(nodes * n_people + people, n_nodes * n_people)
    return np.bincount(cells // max(n_people, 1), minlength=n_nodes)


def _smallest_beside(nodes: np.ndarray, level: np.ndarray, shown: np.ndarray, j: int, most: np.ndarray) -> np.ndarray:
    """For each node (n_nodes,) the term shown below it that loses least if raised to it, -1 if above most."""
    found = np.full(len(most), NOTHING, dtype=np.int64)
    below = np.flatnonzero((shown != NOTHING) & (nodes != NOTHING))
    if len(below):
        cost = np.bincount(shown[below], j - level[below]).astype(np.int64)
        node = np.full(len(cost), NOTHING)
        node[shown[below]] = nodes[below]
        terms = np.flatnonzero(node != NOTHING)
        terms = terms[np.lexsort((terms, cost[terms]))]
        terms = terms[np.unique(node[terms], return_index=True)[1]]
        terms = terms[cost[terms] <= most[node[terms]]]
        found[node[terms]] = terms
    return found


def _some_beside(
    nodes: np.ndarray, shown: np.ndarray, people: np.ndarray, lacks: np.ndarray, wants: np.ndarray, at_least: int
) -> tuple[np.ndarray, np.ndarray]:
    """The rows (n_rows,) of other people who join the rows that ``lacks`` people, and which nodes (n_nodes,) have as
    many as each ``wants`` by that: the first people of the term that most others of the node have, if ``at_least`` so
    many keep it.
    """
    joined, is_filled = np.zeros(len(nodes), dtype=bool), np.zeros(int(nodes.max(initial=0)) + 1, dtype=bool)
    wanted = np.unique(nodes[lacks])
    if not len(wanted):
        return joined, is_filled
    inside = np.flatnonzero(np.isin(nodes, wanted))
    inside = inside[np.argsort(nodes[inside], kind="stable")]
    starts = np.searchsorted(nodes[inside], wanted)
    for node, rows in zip(wanted.tolist(), np.split(inside, starts[1:]), strict=True):
        own = np.unique(people[rows[lacks[rows]]])
        settled = rows[shown[rows] != NOTHING]
        pairs = np.unique(np.stack([shown[settled], people[settled]]), axis=1)
        terms, n_people = np.unique(pairs[0], return_counts=True)
        if not len(terms):
            continue
        term = terms[np.argmax(n_people)]
        others = np.setdiff1d(pairs[1][pairs[0] == term], own)
        n_lacking = int(wants[node]) - len(own)
        if len(others) >= n_lacking and n_people.max() - n_lacking >= at_least:
            joined[settled[(shown[settled] == term) & np.isin(people[settled], others[:n_lacking])]] = True
            is_filled[node] = True
    return joined, is_filled
