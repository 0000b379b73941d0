"""Figures of a person's rows: each row, changes from row to row, in which row a value changes, the digits of codes."""

from __future__ import annotations

import numpy as np

from disclosure_control.attack.tells.figures_of_rows import DIGITS, WHOLE_CHANGE, Changes, digits_of_codes, row_by_row


def test_each_row_and_each_change_between_rows():
    group = np.array([7, 3, 7, 3, 3, 9])
    values = np.array([1.0, 10.0, 4.0, np.nan, 30.0, 5.0])
    found = {how: (who.tolist(), number.tolist()) for how, who, number in row_by_row(group, values)}
    assert found == {"row 2 of": ([3, 7], [30.0, 4.0]), "the change to row 2 of": ([3, 7], [20.0, 3.0])}
    three = {how: number.tolist() for how, _, number in row_by_row(np.zeros(3, int), np.array([1.0, 5.0, 2.0]))}
    assert three[WHOLE_CHANGE] == [1.0]
    assert three["the change to row 3 of"] == [-3.0]


def test_the_digits_of_codes_of_one_length():
    person, code = np.arange(40), 1000 * (1 + np.arange(40) % 9) + 10 * (50 + np.arange(40)) + 7
    found = {how: number for how, _, number in digits_of_codes(person, code.astype(float), 40)}
    assert list(found) == list(DIGITS[:3])
    assert (found[DIGITS[1]] == 50 + np.arange(40)).all()
    assert not list(digits_of_codes(person, code * 10.0 ** (np.arange(40) % 2), 40)), "numbers of two lengths are sizes"
    assert not list(digits_of_codes(person, code + 0.5, 40))


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
