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
import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import pandas as pd

from config import TYPED_DATASET, ClusterSettings
from config.model_settings import PilotConfig
from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN
from disclosure_control.basics.encoding.text_codes import are_rising, codes_of_few_texts
from disclosure_control.basics.files import SourceFile
from disclosure_control.basics.telling.faults import FaultyInputError, at_hand, stop_at
from disclosure_control.records.dataset_rules import faults_of_subjects, typed_column
from disclosure_control.records.disk import count_on_disk
from disclosure_control.records.domains import DomainReader, domains_in_memory
from disclosure_control.records.limits import NO_LIMITS, Limits
from disclosure_control.records.people import People, PeopleInMemory, TypedTexts
from disclosure_control.records.records import EncodedRecords
from disclosure_control.records.spill import spill_folder
from disclosure_control.records.sql import Count, database_in
from disclosure_control.records.subjects import SubjectsInMemory
from disclosure_control.records.text_columns import TextsInMemory
from disclosure_control.records.text_table import TextTable
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
    gives every column record by record, the config's typed. Code that declared to need everyone at once has all
    records: the ``frame`` (n_subjects,) of the config's columns, the ``subjects``' ids, the file as ``text`` and as
    ``typed_table``.
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
        table = TextTable(list(map(str, text)), lambda name: TextsInMemory(text[name]), ids, NO_LIMITS.few_texts)
        records = functools.partial(_in_memory, found)
        return cls(sha256, len(subjects), table, domains or DomainReader(), records, found)

    @property
    def frame(self) -> pd.DataFrame:
        """The config's columns, typed."""
        return at_hand(self.at_once, "the combined dataset").frame

    @property
    def subjects(self) -> pd.Series:
        return at_hand(self.at_once, "the list of all subjects").subjects

    @property
    def text(self) -> pd.DataFrame:
        return at_hand(self.at_once, "the combined dataset").text

    @property
    def typed_table(self) -> pd.DataFrame:
        """The whole file, the config's columns typed and the others as text."""
        return at_hand(self.at_once, "the combined dataset").typed_table


def _in_memory(found: AllRecords) -> EncodedRecords:
    return EncodedRecords.in_memory(found.typed_table)


class Store(Protocol):
    """A combined dataset that is about to be read."""

    @property
    def columns(self) -> Sequence[str]: ...

    def counted(self, config: PilotConfig) -> tuple[CombinedDataset, People]:
        """Read it and count its people, within the block for which the store is open. Raises ``FaultyInputError``."""
        ...


class StoreInMemory:
    """All records in memory, in one block; ``text`` is the file as text."""

    def __init__(self, path: Path):
        self._file = path.name
        source = read_typed(path, path.with_name(TYPED_DATASET)) or read_as_written(path)
        self.text, self.sha256 = source.frame, source.sha256
        del source
        trim_freed_memory()  # the file's bytes, and what took them apart: twice the table
        self.columns = list(map(str, self.text))

    def subjects(self) -> tuple[pd.Series, list[str]]:
        """The ids, and their faults."""
        ids = self.text[SUBJECT_COLUMN] = _in_one_piece(self.text[SUBJECT_COLUMN])
        return ids, faults_of_subjects(len(ids), int(ids.isna().sum()), _n_distinct(ids), self._file)

    def counted(self, config: PilotConfig) -> tuple[CombinedDataset, People]:
        subjects, faults = self.subjects()
        frame: dict[str, pd.Series] = {}
        typed: dict[str, TypedTexts] = {}
        for name in config.quasi_identifiers + config.sensitive_features:
            try:
                if (few := codes_of_few_texts(self.text[name])) is None:
                    frame[name] = typed_column(self.text[name], config)
                    continue
                texts = pd.Series([*few.texts.to_pylist(), None], dtype="str", name=name)
                exact = typed_column(texts, config, few.people)
                is_number = exact.dtype.kind == "f"
                frame[name] = exact.take(few.codes).reset_index(drop=True) if is_number else self.text[name]
                typed[name] = TypedTexts(few.codes, exact, few.people)
            except FaultyInputError as error:
                faults += [f"{self._file}: {fault}" for fault in error.faults]
        stop_at(faults)
        of_config = pd.DataFrame(frame, copy=False)
        dataset = CombinedDataset.of(of_config, subjects, self.text, self.sha256, domains_in_memory(config))
        return dataset, PeopleInMemory(of_config, config, subjects, typed)


class StoreOnDisk:
    """Records stored in a folder that is removed ``until_end``; ``counting`` gives what counts codes there
    in place of DuckDB, if anything does."""

    def __init__(
        self,
        path: Path,
        limits: Limits,
        until_end: ExitStack,
        counting: Callable[[Path], AbstractContextManager[Count]] | None,
    ):
        self._path, self._limits, self._until_end, self._counting = path, limits, until_end, counting
        self._text = BlocksOfText(path, limits.block_bytes)

    @property
    def columns(self) -> Sequence[str]:
        return self._text.columns

    def counted(self, config: PilotConfig) -> tuple[CombinedDataset, People]:
        from disclosure_control.records.merging import domains_from_disk  # a run in memory needs none of it

        n_bytes = int(SPILL_PER_BYTE * bytes_as_text(self._path))
        folder = self._until_end.enter_context(spill_folder(self._path.parent, n_bytes))
        counted_by = self._until_end.enter_context(self._counting(folder)) if self._counting else None
        database = self._until_end.enter_context(database_in(folder, counted_by))
        try:
            typed = BlocksOfTyped.of(self._path, self._path.with_name(TYPED_DATASET), self._limits.block_bytes)
            people, table = count_on_disk(typed or self._text, config, database, self._limits)
        except DamagedColumnsError:
            typed = None
            people, table = count_on_disk(self._text, config, database, self._limits)
        read = typed or self._text
        domains = domains_from_disk(database, self._limits)
        records = functools.partial(EncodedRecords.of, people, table)
        return CombinedDataset(read.sha256, read.n_records, table, domains, records), people


@contextlib.contextmanager
def open_store(engine: str, path: Path, cluster: ClusterSettings | None, limits: Limits) -> Iterator[Store]:
    """The store of the engine of this name; its files are removed at the end of the block. ``cluster``: the workers."""
    if engine == "memory":
        yield StoreInMemory(path)
        return
    with ExitStack() as until_end:
        on = COUNTING.get(engine)
        yield StoreOnDisk(path, limits, until_end, on and functools.partial(on, cluster or ClusterSettings()))


def _counting_on_cluster(settings: ClusterSettings, folder: Path) -> AbstractContextManager[Count]:
    from disclosure_control.records.cluster import counting_on_cluster

    return counting_on_cluster(settings, folder)


COUNTING = {"cluster": _counting_on_cluster}  # what counts codes in place of DuckDB


def read_as_written(file: Path | SourceFile) -> SourceTable:
    """A file that this tool wrote, all text. Raises ``FaultyInputError``."""
    return read_domain_file(file, AS_WRITTEN)


def _in_one_piece(texts: pd.Series) -> pd.Series:
    """The column in memory as one array, so that Arrow's functions, several of which need all ids, copy nothing."""
    import pyarrow as pa

    return pd.Series(pd.array(pa.array(texts), dtype="str"), texts.index, name=texts.name, copy=False)


def _n_distinct(subjects: pd.Series) -> int:
    """Number of different ids; in rising order, as in files of this tool, neighbours are compared."""
    import pyarrow as pa

    return len(subjects) if are_rising(pa.array(subjects)) else int(subjects.nunique())
