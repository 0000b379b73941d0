"""Every column of a file that was put aside, record by record: what is treated and written without all in memory.

A record has the number of a text in each column; what is done to a column is done to its distinct texts.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from config.model_settings import PilotConfig
from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN, encode_column
from disclosure_control.basics.telling.faults import stop_at
from disclosure_control.records.blocks import with_progress
from disclosure_control.records.class_keys import find_class_keys
from disclosure_control.records.disk import Limits, PeopleOnDisk, evaluated_columns, put_aside
from disclosure_control.records.other_columns import TableOnDisk
from disclosure_control.records.spill import SpilledArrays
from disclosure_control.records.subjects import Subjects, SubjectsOnDisk
from study.formats.blocks import Blocks


@dataclass(frozen=True)
class ColumnOfRecords:
    """A column: which of its ``values`` (n_texts,), as it was read and typed, each record has, block by block.

    ``people`` (n_texts,) have each; the first one is missing.
    """

    texts: Iterable[np.ndarray]
    values: pd.Series = field(repr=False)
    people: np.ndarray

    @property
    def occurs(self) -> np.ndarray:
        """Places (n,) of the values that somebody has."""
        return np.flatnonzero(self.people)


class _Again:
    """What a function gives, each time anew."""

    def __init__(self, blocks: Callable[[], Iterable[np.ndarray]]):
        self._blocks = blocks

    def __iter__(self) -> Iterator[np.ndarray]:
        return iter(self._blocks())


@dataclass(frozen=True)
class RecordsOnDisk:
    """Records of a file: the ids block by block, and every other column by name, in the order of the file."""

    subjects: Subjects
    columns: Mapping[str, ColumnOfRecords]
    folder: Path
    limits: Limits

    @classmethod
    def of(cls, people: PeopleOnDisk, table: TableOnDisk) -> RecordsOnDisk:
        """Those of whom ``people`` were counted. Raises ``FaultyInputError`` for columns of too many values."""
        subjects, named, folder, limits = people.put_aside
        names = [name for name in table.columns if name != SUBJECT_COLUMN]
        stop_at([fault for name in names if name not in named for fault in table.faults_of_levels(name)])
        columns = {}
        for name in names:
            if name in named:
                columns[name] = ColumnOfRecords(named[name].texts, named[name].exact, named[name].people)
            else:
                columns[name] = _with_levels(name, table, subjects)
        return cls(subjects, columns, folder, limits)

    @classmethod
    def of_text(cls, text: Blocks, folder: Path, limits: Limits) -> RecordsOnDisk:
        """Those of a combined dataset, read once and put aside in ``folder``, every column as text.

        Raises ``FaultyInputError`` for columns of too many values.
        """
        names = [name for name in text.columns if name != SUBJECT_COLUMN]
        read = put_aside(with_progress(text), text.columns, names, folder, limits)
        columns = {
            name: ColumnOfRecords(read.texts[name], dictionary.all_texts().column(name), dictionary.people)
            for name, dictionary in read.dictionaries.items()
        }
        return cls(read.subjects, columns, folder, limits)

    @property
    def n_people(self) -> int:
        """How many records there are, one for each person."""
        return sum(self.subjects.lengths)

    def ids(self) -> pd.Series:
        """The ids of all people (n_people,)."""
        return ids_of_block(pa.chunked_array([ids.column(0) for ids in self.subjects.ids], pa.large_string()))

    def places(self, name: str) -> np.ndarray:
        """Which value of a column each person has, (n_people,)."""
        return np.concatenate([np.zeros(0, dtype=np.int32), *self.columns[name].texts])

    def new_folder(self) -> Path:
        """A folder for whatever is put aside besides, readable by its owner alone."""
        return Path(tempfile.mkdtemp(dir=self.folder))

    def blocks(self, names: Iterable[str]) -> Iterator[tuple[pa.Array, list[np.ndarray]]]:
        """Block by block the ids (n,) and, of each of the columns, the places (n,) of the values."""
        texts = [self.columns[name].texts for name in names]
        for ids, *of_block in zip(self.subjects.ids, *texts, strict=True):
            yield ids.column(0), of_block

    def counted_as(self, config: PilotConfig, values: Mapping[str, pd.Series]) -> PeopleOnDisk:
        """The people where ``values`` (n_texts,) stand for those of the columns, as a config evaluates them."""
        names = dict.fromkeys(config.quasi_identifiers + config.sensitive_features)
        exact = {name: occurring(values[name], self.columns[name].people) for name in names}
        people = {name: self.columns[name].people for name in names}
        texts = {name: self.columns[name].texts for name in names}
        columns, binnings = evaluated_columns(config, exact, people, texts)
        return PeopleOnDisk(config, columns, self.subjects, binnings, self.new_folder(), self.limits)

    def class_sizes(self, columns: Mapping[str, tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
        """How many people have the same in all of the columns, (n_classes,); a missing value is a value.

        Of each column the code (n_texts,) of each value, -1 missing, and the labels. Raises ``FaultyInputError`` where
        there are more classes than the limits allow.
        """
        if not columns:
            return np.array([self.n_people])

        def blocks() -> Iterator[tuple[int, Sequence[np.ndarray]]]:
            for ids, texts in self.blocks(columns):
                pairs = zip(columns.values(), texts, strict=True)
                yield len(ids), [codes[text].astype(np.int64) + 1 for (codes, _), text in pairs]

        radices = [len(labels) + 1 for _, labels in columns.values()]
        keys = find_class_keys(blocks, radices, self.limits.n_classes, self.limits.key_limit)
        return keys.stages[-1].people

    def without(self, people: PeopleOnDisk, gone: np.ndarray) -> RecordsOnDisk:
        """Those who stay where whole classes of the people go, (n_classes,) of bool: put aside anew."""
        folder, names = self.new_folder(), list(self.columns)
        subjects = SubjectsOnDisk(folder)
        kept = {name: SpilledArrays(folder / f"column_{i}") for i, name in enumerate(names)}
        counts = {name: np.zeros(len(self.columns[name].values), dtype=np.int64) for name in names}
        for (ids, texts), classes in zip(self.blocks(names), people.classes_of_blocks(), strict=True):
            rows = np.flatnonzero(~gone[classes])
            if not len(rows):
                continue
            subjects.append(ids.take(pa.array(rows)))
            for name, text in zip(names, texts, strict=True):
                kept[name].append(text[rows])
                counts[name] += np.bincount(text[rows], minlength=len(counts[name]))
        columns = {name: ColumnOfRecords(kept[name], self.columns[name].values, counts[name]) for name in names}
        return RecordsOnDisk(subjects, columns, folder, self.limits)

    def with_ids(self, recoded: Callable[[pd.Series], pd.Series]) -> SubjectsOnDisk:
        """The ids as a function gives them of each block, put aside."""
        subjects = SubjectsOnDisk(self.new_folder())
        for ids in self.subjects.ids:
            subjects.append(pa.array(recoded(ids_of_block(ids.column(0))), pa.large_string()))
        return subjects

    def with_least_hashes(self, most: int) -> np.ndarray:
        """Positions (n,) of at most so many people, in the order of the hashes of their ids."""
        hashes, rows, n_before = np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=np.int64), 0
        for ids in self.subjects.ids:
            block = pd.util.hash_pandas_object(ids_of_block(ids.column(0)), index=False).to_numpy()
            hashes = np.append(hashes, block)
            rows = np.append(rows, np.arange(n_before, n_before + len(block)))
            n_before += len(block)
            least = np.argsort(hashes, kind="stable")[:most]
            hashes, rows = hashes[least], rows[least]
        return rows

    def first_records(self, name: str) -> np.ndarray:
        """The number of the first record with each value of a column, (n_texts,), -1 where nobody has it."""
        column, n_before = self.columns[name], 0
        first = np.full(len(column.values), -1)
        for text in column.texts:
            held, rows = np.unique(text, return_index=True)
            is_new = first[held] < 0
            first[held[is_new]] = rows[is_new] + n_before
            n_before += len(text)
        return first

    def texts_at(self, rows: np.ndarray) -> dict[str, np.ndarray]:
        """Of the records with these numbers (n,) the place (n,) of the value in each column."""
        order, names = np.argsort(rows, kind="stable"), list(self.columns)
        found: dict[str, list[np.ndarray]] = {name: [] for name in names}
        n_before = 0
        for ids, texts in self.blocks(names):
            first, last = np.searchsorted(rows[order], [n_before, n_before + len(ids)])
            for name, text in zip(names, texts, strict=True):
                found[name].append(text[rows[order[first:last]] - n_before].astype(np.int64))
            n_before += len(ids)
        back = np.argsort(order, kind="stable")
        nothing = np.zeros(0, dtype=np.int64)
        return {name: np.concatenate([nothing, *parts])[back] for name, parts in found.items()}


def _with_levels(name: str, table: TableOnDisk, subjects: Subjects) -> ColumnOfRecords:
    labels = pd.Series([None, *table.labels_of_levels(name)], dtype="str", name=name)
    people = np.zeros(len(labels), dtype=np.int64)
    blocks = _Again(lambda: table.levels(name))
    for level in blocks:
        people += np.bincount(level, minlength=len(people))
    return ColumnOfRecords(blocks, labels, people)


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
