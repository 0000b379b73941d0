"""Texts as whole numbers: the same as pandas gives, kept while the column is there, and never of another column."""

from __future__ import annotations

import gc
import itertools
import pickle

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from disclosure_control.basics.encoding import text_codes as module
from disclosure_control.basics.encoding.text_codes import (
    EncodedTexts,
    TextCodes,
    codes_of_few_texts,
    column_of_codes,
    text_codes,
)


def column(*chunks: list) -> pd.Series:
    """A column of text whose memory is in pieces, as a reader of files gives it."""
    return pd.Series(pd.array(pa.chunked_array(list(chunks), pa.large_string()), dtype="str"), copy=False)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (column(["b", None, "a"], [], ["a", "", "b "]), [0, -1, 1, 1, 2, 3]),
        (column(["a", "b"], [], ["b ", "c"]), [0, 1, 2, 3]),  # rising, as ids are
        (column(["a", "b"], ["b", "c"]), [0, 1, 1, 2]),
        (column(["a", "b"], [None, "c"]), [0, 1, -1, 2]),
    ],
)
def test_codes_are_those_of_pandas(values, expected):
    found = text_codes(values)
    codes, texts = pd.factorize(values)
    assert found.codes.tolist() == codes.tolist() == expected
    assert found.texts.to_pylist() == texts.tolist()
    assert found.codes.dtype == np.int32


def test_what_is_known_of_texts_is_handed_back_to_records():
    assert text_codes(column(["b", None], ["a"])).taken(np.array([1.5, 2.5]), 0.5).tolist() == [1.5, 0.5, 2.5]
    assert text_codes(column([None, None])).taken(np.array([]), 0.5).tolist() == [0.5, 0.5]


def test_one_column_is_encoded_once_and_a_changed_one_anew():
    frame = pd.DataFrame({"x": column(["a", "b"] * 3)})
    once = text_codes(frame["x"])
    assert text_codes(frame.assign(y=1)["x"]) is once
    frame.loc[0, "x"] = "c"
    assert text_codes(frame["x"]).texts.to_pylist() == ["c", "b", "a"]
    assert text_codes(frame["x"].iloc[2:]).codes.tolist() == [0, 1, 0, 1]
    with pytest.raises(ValueError, match="read-only"):
        once.codes[0] = 1


@pytest.mark.thorough("0.4 s")
def test_codes_go_with_their_column():
    values = column(["a", "b"] * 3)
    gc.collect()  # columns of other tests
    before = len(module._KNOWN)
    text_codes(values)
    assert len(module._KNOWN) == before + 1
    del values
    gc.collect()
    assert len(module._KNOWN) == before


def test_a_column_of_many_texts_has_none_for_who_needs_the_texts_alone():
    many = column([str(number) for number in range(5_000)])
    assert codes_of_few_texts(many) is None
    assert codes_of_few_texts(pd.Series([1, 2])) is None
    few = column([str(number % 9) for number in range(5_000)])
    assert codes_of_few_texts(few).texts.to_pylist() == list("012345678")


def test_text_that_arrow_does_not_hold_is_encoded_as_well():
    values = pd.Series(["b", None, "a", "b"], dtype=pd.StringDtype("python", na_value=np.nan))
    assert text_codes(values).codes.tolist() == [0, -1, 1, 0]


def test_texts_are_probed_at_equal_distances_whatever_the_chunks(monkeypatch):
    monkeypatch.setattr(module, "PROBED", 5)
    texts = [str(number) for number in range(23)]
    for cut in ([], [1], [4, 5], [7, 7, 22]):
        edges = [0, *cut, len(texts)]
        chunks = [texts[start:stop] for start, stop in itertools.pairwise(edges)]
        assert module._probed(pa.chunked_array(chunks, pa.large_string())).to_pylist() == texts[::4]


def encoded_and_plain(texts: list) -> tuple[pd.Series, pd.Series]:
    """A column that came encoded, and the same as pandas has it."""
    codes = TextCodes.of(pa.chunked_array([pa.array(texts, pa.large_string())]))
    return column_of_codes(codes.texts, codes), column(texts)


ASKED = {
    "length": len,
    "missing": lambda one: one.isna(),
    "one by one": lambda one: [one.iloc[0], one.iloc[-1], one[3]],
    "a list": lambda one: one.tolist(),
    "rows": lambda one: one.iloc[[2, 0, -1]],
    "no rows": lambda one: one.iloc[[]],
    "a slice": lambda one: one[1:6:2],
    "backwards": lambda one: one[::-1],
    "a mask": lambda one: one[one == "b"],
    "other rows": lambda one: one.reindex([5, 99, 0]),
    "shifted": lambda one: one.shift(1),
    "filled": lambda one: one.fillna("none"),
    "where": lambda one: one.where(one != "a", "z"),
    "letters": lambda one: one.str.upper(),
    "counts": lambda one: one.value_counts(),
    "codes": lambda one: pd.factorize(one)[0],
    "groups": lambda one: one.groupby(one).size(),
    "sorted": lambda one: one.sort_values(),
    "joined": lambda one: pd.concat([one, one.str.upper()]),
    "merged": lambda one: one.to_frame("x").merge(one.to_frame("x").drop_duplicates(), on="x"),
    "copied": lambda one: one.copy(),
    "stored": lambda one: pickle.loads(pickle.dumps(one)),
    "objects": lambda one: one.to_numpy(dtype=object, na_value=None),
    "in a frame": lambda one: pd.DataFrame({"x": one, "y": 1}).query("y == 1").reset_index(drop=True),
    "Arrow": lambda one: pa.array(one).to_pylist(),
}


@pytest.mark.parametrize("ask", ASKED.values(), ids=ASKED)
@pytest.mark.parametrize("texts", [["a", "b", None, "a", "b", "a"], ["a", "a", "b", "b"] * 2, [None] * 6])
def test_a_column_that_came_encoded_is_like_any_other(ask, texts):
    encoded, plain = encoded_and_plain(texts)
    assert isinstance(encoded.array, EncodedTexts)
    for _ in range(2):  # before and after the texts were made
        found, expected = ask(encoded), ask(plain)
        if isinstance(expected, pd.Series):
            pd.testing.assert_series_equal(found, expected)
        elif isinstance(expected, pd.DataFrame):
            pd.testing.assert_frame_equal(found, expected)
        else:
            np.testing.assert_array_equal(found, expected)


def test_a_column_that_came_encoded_is_changed_by_itself():
    encoded, plain = encoded_and_plain(["a", "b", "a", "b"])
    frame, other = pd.DataFrame({"x": encoded}), encoded.copy()
    for one in (frame["x"], other):
        assert text_codes(one) is encoded.array.known
    frame.loc[1, "x"] = "c"
    assert frame["x"].tolist() == ["a", "c", "a", "b"]
    assert text_codes(frame["x"]).texts.to_pylist() == ["a", "c", "b"]
    pd.testing.assert_series_equal(encoded, plain)
    pd.testing.assert_series_equal(other, plain)
    with pytest.raises(IndexError):
        encoded.iloc[[4]]
    with pytest.raises(ValueError, match="read-only"):
        encoded.array.known.codes[0] = 1


def test_other_texts_stand_for_those_that_were_read():
    codes = TextCodes.of(pa.chunked_array([pa.array(["a ", None, "", "a", "b"] * 2, pa.large_string())]))
    found = column_of_codes(pa.array(["a", None, "a", "b"], pa.large_string()), codes)
    assert found.tolist() == column(["a", None, None, "a", "b"] * 2).tolist()
    assert text_codes(found).codes.tolist() == [0, -1, -1, 0, 1] * 2
    assert codes.people.tolist() == [2, 2, 2, 2, 2]
    many = column_of_codes(pa.array(["a", "", "c", "b"], pa.large_string()), TextCodes(codes.codes[:5], codes.texts))
    assert not isinstance(many.array, EncodedTexts)
