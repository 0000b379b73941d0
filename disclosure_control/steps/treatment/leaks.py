"""Columns that are released as they were and tell what a treatment took out of another one, or who a person is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from disclosure_control.basics.columns import EncodedColumn, encode_column
from disclosure_control.measures.determination import n_commonest, n_guessed_right

TELLING = 0.95  # of the people whose value can be told
LONG_ID = 5  # letters, from which on an id does not stand in another text by chance


def telling_columns(original: pd.DataFrame, hidden: Sequence[str], released: Iterable[str]) -> list[dict[str, Any]]:
    """Pairs (released column, hidden column) where the first alone tells the second of nearly everybody.

    ``original`` (n_records,) holds both as they were. ``predicted_rate`` in [0, 1] is the share of people whose hidden
    value is the commonest among those with their released value; larger is riskier. Pairs below 95% are left out, and
    so are those where guessing everybody's commonest value does as well, and columns that are nearly an id (more than
    one value for every two people), which tell everything of those alone whom one has looked up.
    """
    found = []
    values = {name: encode_column(original[name]) for name in hidden}
    for name in released:
        column = encode_column(original[name])
        if 2 * len(column.labels) > len(original):
            continue
        for other, encoded in values.items():
            rate, baseline = _predicted_rate(column, encoded), _commonest_rate(encoded)
            if rate >= TELLING > baseline:
                found.append({"column": name, "tells": other, "predicted_rate": rate})
    return found


def _predicted_rate(column: EncodedColumn, hidden: EncodedColumn) -> float:
    known = hidden.codes >= 0
    if not known.any():
        return 0.0
    n_codes = len(column.labels) + 1, len(hidden.labels)
    return n_guessed_right(column.codes[known] + 1, hidden.codes[known], *n_codes) / int(known.sum())


def _commonest_rate(hidden: EncodedColumn) -> float:
    known = hidden.codes[hidden.codes >= 0]
    return n_commonest(known) / max(len(known), 1)


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
