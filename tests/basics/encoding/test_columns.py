"""Columns as codes, numbers and labels: which values are equal, and how each is written."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from disclosure_control.basics.encoding.columns import (
    as_counted,
    canonical_labels_of,
    code_of_value,
    encode_column,
    faults_of_names,
    labels_of,
    number_text,
    numbers_of,
    parse_numbers,
    texts_as_labels,
    value_text,
)
from disclosure_control.basics.encoding.keys import number_rows, sum_of_keys
from disclosure_control.basics.encoding.text_codes import are_rising
from disclosure_control.basics.telling.faults import FaultyInputError
from tests.cases import each

BIG = 2**53


@each(
    "values, labels, codes",
    [
        (["b", " a", "a ", "", None], ["a", "b"], [1, 0, 0, -1, -1]),
        (["1.0", "1", "01", "+2.00", "1.5"], ["+2", "01", "1", "1.5"], [2, 2, 1, 0, 3]),
        ([2.0, -0.0, 0.0, None], ["0", "2"], [1, 0, 0, -1]),
        ([True, 1, 1.0, "1"], ["1", "True"], [1, 0, 0, 0]),
        ([Decimal("1.50"), Decimal("1.5"), None], ["1.5"], [0, 0, -1]),
        (pd.array([BIG, BIG + 1, 1]), ["1", str(BIG), str(BIG + 1)], [1, 2, 0]),  # floats do not tell them apart
        (pd.array([BIG, 1]), ["1", str(BIG)], [1, 0]),
        (pd.Categorical(["y", "x"], ["y", "x"], ordered=True), ["y", "x"], [0, 1]),
        (pd.Categorical(["y", "x"], ["y", "x"]), ["x", "y"], [1, 0]),
        (pd.Categorical(["1.0", "", "1"]), ["1"], [0, -1, 0]),
    ],
)
def test_which_values_are_equal(values, labels, codes):
    encoded = encode_column(pd.Series(values, dtype=object if isinstance(values, list) else None))
    assert (labels_of(encoded), encoded.codes.tolist()) == (labels, codes)
    texts = pd.Series([None if pd.isna(one) else str(one) for one in values], dtype="str")
    assert sorted(set(encode_column(texts).labels)) == sorted(set(encode_column(as_counted(texts)).labels))


def test_values_by_the_labels_under_which_they_are_counted():
    columns = (
        pd.Series(["1.0", " a", "", None], dtype="str"), pd.Series([-0.0, 1.5]),
        pd.Series(pd.Categorical(["1.0", "b"])),
        pd.Series([1, 2]), pd.Series(["a", "b"], dtype="str"),
    )  # fmt: skip
    found = [as_counted(one).astype(object).where(lambda values: values.notna(), None).tolist() for one in columns]
    assert found == [["1", "a", None, None], [0.0, 1.5], ["1", "b"], [1, 2], ["a", "b"]]
    assert np.signbit(as_counted(columns[1])).tolist() == [False, False]
    texts = pa.array([" a", "b", "", None, "1.0"], pa.large_string())
    assert texts_as_labels(texts).to_pylist() == ["a", "b", None, None, "1"]
    assert texts_as_labels(texts[1:2]) == texts[1:2]


@each(
    "number, text",
    [
        (1.0, "1"),
        (-0.0, "0"),
        (0.1 + 0.2, "0.3"),
        (2.5e20, "2.5e+20"),
        (float(BIG), str(BIG)),
        (-float(BIG), str(-BIG)),
        (1.5, "1.5"),
    ],
)
def test_numbers_as_people_write_them(number, text):
    assert number_text(number) == text


@each(
    "values, numbers",
    [
        (["1", " 2.5 ", None, "x"], [1, 2.5, np.nan, np.nan]),
        (["1", "1", "x", "1"], [1, 1, np.nan, 1]),
        (["1", "2"], [1, 2]),
        (pd.to_datetime(["2020-01-01"]), [np.nan]),
        ([1.5, None], [1.5, np.nan]),
    ],
)
def test_what_is_a_number(values, numbers):
    for dtype in ("str", object) if isinstance(values, list) and isinstance(values[0], str) else (None,):
        np.testing.assert_array_equal(parse_numbers(pd.Series(values, dtype=dtype)), numbers)


@each(
    "values, people, words",
    [
        (["1", "x", "y", " ", None], None, ["fewer than 10 of 5 values are text"]),
        (["1", "inf", "1e301"], [1, 20, 30], ["20 of 51 values are infinite", "30 of 51 values are beyond"]),
        (["x", "inf", "-inf"], [10, 1, 1], ["10 of 12 values are text", "fewer than 10 of 12 values are infinite"]),
    ],
)
def test_what_cannot_be_calculated_with_is_counted(values, people, words):
    with pytest.raises(FaultyInputError) as caught:
        numbers_of(pd.Series(values, dtype="str"), None if people is None else np.array(people))
    assert [any(word in fault for fault in caught.value.faults) for word in words] == [True] * len(words)
    assert len(caught.value.faults) == len(words)


def test_numbers_of_columns_without_faults():
    np.testing.assert_array_equal(
        numbers_of(pd.Series(["1", " ", None, "-1e300"], dtype="str")), [1, np.nan, np.nan, -1e300]
    )
    np.testing.assert_array_equal(numbers_of(pd.Series(pd.Categorical([2.0, None]))), [2, np.nan])
    frame = pd.DataFrame([[1, 2, 3]], columns=["a", "b", "a"])
    assert len(faults_of_names(frame)) == 1
    with pytest.raises(FaultyInputError):
        encode_column(frame["a"])


def test_values_of_a_config_and_their_codes():
    assert [value_text(one) for one in (1.0, " a ", "", None, True)] == ["1", "a", "", "", "True"]
    column = encode_column(pd.Series([1.0, 2.5, 1 / 3]))
    assert [code_of_value(column, one) for one in ("1.0", 2.5, 1, 7)] == [1, 2, 1, None]
    assert canonical_labels_of(column).tolist() == [repr(1 / 3), "1", "2.5"]
    assert canonical_labels_of(encode_column(pd.Series(["a"]))).tolist() == ["a"]
    texts = [["a", "b"], ["b", "a"], ["a", "a"], ["a", None], ["a"], []]
    assert [are_rising(pa.array(one, pa.large_string())) for one in texts] == [True, False, False, False, True, True]


@pytest.mark.parametrize("n_keys", [4, 70_000, 2**40])
def test_sums_of_keys_and_rows_by_their_codes(n_keys):
    keys, people = sum_of_keys(np.array([3, 1, 3]), np.array([5, 7, 2]), n_keys)
    assert (keys.tolist(), people.tolist()) == ([1, 3], [7, 7])
    numbers, sizes = number_rows([np.array([-1, 1, -1, 0]), np.array([0, 0, 0, 1])], [3, n_keys], 4, least=-1)
    assert (numbers.tolist(), sizes.tolist()) == ([0, 2, 0, 1], [2, 1, 1])
