"""Quotes told sixty-four letters at once, against one letter after the other."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from study.formats.quotes import Quotes, quotes_of
from tests.examples import examples

EDGES = ',\r\n"'


def one_by_one(text: str) -> Quotes:
    """Quotes open and close in turn; each that opens follows an edge, each that closes stands before one."""
    is_open, have_breaks, are_regular = False, False, True
    for i, letter in enumerate(text):
        if letter == '"':
            is_open = not is_open
            neighbour = text[i - 1 : i] if is_open else text[i + 1 : i + 2]
            are_regular &= neighbour in EDGES  # as nothing is, at either end
        have_breaks |= is_open and letter in "\r\n"
    return Quotes(are_regular and not is_open, have_breaks)


@examples(150)
@given(st.text('",a\r\n', max_size=70), st.integers(0, 140))
@example("", 0)
@example('"a\n', 63)  # the break is the first letter of the next block
@example('"', 63)
@example('"",', 62)
@example('"a"b', 61)
def test_quotes_are_told_as_letter_by_letter(text, n_before):
    text = "b" * (n_before - 1) + "," * bool(n_before) + text
    found = quotes_of(np.frombuffer(text.encode(), dtype=np.uint8), ",", block=64)
    wanted = one_by_one(text)
    assert found.are_regular == wanted.are_regular
    assert found == wanted or not wanted.are_regular


def test_the_last_block_may_end_anywhere():
    for n in range(1, 200):
        text = np.frombuffer(b'"' + b"a" * n + b'"\n', dtype=np.uint8)
        assert quotes_of(text, ",", block=128) == Quotes(True, False), n
        assert not quotes_of(text[:-2], ",", block=128).are_regular, n
