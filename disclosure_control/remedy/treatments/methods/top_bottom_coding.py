"""Top and bottom coding: what lies beyond a limit becomes the limit, or a given value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import numbers_of
from disclosure_control.basics.settings.fields import SettingsGroup, setting
from disclosure_control.basics.settings.kinds import COLUMN, NUMBER, SHARE, Place
from disclosure_control.remedy.treatments.registry import (
    Reading,
    Treated,
    Treatment,
    TreatmentInput,
    register,
    with_columns,
)


@dataclass(frozen=True)
class CodingSettings(SettingsGroup):
    """The limit, and the value that replaces those beyond it."""

    column: str = setting(COLUMN, "a column of numbers")
    limit: float | None = setting(NUMBER, "values beyond it are coded", None)
    quantile: float | None = setting(SHARE, "the limit as a quantile of the column", None)
    replacement: float | None = setting(NUMBER, "the value that replaces those beyond", None, "the limit")

    def check(self, place: Place, given: Mapping[str, Any]) -> Iterator[str]:
        """Two limits, or none."""
        if (self.limit is None) == (self.quantile is None):
            yield f'{place}: allowed: exactly one of "limit" and "quantile"'


def top_code(given: TreatmentInput, settings: CodingSettings) -> Treated:
    """Numbers above the limit, or above the quantile of the column, become the ``replacement`` (default: the limit).

    Source: sdcMicro ``topBotCoding``, kind "top".
    """
    return _coded(given, settings, top=True)


def bottom_code(given: TreatmentInput, settings: CodingSettings) -> Treated:
    """Numbers below the limit, or below the quantile of the column, become the ``replacement`` (default: the limit)."""
    return _coded(given, settings, top=False)


def _coded(given: TreatmentInput, settings: CodingSettings, top: bool) -> Treated:
    column, limit = settings.column, settings.limit
    numbers = numbers_of(given.frame[column], given.people)
    if settings.quantile is not None:
        is_present = ~np.isnan(numbers)
        limit = _quantile(
            numbers[is_present], None if given.people is None else given.people[is_present], settings.quantile
        )
    assert limit is not None  # one of limit and quantile is given
    beyond = numbers > limit if top else numbers < limit
    values = np.where(beyond, limit if settings.replacement is None else settings.replacement, numbers)
    return with_columns(given, {column: pd.Series(values, given.frame.index, name=column)})


def _quantile(numbers: np.ndarray, people: np.ndarray | None, share: float) -> float:
    """The quantile of numbers (n_values,) that ``people`` (n_values,) have, one each if not given; NaN of none."""
    if not len(numbers):
        return np.nan
    if people is None:
        return float(np.quantile(numbers, share))
    order = np.argsort(numbers)
    ends = np.cumsum(people[order])
    place = (int(ends[-1]) - 1) * share
    neighbours = np.searchsorted(ends, [np.floor(place), np.ceil(place)], side="right")
    return float(np.quantile(numbers[order[neighbours]], place - np.floor(place)))


register(
    "top_code",
    Treatment(
        top_code,
        CodingSettings,
        words="numbers above `limit`, or above this `quantile` of the column, become the limit, or the `replacement`",
        place=30,
        reading=Reading.BY_VALUE,
        by_value=True,
    ),
)
register(
    "bottom_code",
    Treatment(
        bottom_code,
        CodingSettings,
        words="numbers below `limit`, or below this `quantile` of the column, become the limit, or the `replacement`",
        place=30,
        reading=Reading.BY_VALUE,
        by_value=True,
    ),
)
