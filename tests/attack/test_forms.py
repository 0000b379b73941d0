"""Digits of ids and true days within numbers and texts: in any order, with signs between, and none by chance."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from disclosure_control.attack.answerers.forms import OwnDigits

N = 200
GENERATOR = np.random.default_rng(9)
PEOPLE = np.arange(N)
NUMBERS = 200_001 + 37 * PEOPLE
DAYS = 16_000 + GENERATOR.integers(0, 700, N)
DATES = pd.DatetimeIndex(DAYS.astype("datetime64[D]"))
OWN = OwnDigits.of(pd.Series([f"S-{one}" for one in NUMBERS]), PEOPLE, DAYS, PEOPLE, N)

WRITTEN = {
    "decimals of a number": 90 + NUMBERS / 1e6,
    "a day without its zero in front": [float(one.strftime("%d%m%y")) for one in DATES],
    "a day after another number": [f"7.{one.strftime('%d%m%Y')}" for one in DATES],
    "a day with the month first": [one.strftime("%m/%d/%Y") for one in DATES],
}


@pytest.mark.parametrize("how", WRITTEN)
def test_own_digits_are_found(how):
    n_people, is_chance = OWN.found(pd.Series(WRITTEN[how]), PEOPLE)
    assert n_people >= 0.9 * N, "a number may have lost a zero at its end"
    assert not is_chance


def test_digits_of_others_are_chance():
    """The same digits in the rows of other people, and numbers of any digits."""
    for cells in (90 + np.roll(NUMBERS, 3) / 1e6, GENERATOR.integers(10**5, 10**8, N).astype(float)):
        _, is_chance = OWN.found(pd.Series(cells), PEOPLE)
        assert is_chance
