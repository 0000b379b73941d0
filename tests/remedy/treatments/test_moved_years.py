"""No date that moved has a year of less or more than four digits: its distance to a placeholder is the offset."""

from __future__ import annotations

import numpy as np
import pandas as pd

from disclosure_control.remedy.treatments.algorithms.moved_columns import moved_dates


def test_dates_that_leave_the_calendar_are_lost_and_counted():
    dates = pd.Series(["9999-12-31", "1000-01-01", "2015-06-01", "2015-06-01/9999-12-31", "9999"])
    moved = moved_dates(dates, np.array([1, -1, 1, 1, 400]), "missing")
    assert moved.column.isna().tolist() == [True, True, False, True, True]
    assert moved.column[2] == "2015-06-02"
    assert moved.n_lost == 4
