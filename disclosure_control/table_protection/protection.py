"""Tables made fit to leave: what is hidden or rounded, by which rule, and how wide what can be known of it stays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.table_protection.blocks import Block, Counted
from disclosure_control.table_protection.cells import LinkedBlocks, link_blocks
from disclosure_control.table_protection.houses import HouseRules
from disclosure_control.table_protection.moves import Promises, Reader
from disclosure_control.table_protection.primary import concerns_of
from disclosure_control.table_protection.rounding import controlled_multiples, limits_of_nearest, nearest_multiples
from disclosure_control.table_protection.suppression import hide_further


class ProtectionMethod(StrEnum):
    """How cells are protected: hidden, or all counts rounded so that totals add up."""

    SUPPRESS = "suppress"
    ROUND = "round"


@dataclass(frozen=True, eq=False)
class ProtectedBlock:
    """A block as it may leave: arrays in its shape.

    ``released``: the numbers, NaN of what is hidden; ``is_primary``: hidden by a rule, ``is_secondary``: with them.
    ``up`` and ``down``: how far above and below the true number it is still possible, proven by a move; ``promised``
    how wide the two have to be together. ``rules``: by place what names a cell.
    """

    block: Block
    released: np.ndarray = field(repr=False)
    is_primary: np.ndarray = field(repr=False)
    is_secondary: np.ndarray = field(repr=False)
    up: np.ndarray = field(repr=False)
    down: np.ndarray = field(repr=False)
    promised: np.ndarray = field(repr=False)
    rules: Mapping[tuple[int, ...], str] = field(repr=False)


@dataclass(frozen=True, eq=False)
class ProtectedTables:
    """All blocks as they may leave, in their order; ``n_unproven``: promises that cannot be kept.

    ``n_differences``: numbers of people that no table shows, yet that others would have given.
    ``narrowest``: the smallest width of what can be known of a count with a promise, None without one.
    """

    blocks: tuple[ProtectedBlock, ...]
    n_differences: int
    n_unproven: int
    narrowest: float | None


def protect_tables(
    given: Sequence[Block],
    names: Sequence[str],
    rules: HouseRules,
    method: ProtectionMethod = ProtectionMethod.SUPPRESS,
) -> ProtectedTables:
    """Hide or round cells so that nobody who reads all tables can know one better than the house allows.

    ``names`` (n_blocks,) are those of the tables that the blocks are of. Raises ``FaultyInputError`` if totals are not
    the sums of their parts, if tables disagree, or if no rounding exists.
    """
    linked = link_blocks(given, names)
    concerns = concerns_of(linked, rules)
    system = linked.system
    reader, promises = Reader.of(system), Promises.of(concerns, len(system.base))
    released = _rounded(reader, linked, rules, method)
    shown, fixed = np.array(system.shown), np.array(system.fixed)
    if method is ProtectionMethod.SUPPRESS:
        reader.hide(promises.cells[~fixed[promises.cells]])
    groups, cost = linked.cells_by_table(), _costs(linked, reader.base)
    counts = promises.only(reader.whole)
    failed = [hide_further(reader, counts, groups, cost, fixed)]
    if not reader.whole.all():
        _hide_sums_of_hidden_people(linked, reader)
        failed.append(hide_further(reader, promises.only(~reader.whole), groups, cost, fixed))
    is_hidden = shown & np.isinf(reader.high)
    up, down = reader.reach()
    words: dict[int, str] = {}
    for one in concerns:
        words[one.cell] = f"{words[one.cell]}; {one.rule}" if one.cell in words else one.rule
    held = promises.cells
    narrowest = (up + down)[np.intersect1d(counts.cells, np.flatnonzero(promises.width > 0))]
    return ProtectedTables(
        tuple(
            _protected_block(block, place, released, is_hidden, promises, up, down, words)
            for block, place in zip(linked.blocks, linked.places, strict=True)
        ),
        int((~shown[held]).sum()),
        sum(map(len, failed)),
        float(narrowest.min()) if len(narrowest) else None,
    )


def _rounded(reader: Reader, linked: LinkedBlocks, rules: HouseRules, method: ProtectionMethod) -> np.ndarray:
    """The numbers (n_cells,) as they are shown where they are; what readers know of them is widened in ``reader``."""
    counts = reader.whole & np.array(linked.system.shown) & ~np.array(linked.system.fixed)
    released = reader.base.copy()
    if method is ProtectionMethod.ROUND:
        base = rules.round_to or rules.minimum
        placed = np.unique(np.concatenate([place[place >= 0] for place in linked.places]))
        placed = placed[reader.whole[placed]]
        rest = np.setdiff1d(np.arange(len(reader.base)), placed)
        kept = [np.flatnonzero(abs(rows[:, rest]).sum(axis=1) == 0) for rows in (reader.equal, reader.at_least)]
        found = controlled_multiples(
            reader.base[placed], base, reader.equal[kept[0]][:, placed], reader.at_least[kept[1]][:, placed]
        )
        if found is None:
            raise FaultyInputError(
                f"tables: there is no rounding to multiples of {base} in which all totals add up; "
                'set "method": "suppress", or give the tables that share no totals different names under "about"'
            )
        released[placed], reach = found
        width = reach * base - 1
        reader.low[counts] = np.maximum(released[counts] - width, 0)
        reader.high[counts] = released[counts] + width
    elif rules.round_to:
        released[counts] = nearest_multiples(reader.base[counts], rules.round_to)
        reader.low[counts], reader.high[counts] = limits_of_nearest(released[counts], rules.round_to)
    return released


def _costs(linked: LinkedBlocks, base: np.ndarray) -> np.ndarray:
    """What it costs to hide each cell (n_cells,): larger ones more, totals and whom others are a part of most."""
    wholes = {block.whole_of[0] for block in linked.blocks if block.whole_of is not None and block.fixed is None}
    totals = np.zeros(len(base), dtype=np.int64)
    for block, place in zip(linked.blocks, linked.places, strict=True):
        n_totals = np.zeros(place.shape, dtype=np.int64)
        for axis, one in enumerate(block.dimensions):
            is_total = np.arange(len(one.categories)) >= len(one.leaves)
            n_totals += is_total.reshape([-1 if at == axis else 1 for at in range(place.ndim)])
        n_totals = n_totals * (1 + 4 * (n_totals == place.ndim)) + 5 * (block.population in wholes)
        np.maximum.at(totals, place[place >= 0], n_totals[place >= 0])
    return (1 + np.log1p(np.abs(base))) * (1.0 + 2 * totals)


def _hide_sums_of_hidden_people(linked: LinkedBlocks, reader: Reader) -> None:
    """A sum or mean is hidden with the number of its people: with that number the mean would give the sum."""
    hidden = np.isinf(reader.high)
    for block, place in zip(linked.blocks, linked.places, strict=True):
        if block.counted is Counted.SUM and block.people_in is not None:
            counts = linked.places[block.people_in]
            both = (place >= 0) & (counts >= 0)
            reader.hide(place[both][hidden[counts[both]]])


def _protected_block(
    block: Block,
    place: np.ndarray,
    released: np.ndarray,
    is_hidden: np.ndarray,
    promises: Promises,
    up: np.ndarray,
    down: np.ndarray,
    words: Mapping[int, str],
) -> ProtectedBlock:
    hidden = (place >= 0) & is_hidden[place] & block.shown
    wanted = np.zeros(len(released), dtype=bool)
    wanted[promises.cells] = True
    primary = hidden & wanted[place]
    rules = {tuple(map(int, at)): words[int(place[at])] for at in zip(*np.nonzero(primary), strict=True)}
    numbers = np.where((place >= 0) & ~hidden & block.shown, released[place], np.nan)
    promised = np.maximum(promises.width, promises.up + promises.down)[place]
    return ProtectedBlock(
        block, numbers, primary, hidden & ~primary, up[place], down[place], np.where(hidden, promised, 0), rules
    )
