"""What is told of a column: its levels as long as they are few and each that of ten people, part by part."""

from __future__ import annotations

import numpy as np
import pandas as pd

from disclosure_control.release.columns_seen import MOST_LEVELS, ColumnSeen
from tests.cases import each


def seen(*parts: tuple[list, list[int]]) -> ColumnSeen:
    found = ColumnSeen()
    for values, people in parts:
        found = found.after(pd.Series(values, dtype="str"), np.array(people))
    return found


def of_people(n_levels: int, n: int, first: int = 0) -> tuple[list[str], list[int]]:
    """A part in which each of so many levels is that of ``n`` people."""
    levels = np.repeat(np.arange(first, first + n_levels), n)
    return [f"L{level:03d}" for level in levels], list(range(len(levels)))


@each(("n_people", "n_told"), [(9, 0), (10, 2)])
def test_levels_are_told_where_each_is_that_of_ten_people(n_people, n_told):
    assert len(seen(of_people(2, n_people)).levels) == n_told
    assert len(seen(of_people(1, 40), of_people(1, n_people, 1)).levels) == n_told


def test_a_person_counts_once_for_each_level_in_a_part_and_parts_add_up():
    rows = ["a"] * 12 + ["b"] * 3, [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 5, 5, 1, 2, 2]
    assert seen(rows).people == {"a": 5, "b": 2}
    assert seen(rows, rows).people == {"a": 10, "b": 4}


def test_rows_without_a_value_are_of_no_level_and_rows_of_nobody_are_of_one():
    assert seen((["a", None, "a", "a"], [0, 1, -1, -1])).people == {"a": 2}


@each("at_once", [True, False])
def test_as_many_levels_as_are_told_and_not_one_more(at_once):
    def levels(n: int) -> list[str]:
        return seen(of_people(n, 10)).levels if at_once else seen(of_people(n - 1, 10), of_people(1, 10, n)).levels

    assert len(levels(MOST_LEVELS)) == MOST_LEVELS
    assert levels(MOST_LEVELS + 1) == []


def test_what_had_too_many_levels_has_none_after_a_part_with_few():
    assert seen(of_people(MOST_LEVELS + 1, 10), of_people(1, 10)).levels == []


def test_of_numbers_nothing_is_told_and_of_texts_whether_one_is_an_interval():
    numbers = ColumnSeen().after(pd.Series([1.0] * 20), np.arange(20))
    assert (numbers.levels, numbers.has_intervals) == ([], False)
    assert seen((["x", "20--30"], [0, 1])).has_intervals
    assert not seen((["x", "20 to 30"], [0, 1])).has_intervals
