"""A column of the combined dataset as text: its distinct texts, its levels, and who has them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property

import numpy as np
import pandas as pd
import pyarrow as pa

from disclosure_control.basics.encoding.again import Anew
from disclosure_control.basics.encoding.columns import EncodedColumn, encode_column
from disclosure_control.basics.encoding.text_codes import text_codes
from disclosure_control.records.counted_texts import CountedDictionary, CountedTexts
from disclosure_control.records.spill import StoredColumn

SAMPLED_PART = 8  # a sample has this fraction, one in eight, of the texts that may be kept


class TextColumn(ABC):
    """A column with its distinct texts and, unless there are too many, the level of each record.

    ``n_levels_at_least``: a lower bound of the levels of a column with too many to be told apart; 0 for any other.
    """

    n_levels_at_least = 0

    @abstractmethod
    def _in_full(self) -> pd.Series:
        """The texts whose levels are asked for: of each record, or of each code."""

    @cached_property
    def _encoded(self) -> EncodedColumn:
        return encode_column(self._in_full())

    @abstractmethod
    def counted(self) -> CountedTexts:
        """The distinct texts, or a sample of them, with their people."""

    @abstractmethod
    def levels(self) -> Iterable[np.ndarray]:
        """The level of each record, block by block, as often as asked."""

    def n_levels(self) -> int:
        """Number of levels, missing being one; a lower bound where they are too many."""
        return self.n_levels_at_least or len(self.labels()) + 1

    def labels(self) -> np.ndarray:
        """The text of each level but the missing one, which is level 0."""
        return self._encoded.labels


class TextsInMemory(TextColumn):
    """A column of texts (n_records,) in one block."""

    def __init__(self, texts: pd.Series):
        self._texts = texts

    def counted(self) -> CountedTexts:
        known = text_codes(self._texts.astype("str"))
        first = np.zeros(len(known.texts) + 1, dtype=np.int64)
        first[known.codes[::-1]] = np.arange(len(known))[::-1]
        return CountedTexts(known.texts, known.people[:-1], first[:-1])

    def levels(self) -> Iterable[np.ndarray]:
        return [self._encoded.codes + 1]

    def _in_full(self) -> pd.Series:
        return self._texts


class TextsOnDisk(TextColumn):
    """A column put aside as ``codes`` of its distinct texts, block by block as it is read.

    Of more than ``few_texts``, if they are nearly one for each person, a sample is all that is kept, and the codes mean
    nothing.
    """

    def __init__(self, codes: StoredColumn, few_texts: int):
        self.codes, self._few_texts, self._n_read = codes, few_texts, 0
        self._dictionary = CountedDictionary()
        self._sample: CountedTexts | None = None

    def __len__(self) -> int:
        """How many distinct texts are kept, the missing one among them; of a sample none are."""
        return len(self._dictionary)

    def encode(self, values: pa.Array) -> np.ndarray:
        """The codes (n,) of the values of one more block."""
        n_before, self._n_read = self._n_read, self._n_read + len(values)
        if self._sample is None:
            codes = self._dictionary.encode(values)
            if len(self) > max(self._few_texts, self._n_read // 2):
                self.give_up()
            return codes
        block = CountedDictionary()
        block.encode(values)
        later = block.counted()
        later = replace(later, first_record=later.first_record + n_before)
        self._sample = self._sample.with_later(later).sampled(self._few_texts // SAMPLED_PART)
        return np.zeros(len(values), dtype=np.int8)

    def give_up(self) -> None:
        """Keep a sample from now on."""
        self.n_levels_at_least = self.n_levels()
        self._sample = self._dictionary.counted().sampled(self._few_texts // SAMPLED_PART)
        self._dictionary = CountedDictionary()

    def texts(self) -> CountedTexts:
        """The distinct texts by their codes, the missing one first, with their people."""
        return self._dictionary.all_texts()

    def counted(self) -> CountedTexts:
        return self._dictionary.counted() if self._sample is None else self._sample

    def levels(self) -> Iterable[np.ndarray]:
        level_of_text = self._encoded.codes + 1
        return Anew(lambda: (level_of_text[codes] for codes in self.codes))

    def _in_full(self) -> pd.Series:
        return self.texts().column()
