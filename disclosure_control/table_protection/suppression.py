"""Which further cells are hidden so that no reader of all tables can calculate what has to stay unknown.

For each cell whose promise no known move keeps, a linear program looks for the cheapest cells that would have to give
way: first within a table, then within all tables that show the cell, then anywhere. What proves unneeded in the end is
shown again. Source: Kelly, Golden and Assad 1992, doi:10.1002/net.3230220407; Fischetti and Salazar 2000,
doi:10.1080/01621459.2000.10474282.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array, eye_array, hstack, vstack

from disclosure_control.table_protection.moves import Promises, Reader, prove, prove_many

_ROUNDS = 3  # of the search for few cells: each makes those dearer that the last one hardly needed


def hide_further(
    reader: Reader, promises: Promises, groups: Sequence[np.ndarray], cost: np.ndarray, fixed: np.ndarray
) -> np.ndarray:
    """Hide cells until every promise is kept; returns the cells (n,) whose promise cannot be.

    ``groups`` are the cells of each table; ``cost`` (n_cells,) of hiding each; ``fixed`` (n_cells,) cannot be hidden.
    """
    before = reader.low.copy(), reader.high.copy()
    order = promises.cells[np.argsort(-promises.width[promises.cells] - promises.up[promises.cells], kind="stable")]
    chance = np.random.default_rng(0)
    for group in groups:
        inside = np.zeros(len(reader.base), dtype=bool)
        inside[group] = True
        prove_many(reader, promises, inside & (_held_by(groups, len(reader.base)) == 1), chance)
    failed = [cell for cell in order.tolist() if not _protected(reader, promises, cell, groups, cost, fixed)]
    _show_again(reader, promises, groups, before, cost)
    return np.array(failed, dtype=np.int64)


def _protected(
    reader: Reader,
    promises: Promises,
    cell: int,
    groups: Sequence[np.ndarray],
    cost: np.ndarray,
    fixed: np.ndarray,
) -> bool:
    """Whether a cell's promise is kept in the end, further cells hidden where it has to be."""
    surroundings = list(_surroundings(cell, groups, len(reader.base)))
    if any(prove(reader, promises, cell, among) for among in surroundings):
        return True
    for among in surroundings:
        found = _cheapest(reader, promises, cell, among & ~(fixed & ~reader.free), cost)
        if found is not None:
            reader.hide(found)
            if prove(reader, promises, cell, among):
                return True
    nearby = np.zeros(len(reader.base), dtype=bool)
    for group in groups:
        nearby[group] |= cell in group
    for among in (surroundings[-2], nearby):  # all that a table has: no cheaper way was found
        reader.hide(np.flatnonzero(among & ~fixed))
        if prove(reader, promises, cell, surroundings[-1]):
            return True
    return False


def _surroundings(cell: int, groups: Sequence[np.ndarray], n_cells: int) -> Iterator[np.ndarray]:
    """The tables with a cell, each without what others show as well; all of them; and all cells."""
    with_cell = [group for group in groups if cell in group]
    held_by = _held_by(groups, n_cells)
    of_all = np.zeros(n_cells, dtype=bool)
    for group in with_cell:
        inside = np.zeros(n_cells, dtype=bool)
        inside[group] = True
        of_all |= inside
        if len(groups) > 1:
            yield inside & ((held_by == 1) | (np.arange(n_cells) == cell))
    in_these = np.zeros(n_cells, dtype=np.int64)
    for group in with_cell:
        in_these[group] += 1
    yield of_all & (in_these == held_by)
    yield np.ones(n_cells, dtype=bool)


def _held_by(groups: Sequence[np.ndarray], n_cells: int) -> np.ndarray:
    """How many tables have each cell (n_cells,)."""
    return np.bincount(np.concatenate([*groups, np.zeros(0, dtype=np.int64)]), minlength=n_cells)


def _cheapest(reader: Reader, promises: Promises, cell: int, among: np.ndarray, cost: np.ndarray) -> np.ndarray | None:
    """The cells that would have to be hidden, found by two changes at once that keep the promise; None if none can.

    Unknowns are the change up, the change down, and by how much the two leave what is shown of each cell.
    """
    cells = np.flatnonzero(among)
    if cell not in cells:
        return None
    n = len(cells)
    low, high = reader.low[cells] - reader.base[cells], reader.high[cells] - reader.base[cells]
    one, aim = eye_array(n, format="csr"), csr_array(([1.0], ([0], np.flatnonzero(cells == cell))), (1, n))
    above, below = np.isfinite(high), np.isfinite(low)
    at_least, known = reader.at_least[:, cells], reader.at_least @ reader.base
    limits = [
        *[_side_by_side(one[above], up, -one[above]) for up in (True, False)],
        *[_side_by_side(-one[below], up, -one[below]) for up in (True, False)],
        *[_side_by_side(-at_least, up, None) for up in (True, False)],
        _side_by_side(-aim, True, None),
        _side_by_side(aim, False, None),
        hstack([-aim, aim, csr_array((1, n))], format="csr"),
    ]
    needed = [-promises.up[cell], -promises.down[cell], -promises.width[cell]]
    right = np.concatenate([high[above], high[above], -low[below], -low[below], known, known, needed])
    sums = vstack([_side_by_side(reader.equal[:, cells], up, None) for up in (True, False)], format="csr")
    floor = np.where(reader.base[cells] < 0, -np.inf, -reader.base[cells])
    bounds = [*[(end, None) for end in floor] * 2, *[(0, None)] * n]
    most, found = promises.most[cell], None
    weight = cost[cells] / most
    for _ in range(_ROUNDS):
        goal = np.concatenate([np.zeros(2 * n), weight])
        solved = linprog(goal, vstack(limits), right, sums, np.zeros(sums.shape[0]), bounds, method="highs")
        if solved.status != 0:
            break
        beyond = solved.x[2 * n :]
        found = cells[beyond > 1e-6]
        weight = cost[cells] / (beyond + most / 100)
    return found


def _side_by_side(rows: csr_array, up: bool, beyond: csr_array | None) -> csr_array:
    """Rows about the change up, or down, and about how far the two leave what is shown."""
    none = csr_array(rows.shape)
    return hstack([rows if up else none, none if up else rows, none if beyond is None else beyond], format="csr")


def _show_again(
    reader: Reader,
    promises: Promises,
    groups: Sequence[np.ndarray],
    before: tuple[np.ndarray, np.ndarray],
    cost: np.ndarray,
) -> None:
    """Show again, the dearest first, what no promise needs to be hidden: its moves do without."""
    hidden = np.flatnonzero((before[0] != reader.low) | (before[1] != reader.high))
    kept = np.setdiff1d(promises.cells, promises.unkept(reader, promises.cells))
    for cell in hidden[np.argsort(-cost[hidden], kind="stable")].tolist():
        change = np.array([move[cell] for move in reader.moves])
        low, high = before[0][cell] - reader.base[cell], before[1][cell] - reader.base[cell]
        fits = (change >= low - 1e-9) & (change <= high + 1e-9)
        moves, limits = reader.moves, (reader.low[cell], reader.high[cell])
        reader.moves = [move for move, fit in zip(moves, fits.tolist(), strict=True) if fit]
        reader.low[cell], reader.high[cell] = before[0][cell], before[1][cell]
        lost = promises.unkept(reader, kept)
        if not all(_proven_nearby(reader, promises, one, groups) for one in lost.tolist()):
            reader.moves = moves
            reader.low[cell], reader.high[cell] = limits


def _proven_nearby(reader: Reader, promises: Promises, cell: int, groups: Sequence[np.ndarray]) -> bool:
    """Whether moves within the tables of a cell keep its promise."""
    *nearby, _ = _surroundings(cell, groups, len(reader.base))
    return any(prove(reader, promises, cell, among) for among in nearby)
