"""Days of dates as they stand in a file."""

from __future__ import annotations

import numpy as np
import pandas as pd


def days_of(column: pd.Series) -> np.ndarray:
    """The complete dates of a column (n_rows,) as datetime64[D]; NaT for all others."""
    codes, distinct = pd.factorize(column.astype("str").str.slice(0, 10))
    days = pd.to_datetime(pd.Series(distinct, dtype="str"), format="%Y-%m-%d", errors="coerce")
    found: np.ndarray = np.append(days.to_numpy(), np.datetime64("NaT"))[codes].astype("datetime64[D]")
    return found
