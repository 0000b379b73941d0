"""Very many texts that are searched for as parts of others, by hashes; whatever these find is compared by letters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.lib.stride_tricks import sliding_window_view

from disclosure_control.basics.encoding.dictionary import TEXTS_AT_ONCE, Texts, as_texts, found_by_hash
from disclosure_control.basics.encoding.text_hashes import mixed

_LETTERS_AT_ONCE = 1 << 18  # few enough for their hashes to stay in the processor's cache
_HASH_BASE = 1_099_511_628_211
_MOST_MARKS = 1 << 27


def blocks_of(texts: pa.LargeStringArray, n_letters: int = _LETTERS_AT_ONCE) -> Iterator[pa.LargeStringArray]:
    """The texts (n,) in blocks of about ``n_letters`` together; a longer text is a block of its own."""
    start, offsets = 0, _offsets(texts)
    while start < len(texts):
        stop = int(np.searchsorted(offsets, offsets[start] + n_letters, side="right")) - 1
        stop = min(max(stop, start + 1), start + TEXTS_AT_ONCE, len(texts))
        yield texts.slice(start, stop - start)
        start = stop


def digits_of(texts: pa.LargeStringArray) -> pa.LargeStringArray:
    """The digits 0 to 9 of each text (n,), one after the other."""
    offsets, letters = _offsets(texts), _letters(texts)
    is_digit = letters - np.uint8(ord("0")) < 10  # below 0 they wrap; no other letter has such a byte in UTF-8
    ends = np.append(0, np.cumsum(is_digit))[offsets - offsets[0]]
    return pa.LargeStringArray.from_buffers(
        len(texts), pa.py_buffer(ends.astype(np.int64)), pa.py_buffer(letters[is_digit])
    )


def _offsets(texts: pa.LargeStringArray) -> np.ndarray:
    """Where each text (n + 1,) starts in the letters, and the end."""
    if not len(texts):
        return np.zeros(1, dtype=np.int64)
    return np.frombuffer(texts.buffers()[1], dtype=np.int64)[texts.offset : texts.offset + len(texts) + 1]


def _letters(texts: pa.LargeStringArray) -> np.ndarray:
    offsets = _offsets(texts)
    return np.frombuffer(texts.buffers()[2] or b"", dtype=np.uint8)[offsets[0] : offsets[-1]]


class Found(NamedTuple):
    """Places (n_found,) where a wanted text stands in another one: the number of each, and the letter next to it.

    ``before`` and ``after`` are bytes of UTF-8, 0 where the text begins or ends.
    """

    text: np.ndarray
    wanted: np.ndarray
    before: np.ndarray
    after: np.ndarray

    @staticmethod
    def together(parts: list[Found]) -> Found:
        """All of them as one."""
        numbers, letters = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.uint8)
        return Found(*(np.concatenate(each) for each in zip((numbers, numbers, letters, letters), *parts, strict=True)))


class Wanted:
    """Texts that are searched in many others, by rolling hashes of each length that occurs among them.

    The time depends on the letters of the searched texts, not on the number of wanted ones.
    """

    def __init__(self, wanted: Texts):
        texts = as_texts(wanted)
        n_bytes = pc.binary_length(texts).to_numpy(zero_copy_only=False)
        places = [np.flatnonzero(n_bytes == length) for length in np.unique(n_bytes[n_bytes > 0])]
        self._words = [_Words(texts.take(pa.array(place)), place) for place in places]

    def found_in(self, texts: Texts) -> Found:
        """Every place in the texts (n,) where one of the wanted ones stands."""
        found, n_before = list[Found](), 0
        for block in blocks_of(as_texts(texts)) if self._words else ():
            found += [one._replace(text=one.text + n_before) for one in self._found_in(block)]
            n_before += len(block)
        return Found.together(found)

    def _found_in(self, texts: pa.LargeStringArray) -> Iterator[Found]:
        letters, offsets = _letters(texts), _offsets(texts) - _offsets(texts)[0]
        around = np.concatenate([[0], letters, [0]])
        hashes, length = np.zeros(len(letters) + 1, dtype=np.uint64), 0  # of each run of so many letters
        for words in self._words:
            if words.length > len(letters):
                break
            for at in range(length, words.length):
                hashes = _longer(hashes[: len(letters) - at], letters[at:])
            length = words.length
            places, wanted = words.places(letters, hashes)
            text = np.searchsorted(offsets[1:], places, side="right")
            within = places + words.length <= offsets[text + 1]  # others begin in one text and end in the next
            places, wanted, text = places[within], wanted[within], text[within]
            before, after = around[places], around[places + words.length + 1]
            starts, ends = places == offsets[text], places + words.length == offsets[text + 1]
            yield Found(text, wanted, np.where(starts, 0, before), np.where(ends, 0, after))


class _Words:
    """Words of one length in bytes, by rising hashes; ``_is_marked`` is a quick no to most of others' hashes.

    ``number`` (n_words,) is that of each one among all that are wanted.
    """

    def __init__(self, words: pa.LargeStringArray, number: np.ndarray):
        letters = _letters(words).reshape(len(words), -1)
        self.length = letters.shape[1]
        hashes = np.zeros(len(words), dtype=np.uint64)
        for at in range(self.length):
            hashes = _longer(hashes, letters[:, at])
        order = np.argsort(hashes, kind="stable")
        self._hashes, self._letters, self._number = hashes[order], letters[order], number[order]
        n_marks = min(1 << (16 * len(words)).bit_length(), _MOST_MARKS)
        self._shift = np.uint64(64 - (n_marks.bit_length() - 1))
        self._is_marked = np.zeros(n_marks, dtype=bool)
        self._is_marked[mixed(hashes) >> self._shift] = True

    def places(self, letters: np.ndarray, hashes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Where in the ``letters`` a word begins, by the hashes of all runs of their length, and the word's number."""
        marked = np.flatnonzero(self._is_marked[mixed(hashes) >> self._shift])
        runs = sliding_window_view(letters, self.length)

        def is_same(asked: np.ndarray, at: np.ndarray) -> np.ndarray:
            return np.asarray((runs[marked[asked]] == self._letters[at]).all(axis=1))

        nothing = np.zeros(0, dtype=np.int64)
        found = [
            (marked[asked], self._number[at]) for asked, at in found_by_hash(self._hashes, hashes[marked], is_same)
        ]
        places, numbers = zip((nothing, nothing), *found, strict=True)
        return np.concatenate(places), np.concatenate(numbers)


def _longer(hashes: np.ndarray, letters: np.ndarray) -> np.ndarray:
    """The hashes (n,) of runs of letters, each with one more of the ``letters`` (n,) behind it."""
    found: np.ndarray = hashes * np.uint64(_HASH_BASE) + letters.astype(np.uint64) + np.uint64(1)
    return found
