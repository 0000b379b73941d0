"""What a reader of all tables together cannot tell apart from the truth: moves, and the widths that they prove.

A move is a change of cells after which every equation still holds, every count is still a whole number of at least 0,
and everything shown is still what is shown. Two moves after which a cell differs by w prove that nobody can know it to
within less than w, whatever the solver that found them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csc_array, csr_array, vstack
from scipy.sparse.csgraph import breadth_first_order

from disclosure_control.table_protection.cells import CellSystem
from disclosure_control.table_protection.primary import Concern

_SLACK = 1e-7
_SWEEPS = 3
_AT_MOST = {"time_limit": 5.0}  # seconds for one move


@dataclass(eq=False)
class Reader:
    """What somebody knows who reads all tables: the equations, and between ``low`` and ``high`` (n_cells,) each cell.

    ``moves`` (n_moves, n_cells) are those found so far, each a change of the true numbers.
    """

    base: np.ndarray = field(repr=False)
    whole: np.ndarray = field(repr=False)
    equal: csr_array = field(repr=False)
    at_least: csr_array = field(repr=False)
    low: np.ndarray = field(repr=False)
    high: np.ndarray = field(repr=False)
    moves: list[np.ndarray] = field(default_factory=list, repr=False)

    @classmethod
    def of(cls, system: CellSystem) -> Reader:
        """A reader who knows every cell that is shown; nothing is below 0, unless something is."""
        base = np.array(system.base)
        shown = np.array(system.shown) | np.array(system.fixed)
        floor = np.where(base < 0, -np.inf, 0.0)
        low, high = np.where(shown, base, floor), np.where(shown, base, np.inf)
        whole = np.array(system.whole, dtype=bool)
        return cls(base, whole, system.matrix(system.sums), system.matrix(system.bounds), low, high)

    @property
    def free(self) -> np.ndarray:
        """Which cells (n_cells,) are not known exactly from what is shown of them."""
        return self.high > self.low

    def hide(self, cells: np.ndarray) -> None:
        """From now on nothing is shown of these cells."""
        self.low[cells] = np.where(self.base[cells] < 0, -np.inf, 0.0)
        self.high[cells] = np.inf

    def reach(self) -> tuple[np.ndarray, np.ndarray]:
        """How far up and down (n_cells,) each cell is moved by the moves that are known."""
        moves = np.array([np.zeros(len(self.base)), *self.moves])
        return moves.max(axis=0), -moves.min(axis=0)

    def move(self, goal: np.ndarray, most: np.ndarray, among: np.ndarray) -> bool:
        """Look for the move of cells ``among`` (n_cells,) with the largest sum of change times ``goal`` (n_cells,).

        Cells with a goal move by ``most`` (n_cells,) at most. Returns whether there is one; it is kept.
        """
        cells = self._moving_with(np.flatnonzero(among & self.free), np.flatnonzero(goal))
        limited = np.where(goal[cells] != 0, most[cells], np.inf)
        low = np.maximum(self.low[cells] - self.base[cells], -limited)
        high = np.minimum(self.high[cells] - self.base[cells], limited)
        equal, _ = self._rows(self._by_cell[0], cells)
        at_least, rows = self._rows(self._by_cell[1], cells)
        limits = [LinearConstraint(equal, 0, 0)] if equal.shape[0] else []
        if len(rows):
            limits.append(LinearConstraint(at_least, -(self.at_least @ self.base).round(9)[rows], np.inf))
        for integrality in (np.zeros(len(cells)), self.whole[cells].astype(float)):
            found = milp(
                -goal[cells], integrality=integrality, bounds=Bounds(low, high), constraints=limits, options=_AT_MOST
            )
            if found.x is None or found.fun > -_SLACK:
                return False
            change = np.zeros(len(self.base))
            change[cells] = np.where(self.whole[cells], np.round(found.x), found.x)
            if self.is_move(change):  # it nearly always is, also where whole numbers were not asked for
                self.moves.append(change)
                return True
        return False

    def _moving_with(self, cells: np.ndarray, wanted: np.ndarray) -> np.ndarray:
        """Those of the ``cells`` (n,) that move if a wanted one does: all others need not change."""
        if len(wanted) != 1 or wanted[0] not in cells:
            return cells if len(wanted) > 1 else cells[:0]
        near = self._neighbours[cells][:, cells]
        return cells[np.sort(breadth_first_order(near, np.searchsorted(cells, wanted[0]), False, False))]

    @cached_property
    def _neighbours(self) -> csr_array:
        """Which cells are in one equation (n_cells, n_cells)."""
        rows = abs(vstack([self.equal, self.at_least], format="csr"))
        return (rows.T @ rows).tocsr()

    @cached_property
    def _by_cell(self) -> tuple[csc_array, csc_array]:
        return self.equal.tocsc(), self.at_least.tocsc()

    @staticmethod
    def _rows(matrix: csc_array, cells: np.ndarray) -> tuple[csr_array, np.ndarray]:
        """The rows of a matrix with one of the cells, of these cells alone, and their places."""
        part = matrix[:, cells]
        rows, at = np.unique(part.indices, return_inverse=True)
        return csc_array((part.data, at, part.indptr), (len(rows), len(cells))).tocsr(), rows

    def is_move(self, change: np.ndarray) -> bool:
        """Whether a change (n_cells,) is a move: checked from the equations and limits alone."""
        after = self.base + change
        size = _SLACK * (1 + np.abs(self.base).max(initial=0))
        return bool(
            np.all(np.abs(self.equal @ change) <= size)
            and np.all(self.at_least @ after >= -size)
            and np.all(after >= self.low - size)
            and np.all(after <= self.high + size)
            and np.all(np.abs(after - np.round(after))[self.whole] <= _SLACK)
        )


@dataclass(frozen=True, eq=False)
class Promises:
    """What has to stay possible of each cell, (n_cells,) each: ``up`` and ``down``, and ``width`` together."""

    up: np.ndarray
    down: np.ndarray
    width: np.ndarray

    @classmethod
    def of(cls, concerns: Iterable[Concern], n_cells: int) -> Promises:
        """The most that any rule asks of each cell."""
        made = cls(np.zeros(n_cells), np.zeros(n_cells), np.zeros(n_cells))
        for one in concerns:
            for name in ("up", "down", "width"):
                array = getattr(made, name)
                array[one.cell] = max(array[one.cell], getattr(one, name))
        return made

    def only(self, cells: np.ndarray) -> Promises:
        """The promises of these cells (n_cells,) of bool."""
        return Promises(*(np.where(cells, one, 0.0) for one in (self.up, self.down, self.width)))

    @property
    def cells(self) -> np.ndarray:
        """The cells with a promise."""
        return np.flatnonzero((self.up > 0) | (self.down > 0) | (self.width > 0))

    @cached_property
    def most(self) -> np.ndarray:
        """How far (n_cells,) a move has to reach at most."""
        return np.ceil(np.maximum(np.maximum(self.up, self.down), self.width))

    def unkept(self, reader: Reader, cells: np.ndarray) -> np.ndarray:
        """Those of the cells (n,) whose promise no known moves of a reader keep."""
        moves = np.array([np.zeros(len(cells)), *(move[cells] for move in reader.moves)])
        up, down = moves.max(axis=0), -moves.min(axis=0)
        slack = _SLACK * (1 + self.most[cells])
        enough = (up, self.up[cells]), (down, self.down[cells]), (up + down, self.width[cells])
        return cells[~np.all([found >= promised - slack for found, promised in enough], axis=0)]


def prove(reader: Reader, promises: Promises, cell: int, among: np.ndarray) -> bool:
    """Whether moves of cells ``among`` (n_cells,) keep what is promised of a cell, with those that are known."""
    goal = np.zeros(len(reader.base))
    for sign in (1.0, -1.0):
        if len(promises.unkept(reader, np.array([cell]))) == 0:
            return True
        goal[cell] = sign
        reader.move(goal, promises.most, among)
    return len(promises.unkept(reader, np.array([cell]))) == 0


def prove_many(reader: Reader, promises: Promises, among: np.ndarray, chance: np.random.Generator) -> None:
    """Look for moves of cells ``among`` (n_cells,) that keep many promises at once, in directions taken by chance."""
    for _ in range(_SWEEPS):
        wanted = promises.unkept(reader, promises.cells[among[promises.cells]])
        if len(wanted) < 2:
            return
        goal = np.zeros(len(reader.base))
        goal[wanted] = chance.uniform(0.5, 1, len(wanted)) * chance.choice([-1.0, 1.0], len(wanted))
        reader.move(goal, promises.most, among)
        reader.move(-goal, promises.most, among)
