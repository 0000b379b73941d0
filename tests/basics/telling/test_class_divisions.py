"""What numbers of people at several sizes disclose together, against every way to divide the people into classes."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from disclosure_control.basics.telling.class_divisions import LARGEST_SIZE, NO_END, Stretch, many_divisions, stretches
from disclosure_control.basics.telling.small_counts import ForOthers
from tests.cases import each


def divisions(sizes: Sequence[int], people: int) -> Iterator[tuple[int, ...]]:
    """How many people are in classes of each size, in every way."""
    if not sizes:
        yield from [()] if people == 0 else []
        return
    for here in range(0, people + 1, sizes[0]):
        yield from ((here, *others) for others in divisions(sizes[1:], people - here))


def is_narrow(stretch: Stretch, threshold: int) -> bool:
    """The slow way."""
    sizes = range(stretch.first, stretch.last + 1)
    ends = (stretch.has_first, stretch.has_last)
    if len(sizes) < 2 or stretch.people <= 0:
        return False
    every = [one for one in divisions(sizes, stretch.people) if one[0] >= ends[0] and one[-1] >= ends[1]]
    if not every:
        bare = Stretch(stretch.first, stretch.last, stretch.people, False, False)
        return any(ends) and is_narrow(bare, threshold)
    known = []
    for place, size in enumerate(sizes):
        below, here = {sum(one[:place]) for one in every}, {one[place] for one in every}
        is_told = (below == {0} and not ends[0]) or (below == {stretch.people} and not ends[1])
        known += [below] if place and not is_told else []
        known += [here] if size < threshold and 0 not in here else []
    return any(max(one) - min(one) < threshold - 2 for one in known)


def test_stretches_are_narrow_where_every_division_says_so():
    wrong = []
    for first, more, people, has_first, has_last, threshold in itertools.product(
        (1, 2, 3, 6), range(4), (0, 1, 2, 5, 7, 9, 12), (False, True), (False, True), (4, 6)
    ):
        stretch = Stretch(first, first + more, people, has_first, has_last)
        if stretch.is_narrow(ForOthers(threshold)) != is_narrow(stretch, threshold):
            wrong.append((stretch, threshold))
    assert not wrong


def test_between_two_reported_numbers_nothing_is_known():
    assert [*stretches({5: 10, 3: 4}, 10)] == [
        Stretch(1, 2, 4, False, True), Stretch(3, 4, 6, True, False), Stretch(5, NO_END - 1, 0, True, False)
    ]  # fmt: skip


@each(
    "told, evaluated, kept, left",
    [
        ({3: 20, 5: 30}, 100, (), {3: 20}),  # ten people in classes of three and four are two of three and one of four
        ({3: 20, 5: 30}, 100, (5,), {5: 30}),
        ({3: 20, 5: 90}, 200, (), {3: 20, 5: 90}),
        ({2: 20, 3: 40}, 100, (), {2: 20, 3: 40}),  # one size alone: nothing between is masked
        ({11: 50}, 62, (), {11: 50}),  # a class of twelve, which is not small
        ({11: 50}, 160, (), {11: 50}),
        ({LARGEST_SIZE + 1: 150}, 300, (), {}),  # a class of a hundred is there, and so fifty are in others
        ({LARGEST_SIZE + 1: 250_001}, 250_200, (), {LARGEST_SIZE + 1: 250_001}),
        ({}, 5, (), {}),
    ],
)
def test_numbers_that_leave_many_divisions(told, evaluated, kept, left):
    assert many_divisions(told, evaluated, ForOthers(10), kept) == left
