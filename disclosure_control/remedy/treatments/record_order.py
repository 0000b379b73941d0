"""Orders of the records that depend on their content and not on their position: for ties, for chance, for release."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN, encode_column
from disclosure_control.remedy.treatments.registry import TreatmentInput


def record_ranks(given: TreatmentInput) -> np.ndarray:
    """Rank of each record (n_records,), 0 to n_records - 1, the same whatever the order of the rows and the index.

    By the subjects' ids if each has its own, else by a hash of the whole record; records that are equal in every column
    have any order, which makes no difference.
    """
    if given.subjects is not None:
        codes = encode_column(given.subjects).codes
        if len(codes) == 0 or (codes.min() >= 0 and np.bincount(codes).max() == 1):
            return _ranks(codes)
    hashes = pd.util.hash_pandas_object(given.frame, index=False, categorize=True)
    return _ranks(hashes.to_numpy())


def _ranks(keys: np.ndarray) -> np.ndarray:
    ranks = np.empty(len(keys), dtype=np.int64)
    ranks[np.argsort(keys, kind="stable")] = np.arange(len(keys))
    return ranks


def natural_order(frame: pd.DataFrame) -> np.ndarray:
    """Positions (n_records,) by subject id, shorter ids first, so that 9 comes before 10; as given without ids."""
    if SUBJECT_COLUMN not in frame:
        return np.arange(len(frame))
    ids = frame[SUBJECT_COLUMN].astype("str").str.strip()
    return order_by([ids.str.len(), ids])


def order_by(columns: Sequence[pd.Series]) -> np.ndarray:
    """Positions (n_records,) in the order of the columns' values: numbers by size, text by letters, missing last."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not columns:
        return np.empty(0, dtype=np.int64)
    arrays = {
        str(i): pa.array(column if pd.api.types.is_numeric_dtype(column.dtype) else column.astype("str"))
        for i, column in enumerate(columns)
    }
    return pc.sort_indices(pa.table(arrays), sort_keys=[(name, "ascending") for name in arrays]).to_numpy()
