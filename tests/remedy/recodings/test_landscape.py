"""The landscape: every transformation between the lowest and the highest levels, or some where these are very many."""

from __future__ import annotations

import itertools

import pytest

from disclosure_control.remedy.recodings import landscape as module
from disclosure_control.remedy.recodings.landscape import landscape
from disclosure_control.remedy.recodings.requirements import Requirements
from tests.remedy.recodings.test_search import as_lattice

TREES = [
    [["a", "ab", "*"], ["b", "ab", "*"], ["c", "c", "*"]],
    [["u", "u", "uv", "*"], ["v", "v", "uv", "*"], ["w", "vw", "vw", "*"]],
]
RECORDS = [("a", "u"), ("a", "u"), ("b", "v"), ("c", "w"), ("c", "w")]


def found(lowest=None, highest=None, first=()):
    lattice, _ = as_lattice(RECORDS, TREES)
    return landscape(lattice, Requirements(2), "loss", None, lowest or {}, highest or {}, first)


def levels_of(told):
    return [place.levels for place in told.places]


def test_all_levels_of_all_columns_are_counted_where_nothing_bounds_them():
    everything = found()
    assert sorted(levels_of(everything)) == list(itertools.product(range(3), range(4)))
    assert everything.is_whole


def test_the_lowest_and_the_highest_level_are_both_among_them():
    bounded = found({"q0": 1}, {"q1": 2})
    assert sorted(levels_of(bounded)) == list(itertools.product([1, 2], [0, 1, 2]))
    assert bounded.is_whole
    assert sorted(levels_of(found({"q1": 3}, {"q0": 0}))) == [(0, 3)]


def test_people_at_risk_are_those_of_classes_below_k():
    at_risk = {place.levels: place.n_at_risk for place in found().places}
    assert at_risk[0, 0] == 1  # b, v alone
    assert at_risk[1, 0] == 1
    assert at_risk[1, 2] == 0  # a or b, u or v: three
    assert at_risk[2, 3] == 0


@pytest.mark.parametrize("most", [4, 12])
def test_of_many_the_first_ones_and_the_coarsest_are_counted(most, monkeypatch):
    monkeypatch.setattr(module, "MOST_TRANSFORMATIONS", most)
    some = found(first=[(0, 1), (0, 0)])
    assert levels_of(some)[:4] == [(0, 1), (0, 0), (2, 3), (2, 2)]
    assert len(some.places) == most
    assert some.is_whole is (most == 12)


@pytest.mark.parametrize(("n_combinations", "n"), [(0, 3), (3 * 5, 5), (3 * 5 - 1, 4), (3 * 20, 12)])
def test_the_more_combinations_there_are_the_fewer_transformations_are_counted(n_combinations, n, monkeypatch):
    """There are three combinations of values; no fewer than ``FEWEST_TRANSFORMATIONS`` are counted."""
    monkeypatch.setattr(module, "FEWEST_TRANSFORMATIONS", 3)
    monkeypatch.setattr(module, "MOST_COMBINATIONS", n_combinations)
    assert len(found().places) == n
