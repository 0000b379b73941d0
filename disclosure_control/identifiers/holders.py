"""Who has which of a column's distinct values: read from its rows, or counted before if rows are not available."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np
import pyarrow as pa


class Holders(Protocol):
    """The people of a column with ``n_distinct`` values."""

    @property
    def n_all_people(self) -> int:
        """How many people the table has, with or without a value."""
        ...

    @property
    def rows_of_value(self) -> np.ndarray:
        """Rows (n_distinct,) with each value."""
        ...

    @property
    def people_of_value(self) -> np.ndarray:
        """People (n_distinct,) who have each value; zeros where the table names no subject."""
        ...

    @property
    def n_people(self) -> int: ...

    @property
    def n_pairs(self) -> int:
        """Pairs of a person and a value: more than people where some have several values."""
        ...

    def people_with(self, values: np.ndarray) -> int:
        """How many people have one of the values (n_distinct,) of bool."""
        ...

    def ids_of(self, values: np.ndarray) -> pa.Array:
        """The ids (n,) of the people with these values (n,), each of which one person has."""
        ...


@dataclass(frozen=True)
class RowHolders:
    """Whose the rows of a table are: ``code`` (n_rows,) into ``ids`` (n_people,), -1 where the row names nobody."""

    code: np.ndarray
    ids: pa.Array = field(repr=False)

    @cached_property
    def n_people(self) -> int:
        """How many people have a row."""
        return len(self.ids)

    @cached_property
    def has_a_row_each(self) -> bool:
        """Whether every row is another person's."""
        return len(self.code) == self.n_people and (not len(self.code) or int(self.code.min()) >= 0)


@dataclass(frozen=True)
class HoldersInRows:
    """Read from the rows: ``code`` (n_rows,) into the ``n_distinct`` values, -1 where missing. See ``Holders``."""

    code: np.ndarray
    subjects: RowHolders
    n_distinct: int

    @property
    def n_all_people(self) -> int:
        return self.subjects.n_people

    @cached_property
    def rows_of_value(self) -> np.ndarray:
        return np.bincount(self.code + 1, minlength=self.n_distinct + 1)[1:]  # without those where it is missing

    @cached_property
    def _pairs(self) -> tuple[np.ndarray, np.ndarray]:
        """Person and value of every pair that occurs, once each."""
        known = (self.code >= 0) & (self.subjects.code >= 0)
        person, value = self.subjects.code[known], self.code[known]
        if self.subjects.has_a_row_each or not len(person) or np.bincount(person).max() == 1:
            return person, value
        packed = np.sort(person.astype(np.int64) * self.n_distinct + value)  # np.unique hashes, and is far slower
        packed = packed[np.append(True, packed[1:] != packed[:-1])]
        return packed // self.n_distinct, packed % self.n_distinct

    @cached_property
    def people_of_value(self) -> np.ndarray:
        if self.subjects.has_a_row_each:
            return self.rows_of_value
        return np.bincount(self._pairs[1], minlength=self.n_distinct)

    @cached_property
    def n_people(self) -> int:
        return self.people_with(np.ones(self.n_distinct, dtype=bool))

    @property
    def n_pairs(self) -> int:
        return int(self.people_of_value.sum())

    def people_with(self, values: np.ndarray) -> int:
        if self.subjects.has_a_row_each:
            return int(self.rows_of_value[values].sum())
        is_in = np.zeros(self.subjects.n_people, dtype=bool)
        is_in[self._pairs[0][values[self._pairs[1]]]] = True
        return int(is_in.sum())

    def ids_of(self, values: np.ndarray) -> pa.Array:
        person = np.zeros(self.n_distinct, dtype=np.int64)
        person[self._pairs[1]] = self._pairs[0]
        return self.subjects.ids.take(pa.array(person[values]))


@dataclass(frozen=True)
class HoldersCounted:
    """Counted before, of ``n_all_people``, each with one row. ``ids_of`` finds the people. See ``Holders``."""

    people_of_value: np.ndarray
    n_all_people: int
    ids_of: Callable[[np.ndarray], pa.Array]

    @property
    def rows_of_value(self) -> np.ndarray:
        return self.people_of_value

    @cached_property
    def n_people(self) -> int:
        return int(self.people_of_value.sum())

    @property
    def n_pairs(self) -> int:
        return self.n_people

    def people_with(self, values: np.ndarray) -> int:
        return int(self.people_of_value[values].sum())
