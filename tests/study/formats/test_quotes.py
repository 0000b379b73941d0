"""Quotes told piece by piece, against one letter after the other."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from study.formats.quotes import END, QuoteCheck
from tests.examples import examples

EDGES = ',\r\n"'


def one_by_one(text: str) -> tuple[bool, bool]:
    """Quotes open and close in turn; each that opens follows an edge, each that closes stands before one."""
    is_open, have_breaks, are_regular = False, False, True
    for i, letter in enumerate(text):
        if letter == '"':
            is_open = not is_open
            neighbour = text[i - 1 : i] if is_open else text[i + 1 : i + 2]
            are_regular &= neighbour in EDGES  # as nothing is, at either end
        have_breaks |= is_open and letter in "\r\n"
    return are_regular and not is_open, have_breaks


@examples(100)
@given(st.text('",a\r\n', max_size=40), st.integers(1, 5))
@example("", 1)
@example('"a\n",a', 3)
@example('"aa","a"\n', 3)
@example('"', 4)
@example('"a"b', 3)
def test_quotes_are_told_as_letter_by_letter(text, n):
    letters = np.frombuffer(text.encode(), dtype=np.uint8)
    found = QuoteCheck(",")
    are_regular = all(map(found.are_regular, (*(letters[i : i + n] for i in range(0, len(letters), n)), END)))
    wanted, have_breaks = one_by_one(text)
    assert (are_regular and found.n_quotes % 2 == 0) == wanted
    assert not wanted or found.have_breaks == have_breaks
