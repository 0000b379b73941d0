"""A number for each text, the same in every run and in whatever order the texts come."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

_AT_ONCE = 1 << 14  # texts, few enough for what is calculated to stay in the processor's cache
_ODD = np.uint64(0x9E3779B97F4A7C15)
_OF_BYTE = np.random.default_rng(20261122).integers(0, 2**64, 256, dtype=np.uint64)


def hashes_of_texts(values: pa.Array) -> np.ndarray:
    """A number (n,) of every letter and its place in each text (n,) of ``large_string``; missing is an empty text.

    Sum of letter x odd^place modulo 2^64, of all texts at once by running sums, and mixed.
    """
    if not len(values):
        return np.zeros(0, dtype=np.uint64)
    offsets = np.frombuffer(values.buffers()[1], dtype=np.int64)[values.offset : values.offset + len(values) + 1]
    letters = np.frombuffer(values.buffers()[2] or b"", dtype=np.uint8)
    hashes = np.empty(len(values), dtype=np.uint64)
    for start in range(0, len(values), _AT_ONCE):
        ends = offsets[start : start + _AT_ONCE + 1]
        hashes[start : start + _AT_ONCE] = _of_some(letters[ends[0] : ends[-1]], ends - ends[0])
    return hashes


def _of_some(letters: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    power = np.cumprod(np.full(len(letters) + 1, _ODD))  # odd^1, odd^2, ... by places of all texts behind each other
    sums = np.zeros(len(letters) + 1, dtype=np.uint64)
    np.cumsum(_OF_BYTE[letters] * power[:-1], out=sums[1:])
    starts, ends = offsets[:-1], offsets[1:]
    # Back to the places of each text: by the inverse of the power at its start, the power of what comes behind.
    inverse = np.cumprod(np.full(len(letters) + 1, pow(int(_ODD), -1, 2**64), dtype=np.uint64))
    return mixed((sums[ends] - sums[starts]) * inverse[starts] + (ends - starts).astype(np.uint64))


def mixed(numbers: np.ndarray) -> np.ndarray:
    """Whole numbers (n,) of 64 bits whose order tells nothing of the numbers they are made from."""
    made = numbers * _ODD
    made = (made ^ (made >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
    return made ^ (made >> np.uint64(29))
