"""What the calendar gives away of the dates that ``shift_dates`` moved: cut-offs, weekdays, ends of months."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from disclosure_control.basics.telling.reasons import Gravity, Reason
from disclosure_control.basics.telling.small_counts import (
    HAND_TO_HAND,
    MASKED,
    SMALLEST_PRINTED_GROUP,
    count_text,
    people_on_screen,
    people_told,
)
from disclosure_control.basics.telling.words import people_text
from disclosure_control.leaving.leaving import Leaving
from disclosure_control.leaving.release_finding import ReleaseFinding
from disclosure_control.measures.moved_dates import MOST, NEARLY_ALL, Pattern, calendar_patterns, offsets_left
from disclosure_control.treatments.methods.shift_dates import ShiftDatesSettings

MOST_TRIED = 50_000_000  # dates times offsets
FEW = 10  # offsets left, from which on a person's dates are nearly known
WORDS = {
    "day": "fall on one and the same day",
    "day of the year": "fall on one day of the year",
    "day of the month": "fall on one day of a month",
    "end of a month": "are the last of a month",
    "weekday": "fall on one weekday",
    "working day": "are no Saturday or Sunday",
}


@dataclass(frozen=True)
class CalendarPattern:
    """How many original ``dates`` of a column have a pattern, in counts: no summary names the day."""

    column: str
    pattern: str
    dates: int | None
    holding: int | None
    most: bool


@dataclass(frozen=True)
class DatesMoved:
    """A step that moved dates: the patterns in its ``columns``, and for how many people these leave few offsets.

    Numbers of people are None where they are masked, and where nobody was looked at.
    """

    columns: Sequence[str]
    offsets: int
    patterns: Sequence[CalendarPattern]
    people_looked_at: int | None
    people_undone: int | None
    people_nearly_undone: int | None
    median_offsets_left: float | None

    def words(self, n_people: int) -> Iterator[str]:
        """The patterns in counts, and the remaining offsets."""
        if self.people_looked_at == 0:
            columns = ", ".join(self.columns) or "the columns that were moved"
            yield f"The calendar was not looked at: no moved date of {columns} is known to the day."
        for pattern in self.patterns:
            yield (
                f"{pattern.column}: {count_text(pattern.holding)} of {count_text(pattern.dates)} original dates "
                f"{WORDS[pattern.pattern]}."
            )
            if not pattern.most:
                yield "An attacker who knows the day, and whose dates these are, reverses shift_dates for them."
        if self.patterns and self.people_looked_at != 0:
            n_left = MASKED if self.median_offsets_left is None else f"{self.median_offsets_left:g}"
            yield (
                "An attacker who knows these patterns of the calendar reverses shift_dates for "
                f"{count_text(self.people_undone)} of {people_told(self.people_looked_at)}. For "
                f"{count_text(self.people_nearly_undone)}, {FEW} offsets or fewer remain. For half of the people, "
                f"{n_left} of {self.offsets} offsets or fewer remain."
            )
        if self.patterns and self.people_looked_at != n_people:
            n_tried = count_text(self.people_looked_at)
            yield f"This was tried for {n_tried} of {people_text(n_people)}: those with such a date."

    def reasons(self) -> Iterator[Reason]:
        """A reason to hold if the calendar alone reverses the moving of dates."""
        if self.people_looked_at != 0 and self.people_undone != 0:
            columns = ", ".join(dict.fromkeys(pattern.column for pattern in self.patterns))
            yield Reason(
                Gravity.OUTSIDERS_CAN_SINGLE_OUT,
                f"The calendar reverses shift_dates for {people_on_screen(self.people_undone)} of "
                f"{people_told(self.people_looked_at)}: original dates of {columns} share a day or another pattern "
                "that outsiders may know.",
                f"drop {columns}, or keep days since a date of the person instead of dates",
            )


@dataclass(frozen=True)
class MovedDates(ReleaseFinding):
    """For each step that moved dates: the patterns of the calendar in its columns, and for whom they reverse it."""

    people: int
    steps: Sequence[DatesMoved]

    def words(self) -> Iterator[str]:
        return (sentence for step in self.steps for sentence in step.words(self.people))

    def reasons(self) -> Iterator[Reason]:
        return (reason for step in self.steps for reason in step.reasons())


def moved_dates(leaving: Leaving) -> MovedDates:
    """For each step that moved dates: the patterns of the calendar in its columns, and for whom they reverse it."""
    found = []
    for step in leaving.steps:
        if isinstance(step.settings, ShiftDatesSettings):
            columns = [name for name in step.changed if name in leaving.released_names]
            found.append(_dates_moved(leaving, columns, step.settings.days))
    return MovedDates(leaving.n_people, found)


def _dates_moved(leaving: Leaving, columns: list[str], days: int) -> DatesMoved:
    both = {name: tuple(map(_days_of, leaving.became(name).of_everybody())) for name in columns}
    original, moved = ({name: days[i] for name, days in both.items()} for i in (0, 1))
    patterns = [pattern for name in columns for pattern in calendar_patterns(name, original[name])]
    people = leaving.some_people(max(MOST_TRIED // (2 * days * max(len(patterns), 1)), 1))
    offset = _offsets({name: (moved[name] - dates)[people] for name, dates in original.items()}, len(people))
    n_left = _n_left({name: dates[people] for name, dates in moved.items()}, patterns, offset, days)
    has_offset = offset != 0
    is_told = int(has_offset.sum()) >= SMALLEST_PRINTED_GROUP
    n_looked_at, n_undone, n_nearly = (int((has_offset & (n_left <= most)).sum()) for most in (2 * days, 1, FEW))
    return DatesMoved(
        columns,
        offsets=2 * days,
        patterns=[_told_pattern(pattern, leaving) for pattern in patterns],
        people_looked_at=HAND_TO_HAND.told(n_looked_at, leaving.n_people),
        people_undone=HAND_TO_HAND.told(n_undone, leaving.n_people, n_looked_at) if n_looked_at else None,
        people_nearly_undone=HAND_TO_HAND.told(n_nearly, leaving.n_people, n_looked_at, n_undone)
        if n_looked_at
        else None,
        median_offsets_left=float(np.median(n_left[has_offset])) if is_told else None,
    )


def _n_left(moved: Mapping[str, np.ndarray], patterns: list[Pattern], offset: np.ndarray, days: int) -> np.ndarray:
    """How many offsets remain possible for each person (n_people,), including the true one; all if the calendar
    misleads.

    Patterns that hold for almost everyone are combined. A day that most people share is tried separately, because it
    misleads for all others. A day that fewer share is not tried: outsiders would have to know who has it.
    """
    together = [pattern for pattern in patterns if pattern.share >= NEARLY_ALL]
    tried = [together, *([pattern] for pattern in patterns if MOST <= pattern.share < NEARLY_ALL)]
    fewest = np.full(len(offset), 2 * days)
    for counted_on in filter(None, tried):
        offsets, left = offsets_left(moved, counted_on, days)
        is_left = (left & (offsets[None, :] == offset[:, None])).any(axis=1)
        fewest = np.where(is_left, np.minimum(fewest, left.sum(axis=1)), fewest)
    return fewest


def _told_pattern(pattern: Pattern, leaving: Leaving) -> CalendarPattern:
    n_dates = leaving.told_of(pattern.column, pattern.n_dates)
    n_holding = leaving.told_of(pattern.column, pattern.n_holding, pattern.n_dates)
    return CalendarPattern(pattern.column, pattern.feature, n_dates, n_holding, pattern.share >= MOST)


def _days_of(column: pd.Series) -> np.ndarray:
    """Dates (n_people,) that are known to the day, as datetime64[D]; NaT for all others, intervals too."""
    texts = column.astype("str").str.strip()
    is_day = texts.str.fullmatch(r"\d{4}-\d{2}-\d{2}(T[^/]*)?").fillna(False).astype(bool)
    days = pd.to_datetime(texts.where(is_day).str.slice(0, 10), format="%Y-%m-%d", errors="coerce")
    return days.to_numpy("datetime64[D]")


def _offsets(differences: Mapping[str, np.ndarray], n_people: int) -> np.ndarray:
    """The number of days by which each person's dates were moved (n_people,), 0 if no date shows it."""
    offset = np.zeros(n_people, dtype=np.int64)
    for difference in differences.values():
        known = ~np.isnat(difference)
        offset[known] = difference[known].astype(np.int64)
    return offset
