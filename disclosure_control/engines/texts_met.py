"""The distinct texts of a column that is read piece by piece, as they stand in the file, however many there are."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from disclosure_control.basics.faults import FaultyInputError
from disclosure_control.basics.text_hashes import hashes_of_texts

MISSING = 0  # the code of a missing value


class TextsMet:
    """Distinct texts met so far and how many records have each, ``n_records`` (n_texts,); the first one is missing.

    A text is found again by a number that is calculated from it, and compared: looking up some texts costs the same
    however many there are.
    """

    def __init__(self) -> None:
        self._pieces: list[pa.Array] = [pa.nulls(1, pa.large_string())]
        self._hashes = np.empty(0, dtype=np.uint64)  # rising
        self._codes = np.empty(0, dtype=np.int32)  # beside them
        self._n_records = np.zeros(1, dtype=np.int64)
        self._n = 1

    def __len__(self) -> int:
        return self._n

    @property
    def n_records(self) -> np.ndarray:
        """How many records have each text."""
        return self._n_records[: self._n]

    @property
    def texts(self) -> pa.Array:
        """The texts in the order of their codes, the first one missing."""
        if len(self._pieces) > 1:
            self._pieces = [pa.concat_arrays(self._pieces)]
        return self._pieces[0]

    def encode(self, column: pa.LargeStringArray) -> np.ndarray:
        """The code of each value (n,), in as few bytes as the codes so far need; new texts are added."""
        encoded = column.dictionary_encode()
        code = self._codes_of(encoded.dictionary)
        codes = np.append(code, np.int32(MISSING))[encoded.indices.fill_null(len(code)).to_numpy()]
        if len(self._n_records) < self._n:
            self._n_records = np.append(self._n_records, np.zeros(max(self._n, 64), dtype=np.int64))
        self._n_records += np.bincount(codes, minlength=len(self._n_records))
        narrow: np.ndarray = codes.astype(np.min_scalar_type(self._n - 1))
        return narrow

    def _codes_of(self, texts: pa.LargeStringArray) -> np.ndarray:
        hashes = hashes_of_texts(texts)
        place = np.searchsorted(self._hashes, hashes)
        is_known = np.zeros(len(texts), dtype=bool)
        within = place < len(self._hashes)
        is_known[within] = self._hashes[place[within]] == hashes[within]
        code = np.empty(len(texts), dtype=np.int32)
        code[is_known] = self._codes[place[is_known]]
        if is_known.any():
            known = self.texts.take(pa.array(code[is_known]))
            self._check(known.equals(texts.filter(pa.array(is_known))))
        if not is_known.all():
            new = np.flatnonzero(~is_known)
            new = new[np.argsort(hashes[new], kind="stable")]
            self._check(bool((np.diff(hashes[new]) > 0).all()))
            code[new] = np.arange(self._n, self._n + len(new))
            self._hashes = np.insert(self._hashes, place[new], hashes[new])
            self._codes = np.insert(self._codes, place[new], code[new])
            self._pieces.append(texts.take(pa.array(new)))
            self._n += len(new)
        return code

    def _check(self, is_so: bool) -> None:
        if not is_so:  # once in a hundred thousand files of ten million different texts
            raise FaultyInputError("two different texts have one hash; run again with --engine memory")

    def forget_hashes(self) -> None:
        """Give the memory back that only reading needs: nothing can be encoded afterwards."""
        self._hashes, self._codes = self._hashes[:0], self._codes[:0]


def sums_of_texts(texts: pa.Array, n_records: np.ndarray) -> tuple[pa.Array, np.ndarray]:
    """Distinct texts but for the missing ones, and how many records have each, of texts that may repeat."""
    encoded = texts.dictionary_encode()
    indices = pc.fill_null(encoded.indices, len(encoded.dictionary)).to_numpy()
    sums = np.bincount(indices, weights=n_records, minlength=len(encoded.dictionary) + 1)[:-1].astype(np.int64)
    return encoded.dictionary, sums
