"""The one store of a pilot's records: people in blocks of encoded columns, for every engine.

In memory there is one block; from disk there are many, stored, and counted here or on a cluster. Nothing above asks
which it is: what needs all records at once is declared before the run (``needs``).

    people      classes, counts, and the records that a model flags, part by part
    table       every column as text: its distinct texts, its levels, and who has them
    domains     how the pilot's domain files are read beside it
    records     every column record by record, block by block
    at_once     all records at once, where the store gives them
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import pandas as pd

from config import TYPED_DATASET, ClusterSettings
from config.model_settings import PilotConfig
from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN
from disclosure_control.basics.encoding.dictionary import as_texts
from disclosure_control.basics.encoding.text_codes import codes_of_few_texts, text_codes
from disclosure_control.basics.files import SourceFile
from disclosure_control.basics.telling.faults import at_hand
from disclosure_control.records.columns import ColumnOfRecords, ids_of_block
from disclosure_control.records.dataset_rules import faults_of_subjects, typed_columns
from disclosure_control.records.disk import count_on_disk, in_full
from disclosure_control.records.domains import DomainReader, domains_in_memory
from disclosure_control.records.limits import NO_LIMITS, Limits
from disclosure_control.records.people import People, named_columns
from disclosure_control.records.records import EncodedRecords
from disclosure_control.records.spill import spill_folder
from disclosure_control.records.sql import database_in
from disclosure_control.records.subjects import SubjectsInMemory
from disclosure_control.records.texts import TextTable
from disclosure_control.run.memory import trim_freed_memory
from study.formats.blocks import bytes_as_text
from study.formats.delimited_blocks import BlocksOfText
from study.formats.files import read_domain_file
from study.formats.hand_over import BlocksOfTyped, DamagedColumnsError, read_typed
from study.formats.tables import FileOptions, SourceTable

SPILL_PER_BYTE = 1.5  # bytes stored, at most, per byte of the text
# As the merge writes the file: nothing is guessed, and NA is the country Namibia.
AS_WRITTEN = FileOptions(
    delimiter=",", decimal=".", thousands="none", missing=(), dates="keep", is_written_as_meant=True
)


@dataclass(frozen=True)
class AllRecords:
    """All records at once: ``frame`` (n_people,) of the config's columns, typed, the ids, and the file as ``text``."""

    frame: pd.DataFrame = field(repr=False)
    subjects: pd.Series = field(repr=False)
    text: pd.DataFrame = field(repr=False)

    @property
    def typed_table(self) -> pd.DataFrame:
        """The whole file, the config's columns typed and the others as text."""
        return self.text.assign(**self.frame)


@dataclass(frozen=True)
class CombinedDataset:
    """The combined dataset of a pilot: its SHA-256, its subjects, one per row, and access to its columns.

    ``table`` is the whole file as text, column by column; ``domains`` reads the domain files beside it; ``records``
    gives every column record by record, the config's typed.
    """

    sha256: str
    n_subjects: int
    table: TextTable
    domains: DomainReader
    records: Callable[[], EncodedRecords]
    at_once: AllRecords | None = field(default=None, repr=False)

    @classmethod
    def of(
        cls,
        frame: pd.DataFrame,
        subjects: pd.Series,
        text: pd.DataFrame,
        sha256: str = "",
        domains: DomainReader | None = None,
    ) -> CombinedDataset:
        """That of records in memory: ``frame`` (n_subjects,) of the typed columns, the ids, and the file as text."""
        found, ids = AllRecords(frame, subjects, text), SubjectsInMemory(subjects, len(subjects))

        def column_of(name: str) -> ColumnOfRecords:
            return ColumnOfRecords.of_texts(text_codes(text[name].astype("str")), name)

        table = TextTable(list(map(str, text)), column_of, ids, NO_LIMITS.few_texts)

        def records() -> EncodedRecords:
            return EncodedRecords.in_memory(found.typed_table)

        return cls(sha256, len(subjects), table, domains or DomainReader(), records, found)

    @property
    def everybody(self) -> AllRecords:
        """All records at once, for code that declared to need them."""
        return at_hand(self.at_once, "the combined dataset")


class StoreInMemory:
    """All records in memory, in one block; ``text`` is the file as text."""

    def __init__(self, path: Path):
        self._file = path.name
        source = read_typed(path, path.with_name(TYPED_DATASET)) or read_as_written(path)
        self.text, self.sha256 = source.frame, source.sha256
        del source
        trim_freed_memory()  # the file's bytes, and what took them apart: twice the table
        self.columns = list(map(str, self.text))

    @cached_property
    def subjects(self) -> SubjectsInMemory:
        """The ids, in one array, so that Arrow's functions, several of which need all of them, copy nothing."""
        self.text[SUBJECT_COLUMN] = ids_of_block(as_texts(self.text[SUBJECT_COLUMN]))
        return SubjectsInMemory(self.text[SUBJECT_COLUMN], len(self.text))

    def faults_of_subjects(self) -> list[str]:
        """That some ids are empty, or that some repeat."""
        return faults_of_subjects(self.subjects, self._file)

    def counted(self, config: PilotConfig) -> tuple[CombinedDataset, People]:
        subjects, faults = self.subjects.at_once, self.faults_of_subjects()
        named = {name: self.text[name] for name in named_columns(config)}
        columns = ColumnOfRecords.each_own(named, len(subjects))
        for name, texts in named.items():
            if (few := codes_of_few_texts(texts)) is not None:
                columns[name] = ColumnOfRecords.of_texts(few, name)
        typed = typed_columns(columns, config, self._file, faults)
        frame = pd.DataFrame({name: _of_people(one, named[name]) for name, one in typed.items()}, copy=False)
        dataset = CombinedDataset.of(frame, subjects, self.text, self.sha256, domains_in_memory(config))
        of_config = dataclasses.replace(EncodedRecords.in_memory(frame, subjects), columns=typed)
        return dataset, People(config, of_config)


def _of_people(typed: ColumnOfRecords, text: pd.Series) -> pd.Series:
    """The typed column of all people; a column of text is itself."""
    is_text, (places,) = typed.values.dtype == text.dtype, typed.texts
    return text if is_text else typed.values.take(places).reset_index(drop=True)


class StoreOnDisk:
    """Records stored in a folder that is removed ``until_end``; counted by DuckDB, or by the workers of a cluster."""

    def __init__(self, path: Path, limits: Limits, until_end: ExitStack, cluster: ClusterSettings | None):
        self._path, self._limits, self._until_end, self._cluster = path, limits, until_end, cluster
        self._text = BlocksOfText(path, limits.block_bytes)

    @property
    def columns(self) -> Sequence[str]:
        return self._text.columns

    def counted(self, config: PilotConfig) -> tuple[CombinedDataset, People]:
        from disclosure_control.records.merging import domains_from_disk  # a run in memory needs none of it

        n_bytes = int(SPILL_PER_BYTE * bytes_as_text(self._path))
        folder = self._until_end.enter_context(spill_folder(self._path.parent, n_bytes))
        counted_by = None
        if self._cluster is not None:
            from disclosure_control.records.cluster import counting_on_cluster

            counted_by = self._until_end.enter_context(counting_on_cluster(self._cluster, folder))
        database = self._until_end.enter_context(database_in(folder, counted_by))
        try:
            typed = BlocksOfTyped.of(self._path, self._path.with_name(TYPED_DATASET), self._limits.block_bytes)
            people, table = count_on_disk(typed or self._text, config, database, self._limits)
        except DamagedColumnsError:
            typed = None
            people, table = count_on_disk(self._text, config, database, self._limits)
        read = typed or self._text
        domains = domains_from_disk(database, self._limits)
        records = functools.partial(in_full, people, table)
        return CombinedDataset(read.sha256, read.n_records, table, domains, records), people


Store = StoreInMemory | StoreOnDisk


@contextlib.contextmanager
def open_store(engine: str, path: Path, cluster: ClusterSettings | None, limits: Limits) -> Iterator[Store]:
    """The store of the engine of this name; its files are removed at the end of the block. ``cluster``: the workers."""
    if engine == "memory":
        yield StoreInMemory(path)
        return
    with ExitStack() as until_end:
        yield StoreOnDisk(path, limits, until_end, (cluster or ClusterSettings()) if engine == "cluster" else None)


def read_as_written(file: Path | SourceFile) -> SourceTable:
    """A file that this tool wrote, all text. Raises ``FaultyInputError``."""
    return read_domain_file(file, AS_WRITTEN)
