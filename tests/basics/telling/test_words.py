"""How shares are written: one that rounds to nobody, or to everybody, does not say so."""

import pytest

from disclosure_control.basics.telling.words import four_digits, interval_text, many_text, share_text


@pytest.mark.parametrize(
    ("rate", "written"),
    [
        (None, "-"),
        (0.0, "0.0%"),
        (1.0, "100.0%"),
        (0.096, "9.6%"),
        (87 / 1_000_000, "<0.1%"),  # not nobody
        (999_999 / 1_000_000, ">99.9%"),  # not everybody
        (0.0006, "0.1%"),
        (0.9994, "99.9%"),
    ],
)
def test_nobody_and_everybody_are_said_of_these_alone(rate, written):
    assert share_text(rate) == written


def test_the_ends_of_an_interval_are_written_so_too():
    assert interval_text(0.0, 0.0004) == "0.0% to <0.1%"


def test_a_number_that_no_float_holds_is_written():
    """2**199 recodings have sixty digits, 10**400 are more than a float can be."""
    assert many_text(1_392) == "1,392"
    assert many_text(2**199) == "about 8.03e59"
    assert many_text(10**400) == "about 1.00e400"


def test_no_zero_has_a_minus():
    assert [four_digits(number) for number in (-0.00001, -0.00006, 0.5)] == ["0.0000", "-0.0001", "0.5000"]
