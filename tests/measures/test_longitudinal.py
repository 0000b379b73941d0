"""Who is alone by a few facts of a course: a slow referee, cases by hand, bounds on the work."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disclosure_control.measures import longitudinal
from disclosure_control.measures.longitudinal import alone_by_facts
from tests.examples import examples

SIZES = (0, 1, 2, 3)


def entries_of(facts: list[set[int]]) -> tuple[np.ndarray, np.ndarray]:
    pairs = [(person, fact) for person, own in enumerate(facts) for fact in sorted(own)]
    return tuple(np.array([pair[i] for pair in pairs], dtype=np.int64) for i in (0, 1))


def alone_of(classes, facts, **more):
    return alone_by_facts(np.array(classes, dtype=np.int64), *entries_of(facts), **more)


def holders(classes: list[int], facts: list[set[int]], person: int, known: tuple[int, ...]) -> int:
    """People of the person's class who have all that is known, by looking at everybody."""
    return sum(classes[i] == classes[person] and set(known) <= facts[i] for i in range(len(facts)))


def referee_alone(classes, facts, size, fewer_than) -> list[bool]:
    return [
        any(
            holders(classes, facts, person, known) < fewer_than
            for n in range(size + 1)
            for known in itertools.combinations(facts[person], n)
        )
        for person in range(len(facts))
    ]


@st.composite
def courses(draw) -> tuple[list[int], list[set[int]]]:
    """The class and the facts of each person."""
    n = draw(st.integers(1, 12))
    classes = draw(st.lists(st.integers(0, draw(st.integers(0, 3))), min_size=n, max_size=n))
    facts = draw(st.lists(st.sets(st.integers(0, 7), max_size=6), min_size=n, max_size=n))
    return classes, facts


@examples(150)
@given(course=courses(), fewer_than=st.integers(2, 4))
def test_who_is_alone_as_the_slow_referee_says(course, fewer_than):
    classes, facts = course
    found = alone_of(classes, facts, fewer_than=fewer_than)
    assert [one.size for one in found] == list(SIZES)
    for one in found:
        assert one.is_alone.tolist() == referee_alone(classes, facts, one.size, fewer_than), one.size
        assert one.is_complete


def test_by_hand():
    """Two who had a stroke, one of them with insulin; a third has insulin alone, a fourth is in another class."""
    classes, facts = [0, 0, 0, 1], [{0, 1}, {0}, {1}, {0, 1}]
    found = alone_of(classes, facts)
    assert [one.is_alone.tolist() for one in found] == [
        [False, False, False, True],  # alone by the quasi-identifiers
        [False, False, False, True],  # each fact is that of two of the class
        [True, False, False, True],  # stroke and insulin together
        [True, False, False, True],
    ]


def test_an_entry_said_twice_counts_once_and_nobody_is_no_risk():
    classes = np.zeros(2, dtype=np.int64)
    people, facts = np.array([0, 0, 1]), np.array([4, 4, 4])
    assert [one.n_alone for one in alone_by_facts(classes, people, facts)] == [0, 0, 0, 0]
    nothing = np.zeros(0, dtype=np.int64)
    assert [one.n_alone for one in alone_by_facts(nothing, nothing, nothing)] == [0, 0, 0, 0]
    assert [one.n_alone for one in alone_by_facts(classes, nothing, nothing)] == [0, 0, 0, 0]


def test_bounded_work_finds_those_who_are_alone_by_rare_facts_and_says_that_it_is_not_all():
    """Facts 0 to 2 are rare in pairs, 3 to 9 are everybody's but for one pair that one person alone has."""
    generator = np.random.default_rng(3)
    facts = [set(np.flatnonzero(generator.random(12) < 0.5).tolist()) for _ in range(60)]
    classes = [0] * 60
    whole, part = alone_of(classes, facts), alone_of(classes, facts, most_work=2_000)
    assert [one.is_complete for one in part] == [True, True, True, False]
    assert (~part[3].is_alone | whole[3].is_alone).all(), "nobody is said to be alone who is not"
    assert part[2].n_alone <= part[3].n_alone <= whole[3].n_alone
    assert whole[3].is_alone.tolist() == referee_alone(classes, facts, 3, 2)


@examples(30)
@given(course=courses(), most_at_once=st.integers(4, 40))
def test_parts_of_the_work_are_counted_as_the_whole(course, most_at_once):
    """Where the memory holds little, sets are counted in parts; an item that does not fit is said to be left out."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(longitudinal, "MOST_AT_ONCE", most_at_once)
        found = alone_of(*course)
    whole = alone_of(*course)
    for one, same in zip(found, whole, strict=True):
        assert (~one.is_alone | same.is_alone).all()
        if one.is_complete:
            assert one.is_alone.tolist() == same.is_alone.tolist()
