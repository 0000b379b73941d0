"""Which cells disclose somebody by the rules of a house: a function for each rule, and what has to stay possible."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from disclosure_control.table_protection.blocks import Block, Counted
from disclosure_control.table_protection.cells import CellSystem, LinkedBlocks, parts_of_wholes
from disclosure_control.table_protection.houses import HouseRules


@dataclass(frozen=True)
class Concern:
    """A cell that discloses somebody, by a ``rule``; a cell that no table shows counts where others give it.

    Its number has to stay possible ``up`` above and ``down`` below what it is, and ``width`` between the two together.
    """

    cell: int
    rule: str
    up: float = 0.0
    down: float = 0.0
    width: float = 0.0


Rule = Callable[[LinkedBlocks, HouseRules], Iterator[Concern]]


def concerns_of(linked: LinkedBlocks, rules: HouseRules) -> list[Concern]:
    """Every cell that a rule of the house names, with the rule; what left already is known, whatever it is."""
    fixed = linked.system.fixed
    return [concern for rule in RULES for concern in rule(linked, rules) if not fixed[concern.cell]]


def _small(linked: LinkedBlocks, rules: HouseRules) -> Iterator[Concern]:
    """Counts of few people."""
    system = linked.system
    for cell in range(len(system.base)):
        if system.whole[cell] and _is_small(system.base[cell], rules):
            yield Concern(cell, f"fewer than {rules.minimum} people", width=rules.promised)


def _is_small(value: float, rules: HouseRules) -> bool:
    return 0 < value < rules.minimum or (rules.zeros and value == 0)


def _differences(linked: LinkedBlocks, rules: HouseRules) -> Iterator[Concern]:
    """All but few of a total: the difference is a small count, whether it is shown or not."""
    for whole, part in _wholes_and_parts(linked):
        if 0 < linked.system.base[whole] - linked.system.base[part] < rules.minimum:
            rest = linked.system.rest(whole, [part], "difference to a total")
            yield Concern(rest, f"all but fewer than {rules.minimum} of a total", width=rules.promised)


def _wholes_and_parts(linked: LinkedBlocks) -> Iterator[tuple[int, int]]:
    system = linked.system
    for row in list(system.sums):
        wholes = [cell for cell, weight in row if weight < 0]
        if len(wholes) == 1 and system.whole[wholes[0]] and len(row) > 2:
            yield from ((wholes[0], cell) for cell, weight in row if weight > 0)


def _full_rows(linked: LinkedBlocks, rules: HouseRules) -> Iterator[Concern]:
    """All people of a row in one column: whoever is known to be in the row is known to be in the column.

    A category that nobody has at all is no way out, so it is left aside.
    """
    if rules.full_row_percent is None:
        return
    for block, place in zip(linked.blocks, linked.places, strict=True):
        if block.counted is Counted.PEOPLE and block.fixed is None:
            for axis, one in enumerate(block.dimensions):
                if not one.overlaps:
                    for whole, parts in one.relations():
                        yield from _full_rows_of(block, place, linked.system, rules, axis, whole, parts)


def _full_rows_of(
    block: Block, place: np.ndarray, system: CellSystem, rules: HouseRules, axis: int, whole: int, parts: list[int]
) -> Iterator[Concern]:
    values = np.moveaxis(np.nan_to_num(block.values), axis, -1)
    cells = np.moveaxis(place, axis, -1)
    somebody = values.reshape(-1, values.shape[-1])[:, parts].sum(axis=0) > 0
    if somebody.sum() < 2:
        return
    share = (rules.full_row_percent or 100) / 100
    for at in np.ndindex(*values.shape[:-1]):
        of_row, row = values[at][parts], cells[at]
        total = of_row.sum()
        most = int(np.argmax(of_row))
        if total > 0 and of_row[most] >= share * total and row[whole] >= 0 and row[parts[most]] >= 0:
            left = total - of_row[most]
            if left == 0 or share < 1:
                rest = system.rest(int(row[whole]), [int(row[parts[most]])], "all others of a row")
                needed = max(rules.promised, (1 - share) * total - left)
                yield Concern(rest, "nearly all people of a row in one column", up=float(np.ceil(needed)))


def _parts_of_others(linked: LinkedBlocks, rules: HouseRules) -> Iterator[Concern]:
    """People who are in a total and not in its part: those without an event, or new since an earlier table."""
    system = linked.system
    for part, whole in parts_of_wholes(linked):
        rest = system.rest(whole, [part], "not in the part")
        left, share = system.base[rest], rules.full_row_percent
        if 0 < left < rules.minimum:
            yield Concern(rest, f"all but fewer than {rules.minimum} of those counted", width=rules.promised)
        elif left == 0 and share is not None and system.base[part] > 0 and not system.fixed[part]:
            yield Concern(rest, "all of those counted", up=rules.promised)


def _few_behind_sums(linked: LinkedBlocks, rules: HouseRules) -> Iterator[Concern]:
    """Sums and means of few people."""
    for block, place, at in _sums(linked):
        if block.people is not None and 0 < block.people[at] < rules.minimum:
            needed = rules.range_percent / 100 * max(abs(block.values[at]), _typical(block))
            yield Concern(int(place[at]), f"sum or mean of fewer than {rules.minimum} people", needed, needed)


def _typical(block: Block) -> float:
    """What a person adds to the sums of a block."""
    known = block.values[~np.isnan(block.values)]
    people = np.nansum(block.people) if block.people is not None else 0
    return float(np.abs(known).sum() / max(people, 1))


def _dominance(linked: LinkedBlocks, rules: HouseRules) -> Iterator[Concern]:
    """Sums that few contributors make nearly alone: the (n, k) rules."""
    for block, place, at in _sums(linked):
        for n, k in rules.dominance if block.largest is not None else ():
            assert block.largest is not None
            most = float(block.largest[at][:n].sum())
            if most > k / 100 * block.values[at]:
                needed = 100 / k * most - block.values[at]
                yield Concern(int(place[at]), f"{n} contributors make more than {k:g}%", needed, needed)


def _p_percent(linked: LinkedBlocks, rules: HouseRules) -> Iterator[Concern]:
    """Sums from which the second contributor estimates the largest too closely: the p% rule."""
    for block, place, at in _sums(linked):
        if rules.p_percent is not None and block.largest is not None:
            first, second = block.largest[at][:2]
            needed = rules.p_percent / 100 * first - (block.values[at] - first - second)
            if needed > 0:
                rule = f"the second contributor knows the largest to within {rules.p_percent:g}%"
                yield Concern(int(place[at]), rule, needed, needed)


def _sums(linked: LinkedBlocks) -> Iterator[tuple[Block, np.ndarray, tuple[int, ...]]]:
    for block, place in zip(linked.blocks, linked.places, strict=True):
        if block.counted is Counted.SUM:
            for at in zip(*np.nonzero((place >= 0) & (np.nan_to_num(block.values) != 0)), strict=True):
                yield block, place, at


RULES: tuple[Rule, ...] = (_small, _differences, _full_rows, _parts_of_others, _few_behind_sums, _dominance, _p_percent)
