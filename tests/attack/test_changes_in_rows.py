"""In which row a value changes: counted by hand, and nothing of results, which come and go."""

from __future__ import annotations

import numpy as np

from disclosure_control.attack.tells.changes_in_rows import Changes

N_PEOPLE = 3


def changes(*rows: str) -> list[tuple[int, ...]]:
    """Of one letter for each row of a person, one text for each person of each term."""
    group = np.repeat(np.arange(len(rows)), [len(one) for one in rows])
    code = np.array([ord(letter) - ord("a") for letter in "".join(rows)])
    shuffled = np.argsort(np.concatenate([np.arange(len(one)) for one in rows]), kind="stable")
    found = Changes.of(group[shuffled], code[shuffled], 26, N_PEOPLE)
    return list(zip(*(one.tolist() for one in (found.group, found.before, found.after, found.row)), strict=True))


def test_the_row_of_each_change_counts_from_the_first_of_the_person():
    assert changes("aabbc", "aaa", "abbbb") == [(0, 0, 1, 3), (0, 1, 2, 5), (2, 0, 1, 2)]


def test_a_term_whose_values_come_back_says_nothing_of_time():
    assert changes("aab", "aab", "abb", "aba", "aba", "aab") == [(0, 0, 1, 3), (1, 0, 1, 3), (2, 0, 1, 2)]


def test_no_rows_have_no_change():
    assert not changes("a", "", "")
    assert not changes("", "", "")
