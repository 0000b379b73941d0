"""Very many texts that are found again among others by a hash of each; what a hash finds is compared letter by letter.

For five million ids Arrow's own table takes half a gigabyte, that of pandas twice as much.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from disclosure_control.basics.encoding.text_hashes import hashes_of_texts

TEXTS_AT_ONCE = 1 << 16

Texts: TypeAlias = Iterable[str] | pd.Series | pd.Index | pa.Array


def as_texts(texts: Texts) -> pa.LargeStringArray:
    """Texts (n,) as one array of Arrow's, which for pandas' own are not copied."""
    if isinstance(texts, pa.Array):
        return texts.cast(pa.large_string())
    is_column = isinstance(texts, pd.Series | pd.Index)
    values = pa.array(texts if is_column else list(texts), pa.large_string())
    return values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values


def found_by_hash(
    known: np.ndarray, hashes: np.ndarray, is_same: Callable[[np.ndarray, np.ndarray], np.ndarray]
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Which of the ``hashes`` (n,) are those of something known, and the place of that, some pairs at a time.

    ``known`` (n_known,) are hashes that rise; ``is_same`` says of places in ``hashes`` and in ``known`` whether what
    they stand for is the same, so that of several known ones with one hash the right one is found.
    """
    left = np.argsort(hashes) if len(known) else np.zeros(0, dtype=np.int64)  # found fastest as they rise
    at = np.searchsorted(known, hashes[left])
    while len(left):
        is_alike = (known[np.minimum(at, len(known) - 1)] == hashes[left]) & (at < len(known))
        left, at = left[is_alike], at[is_alike]
        same = is_same(left, at)
        yield left[same], at[same]
        left, at = left[~same], at[~same] + 1


class KnownTexts:
    """Distinct ``texts`` (n_known,), none missing, that are found again in many others."""

    def __init__(self, texts: Texts):
        self._texts = as_texts(texts)
        self._hashes = hashes_of_texts(self._texts)
        self._place = np.argsort(self._hashes, kind="stable").astype(np.int32)
        self._hashes.sort()

    def __len__(self) -> int:
        return len(self._texts)

    def positions(self, texts: Texts) -> np.ndarray:
        """The place of each text (n,) among the known ones, -1 of others and of missing ones."""
        given = as_texts(texts)
        found = [self._positions(given.slice(at, TEXTS_AT_ONCE)) for at in range(0, len(given), TEXTS_AT_ONCE)]
        return np.concatenate([np.zeros(0, dtype=np.int64), *found])

    def _positions(self, texts: pa.LargeStringArray) -> np.ndarray:
        def is_same(asked: np.ndarray, at: np.ndarray) -> np.ndarray:
            same = pc.equal(self._texts.take(pa.array(self._place[at])), texts.take(pa.array(asked)))
            return np.asarray(same.fill_null(False).to_numpy(zero_copy_only=False))

        found = np.full(len(texts), -1)
        for asked, at in found_by_hash(self._hashes, hashes_of_texts(texts), is_same):
            found[asked] = self._place[at]
        return found
