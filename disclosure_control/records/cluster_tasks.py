"""The tasks of a cluster's workers, each on a range of the text or a part of the classes.

A task reads files of the run's folder and writes others into a folder of its own, so that it can run twice or be
interrupted without an effect. Its arguments and results are names of files and counts.
"""

from __future__ import annotations

import os
import sys
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN
from disclosure_control.basics.telling.faults import FaultyInputError, stop_at
from disclosure_control.records.class_keys import ClassKeys, KeyCounter, KeyStage, NextStage
from disclosure_control.records.counted_texts import DictionaryOrSample, put_texts, texts_in
from disclosure_control.records.disk import faults_of_many_values, put_aside
from disclosure_control.records.limits import Limits
from disclosure_control.records.people import flagged_of_block, schema_of_flagged
from disclosure_control.records.ranges import ENDS, SUBJECTS, RangeOfColumn, ReadRange
from disclosure_control.records.spill import SpilledArrays, SpilledRecords, arrays_in, records_in
from disclosure_control.records.subjects import SCHEMA, parts_of_ids
from disclosure_control.records.text_columns import SAMPLED_PART
from study.formats.blocks import kind_of


def own_folder(run: Path) -> Path:
    """A new folder in that of the run, for one task at one time."""
    folder = run / uuid.uuid4().hex
    folder.mkdir(mode=0o700)
    return folder


# ---------------------------------------------------------------- reading


@dataclass(frozen=True)
class ReadTask:
    """The common part of all ranges: the state of the text when the run began, its columns, and the config's."""

    path: Path
    columns: tuple[str, ...]
    names: tuple[str, ...]
    limits: Limits
    run: Path
    stamp: tuple[int, int]

    @property
    def in_order(self) -> list[str]:
        """The columns but for the ids, those of the config first: as their files are numbered."""
        return [*self.names, *(name for name in self.columns if name not in (*self.names, SUBJECT_COLUMN))]


def stamp_of(path: Path) -> tuple[int, int]:
    """What changes when a file is written again: its size, and when that was."""
    found = path.stat()
    return found.st_size, found.st_mtime_ns


def read_range(reading: ReadTask, start: int, n_bytes: int) -> ReadRange:
    """Read some bytes of the text and put them aside, encoded by lists of texts of their own."""
    range_of = kind_of(reading.path).range
    text = range_of(reading.path, list(reading.columns), start, n_bytes, reading.limits.block_bytes)
    folder = own_folder(reading.run)
    limits = replace(reading.limits, few_texts=sys.maxsize)  # only the whole file decides which columns are given up
    read = put_aside(text.kept(), reading.columns, list(reading.names), folder, limits)
    if stamp_of(reading.path) != reading.stamp:
        raise FaultyInputError(f"{reading.path.name}: changed while it was read; run again")
    dictionaries = read.dictionaries | {name: other.dictionary for name, other in read.others.items()}
    for spilled in (*read.texts.values(), *(other.texts for other in read.others.values())):
        spilled.close()
    for i, name in enumerate(reading.in_order):
        put_texts(folder / f"texts_{i}", dictionaries[name].all_texts())
    read.subjects.ids.close()
    ends = SpilledRecords(folder / ENDS, SCHEMA)
    ends.append(pa.RecordBatch.from_arrays([pa.array(read.subjects.ends, SCHEMA.field(0).type)], schema=SCHEMA))
    ends.close()
    return ReadRange(
        folder,
        tuple(read.subjects.lengths),
        read.subjects.n_blank,
        read.subjects.is_rising,
        text.n_empty_end,
        dict(text.n_fields_of_ragged),
        tuple(len(dictionaries[name]) for name in reading.in_order),
    )


@dataclass(frozen=True)
class JoinedColumn:
    """A column's texts of all ranges in one list, a file; and for each text of each range what it is among all.

    That are its place in the list, ``codes``, and its level, ``levels``, if the column was not given up: see
    ``other_columns.OtherColumn``.
    """

    texts: Path
    codes: Path
    levels: Path
    n_levels: int
    n_levels_at_least: int = 0
    share_at_hand: float = 1.0


def join_column(reading: ReadTask, column: int, ranges: Sequence[ReadRange]) -> JoinedColumn:
    """Make one list of a column: with the missing text if the config names it, else of too many texts a sample."""
    is_named, name, few = column < len(reading.names), reading.in_order[column], reading.limits.few_texts
    n_most = sys.maxsize if is_named else max(few, sum(one.n_records for one in ranges) // 2)
    texts, codes, n_before = DictionaryOrSample(few // SAMPLED_PART), [np.zeros(0, np.int64)], 0
    for one in ranges:
        found = texts.add(texts_in(one.texts(column), n_before))
        if found is not None:
            codes.append(found)
        if len(texts.dictionary) > n_most:
            texts.give_up()
            codes.clear()
        n_before += one.n_records
    folder, at_least = own_folder(reading.run), texts.n_levels_at_least
    counted = texts.counted()
    if is_named:
        stop_at(faults_of_many_values({name: texts.dictionary}, reading.limits.n_values))
        counted = texts.dictionary.all_texts()
        SpilledArrays.of(folder / "codes", np.concatenate(codes))
    elif len(counted.texts) > few:
        counted = counted.sampled(few // SAMPLED_PART)
    put_texts(folder / "texts", counted)
    n_levels = at_least
    if not at_least:
        encoded = texts.dictionary.all_texts().encoded()
        SpilledArrays.of(folder / "levels", encoded.codes.astype(np.int64)[np.concatenate(codes)] + 1)
        n_levels = len(encoded.labels) + 1
    files = (folder / "texts", folder / "codes", folder / "levels")
    return JoinedColumn(*files, n_levels, at_least, counted.share_at_hand)


def divide_ids(run: Path, one: ReadRange, n_parts: int) -> Path:
    """Divide the ids of a range by their hash: a file of tables, one for each part."""
    folder = own_folder(run)
    ids = pa.Table.from_batches(records_in(one.folder / SUBJECTS), SCHEMA).column(0).combine_chunks()
    part_of_id = parts_of_ids(ids, n_parts)
    _put_by_part(folder / SUBJECTS, pa.RecordBatch.from_arrays([ids], schema=SCHEMA), part_of_id, n_parts)
    return folder / SUBJECTS


def count_ids(files: Sequence[Path], part: int) -> int:
    """How many different ids there are in a part of all ranges, empty ones apart."""
    table = pa.Table.from_batches([table_in(path, part) for path in files], SCHEMA)
    return int(pc.count_distinct(table.column(0)).as_py())


def _put_by_part(path: Path, records: pa.RecordBatch, part: np.ndarray, n_parts: int) -> None:
    by_part = np.argsort(part, kind="stable")
    ends = np.cumsum(np.bincount(part, minlength=n_parts))
    _put_batches(path, records.schema, (records.take(pa.array(rows)) for rows in np.split(by_part, ends[:-1])))


def _put_batches(path: Path, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> None:
    path.touch(mode=0o600)
    with pa.OSFile(os.fspath(path), "wb") as file, pa.ipc.new_file(file, schema) as writer:
        for batch in batches:
            writer.write_batch(batch)


def table_in(path: Path, number: int) -> pa.RecordBatch:
    """One of the tables of a file of parts."""
    with pa.OSFile(os.fspath(path), "rb") as file:
        return pa.ipc.open_file(file).get_batch(number)


def whole_table(path: Path) -> pa.Table:
    """All of a file of tables, one after the other."""
    with pa.OSFile(os.fspath(path), "rb") as file:
        return pa.ipc.open_file(file).read_all()


# ---------------------------------------------------------------- classes and cells


@dataclass(frozen=True)
class RangeOfPeople:
    """The people of a range: how many in each block, their ids, and their columns by name."""

    lengths: tuple[int, ...]
    subjects: Path
    columns: Mapping[str, RangeOfColumn]


@dataclass(frozen=True)
class KeysInFile:
    """How classes are numbered, see ``ClassKeys``; a file has its arrays and, before them, the code of each text."""

    path: Path
    names: tuple[str, ...]
    radices: tuple[int, ...]
    stages: tuple[tuple[int, int, int], ...]

    @staticmethod
    def put(path: Path, names: Sequence[str], code_of_text: Sequence[np.ndarray], keys: ClassKeys) -> KeysInFile:
        """Write them to a file."""
        SpilledArrays.of(path, *code_of_text, *(stage.keys for stage in keys.stages)).close()
        stages = tuple((stage.first, stage.last, stage.n_keys) for stage in keys.stages)
        return KeysInFile(path, tuple(names), keys.radices, stages)

    def load(self) -> tuple[list[np.ndarray], ClassKeys]:
        """The code of each text by column, and the keys; without the people of each text."""
        arrays = list(arrays_in(self.path, len(self.names) + len(self.stages)))
        nobody = np.zeros(0, dtype=np.int64)
        stages = (
            KeyStage(*one, keys, nobody) for one, keys in zip(self.stages, arrays[len(self.names) :], strict=True)
        )
        return arrays[: len(self.names)], ClassKeys(self.radices, tuple(stages))


def _codes_of_blocks(
    people: RangeOfPeople, keys: KeysInFile, code_of_text: Sequence[np.ndarray]
) -> Iterator[tuple[int, list[np.ndarray]]]:
    texts_of_columns = (people.columns[name].blocks() for name in keys.names)
    for n_records, *texts in zip(people.lengths, *texts_of_columns, strict=True):
        yield n_records, [code[text] for code, text in zip(code_of_text, texts, strict=True)]


def count_class_keys(
    run: Path, people: RangeOfPeople, keys: KeysInFile, first: int, last: int, n_keys: int, n_most: int
) -> Path:
    """The keys of one more stage that occur in a range, and how many people have each: a file of these two arrays."""
    code_of_text, so_far = keys.load()
    stage = NextStage(so_far, first, last, n_keys, n_most)
    counter = stage.counter()
    for n_records, codes in _codes_of_blocks(people, keys, code_of_text):
        counter.add(stage.keys(n_records, codes))
    folder = own_folder(run)
    SpilledArrays.of(folder / "keys", *counter.result())
    return folder / "keys"


def put_classes(run: Path, people: RangeOfPeople, keys: KeysInFile) -> Path:
    """The class of each record of a range: a file with an array for each block."""
    code_of_text, class_keys = keys.load()
    folder = own_folder(run)
    blocks = _codes_of_blocks(people, keys, code_of_text)
    classes = (class_keys.class_of(codes, n_records).astype(np.int32) for n_records, codes in blocks)
    SpilledArrays.of(folder / "classes", *classes)
    return folder / "classes"


@dataclass(frozen=True)
class CellsOfRange:
    """The cells of a range: files of their keys, class x values + value, rising, and of the people of each."""

    keys: Path
    people: Path
    n_without_value: int


def count_cells_of_range(
    run: Path, n_blocks: int, classes: Path, column: RangeOfColumn, code_of_text: Path, n_classes: int, n_values: int
) -> CellsOfRange:
    """Count the people of a range by class and by the value of a column, whose code is in ``code_of_text``, -1 if
    missing.
    """
    (code,) = arrays_in(code_of_text, 1)
    counter = KeyCounter(n_classes * n_values, n_classes * n_values, "")
    n_without_value = 0
    for class_of_record, texts in zip(arrays_in(classes, n_blocks), column.blocks(), strict=True):
        value = code[texts]
        has_value = value >= 0
        n_without_value += len(value) - int(has_value.sum())
        counter.add(class_of_record[has_value].astype(np.int64) * n_values + value[has_value])
    folder = own_folder(run)
    found = CellsOfRange(folder / "keys", folder / "people", n_without_value)
    for path, array in zip((found.keys, found.people), counter.result(), strict=True):
        SpilledArrays.of(path, array)
    return found


def count_part(run: Path, ranges: Sequence[CellsOfRange], first: int, stop: int, n_values: int) -> Path:
    """The cells of the classes from ``first`` to ``stop``, see ``cells.PartOfCells``: a file."""
    start, n_keys = first * n_values, (stop - first) * n_values
    counter = KeyCounter(n_keys, n_keys, "")
    for one in ranges:
        keys, people = (np.load(path, mmap_mode="r") for path in (one.keys, one.people))
        some = slice(*np.searchsorted(keys, [start, start + n_keys]).tolist())
        counter.add_counted(np.asarray(keys[some]) - start, np.asarray(people[some]))
    folder = own_folder(run)
    SpilledArrays.of(folder / "cells", *counter.result())
    return folder / "cells"


def count_pairs_of_range(
    run: Path,
    n_blocks: int,
    classes: Path,
    level: RangeOfColumn,
    value: RangeOfColumn,
    asked: Path,
    n_levels: int,
    n_values: int,
) -> Path:
    """Count levels of a column with sensitive values: keys, level x values + value, and people, two arrays in a file.

    ``asked``: the classes to count, and the code of each text of the sensitive feature.
    """
    evaluated, code = arrays_in(asked, 2)
    counter = KeyCounter(n_levels * n_values, n_levels * n_values, "")
    for class_of_record, levels, texts in zip(
        arrays_in(classes, n_blocks), level.blocks(), value.blocks(), strict=True
    ):
        values = code[texts]
        looked_at = evaluated[class_of_record] & (values >= 0)
        counter.add(levels[looked_at].astype(np.int64) * n_values + values[looked_at])
    folder = own_folder(run)
    SpilledArrays.of(folder / "pairs", *counter.result())
    return folder / "pairs"


# ---------------------------------------------------------------- flagged people


@dataclass(frozen=True)
class Flagging:
    """The people to list: a file of the flagged classes, the place of each class, and the places where parts begin.

    ``has_value``: a fourth array marks the texts of the last one of the ``columns`` that are a value.
    """

    path: Path
    has_value: bool
    columns: tuple[str, ...]
    n_parts: int


def list_flagged(run: Path, people: RangeOfPeople, classes: Path, flagging: Flagging) -> Path:
    """The flagged people of a range, divided by the place of their class: a file of tables, one for each part."""
    risky_classes, place, starts, *rest = arrays_in(flagging.path, 3 + flagging.has_value)
    has_value = rest[0] if rest else None
    schema = schema_of_flagged(len(flagging.columns))
    texts_of_columns = (people.columns[name].blocks() for name in flagging.columns)
    blocks = zip(arrays_in(classes, len(people.lengths)), records_in(people.subjects), *texts_of_columns, strict=True)
    flagged = [flagged_of_block(risky_classes, has_value, one, ids, texts, schema) for one, ids, *texts in blocks]
    records = pa.Table.from_batches(flagged, schema).combine_chunks()
    (together,) = records.to_batches() or [pa.RecordBatch.from_pylist([], schema)]
    part = np.searchsorted(starts, place[together.column(0).to_numpy()], side="right") - 1
    folder = own_folder(run)
    _put_by_part(folder / "flagged", together, part, flagging.n_parts)
    return folder / "flagged"


def order_flagged(run: Path, files: Sequence[Path], flagging: Flagging, part: int) -> Path:
    """The flagged people of a part, of all ranges, by the place of their class and then by their ids: a file."""
    _, place, *_ = arrays_in(flagging.path, 3 + flagging.has_value)
    schema = schema_of_flagged(len(flagging.columns))
    people = pa.Table.from_batches([table_in(path, part) for path in files], schema).combine_chunks()
    by_place = people.append_column("place", pa.array(place[people.column("class").to_numpy()]))
    rows = pc.sort_indices(by_place, [("place", "ascending"), ("id", "ascending")])
    folder = own_folder(run)
    _put_batches(folder / "part", schema, people.take(rows).to_batches())
    return folder / "part"
