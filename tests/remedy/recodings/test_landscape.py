"""The landscape: every transformation between the lowest and the highest levels, or some where these are very many."""

from __future__ import annotations

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


def test_people_at_risk_are_those_of_classes_below_k():
    at_risk = {place.levels: place.n_at_risk for place in found().places}
    assert at_risk[0, 0] == 1  # b, v alone
    assert at_risk[1, 0] == 1
    assert at_risk[1, 2] == 0  # a or b, u or v: three
    assert at_risk[2, 3] == 0
