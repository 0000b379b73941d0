"""Distinct texts of a column that was read in ranges, each with a list of its own: one list for all of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from disclosure_control.basics.encoding.columns import encode_column
from disclosure_control.records.dictionary import CountedTexts
from disclosure_control.records.sampled_texts import SampledTexts
from disclosure_control.records.spill import SpilledRecords, records_in

TEXTS_AT_ONCE = 1 << 20  # as many wait before they are joined to the list
SCHEMA = pa.schema([("text", pa.large_string()), ("people", pa.int64()), ("first_record", pa.int64())])


class JoinedTexts:
    """Lists of texts, joined in the order of their records, the missing text first in each.

    Of more than ``n_most`` different texts a sample of at most ``n_sampled`` is kept, and ``codes`` are given up.
    """

    def __init__(self, n_most: int | None = None, n_sampled: int = 0):
        self._n_most, self._n_sampled = n_most, n_sampled
        self._joined = CountedTexts(pa.nulls(1, pa.large_string()), np.zeros(1, np.int64), np.full(1, -1))
        self._waiting: list[CountedTexts] = []
        self._n_waiting = 0
        self._codes: list[np.ndarray] = []
        self._sampled: SampledTexts | None = None
        self.n_levels_at_least = 0  # 0 where the texts were not given up

    def add(self, texts: CountedTexts) -> None:
        """Join the texts of later records."""
        if self._sampled is not None:
            self._sampled.add_counted(_without_missing(texts))
            return
        self._waiting.append(texts)
        self._n_waiting += len(texts.texts)
        if self._n_waiting > max(TEXTS_AT_ONCE, len(self._joined.texts)):
            self._join()

    def all_texts(self) -> CountedTexts:
        """Every text, the missing one first, in the order in which they are met."""
        self._join()
        return self._joined

    def codes(self) -> np.ndarray:
        """For each text that was added, one list after the other, its place in ``all_texts``; none if given up."""
        self._join()
        return np.concatenate([np.zeros(0, np.int64), *self._codes])

    def counted(self) -> CountedTexts:
        """The texts but for the missing one, or the sample of them."""
        self._join()
        return _without_missing(self._joined) if self._sampled is None else self._sampled.counted()

    def _join(self) -> None:
        if not self._waiting:
            return
        lists, self._waiting, self._n_waiting = [self._joined, *self._waiting], [], 0
        encoded = pa.concat_arrays([one.texts for one in lists]).dictionary_encode(null_encoding="encode")
        code = encoded.indices.to_numpy()
        n_texts = len(encoded.dictionary)
        people = np.zeros(n_texts, dtype=np.int64)
        np.add.at(people, code, np.concatenate([one.people for one in lists]))
        of_lists = np.concatenate([one.first_record for one in lists])
        first_record, rows = np.full(n_texts, -1), np.flatnonzero(of_lists >= 0)[::-1]
        first_record[code[rows]] = of_lists[rows]  # of several lists with a text the first is written last
        self._codes.append(code[len(self._joined.texts) :].astype(np.int64))
        self._joined = CountedTexts(encoded.dictionary, people, first_record)
        if self._n_most is not None and n_texts > self._n_most:
            self.n_levels_at_least = n_levels(self._joined)
            self._sampled = SampledTexts(_without_missing(self._joined), 0, self._n_sampled)
            self._codes.clear()


def levels_of_texts(texts: CountedTexts) -> np.ndarray:
    """The level of each text (n_texts,), as ``encode_column`` tells values apart, missing being 0."""
    return encode_column(_column(texts)).codes.astype(np.int64) + 1


def n_levels(texts: CountedTexts) -> int:
    """How many levels texts have, missing being one."""
    return len(encode_column(_column(texts)).labels) + 1


def _column(texts: CountedTexts) -> pd.Series:
    return pd.Series(pd.array(pa.chunked_array([texts.texts]), dtype="str"))


def _without_missing(texts: CountedTexts) -> CountedTexts:
    return CountedTexts(texts.texts[1:], texts.people[1:], texts.first_record[1:], texts.share_at_hand)


def put_texts(path: Path, texts: CountedTexts) -> None:
    """Write texts to a file; what share they are of all is not in it."""
    spilled = SpilledRecords(path, SCHEMA)
    columns = [texts.texts, pa.array(texts.people), pa.array(texts.first_record)]
    spilled.append(pa.RecordBatch.from_arrays(columns, schema=SCHEMA))
    spilled.close()


def texts_in(path: Path, first_number: int = 0, share_at_hand: float = 1.0) -> CountedTexts:
    """The texts of a file, of records that are numbered from ``first_number`` on."""
    (records,) = records_in(path)
    first_record = records.column(2).to_numpy()
    return CountedTexts(
        records.column(0),
        records.column(1).to_numpy(),
        np.where(first_record < 0, -1, first_record + first_number),
        share_at_hand,
    )
