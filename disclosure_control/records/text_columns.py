"""A column of the combined dataset as text: its distinct texts, its levels, and who has them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Protocol

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import EncodedColumn, encode_column
from disclosure_control.basics.encoding.text_codes import text_codes
from disclosure_control.records.counted_texts import CountedTexts

SAMPLED_PART = 8  # a sample has this fraction, one in eight, of the texts that may be kept


class TextColumn(Protocol):
    """A column with its distinct texts and, unless there are too many, the level of each record."""

    @property
    def n_levels_at_least(self) -> int:
        """A lower bound of the levels of a column with too many to be told apart; 0 for any other."""
        ...

    def counted(self) -> CountedTexts:
        """The distinct texts, or a sample of them, with their people."""
        ...

    def n_levels(self) -> int:
        """Number of levels, missing being one; a lower bound where they are too many."""
        ...

    def labels(self) -> np.ndarray:
        """The text of each level but the missing one, which is level 0."""
        ...

    def levels(self) -> Iterable[np.ndarray]:
        """The level of each record, block by block, as often as asked."""
        ...


class TextsInMemory:
    """A column of texts (n_records,) in one block: see ``TextColumn``."""

    n_levels_at_least = 0

    def __init__(self, texts: pd.Series):
        self._texts = texts

    def counted(self) -> CountedTexts:
        known = text_codes(self._texts.astype("str"))
        first = np.zeros(len(known.texts) + 1, dtype=np.int64)
        first[known.codes[::-1]] = np.arange(len(known))[::-1]
        return CountedTexts(known.texts, known.people[:-1], first[:-1])

    def n_levels(self) -> int:
        return len(self._encoded.labels) + 1

    def labels(self) -> np.ndarray:
        return self._encoded.labels

    def levels(self) -> Iterable[np.ndarray]:
        return [self._encoded.codes + 1]

    @cached_property
    def _encoded(self) -> EncodedColumn:
        return encode_column(self._texts)
