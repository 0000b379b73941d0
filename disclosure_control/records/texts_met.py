"""The distinct texts of a column that is read piece by piece, as they stand in the file, however many there are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from disclosure_control.basics.encoding.text_hashes import hashes_of_texts
from disclosure_control.basics.telling.faults import FaultyInputError

MISSING = 0  # the code of a missing value


@dataclass(frozen=True)
class Run:
    """Texts with the codes from ``first`` on; their ``hashes`` rise, and ``place`` is that of each one's text."""

    first: int
    texts: pa.LargeStringArray
    hashes: np.ndarray
    place: np.ndarray

    def __len__(self) -> int:
        return len(self.hashes)

    def followed_by(self, other: Run) -> Run:
        """This run and the one of the codes after it as one."""
        hashes = np.concatenate([self.hashes, other.hashes])
        order = np.argsort(hashes, kind="stable")
        place = np.concatenate([self.place, other.place + np.int32(len(self))])
        return Run(self.first, pa.concat_arrays([self.texts, other.texts]), hashes[order], place[order])


class TextsMet:
    """Distinct texts of a ``column`` met so far and how many records have each, ``n_records`` (n_texts,).

    The first one is missing; ``column`` is how a fault names it. A text is found again by a number that is calculated
    from it, and compared. Texts are kept in runs, each at least twice as long as the next one: what a block costs grows
    with the logarithm of the number of texts, and each text is copied as often as that.
    """

    def __init__(self, column: str) -> None:
        self._column = column
        self._runs: list[Run] = []
        self._n_records = np.zeros(1, dtype=np.int64)
        self._n = 1

    def __len__(self) -> int:
        return self._n

    @property
    def n_records(self) -> np.ndarray:
        """How many records have each text."""
        return self._n_records[: self._n]

    def hand_over(self) -> pa.Array:
        """The texts in the order of their codes, the first one missing: nothing can be encoded afterwards."""
        runs, self._runs = self._runs, []
        return pa.concat_arrays([pa.nulls(1, pa.large_string()), *(run.texts for run in runs)])

    def encode(self, column: pa.LargeStringArray | pa.DictionaryArray) -> np.ndarray:
        """The code of each value (n,), in as few bytes as the codes so far need; new texts are added.

        A ``column`` may come with its distinct texts, each of which some value is.

        Raises ``FaultyInputError`` where two texts have one hash.
        """
        encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
        code = np.append(self._codes_of(encoded.dictionary), np.int32(MISSING))
        indices = encoded.indices.fill_null(len(code) - 1).to_numpy()
        if len(self._n_records) < self._n:
            self._n_records = np.append(self._n_records, np.zeros(max(self._n, 64), dtype=np.int64))
        self._n_records[code] += np.bincount(indices, minlength=len(code))
        narrow: np.ndarray = code[indices].astype(np.min_scalar_type(self._n - 1))
        return narrow

    def _codes_of(self, texts: pa.LargeStringArray) -> np.ndarray:
        hashes = hashes_of_texts(texts)
        code = np.empty(len(texts), dtype=np.int32)
        unknown = np.argsort(hashes, kind="stable")  # rising hashes are looked up fastest
        for run in self._runs:
            place = np.searchsorted(run.hashes, hashes[unknown])
            place[place == len(run)] = 0
            is_known = run.hashes[place] == hashes[unknown]
            found, place = unknown[is_known], run.place[place[is_known]]
            self._check(run.texts.take(pa.array(place)).equals(texts.take(pa.array(found))))
            code[found] = run.first + place
            unknown = unknown[~is_known]
        if len(unknown):
            code[unknown] = np.arange(self._n, self._n + len(unknown))
            self._add(texts.take(pa.array(unknown)), hashes[unknown])
        return code

    def _add(self, texts: pa.LargeStringArray, hashes: np.ndarray) -> None:
        """Texts that were not met, by rising hashes."""
        self._check(bool((np.diff(hashes) > 0).all()))
        self._runs.append(Run(self._n, texts, hashes, np.arange(len(texts), dtype=np.int32)))
        self._n += len(texts)
        while len(self._runs) > 1 and len(self._runs[-2]) < 2 * len(self._runs[-1]):
            last = self._runs.pop()
            self._runs[-1] = self._runs[-1].followed_by(last)

    def _check(self, is_so: bool) -> None:
        if not is_so:  # once in a hundred thousand columns of ten million different texts
            raise FaultyInputError(f"{self._column}: two different texts have one hash; run again with --engine memory")


def sums_of_texts(texts: pa.Array, n_records: np.ndarray) -> tuple[pa.Array, np.ndarray]:
    """Distinct texts but for the missing ones, and how many records have each, of texts that may repeat."""
    encoded = texts.dictionary_encode()
    indices = pc.fill_null(encoded.indices, len(encoded.dictionary)).to_numpy()
    sums = np.bincount(indices, weights=n_records, minlength=len(encoded.dictionary) + 1)[:-1].astype(np.int64)
    return encoded.dictionary, sums
