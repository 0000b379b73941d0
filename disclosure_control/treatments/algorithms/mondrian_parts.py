"""The partition of Mondrian: people are cut in two along one attribute again and again, all parts of a level at once.

Units are what is never torn apart: equivalence classes in the strict form, people in the relaxed one. They stand side
by side by part, so that a level costs a few passes over them, however many parts there are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from Anonymization_Models import CountTable
from disclosure_control.basics.keys import count_pairs, number_groups


@dataclass(frozen=True)
class Attribute:
    """One quasi-identifier as Mondrian sees it: codes from 1 in the order along which it is cut, 0 is missing.

    ``position`` (n_values + 1,) of each code, for widths: the number itself, or its place; missing stands with the
    first value. ``nodes`` (n_levels, n_values + 1) numbers the node of a hierarchy above each code, level by level from
    the values up to one node for all, in the order of the codes; None without a hierarchy.
    """

    position: np.ndarray
    nodes: np.ndarray | None = None

    def width(self, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        """Share of the whole range between two codes (n_parts,), in [0, 1]; above 0 where missing stands beside one."""
        whole = self.position[-1] - self.position[0]
        return (self.position[high] - self.position[low]) / whole if whole > 0 else np.zeros(len(low))

    def values_to_cut(self, codes: np.ndarray, part: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        """What a cut may lie between, in order (n_units,): the codes, or children of the lowest node above them all."""
        if self.nodes is None:
            return codes
        differ = self.nodes[:, low] != self.nodes[:, high]
        level = len(self.nodes) - 1 - differ[::-1].argmax(axis=0)
        return self.nodes[level[part], codes]


@dataclass(frozen=True)
class Demand:
    """What each part has to hold of one sensitive feature: ``is_met`` (n_parts,) of bool, from the parts' counts."""

    table: CountTable  # of the units
    is_met: Callable[[CountTable], np.ndarray]

    def holds(self, part_of_unit: np.ndarray, n_parts: int) -> np.ndarray:
        """Whether each part meets it; ``part_of_unit`` (n_units,), -1 where a unit is in none that is asked about."""
        part = part_of_unit[self.table.class_of_cell]
        asked, values = part >= 0, self.table.values
        value, people = self.table.value_of_cell[asked], self.table.people[asked]
        return self.is_met(CountTable(*count_pairs(part[asked], value, n_parts, len(values), people), values, n_parts))


def partition(
    codes: np.ndarray,
    people: np.ndarray,
    attributes: Sequence[Attribute],
    k: int,
    demands: Sequence[Demand] = (),
    relaxed: bool = False,
) -> np.ndarray:
    """Part of each unit (n_units,), parts numbered by their first units.

    ``codes`` (n_attributes, n_units), ``people`` (n_units,). A part is cut along its widest attribute, as a share of
    the attribute's whole range; where a side would have fewer than ``k`` people or miss a demand, along the next
    widest. Missing values are cut off first. Strict: the cut lies between two values, as near to the median as can be
    (the lower of two such cuts), under a hierarchy between two children of the lowest node above all values of the
    part. Relaxed: half of the people each, in the order of the values and then of the units, whose ``people`` are 1.
    Source: LeFevre, DeWitt and Ramakrishnan 2006, doi:10.1109/ICDE.2006.101.
    """
    parts = _OpenParts(codes, people, attributes, k, demands, relaxed)
    for attribute in range(len(attributes)):
        parts.go_on(parts.cut_off_missing(attribute), close_uncut=False)
    while len(parts.start):
        parts.go_on(parts.cut(), close_uncut=True)
    return number_groups(parts.first_unit, max(len(people), 1))[0]


class _OpenParts:
    """The parts that may still be cut, side by side: ``units`` by part, and where each part starts in them.

    ``codes`` (n_attributes, n_open_units) and ``people`` stand as ``units`` do. ``first_unit`` (n_units,) names the
    part of each unit, open or closed, by the smallest of its units.
    """

    def __init__(
        self,
        codes: np.ndarray,
        people: np.ndarray,
        attributes: Sequence[Attribute],
        k: int,
        demands: Sequence[Demand],
        relaxed: bool,
    ):
        self.attributes, self.k, self.demands, self.relaxed = attributes, k, demands, relaxed
        self.n_units = codes.shape[1]
        self.units, self.codes, self.people = np.arange(self.n_units), codes, people.astype(np.int32)
        self.first_unit = np.zeros(self.n_units, dtype=np.int64)
        self._set_starts(np.zeros(min(self.n_units, 1), dtype=np.int64))

    def _set_starts(self, start: np.ndarray) -> None:
        self.start = start
        self.part = np.repeat(np.arange(len(start)), np.diff(start, append=len(self.units)))

    def cut_off_missing(self, attribute: int) -> np.ndarray:
        """Side of each open unit: missing on the left, the others on the right, -1 in parts that are not cut."""
        is_present = (self.codes[attribute] > 0).astype(np.int8)
        n_present = np.zeros(0, dtype=np.int64)
        if len(self.start):
            n_present = np.add.reduceat(is_present, self.start, dtype=np.int64)
        is_mixed = (n_present > 0) & (n_present < np.diff(self.start, append=len(self.units)))
        return self._allowed(np.where(is_mixed[self.part], is_present, np.int8(-1)))

    def cut(self) -> np.ndarray:
        """Side of each open unit, 0 or 1, along the widest attribute that allows it; -1 in parts that none does."""
        low, high = (end.reduceat(self.codes, self.start, axis=1) for end in (np.minimum, np.maximum))
        width = np.stack([one.width(*ends) for one, *ends in zip(self.attributes, low, high, strict=True)])
        place = np.arange(len(self.start))
        is_uncut = np.add.reduceat(self.people, self.start, dtype=np.int64) >= 2 * self.k
        side = np.full(len(self.units), -1, dtype=np.int8)
        for attribute in np.argsort(-width, axis=0, kind="stable"):
            can = is_uncut & (high[attribute, place] > low[attribute, place])
            units = np.flatnonzero(can[self.part])
            if len(units):
                halve = self._halve_people if self.relaxed else self._cut_between_values
                proposed = np.full(len(self.units), -1, dtype=np.int8)
                proposed[units] = halve(units, attribute, low, high)
                side = np.maximum(side, self._allowed(proposed))
                is_uncut &= side[self.start] < 0
        return side

    def _cut_between_values(
        self, units: np.ndarray, attribute: np.ndarray, low: np.ndarray, high: np.ndarray
    ) -> np.ndarray:
        """Side of each of the units (n,) when its part is cut between two values of its attribute."""
        part = self.part[units]
        value = self._values(units, attribute, low, high)
        least, most = np.full((2, len(self.start)), 0)
        ends = np.flatnonzero(np.diff(part, prepend=-1))
        least[part[ends]], most[part[ends]] = np.minimum.reduceat(value, ends), np.maximum.reduceat(value, ends)
        room = np.where(most > least, most - least + 1, 0)
        offset = np.cumsum(room) - room - least
        cell, n_units = number_groups(offset[part] + value, int(room.sum()))
        people = np.bincount(cell, self.people[units], len(n_units)).astype(np.int64)
        part_of_cell = np.empty(len(n_units), dtype=np.int64)
        part_of_cell[cell] = part
        return cell > _middle_cells(part_of_cell, people, len(self.start))[part]

    def _values(self, units: np.ndarray, attribute: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        value = self.codes[attribute[self.part[units]], units].astype(np.int64)
        for i, one in enumerate(self.attributes):
            if one.nodes is not None:
                mine = np.flatnonzero(attribute[self.part[units]] == i)
                value[mine] = one.values_to_cut(value[mine], self.part[units[mine]], low[i], high[i])
        return value

    def _halve_people(self, units: np.ndarray, attribute: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        """Side of each of the units, one person each: the lower half goes left, ties in the order of the units."""
        part, code = self.part[units], self.codes[attribute[self.part[units]], units].astype(np.int64)
        n_codes = int(code.max()) + 1
        order = np.argsort(part * n_codes + code, kind="stable")
        first = np.flatnonzero(np.diff(part, prepend=-1))
        length = np.diff(first, append=len(part))
        place = np.arange(len(part)) - np.repeat(first, length)
        side = np.empty(len(part), dtype=bool)
        side[order] = place >= np.repeat(length // 2, length)
        return side

    def _allowed(self, proposed: np.ndarray) -> np.ndarray:
        """The proposed sides, -1 in parts of which a side has fewer than k people or misses a demand."""
        cut = np.flatnonzero(proposed[self.start] >= 0)
        number = np.full(len(self.start), -1)
        number[cut] = np.arange(len(cut))
        asked = np.flatnonzero(proposed >= 0)
        half = 2 * number[self.part[asked]] + proposed[asked]
        is_good = np.bincount(half, self.people[asked], 2 * len(cut)) >= self.k
        for demand in self.demands:
            if not is_good.any():
                break
            # Halves whose other half has failed already need not be asked about.
            both = np.repeat(is_good.reshape(-1, 2).all(axis=1), 2)
            half_of_unit = np.full(self.n_units, -1)
            half_of_unit[self.units[asked]] = np.where(both[half], half, -1)
            is_good = both & demand.holds(half_of_unit, 2 * len(cut))
        allowed = np.zeros(len(self.start), dtype=bool)
        allowed[cut] = is_good.reshape(-1, 2).all(axis=1)
        return np.where(allowed[self.part], proposed, np.int8(-1))

    def go_on(self, side: np.ndarray, close_uncut: bool) -> None:
        """Put the left halves of the parts that are cut before the right ones; the uncut are closed, or stay open."""
        if close_uncut:
            self._name_parts()
        kept = np.flatnonzero(side >= 0) if close_uncut else np.arange(len(side))
        part, right = self.part[kept], side[kept] > 0
        # Where each unit goes: left units to the front of their part and right ones behind, both in their order.
        first = np.flatnonzero(np.diff(part, prepend=-1))
        length = np.diff(first, append=len(part))
        n_right_before: np.ndarray = np.cumsum(right)
        n_right_before -= right
        of_first = n_right_before[first]
        n_left = length - np.diff(of_first, append=np.count_nonzero(right))
        place = np.arange(len(part)) - n_right_before
        place += np.repeat(of_first, length)  # where it goes if it is a left one
        n_right_before += np.repeat(first + n_left - of_first, length)  # and if it is a right one
        np.copyto(place, n_right_before, where=right)
        order = np.empty(len(kept), dtype=np.int64)
        order[place] = kept
        starts_of_right = (first + n_left)[n_left < length]
        self.units, self.codes, self.people = self.units[order], self.codes.take(order, axis=1), self.people[order]
        self._set_starts(np.unique(np.concatenate([first, starts_of_right])))

    def _name_parts(self) -> None:
        if len(self.start):
            self.first_unit[self.units] = np.minimum.reduceat(self.units, self.start)[self.part]


def _middle_cells(part_of_cell: np.ndarray, people: np.ndarray, n_parts: int) -> np.ndarray:
    """The cell of each part (n_parts,) after which the people on both sides differ least, the first of such cells."""
    first = np.flatnonzero(np.diff(part_of_cell, prepend=-1))
    length = np.diff(first, append=len(part_of_cell))
    so_far = np.cumsum(people)
    so_far = so_far - np.repeat(so_far[first] - people[first], length)
    total = np.repeat(np.add.reduceat(people, first), length)
    difference = np.abs(2 * so_far - total)
    difference[np.append(first[1:], len(part_of_cell)) - 1] = np.iinfo(np.int64).max  # nobody would be on the right
    is_least = np.flatnonzero(difference == np.repeat(np.minimum.reduceat(difference, first), length))
    least = is_least[np.diff(part_of_cell[is_least], prepend=-1) != 0]
    middle = np.zeros(n_parts, dtype=np.int64)
    middle[part_of_cell[least]] = least
    return middle
