"""What a column would tell by chance: counted out, and a column of many levels against one that really tells."""

import itertools
import tracemalloc

import numpy as np
import pytest

from disclosure_control.measures import determination
from disclosure_control.measures.determination import n_guessed_right, shuffled_guessed_right


@pytest.mark.thorough("0.3 s")
@pytest.mark.parametrize(
    ("levels", "values"), [((2, 1), (2, 1)), ((1, 1, 2), (2, 2)), ((4,), (3, 1)), ((2, 2), (4, 0))]
)
def test_it_is_the_mean_over_all_ways_to_set_values_beside_levels(levels, values):
    level = np.repeat(np.arange(len(levels)), levels)
    value = np.repeat(np.arange(len(values)), values)
    ways = [n_guessed_right(level, np.array(way), len(levels), len(values)) for way in itertools.permutations(value)]
    (found,) = shuffled_guessed_right([np.array(levels)], np.array(values), 2000)
    assert found == pytest.approx(np.mean(ways), abs=0.05)


def test_a_column_of_many_levels_tells_no_more_than_shuffled_values():
    """Five people to a level: guessing right of a third of them says nothing where shuffled values do the same."""
    draw = np.random.default_rng(4)
    level, value = np.repeat(np.arange(60), 5), draw.integers(0, 10, 300)
    told = n_guessed_right(level, value, 60, 10)
    (by_chance,) = shuffled_guessed_right([np.bincount(level)], np.bincount(value), 20)
    assert told > 1.5 * np.bincount(value).max()
    assert abs(told - by_chance) < 15
    assert n_guessed_right(level, level // 6, 60, 10) == 300 > 2 * by_chance


@pytest.mark.parametrize("seed", range(5))
def test_some_levels_at_a_time_tell_what_all_at_once_do(seed, monkeypatch):
    draw = np.random.default_rng(seed)
    level, value = (np.minimum(draw.geometric(0.1, 400), most) for most in (40, 12))
    people_of_levels = [np.bincount(level, minlength=50), np.bincount(level // 2), np.array([400])]
    people_of_value = np.bincount(value)
    in_a_row = np.repeat(np.arange(len(people_of_value)), np.sort(people_of_value))
    shuffled = np.random.default_rng(0).permutation(in_a_row)
    expected = []
    for people in people_of_levels:
        levels = np.repeat(np.arange(len(people)), np.sort(people))
        expected.append(n_guessed_right(levels, shuffled, len(people), len(people_of_value)))
    for at_once in (1, 7, 60, 1 << 20):
        monkeypatch.setattr(determination, "PEOPLE_AT_ONCE", at_once)
        assert shuffled_guessed_right(people_of_levels, people_of_value, 1) == expected


def test_of_each_person_the_code_of_the_value_alone_is_in_memory(monkeypatch):
    n = 1_000_000
    monkeypatch.setattr(determination, "PEOPLE_AT_ONCE", 1 << 10)
    tracemalloc.start()
    shuffled_guessed_right([np.array([n // 2, n // 2]), np.full(n // 1000, 1000)], np.full(10, n // 10), 1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert n < peak < 1.3 * n
