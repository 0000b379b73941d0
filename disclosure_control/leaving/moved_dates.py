"""What the calendar gives away of the dates that ``shift_dates`` moved: cut-offs, weekdays, ends of months."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

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


def figures(leaving: Leaving) -> dict[str, Any]:
    """Of each step that moved dates: the patterns of the calendar in its columns, and for whom they undo it."""
    found = []
    for step in leaving.steps:
        if isinstance(step.settings, ShiftDatesSettings):
            columns = [name for name in step.changed if name in leaving.released_names]
            found.append(_figures_of_step(leaving, columns, step.settings.days))
    return {"people": leaving.n_people, "steps": found}


def _figures_of_step(leaving: Leaving, columns: list[str], days: int) -> dict[str, Any]:
    both = {name: tuple(map(_days_of, leaving.became(name).of_everybody())) for name in columns}
    original, moved = ({name: days[i] for name, days in both.items()} for i in (0, 1))
    patterns = [pattern for name in columns for pattern in calendar_patterns(name, original[name])]
    people = leaving.some_people(max(MOST_TRIED // (2 * days * max(len(patterns), 1)), 1))
    offset = _offsets({name: (moved[name] - dates)[people] for name, dates in original.items()}, len(people))
    n_left = _n_left({name: dates[people] for name, dates in moved.items()}, patterns, offset, days)
    has_offset = offset != 0
    is_told = int(has_offset.sum()) >= SMALLEST_PRINTED_GROUP
    n_looked_at, n_undone, n_nearly = (int((has_offset & (n_left <= most)).sum()) for most in (2 * days, 1, FEW))
    return {
        "columns": columns,
        "offsets": 2 * days,
        "patterns": [_figures_of_pattern(pattern, leaving) for pattern in patterns],
        "people_looked_at": HAND_TO_HAND.told(n_looked_at, leaving.n_people),
        "people_undone": HAND_TO_HAND.told(n_undone, leaving.n_people, n_looked_at),
        "people_nearly_undone": HAND_TO_HAND.told(n_nearly, leaving.n_people, n_looked_at, n_undone),
        "median_offsets_left": float(np.median(n_left[has_offset])) if is_told else None,
    }


def _n_left(moved: Mapping[str, np.ndarray], patterns: list[Pattern], offset: np.ndarray, days: int) -> np.ndarray:
    """How many offsets are left for each person (n_people,), their own among them; all where the calendar misleads.

    What holds of nearly everybody is counted on together; one day that most share is tried by itself, for it misleads
    on all others, and one that fewer share is not: outsiders would have to know who they are.
    """
    together = [pattern for pattern in patterns if pattern.share >= NEARLY_ALL]
    tried = [together, *([pattern] for pattern in patterns if MOST <= pattern.share < NEARLY_ALL)]
    fewest = np.full(len(offset), 2 * days)
    for counted_on in filter(None, tried):
        offsets, left = offsets_left(moved, counted_on, days)
        is_left = (left & (offsets[None, :] == offset[:, None])).any(axis=1)
        fewest = np.where(is_left, np.minimum(fewest, left.sum(axis=1)), fewest)
    return fewest


def _figures_of_pattern(pattern: Pattern, leaving: Leaving) -> dict[str, Any]:
    """In counts: which day it is stands in no summary."""
    return {
        "column": pattern.column,
        "pattern": pattern.feature,
        "dates": leaving.told_of(pattern.column, pattern.n_dates),
        "holding": leaving.told_of(pattern.column, pattern.n_holding, pattern.n_dates),
        "most": pattern.share >= MOST,
    }


def _days_of(column: pd.Series) -> np.ndarray:
    """Dates (n_people,) that are known to the day, as datetime64[D]; NaT for all others, intervals too."""
    texts = column.astype("str").str.strip()
    is_day = texts.str.fullmatch(r"\d{4}-\d{2}-\d{2}(T[^/]*)?").fillna(False).astype(bool)
    days = pd.to_datetime(texts.where(is_day).str.slice(0, 10), format="%Y-%m-%d", errors="coerce")
    return days.to_numpy("datetime64[D]")


def _offsets(differences: Mapping[str, np.ndarray], n_people: int) -> np.ndarray:
    """By how many days each person's dates were moved (n_people,), 0 where no date tells it."""
    offset = np.zeros(n_people, dtype=np.int64)
    for difference in differences.values():
        known = ~np.isnat(difference)
        offset[known] = difference[known].astype(np.int64)
    return offset


# ---------------------------------------------------------------- in words


def words(found: Mapping[str, Any]) -> Iterator[str]:
    """The patterns in counts, and what is left of the offsets."""
    for step in found["steps"]:
        for pattern in step["patterns"]:
            yield (
                f"{pattern['column']}: {count_text(pattern['holding'])} of {count_text(pattern['dates'])} original "
                f"dates {WORDS[pattern['pattern']]}."
            )
            if not pattern["most"]:
                yield "Whoever knows the day and can tell who they are undoes shift_dates for these."
        if step["patterns"] and step["people_looked_at"] != 0:
            n_nearly, n_left = count_text(step["people_nearly_undone"]), _median_text(step["median_offsets_left"])
            yield (
                f"Whoever knows these patterns of the calendar undoes shift_dates for "
                f"{count_text(step['people_undone'])} of {people_told(step['people_looked_at'])}, and leaves {FEW} "
                f"offsets or fewer for {n_nearly}; of {step['offsets']} offsets {n_left} are left for half of the "
                "people."
            )
        if step["patterns"] and step["people_looked_at"] != found["people"]:
            n_tried = count_text(step["people_looked_at"])
            yield f"That was tried for {n_tried} of {people_text(found['people'])}, with such a date."


def _median_text(n_left: float | None) -> str:
    return MASKED if n_left is None else f"{n_left:g}"


def reasons(found: Mapping[str, Any]) -> Iterator[Reason]:
    """A reason to hold where the calendar alone undoes the moving of dates."""
    for step in found["steps"]:
        if step["people_undone"] == 0:
            continue
        columns = ", ".join(dict.fromkeys(pattern["column"] for pattern in step["patterns"]))
        yield Reason(
            Gravity.OUTSIDERS_CAN_SINGLE_OUT,
            f"The calendar undoes shift_dates for {people_on_screen(step['people_undone'])} of "
            f"{people_told(step['people_looked_at'])}: original dates of {columns} share a day or another pattern that "
            "outsiders may know.",
            f"drop {columns}, or keep days since a date of the person instead of dates",
        )
