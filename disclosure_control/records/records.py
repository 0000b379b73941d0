"""Every column of a dataset, record by record, in blocks: what is treated, compared and written.

A record has the number of a value in each column. In a stored file these are its distinct texts, and treatments of a
column are applied to them; in a frame in memory each record has a value of its own, in one block.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from config.model_settings import PilotConfig
from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN, encode_column
from disclosure_control.basics.encoding.dictionary import Dictionary
from disclosure_control.basics.encoding.keys import number_rows
from disclosure_control.basics.telling.faults import RecordsNotAtHandError, stop_at
from disclosure_control.records.classes import counted_classes
from disclosure_control.records.disk import PeopleOnDisk, put_aside
from disclosure_control.records.limits import NO_LIMITS, Limits
from disclosure_control.records.people import People, PeopleInMemory, evaluated_columns
from disclosure_control.records.spill import Aside, abreast, put_codes
from disclosure_control.records.sql import Database
from disclosure_control.records.subjects import Subjects, SubjectsInMemory, SubjectsOnDisk
from disclosure_control.records.text_columns import TextsOnDisk
from disclosure_control.records.text_table import TextTable

PEOPLE_AT_ONCE = 1 << 16


@dataclass(frozen=True)
class ColumnOfRecords:
    """A column: which of its ``values`` (n_texts,), as it was read and typed, each record has, block by block.

    ``people`` (n_texts,) have each; of texts that were put aside the first one is missing.
    """

    texts: Iterable[np.ndarray]
    values: pd.Series = field(repr=False)
    people: np.ndarray

    @property
    def occurs(self) -> np.ndarray:
        """Places (n,) of the values that somebody has."""
        return np.flatnonzero(self.people)

    def places(self) -> np.ndarray:
        """Which value each person has, (n_people,)."""
        return places_of_all(self.texts)

    def n_missing(self, values: pd.Series | None = None) -> int:
        """How many people have no value, or have none among other ``values`` (n_texts,) in place of these."""
        return int(self.people[(self.values if values is None else values).isna().to_numpy()].sum())

    def first_records(self) -> np.ndarray:
        """The number of the first record with each value, (n_texts,), -1 where nobody has it."""
        first, n_before = np.full(len(self.people), -1), 0
        for text in self.texts:
            held, rows = np.unique(text, return_index=True)
            is_new = first[held] < 0
            first[held[is_new]] = rows[is_new] + n_before
            n_before += len(text)
        return first


def places_of_all(blocks: Iterable[np.ndarray]) -> np.ndarray:
    """Places that come block by block, in one array (n_people,)."""
    found = list(blocks)
    return found[0] if len(found) == 1 else np.concatenate([np.zeros(0, dtype=np.int32), *found])


def places_at(blocks: Iterable[np.ndarray], rows: np.ndarray) -> np.ndarray:
    """Of places that come block by block those of the records with these numbers (n,)."""
    found, n_before = np.zeros(len(rows), dtype=np.int64), 0
    for block in blocks:
        is_here = (rows >= n_before) & (rows < n_before + len(block))
        found[is_here] = block[rows[is_here] - n_before]
        n_before += len(block)
    return found


@dataclass(frozen=True)
class EncodedRecords:
    """Records, one of each person: the ids block by block, and every other column by name, in the order of the file."""

    subjects: Subjects
    columns: Mapping[str, ColumnOfRecords]
    _database: Database | None  # None in memory
    limits: Limits

    @staticmethod
    def in_memory(frame: pd.DataFrame) -> RecordsInMemory:
        """Those of a ``frame`` (n_people, n_columns), all in one block."""
        places, one = [np.arange(len(frame))], np.ones(len(frame), dtype=np.int64)
        columns = {str(name): ColumnOfRecords(places, frame[name], one) for name in frame if name != SUBJECT_COLUMN}
        subjects = SubjectsInMemory(frame.get(SUBJECT_COLUMN), len(frame))
        return RecordsInMemory(subjects, columns, None, NO_LIMITS, np.arange(len(frame)))

    @classmethod
    def of(cls, people: PeopleOnDisk, table: TextTable) -> EncodedRecords:
        """The records of counted ``people``. Raises ``FaultyInputError`` for columns of too many values."""
        subjects, named, database, limits = people.put_aside
        names = [name for name in table.columns if name != SUBJECT_COLUMN]
        stop_at([fault for name in names if name not in named for fault in table.faults_of_levels(name)])
        columns = {
            name: ColumnOfRecords(named[name].texts, named[name].exact, named[name].people)
            if name in named
            else _as_text(name, cast(TextsOnDisk, table.column(name)))
            for name in names
        }
        return cls(subjects, columns, database, limits)

    @classmethod
    def of_pieces(
        cls, columns: Sequence[str], pieces: Iterable[pd.DataFrame], database: Database, limits: Limits
    ) -> EncodedRecords:
        """Those of a combined dataset that comes in pieces with these columns, put aside, every column as text.

        Raises ``FaultyInputError`` for columns of too many values.
        """
        names = [name for name in columns if name != SUBJECT_COLUMN]
        blocks = (pa.RecordBatch.from_pandas(piece, preserve_index=False) for piece in pieces)
        found, subjects = put_aside(blocks, columns, names, database, limits)
        return cls(subjects, {name: _as_text(name, found[name]) for name in names}, database, limits)

    @property
    def n_people(self) -> int:
        """How many records there are, one for each person."""
        return sum(self.subjects.lengths)

    def ids(self) -> pd.Series:
        """The ids of all people (n_people,)."""
        return ids_of_block(pa.chunked_array([ids.column(0) for ids in self.subjects.ids], pa.large_string()))

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
        texts = [self.columns[name].texts for name in names]
        for ids, *of_block in abreast([self.subjects.ids, *texts]):
            yield ids.column(0), of_block

    def beside_ids(self, values: Mapping[str, pd.Series]) -> Iterator[tuple[pd.Series, pd.DataFrame]]:
        """Block by block the ids, and the ``values`` (n_texts,) in place of those of the columns."""
        texts = [self.column(name, one).texts for name, one in values.items()]
        for ids, *of_block in abreast([self.subjects.ids, *texts]):
            columns = {
                name: values[name].take(text).reset_index(drop=True)
                for name, text in zip(values, of_block, strict=True)
            }
            yield ids_of_block(ids.column(0)), pd.DataFrame(columns)

    def counted_as(self, config: PilotConfig, values: Mapping[str, pd.Series]) -> People:
        """The people with ``values`` (n_texts,) in place of those of the columns, as a config evaluates them."""
        names = dict.fromkeys(config.quasi_identifiers + config.sensitive_features)
        exact = {name: occurring(values[name], self.columns[name].people) for name in names}
        people = {name: self.columns[name].people for name in names}
        texts = {name: self.columns[name].texts for name in names}
        columns, binnings = evaluated_columns(config, exact, people, texts)
        return PeopleOnDisk(config, columns, self.subjects, binnings, self.database, self.limits)

    def class_sizes(self, columns: Mapping[str, tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
        """How many people have the same in all of the columns, (n_classes,); a missing value is a value.

        Of each column the code (n_texts,) of each value, -1 missing, and the labels. Raises ``FaultyInputError`` where
        there are more classes than the limits allow.
        """
        if not columns:
            return np.array([self.n_people])

        path = self.database.new_folder() / "codes.parquet"
        codes = [codes for codes, _ in columns.values()]
        blocks = ([one[text] for one, text in zip(codes, texts, strict=True)] for _, texts in self.blocks(columns))
        put_codes(path, blocks, len(columns))
        return counted_classes(self.database.count(path, range(len(columns))), len(columns), self.limits.n_classes)[1]

    def without(
        self, people: People, gone: np.ndarray, values: Mapping[str, pd.Series]
    ) -> tuple[EncodedRecords, Mapping[str, pd.Series]]:
        """The records without the classes ``gone`` (n_classes,) of bool, and their values in place of ``values``.

        On disk they are stored anew, and the ``values`` stay the same.
        """
        names, subjects = list(self.columns), SubjectsOnDisk(self.database)
        kept = Aside(self.database.new_folder() / "columns", [pa.int32()] * len(names))
        counts = {name: np.zeros(len(self.columns[name].values), dtype=np.int64) for name in names}
        with contextlib.closing(kept), contextlib.closing(subjects):
            for (ids, texts), classes in zip(self.blocks(names), people.classes_of_blocks(), strict=True):
                rows = np.flatnonzero(~gone[classes])
                if not len(rows):
                    continue
                subjects.append(ids.take(pa.array(rows)))
                kept.append([text[rows] for text in texts])
                for name, text in zip(names, texts, strict=True):
                    counts[name] += np.bincount(text[rows], minlength=len(counts[name]))
        columns = {
            name: ColumnOfRecords(kept.column(i), self.columns[name].values, counts[name])
            for i, name in enumerate(names)
        }
        return EncodedRecords(subjects, columns, self.database, self.limits), values

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
        with contextlib.closing(SubjectsOnDisk(self.database)) as subjects:
            for ids in self.subjects.ids:
                subjects.append(pa.array(recoded(ids_of_block(ids.column(0))), pa.large_string()))
        return subjects, self.n_people - subjects.count_distinct()

    def in_order(self, records: Iterator[pa.RecordBatch], schema: pa.Schema, n_keys: int) -> Iterator[pa.Table]:
        """Tables of as many ``records``, block by block, by their first ``n_keys`` columns, rising."""
        return self.database.in_order(records, schema, n_keys, self.limits.flagged_per_part)

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
            yield from (ids_of_block(ids.column(0)) for ids in self.subjects.ids)
        else:
            columns = self.columns.items()
            yield pd.DataFrame({name: one.values.take(one.places()).array for name, one in columns})

    def column(self, name: str, values: pd.Series) -> ColumnOfRecords:
        """A column with ``values`` (n_texts,) in place of its own; in a new one each person has an own value."""
        n = self.n_people
        return self.columns.get(name) or ColumnOfRecords([np.arange(n)], values, np.ones(n, dtype=np.int64))


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
        self, people: People, gone: np.ndarray, values: Mapping[str, pd.Series]
    ) -> tuple[RecordsInMemory, Mapping[str, pd.Series]]:
        kept = np.flatnonzero(~gone[places_of_all(people.classes_of_blocks())])
        of_kept = {name: one.iloc[kept].reset_index(drop=True) for name, one in values.items()}
        return self.at(self.numbers[kept]), of_kept

    def in_order(self, records: Iterator[pa.RecordBatch], schema: pa.Schema, n_keys: int) -> Iterator[pa.Table]:
        table = pa.Table.from_batches(records, schema)
        yield table.take(pc.sort_indices(table, [(name, "ascending") for name in schema.names[:n_keys]]))

    def class_sizes(self, columns: Mapping[str, tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
        codes = [codes[self.places(name)] for name, (codes, _) in columns.items()]
        return number_rows(codes, [len(labels) + 1 for _, labels in columns.values()], self.n_people, least=-1)[1]

    def with_ids(self, recoded: Callable[[pd.Series], pd.Series]) -> tuple[Subjects, int]:
        before = cast(SubjectsInMemory, self.subjects).at_once
        after = recoded(before)
        return SubjectsInMemory(after, self.n_people), before.nunique() - after.nunique()

    def counted_as(self, config: PilotConfig, values: Mapping[str, pd.Series]) -> People:
        names = dict.fromkeys(config.quasi_identifiers + config.sensitive_features)
        return PeopleInMemory(pd.DataFrame({name: values[name].array for name in names}, range(self.n_people)), config)


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


def _as_text(name: str, column: TextsOnDisk) -> ColumnOfRecords:
    texts = column.texts()
    return ColumnOfRecords(column.codes, texts.column(name), texts.people)


def ids_of_block(ids: pa.Array | pa.ChunkedArray) -> pd.Series:
    """The ids as a column of the dataset."""
    return pd.Series(pd.array(ids, dtype="str"), name=SUBJECT_COLUMN)


def occurring(values: pd.Series, people: np.ndarray) -> pd.Series:
    """The values (n_texts,), missing where nobody has them, and no category that nobody has."""
    found = values if (people > 0).all() else values.where(people > 0)
    return found.cat.remove_unused_categories() if isinstance(found.dtype, pd.CategoricalDtype) else found


def codes_of_texts(values: pd.Series, people: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The code of each value (n_texts,) among the labels that occur, -1 missing, and these."""
    encoded = encode_column(occurring(values, people))
    return encoded.codes, encoded.labels
