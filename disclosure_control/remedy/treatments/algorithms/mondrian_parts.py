"""The partition of Mondrian: people are cut in two along one attribute again and again, all parts of a level at once.

Units are equivalence classes, which are never divided. They are sorted by part, so that a level takes a few passes over
them, whatever the number of parts. A part with too few people to be cut is closed as soon as it is made.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from Anonymization_Models import CountTable
from disclosure_control.basics.encoding.keys import count_pairs, number_groups

# All cells between the ends of the parts are counted if at most this many per unit; else only those that occur.
MOST_CELLS_PER_UNIT = 2


@dataclass(frozen=True)
class Attribute:
    """One quasi-identifier for Mondrian: codes from 1 in the order along which it is cut, 0 is missing.

    ``position`` (n_values + 1,) of each code, for widths: the number itself, or its rank; missing has the position of
    the first value. ``nodes`` (n_levels, n_values + 1) numbers the node of a hierarchy above each code, level by level
    from the values up to one node for all, in the order of the codes; None without a hierarchy.
    """

    position: np.ndarray
    nodes: np.ndarray | None = None

    def width(self, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        """Share of the whole range between two codes (n_parts,), in [0, 1]; above 0 if only one is missing."""
        whole = self.position[-1] - self.position[0]
        return (self.position[high] - self.position[low]) / whole if whole > 0 else np.zeros(len(low))

    def values_to_cut(self, codes: np.ndarray, part: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        """What a cut may lie between, in order (n_units,): the codes, or children of the lowest node above them all.

        ``part`` (n_units,) is the place of each code's part in ``low`` and ``high`` (n_parts,), the ends of the parts.
        """
        if self.nodes is None:
            return codes
        differ = self.nodes[:, low] != self.nodes[:, high]
        level = len(self.nodes) - 1 - differ[::-1].argmax(axis=0)
        return self.nodes[level[part], codes]


@dataclass(frozen=True)
class Demand:
    """What each part needs of one sensitive feature: ``is_met`` (n_parts,) of bool, from the parts' counts."""

    table: CountTable  # of the units
    is_met: Callable[[CountTable], np.ndarray]

    def holds(self, part_of_unit: np.ndarray, n_parts: int) -> np.ndarray:
        """Whether each part meets it; ``part_of_unit`` (n_units,), -1 where a unit is in none that is asked about."""
        part = part_of_unit[self.table.class_of_cell]
        asked, values = part >= 0, self.table.values
        value, people = self.table.value_of_cell[asked], self.table.people[asked]
        return self.is_met(CountTable(*count_pairs(part[asked], value, n_parts, len(values), people), values, n_parts))


@dataclass(frozen=True)
class MondrianParts:
    """Units that share a label: ``units`` (n_units,) sorted by part, and each part's ``length``, in the order of
    closing.
    """

    units: np.ndarray
    length: np.ndarray

    @property
    def start(self) -> np.ndarray:
        """Where each part (n_parts,) starts in the units."""
        return np.cumsum(self.length) - self.length

    @property
    def part_of_unit(self) -> np.ndarray:
        """The number of the part of each unit (n_units,)."""
        part = np.empty(len(self.units), dtype=np.int32)
        part[self.units] = np.repeat(np.arange(len(self.length), dtype=np.int32), self.length)
        return part


def partition(
    codes: np.ndarray,
    people: np.ndarray,
    attributes: Sequence[Attribute],
    k: int,
    demands: Sequence[Demand] = (),
) -> MondrianParts:
    """The parts of the units with these ``codes`` (n_attributes, n_units) and ``people`` (n_units,).

    A part is cut along its widest attribute, as a share of the attribute's whole range; if a side would have fewer than
    ``k`` people or miss a demand, along the next widest. Missing values are cut off first. The cut is between two
    values, as near to the median as possible (the lower of two such cuts); under a hierarchy, between two children of
    the lowest node above all values of the part. Source: LeFevre, DeWitt and Ramakrishnan 2006,
    doi:10.1109/ICDE.2006.101.
    """
    parts = _OpenParts(codes, people, attributes, k, demands)
    for attribute in range(len(attributes)):
        parts.go_on(parts.cut_off_missing(attribute), close_uncut=False)
    while len(parts.length):
        parts.go_on(parts.cut(), close_uncut=True)
    return parts.closed()


@dataclass(frozen=True)
class _Cut:
    """Which open parts are cut (n_parts,), the people left of the cuts (n_parts,), and which units are right of them.

    ``right`` (n_units,) of bool is False for the units of parts that are not cut.
    """

    is_cut: np.ndarray
    n_left: np.ndarray
    right: np.ndarray


class _OpenParts:
    """The parts that may still be cut, of at least two times k people each, and those that are closed.

    ``units`` of the open ones by part, with their ``codes`` (n_attributes, n_open_units) and ``people`` in that order;
    ``length`` (n_parts,) in units and ``n_people`` (n_parts,). People are floats, which are summed fastest.
    """

    def __init__(
        self,
        codes: np.ndarray,
        people: np.ndarray,
        attributes: Sequence[Attribute],
        k: int,
        demands: Sequence[Demand],
    ):
        self.attributes, self.k, self.demands = attributes, k, demands
        self.n_units = codes.shape[1]
        self.units, self.codes = np.arange(self.n_units, dtype=np.int32), np.ascontiguousarray(codes)
        self.people, self.length = people.astype(float), np.full(min(self.n_units, 1), self.n_units)
        self.n_people = np.full(len(self.length), people.sum(), dtype=float)
        self.closed_units, self.closed_lengths = [self.units[:0]], [self.length[:0]]
        nobody = _Cut(np.zeros(len(self.length), dtype=bool), self.n_people, np.zeros(self.n_units, dtype=bool))
        self.go_on(nobody, close_uncut=bool((self.n_people < 2 * k).all()))

    def closed(self) -> MondrianParts:
        """All parts, once none is open."""
        return MondrianParts(np.concatenate(self.closed_units), np.concatenate(self.closed_lengths))

    @property
    def start(self) -> np.ndarray:
        """Where each part (n_parts,) starts in the open units."""
        return np.cumsum(self.length) - self.length

    def cut_off_missing(self, attribute: int) -> _Cut:
        """The missing are left of the cut, the others right of it, where both are there and may be parts."""
        is_present = self.codes[attribute] > 0
        if not len(self.length) or is_present.all():
            return _Cut(np.zeros(len(self.length), dtype=bool), self.n_people, np.zeros(len(self.units), dtype=bool))
        n_left = np.add.reduceat(self.people * ~is_present, self.start)
        is_cut = self._allowed(np.arange(len(self.length)), slice(None), n_left, is_present)
        return _Cut(is_cut, n_left, is_present & np.repeat(is_cut, self.length))

    def cut(self) -> _Cut:
        """Every part along the widest attribute that allows it, if one does."""
        low, high = (end.reduceat(self.codes, self.start, axis=1) for end in (np.minimum, np.maximum))
        width = np.stack([one.width(*ends) for one, *ends in zip(self.attributes, low, high, strict=True)])
        place = np.arange(len(self.length))
        is_cut, n_left = np.zeros(len(place), dtype=bool), np.zeros(len(place))
        right = np.zeros(len(self.units), dtype=bool)
        for attribute in np.argsort(-width, axis=0, kind="stable"):
            can = ~is_cut & (high[attribute, place] > low[attribute, place])
            tried = np.flatnonzero(can)
            if not len(tried):
                continue
            units = np.flatnonzero(np.repeat(can, self.length)) if len(tried) < len(can) else slice(None)
            on_left, on_right = self._cut_between_values(tried, units, attribute[tried], low[:, tried], high[:, tried])
            allowed = self._allowed(tried, units, on_left, on_right)
            on_right &= np.repeat(allowed, self.length[tried])
            right[units] = on_right
            is_cut[tried], n_left[tried] = allowed, on_left
        return _Cut(is_cut, n_left, right)

    def _cut_between_values(
        self, tried: np.ndarray, units: np.ndarray | slice, attribute: np.ndarray, low: np.ndarray, high: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """The people left of a cut between two values of each part that is tried, and which units are right of it."""
        length, n_people = self.length[tried], self.n_people[tried]
        value, least, most = self._values(length, units, attribute, low, high)
        room = most - least + 1
        first = np.cumsum(room) - room
        value += np.repeat(first - least, length)  # now the cell: one for each value between the ends of a part
        n_cells = int(room.sum())
        if n_cells > MOST_CELLS_PER_UNIT * len(value):
            value, size = number_groups(value, n_cells)
            first, n_cells = np.minimum.reduceat(value, np.cumsum(length) - length), len(size)
        running = np.cumsum(np.bincount(value, self.people[units], n_cells))
        before = np.cumsum(n_people) - n_people
        middle = _middle_cells(running, first, before + n_people / 2)
        return running[middle] - before, value > np.repeat(middle, length)

    def _values(
        self, length: np.ndarray, units: np.ndarray | slice, attribute: np.ndarray, low: np.ndarray, high: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What a cut may lie between, of each unit (n,), and the least and the most of it in each part."""
        value = np.repeat(attribute * len(self.units), length)
        value += np.arange(len(self.units))[units]
        value = self.codes.ravel().take(value).astype(np.int64)
        place = np.arange(len(length))
        least, most = (end[attribute, place].astype(np.int64) for end in (low, high))
        for i, one in enumerate(self.attributes):
            mine = attribute == i
            if one.nodes is None or not mine.any():
                continue
            of_mine, ends = np.repeat(mine, length), (low[i, mine], high[i, mine])
            own = np.arange(np.count_nonzero(mine))
            value[of_mine] = one.values_to_cut(value[of_mine], np.repeat(own, length[mine]), *ends)
            least[mine], most[mine] = (one.values_to_cut(end, own, *ends) for end in ends)
        return value, least, most

    def _allowed(
        self, tried: np.ndarray, units: np.ndarray | slice, n_left: np.ndarray, right: np.ndarray
    ) -> np.ndarray:
        """Which of the parts (n_tried,) may be cut so: both sides have at least k people and meet every demand."""
        is_good = (n_left >= self.k) & (self.n_people[tried] - n_left >= self.k)
        if not self.demands or not is_good.any():
            return is_good
        half = 2 * np.repeat(np.arange(len(tried)), self.length[tried]) + right
        for demand in self.demands:
            # Halves whose other half has failed already need not be asked about.
            half_of_unit = np.full(self.n_units, -1)
            half_of_unit[self.units[units]] = np.where(is_good[half // 2], half, -1)
            is_good = is_good & demand.holds(half_of_unit, 2 * len(tried)).reshape(-1, 2).all(axis=1)
            if not is_good.any():
                break
        return is_good

    def go_on(self, cut: _Cut, close_uncut: bool) -> None:
        """Put all left halves before all right ones; close halves that cannot be cut again, and the uncut if asked.

        A part that is not cut is a left half of all its units.
        """
        if not (cut.is_cut.any() or (close_uncut and len(self.length))):
            return
        length_right = np.add.reduceat(cut.right.view(np.int8), self.start, dtype=np.int64)
        n_left = np.where(cut.is_cut, cut.n_left, self.n_people)
        left_stays = np.where(cut.is_cut, n_left >= 2 * self.k, not close_uncut)
        right_stays = cut.is_cut & (self.n_people - n_left >= 2 * self.k)
        halves = (
            (~cut.right, self.length - length_right, n_left, left_stays, np.ones(len(n_left), dtype=bool)),
            (cut.right, length_right, self.n_people - n_left, right_stays, cut.is_cut),
        )
        stay, closed = [], []
        for is_in, length, n_people, stays, is_there in halves:
            ends = is_there & ~stays
            if not ends.any():
                stay.append((np.flatnonzero(is_in), length[stays], n_people[stays]))
                continue
            unit_stays = np.repeat(stays, self.length)
            stay.append((np.flatnonzero(is_in & unit_stays), length[stays], n_people[stays]))
            closed.append((np.flatnonzero(is_in & ~unit_stays), length[ends]))
        for units, length in closed:
            self.closed_units.append(self.units[units])
            self.closed_lengths.append(length)
        order, self.length, self.n_people = (np.concatenate(both) for both in zip(*stay, strict=True))
        self.units, self.people, self.codes = self.units[order], self.people[order], self.codes.take(order, axis=1)


def _middle_cells(running: np.ndarray, first: np.ndarray, half: np.ndarray) -> np.ndarray:
    """The cell of each part (n_parts,) after which the people on both sides differ least, the lower of two such cells.

    ``running`` (n_cells,) sums the people of the cells, of which each part has those from its ``first`` on; ``half``
    (n_parts,) is where half of the part's people are reached. It is never the last cell: nobody would be on the right.
    """
    last = np.append(first[1:], len(running)) - 1
    above = np.clip(np.searchsorted(running, half), first, last - 1)
    below = np.maximum(above - 1, first)
    return np.where(half - running[below] <= np.abs(running[above] - half), below, above)
