"""A sample of the distinct texts of a column that has too many of them, and everybody who has one of these."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from disclosure_control.basics.encoding.text_hashes import hashes_of_texts, is_in_sample
from disclosure_control.records.dictionary import CountedTexts
from study.formats.values import clean_values


class SampledTexts:
    """The distinct texts with the smallest hashes, at most ``n_most``.

    Which they are depends on all texts, and not on their order. It begins with all that were ``counted`` among the
    ``n_read`` records so far. A text whose hash is below the limit was counted from the first record on, as the limit
    only falls. Source: Gibbons, Distinct sampling, VLDB 2001.
    """

    def __init__(self, counted: CountedTexts, n_read: int, n_most: int):
        self._n_read, self._n_most, self._halvings = n_read, n_most, 0
        self._counted = counted
        self._shrink()

    def add(self, column: pa.Array) -> None:
        """Count the values of one more block."""
        encoded = column.dictionary_encode(null_encoding="encode")
        texts, row_of_text = clean_values(encoded.dictionary), np.empty(len(encoded.dictionary), dtype=np.int64)
        codes = encoded.indices.to_numpy()
        row_of_text[codes[::-1]] = np.arange(len(codes))[::-1]
        people = np.bincount(codes, minlength=len(texts))
        counted = CountedTexts(texts, people, row_of_text + self._n_read)
        self.add_counted(counted.some(np.asarray(texts.is_valid())))
        self._n_read += len(codes)

    def add_counted(self, counted: CountedTexts) -> None:
        """Count texts of later records, none missing, that were counted already."""
        before, more = self._counted, counted.some(self._is_in(counted.texts))
        if not len(more.texts):
            return
        joined = pa.concat_arrays([before.texts, more.texts]).dictionary_encode()
        code = joined.indices.to_numpy()
        first_record = np.empty(len(joined.dictionary), dtype=np.int64)
        first_record[code[::-1]] = np.append(before.first_record, more.first_record)[::-1]
        n_people = np.bincount(code, np.append(before.people, more.people)).astype(np.int64)
        self._counted = CountedTexts(joined.dictionary, n_people, first_record)
        self._shrink()

    def counted(self) -> CountedTexts:
        """The sample as it is after the blocks so far."""
        counted = self._counted
        return CountedTexts(counted.texts, counted.people, counted.first_record, 0.5**self._halvings)

    def _is_in(self, texts: pa.Array) -> np.ndarray:
        return is_in_sample(hashes_of_texts(texts), self._halvings)

    def _shrink(self) -> None:
        while len(self._counted.texts) > self._n_most:
            self._halvings += 1
            self._counted = self._counted.some(self._is_in(self._counted.texts))
