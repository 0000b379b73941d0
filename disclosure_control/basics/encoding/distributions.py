"""A side of a comparison: a sample of values, or a distribution with a weight for each value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import cast

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import numbers_of
from disclosure_control.basics.telling.faults import FaultyInputError


def weighted_values(values: object, numeric: bool) -> tuple[pd.Series, np.ndarray]:
    """Values (n_values,) and the weight of each: those of a distribution as it says, one each for those of a sample.

    A distribution is a mapping value -> share or count, or a Series of shares that sum to 1. ``numeric`` values
    are read as numbers. Raises ``FaultyInputError`` on weights that are none, and on values that are no numbers.
    """
    if not isinstance(values, Mapping) and not _is_distribution(values):
        of_sample = pd.Series(list(cast(Iterable, values)), dtype=object, name="values")
        return pd.Series(numbers_of(of_sample)) if numeric else of_sample, np.ones(len(of_sample))
    shares = pd.Series(dict(cast(Mapping, values)), dtype=float)
    if not (np.isfinite(shares) & (shares >= 0)).all() or not shares.sum() > 0:
        raise FaultyInputError("A distribution has shares or counts: finite numbers of 0 or more, one above 0.")
    of_shares = pd.Series(list(shares.index), dtype=object, name="values")
    return pd.Series(numbers_of(of_shares)) if numeric else of_shares, shares.to_numpy()


def _is_distribution(values: object) -> bool:
    """Whether a Series has a share for each of its labels; 0 and 1 by whole numbers are those of people.

    Raises ``FaultyInputError`` where fractions by row number sum to 1: they may be a sample as well.
    """
    if not isinstance(values, pd.Series) or not pd.api.types.is_float_dtype(values.dtype):
        return False
    if values.name == "proportion":  # as value_counts(normalize=True) names it
        return True
    shares = values.to_numpy(dtype=float, na_value=np.nan)
    are_shares = values.index.is_unique and bool((shares >= 0).all()) and abs(shares.sum() - 1) < 1e-9
    is_whole = pd.api.types.is_integer_dtype(values.index.dtype) and bool((shares % 1 == 0).all())
    if are_shares and not is_whole and values.index.equals(pd.RangeIndex(len(values))):
        raise FaultyInputError(
            "A Series of fractions by row number sums to 1 and may be a sample or a distribution; "
            "pass a list for a sample, a dict for a distribution."
        )
    return are_shares and not is_whole
