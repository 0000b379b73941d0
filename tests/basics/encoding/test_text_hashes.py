"""Hashes of texts of every length: other tests are beside what uses them, in tests/records/test_scan_by_engine.py."""

from __future__ import annotations

import pyarrow as pa

from disclosure_control.basics.encoding.text_hashes import hashes_of_texts


def hashes(*texts: str) -> list[int]:
    return hashes_of_texts(pa.array(texts, pa.large_string())).tolist()


def test_texts_that_are_filled_up_with_blanks_have_hashes_of_their_own():
    for width in (20, 512, 513, 600, 40_000):
        texts = [f"{word:{width}}" for word in ("headache", "fever", "Fever", "")]
        assert len(set(hashes(*texts))) == len(texts)


def test_every_letter_tells_in_texts_of_any_length():
    for length in (1, 7, 8, 9, 511, 512, 513, 520, 1025, 40_000):
        text = "abcdefg" * (length // 7 + 1)
        places = sorted({0, 1, length // 3, length - 9, length - 1} & set(range(length)))
        changed = [text[:place] + "x" + text[place + 1 : length] for place in places]
        texts = [text[:length], text[: length - 1], text[: length + 1], *changed]
        assert len(set(hashes(*texts))) == len(set(texts))
