"""What numbers of people in classes below each size disclose together: classes of s people have a multiple of s people.

Ten people between the numbers at k < 3 and k < 5 are two classes of three and one of four, and nothing else. So if some
numbers are published and those between are masked, the rest must be divisible in many ways.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from disclosure_control.basics.telling.small_counts import Policy

# Larger classes hold any number of people above it, as far as is asked here; and more people than these can be divided
# among any sizes up to it in many ways.
LARGEST_SIZE = 100
MOST_PEOPLE = 250_000
NO_END = 10**9


@dataclass(frozen=True)
class Stretch:
    """``people`` in classes of ``first`` to ``last`` people, known from two reported numbers with none in between.

    ``has_first``, ``has_last``: there is a class of that size. Otherwise the masked number beside it would equal the
    reported one, and be disclosed.
    """

    first: int
    last: int
    people: int
    has_first: bool
    has_last: bool

    def is_narrow(self, small_counts: Policy) -> bool:
        """Whether a masked number, or the people in the classes of one size, are known closer than is promised.

        Both have to stay uncertain by ``threshold - 2``, unless there may be no class of that size.
        """
        if self.last <= self.first or not 0 < self.people <= MOST_PEOPLE:
            return False
        possible = list(self._possible(small_counts.threshold))
        if not all(possible):  # a number was masked that is the one beside: it is not known that there is such a class
            is_sure = self.has_first or self.has_last  # else these are no classes, as where missing matches anything
            return is_sure and replace(self, has_first=False, has_last=False).is_narrow(small_counts)
        return any(_width(numbers) < small_counts.threshold - 2 for numbers in possible)

    def _possible(self, threshold: int) -> Iterator[int]:
        """How many more each masked number can flag than the reported one, and how many can be in a certain small size.

        Sets of numbers of people, as bits; those in the certain classes are not counted.
        """
        sizes = [*range(self.first, min(self.last, LARGEST_SIZE) + 1)]
        if self.last > LARGEST_SIZE:
            sizes.append(LARGEST_SIZE + 1)  # represents all from there on
        there = self._sizes_that_are_there()
        free = self.people - sum(there)
        if free < 0:
            yield 0
            return
        below, rest = 1, [1 << free]
        for size in reversed(sizes):
            rest.append(_taken_off(rest[-1], size))
        for number, size in enumerate(sizes):
            possible = below & rest[len(sizes) - number]
            is_told = (possible == 1 and self.first not in there) or (possible == 1 << free and self.last not in there)
            if number and not is_told:
                yield possible
            below = _added(below, size, free)
            if size < threshold:
                beside = 1 << free
                for other in sizes:
                    beside = beside if other == size else _taken_off(beside, other)
                possible = _added(1, size, free) & beside
                if size in there or not possible & 1:
                    yield possible

    def _sizes_that_are_there(self) -> list[int]:
        ends = [(self.first, self.has_first), (self.last, self.has_last)]
        return [size for size, is_there in ends if is_there and size <= LARGEST_SIZE]


def _added(numbers: int, size: int, most: int) -> int:
    """The numbers up to ``most`` that these become with any number of classes of a size."""
    if size > LARGEST_SIZE:
        numbers |= -1 << size
    step = size
    while step <= most and size <= LARGEST_SIZE:
        numbers |= numbers << step
        step *= 2
    return numbers & ((1 << (most + 1)) - 1)


def _taken_off(numbers: int, size: int) -> int:
    """The numbers, the largest among them, that remain without any number of classes of a size."""
    most = numbers.bit_length() - 1
    if size > LARGEST_SIZE:
        return numbers | ((1 << max(most - size + 1, 0)) - 1)
    step = size
    while step <= most:
        numbers |= numbers >> step
        step *= 2
    return numbers


def _width(numbers: int) -> int:
    return numbers.bit_length() - (numbers & -numbers).bit_length()


def stretches(told: Mapping[int, int], evaluated: int) -> Iterator[Stretch]:
    """Between each two successive numbers: ``told`` are people in classes below a size.

    Nobody is below 1, and all who are ``evaluated`` are below some size.
    """
    numbers = [(1, 0), *sorted(told.items()), (NO_END, evaluated)]
    for (first, before), (beyond, up_to) in itertools.pairwise(numbers):
        # It is masked as well that nobody, or everybody, is below a size.
        yield Stretch(first, beyond - 1, up_to - before, before > 0, up_to < evaluated)


def many_divisions(
    told: Mapping[int, int], evaluated: int, small_counts: Policy, kept: Collection[int] = ()
) -> dict[int, int]:
    """As many of the ``told`` numbers as leave every division into classes open; those of ``kept`` are removed last."""
    told = dict(told)
    while narrow := next((one for one in stretches(told, evaluated) if one.is_narrow(small_counts)), None):
        ends = [size for size in (narrow.last + 1, narrow.first) if size in told]
        if not ends:
            break  # nothing but how many are evaluated
        del told[min(ends, key=lambda size: size in kept)]
    return told
