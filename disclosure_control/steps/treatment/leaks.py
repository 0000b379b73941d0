"""Columns whose text says who a person is."""

from __future__ import annotations

import numpy as np
import pandas as pd

LONG_ID = 5  # letters, from which on an id does not stand in another text by chance


def columns_with_ids(subjects: pd.Series, released: pd.DataFrame) -> dict[str, int]:
    """Column -> in how many records its text holds the subject's own id, of the columns where it does.

    ``subjects`` (n_records,) are the original ids of the records of ``released``, in their order. Capitals make no
    difference. An id shorter than ``LONG_ID`` counts only as the whole value, and only in a column where every second
    person has it so: 7 is also an ordinary number.
    """
    ids = _lower(subjects)
    length = np.strings.str_len(ids)
    found = {}
    for name in map(str, released):
        if pd.api.types.is_numeric_dtype(released[name].dtype):
            continue
        texts = _lower(released[name])
        is_held = (length >= LONG_ID) & (np.strings.find(texts, ids) >= 0)
        is_equal = (length > 0) & (texts == ids)
        n_held = int((is_held | is_equal).sum())
        if is_held.any() or 2 * n_held > int((np.strings.str_len(texts) > 0).sum()):
            found[name] = n_held
    return found


def _lower(column: pd.Series) -> np.ndarray:
    texts = column.astype("str").fillna("").str.strip().str.lower()
    return texts.to_numpy(dtype=object).astype(np.dtypes.StringDType())
