"""What the merge asks of a domain file whose rows are not at hand."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Protocol

import numpy as np
import pandas as pd

from study.formats.tables import SourceTable
from study.merge.subject_ids import SUBJECT


class RowsOfPeople(Protocol):
    """The rows of a file that belong to people whom DM knows, divided by person."""

    @property
    def columns(self) -> list[str]:
        """The file's columns."""

    def part(self, start: int, stop: int) -> pd.DataFrame:
        """The rows of the people from ``start`` to ``stop``, with the place of each among these in ``SUBJECT``."""

    def give_back(self, start: int) -> None:
        """Give back what the rows of the part from ``start`` on take on the disk: it is not asked for again."""


class LargeTable(SourceTable, ABC):
    """A table whose rows are not at hand: ``frame`` has its columns and no row."""

    @property
    def is_at_hand(self) -> bool:
        """Whether its rows are in memory."""
        return False

    @abstractmethod
    def of_people(self, person: np.ndarray, starts: np.ndarray, column: str | None) -> RowsOfPeople:
        """The rows divided by person; ``person`` is the place of each id of ``source_ids(column)``, -1 for nobody.

        ``starts`` are the places where the parts begin that will be asked for.
        """


class RowsInMemory:
    """The rows of a table that is in memory, in a ``frame`` with the place of each row's person in ``SUBJECT``."""

    def __init__(self, frame: pd.DataFrame):
        self.frame = frame

    @property
    def columns(self) -> list[str]:
        """The file's columns."""
        return [str(name) for name in self.frame if name != SUBJECT]

    def part(self, start: int, stop: int) -> pd.DataFrame:
        """The rows of the people from ``start`` to ``stop``, with the place of each among these in ``SUBJECT``."""
        person = self.frame[SUBJECT].to_numpy()
        belongs = (person >= start) & (person < stop)
        if start == 0 and belongs.all():
            return self.frame
        return self.frame[belongs].assign(**{SUBJECT: person[belongs] - start}).reset_index(drop=True)

    def give_back(self, start: int) -> None:
        """Nothing is on the disk."""


def rows_of_people(table: SourceTable, person: np.ndarray, starts: np.ndarray, column: str | None) -> RowsOfPeople:
    """The rows of a table that belong to people; the arguments as in ``LargeTable.of_people``."""
    return table.of_people(person, starts, column) if isinstance(table, LargeTable) else rows_in_memory(table, person)


def rows_in_memory(table: SourceTable, person: np.ndarray) -> RowsInMemory:
    """The rows of a table in memory that belong to people; ``person`` (n_rows,) is the place of each, -1 for none."""
    frame, known = table.frame, person >= 0
    if not known.all():
        frame, person = frame[known].reset_index(drop=True), person[known]
    return RowsInMemory(frame.assign(**{SUBJECT: person}))
