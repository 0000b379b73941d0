"""Bins are half open, the last one closed; whoever is outside is counted, by people where values stand for several."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from disclosure_control.basics.encoding.binning import Binning, are_edges, bin_columns, bin_values
from disclosure_control.basics.telling.faults import FaultyInputError
from tests.cases import each

VALUES = pd.Series([0.5, 1, 4.9, 5, 10, 10.1, 11, None], name="x")
INSIDE = ["1--5", "1--5", "5--10", "5--10"]


@each(
    "policy, people, expected, counts",
    [
        ("tail", None, ["<1", *INSIDE, ">10", ">10", None], (1, 2, 1)),
        ("missing", None, [None, *INSIDE, None, None, None], (1, 2, 1)),
        ("tail", np.arange(1, 9), ["<1", *INSIDE, ">10", ">10", None], (1, 13, 8)),
    ],
)
def test_values_as_intervals(policy, people, expected, counts):
    binned, binning = bin_values(VALUES, (1, 5, 10), policy, people)
    assert [None if pd.isna(one) else one for one in binned] == expected
    assert binned.cat.categories.tolist() == (["<1", "1--5", "5--10", ">10"] if policy == "tail" else ["1--5", "5--10"])
    assert binned.cat.ordered
    assert binning == Binning((1, 5, 10), *counts, policy)


@each(
    "edges, are",
    [
        ([1, 2], True), ((1, 2.5, 3), True), ([1], False), ([], False), ([1, 1], False), ([1, 2, 2], False),
        ([2, 1], False), ([1, float("inf")], False), ([1, "2"], False), ([0, True], False), ("12", False),
        (None, False), ([1.0, 1 + 2**-52, 1 + 2**-51], False),
        ([1.0, 1 + 2**-52, 3], True),  # told apart by their labels, too
    ],
)  # fmt: skip
def test_what_may_be_edges(edges, are):
    assert are_edges(edges) is are


@each(
    "policy, edges, n_faults",
    [("tail", {"x": [1, 2]}, 0), ("cut", {"x": [1, 2]}, 1), ("tail", {"x": [2, 1], "y": [1, 2], "z": [1, 2]}, 2)],
)
def test_all_columns_are_binned_or_all_faults_named(policy, edges, n_faults):
    columns = {"x": VALUES, "y": VALUES.astype("str").fillna("two"), "z": VALUES}
    if not n_faults:
        binned, binnings = bin_columns(columns, edges, policy, {"x": np.arange(8)})
        assert binned["x"].cat.codes.tolist() == [0, 1, 2, 2, 2, 2, 2, -1]
        assert binnings == {"x": Binning((1, 2), 0, 2 + 3 + 4 + 5 + 6, 7, "tail")}
        return
    with pytest.raises(FaultyInputError) as caught:
        bin_columns(columns, edges, policy)
    assert len(caught.value.faults) == n_faults
