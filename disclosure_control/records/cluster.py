"""People of a file counted by several workers, on one machine or on many that share a folder.

    text, cut into ranges -> each range read and encoded by a worker -> lists of texts joined -> classes of each range
    -> cells of each range -> cells, divided by class, each part counted by a worker -> k, l, t -> flags by range

All intermediate files are in the run's folder, which every worker reads and writes; a worker that dies loses only its
current task. This process keeps what the engine from disk keeps: the distinct values of the config's columns, the
classes with their people, one part of the cells.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

import numpy as np
import pandas as pd

from Anonymization_Models import EquivalenceClasses, ModelResult, SensitiveCounts
from config.model_settings import PilotConfig
from disclosure_control.basics.encoding.binning import Binning
from disclosure_control.basics.telling.faults import stop_at
from disclosure_control.basics.telling.progress import progress
from disclosure_control.records import cluster_tasks as tasks
from disclosure_control.records.cells import PartOfCells, counted_in_parts
from disclosure_control.records.class_keys import (
    Counted,
    KeyCounter,
    NextStage,
    find_class_keys_counted,
    parts_of_classes,
)
from disclosure_control.records.counted_texts import texts_in
from disclosure_control.records.dataset_rules import faults_of_subjects
from disclosure_control.records.disk import PeopleOnDisk, columns_as_evaluated, named_columns
from disclosure_control.records.limits import USUAL_LIMITS, Limits
from disclosure_control.records.people import (
    ColumnOfPeople,
    LevelValuePairs,
    flagged_parts,
    listed_columns,
    listed_records,
    text_has_value,
)
from disclosure_control.records.ranges import (
    SUBJECTS,
    ArraysInRanges,
    ColumnInRanges,
    OtherColumnInRanges,
    RangeOfColumn,
    ReadRange,
    SubjectsInRanges,
)
from disclosure_control.records.spill import SpilledArrays, arrays_in
from disclosure_control.records.subjects import n_parts_of_ids
from disclosure_control.records.text_columns import TextColumn
from disclosure_control.records.text_table import TextTable
from study.formats.blocks import Blocks, kind_of
from study.formats.delimited_blocks import faults_of_records

MOST_RANGES, RANGES_OF_A_WORKER = 1024, 4
Result = TypeVar("Result")


class Workers(Protocol):
    """Those who do the tasks of ``cluster_tasks``, each maybe more than once, and in any order."""

    @property
    def n_workers(self) -> int: ...

    def each(self, task: Callable[..., Result], arguments: Iterable[tuple]) -> Iterator[Result]:
        """The task's results for the arguments, in their order.

        Raises ``FaultyInputError`` and ``OSError`` as the task does, the former also where workers cannot go on.
        """
        ...


class Crew:
    """The workers of a run, and the folder in which they put things aside."""

    def __init__(self, workers: Workers, run: Path):
        self.workers, self.run = workers, run

    def each(
        self, words: str, task: Callable[..., Result], arguments: Sequence[tuple], people: Sequence[int] | None = None
    ) -> list[Result]:
        """A task's results for the arguments, with its progress reported."""
        weights = [1] * len(arguments) if people is None else people
        found = []
        with progress(words, sum(weights), "" if people is None else "people") as advance:
            for result, weight in zip(self.workers.each(task, arguments), weights, strict=True):
                found.append(result)
                advance(weight)
        return found


class PeopleOnCluster(PeopleOnDisk):
    """The people of a file, counted by workers: see ``people.People``."""

    def __init__(
        self,
        config: PilotConfig,
        columns: dict[str, ColumnOfPeople],
        ranges: Sequence[ReadRange],
        texts: Mapping[str, ColumnInRanges],
        binnings: dict[str, Binning],
        crew: Crew,
        limits: Limits,
    ):
        self._crew = crew
        self._ranges = [
            tasks.RangeOfPeople(
                one.lengths, one.folder / SUBJECTS, {name: column.ranges[i] for name, column in texts.items()}
            )
            for i, one in enumerate(ranges)
        ]
        self._n_people = [one.n_records for one in ranges]
        super().__init__(config, columns, SubjectsInRanges(ranges), binnings, crew.run, limits)

    def _each(self, words: str, task: Callable[..., Result], arguments: Sequence[tuple]) -> list[Result]:
        return self._crew.each(words, task, arguments, self._n_people)

    def _form_classes(self) -> tuple[Iterable[np.ndarray], EquivalenceClasses]:
        names, run = self.config.quasi_identifiers, self._crew.run
        encoded = [self._columns[name].encoded for name in names]
        code_of_text = [column.codes.astype(np.int64) + 1 for column in encoded]

        def count(stage: NextStage) -> Counted:
            file = tasks.KeysInFile.put(run / f"stage_{stage.last}", names, code_of_text, stage.so_far)
            arguments = [
                (run, people, file, stage.first, stage.last, stage.n_keys, stage.n_most) for people in self._ranges
            ]
            return _joined(stage.counter(), self._each("Counting classes", tasks.count_class_keys, arguments))

        radices = [len(column.labels) + 1 for column in encoded]
        keys = find_class_keys_counted(count, radices, self._limits.n_classes, self._limits.key_limit)
        file = tasks.KeysInFile.put(run / "class_keys", names, code_of_text, keys)
        self._class_files = self._each(
            "Forming classes", tasks.put_classes, [(run, people, file) for people in self._ranges]
        )
        files = tuple((path, len(one.lengths)) for path, one in zip(self._class_files, self._ranges, strict=True))
        return ArraysInRanges(files), keys.classes(names, [column.labels for column in encoded])

    def _count(self, name: str, folder: Path) -> SensitiveCounts:
        folder.mkdir(mode=0o700)
        run, encoded = self._crew.run, self._columns[name].encoded
        size, n_values = self.classes.size, max(len(encoded.labels), 1)
        SpilledArrays.of(folder / "code_of_text", encoded.codes)
        cells = self._each(
            f"Counting {name}",
            tasks.count_cells_of_range,
            [
                (run, len(one.lengths), path, one.columns[name], folder / "code_of_text", len(size), n_values)
                for path, one in zip(self._class_files, self._ranges, strict=True)
            ],
        )
        parts = list(parts_of_classes(size, self._limits.people_per_part))
        arguments = [(run, cells, part.start, part.stop, n_values) for part in parts]
        counted = self._crew.each(f"Joining the counts of {name}", tasks.count_part, arguments)
        of_parts = [PartOfCells(part, ArraysInRanges(((path, 2),))) for part, path in zip(parts, counted, strict=True)]
        return counted_in_parts(of_parts, encoded.labels, sum(one.n_without_value for one in cells))

    def flagged(self, result: ModelResult, place: np.ndarray) -> Iterator[tuple[np.ndarray, pd.DataFrame]]:
        """The flagged records part by part; workers divide each range and order each part: see ``people.People``."""
        names = listed_columns(self.config, result)
        columns = [self._columns[name] for name in names]
        parts = flagged_parts(result, place, self._limits.flagged_per_part)
        has_value, run = text_has_value(result, columns), self._crew.run
        path = run / f"flagging_{result.model}_{names.index(result.sensitive) if result.sensitive else ''}"
        starts = np.array([part.start for part in parts])
        path.unlink(missing_ok=True)
        SpilledArrays.of(path, result.risky_classes, place, starts, *([] if has_value is None else [has_value]))
        flagging = tasks.Flagging(path, has_value is not None, tuple(names), len(parts))
        files = self._each(
            "Listing risky records",
            tasks.list_flagged,
            [(run, people, one, flagging) for people, one in zip(self._ranges, self._class_files, strict=True)],
        )
        ordered = self._crew.each(
            "Ordering risky records", tasks.order_flagged, [(run, files, flagging, i) for i in range(len(parts))]
        )
        for one in files:
            one.unlink()
        for one in ordered:
            yield listed_records(tasks.whole_table(one), columns, place)
            one.unlink()

    def pairs(self, column: TextColumn, sensitive: str, evaluated: np.ndarray) -> LevelValuePairs:
        """See ``People``; counted by workers."""
        assert isinstance(column, OtherColumnInRanges)
        n_levels, levels = column.n_levels(), column.column
        run, encoded = self._crew.run, self._columns[sensitive].encoded
        n_values = max(len(encoded.labels), 1)
        asked = run / "asked"
        asked.unlink(missing_ok=True)
        SpilledArrays.of(asked, evaluated, encoded.codes)
        arguments = [
            (run, len(one.lengths), path, level, one.columns[sensitive], asked, n_levels, n_values)
            for path, one, level in zip(self._class_files, self._ranges, levels.ranges, strict=True)
        ]
        counter = KeyCounter(n_levels * n_values, n_levels * n_values, "")
        key, people = _joined(counter, self._each("Comparing columns", tasks.count_pairs_of_range, arguments))
        return LevelValuePairs(key // n_values, key % n_values, n_levels, n_values, people)


def _joined(counter: KeyCounter, files: Iterable[Path]) -> Counted:
    """Keys and people of all ranges together; each file contains those of a range."""
    for path in files:
        counter.add_counted(*arrays_in(path, 2))
        path.unlink()
    return counter.result()


def count_on_cluster(
    text: Blocks, config: PilotConfig, folder: Path, limits: Limits = USUAL_LIMITS, *, workers: Workers
) -> tuple[PeopleOnCluster, TextTable]:
    """Have the text read by workers, which put it aside encoded in ``folder``, and its people counted.

    ``sha256`` and ``n_records`` of the text are set. Raises ``FaultyInputError`` as ``count_on_disk`` does.
    """
    run, path, names = folder.resolve(), text.path.resolve(), named_columns(config)  # workers may be elsewhere
    crew, reading = (
        Crew(workers, run),
        tasks.ReadTask(path, tuple(text.columns), tuple(names), limits, run, tasks.stamp_of(path)),
    )
    ranges = _read(text, reading, crew)
    joined = _join(reading, ranges, crew)
    n_distinct = _n_distinct_ids(ranges, crew)
    n_blank = sum(one.n_blank for one in ranges) + text.n_records - sum(one.n_records for one in ranges)
    faults = faults_of_subjects(text.n_records, n_blank, n_distinct, text.path.name)
    of_names = {name: texts_in(one.texts) for name, one in zip(names, joined, strict=False)}
    texts = {name: _column_in_ranges(i, ranges, joined[i].codes) for i, name in enumerate(names)}
    columns, binnings = columns_as_evaluated(text.path.name, config, of_names, texts, faults)
    people = PeopleOnCluster(config, columns, ranges, texts, binnings, crew, limits)
    others = {
        name: OtherColumnInRanges(
            one.texts,
            one.share_at_hand,
            one.n_levels,
            one.n_levels_at_least,
            _column_in_ranges(i, ranges, one.levels),
        )
        for i, (name, one) in enumerate(zip(reading.in_order, joined, strict=True))
    }
    return people, TextTable(text.columns, others.__getitem__, SubjectsInRanges(ranges), limits.few_texts)


def _read(text: Blocks, reading: tasks.ReadTask, crew: Crew) -> list[ReadRange]:
    """Have the ranges of the text read while it is cut; then set what is known of the whole text."""
    n_most = max(text.n_bytes // (RANGES_OF_A_WORKER * crew.workers.n_workers), text.block_bytes)
    cut = kind_of(text.path).cut(text.path, max(min(reading.limits.range_bytes, n_most), text.n_bytes // MOST_RANGES))
    lengths: list[int] = []

    def arguments() -> Iterator[tuple[tasks.ReadTask, int, int]]:
        for start, n_bytes in cut:
            lengths.append(n_bytes)
            yield reading, start, n_bytes

    ranges: list[ReadRange] = []
    with progress(f"Reading {text.path.name}", text.n_bytes, "bytes") as advance:
        for one in crew.workers.each(tasks.read_range, arguments()):
            advance(lengths[len(ranges)])
            ranges.append(one)
    ragged: Counter[int] = sum((Counter(one.n_fields_of_ragged) for one in ranges), Counter())
    last = max((i for i, one in enumerate(ranges) if one.n_records), default=0)
    text.n_records = sum(one.n_records for one in ranges) + sum(one.n_empty_end for one in ranges[:last])
    stop_at(faults_of_records(text.path, len(text.columns), text.n_records, ragged))
    text.sha256 = cut.sha256
    return ranges


def _join(reading: tasks.ReadTask, ranges: Sequence[ReadRange], crew: Crew) -> list[tasks.JoinedColumn]:
    arguments = [(reading, i, ranges) for i in range(len(reading.in_order))]
    return crew.each("Joining columns", tasks.join_column, arguments)


def _column_in_ranges(column: int, ranges: Sequence[ReadRange], codes: Path) -> ColumnInRanges:
    stops = np.cumsum([one.n_texts[column] for one in ranges]).tolist()
    return ColumnInRanges(
        tuple(
            RangeOfColumn(one.codes(column), len(one.lengths), codes, stop - one.n_texts[column], stop)
            for one, stop in zip(ranges, stops, strict=True)
        )
    )


def _n_distinct_ids(ranges: Sequence[ReadRange], crew: Crew) -> int:
    """How many different ids there are, empty ones apart: see ``SubjectsOnDisk.count_distinct``."""
    n_people = [one.n_records for one in ranges]
    if SubjectsInRanges(ranges).are_rising():
        return sum(n_people)
    n_parts = n_parts_of_ids(sum(n_people))
    files = crew.each("Dividing ids", tasks.divide_ids, [(crew.run, one, n_parts) for one in ranges], n_people)
    n_distinct = sum(crew.each("Counting ids", tasks.count_ids, [(files, part) for part in range(n_parts)]))
    for path in files:
        path.unlink()
    return n_distinct
