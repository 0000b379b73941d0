"""Columns of the file as text, whatever their role: how well each of them discloses a sensitive value."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import numpy as np
import pyarrow as pa

from disclosure_control.basics.encoding.columns import EncodedColumn
from disclosure_control.records.counted_texts import CountedDictionary, CountedTexts, DictionaryOrSample
from disclosure_control.records.spill import StoredColumn
from disclosure_control.records.text_columns import SAMPLED_PART


class OtherColumn:
    """A column put aside as codes of its distinct texts.

    Where it has nearly one for each person, a sample of them is all that is kept, and the codes put aside mean nothing.
    """

    def __init__(self, texts: StoredColumn, few_texts: int, dictionary: CountedDictionary | None = None):
        self.texts, self._few_texts, self._n_read = texts, few_texts, 0
        self._distinct = DictionaryOrSample(few_texts // SAMPLED_PART, dictionary)

    def encode(self, values: pa.Array) -> np.ndarray:
        """The codes (n,) of the values of one more block, which mean nothing once the texts are given up."""
        codes = self._distinct.encode(values)
        if codes is None:
            return np.zeros(len(values), dtype=np.int8)
        self._n_read += len(values)
        if len(self.dictionary) > max(self._few_texts, self._n_read // 2):
            self._distinct.give_up()
        return codes

    @property
    def dictionary(self) -> CountedDictionary:
        """The distinct texts, unless they were given up."""
        return self._distinct.dictionary

    @property
    def n_levels_at_least(self) -> int:
        """How many levels there are at least; 0 where the column was not given up."""
        return self._distinct.n_levels_at_least

    def counted(self) -> CountedTexts:
        """The distinct texts, or a sample of them, with their people."""
        return self._distinct.counted()

    def n_levels(self) -> int:
        """Number of levels, missing being one; a lower bound where the column was given up."""
        return self.n_levels_at_least or len(self._encoded.labels) + 1

    def labels(self) -> np.ndarray:
        """The text of each level but the missing one, which is level 0."""
        return self._encoded.labels

    def levels(self) -> Iterable[np.ndarray]:
        """The level of each record, block by block."""
        return self.texts.looked_up(self._encoded.codes + 1)

    @cached_property
    def _encoded(self) -> EncodedColumn:
        return self.dictionary.all_texts().encoded()
