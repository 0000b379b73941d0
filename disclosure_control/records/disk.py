"""People of a file that does not fit in memory: read once, encoded, written to disk and counted part by part.

text, block by block -> codes of each column, on disk -> counts of classes and cells, in SQL -> class of each record

In memory are the distinct values of the columns, the classes with their people, one block, and one part of the cells.
On disk, beside the results and for this run only, are a few bytes per record and column, and the ids.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa

from Anonymization_Models import EquivalenceClasses, SensitiveCounts
from config.model_settings import PilotConfig
from disclosure_control.basics.encoding.binning import Binning
from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN
from disclosure_control.basics.telling.faults import FaultyInputError, stop_at
from disclosure_control.basics.telling.progress import progress
from disclosure_control.basics.telling.side_by_side import side_by_side
from disclosure_control.records.classes import ClassKeys, count_cells, counted_classes
from disclosure_control.records.dataset_rules import faults_of_subjects, typed_column
from disclosure_control.records.limits import USUAL_LIMITS, Limits
from disclosure_control.records.people import ColumnOfPeople, People, evaluated_columns
from disclosure_control.records.spill import Aside, put_codes
from disclosure_control.records.sql import Database
from disclosure_control.records.subjects import Subjects, SubjectsOnDisk
from disclosure_control.records.text_columns import TextsOnDisk
from disclosure_control.records.text_table import TextTable
from study.formats.blocks import Blocks
from study.formats.values import clean_values


class PeopleOnDisk(People):
    """The people of a file, counted; only the requested records are read again. See ``people.People``."""

    _database: Database

    def __init__(
        self,
        config: PilotConfig,
        columns: dict[str, ColumnOfPeople],
        subjects: Subjects,
        binnings: dict[str, Binning],
        database: Database,
        limits: Limits,
    ):
        self.config, self.binnings = config, binnings
        self._columns, self._subjects, self._database, self._limits = columns, subjects, database, limits
        self._folder = database.new_folder()
        self._codes = self._folder / "codes.parquet"
        self._put_codes()
        self.classes = self._form_classes()
        self._keys = ClassKeys(self.classes)
        self._class_of_record = self._classes_of_records()
        self.counts = {name: self._count_cells(i, name) for i, name in enumerate(config.sensitive_features)}
        self._codes.unlink()

    @property
    def put_aside(self) -> tuple[Subjects, Mapping[str, ColumnOfPeople], Database, Limits]:
        """The stored records, for the code that writes them: ids, columns, where they are and its limits."""
        return self._subjects, self._columns, self._database, self._limits

    def _put_codes(self) -> None:
        """Write the codes of the quasi-identifiers and of the sensitive features by which they are evaluated."""
        columns = [self._columns[name] for name in (*self.config.quasi_identifiers, *self.config.sensitive_features)]
        texts_of_columns = (column.texts for column in columns)
        blocks = (
            [column.encoded.codes[text] for column, text in zip(columns, texts, strict=True)]
            for texts in self._passed("Encoding", *texts_of_columns)
        )
        put_codes(self._codes, blocks, len(columns))

    def _form_classes(self) -> EquivalenceClasses:
        names = self.config.quasi_identifiers
        if not names:  # there is nothing to count by: all people are one class
            n_people = sum(self._subjects.lengths)
            n_classes = min(n_people, 1)
            return EquivalenceClasses(names, (), np.zeros((0, n_classes), np.int64), np.full(n_classes, n_people))
        with progress("Forming classes"):
            codes, size = counted_classes(
                self._database.count(self._codes, range(len(names))), len(names), self._limits.n_classes
            )
        return EquivalenceClasses(names, tuple(self._columns[name].encoded.labels for name in names), codes, size)

    def _classes_of_records(self) -> Iterable[np.ndarray]:
        encoded = [self._columns[name].encoded for name in self.config.quasi_identifiers]
        texts_of_columns = (self._columns[name].texts for name in self.config.quasi_identifiers)
        blocks = (
            [self._keys.class_of([one.codes[text] for one, text in zip(encoded, texts, strict=True)], n_records)]
            for n_records, *texts in self._passed("Forming classes", self._subjects.lengths, *texts_of_columns)
        )
        return put_codes(self._folder / "classes", blocks, 1).column(0)

    def _count_cells(self, i: int, name: str) -> SensitiveCounts:
        """The count of the sensitive feature of this name and number, which is put aside."""
        n_qis = len(self.config.quasi_identifiers)
        with progress(f"Counting {name}"):
            counted = self._database.count(self._codes, [*range(n_qis), n_qis + i])
            labels, path = self._columns[name].encoded.labels, self._folder / f"cells_{i}"
            return count_cells(counted, self._keys, labels, path, self._limits.cells_per_part)

    def evaluated_by(self, config: PilotConfig) -> PeopleOnDisk:
        """The same codes of texts, counted anew: see ``people.People``."""
        of_texts = {name: one.people for name, one in self._columns.items()}
        exact = {name: one.exact for name, one in self._columns.items()}
        texts = {name: one.texts for name, one in self._columns.items()}
        columns, binnings = evaluated_columns(config, exact, of_texts, texts)
        return PeopleOnDisk(config, columns, self._subjects, binnings, self._database, self._limits)


def count_on_disk(
    text: Blocks, config: PilotConfig, database: Database, limits: Limits = USUAL_LIMITS
) -> tuple[PeopleOnDisk, TextTable]:
    """Read the text once, store it encoded, and count its people; with further facts about the file.

    Raises ``FaultyInputError`` as reading the whole file does, and where there are more distinct values or classes than
    ``limits`` allow.
    """
    names = named_columns(config)
    columns, subjects = put_aside(with_progress(text), text.columns, names, database, limits)
    faults = faults_of_subjects(text.n_records, subjects.n_blank, subjects.count_distinct(), text.path.name)
    named = {name: columns[name] for name in names}
    evaluated, binnings = _columns_as_evaluated(text.path.name, config, named, faults)
    people = PeopleOnDisk(config, evaluated, subjects, binnings, database, limits)
    return people, TextTable(text.columns, columns.__getitem__, subjects, limits.few_texts)


def with_progress(text: Blocks) -> Iterator[pa.RecordBatch]:
    """The blocks of a text; after each, the number of bytes done is reported."""
    n_read = 0
    with progress(f"Reading {text.path.name}", text.n_bytes, "bytes") as advance:
        for block in text:
            yield block
            advance(text.n_bytes_read - n_read)
            n_read = text.n_bytes_read


def named_columns(config: PilotConfig) -> list[str]:
    """The columns that a config names, each once."""
    return list(dict.fromkeys(config.quasi_identifiers + config.sensitive_features))


def _columns_as_evaluated(
    file: str, config: PilotConfig, named: Mapping[str, TextsOnDisk], faults: Sequence[str]
) -> tuple[dict[str, ColumnOfPeople], dict[str, Binning]]:
    """The columns of the config, typed and binned by their distinct texts, and who fell outside the edges.

    Raises ``FaultyInputError`` with the ``faults`` so far and those of the columns.
    """
    found, typed, people = list(faults), {}, {}
    for name, column in named.items():
        texts = column.texts()
        people[name] = texts.people
        try:
            typed[name] = typed_column(texts.column(name), config, texts.people)
        except FaultyInputError as error:
            found += [f"{file}: {fault}" for fault in error.faults]
    stop_at(found)
    return evaluated_columns(config, typed, people, {name: column.codes for name, column in named.items()})


def put_aside(
    blocks: Iterable[pa.RecordBatch], columns: Sequence[str], names: Sequence[str], database: Database, limits: Limits
) -> tuple[dict[str, TextsOnDisk], SubjectsOnDisk]:
    """Put blocks with these ``columns`` aside: each as codes of its distinct texts, and the ids of the people.

    All texts are kept of the columns of these ``names``.
    """
    beside = [name for name in columns if name != SUBJECT_COLUMN]
    codes = Aside(database.new_folder() / "columns", [pa.int32()] * len(beside))
    few_texts = [sys.maxsize if name in names else limits.few_texts for name in beside]
    found = {
        name: TextsOnDisk(codes.column(i), few) for i, (name, few) in enumerate(zip(beside, few_texts, strict=True))
    }
    subjects = SubjectsOnDisk(database)
    # Arrow and NumPy work outside Python's lock: columns side by side.
    with contextlib.closing(codes), contextlib.closing(subjects):
        for block in blocks:
            subjects.append(clean_values(block.column(SUBJECT_COLUMN).cast(pa.large_string())))
            codes.append(side_by_side(TextsOnDisk.encode, found.values(), map(block.column, found)))
            stop_at(
                f"column {name!r}: more than {limits.n_values:,} distinct values, which is more than fit in memory; "
                "round them in the source, or leave the column out of the config"
                for name in names
                if len(found[name]) > limits.n_values
            )
    return found, subjects
