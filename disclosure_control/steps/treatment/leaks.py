"""Columns whose text contains the person's id."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import as_counted

LONG_ID = 5  # letters; an id this long is not contained in another text by chance


def columns_with_ids(blocks: Iterable[tuple[pd.Series, pd.DataFrame]]) -> dict[str, int]:
    """Column -> in how many records its text contains the subject's own id, for the columns where it does.

    Each block of records has the original ids (n_records,) and the released values, in the same order. Case is
    ignored. An id shorter than ``LONG_ID`` counts only as the whole value, and only in a column where more
    than half of the values are such ids: 7 is also an ordinary number.
    """
    found: dict[str, _IdCounts] = {}
    for subjects, released in blocks:
        ids = _lower(subjects)
        for name in map(str, released):
            if not pd.api.types.is_numeric_dtype(released[name].dtype):
                held = _held(ids, _lower(as_counted(released[name])))
                found[name] = _IdCounts(*map(sum, zip(found.get(name, _IdCounts(0, 0, 0)), held, strict=True)))
    return {name: held.people for name, held in found.items() if held.long or 2 * held.people > held.with_value}


class _IdCounts(NamedTuple):
    """In how many records a text contains the own id, contains a long one, is there at all."""

    people: int
    long: int
    with_value: int


def _held(ids: np.ndarray, texts: np.ndarray) -> _IdCounts:
    length = np.strings.str_len(ids)
    is_held = (length >= LONG_ID) & (np.strings.find(texts, ids) >= 0)
    is_equal = (length > 0) & (texts == ids)
    n_with_value = int((np.strings.str_len(texts) > 0).sum())
    return _IdCounts(int((is_held | is_equal).sum()), int(is_held.sum()), n_with_value)


def _lower(column: pd.Series) -> np.ndarray:
    texts = column.astype("str").fillna("").str.strip().str.lower()
    return texts.to_numpy(dtype=object).astype(np.dtypes.StringDType())
