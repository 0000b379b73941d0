"""All cells of all tables as one system: each once, however many tables show it, and the equations between them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.sparse import csr_array

from disclosure_control.basics.telling.faults import stop_at
from disclosure_control.table_protection.blocks import Block, Counted, completed

Key = tuple[str, frozenset[tuple[str, str]], str]


@dataclass
class CellSystem:
    """Cells by their key: a population, the categories that are no totals, and what it is beside that.

    Lists are (n_cells,): ``base`` the numbers, ``shown`` whether a table shows them, ``fixed`` whether they left
    already, ``whole`` whether they are whole numbers. ``sums`` are equations, and ``bounds`` what is at least 0, as
    lists of (cell, weight).
    """

    base: list[float] = field(default_factory=list, repr=False)
    shown: list[bool] = field(default_factory=list, repr=False)
    fixed: list[bool] = field(default_factory=list, repr=False)
    whole: list[bool] = field(default_factory=list, repr=False)
    place: dict[Key, int] = field(default_factory=dict, repr=False)
    sums: list[list[tuple[int, float]]] = field(default_factory=list, repr=False)
    bounds: list[list[tuple[int, float]]] = field(default_factory=list, repr=False)

    def cell(self, key: Key, value: float, is_shown: bool, is_fixed: bool, is_whole: bool) -> int:
        """The place of a cell, made where it is new."""
        if key not in self.place:
            self.place[key] = len(self.base)
            self.base.append(value)
            self.shown.append(False)
            self.fixed.append(False)
            self.whole.append(is_whole)
        at = self.place[key]
        self.shown[at] = self.shown[at] or is_shown
        self.fixed[at] = self.fixed[at] or is_fixed
        return at

    def rest(self, whole: int, parts: Sequence[int], what: str) -> int:
        """The place of what is left of a whole beside these parts; nothing shows it by itself."""
        key = ("", frozenset({("", f"{whole}-{'-'.join(map(str, parts))}")}), what)
        is_new = key not in self.place
        value = self.base[whole] - sum(self.base[part] for part in parts)
        at = self.cell(key, value, False, False, self.whole[whole])
        if is_new:
            self.sums.append([(whole, 1.0), (at, -1.0), *((part, -1.0) for part in parts)])
        return at

    def matrix(self, rows: list[list[tuple[int, float]]]) -> csr_array:
        """The rows as a sparse matrix (n_rows, n_cells)."""
        at = [(row, cell, weight) for row, cells in enumerate(rows) for cell, weight in cells]
        data = np.array(at).reshape(-1, 3)
        shape = (len(rows), len(self.base))
        return csr_array((data[:, 2], (data[:, 0].astype(np.int64), data[:, 1].astype(np.int64))), shape)


@dataclass(frozen=True, eq=False)
class LinkedBlocks:
    """Blocks in one system: ``places`` are the cells of each block, in its shape, -1 where it has none.

    ``names`` are those of the tables that the blocks are of.
    """

    names: tuple[str, ...]
    blocks: tuple[Block, ...]
    places: tuple[np.ndarray, ...]
    system: CellSystem

    def cells_by_table(self) -> list[np.ndarray]:
        """The cells of each table, and what is left of one of them beside others of the same table."""
        found: dict[str, set[int]] = {name: set() for name in self.names}
        for name, place in zip(self.names, self.places, strict=True):
            found[name] |= set(place[place >= 0].tolist())
        placed = set().union(*found.values())
        for row in self.system.sums:
            rest = {cell for cell, _ in row} - placed
            others = {cell for cell, _ in row} & placed
            for cells in found.values() if rest else ():
                if others <= cells:
                    cells |= rest
        return [np.array(sorted(cells), dtype=np.int64) for cells in found.values()]


def link_blocks(given: Sequence[Block], names: Sequence[str]) -> LinkedBlocks:
    """The blocks with their sums, linked where they show the same cells; ``names`` are those of their tables.

    Raises ``FaultyInputError`` where sums are not those of their parts, and where two tables disagree.
    """
    faults, blocks = [], []
    for block, name in zip(given, names, strict=True):
        whole, wrong = completed(block)
        blocks.append(whole)
        faults += [
            f"{name}: column {dimension!r}: {n} of its totals are not the sum of their parts; correct the table, name "
            'the column under "several" if a person may be in several of its categories, or give the subtotals under '
            '"parents"'
            for dimension, n in wrong.items()
        ]
    stop_at(faults)
    system = CellSystem()
    first: dict[Hashable, str] = {}
    places = []
    for block, name in zip(blocks, names, strict=True):
        places.append(_placed(system, block))
        faults += _disagreements(system, block, places[-1], name, first)
    stop_at(faults)
    for block, place in zip(blocks, places, strict=True):
        relate(system, block, place)
    return LinkedBlocks(tuple(names), tuple(blocks), tuple(places), system)


def parts_of_wholes(linked: LinkedBlocks) -> list[tuple[int, int]]:
    """The cells that are a part of another population's, with the cell that they are a part of."""
    found = []
    for block, place in zip(linked.blocks, linked.places, strict=True):
        if block.whole_of is not None:
            population, names = block.whole_of
            for at in zip(*np.nonzero(place >= 0), strict=True):
                _, named, _ = key_of(block, at)
                key = population, frozenset(one for one in named if one[0] in names), ""
                if key in linked.system.place:
                    found.append((int(place[at]), linked.system.place[key]))
    return found


def _placed(system: CellSystem, block: Block) -> np.ndarray:
    place = np.full(block.values.shape, -1, dtype=np.int64)
    is_whole = block.counted is Counted.PEOPLE
    for at in np.ndindex(*block.values.shape):
        value = float(block.values[at])
        if not np.isnan(value):
            fixed = False if block.fixed is None else bool(block.fixed[at])
            place[at] = system.cell(key_of(block, at), value, bool(block.shown[at]), fixed, is_whole)
    return place


def key_of(block: Block, at: Sequence[int]) -> Key:
    """The key of a cell of a block; a total of a dimension is no category of it."""
    named = (
        (one.name, one.categories[i])
        for one, i in zip(block.dimensions, at, strict=True)
        if one.categories[i] != one.total
    )
    return block.population, frozenset(named), ""


def _disagreements(
    system: CellSystem, block: Block, place: np.ndarray, name: str, first: dict[Hashable, str]
) -> Iterable[str]:
    base = np.array([*system.base, 0.0])
    values = np.nan_to_num(block.values)
    slack = block.counted.tolerance * np.maximum(1, np.abs(values))
    differs = (place >= 0) & (np.abs(base[place] - values) > slack)
    others = sorted({first.get(one, name) for one in place[differs].tolist()})
    for one in place[place >= 0].tolist():
        first.setdefault(one, name)
    if differs.any():
        yield (
            f"{name}: {int(differs.sum())} cells have another number than the same cells of {', '.join(others)}; "
            'correct one of the tables, or, if they are not of the same people, give them different names under "about"'
        )


def relate(system: CellSystem, block: Block, place: np.ndarray) -> None:
    """The equations of a block; of overlapping parts what they leave open."""
    for axis, one in enumerate(block.dimensions):
        for whole, parts in one.relations():
            wholes = place.take(whole, axis=axis).ravel().tolist()
            of_parts = np.moveaxis(place.take(parts, axis=axis), axis, -1).reshape(len(wholes), len(parts)).tolist()
            related = [(cell, row) for cell, row in zip(wholes, of_parts, strict=True) if min(cell, *row) >= 0]
            together = [[(cell, -1.0), *((part, 1.0) for part in row)] for cell, row in related]
            if not one.overlaps:
                system.sums += together
                continue
            system.bounds += [[(cell, 1.0), (part, -1.0)] for cell, row in related for part in row]
            if all(sum(weight * system.base[cell] for cell, weight in row) >= 0 for row in together):
                system.bounds += together
