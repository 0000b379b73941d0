"""The people of a pilot, counted by class and sensitive value; their records are available block by block."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from Anonymization_Models import (
    EquivalenceClasses,
    ModelResult,
    SensitiveCounts,
    classes_of_columns,
    count_values,
    encode_columns,
)
from config.model_settings import PilotConfig
from disclosure_control.basics.encoding.binning import Binning, bin_columns
from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN, EncodedColumn, encode_column
from disclosure_control.basics.encoding.one_meaning import of_one_meaning
from disclosure_control.basics.encoding.text_codes import codes_of_few_texts
from disclosure_control.basics.telling.progress import progress
from disclosure_control.records.classes import count_in_blocks
from disclosure_control.records.limits import NO_LIMITS, Limits
from disclosure_control.records.spill import abreast
from disclosure_control.records.sql import Database
from disclosure_control.records.subjects import Subjects, SubjectsInMemory
from disclosure_control.records.text_columns import TextColumn
from study.words import words_for_missing

KEYS = (("place", pa.int32()), ("id", pa.large_string()), ("class", pa.int32()))  # of records in order, before others


@dataclass(frozen=True)
class DistinctValues:
    """The distinct values of a column, exact and typed, including the missing one if somebody has none.

    ``values`` (n_values,); ``codes`` (n_values,) are the labels under which they are evaluated, those of the classes
    or of the count, -1 where missing; ``people`` (n_values,) have each. A value with several spellings may occur twice.
    """

    values: pd.Series = field(repr=False)
    codes: np.ndarray
    people: np.ndarray


class LevelValuePairs(NamedTuple):
    """Levels of a column with sensitive values: codes (n,) of either, and the number of people of each entry."""

    level: np.ndarray
    value: np.ndarray
    n_levels: int
    n_values: int
    people: np.ndarray | None


class ListedPeople(NamedTuple):
    """Some people, in order: their ``classes`` (n,), their ids, and by sensitive feature who has a value."""

    classes: np.ndarray
    subjects: pd.Series
    has_value: dict[str, np.ndarray]


@dataclass(frozen=True)
class ColumnOfPeople:
    """A column of the config: the distinct text of each record, block by block, and what these texts are.

    In memory each record has a text of its own. ``exact`` (n_texts,) is each text typed, ``values`` (n_texts,) are the
    evaluated and listed values, ``encoded`` their codes among the labels; ``people`` (n_texts,) have them.
    """

    texts: Iterable[np.ndarray]
    exact: pd.Series = field(repr=False)
    values: pd.Series = field(repr=False)
    encoded: EncodedColumn
    people: np.ndarray


def listed_columns(config: PilotConfig, result: ModelResult) -> list[str]:
    """The columns of a flagged record beside the subject's id."""
    return [*config.quasi_identifiers, *([result.sensitive] if result.sensitive else [])]


class People(ABC):
    """The people of a pilot: their ``classes``, the count of each sensitive feature, and the records on request.

    ``binnings``: per binned quasi-identifier, who is outside the edges; ``counts`` is the count of each
    sensitive feature, whole or in parts. Records come in blocks, the same for every column and in the order of the
    file: in memory there is one.
    """

    config: PilotConfig
    binnings: Mapping[str, Binning]
    classes: EquivalenceClasses
    counts: Mapping[str, SensitiveCounts]
    _columns: Mapping[str, ColumnOfPeople]
    _subjects: Subjects
    _class_of_record: Iterable[np.ndarray]
    _database: Database | None  # None in memory
    _limits: Limits

    def _passed(self, words: str, *blocks: Iterable[Any]) -> Iterator[tuple[Any, ...]]:
        """Several columns block by block, side by side, and how far that is."""
        with progress(words, sum(self._subjects.lengths), "people") as advance:
            for n_records, *one in abreast([self._subjects.lengths, *blocks]):
                yield tuple(one)
                advance(n_records)

    @abstractmethod
    def evaluated_by(self, config: PilotConfig) -> People:
        """The same people with their exact values, as another config of the same columns evaluates them."""

    def distinct(self, name: str) -> DistinctValues:
        """The distinct values of a column of the config, and how they are evaluated."""
        column = self._columns[name]
        occurs = np.flatnonzero(column.people)
        values = column.exact.take(occurs).reset_index(drop=True)
        return DistinctValues(values, column.encoded.codes[occurs], column.people[occurs])

    def values_of(self, name: str) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Block by block the class of each record and the code of its value in a column of the config, -1 missing."""
        column = self._columns[name]
        for classes, texts in self._passed(f"Counting {name}", self._class_of_record, column.texts):
            yield classes, column.encoded.codes[texts]

    def classes_of_blocks(self) -> Iterator[np.ndarray]:
        """Block by block the class of each record."""
        for (classes,) in self._passed("Counting", self._class_of_record):
            yield classes

    def pairs(self, column: TextColumn, sensitive: str, evaluated: np.ndarray) -> LevelValuePairs:
        """Levels of a column of the file with sensitive values, of the people of ``evaluated`` classes with a value."""
        n_levels, n_values = column.n_levels(), max(len(self.counts[sensitive].values), 1)

        def keys() -> Iterator[np.ndarray]:
            for level, (classes, value) in zip(column.levels(), self.values_of(sensitive), strict=True):
                looked_at = evaluated[classes] & (value >= 0)
                yield level[looked_at].astype(np.int64) * n_values + value[looked_at]

        key, people = count_in_blocks(keys(), n_levels * n_values)
        return LevelValuePairs(key // n_values, key % n_values, n_levels, n_values, people)

    def flagged(self, result: ModelResult, place: np.ndarray) -> Iterator[tuple[np.ndarray, pd.DataFrame]]:
        """The records that a model flags, with the class of each; by the place of their class, part by part.

        ``place`` (n_classes,) is that of each class among the flagged ones. Where it is the same, those that are read
        from disk come by their ids, and those in memory as they are.
        Columns are the subject's id, the quasi-identifiers as evaluated and, for l and t, the sensitive value.
        """
        columns = [self._columns[name] for name in listed_columns(self.config, result)]
        schema = pa.schema([*KEYS, *((f"c{i}", pa.int32()) for i in range(len(columns)))])
        for part in self._in_order(self._flagged_blocks(result, place, columns, schema), schema):
            yield listed_records(part, columns)

    def everybody(self, place: np.ndarray) -> Iterator[ListedPeople]:
        """All people in parts that rise by the ``place`` (n_classes,) of their class, which several may have.

        From disk they rise by their ids within a place; in memory all are in one part, in any order.
        """
        names = self.config.sensitive_features
        schema = pa.schema([*KEYS, *((f"c{i}", pa.bool_()) for i in range(len(names)))])
        for part in self._in_order(self._blocks_of_all(place, schema), schema):
            has_value = {name: part.column(len(KEYS) + i).to_numpy() for i, name in enumerate(names)}
            subjects = pd.Series(pd.array(part.column(1), dtype="str"))
            yield ListedPeople(part.column(2).to_numpy(), subjects, has_value)

    def _blocks_of_all(self, place: np.ndarray, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        columns = [self._columns[name] for name in self.config.sensitive_features]
        blocks: list[Iterable[Any]] = [self._class_of_record, self._subjects.ids, *(column.texts for column in columns)]
        for classes, ids, *texts in self._passed("Listing everybody", *blocks):
            has_value = [pa.array(one.encoded.codes[text] >= 0) for one, text in zip(columns, texts, strict=True)]
            keys = [pa.array(place[classes], pa.int32()), ids.column(0), pa.array(classes, pa.int32())]
            yield pa.RecordBatch.from_arrays([*keys, *has_value], schema=schema)

    def _in_order(self, blocks: Iterable[pa.RecordBatch], schema: pa.Schema) -> Iterator[pa.Table]:
        """The records of all blocks by their place and id; those in memory as they come, in one table."""
        if self._database is None:
            yield pa.Table.from_batches(blocks, schema)
            return
        yield from self._database.in_order(blocks, schema, 2, self._limits.flagged_per_part)

    def _flagged_blocks(
        self, result: ModelResult, place: np.ndarray, columns: Sequence[ColumnOfPeople], schema: pa.Schema
    ) -> Iterator[pa.RecordBatch]:
        has_value = text_has_value(result, columns)
        texts_of_columns = (column.texts for column in columns)
        columns_of_blocks: list[Iterable[Any]] = [self._class_of_record, self._subjects.ids, *texts_of_columns]
        for classes, ids, *texts in self._passed("Listing risky records", *columns_of_blocks):
            is_flagged = result.risky_classes[classes]
            if has_value is not None:
                is_flagged &= has_value[texts[-1]]
            rows = np.flatnonzero(is_flagged)
            found = classes[rows]
            keys = [pa.array(place[found], pa.int32()), ids.column(0).take(pa.array(rows)), pa.array(found, pa.int32())]
            numbers = [pa.array(one[rows].astype(np.int32)) for one in texts]
            yield pa.RecordBatch.from_arrays([*keys, *numbers], schema=schema)


class TypedTexts(NamedTuple):
    """The ``text`` of each record (n_records,) by its number, -1 the last one; what each is (n_texts,) typed, and how
    many ``people`` have it.
    """

    text: np.ndarray
    exact: pd.Series
    people: np.ndarray


class PeopleInMemory(People):
    """The people of a frame, all in one block: ``frame`` (n_records, n_columns) has exact values.

    ``subjects`` (n_records,) are their ids, None if not needed. ``typed``: columns whose distinct texts are
    known and typed.
    """

    def __init__(
        self,
        frame: pd.DataFrame,
        config: PilotConfig,
        subjects: pd.Series | None = None,
        typed: Mapping[str, TypedTexts] = MappingProxyType({}),
    ):
        self.config, self._frame, self._ids = config, frame, subjects
        qis, sensitive = config.quasi_identifiers, config.sensitive_features
        own, one_each = np.arange(len(frame)), np.ones(len(frame), dtype=np.int64)
        each = {name: typed.get(name) or TypedTexts(own, frame[name], one_each) for name in (*qis, *sensitive)}
        self._columns, self.binnings = evaluated_columns(
            config,
            {name: one.exact for name, one in each.items()},
            {name: one.people for name, one in each.items()},
            {name: [one.text] for name, one in each.items()},
        )
        columns = {
            name: one.encoded if each[name].text is own else one.encoded.of_records(each[name].text)
            for name, one in self._columns.items()
        }
        self.classes = classes_of_columns(qis, [columns[name] for name in qis], len(frame))
        self.counts = {name: count_values(self.classes, columns[name]) for name in sensitive}
        self._class_of_record = [self.classes.class_of_record]
        self._subjects, self._database, self._limits = SubjectsInMemory(subjects, len(frame)), None, NO_LIMITS

    def distinct(self, name: str) -> DistinctValues:
        """See ``People``: the first record with each value represents it."""
        column = self._columns[name]
        (text,) = column.texts
        is_binned = name in self.config.binning_config
        code = ((encode_column(column.exact) if is_binned else column.encoded).codes + 1)[text]
        n_codes = int(code.max(initial=-1)) + 1
        people, first = np.bincount(code, minlength=n_codes), np.zeros(n_codes, dtype=np.int64)
        first[code[::-1]] = np.arange(len(code))[::-1]
        texts = text[first[people > 0]]
        values = column.exact.iloc[texts].reset_index(drop=True)
        return DistinctValues(values, column.encoded.codes[texts], people[people > 0])

    def evaluated_by(self, config: PilotConfig) -> PeopleInMemory:
        exact = {
            name: column.exact.take(text).set_axis(self._frame.index)
            for name, column in self._columns.items()
            for text in column.texts
        }
        return PeopleInMemory(self._frame.assign(**exact), config, self._ids)


def text_has_value(result: ModelResult, columns: Sequence[ColumnOfPeople]) -> np.ndarray | None:
    """For t, which evaluates only people with a value: which texts of the last one of the columns are one; else
    None.
    """
    return None if result.counts is None else columns[-1].encoded.codes >= 0


def listed_records(records: pa.Table, columns: Sequence[ColumnOfPeople]) -> tuple[np.ndarray, pd.DataFrame]:
    """Flagged records by the place of their class: the class of each (n,), and the columns of ``People.flagged``."""
    records = records.take(pa.array(np.argsort(records.column(0).to_numpy(), kind="stable")))
    listed = {SUBJECT_COLUMN: pd.Series(pd.array(records.column(1), dtype="str"))}
    for i, column in enumerate(columns):
        listed[str(column.values.name)] = _taken(column.values, records.column(len(KEYS) + i).to_numpy())
    return records.column(2).to_numpy(), pd.DataFrame(listed, copy=False)


def _taken(column: pd.Series, rows: np.ndarray) -> pd.Series:
    """The values of some records (n,), numbered anew; few different texts as categories, which are taken as numbers."""
    if (few := codes_of_few_texts(column)) is None:
        return column.iloc[rows].reset_index(drop=True)
    return pd.Series(pd.Categorical.from_codes(few.codes[rows], pd.Index(few.texts, dtype="str")))


def evaluated_columns(
    config: PilotConfig,
    exact: Mapping[str, pd.Series],
    people: Mapping[str, np.ndarray],
    texts: Mapping[str, Iterable[np.ndarray]],
) -> tuple[dict[str, ColumnOfPeople], dict[str, Binning]]:
    """The columns of ``exact`` texts (n_texts,), of which ``people`` have each, binned; and who is outside of bins."""
    binned, binnings = bin_columns(exact, config.binning_config, config.out_of_range, people)
    values = {**exact, **binned}
    encoded = encode_columns([values[name] for name in exact])
    is_sensitive = set(config.sensitive_features) - set(config.quasi_identifiers)
    encoded = [
        of_one_meaning(one, words_for_missing()) if name in is_sensitive else one
        for name, one in zip(exact, encoded, strict=True)
    ]
    columns = {
        name: ColumnOfPeople(texts[name], exact[name], values[name], one, people[name])
        for name, one in zip(exact, encoded, strict=True)
    }
    return columns, binnings
