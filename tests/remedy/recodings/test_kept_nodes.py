"""Which nodes are kept and which are let go, and that it makes no difference to what is found."""

from __future__ import annotations

import numpy as np
import pytest

from disclosure_control.remedy.recodings import nodes
from disclosure_control.remedy.recodings.nodes import Lattice, RollUp, bottom_node, roll_up
from tests.remedy.recodings.arx_data import arx_lattice


@pytest.fixture(scope="module")
def lattice() -> Lattice:
    return arx_lattice("adult5", ("sex", "age", "race"))


def test_the_newest_node_is_kept_however_large_and_the_others_go(lattice, monkeypatch):
    monkeypatch.setattr(nodes, "KEPT_BYTES", 0)
    kept = RollUp(lattice)
    first = kept.node((0, 1, 0))
    assert kept.node((0, 1, 0)) is first
    second = kept.node((1, 0, 0))
    assert kept.node((1, 0, 0)) is second
    assert kept.node((0, 1, 0)) is not first


@pytest.mark.parametrize("n_kept", [0, 2.5, 4])
def test_nodes_are_the_same_whichever_are_still_there(lattice, n_kept, monkeypatch):
    monkeypatch.setattr(nodes, "KEPT_BYTES", int(n_kept * bottom_node(lattice).n_bytes))
    generator, kept, met = np.random.default_rng(5), RollUp(lattice), [bottom_node(lattice)]
    for _ in range(40):
        levels = tuple(int(level) for level in generator.integers(0, np.array(lattice.shape)))
        found, expected = kept.node(levels), roll_up(kept.bottom, levels)
        assert found.levels == levels
        assert found.size.tolist() == expected.size.tolist()
        assert found.class_of_combination.tolist() == expected.class_of_combination.tolist()
        met += [found] if all(found is not one for one in met) else []
    for node in met[-max(int(n_kept), 1) :]:  # none is larger than the bottom
        assert kept.node(node.levels) is node
