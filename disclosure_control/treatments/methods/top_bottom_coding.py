"""Top and bottom coding: what lies beyond a limit becomes the limit, or a given value."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from config.model_settings import PilotConfig
from disclosure_control.basics.encoding.columns import numbers_of
from disclosure_control.basics.settings.settings import COLUMN, NUMBER, SHARE
from disclosure_control.treatments.registry import (
    Example,
    Reading,
    Treated,
    Treatment,
    TreatmentInput,
    register,
    with_columns,
)


def top_code(
    given: TreatmentInput,
    column: str,
    limit: float | None = None,
    quantile: float | None = None,
    replacement: float | None = None,
) -> Treated:
    """Numbers above ``limit``, or above the ``quantile`` of the column, become ``replacement`` (default: the limit).

    Source: sdcMicro ``topBotCoding``, kind "top".
    """
    return _coded(given, column, limit, quantile, replacement, top=True)


def bottom_code(
    given: TreatmentInput,
    column: str,
    limit: float | None = None,
    quantile: float | None = None,
    replacement: float | None = None,
) -> Treated:
    """Numbers below ``limit``, or below the ``quantile`` of the column, become ``replacement`` (default: the limit)."""
    return _coded(given, column, limit, quantile, replacement, top=False)


def _coded(
    given: TreatmentInput,
    column: str,
    limit: float | None,
    quantile: float | None,
    replacement: float | None,
    top: bool,
) -> Treated:
    numbers = numbers_of(given.frame[column], given.people)
    if quantile is not None:
        is_present = ~np.isnan(numbers)
        limit = _quantile(numbers[is_present], None if given.people is None else given.people[is_present], quantile)
    assert limit is not None  # one of limit and quantile is given
    beyond = numbers > limit if top else numbers < limit
    values = np.where(beyond, limit if replacement is None else replacement, numbers)
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


def _check(settings: Mapping[str, object], config: PilotConfig) -> list[str]:
    if ("limit" in settings) == ("quantile" in settings):
        return ['one of "limit" and "quantile" is needed, and not both']
    return []


_SETTINGS = {"column": COLUMN, "limit": NUMBER, "quantile": SHARE, "replacement": NUMBER}
_PROMISES = ("rows", "ids", "columns", "types")
register(
    "top_code",
    Treatment(
        top_code,
        _SETTINGS,
        words="numbers above `limit`, or above this `quantile` of the column, become the limit, or the `replacement`",
        example=Example({"column": "DM__AGE", "quantile": 0.9}, ("DM__AGE",)),
        place=30,
        required=("column",),
        promises=_PROMISES,
        check=_check,
        reading=Reading.BY_VALUE,
        by_value=True,
    ),
)
register(
    "bottom_code",
    Treatment(
        bottom_code,
        _SETTINGS,
        words="numbers below `limit`, or below this `quantile` of the column, become the limit, or the `replacement`",
        example=Example({"column": "LB__X", "limit": 3, "replacement": 2.5}, ("LB__X",)),
        place=30,
        required=("column",),
        promises=_PROMISES,
        check=_check,
        reading=Reading.BY_VALUE,
        by_value=True,
    ),
)
