"""Offsets drawn again for the few people to whom the calendar leaves few of them: so a verdict does not hang on luck.

Which offsets remain possible depends on where the window of all offsets lies: at its edge it may leave the year in
which all dates of a study lie. That number depends on the released dates alone, so an attacker who knows this rule
rules out none of the offsets that remain.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from disclosure_control.measures.moved_dates import (
    FEW,
    ColumnOfDates,
    calendar_patterns,
    n_left_by_offset,
    n_offsets_left,
)
from disclosure_control.remedy.treatments.keys import Release, digests

MOST_TRIED = 100_000_000  # people times offsets times patterns
MOST_UNDATED = 0.05  # of the people, who leave without dates; if more would, the dates of all are in question
AGAIN = "date again"


def offsets_that_hold(
    columns: Sequence[ColumnOfDates], offsets: np.ndarray, ids: Sequence[str], key: bytes, release: Release, days: int
) -> tuple[np.ndarray, np.ndarray]:
    """The ``offsets`` (n_people,), of which those with at most ``FEW`` possible ones are others, drawn by the key.

    ``columns`` are the dates as these offsets moved them. Each is drawn among all offsets, -``days`` to ``days``, that
    leave more. Where there is none, people leave without dates if they are few: their places are returned as well. If
    they are many, their first offset stays, and the calendar is a reason to hold.
    """
    patterns = [pattern for column in columns for pattern in calendar_patterns(column, offsets)]
    nobody = np.zeros(0, dtype=np.int64)
    if not patterns or len(offsets) * 2 * days * len(patterns) > MOST_TRIED:
        return offsets, nobody
    few = np.flatnonzero(n_offsets_left(patterns, np.arange(len(offsets)), offsets, days) <= FEW)
    possible, n_left = n_left_by_offset(patterns, few, offsets, days)
    holds, again = n_left > FEW, offsets.copy()
    drawn = digests(key, AGAIN, release, [ids[int(person)] for person in few])
    for person, number, of_person in zip(few, drawn, holds, strict=True):
        if of_person.any():
            candidates = possible[of_person]
            again[person] = candidates[int.from_bytes(number) % len(candidates)]
    hopeless = few[~holds.any(axis=1)]
    return again, hopeless if len(hopeless) <= MOST_UNDATED * len(offsets) else nobody
