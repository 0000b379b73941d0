"""The distinct texts of a column that is read piece by piece, and how many people have each."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
import pyarrow as pa

from disclosure_control.basics.encoding.dictionary import Dictionary
from disclosure_control.basics.encoding.text_hashes import hashes_of_texts, is_in_sample
from study.formats.values import clean_values

MISSING = 0  # the code of a missing value


@dataclass(frozen=True)
class CountedTexts:
    """Distinct ``texts`` of a column: ``people`` (n,) have each, and ``first_record`` (n,) is the first one with it.

    ``share_at_hand``: about how many of all distinct texts these are: all, or after some halvings a sample of those
    with the smallest hashes. Which these are depends on all texts, and not on their order.
    """

    texts: pa.Array = field(repr=False)
    people: np.ndarray
    first_record: np.ndarray
    share_at_hand: float = 1.0

    def some(self, kept: np.ndarray) -> CountedTexts:
        """Those of the texts that are ``kept`` (n,) of bool."""
        rows = np.flatnonzero(kept)
        return replace(
            self,
            texts=self.texts.take(pa.array(rows)),
            people=self.people[rows],
            first_record=self.first_record[rows],
        )

    def present(self) -> CountedTexts:
        """The texts but for the missing one."""
        return self.some(np.asarray(self.texts.is_valid()))

    def sampled(self, n_most: int) -> CountedTexts:
        """A sample of at most ``n_most`` of the texts without the missing one; all if they are not more."""
        found = self
        while len(found.texts) > n_most:
            found = found._in_sample(found.share_at_hand / 2)
        return found

    def _in_sample(self, share: float) -> CountedTexts:
        is_in = is_in_sample(hashes_of_texts(self.texts), round(-np.log2(share)))
        return replace(self.some(is_in), share_at_hand=share)

    def with_later(self, later: CountedTexts) -> CountedTexts:
        """This sample, updated by the texts of ``later`` records, all of which were counted.

        A text whose hash is small enough was counted from the first record on, because a sample only shrinks. Source:
        Gibbons, Distinct sampling, VLDB 2001.
        """
        of_both = (self, later._in_sample(self.share_at_hand))
        texts = pa.concat_arrays([one.texts for one in of_both]).dictionary_encode()
        code, first = texts.indices.to_numpy(), np.full(len(texts.dictionary), np.iinfo(np.int64).max)
        np.minimum.at(first, code, np.concatenate([one.first_record for one in of_both]))
        people = np.bincount(code, np.concatenate([one.people for one in of_both]), len(first)).astype(np.int64)
        return CountedTexts(texts.dictionary, people, first, self.share_at_hand)

    def column(self, name: str = "") -> pd.Series:
        """The texts as a column of the dataset (n_texts,)."""
        return pd.Series(pd.array(pa.chunked_array([self.texts]), dtype="str"), name=name)


class CountedDictionary:
    """Distinct texts of one column met so far, cleaned as every reader cleans them or unchanged; the missing one first.

    ``people`` (n_texts,) counts who has each, ``first_record`` (n_texts,) is the number of the first record with it, -1
    of the missing text. Codes are given in the order in which texts are met, so only results of sorted texts may be
    used.
    """

    def __init__(self, is_cleaned: bool = True) -> None:
        self._dictionary, self._is_cleaned, self._n_read = Dictionary(), is_cleaned, 0
        self._people, self._first_record = np.zeros(64, dtype=np.int64), np.full(64, -1)

    def __len__(self) -> int:
        return 1 + len(self._dictionary)

    @property
    def people(self) -> np.ndarray:
        """How many people have each text."""
        return self._people[: len(self)]

    def encode(self, column: pa.LargeStringArray | pa.DictionaryArray) -> np.ndarray:
        """The code of each value (n,), in as few bytes as the codes so far need; new texts are added.

        A ``column`` may come with its distinct texts, each of which occurs.
        """
        encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
        texts, n_before = encoded.dictionary, len(self)
        cleaned = clean_values(texts) if self._is_cleaned else texts
        code = 1 + self._dictionary.encode(texts) if cleaned.equals(texts) else self._codes_of(cleaned)
        self._make_room()
        code = np.append(code, MISSING)
        indices = encoded.indices.fill_null(len(texts)).to_numpy()
        np.add.at(self._people, code, np.bincount(indices, minlength=len(code)))
        codes: np.ndarray = code.astype(np.min_scalar_type(len(self) - 1))[indices]
        rows = np.flatnonzero(codes >= n_before)[::-1]  # of several records with a text the first is written last
        self._first_record[codes[rows]] = rows + self._n_read
        self._n_read += len(codes)
        return codes

    def _codes_of(self, texts: pa.LargeStringArray) -> np.ndarray:
        """The code of each text (n,), new ones added, of texts that may be missing or repeat."""
        encoded = texts.dictionary_encode()
        code = np.append(1 + self._dictionary.encode(encoded.dictionary), MISSING)
        return np.asarray(code[encoded.indices.fill_null(len(code) - 1).to_numpy()])

    def _make_room(self) -> None:
        n_more = len(self) - len(self._people)
        if n_more > 0:
            n_more = max(n_more, len(self._people))
            self._people = np.append(self._people, np.zeros(n_more, dtype=np.int64))
            self._first_record = np.append(self._first_record, np.full(n_more, -1))

    def all_texts(self) -> CountedTexts:
        """The texts, the missing one first, with their people."""
        texts = pa.concat_arrays([pa.nulls(1, pa.large_string()), self._dictionary.texts])
        return CountedTexts(texts, self.people, self._first_record[: len(self)])

    def counted(self) -> CountedTexts:
        """The texts except the missing one, with their people."""
        return CountedTexts(self._dictionary.texts, self.people[1:], self._first_record[1 : len(self)])
