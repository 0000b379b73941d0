"""What two releases tell together: a slow referee that asks everybody about everybody, and cases by hand."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from disclosure_control.measures.two_releases import TwoReleases, compare_releases
from tests.examples import examples

Person = tuple[int | None, int | None, int, int]  # class now, class earlier (None: not in it), value now, value earlier


def compared(people: list[Person], k: int = 3) -> TwoReleases:
    here = [one for one in people if one[0] is not None]
    there = [one for one in people if one[1] is not None]
    position = {id(one): i for i, one in enumerate(there)}
    place = [position.get(id(one), -1) for one in here]
    values = (np.array([one[2] for one in here], dtype=int), np.array([one[3] for one in there], dtype=int))
    now, earlier = (np.array([one[i] for one in part], dtype=int) for i, part in ((0, here), (1, there)))
    return compare_releases(now, earlier, np.array(place, dtype=int), {"value": values}, k)


def referee(people: list[Person], k: int) -> TwoReleases:
    alone = few = follow = 0
    for one in people:
        part = [other for other in people if other[:2] == one[:2]]
        classes = [[other for other in people if other[i] == one[i]] for i in (0, 1) if one[i] is not None]
        alone += len(part) == 1 and all(len(members) > 1 for members in classes)
        few += len(part) < k and all(len(members) >= k for members in classes)
        which = 2 if one[0] is not None else 3
        certain = len({other[which] for other in part}) == 1 and one[which] >= 0
        known = False
        for i, column in ((0, 2), (1, 3)):
            if one[i] is not None:
                told = {other[column] for other in people if other[i] == one[i]}
                known |= len(told) == 1 and min(told) >= 0
        follow += certain and not known
    both = sum(one[0] is not None and one[1] is not None for one in people)
    only_now = sum(one[1] is None for one in people)
    return TwoReleases(both, only_now, len(people) - both - only_now, alone, few, {"value": follow})


@st.composite
def pilots(draw) -> list[Person]:
    """People of up to three classes in each release; who is in neither is nobody."""
    a_class = st.none() | st.integers(0, 2)
    person = st.tuples(a_class, a_class, st.integers(-1, 1), st.integers(-1, 1))
    drawn = draw(st.lists(person.filter(lambda one: one[:2] != (None, None)), max_size=15))
    return [tuple(one) for one in map(list, drawn)]  # each an object of its own


@examples(300)
@given(people=pilots(), k=st.integers(2, 4))
def test_as_the_slow_referee_counts(people, k):
    assert compared(people, k) == referee(people, k)


def test_other_bins_cut_a_class_into_parts():
    """Two classes of four in each release; together there are eight parts of one."""
    people = [(i // 4, i % 4 + 10 * 0, 0, 0) for i in range(8)]
    found = compared(people, k=2)
    assert found.alone == 8
    assert found.fewer_than_k == 8


def test_the_same_release_twice_tells_nothing_new():
    people = [(i // 3, i // 3, i, i) for i in range(9)]
    assert compared(people) == TwoReleases(9, 0, 0, 0, 0, {"value": 0})


def test_who_joined_since_is_found_by_the_difference():
    """Five of a class were there before, one joined: the difference of the counts is that person's value."""
    people = [(0, 0, i % 2, i % 2) for i in range(5)] + [(0, None, 1, -1)]
    found = compared(people)
    assert (found.alone, found.values_follow) == (1, {"value": 1})


def test_who_left_is_found_by_the_difference():
    people = [(0, 0, i % 2, i % 2) for i in range(5)] + [(None, 0, -1, 1)]
    found = compared(people)
    assert (found.only_earlier, found.alone, found.values_follow) == (1, 1, {"value": 1})
