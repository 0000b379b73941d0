"""Dates in any written form: what days the values of a column are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from study.formats.dates import DAY_FIRST, MONTH_FIRST, iso_dates, may_be_dates
from study.formats.days import days_of as complete_days

_LONGEST = 32  # characters
_FROM, _TO = (np.datetime64(day).astype(np.int64) for day in ("1850-01-01", "2101-01-01"))


def days_of(values: Sequence[str]) -> np.ndarray:
    """The days (n,) since 1970 that texts name, NaN where one names none.

    Of 03/04/1980 the reading that fits more of the texts, else day before month.
    """
    texts = pa.array(list(values), pa.large_string())
    if not pc.any(may_be_dates(texts)).as_py():
        return np.full(len(texts), np.nan)
    short = pc.if_else(pc.less(pc.utf8_length(texts), _LONGEST), texts, pa.scalar(None, texts.type))
    read = [_days(iso_dates(short, order, any_century=True)) for order in (DAY_FIRST, MONTH_FIRST)]
    return min(read, key=lambda days: np.count_nonzero(np.isnan(days)))


def _days(written: pa.Array) -> np.ndarray:
    days = complete_days(pd.Series(pd.array(written, dtype="str"))).astype(np.int64)
    return np.where((days >= _FROM) & (days < _TO), days, np.nan)
