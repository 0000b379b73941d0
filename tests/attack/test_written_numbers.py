"""How numbers are written, and the one number in each text; by hand."""

from __future__ import annotations

import numpy as np
import pytest

from disclosure_control.attack.tells.written_numbers import forms_of_numbers, numbers_within


def forms(labels) -> list[str]:
    codes, words = forms_of_numbers(np.array(labels, dtype=object if isinstance(labels[0], str) else float))
    return [words[code] for code in codes]


def test_the_form_of_a_text_and_that_of_a_number_which_is_its_shortest():
    given = {
        "12": "0 decimals",
        "1200": "0 decimals, a zero at the end",
        "5.4": "1 decimal",
        "5.40": "2 decimals, a zero at the end",
        "05.4": "1 decimal, a zero in front",
        "0.5": "1 decimal",
        "+5.4": "1 decimal, a plus",
        "5,4": "1 decimal, a comma",
        "1e3": "0 decimals, an exponent",
    }
    assert forms(list(given)) == list(given.values())
    shortest = ["0 decimals", "0 decimals, a zero at the end", "1 decimal", "3 decimals", "9 decimals"]
    assert forms([12.0, 120.0, 5.4, 0.125, 1 / 3]) == shortest


@pytest.mark.parametrize(
    ("texts", "numbers"),
    [
        (["P45Y", "P3Y"], [45, 3]),
        (["P2Y", "P24M", "P1Y12M", "P2W", "P5D"], [730.5, 730.5, 730.5, 14, 5]),
        (["P2Y", "PT3H"], None),
        (["45 years", "-7.5 years"], [45, -7.5]),
        (["aged 45,5", "aged 3"], [45.5, 3]),
        (["45 years"] * 19 + ["3 months"], [45] * 19 + [np.nan]),
        (["45 years", "3 months"], None),
        (["120/80", "130/90"], None),
        (["mild", "severe"], None),
        (["8f14e45f", "c9f0f895"], None),
    ],
)
def test_the_number_within_texts(texts, numbers):
    found = numbers_within(np.array(texts, dtype=object), texts[:40])
    if numbers is None:
        assert found is None
    else:
        np.testing.assert_array_equal(found, numbers)
