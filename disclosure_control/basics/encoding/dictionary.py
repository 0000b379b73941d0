"""Distinct texts with a code for each, found again by their hashes; what a hash finds is compared letter by letter.

For five million ids Arrow's own table takes half a gigabyte, that of pandas twice as much.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
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
    """Which of the ``hashes`` (n,) belong to something known, and its position, some pairs at a time.

    ``known`` (n_known,) are ascending hashes; ``is_same`` compares what positions in ``hashes`` and in ``known``
    represent, so that the right one of several with one hash is found.
    """
    left = np.argsort(hashes) if len(known) else np.zeros(0, dtype=np.int64)  # found fastest as they rise
    at = np.searchsorted(known, hashes[left])
    while len(left):
        is_alike = (known[np.minimum(at, len(known) - 1)] == hashes[left]) & (at < len(known))
        left, at = left[is_alike], at[is_alike]
        same = is_same(left, at)
        yield left[same], at[same]
        left, at = left[~same], at[~same] + 1


@dataclass(frozen=True)
class _Run:
    """Texts with the codes from ``first`` on; their ``hashes`` rise, and ``place`` is that of each one's text."""

    first: int
    texts: pa.LargeStringArray
    hashes: np.ndarray
    place: np.ndarray

    def followed_by(self, other: _Run) -> _Run:
        """This run and the one of the codes after it as one."""
        hashes = np.concatenate([self.hashes, other.hashes])
        order = np.argsort(hashes, kind="stable")
        place = np.concatenate([self.place, other.place + np.int32(len(self.place))])
        return _Run(self.first, pa.concat_arrays([self.texts, other.texts]), hashes[order], place[order])


class Dictionary:
    """Distinct texts, none missing, each with a code: from 0 on, in the order in which they came.

    Texts are kept in runs, each at least twice as long as the next one: what it costs to add some grows with the
    logarithm of the number of texts, and each text is copied as often as that.
    """

    def __init__(self, texts: Texts = ()):
        self._runs: list[_Run] = []
        self._n = 0
        given = as_texts(texts)
        self._add(given, hashes_of_texts(given))

    def __len__(self) -> int:
        return self._n

    @property
    def texts(self) -> pa.LargeStringArray:
        """The texts (n_texts,) in the order of their codes."""
        return pa.concat_arrays([pa.array([], pa.large_string()), *(run.texts for run in self._runs)])

    def encode(self, texts: pa.LargeStringArray) -> np.ndarray:
        """The code of each of some distinct texts (n,), none missing; those that are not known yet are added."""
        hashes = hashes_of_texts(texts)
        codes = self._positions(texts, hashes)
        new = np.flatnonzero(codes < 0)
        codes[new] = np.arange(self._n, self._n + len(new))
        self._add(texts.take(pa.array(new)), hashes[new])
        return codes

    def positions(self, texts: Texts) -> np.ndarray:
        """The code of each text (n,), -1 of those that are not known and of missing ones."""
        given = as_texts(texts)
        blocks = (given.slice(at, TEXTS_AT_ONCE) for at in range(0, len(given), TEXTS_AT_ONCE))
        found = [self._positions(block, hashes_of_texts(block)) for block in blocks]
        return np.concatenate([np.zeros(0, dtype=np.int64), *found])

    def _positions(self, texts: pa.LargeStringArray, hashes: np.ndarray) -> np.ndarray:
        codes, left = np.full(len(texts), -1), np.arange(len(texts))
        for run in self._runs:

            def is_same(asked: np.ndarray, at: np.ndarray, run: _Run = run, left: np.ndarray = left) -> np.ndarray:
                same = pc.equal(run.texts.take(pa.array(run.place[at])), texts.take(pa.array(left[asked])))
                return np.asarray(same.fill_null(False).to_numpy(zero_copy_only=False))

            for asked, at in found_by_hash(run.hashes, hashes[left], is_same):
                codes[left[asked]] = run.first + run.place[at]
            left = left[codes[left] < 0]
        return codes

    def _add(self, texts: pa.LargeStringArray, hashes: np.ndarray) -> None:
        if not len(texts):
            return
        place = np.argsort(hashes, kind="stable").astype(np.int32)
        hashes.sort()
        self._runs.append(_Run(self._n, texts, hashes, place))
        self._n += len(texts)
        while len(self._runs) > 1 and len(self._runs[-2].place) < 2 * len(self._runs[-1].place):
            last = self._runs.pop()
            self._runs[-1] = self._runs[-1].followed_by(last)
