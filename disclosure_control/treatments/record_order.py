"""An order of the records that hangs on what they hold and not on where they stand: it decides ties."""

from __future__ import annotations

import numpy as np
import pandas as pd

from disclosure_control.basics.columns import encode_column
from disclosure_control.treatments.registry import TreatmentInput


def record_ranks(given: TreatmentInput) -> np.ndarray:
    """Place of each record (n_records,), 0 to n_records - 1, the same whatever the order of the rows and the index.

    By the subjects' ids where each has its own, else by a hash of the whole record; records that are alike in every
    column stand in any order, and it makes no difference.
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
