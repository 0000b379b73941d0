"""Every column of a dataset, record by record, in blocks: what is treated, compared and written.

A record has the number of a value in each column. In a stored file these are its distinct texts, and treatments of a
column are applied to them; in a frame in memory each record has a value of its own, in one block.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN
from disclosure_control.basics.encoding.dictionary import Dictionary
from disclosure_control.basics.encoding.keys import number_rows
from disclosure_control.basics.telling.faults import RecordsNotAtHandError
from disclosure_control.basics.telling.progress import progress
from disclosure_control.records.classes import counted_classes
from disclosure_control.records.columns import ColumnOfRecords, ids_of_block, kept_records, occurring, places_of_all
from disclosure_control.records.limits import NO_LIMITS, Limits
from disclosure_control.records.spill import Columns, arrays_of, schema_of
from disclosure_control.records.sql import Database
from disclosure_control.records.subjects import Subjects, SubjectsInMemory, SubjectsOnDisk

PEOPLE_AT_ONCE = 1 << 16


@dataclass(frozen=True)
class EncodedRecords:
    """Records, one of each person: the ids block by block, and every other column by name, in the order of the file."""

    subjects: Subjects
    columns: Mapping[str, ColumnOfRecords]
    _database: Database | None  # None in memory
    limits: Limits

    @staticmethod
    def in_memory(frame: pd.DataFrame, subjects: pd.Series | None = None) -> RecordsInMemory:
        """Those of a ``frame`` (n_people, n_columns), all in one block; the ``subjects`` are in it or beside it."""
        named = {str(name): frame[name] for name in frame if name != SUBJECT_COLUMN}
        columns = ColumnOfRecords.each_own(named, len(frame))
        ids = SubjectsInMemory(frame.get(SUBJECT_COLUMN) if subjects is None else subjects, len(frame))
        return RecordsInMemory(ids, columns, None, NO_LIMITS, np.arange(len(frame)))

    @property
    def n_people(self) -> int:
        """How many records there are, one for each person."""
        return sum(self.subjects.lengths)

    def ids(self) -> pd.Series:
        """The ids of all people (n_people,)."""
        return ids_of_block(pa.chunked_array(list(self.subjects.ids), pa.large_string()))

    def places(self, name: str) -> np.ndarray:
        """Which value of a column each person has, (n_people,)."""
        return self.columns[name].places()

    @property
    def database(self) -> Database:
        """That of the run: records are on disk."""
        assert self._database is not None
        return self._database

    def blocks(self, names: Iterable[str]) -> Iterator[tuple[pa.Array, list[np.ndarray]]]:
        """Block by block the ids (n,) and, of each of the columns, the places (n,) of the values."""
        for ids, *of_block in zip(self.subjects.ids, *(self.columns[name].texts for name in names), strict=True):
            yield ids, of_block

    def passed(self, words: str, *blocks: Iterable[Any]) -> Iterator[tuple[Any, ...]]:
        """What there is of each record, block by block, side by side; how far that is, is said in these ``words``."""
        with progress(words, self.n_people, "people") as advance:
            for n_records, *one in zip(self.subjects.lengths, *blocks, strict=True):
                yield tuple(one)
                advance(n_records)

    def beside_ids(self, values: Mapping[str, pd.Series]) -> Iterator[tuple[pd.Series, pd.DataFrame]]:
        """Block by block the ids, and the ``values`` (n_texts,) in place of those of the columns."""
        texts = [self.column(name, one).texts for name, one in values.items()]
        for ids, *of_block in zip(self.subjects.ids, *texts, strict=True):
            columns = {
                name: values[name].take(text).reset_index(drop=True)
                for name, text in zip(values, of_block, strict=True)
            }
            yield ids_of_block(ids), pd.DataFrame(columns)

    def with_values(self, values: Mapping[str, pd.Series]) -> EncodedRecords:
        """The records with ``values`` (n_texts,) in place of those of the columns, and no others."""
        columns = {name: self.column(name, one) for name, one in values.items()}
        of_people = {name: occurring(values[name], one.people) for name, one in columns.items()}
        return dataclasses.replace(
            self, columns={name: dataclasses.replace(one, values=of_people[name]) for name, one in columns.items()}
        )

    def class_sizes(self, columns: Mapping[str, tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
        """How many people have the same in all of the columns, (n_classes,); a missing value is a value.

        Of each column the code (n_texts,) of each value, -1 missing, and the labels. Raises ``FaultyInputError`` where
        there are more classes than the limits allow.
        """
        texts = (one for _, one in self.blocks(columns))
        codes = ([codes[text] for (codes, _), text in zip(columns.values(), one, strict=True)] for one in texts)
        return counted_classes(codes, len(columns), self.n_people, self.database, self.limits.n_classes)[1]

    def without(
        self, of_blocks: Iterable[np.ndarray], gone: np.ndarray, values: Mapping[str, pd.Series]
    ) -> tuple[EncodedRecords, Mapping[str, pd.Series]]:
        """The records without the classes ``gone`` (n_classes,) of bool, and their values in place of ``values``.

        The class of each record comes ``of_blocks``. On disk they are stored anew, and the ``values`` stay the same.
        """
        subjects = SubjectsOnDisk(self.database)

        def kept() -> Iterator[np.ndarray]:
            for ids, classes in zip(self.subjects.ids, of_blocks, strict=True):
                is_kept = ~gone[classes]
                subjects.append(ids.filter(pa.array(is_kept)))
                yield is_kept

        with contextlib.closing(subjects):
            columns, _ = kept_records(list(self.columns.values()), kept(), self.database)
        by_name = dict(zip(self.columns, columns, strict=True))
        return EncodedRecords(subjects, by_name, self.database, self.limits), values

    def positions_in(self, original: EncodedRecords) -> np.ndarray:
        """The numbers (n_people,) that those who stayed have among the ``original`` records."""
        return Dictionary(original.ids()).positions(self.ids())

    def frame(
        self, what: str, columns: Iterable[str], values: Mapping[str, pd.Series], ids: Subjects | None
    ) -> pd.DataFrame:
        """All records at once with their original numbers, with ``values`` and ``ids`` in place of their own.

        Raises ``RecordsNotAtHandError``, naming ``what``, if they are not in memory.
        """
        raise RecordsNotAtHandError(what)

    def at(self, numbers: np.ndarray) -> EncodedRecords:
        """Those with these numbers, as ``frame`` gives them."""
        raise RecordsNotAtHandError("some of the records")

    def with_ids(self, recoded: Callable[[pd.Series], pd.Series]) -> tuple[Subjects, int]:
        """The ids as a function gives them of each block, and how many fewer different ones there are than before."""
        subjects = self._recoded(recoded)
        return subjects, self.subjects.count_distinct() - subjects.count_distinct()

    def _recoded(self, recoded: Callable[[pd.Series], pd.Series]) -> Subjects:
        with contextlib.closing(SubjectsOnDisk(self.database)) as subjects:
            for ids in self.subjects.ids:
                subjects.append(pa.array(recoded(ids_of_block(ids)), pa.large_string()))
        return subjects

    def in_order(self, blocks: Iterable[Columns], kinds: Sequence[pa.DataType], n_keys: int) -> Iterator[pa.Table]:
        """Tables of what there is of as many records, block by block, by the first ``n_keys`` columns, rising."""
        return self.database.in_order(blocks, kinds, n_keys, self.limits.flagged_per_part)

    def with_least_hashes(self, most: int, position: np.ndarray | None = None) -> np.ndarray:
        """Positions (n,) of at most so many people, in the order of the hashes of their ids.

        ``position`` (n_people,): choose among these places only, and return positions there.
        """
        if position is None:
            return least_hashed(self._known(), most)
        ids, starts = self.ids(), range(0, len(position), PEOPLE_AT_ONCE)  # as objects of Python they take more room
        return least_hashed((ids.iloc[position[start : start + PEOPLE_AT_ONCE]] for start in starts), most)

    def _known(self) -> Iterator[pd.Series | pd.DataFrame]:
        """Block by block the ids; all values of records without any."""
        if self.subjects.has_ids:
            yield from map(ids_of_block, self.subjects.ids)
        else:
            columns = self.columns.items()
            yield pd.DataFrame({name: one.values.take(one.places()).array for name, one in columns})

    def column(self, name: str, values: pd.Series) -> ColumnOfRecords:
        """A column with ``values`` (n_texts,) in place of its own; in a new one each person has an own value."""
        return self.columns.get(name) or ColumnOfRecords.each_own({name: values}, self.n_people)[name]


@dataclass(frozen=True)
class RecordsInMemory(EncodedRecords):
    """Records in memory, in one block, where each person has a value of its own in every column.

    ``numbers`` (n_people,) are those that they have had before any went.
    """

    numbers: np.ndarray = field(repr=False)

    def positions_in(self, original: EncodedRecords) -> np.ndarray:
        return self.numbers

    def frame(
        self, what: str, columns: Iterable[str], values: Mapping[str, pd.Series], ids: Subjects | None
    ) -> pd.DataFrame:
        found = {name: one.array for name, one in values.items()}
        if ids is not None:
            found[SUBJECT_COLUMN] = cast(SubjectsInMemory, ids).at_once.array
        return pd.DataFrame({name: found[name] for name in columns}, self.numbers, copy=False)

    def at(self, numbers: np.ndarray) -> RecordsInMemory:
        if len(numbers) == self.n_people:
            return self
        kept = np.searchsorted(self.numbers, numbers)
        columns = {name: one.values.iloc[kept].reset_index(drop=True) for name, one in self.columns.items()}
        records = EncodedRecords.in_memory(pd.DataFrame(columns, range(len(kept)), copy=False))
        subjects = cast(SubjectsInMemory, self.subjects).at(kept)
        return dataclasses.replace(records, subjects=subjects, numbers=numbers)

    def without(
        self, of_blocks: Iterable[np.ndarray], gone: np.ndarray, values: Mapping[str, pd.Series]
    ) -> tuple[RecordsInMemory, Mapping[str, pd.Series]]:
        kept = np.flatnonzero(~gone[places_of_all(of_blocks)])
        of_kept = {name: one.iloc[kept].reset_index(drop=True) for name, one in values.items()}
        return self.at(self.numbers[kept]), of_kept

    def in_order(self, blocks: Iterable[Columns], kinds: Sequence[pa.DataType], n_keys: int) -> Iterator[pa.Table]:
        (block,), schema = blocks, schema_of(kinds)
        table = pa.Table.from_arrays(arrays_of(block, schema), schema=schema)
        order = [(name, "ascending") for name in schema.names[:n_keys]]
        return iter([table.take(pc.sort_indices(table, order)) if order else table])

    def with_values(self, values: Mapping[str, pd.Series]) -> RecordsInMemory:
        return dataclasses.replace(self, columns=ColumnOfRecords.each_own(values, self.n_people))

    def class_sizes(self, columns: Mapping[str, tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
        codes = [codes[self.places(name)] for name, (codes, _) in columns.items()]
        return number_rows(codes, [len(labels) + 1 for _, labels in columns.values()], self.n_people, least=-1)[1]

    def _recoded(self, recoded: Callable[[pd.Series], pd.Series]) -> Subjects:
        return SubjectsInMemory(recoded(cast(SubjectsInMemory, self.subjects).at_once), self.n_people)


def least_hashed(blocks: Iterable[pd.Series | pd.DataFrame], most: int) -> np.ndarray:
    """Positions (n,) of at most so many records that come block by block, by the hashes of their ids or values."""
    hashes, rows, n_before = np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=np.int64), 0
    for known in blocks:
        hashes = np.append(hashes, pd.util.hash_pandas_object(known, index=False).to_numpy())
        rows = np.append(rows, np.arange(n_before, n_before + len(known)))
        n_before += len(known)
        least = np.argsort(hashes, kind="stable")[:most]
        hashes, rows = hashes[least], rows[least]
    return rows


# ---------------------------------------------------------------- in an order that discloses nothing of their own


def sorted_by_id(
    records: EncodedRecords, ids: Subjects, values: Mapping[str, pd.Series], columns: Sequence[str]
) -> Iterator[pd.DataFrame]:
    """Pieces of the records by rising id, as letters sort; ``ids`` are used in place of those of the records.

    ``values`` (n_texts,) are written for each column except that of the ids, ``columns`` are their order.
    """
    blocks = ([block, *texts] for block, (_, texts) in zip(ids.ids, records.blocks(values), strict=True))
    for part in records.in_order(blocks, [pa.large_string(), *[pa.int32()] * len(values)], 1):
        found = _written(part, values)
        found[SUBJECT_COLUMN] = ids_of_block(part.column(0))
        yield pd.DataFrame({name: found[name] for name in columns})


def sorted_by_columns(
    records: EncodedRecords, values: Mapping[str, pd.Series], columns: Sequence[str]
) -> Iterator[pd.DataFrame]:
    """Pieces of the records by the values of all columns: numbers by size, text by letters, missing last."""
    written = {name: values[name] for name in columns}
    ranks = [ranks_of(one) for one in written.values()]
    blocks = (
        [np.zeros(len(ids), dtype=np.int8), *(rank[text] for rank, text in zip(ranks, texts, strict=True)), *texts]
        for ids, texts in records.blocks(columns)
    )  # the first one counts the records where they have no column
    kinds = [pa.int8(), *[pa.int64()] * len(ranks), *[pa.int32()] * len(columns)]
    for part in records.in_order(blocks, kinds, 1 + len(ranks)):
        yield pd.DataFrame(_written(part, written), index=range(part.num_rows))


def ranks_of(values: pd.Series) -> np.ndarray:
    """The place of each value (n,) in the order of a release, equal ones together, missing ones last."""
    is_number = pd.api.types.is_numeric_dtype(values.dtype)
    codes, distinct = pd.factorize(values if is_number else values.astype("str"))
    rank = np.empty(len(distinct) + 1, dtype=np.int64)
    rank[np.asarray(pc.sort_indices(pa.array(distinct)))] = np.arange(len(distinct))
    rank[-1] = len(distinct)
    return rank[codes]


def _written(part: pa.Table, values: Mapping[str, pd.Series]) -> dict[str, pd.Series]:
    """The values of the records, whose places among them are the last columns."""
    places = [column.to_numpy() for column in part.columns[part.num_columns - len(values) :]]
    return {
        name: one.take(place).reset_index(drop=True) for (name, one), place in zip(values.items(), places, strict=True)
    }
