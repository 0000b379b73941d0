"""Which labels are intervals, by hand: those that a treatment or a hierarchy writes, and texts that only look so."""

import numpy as np
import pytest

from disclosure_control.analyses.sweep.utility.comparison import released_numbers
from disclosure_control.basics.encoding.interval_labels import Interval, interval_of
from tests.cases import each


@each(
    ("label", "interval", "middle"),
    [
        ("20--30", Interval(20, 30), 25),  # ours
        ("-5--2", Interval(-5, 2), -1.5),
        ("-5---2", Interval(-5, -2), -3.5),
        ("0.5--.75", Interval(0.5, 0.75), 0.625),
        ("1e+16--2e+16", Interval(1e16, 2e16), 1.5e16),
        ("0-4", Interval(0, 4), 2),  # the hierarchy of ages that comes with ARX
        ("20–30", Interval(20, 30), 25),
        ("5-5", Interval(5, 5), 5),
        ("[18, 65]", Interval(18, 65), 41.5),
        ("[20, 30)", Interval(20, 30, True, False), 25),  # R, pandas
        ("(20,30]", Interval(20, 30, False, True), 25),
        ("[20, 30[", Interval(20, 30, True, False), 25),  # ARX
        ("]20, 30]", Interval(20, 30, False, True), 25),
        ("<18", Interval(-np.inf, 18, True, False), None),
        ("<= 18", Interval(-np.inf, 18, True, True), None),
        ("≤18", Interval(-np.inf, 18, True, True), None),
        (">90", Interval(90, np.inf, False, True), None),
        (">=90", Interval(90, np.inf, True, True), None),
    ],
)
def test_labels_that_are_intervals(label, interval, middle):
    assert interval_of(label) == interval
    assert interval.middle == middle
    assert_read_alike(label)


@each(
    "label",
    [
        "00-950",  # a postal code: 475 it is not
        "05-10",
        "01-701-1015",
        "20;30",  # nobody writes it: 25 it is not
        "[20;30]",
        "3,5",  # three and a half, as Greece writes it
        "20, 30",
        "[20--30",
        "20, 30)",
        "30--20",
        "[30, 20]",
        "[5, 5)",  # holds no number
        "2010-04",
        "12",
        "-5",
        "a-b",
        "*",
        "",
    ],
)
def test_labels_that_are_none(label):
    assert interval_of(label) is None
    assert_read_alike(label)


def assert_read_alike(label):
    """What is read as an interval, utility counts by its middle, and nothing else."""
    interval = interval_of(label)
    if label not in ("12", "-5"):  # plain numbers
        middle = interval.middle if interval else None
        expected = np.nan if middle is None else middle
        assert released_numbers(np.array([label], dtype=object))[0] == pytest.approx(expected, nan_ok=True)


def test_an_interval_holds_its_closed_ends_alone():
    numbers = np.array([19.0, 20, 25, 30, 31, np.nan])
    assert interval_of("[20, 30[").holds(numbers).tolist() == [False, True, True, False, False, False]
    assert interval_of("(20, 30]").holds(numbers).tolist() == [False, False, True, True, False, False]
    assert interval_of("<=20").holds(numbers).tolist() == [True, True, False, False, False, False]
