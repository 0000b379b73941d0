"""What columns tell of one that was taken out: a slow referee, by hand, luck, and the examples of an attacker."""

from __future__ import annotations

from collections import Counter
from statistics import median

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disclosure_control.attack.answerers.one_column import (
    log_arrangements,
    sure_levels,
    told_labels,
    told_numbers,
)
from disclosure_control.basics.encoding.columns import encode_column
from tests.examples import examples

PEOPLE = st.lists(st.tuples(st.none() | st.integers(0, 6), st.integers(0, 3)), min_size=1, max_size=14)


def arrays(people):
    teller = encode_column(pd.Series([None if level is None else float(level) for level, _ in people], dtype=float))
    return teller, np.array([label for _, label in people])


def beside(people, i):
    """The values before and after a person's in the teller's order, each with the hidden values of its people."""
    levels = sorted({level for level, _ in people if level is not None})
    place = levels.index(people[i][0])
    near = [levels[j] for j in (place - 1, place + 1) if 0 <= j < len(levels)]
    return [[label for level, label in people if level == one] for one in near]


def mode(labels):
    (best, n), *rest = Counter(labels).most_common()
    return None if rest and rest[0][1] == n else best


@examples(200)
@given(people=PEOPLE)
def test_labels_as_the_slow_referee_tells_them(people):
    found = told_labels(*arrays(people))
    for i, (level, label) in enumerate(people):
        others = [h for j, (other, h) in enumerate(people) if j != i and other == level]
        if others:
            expected = mode(others) == label
        elif level is None:
            expected = False
        else:
            modes = {mode(labels) for labels in beside(people, i)}
            expected = modes == {label}
        assert found[i] == expected


@examples(200)
@given(people=PEOPLE)
def test_numbers_as_the_slow_referee_tells_them(people):
    teller, hidden = arrays(people)
    found = told_numbers(teller, hidden.astype(float))
    for i, (level, number) in enumerate(people):
        others = [h for j, (other, h) in enumerate(people) if j != i and other == level]
        near = [] if level is None or others else beside(people, i)
        if len(others) >= 4:
            guess = median([*others, number])
        elif others:
            guess = sum(others) / len(others)
        elif near:
            guess = sum(map(median, near)) / len(near)
        else:
            guess = float("inf")
        assert found[i] == pytest.approx(abs(guess - number))


def test_near_unique_columns_tell_by_their_neighbours_alone():
    generator = np.random.default_rng(5)
    born = generator.permutation(20_000)[:300]
    age = np.floor((30_000 - born) / 365.25)
    assert (told_numbers(encode_column(pd.Series(born)), age) <= 1).mean() > 0.99
    region = born // 2_500
    assert told_labels(encode_column(pd.Series(born)), region).mean() > 0.9
    noise = encode_column(pd.Series(generator.permutation(300)))  # an id by chance
    assert (told_numbers(noise, age) <= 1).mean() < 0.2
    assert told_labels(noise, region).mean() < 0.3


def test_levels_that_are_pure_by_luck_are_not_sure():
    generator = np.random.default_rng(7)
    sex = generator.integers(0, 2, 600)
    everybody = np.zeros(600, dtype=int)
    by_chance = encode_column(pd.Series(np.arange(600) // 3))  # a quarter of these levels has one sex
    assert sure_levels(by_chance, sex, everybody).sum() == 0
    told = encode_column(pd.Series(np.where(np.arange(600) < 300, sex, 2)))  # of half of the people
    assert (sure_levels(told, sex, everybody) == (np.arange(600) < 300)).all()
    assert sure_levels(told, sex, sex).sum() == 0  # what is released says it already


def test_so_few_arrangements_that_luck_tells_them_all():
    """Two of eighteen are one of 153 pairs; within two groups of nine, one each is one of 81."""
    hidden = np.array([1] + [0] * 8 + [1] + [0] * 8)
    assert np.exp(log_arrangements(hidden, np.zeros(18, dtype=int))) == pytest.approx(153)
    assert np.exp(log_arrangements(hidden, np.repeat([0, 1], 9))) == pytest.approx(81)
    assert log_arrangements(np.zeros(5, dtype=int), np.zeros(5, dtype=int)) == 0
