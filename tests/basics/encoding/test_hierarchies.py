"""Hierarchies of values: reading, generalising, and what is refused."""

import pandas as pd
import pytest

from disclosure_control.basics.encoding.hierarchies import build_hierarchy, read_hierarchy
from disclosure_control.basics.telling.faults import FaultyInputError
from tests.cases import each

ROWS = [("18", "18-29", "*"), ("20", "18-29", "*"), ("30", "30-41", "*")]


def test_a_column_is_generalised_level_by_level():
    hierarchy = build_hierarchy(ROWS, "age")
    column = pd.Series([20, 30, None, 18], index=[5, 5, 6, 7], name="AGE")
    assert hierarchy.n_levels == 3
    assert hierarchy.generalise(column, 0).tolist() == ["20", "30", None, "18"]
    found = hierarchy.generalise(column, 1)
    assert found.tolist() == ["18-29", "30-41", None, "18-29"]
    assert (found.name, found.index.tolist()) == ("AGE", [5, 5, 6, 7])
    assert hierarchy.generalise(column, 2).tolist() == ["*", "*", None, "*"]
    assert hierarchy.generalise(column.iloc[:0], 1).tolist() == []


@each("values", [[20, 18], [20.0, 18.0], ["20", "18"], [" 20", "18.0"], pd.array([20, 18], "Int64")])
def test_values_are_compared_as_everywhere_in_the_project(values):
    assert build_hierarchy(ROWS, "age").generalise(pd.Series(values), 1).tolist() == ["18-29", "18-29"]


def test_a_leaf_is_compared_after_normalisation():
    hierarchy = build_hierarchy([(" e\u0301 ", "x"), ("1.0", "x")], "letters")
    assert hierarchy.generalise(pd.Series(["\u00e9", "1"]), 1).tolist() == ["x", "x"]


def test_a_file_is_read_with_its_byte_order_mark_and_empty_lines(tmp_path):
    path = tmp_path / "age.csv"
    path.write_bytes('\ufeff18;"18;29";*\r\n\r\n30; 30-41 ;*\r\n'.encode())
    hierarchy = read_hierarchy(path)
    assert hierarchy.labels.tolist() == [["18", "18;29", "*"], ["30", "30-41", "*"]]
    assert hierarchy.has_one_root


@each(
    ("rows", "message"),
    [
        ([], "needs a line per value and at least two levels"),
        ([("MARKER",)], "needs a line per value and at least two levels"),
        ([("a", "MARKER"), ("b",)], "line 2: 1 levels; allowed: 2 as in line 1"),
        ([("a", "MARKER"), ("b", " ")], "line 2: an empty cell"),
        ([("a", "x"), (" a", "x")], "1 lines repeat a leaf"),
        ([("1", "x"), ("1.0", "x")], "1 lines repeat a leaf"),
        ([("a", "MARKER", "1"), ("b", "MARKER", "2")], "level 1: 1 labels too many above its labels"),
    ],
)
def test_faults_tell_lines_and_levels_and_show_no_label(rows, message):
    with pytest.raises(FaultyInputError, match=message) as caught:
        build_hierarchy(rows, "dx.csv")
    assert "MARKER" not in str(caught.value)
    assert str(caught.value).startswith("hierarchy 'dx.csv': ")


def test_values_without_a_leaf_are_counted_and_not_shown():
    with pytest.raises(FaultyInputError, match="2 of 3 distinct values of the data are not among its leaves") as caught:
        build_hierarchy(ROWS, "age").generalise(pd.Series(["20", "MARKER", "99", "99"]), 1)
    assert "MARKER" not in str(caught.value)


@pytest.mark.parametrize("level", [-1, 3])
def test_a_level_that_does_not_exist_is_refused(level):
    with pytest.raises(FaultyInputError, match="allowed: 0 to 2"):
        build_hierarchy(ROWS, "age").generalise(pd.Series(["20"]), level)


def test_other_encodings_are_refused(tmp_path):
    path = tmp_path / "dx.csv"
    path.write_bytes("é;*\n".encode("latin-1"))
    with pytest.raises(FaultyInputError, match="is not UTF-8 text; save it as UTF-8"):
        read_hierarchy(path)
