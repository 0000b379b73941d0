"""The analysis that a config asks for: an outcome of each person, by what it is predicted, and the time until it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from disclosure_control.basics.settings.fields import SettingsGroup, setting
from disclosure_control.basics.settings.kinds import COLUMN, COLUMNS, Place
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.study_tables.regression import library_of_cox


@dataclass(frozen=True)
class OutcomeAsked(SettingsGroup):
    """An outcome ``column`` and its predictors ``by``; with a ``time``, the outcome is an event that had happened then.

    Columns are those of the combined dataset.
    """

    column: str = setting(COLUMN, "the outcome: a column of numbers, or of two values")
    by: tuple[str, ...] = setting(
        COLUMNS,
        "the columns by which it is predicted; with `time`, one that divides people, or several for a Cox regression",
    )
    time: str | None = setting(
        COLUMN,
        "the column with the time until the outcome or, where it did not happen, until the person was last seen",
        None,
        "the outcome has no time",
    )

    def check(self, place: Place, given: Mapping[str, Any]) -> Iterator[str]:
        """The library for several predictors of a time, where it is missing."""
        if self.time is not None and len(self.by) > 1:
            try:
                library_of_cox()
            except FaultyInputError as error:
                yield f"{place['by']}: {error}"
