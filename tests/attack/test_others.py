"""A hidden value by the other people of a level: a slow referee, neighbours, and luck."""

from __future__ import annotations

from dataclasses import replace
from statistics import median

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disclosure_control.attack.answerers.others import HiddenOfPeople, log_arrangements
from tests.examples import examples

PEOPLE = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 3)), min_size=1, max_size=14)
ANY_LUCK = 0.0


def hidden(value: np.ndarray, tolerance: float | None = None, chance: float = 0.01) -> HiddenOfPeople:
    everybody = np.arange(len(value))
    return HiddenOfPeople(everybody, value, tolerance, everybody >= 0, np.full(len(value), chance))


@examples(200)
@given(people=PEOPLE, tolerance=st.none() | st.sampled_from([0.0, 1.0]))
def test_levels_as_a_slow_referee_tells_them(people, tolerance):
    level, value = np.array(people).T
    found = hidden(value if tolerance is None else value.astype(float), tolerance).told_by(level, ANY_LUCK)
    told = set()
    for i, (one, own) in enumerate(people):
        others = [number for j, (other, number) in enumerate(people) if j != i and other == one]
        if others and tolerance is None and 2 * others.count(own) > len(others):
            told.add(i)
        elif others and tolerance is not None:
            told |= {i} if abs(median(others) - own) <= tolerance else set()
    for guessed in (lambda one: True, lambda one: one > 0):
        asked = {i for i, (one, _) in enumerate(people) if guessed(one) and sum(x == one for x, _ in people) > 1}
        if len(asked) >= 5 and len(asked & told) >= 0.95 * len(asked):
            assert set(np.flatnonzero(found)) == asked & told
            return
    assert not found.any()


def test_a_level_of_two_or_three_and_whoever_is_alone_in_one():
    generator = np.random.default_rng(5)
    region, noise = np.repeat(np.arange(10), 30), generator.permutation(300)
    code = np.repeat(np.arange(120), [2, 3] * 60) + 1
    assert hidden(code // 12, chance=0.1).told_by(code, -20).sum() == 300 - sum(
        np.unique(code // 12 * 1000 + code, return_counts=True)[1] == 1
    )
    postal = np.arange(300) * 7 + 1
    assert hidden(region, chance=0.1).told_by(postal, -20, is_ordered=True).sum() >= 270
    assert not hidden(region, chance=0.1).told_by(postal, -20).any(), "an order that says nothing is not looked at"
    assert not hidden(noise // 30, chance=0.1).told_by(postal, -20, is_ordered=True).any()


@pytest.mark.parametrize("tolerance", [None, 1.0])
def test_luck_discloses_nothing(tolerance):
    """Three hundred searches of levels of a few people each, by the bound that is used for a hundred columns."""
    generator = np.random.default_rng(7)
    n_found = 0
    for _ in range(300):
        value = generator.integers(0, 2, 40) if tolerance is None else generator.normal(0, 4, 40)
        level = generator.integers(0, 12, 40)
        found = hidden(value, tolerance, 0.6).told_by(level, np.log(0.01 / 100), is_ordered=True)
        n_found += bool(found.any())
    assert n_found <= 1


def test_a_few_of_the_commonest_label_are_no_copy():
    """A test that 22 of 300 people had, all of one label of which nine in ten are: that is what chance gives."""
    label = (np.arange(300) < 30).astype(np.int64)
    level = (np.arange(300) >= 278).astype(np.int64)
    one = hidden(label, chance=0.9)
    ways = log_arrangements(label, np.zeros(300, dtype=np.int64))
    assert not replace(one, log_arrangements=ways).told_by(level, -8.0).any()
    assert replace(one, log_arrangements=ways).told_by(label + 1, -8.0).all()


def test_arrangements_are_counted_as_by_hand():
    """Of six people with one released value, two of each of three labels, 90; two groups of released values, 3 x 3."""
    label = np.array([0, 0, 1, 1, 2, 2])
    assert np.isclose(log_arrangements(label, np.zeros(6, dtype=np.int64)), np.log(90))
    assert np.isclose(log_arrangements(label, np.array([0, 0, 0, 1, 1, 1])), np.log(9))
    assert log_arrangements(label[:0], label[:0]) == 0
