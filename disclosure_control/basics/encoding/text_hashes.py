"""A number for each text, the same in every run and in whatever order the texts come."""

from __future__ import annotations

import hashlib

import numpy as np
import pyarrow as pa

_AT_ONCE = 1 << 14  # texts, few enough for the results to stay in the processor's cache
_WORD = 8  # bytes
_LONG = 512  # bytes; of longer texts one after the other is hashed
_ODD = np.uint64(0x9E3779B97F4A7C15)
LARGEST = 2**64 - 1


def hashes_of_texts(values: pa.Array) -> np.ndarray:
    """A number (n,) of all letters of each text (n,) of ``large_string``; missing is like an empty text."""
    if not len(values):
        return np.zeros(0, dtype=np.uint64)
    offsets = np.frombuffer(values.buffers()[1], dtype=np.int64)[values.offset : values.offset + len(values) + 1]
    letters = np.frombuffer(values.buffers()[2] or b"", dtype=np.uint8)
    hashes = np.empty(len(values), dtype=np.uint64)
    for start in range(0, len(values), _AT_ONCE):
        ends = offsets[start : start + _AT_ONCE + 1]
        before = max(int(ends[0]) - _WORD, 0)
        some = (
            letters[before : ends[-1]]
            if ends[0] >= _WORD
            else np.append(np.zeros(_WORD, np.uint8), letters[: ends[-1]])
        )
        within = ends - ends[0] + (_WORD if ends[0] >= _WORD else ends[0] + _WORD)
        hashes[start : start + _AT_ONCE] = _of_some(some, within[1:], np.diff(within))
    return hashes


def _of_some(letters: np.ndarray, ends: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """The hash of each text (n,) that ends before ``ends`` (n,); ``letters`` have a word before the first of them."""
    is_long = lengths > _LONG
    if not is_long.any():
        return _of_short(letters, ends, lengths)
    hashes = np.empty(len(ends), dtype=np.uint64)
    hashes[~is_long] = _of_short(letters, ends[~is_long], lengths[~is_long])
    texts = (letters[end - n : end] for end, n in zip(ends[is_long], lengths[is_long], strict=True))
    digests = b"".join(hashlib.blake2b(text.tobytes(), digest_size=_WORD).digest() for text in texts)
    hashes[is_long] = np.frombuffer(digests, dtype="<u8")
    return hashes


def _of_short(letters: np.ndarray, ends: np.ndarray, n_left: np.ndarray) -> np.ndarray:
    """The same, word by word from the end, of texts (n,) of few words."""
    words = np.ndarray((max(len(letters) - _WORD + 1, 0),), dtype="<u8", buffer=letters.tobytes(), strides=(1,))
    hashes = mixed(n_left.astype(np.uint64))
    texts = np.flatnonzero(n_left)
    while len(texts):
        left = n_left[texts]
        word = words[ends[texts] - _WORD]  # of fewer letters, those of the text before are shifted out
        word = word >> (8 * np.maximum(_WORD - left, 0)).astype(np.uint64)
        hashes[texts] = mixed(hashes[texts] ^ word)
        n_left, ends = n_left - _WORD, ends - _WORD
        texts = texts[left > _WORD]
    return hashes


def mixed(numbers: np.ndarray) -> np.ndarray:
    """Whole numbers (n,) of 64 bits whose order discloses nothing of the original numbers."""
    made = numbers * _ODD
    made = (made ^ (made >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
    return made ^ (made >> np.uint64(29))


def is_in_sample(hashes: np.ndarray, halvings: int) -> np.ndarray:
    """Which of the hashes (n,) are in a sample of one in 2^halvings of all texts; a smaller one is a part of it."""
    return np.asarray(hashes <= np.uint64(LARGEST >> halvings))
