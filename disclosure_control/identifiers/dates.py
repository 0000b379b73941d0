"""Dates in any written form: what days the values of a column are, and how long they spread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from study.formats.dates import DAY_FIRST, MONTH_FIRST, iso_dates, may_be_dates
from study.formats.days import days_of as complete_days

_LONGEST = 32  # characters
_FROM, _TO = (np.datetime64(day).astype(np.int64) for day in ("1850-01-01", "2101-01-01"))
_YEAR_1 = np.datetime64("0001-01-01").astype(np.int64)


@dataclass(frozen=True)
class Days:
    """The days (n_values,) that values name, counted from 0001-01-01, 0 where a value names none."""

    day: np.ndarray

    @property
    def is_day(self) -> np.ndarray:
        """Which values name one."""
        return self.day > 0

    @property
    def since_1970(self) -> np.ndarray:
        """The days (n_values,) as numbers since 1970, NaN where a value names none."""
        return np.where(self.is_day, self.day + _YEAR_1 - 1.0, np.nan)

    @property
    def years_between(self) -> float:
        """Years between the 5th and the 95th of 100 of the days; 0 where there are none."""
        days = self.day[self.is_day]
        if not len(days):
            return 0.0
        low, high = np.quantile(days, [0.05, 0.95])
        return float(high - low) / 365.25


def days_of(values: Sequence[str]) -> Days:
    """What days the texts name; of 03/04/1980 the reading that fits more of them, else day before month."""
    texts = pa.array(list(values), pa.large_string())
    if not pc.any(may_be_dates(texts)).as_py():
        return Days(np.zeros(len(texts), dtype=np.int64))
    short = pc.if_else(pc.less(pc.utf8_length(texts), _LONGEST), texts, pa.scalar(None, texts.type))
    read = [_days(iso_dates(short, order, any_century=True)) for order in (DAY_FIRST, MONTH_FIRST)]
    return Days(max(read, key=np.count_nonzero))


def _days(written: pa.Array) -> np.ndarray:
    days = complete_days(pd.Series(pd.array(written, dtype="str"))).astype(np.int64)
    return np.where((days >= _FROM) & (days < _TO), days - _YEAR_1 + 1, 0)
