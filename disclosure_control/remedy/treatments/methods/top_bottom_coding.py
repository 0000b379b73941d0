"""Top and bottom coding: what lies beyond a limit becomes the limit, or a given value."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import numbers_of
from disclosure_control.basics.settings.fields import SettingsGroup, setting
from disclosure_control.basics.settings.kinds import COLUMN, NUMBER
from disclosure_control.remedy.treatments.registry import (
    Reading,
    Treated,
    Treatment,
    TreatmentInput,
    with_columns,
)


@dataclass(frozen=True)
class CodingSettings(SettingsGroup):
    """The limit, and the value that replaces those beyond it."""

    column: str = setting(COLUMN, "a column of numbers")
    limit: float = setting(NUMBER, "values beyond it are coded")
    replacement: float | None = setting(NUMBER, "the value that replaces those beyond", None, "the limit")


def top_code(given: TreatmentInput, settings: CodingSettings) -> Treated:
    """Numbers above the limit become the ``replacement`` (default: the limit).

    Source: sdcMicro ``topBotCoding``, kind "top".
    """
    return _coded(given, settings, np.greater)


def bottom_code(given: TreatmentInput, settings: CodingSettings) -> Treated:
    """Numbers below the limit become the ``replacement`` (default: the limit)."""
    return _coded(given, settings, np.less)


def _coded(given: TreatmentInput, settings: CodingSettings, is_beyond: np.ufunc) -> Treated:
    column, limit = settings.column, settings.limit
    numbers = numbers_of(given.frame[column], given.people)
    instead = limit if settings.replacement is None else settings.replacement
    values = np.where(is_beyond(numbers, limit), instead, numbers)
    return with_columns(given, {column: pd.Series(values, given.frame.index, name=column)})


TREATMENTS = {
    "top_code": Treatment(
        top_code, CodingSettings, 30, "numbers above `limit` become the limit, or the `replacement`", Reading.BY_VALUE
    ),
    "bottom_code": Treatment(
        bottom_code,
        CodingSettings,
        30,
        "numbers below `limit` become the limit, or the `replacement`",
        Reading.BY_VALUE,
    ),
}
