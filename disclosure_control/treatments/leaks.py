"""Columns that are released as they were and tell what a treatment took out of another one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from Anonymization_Models import EncodedColumn, encode_column, number_groups

TELLING = 0.95  # of the people whose value can be told


def telling_columns(original: pd.DataFrame, hidden: Sequence[str], released: Iterable[str]) -> list[dict]:
    """Pairs (released column, hidden column) where the first alone tells the second of nearly everybody.

    ``original`` (n_records,) holds both as they were. ``predicted_rate`` in [0, 1] is the share of people whose hidden
    value is the commonest among those with their released value; larger is riskier. Pairs below 95% are left out, and
    so are those where guessing everybody's commonest value does as well, and columns that are nearly an id (more than
    one value for every two people), which tell everything of those alone whom one has looked up.
    Source: Goodman and Kruskal 1954, doi:10.1080/01621459.1954.10501231.
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
    n_hidden = len(hidden.labels)
    key = (column.codes[known].astype(np.int64) + 1) * n_hidden + hidden.codes[known]
    pair, people = number_groups(key, (len(column.labels) + 1) * n_hidden)
    level = np.zeros(len(people), dtype=np.int64)
    level[pair] = column.codes[known] + 1
    commonest = np.zeros(len(column.labels) + 1)
    np.maximum.at(commonest, level, people)
    return float(commonest.sum() / known.sum())


def _commonest_rate(hidden: EncodedColumn) -> float:
    people = np.bincount(hidden.codes[hidden.codes >= 0])
    return float(people.max(initial=0) / max(people.sum(), 1))
