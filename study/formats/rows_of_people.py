"""The rows of a file that belong to people, divided by person, in memory or on disk."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import pandas as pd

SUBJECT = "\0subject"  # the code of each row's subject, under a name that no file can have
MOST_PARTS = 1000  # a million records are divided at once then


def starts_of_parts(n_people: int, n_rows: int, rows_per_part: int) -> np.ndarray:
    """The first place of each part, if people with ``n_rows`` together are divided."""
    n_parts = min(max(-(-n_rows // rows_per_part), 1), MOST_PARTS)
    return np.arange(0, max(n_people, 1), max(-(-n_people // n_parts), 1))


class RowsOfPeople(Protocol):
    """The rows of a file that belong to people who are in DM, divided by person."""

    @property
    def columns(self) -> list[str]:
        """The file's columns."""

    def part(self, start: int, stop: int) -> pd.DataFrame:
        """The rows of the people from ``start`` to ``stop``, with the place of each among these in ``SUBJECT``."""


class RowsInMemory:
    """The rows of a table that is in memory, in a ``frame`` with the place of each row's person in ``SUBJECT``."""

    def __init__(self, frame: pd.DataFrame):
        self.frame = frame

    @property
    def columns(self) -> list[str]:
        return [str(name) for name in self.frame if name != SUBJECT]

    def part(self, start: int, stop: int) -> pd.DataFrame:
        """The rows of the people from ``start`` to ``stop``, with the place of each among these in ``SUBJECT``."""
        person = self.frame[SUBJECT].to_numpy()
        belongs = (person >= start) & (person < stop)
        if start == 0 and belongs.all():
            return self.frame
        return self.frame[belongs].assign(**{SUBJECT: person[belongs] - start}).reset_index(drop=True)


def rows_in_memory(frame: pd.DataFrame, person: np.ndarray) -> RowsInMemory:
    """The rows of a ``frame`` that belong to people; ``person`` (n_rows,) is the place of each, -1 for none."""
    known = person >= 0
    if not known.all():
        frame, person = frame[known].reset_index(drop=True), person[known]
    return RowsInMemory(frame.assign(**{SUBJECT: person}))
