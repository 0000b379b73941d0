"""Who has which of a column's distinct values: read from its rows, or counted before if rows are not available."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pyarrow as pa

Pairs = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class RowHolders:
    """Whose the rows of a table are: ``code`` (n_rows,) into ``ids`` (n_people,), -1 where the row names nobody."""

    code: np.ndarray
    ids: pa.Array = field(repr=False)

    @cached_property
    def has_a_row_each(self) -> bool:
        """Whether every row is another person's."""
        return len(self.code) == len(self.ids) and (not len(self.code) or int(self.code.min()) >= 0)


@dataclass(frozen=True)
class Holders:
    """The people of a column: ``rows_of_value`` and ``people_of_value`` (n_distinct,), zeros where rows name nobody.

    ``n_all_people``: how many the table has, with or without a value. ``ids_of`` gives the ids (n,) of the people with
    some values (n,), each of which one person has. ``pairs``: person and value of every pair that occurs, once each;
    None where everybody has one row.
    """

    rows_of_value: np.ndarray
    people_of_value: np.ndarray
    n_all_people: int
    ids_of: Callable[[np.ndarray], pa.Array] = field(repr=False)
    pairs: Pairs | None = field(default=None, repr=False)

    @cached_property
    def n_people(self) -> int:
        """How many people have a value."""
        return self.people_with(np.ones(len(self.people_of_value), dtype=bool))

    def people_with(self, values: np.ndarray) -> int:
        """How many people have one of the values (n_distinct,) of bool."""
        if self.pairs is None:
            return int(self.people_of_value[values].sum())
        is_in = np.zeros(self.n_all_people, dtype=bool)
        is_in[self.pairs[0][values[self.pairs[1]]]] = True
        return int(is_in.sum())


def holders_in_rows(code: np.ndarray, n_distinct: int, subjects: RowHolders) -> Holders:
    """Read from the rows: ``code`` (n_rows,) into the ``n_distinct`` values, -1 where missing."""
    rows_of_value = np.bincount(code + 1, minlength=n_distinct + 1)[1:]  # without those where it is missing
    pairs = None if subjects.has_a_row_each else _pairs(code, n_distinct, subjects.code)
    people_of_value = rows_of_value if pairs is None else np.bincount(pairs[1], minlength=n_distinct)

    def ids_of(values: np.ndarray) -> pa.Array:
        person, value = pairs or _pairs(code, n_distinct, subjects.code)
        holder = np.zeros(n_distinct, dtype=np.int64)
        holder[value] = person
        return subjects.ids.take(pa.array(holder[values]))

    return Holders(rows_of_value, people_of_value, len(subjects.ids), ids_of, pairs)


def _pairs(code: np.ndarray, n_distinct: int, subject: np.ndarray) -> Pairs:
    known = (code >= 0) & (subject >= 0)
    person, value = subject[known], code[known]
    if not len(person) or np.bincount(person).max() == 1:
        return person, value
    packed = np.sort(person.astype(np.int64) * n_distinct + value)  # np.unique hashes, and is far slower
    packed = packed[np.append(True, packed[1:] != packed[:-1])]
    return packed // n_distinct, packed % n_distinct
