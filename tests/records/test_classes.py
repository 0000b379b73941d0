"""Keys counted block by block, and people by class and value in pieces of whole classes: what a dictionary counts."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from Anonymization_Models import SensitiveCounts
from disclosure_control.records import classes as counting
from disclosure_control.records.classes import count_cells, count_in_blocks
from disclosure_control.records.spill import put_codes
from disclosure_control.records.sql import database_in
from tests.examples import examples

LABELS = np.array(["a", "b", "c"])


def counted(folder: Path, classes: np.ndarray, values: np.ndarray, n_at_once: int) -> SensitiveCounts:
    """The count of the ``values`` of people in ``classes``, all of which occur."""
    put_codes(folder / "codes", [[classes, values]], 2)
    with database_in(folder) as database:
        return count_cells(database.count(folder / "codes", [0, 1]), LABELS, folder / "cells", n_at_once)


@pytest.mark.thorough("0.3 s")
@pytest.mark.parametrize("n_at_once", [1, 2, 7, 1000])
def test_every_class_is_whole_in_one_piece(tmp_path, n_at_once):
    generator = np.random.default_rng(11)
    classes, values = (
        np.append(generator.integers(0, 40, 90), np.arange(42)),
        np.append(generator.integers(-1, 3, 131), -1),
    )
    found = counted(tmp_path, classes, values, n_at_once)
    pieces = [(part.start, part.stop) for part, _ in found.tables]
    assert [start for start, _ in pieces] == [0, *(stop for _, stop in pieces[:-1])]
    assert pieces[-1][1] == 42
    assert max(len(table.people) for _, table in found.tables) <= n_at_once + 3
    table = found.table
    cells = zip(table.class_of_cell.tolist(), table.value_of_cell.tolist(), strict=True)
    held = Counter(pair for pair in zip(classes.tolist(), values.tolist(), strict=True) if pair[1] >= 0)
    assert dict(zip(cells, table.people.tolist(), strict=True)) == held
    assert found.n_without_value == (values < 0).sum()


def test_how_many_have_each_value_is_counted_of_those_who_are_asked_for_and_of_everybody_once(tmp_path, monkeypatch):
    generator = np.random.default_rng(12)
    classes, values = generator.integers(0, 40, 600), generator.integers(-1, 3, 600)
    evaluated, found = np.arange(40) % 3 > 0, counted(tmp_path, classes, values, 100)
    joined = found.regrouped(np.array([0, -1, 0]), np.array(["a or c"]))
    held, asked = np.bincount(values[values >= 0]), np.bincount(values[(values >= 0) & evaluated[classes]])
    assert found.people_of_value(evaluated).tolist() == asked.tolist()
    assert joined.people_of_value(evaluated).tolist() == [asked[0] + asked[2]]
    for one, expected in ((found, held.tolist()), (joined, [held[0] + held[2]])):
        assert one.people_of_value().tolist() == one.people_of_value(np.ones(40, dtype=bool)).tolist() == expected
        monkeypatch.setattr(type(one.tables), "__iter__", None)
        assert one.people_of_value().tolist() == expected
        monkeypatch.undo()


@examples(100)
@given(st.lists(st.lists(st.integers(0, 9), max_size=8), max_size=6), st.sampled_from([2, 1 << 22]))
def test_keys_are_counted_over_blocks(blocks, n_dense):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "DENSE_KEYS", n_dense)
        keys, people = count_in_blocks([np.array(block, dtype=np.int64) for block in blocks], 10)
    expected = [key for block in blocks for key in block]
    assert keys.tolist() == sorted(set(expected))
    assert people.tolist() == [expected.count(key) for key in sorted(set(expected))]
