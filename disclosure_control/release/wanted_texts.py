"""Very many texts that are searched for as parts of others, by hashes; whatever these find is compared by letters."""

from __future__ import annotations

from collections.abc import Iterator

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


class Wanted:
    """Texts that are searched in many others, by rolling hashes of each length that occurs among them.

    The time depends on the letters of the searched texts, not on the number of wanted ones.
    """

    def __init__(self, wanted: Texts):
        texts = as_texts(wanted)
        n_bytes = pc.binary_length(texts).to_numpy(zero_copy_only=False)
        self._words = [_Words(texts.filter(pa.array(n_bytes == length))) for length in np.unique(n_bytes[n_bytes > 0])]

    def held_by(self, texts: Texts) -> np.ndarray:
        """Which of the texts (n,) contain any of the wanted ones, as (n,) of bool."""
        given = as_texts(texts)
        if not self._words:
            return np.zeros(len(given), dtype=bool)
        return np.concatenate([np.zeros(0, dtype=bool), *map(self._held_by, blocks_of(given))])

    def _held_by(self, texts: pa.LargeStringArray) -> np.ndarray:
        found, letters = np.zeros(len(texts), dtype=bool), _letters(texts)
        ends = _offsets(texts)[1:] - _offsets(texts)[0]
        hashes = _RollingHashes(letters)
        for words in self._words:
            if words.length > len(letters):
                break
            places = words.places(letters, hashes.of_length(words.length))
            text = np.searchsorted(ends, places, side="right")
            found[text[places + words.length <= ends[text]]] = True  # others begin in one text and end in the next
        return found


class _Words:
    """Words of one length in bytes, by rising hashes; ``_is_marked`` is a quick no to most of others' hashes."""

    def __init__(self, words: pa.LargeStringArray):
        letters = _letters(words).reshape(len(words), -1)
        self.length = letters.shape[1]
        hashes = _hashes_of(letters)
        order = np.argsort(hashes, kind="stable")
        self._hashes, self._letters = hashes[order], letters[order]
        n_marks = min(1 << (16 * len(words)).bit_length(), _MOST_MARKS)
        self._shift = np.uint64(64 - (n_marks.bit_length() - 1))
        self._is_marked = np.zeros(n_marks, dtype=bool)
        self._is_marked[mixed(hashes) >> self._shift] = True

    def places(self, letters: np.ndarray, hashes: np.ndarray) -> np.ndarray:
        """Where in the ``letters`` one of the words begins, by the hashes of all runs of their length."""
        marked = np.flatnonzero(self._is_marked[mixed(hashes) >> self._shift])
        runs = sliding_window_view(letters, self.length)

        def is_same(asked: np.ndarray, at: np.ndarray) -> np.ndarray:
            return np.asarray((runs[marked[asked]] == self._letters[at]).all(axis=1))

        found = [marked[asked] for asked, _ in found_by_hash(self._hashes, hashes[marked], is_same)]
        return np.concatenate([np.zeros(0, dtype=np.int64), *found])


def _hashes_of(words: np.ndarray) -> np.ndarray:
    hashes = np.zeros(len(words), dtype=np.uint64)
    for i in range(words.shape[1]):
        hashes = hashes * np.uint64(_HASH_BASE) + words[:, i].astype(np.uint64) + np.uint64(1)
    return hashes


class _RollingHashes:
    """A hash of each run of some length in ``letters`` (n,); equal runs have equal hashes, those of ``_hashes_of``."""

    def __init__(self, letters: np.ndarray):
        self._doubled = {1: letters.astype(np.uint64) + np.uint64(1)}

    def of_length(self, length: int) -> np.ndarray:
        """The hashes, (n - length + 1,) of uint64: put together of those of 1, 2, 4, ... letters."""
        made, n_made = None, 0
        for n_more in (1 << bit for bit in reversed(range(length.bit_length())) if length >> bit & 1):
            made = self._of_doubled(n_more) if made is None else _joined(made, self._of_doubled(n_more), n_made, n_more)
            n_made += n_more
        assert made is not None
        return made

    def _of_doubled(self, length: int) -> np.ndarray:
        if length not in self._doubled:
            half = self._of_doubled(length // 2)
            self._doubled[length] = _joined(half, half, length // 2, length // 2)
        return self._doubled[length]


def _joined(first: np.ndarray, second: np.ndarray, n_first: int, n_second: int) -> np.ndarray:
    """The hashes of runs of ``n_first`` letters and the ``n_second`` after them."""
    after = second[n_first:]
    joined: np.ndarray = first[: len(after)] * np.uint64(pow(_HASH_BASE, n_second, 1 << 64)) + after
    return joined
