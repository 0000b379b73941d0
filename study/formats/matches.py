"""Which texts of a column have a form, all of them or some; missing ones have none."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc


def which_match(texts: pa.Array | pa.ChunkedArray, pattern: str) -> pa.BooleanArray:
    """Which texts (n,) match, False where missing."""
    return pc.fill_null(pc.match_substring_regex(texts, pattern), False)


def are_matching(texts: pa.Array | pa.ChunkedArray, pattern: str) -> np.ndarray:
    """The same as (n,) of bool."""
    return np.asarray(which_match(texts, pattern).to_numpy(zero_copy_only=False), dtype=bool)


def all_match(texts: pa.Array | pa.ChunkedArray, pattern: str) -> bool:
    """Whether there are texts, and all that are not missing match."""
    return bool(pc.all(pc.match_substring_regex(texts, pattern)).as_py())


def any_match(texts: pa.Array | pa.ChunkedArray, pattern: str) -> bool:
    """Whether some text matches."""
    return bool(pc.any(pc.match_substring_regex(texts, pattern)).as_py())
