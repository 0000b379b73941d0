"""The distinct texts of a column that is read piece by piece, and how many people have each."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from study.formats.values import clean_values

MISSING = 0  # the code of a missing value


@dataclass(frozen=True)
class CountedTexts:
    """Distinct ``texts`` of a column: ``people`` (n,) have each, and ``first_record`` (n,) is the first one with it.

    ``share_at_hand`` in (0, 1]: about how many of all distinct texts these are, all or a sample.
    """

    texts: pa.Array = field(repr=False)
    people: np.ndarray
    first_record: np.ndarray
    share_at_hand: float = 1.0

    def some(self, kept: np.ndarray) -> CountedTexts:
        """Those of the texts that are ``kept`` (n,) of bool."""
        rows = np.flatnonzero(kept)
        return CountedTexts(
            self.texts.take(pa.array(rows)), self.people[rows], self.first_record[rows], self.share_at_hand
        )


class GrowingDictionary:
    """Distinct texts of one column met so far, cleaned as every reader cleans them; the first one is missing.

    ``people`` (n_texts,) counts who has each, ``first_record`` (n_texts,) is the number of the first record with it, -1
    where there is none. Codes are given in the order in which texts are met, so they say nothing
    by themselves: what is counted is made of the sorted texts.
    """

    def __init__(self) -> None:
        self._texts = pa.nulls(1, pa.large_string())
        self.people = np.zeros(1, dtype=np.int64)
        self.first_record = np.full(1, -1)
        self._n_read = 0

    @staticmethod
    def of(texts: CountedTexts) -> GrowingDictionary:
        """A dictionary of texts that were counted elsewhere; the first one is missing."""
        dictionary = GrowingDictionary()
        dictionary._texts, dictionary.people, dictionary.first_record = texts.texts, texts.people, texts.first_record
        return dictionary

    def __len__(self) -> int:
        return len(self._texts)

    def encode(self, column: pa.Array) -> np.ndarray:
        """The code of each value (n,), in as few bytes as the codes so far need; new texts are added."""
        encoded = column.dictionary_encode(null_encoding="encode")
        texts = clean_values(encoded.dictionary)
        found = pc.index_in(texts, value_set=self._texts)
        code = found.fill_null(-1).to_numpy().copy()
        if found.null_count:
            unknown = texts.filter(pc.is_null(found))
            new = pc.unique(unknown)
            code[code < 0] = len(self._texts) + pc.index_in(unknown, value_set=new).to_numpy()
            self._texts = pa.concat_arrays([self._texts, new])
            self.people = np.append(self.people, np.zeros(len(new), dtype=np.int64))
        narrow = code.astype(np.min_scalar_type(len(self._texts) - 1))
        codes: np.ndarray = narrow[encoded.indices.to_numpy()]
        n_before = len(self.first_record)
        if len(self._texts) > n_before:
            self.first_record = np.append(self.first_record, np.full(len(self._texts) - n_before, -1))
            rows = np.flatnonzero(codes >= n_before)[::-1]  # of several records with a text the first is written last
            self.first_record[codes[rows]] = rows + self._n_read
        self._n_read += len(codes)
        self.people += np.bincount(codes, minlength=len(self.people))
        return codes

    def counted(self) -> CountedTexts:
        """The texts but for the missing one, and who has them."""
        return CountedTexts(self._texts[1:], self.people[1:], self.first_record[1:])

    def all_texts(self) -> CountedTexts:
        """The texts, the missing one first, and who has them."""
        return CountedTexts(self._texts, self.people, self.first_record)

    def values(self, name: str) -> pd.Series:
        """The texts as a column of the dataset (n_texts,), the first one missing."""
        return pd.Series(pd.array(pa.chunked_array([self._texts]), dtype="str"), name=name)
