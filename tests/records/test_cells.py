"""People by class and value, counted in parts of the classes: what a dictionary counts, and no room for more."""

from __future__ import annotations

from collections import Counter

import numpy as np

from disclosure_control.records import cells
from disclosure_control.records.cells import count_cells
from disclosure_control.records.class_keys import KeyCounter


def test_each_part_counts_its_own_classes_and_no_more(tmp_path, monkeypatch):
    generator = np.random.default_rng(11)
    classes, values = generator.integers(0, 40, 600), generator.integers(-1, 3, 600)
    rooms: list[int] = []
    monkeypatch.setattr(cells, "KeyCounter", lambda n_keys, *more: rooms.append(n_keys) or KeyCounter(n_keys, *more))
    blocks = zip(np.split(classes, 6), np.split(values, 6), strict=True)
    found = count_cells(blocks, np.bincount(classes, minlength=40), np.array(["a", "b", "c"]), tmp_path, 100)
    assert len(rooms) > 3
    assert sum(rooms) == 40 * 3
    table = found.table
    counted = zip(table.class_of_cell.tolist(), table.value_of_cell.tolist(), strict=True)
    held = Counter(pair for pair in zip(classes.tolist(), values.tolist(), strict=True) if pair[1] >= 0)
    assert dict(zip(counted, table.people.tolist(), strict=True)) == held
    assert found.n_without_value == (values < 0).sum()


def test_how_many_have_each_value_is_counted_of_those_who_are_asked_for_and_of_everybody_once(tmp_path, monkeypatch):
    generator = np.random.default_rng(12)
    classes, values = generator.integers(0, 40, 600), generator.integers(-1, 3, 600)
    labels, evaluated = np.array(["a", "b", "c"]), np.arange(40) % 3 > 0
    found = count_cells([(classes, values)], np.bincount(classes, minlength=40), labels, tmp_path, 100)
    joined = found.regrouped(np.array([0, -1, 0]), np.array(["a or c"]))
    held, asked = np.bincount(values[values >= 0]), np.bincount(values[(values >= 0) & evaluated[classes]])
    assert found.people_of_value(evaluated).tolist() == asked.tolist()
    assert joined.people_of_value(evaluated).tolist() == [asked[0] + asked[2]]
    for one, expected in ((found, held.tolist()), (joined, [held[0] + held[2]])):
        assert one.people_of_value().tolist() == one.people_of_value(np.ones(40, dtype=bool)).tolist() == expected
        monkeypatch.setattr(type(one.tables), "__iter__", None)
        assert one.people_of_value().tolist() == expected
        monkeypatch.undo()
