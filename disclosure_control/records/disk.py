"""People of a file that does not fit in memory: read once, encoded and put aside, counted part by part.

    text, block by block -> codes of each column, on disk -> class of each record -> cells, divided by class

What is in memory: the distinct values of the columns, the classes with their people, one block, and one part of the
cells. What is on disk, beside the results and for this run alone: a few bytes per record and column, and the ids.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from Anonymization_Models import EquivalenceClasses, ModelResult, SensitiveCounts
from config.model_settings import PilotConfig
from disclosure_control.basics.encoding.binning import Binning
from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN, EncodedColumn, encode_column
from disclosure_control.basics.encoding.keys import KEY_LIMIT
from disclosure_control.basics.telling.faults import FaultyInputError, RecordsNotAtHandError, stop_at
from disclosure_control.basics.telling.progress import progress
from disclosure_control.basics.telling.side_by_side import side_by_side
from disclosure_control.records.blocks import with_progress
from disclosure_control.records.cells import count_cells
from disclosure_control.records.class_keys import find_class_keys, parts_of_classes
from disclosure_control.records.counted_texts import CountedDictionary, CountedTexts
from disclosure_control.records.dataset_rules import faults_of_subjects, typed_column
from disclosure_control.records.merging import USUAL_MERGE_LIMITS, MergeLimits
from disclosure_control.records.other_columns import OtherColumn, TableOnDisk
from disclosure_control.records.people import (
    DistinctValues,
    ListedPeople,
    binned_values,
    listed_columns,
)
from disclosure_control.records.spill import SpilledArrays, SpilledRecords
from disclosure_control.records.subjects import Subjects, SubjectsOnDisk
from study.formats.blocks import Blocks
from study.formats.delimited_blocks import BLOCK_BYTES
from study.formats.values import clean_values


@dataclass(frozen=True)
class Limits:
    """How much is in memory at once: bytes of text, people of a part, flagged people of a part, classes, and values.

    ``few_texts``: of columns that the config does not name, so many distinct values are kept, of others a sample.
    ``cells_at_hand``: of what leaves, people times columns that are searched together for who is alone.
    ``range_bytes``: so much of the text is one worker's at a time, where there are several. ``rows_at_hand``: of a
    released domain file, that are searched together for what its rows tell; ``domains`` are those of domain files.
    """

    block_bytes: int = BLOCK_BYTES
    range_bytes: int = 1 << 26
    people_per_part: int = 1 << 22
    flagged_per_part: int = 1 << 20
    n_classes: int = 10_000_000
    n_values: int = 10_000_000
    few_texts: int = 1 << 20
    cells_at_hand: int = 1 << 25
    key_limit: int = KEY_LIMIT
    rows_at_hand: int = 1 << 22
    domains: MergeLimits = USUAL_MERGE_LIMITS


USUAL_LIMITS = Limits()
NO_LIMITS = Limits(n_classes=sys.maxsize, cells_at_hand=sys.maxsize, rows_at_hand=sys.maxsize)  # all is in memory


@dataclass(frozen=True)
class ColumnOnDisk:
    """A column of the config: which of its distinct texts each record has, and what these texts are.

    ``exact`` (n_texts,) is each text typed, ``values`` (n_texts,) as it is evaluated and listed, ``encoded`` its code
    among the labels; ``people`` (n_texts,) have it.
    """

    texts: Iterable[np.ndarray]
    exact: pd.Series = field(repr=False)
    values: pd.Series = field(repr=False)
    encoded: EncodedColumn
    people: np.ndarray


class PeopleOnDisk:
    """The people of a file, counted; of their records only what is asked for is read again. See ``people.People``."""

    def __init__(
        self,
        config: PilotConfig,
        columns: dict[str, ColumnOnDisk],
        subjects: Subjects,
        binnings: dict[str, Binning],
        folder: Path,
        limits: Limits,
    ):
        self.config, self.binnings = config, binnings
        self._columns, self._subjects, self._folder, self._limits = columns, subjects, folder, limits
        self._class_of_record: Iterable[np.ndarray]
        self._class_of_record, self.classes = self._form_classes()
        self._n_recoded = 0
        self.counts: dict[str, SensitiveCounts] = {
            name: self._count(name, folder / f"feature_{i}") for i, name in enumerate(config.sensitive_features)
        }

    def _passed(self, words: str, *blocks: Iterable[Any]) -> Iterator[tuple[Any, ...]]:
        """Several columns block by block, side by side, and how far that is."""
        with progress(words, sum(self._subjects.lengths), "people") as advance:
            for n_records, *one in zip(self._subjects.lengths, *blocks, strict=True):
                yield tuple(one)
                advance(n_records)

    @property
    def put_aside(self) -> tuple[Subjects, Mapping[str, ColumnOnDisk], Path, Limits]:
        """What there is of each record, for whoever writes records: ids, columns, the folder and its limits."""
        return self._subjects, self._columns, self._folder, self._limits

    @property
    def binned(self) -> pd.DataFrame:
        """Raises ``RecordsNotAtHandError``."""
        raise RecordsNotAtHandError("the dataset with its quasi-identifiers as evaluated")

    def _form_classes(self) -> tuple[Iterable[np.ndarray], EquivalenceClasses]:
        """The class of each record block by block, and the classes."""
        names = self.config.quasi_identifiers
        encoded = [self._columns[name].encoded for name in names]
        code_of_text = [column.codes.astype(np.int64) + 1 for column in encoded]
        radices = [len(column.labels) + 1 for column in encoded]

        def blocks() -> Iterator[tuple[int, Sequence[np.ndarray]]]:
            texts_of_columns = (self._columns[name].texts for name in names)
            for n_records, *texts in self._passed("Forming classes", self._subjects.lengths, *texts_of_columns):
                yield n_records, [code[text] for code, text in zip(code_of_text, texts, strict=True)]

        keys = find_class_keys(blocks, radices, self._limits.n_classes, self._limits.key_limit)
        class_of_record = SpilledArrays(self._folder / "classes")
        for n_records, codes in blocks():
            class_of_record.append(keys.class_of(codes, n_records).astype(np.int32))
        return class_of_record, keys.classes(names, [column.labels for column in encoded])

    def _count(self, name: str, folder: Path) -> SensitiveCounts:
        """The count of a sensitive feature, which is put aside in a ``folder`` that is not there yet."""
        folder.mkdir(mode=0o700)
        labels, per_part = self._columns[name].encoded.labels, self._limits.people_per_part
        return count_cells(self.values_of(name), self.classes.size, labels, folder, per_part)

    def values_of(self, name: str) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Block by block the class of each record and the code of its value in a column of the config."""
        column = self._columns[name]
        for classes, texts in self._passed(f"Counting {name}", self._class_of_record, column.texts):
            yield classes, column.encoded.codes[texts]

    def distinct(self, name: str) -> DistinctValues:
        """The distinct texts, typed: see ``people.People``."""
        column = self._columns[name]
        occurs = np.flatnonzero(column.people)
        values = column.exact.take(occurs).reset_index(drop=True)
        return DistinctValues(values, column.encoded.codes[occurs], column.people[occurs])

    def recoded(self, config: PilotConfig, values: Mapping[str, pd.Series]) -> PeopleOnDisk:
        """The same codes of texts, counted anew as what the texts have become: see ``people.People``."""
        self._n_recoded += 1
        folder = self._folder / f"recoded_{self._n_recoded}"
        folder.mkdir(mode=0o700)
        exact = {}
        for name in config.quasi_identifiers + config.sensitive_features:
            people = self._columns[name].people
            place = np.where(people > 0, np.cumsum(people > 0) - 1, -1)
            exact[name] = values[name].reindex(place).reset_index(drop=True)
        of_texts = {name: self._columns[name].people for name in exact}
        texts = {name: self._columns[name].texts for name in exact}
        columns, binnings = evaluated_columns(config, exact, of_texts, texts)
        return PeopleOnDisk(config, columns, self._subjects, binnings, folder, self._limits)

    def classes_of_blocks(self) -> Iterator[np.ndarray]:
        """Block by block the class of each record."""
        for (classes,) in self._passed("Counting", self._class_of_record):
            yield classes

    def sized_values_of(self, name: str) -> tuple[int, Iterator[tuple[np.ndarray, np.ndarray]]]:
        """How many values a sensitive feature has, and ``values_of`` it."""
        return len(self.counts[name].values), self.values_of(name)

    def flagged(self, result: ModelResult, place: np.ndarray) -> Iterator[tuple[np.ndarray, pd.DataFrame]]:
        """The flagged records part by part, divided by the place of their class first: see ``people.People``."""
        columns = [self._columns[name] for name in listed_columns(self.config, result)]
        people, schema = people_of_places(result, place), schema_of_flagged(len(columns))
        for part in self._divided(self._flagged_blocks(result, columns, schema), schema, people, place):
            yield listed_records(part, columns)

    def everybody(self, place: np.ndarray) -> Iterator[ListedPeople]:
        """Everybody part by part, divided by the place of their class first: see ``people.People``."""
        names = self.config.sensitive_features
        schema = pa.schema([("class", pa.int32()), ("id", pa.large_string()), *((name, pa.bool_()) for name in names)])
        for part in self._divided(self._blocks_of_all(schema), schema, np.bincount(place, self.classes.size), place):
            has_value = {name: part.column(2 + i).to_numpy() for i, name in enumerate(names)}
            subjects = pd.Series(pd.array(part.column(1), dtype="str"))
            yield ListedPeople(part.column(0).to_numpy(), subjects, has_value)

    def _blocks_of_all(self, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        columns = [self._columns[name] for name in self.config.sensitive_features]
        blocks: list[Iterable[Any]] = [self._class_of_record, self._subjects.ids, *(column.texts for column in columns)]
        for classes, ids, *texts in self._passed("Listing everybody", *blocks):
            has_value = [pa.array(one.encoded.codes[text] >= 0) for one, text in zip(columns, texts, strict=True)]
            yield pa.RecordBatch.from_arrays([pa.array(classes), ids.column(0), *has_value], schema=schema)

    def _divided(
        self, blocks: Iterable[pa.RecordBatch], schema: pa.Schema, people: np.ndarray, place: np.ndarray
    ) -> Iterator[pa.Table]:
        """The records of all blocks in parts by the place of their class, which comes first in each of them.

        ``people`` (n_places,) tells how many there are of each place.
        """
        parts = list(parts_of_classes(people.astype(np.int64), self._limits.flagged_per_part))
        starts = np.array([part.start for part in parts])
        spilled = [SpilledRecords(self._folder / f"listed_{i}", schema) for i in range(len(parts))]
        for records in blocks:
            part_of_record = np.searchsorted(starts, place[records.column(0).to_numpy()], side="right") - 1
            for i in np.unique(part_of_record).tolist():
                spilled[i].append(records.take(pa.array(np.flatnonzero(part_of_record == i))))
        for one in spilled:
            yield pa.Table.from_batches(one, schema)
            one.remove()

    def _flagged_blocks(
        self, result: ModelResult, columns: Sequence[ColumnOnDisk], schema: pa.Schema
    ) -> Iterator[pa.RecordBatch]:
        has_value = text_has_value(result, columns)
        texts_of_columns = (column.texts for column in columns)
        columns_of_blocks: list[Iterable[Any]] = [self._class_of_record, self._subjects.ids, *texts_of_columns]
        for classes, ids, *texts in self._passed("Listing risky records", *columns_of_blocks):
            records = flagged_of_block(result.risky_classes, has_value, classes, ids, texts, schema)
            if records.num_rows:
                yield records


def flagged_parts(result: ModelResult, place: np.ndarray, n_people: int) -> list[slice]:
    """Places of flagged classes, divided so that about ``n_people`` flagged ones are in each part."""
    return list(parts_of_classes(people_of_places(result, place), n_people))


def people_of_places(result: ModelResult, place: np.ndarray) -> np.ndarray:
    """How many flagged people there are of each place (n_places,)."""
    return np.bincount(place, np.where(result.risky_classes, result.people, 0), len(place)).astype(np.int64)


def schema_of_flagged(n_columns: int) -> pa.Schema:
    """How flagged records are put aside: their class, their id, and the numbers of their texts."""
    numbers = ((str(i), pa.int32()) for i in range(n_columns))
    return pa.schema([("class", pa.int32()), ("id", pa.large_string()), *numbers])


def text_has_value(result: ModelResult, columns: Sequence[ColumnOnDisk]) -> np.ndarray | None:
    """Which texts of the last one of the columns hold a value, where only those who have one are judged: by t."""
    return None if result.counts is None else columns[-1].encoded.codes >= 0


def flagged_of_block(
    risky_classes: np.ndarray,
    has_value: np.ndarray | None,
    classes: np.ndarray,
    ids: pa.RecordBatch,
    texts: Sequence[np.ndarray],
    schema: pa.Schema,
) -> pa.RecordBatch:
    """Of a block those who are flagged: by their class, and by whether their last text is one with a value."""
    is_flagged = risky_classes[classes]
    if has_value is not None:
        is_flagged &= has_value[texts[-1]]
    rows = np.flatnonzero(is_flagged)
    arrays = [pa.array(classes[rows]), ids.column(0).take(pa.array(rows))]
    arrays += [pa.array(one[rows].astype(np.int32)) for one in texts]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def listed_records(records: pa.Table, columns: Sequence[ColumnOnDisk]) -> tuple[np.ndarray, pd.DataFrame]:
    """Flagged records that were put aside: the class of each (n,), and the columns of ``People.flagged``."""
    listed = {SUBJECT_COLUMN: pd.Series(pd.array(records.column(1), dtype="str"))}
    for i, column in enumerate(columns):
        values = column.values.take(records.column(2 + i).to_numpy()).reset_index(drop=True)
        listed[str(column.values.name)] = values
    return records.column(0).to_numpy(), pd.DataFrame(listed)


def count_on_disk(
    text: Blocks, config: PilotConfig, folder: Path, limits: Limits = USUAL_LIMITS
) -> tuple[PeopleOnDisk, TableOnDisk]:
    """Read the text once, put it aside encoded in ``folder``, and count its people; and what else the file tells.

    Raises ``FaultyInputError`` as reading the whole file does, and where there are more distinct values or classes than
    ``limits`` allow.
    """
    read = put_aside(with_progress(text), text.columns, named_columns(config), folder, limits)
    n_distinct = read.subjects.count_distinct()
    faults = faults_of_subjects(text.n_records, read.subjects.n_blank, n_distinct, text.path.name)
    named = {name: dictionary.all_texts() for name, dictionary in read.dictionaries.items()}
    columns, binnings = columns_as_evaluated(text.path.name, config, named, read.texts, faults)
    people = PeopleOnDisk(config, columns, read.subjects, binnings, folder, limits)
    n_few = limits.few_texts
    others = read.others | {
        name: OtherColumn(read.texts[name], n_few, dictionary) for name, dictionary in read.dictionaries.items()
    }
    counted = read.dictionaries | read.others
    of_people = (people.sized_values_of, people.classes_of_blocks)
    return people, TableOnDisk(text.columns, counted, others, n_few, read.subjects, *of_people)


def named_columns(config: PilotConfig) -> list[str]:
    """The columns that a config names, each once."""
    return list(dict.fromkeys(config.quasi_identifiers + config.sensitive_features))


def columns_as_evaluated(
    file: str,
    config: PilotConfig,
    named: Mapping[str, CountedTexts],
    texts: Mapping[str, Iterable[np.ndarray]],
    faults: Sequence[str],
) -> tuple[dict[str, ColumnOnDisk], dict[str, Binning]]:
    """The columns of the config, typed and binned by their distinct texts, and who fell outside the edges.

    Raises ``FaultyInputError`` with the ``faults`` so far and those of the columns.
    """
    found, typed = list(faults), {}
    for name, counted in named.items():
        try:
            typed[name] = typed_column(counted.column(name), config, counted.people)
        except FaultyInputError as error:
            found += [f"{file}: {fault}" for fault in error.faults]
    stop_at(found)
    return evaluated_columns(config, typed, {name: one.people for name, one in named.items()}, texts)


def evaluated_columns(
    config: PilotConfig,
    exact: Mapping[str, pd.Series],
    people: Mapping[str, np.ndarray],
    texts: Mapping[str, Iterable[np.ndarray]],
) -> tuple[dict[str, ColumnOnDisk], dict[str, Binning]]:
    """The columns of ``exact`` texts (n_texts,), of which ``people`` have each, binned; and who fell outside."""
    binned, binnings = binned_values(exact, people, config)
    columns = {
        name: ColumnOnDisk(texts[name], one, binned[name], encode_column(binned[name]), people[name])
        for name, one in exact.items()
    }
    return columns, binnings


@dataclass(frozen=True)
class PutAside:
    """A file once it is read: the ids, the columns of the config as codes of their distinct texts, and the others."""

    subjects: SubjectsOnDisk
    dictionaries: dict[str, CountedDictionary]
    texts: dict[str, SpilledArrays]
    others: dict[str, OtherColumn]


def put_aside(
    blocks: Iterable[pa.RecordBatch], columns: Sequence[str], names: list[str], folder: Path, limits: Limits
) -> PutAside:
    """Put blocks with these ``columns`` aside, encoded; ``names`` are those of the config."""
    besides = [name for name in columns if name not in (*names, SUBJECT_COLUMN)]
    spilled = {name: SpilledArrays(folder / f"column_{i}") for i, name in enumerate([*names, *besides])}
    read = PutAside(
        SubjectsOnDisk(folder),
        {name: CountedDictionary() for name in names},
        {name: spilled[name] for name in names},
        {name: OtherColumn(spilled[name], limits.few_texts) for name in besides},
    )
    # Arrow and NumPy work outside Python's lock: columns side by side.
    for block in blocks:
        read.subjects.append(clean_values(block.column(SUBJECT_COLUMN)))
        named = [block.column(name) for name in names]
        for name, codes in zip(names, side_by_side(_encode, read.dictionaries.values(), named), strict=True):
            read.texts[name].append(codes)
        side_by_side(_append, read.others.values(), [block.column(name) for name in besides])
        stop_at(faults_of_many_values(read.dictionaries, limits.n_values))
    return read


def _encode(dictionary: CountedDictionary, column: pa.Array) -> np.ndarray:
    return dictionary.encode(column)


def _append(other: OtherColumn, column: pa.Array) -> None:
    other.append(column)


def faults_of_many_values(dictionaries: Mapping[str, CountedDictionary], n_most: int) -> list[str]:
    """A fault for each column of the config that has more distinct values than fit in memory."""
    return [
        f"column {name!r}: more than {n_most:,} distinct values, which is more than fit in memory; round them in the "
        "source, or leave the column out of the config"
        for name, dictionary in dictionaries.items()
        if len(dictionary) > n_most
    ]
