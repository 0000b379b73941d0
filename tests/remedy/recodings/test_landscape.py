"""The landscape: every transformation between the lowest and the highest levels, or some where these are very many."""

from __future__ import annotations

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
