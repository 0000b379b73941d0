"""What is kept by a column's content: found once for the same content, anew for any other, and never too much of it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa

from disclosure_control.basics.encoding.text_codes import column_of_codes, text_codes
from disclosure_control.basics.kept import Kept, print_of


def test_the_same_is_found_once_and_the_oldest_is_forgotten():
    kept, asked = Kept(most=2), []

    def found(name):
        return kept.of(name, lambda: asked.append(name) or [name])

    assert [found(name) for name in "abab"] == [["a"], ["b"], ["a"], ["b"]]
    found("a"), found("c")  # b is asked for longest ago
    found("a"), found("b")
    assert asked == ["a", "b", "c", "b"]


def test_nothing_that_was_found_by_one_is_known_to_another():
    assert Kept().of("a", lambda: 1) == 1
    assert Kept().of("a", lambda: 2) == 2


TEXTS = pd.Series(["x", "y", None, "x"], dtype="str")
OTHERS = {
    "another order": TEXTS[::-1].reset_index(drop=True),
    "another text": TEXTS.replace("y", "z"),
    "a text in place of none": TEXTS.fillna("nan"),
    "a row less": TEXTS[:3],
    "numbers": pd.Series([0.0, 1.0, np.nan, 0.0]),
    "whole numbers": pd.Series([0, 1, -1, 0]),
    "two columns": TEXTS,
}


def test_prints_differ_where_contents_do():
    prints = {name: print_of(column, *([TEXTS] if name == "two columns" else [])) for name, column in OTHERS.items()}
    assert len({print_of(TEXTS), *prints.values()}) == len(OTHERS) + 1


def test_prints_are_those_of_the_content_and_not_of_its_memory():
    again = pd.concat([TEXTS[:2], TEXTS[2:]], ignore_index=True)
    encoded = column_of_codes(text_codes(TEXTS).texts, text_codes(TEXTS))
    assert print_of(TEXTS) == print_of(again) == print_of(encoded) == print_of(TEXTS.astype(object))
    longer = pa.array(["w", "x", "y"], pa.large_string())
    assert print_of(longer.slice(1)) == print_of(pa.array(["x", "y"], pa.large_string()))
    numbers = np.arange(8.0)
    assert print_of(numbers[::2]) == print_of(numbers[::2].copy()) != print_of(numbers[:4])
