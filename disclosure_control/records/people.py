"""The people of a pilot, counted by class and sensitive value; their records are available block by block."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

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
from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN, EncodedColumn
from disclosure_control.basics.encoding.one_meaning import of_one_meaning
from disclosure_control.basics.encoding.text_codes import codes_of_few_texts
from disclosure_control.basics.telling.progress import progress
from disclosure_control.records.classes import class_of_each, count_cells, count_in_blocks, counted_classes
from disclosure_control.records.columns import ColumnOfRecords
from disclosure_control.records.records import EncodedRecords, RecordsInMemory
from disclosure_control.records.spill import Columns, put_codes
from study.words import words_for_missing

KEYS = (pa.int32(), pa.large_string(), pa.int32())  # of records in order, before others: place, id and class


class LevelValuePairs(NamedTuple):
    """Levels of a column with values of another: codes (n,) of either, and the number of people of each entry."""

    level: np.ndarray
    value: np.ndarray
    n_levels: int
    n_values: int
    people: np.ndarray


class ListedPeople(NamedTuple):
    """Some people, in order: their ``classes`` (n,), their ids, and by sensitive feature who has a value."""

    classes: np.ndarray
    subjects: pd.Series
    has_value: dict[str, np.ndarray]


@dataclass(frozen=True)
class ColumnOfPeople(ColumnOfRecords):
    """A column of the config, typed: ``evaluated`` (n_texts,) are its values as they are evaluated and listed, and
    ``encoded`` their codes among the labels.
    """

    evaluated: pd.Series = field(repr=False)
    encoded: EncodedColumn


class People:
    """The people of a pilot: their ``classes``, the count of each sensitive feature, and the ``records`` on request.

    ``binnings``: per binned quasi-identifier, who is outside the edges; ``counts`` is the count of each
    sensitive feature, whole or in parts. Records come in blocks, the same for every column and in the order of the
    file: in memory there is one.
    """

    def __init__(self, config: PilotConfig, records: EncodedRecords):
        self.config, self.records = config, records
        self._columns, self.binnings = evaluated_columns(config, records.columns)
        counted = counted_at_once if isinstance(records, RecordsInMemory) else counted_on_disk
        self.classes, self.counts, self._class_of_record = counted(config, self._columns, records)

    def classes_of_blocks(self) -> Iterator[np.ndarray]:
        """Block by block the class of each record."""
        for (classes,) in self.records.passed("Counting", self._class_of_record):
            yield classes

    def pairs(self, column: ColumnOfRecords, sensitive: str, evaluated: np.ndarray) -> LevelValuePairs:
        """Levels of a column of the file with sensitive values, of the people of ``evaluated`` classes with a value."""
        of_people = self._columns[sensitive]
        values = (
            np.where(evaluated[classes], of_people.encoded.codes[texts], -1)
            for classes, texts in self.records.passed(f"Counting {sensitive}", self._class_of_record, of_people.texts)
        )
        return pairs_of_levels(column, values, max(len(self.counts[sensitive].values), 1))

    def flagged(self, result: ModelResult, place: np.ndarray) -> Iterator[tuple[np.ndarray, pd.DataFrame]]:
        """The records that a model flags, with the class of each; by the place of their class, part by part.

        ``place`` (n_classes,) is that of each class among the flagged ones. Where it is the same, those that are read
        from disk come by their ids, and those in memory as they are.
        Columns are the subject's id, the quasi-identifiers as evaluated and, for l and t, the sensitive value.
        """
        listed = [*self.config.quasi_identifiers, *([result.sensitive] if result.sensitive else [])]
        columns = [self._columns[name] for name in listed]

        def asked(classes: np.ndarray, texts: Sequence[np.ndarray]) -> np.ndarray:
            is_flagged = result.risky_classes[classes]
            if result.counts is not None:  # t evaluates only people with a value
                is_flagged &= columns[-1].encoded.codes[texts[-1]] >= 0
            return is_flagged

        for part in self._listed("Listing risky records", place, columns, asked):
            yield listed_records(part, columns)

    def everybody(self, place: np.ndarray) -> Iterator[ListedPeople]:
        """All people in parts that rise by the ``place`` (n_classes,) of their class, which several may have.

        From disk they rise by their ids within a place; in memory all are in one part, in any order.
        """
        columns = {name: self._columns[name] for name in self.config.sensitive_features}
        for part in self._listed("Listing everybody", place, list(columns.values())):
            has_value = {
                name: one.encoded.codes[part.column(len(KEYS) + i).to_numpy()] >= 0
                for i, (name, one) in enumerate(columns.items())
            }
            subjects = pd.Series(pd.array(part.column(1), dtype="str"))
            yield ListedPeople(part.column(2).to_numpy(), subjects, has_value)

    def _listed(
        self,
        words: str,
        place: np.ndarray,
        columns: Sequence[ColumnOfPeople],
        asked: Callable[[np.ndarray, Sequence[np.ndarray]], np.ndarray] | None = None,
    ) -> Iterator[pa.Table]:
        """Records by the place of their class and their id, those in memory as they come, in one table.

        Beside ``KEYS`` a record has the place of its value in each of the columns. Only those are listed that are
        ``asked`` for, by the classes (n,) and these places (n,) of a block.
        """

        def blocks() -> Iterator[Columns]:
            texts = (column.texts for column in columns)
            for classes, ids, *of_block in self.records.passed(
                words, self._class_of_record, self.records.subjects.ids, *texts
            ):
                rows = np.arange(len(classes)) if asked is None else np.flatnonzero(asked(classes, of_block))
                found = classes[rows]
                yield [place[found], ids.take(pa.array(rows)), found, *(one[rows] for one in of_block)]

        kinds = [*KEYS, *[pa.int32()] * len(columns)]
        return self.records.in_order(blocks(), kinds, 0 if isinstance(self.records, RecordsInMemory) else 2)


def pairs_of_levels(column: ColumnOfRecords, values: Iterable[np.ndarray], n_values: int) -> LevelValuePairs:
    """The levels of a column with the ``values`` of the same records, block by block codes from 0 on, -1 not counted.

    The pairs that occur have to fit in memory.
    """
    n_levels = column.n_levels()
    keys = (
        (level.astype(np.int64) * n_values + value)[value >= 0]
        for level, value in zip(column.levels(), values, strict=True)
    )
    key, people = count_in_blocks(keys, n_levels * n_values)
    return LevelValuePairs(key // n_values, key % n_values, n_levels, n_values, people)


def counted_as(records: EncodedRecords, config: PilotConfig, values: Mapping[str, pd.Series]) -> People:
    """The people with ``values`` (n_texts,) in place of those of the columns, as a config evaluates them."""
    return People(config, records.with_values({name: values[name] for name in named_columns(config)}))


def counted_at_once(
    config: PilotConfig, columns: Mapping[str, ColumnOfPeople], records: EncodedRecords
) -> tuple[EquivalenceClasses, dict[str, SensitiveCounts], Iterable[np.ndarray]]:
    """The classes, the count of each sensitive feature, and block by block the class of each record: of one block."""
    encoded = {name: one.encoded.of_records(text) for name, one in columns.items() for text in one.texts}
    qis = config.quasi_identifiers
    classes = classes_of_columns(qis, [encoded[name] for name in qis], records.n_people)
    counts = {name: count_values(classes, encoded[name]) for name in config.sensitive_features}
    return classes, counts, [classes.class_of_record]


def counted_on_disk(
    config: PilotConfig, columns: Mapping[str, ColumnOfPeople], records: EncodedRecords
) -> tuple[EquivalenceClasses, dict[str, SensitiveCounts], Iterable[np.ndarray]]:
    """The classes, the count of each sensitive feature, and block by block the class of each record: counted in SQL."""
    database, folder = records.database, records.database.new_folder()
    qis, sensitive = config.quasi_identifiers, config.sensitive_features

    def codes_of(words: str, names: Sequence[str]) -> Iterator[list[np.ndarray]]:
        blocks = records.passed(words, *(columns[name].texts for name in names))
        return (
            [columns[name].encoded.codes[text] for name, text in zip(names, texts, strict=True)] for texts in blocks
        )

    with progress("Forming classes"):
        codes, size = counted_classes(
            codes_of("Encoding", qis), len(qis), records.n_people, database, records.limits.n_classes
        )
    classes = EquivalenceClasses(qis, tuple(columns[name].encoded.labels for name in qis), codes, size)
    lengths, of_records = records.subjects.lengths, codes_of("Forming classes", [*qis, *sensitive])
    classed = (
        [class_of_each(classes, block[: len(qis)], n_records), *block[len(qis) :]]
        for n_records, block in zip(lengths, of_records, strict=True)
    )
    stored = put_codes(folder / "classes.parquet", classed, 1 + len(sensitive))
    counts = {}
    for i, name in enumerate(sensitive):
        with progress(f"Counting {name}"):
            cells, values = database.count(stored.path, [0, 1 + i]), columns[name].encoded.labels
            counts[name] = count_cells(cells, values, folder / f"cells_{i}", records.limits.cells_per_part)
    return classes, counts, stored.column(0)


def listed_records(records: pa.Table, columns: Sequence[ColumnOfPeople]) -> tuple[np.ndarray, pd.DataFrame]:
    """Flagged records by the place of their class: the class of each (n,), and the columns of ``People.flagged``."""
    records = records.take(pa.array(np.argsort(records.column(0).to_numpy(), kind="stable")))
    listed = {SUBJECT_COLUMN: pd.Series(pd.array(records.column(1), dtype="str"))}
    for i, column in enumerate(columns):
        listed[str(column.evaluated.name)] = _taken(column.evaluated, records.column(len(KEYS) + i).to_numpy())
    return records.column(2).to_numpy(), pd.DataFrame(listed, copy=False)


def _taken(column: pd.Series, rows: np.ndarray) -> pd.Series:
    """The values of some records (n,), numbered anew; few different texts as categories, which are taken as numbers."""
    if (few := codes_of_few_texts(column)) is None:
        return column.iloc[rows].reset_index(drop=True)
    return pd.Series(pd.Categorical.from_codes(few.codes[rows], pd.Index(few.texts, dtype="str")))


def evaluated_columns(
    config: PilotConfig, columns: Mapping[str, ColumnOfRecords]
) -> tuple[dict[str, ColumnOfPeople], dict[str, Binning]]:
    """The ``columns`` that a config names, binned as it says and encoded; and who is outside of bins."""
    named = {name: columns[name] for name in named_columns(config)}
    exact, people = {name: one.values for name, one in named.items()}, {name: one.people for name, one in named.items()}
    binned, binnings = bin_columns(exact, config.binning_config, config.out_of_range, people)
    values = {**exact, **binned}
    is_sensitive = set(config.sensitive_features) - set(config.quasi_identifiers)
    encoded = {
        name: of_one_meaning(one, words_for_missing()) if name in is_sensitive else one
        for name, one in zip(named, encode_columns([values[name] for name in named]), strict=True)
    }
    return {
        name: ColumnOfPeople(one.texts, one.values, one.people, values[name], encoded[name])
        for name, one in named.items()
    }, binnings


def named_columns(config: PilotConfig) -> list[str]:
    """The columns that a config names, each once."""
    return list(dict.fromkeys(config.quasi_identifiers + config.sensitive_features))
