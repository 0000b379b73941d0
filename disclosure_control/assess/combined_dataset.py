"""Reading the combined dataset: the columns that the config names, categories as text, numbers as numbers."""

from __future__ import annotations

import csv
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from config import COMBINED_DATASETS
from config.model_settings import KeyReader, PilotConfig, validate_config
from disclosure_control.assess.absent_columns import known_columns
from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN, are_rising
from disclosure_control.basics.files import SourceFile
from disclosure_control.basics.telling.faults import FaultyInputError, RecordsNotAtHandError, stop_at
from disclosure_control.records.dataset_rules import faults_of_names, faults_of_roles, faults_of_subjects, typed_column
from disclosure_control.records.disk import PeopleOnDisk
from disclosure_control.records.other_columns import TableOnDisk
from disclosure_control.records.people import People
from disclosure_control.records.records import EncodedRecords
from disclosure_control.run.memory import trim_freed_memory
from study.formats.files import read_domain_file
from study.formats.parquet_blocks import BlocksOfParquet
from study.formats.tables import FileOptions, SourceTable, suffix_of
from study.formats.values import clean_text, frame_of

__all__ = ["SUBJECT_COLUMN", "CombinedDataset", "checked_config", "header_of", "read_combined_dataset"]

# As the merge writes the file: nothing is guessed, and NA is the country Namibia.
AS_WRITTEN = FileOptions(delimiter=",", decimal=".", missing=(), dates="keep")


@dataclass(frozen=True)
class CombinedDataset:
    """``frame`` (n_subjects,) of the config's columns, the ``subjects``' ids, and the file's SHA-256.

    ``table`` is the whole file as text; in ``typed_table`` the config's columns are typed as in ``frame``. ``file`` is
    its name.
    """

    frame: pd.DataFrame = field(repr=False)
    subjects: pd.Series = field(repr=False)
    sha256: str
    table: pd.DataFrame = field(repr=False)
    file: str = COMBINED_DATASETS["csv"]

    @property
    def n_subjects(self) -> int:
        """How many subjects there are, one per row."""
        return len(self.subjects)

    @property
    def typed_table(self) -> pd.DataFrame:
        """The whole file, the config's columns typed and the others as text."""
        return self.table.assign(**self.frame)

    def records(self, people: People) -> EncodedRecords:
        """The records of the ``people`` that were counted, every column of the file."""
        return EncodedRecords.in_memory(self.typed_table)


class CombinedDatasetOnDisk(CombinedDataset):
    """A combined dataset of which the records are not at hand: ``frame`` and ``subjects`` raise.

    ``table`` is what can be asked of the whole file without them.
    """

    def __init__(self, sha256: str, n_subjects: int, table: TableOnDisk, file: str):
        self.__dict__.update(sha256=sha256, table=table, file=file, _n_subjects=n_subjects)

    @property
    def n_subjects(self) -> int:
        """How many subjects there are, one per row."""
        return self._n_subjects

    def records(self, people: People) -> EncodedRecords:
        """See ``CombinedDataset``."""
        assert isinstance(people, PeopleOnDisk)
        return EncodedRecords.of(people, self.table)

    @property
    def frame(self) -> pd.DataFrame:
        """Raises ``RecordsNotAtHandError``."""
        raise RecordsNotAtHandError("the combined dataset")

    @property
    def subjects(self) -> pd.Series:
        """Raises ``RecordsNotAtHandError``."""
        raise RecordsNotAtHandError("the list of all subjects")


def read_combined_dataset(
    path: Path, literal: Mapping, readers: Mapping[str, KeyReader], is_assessed: bool = True
) -> tuple[PilotConfig, CombinedDataset]:
    """The config, checked and typed, and the dataset as it says that the columns are; no subject may have two rows.

    ``literal`` is the config as it was written, ``readers`` what understands its further keys. The config is checked
    before the file is read whole, against the columns of its header. Where the pilot is not ``is_assessed``, no column
    is typed and ``frame`` has none: what stands in a column that nobody asks for is no fault then. Raises
    ``FaultyInputError``; its messages hold counts and no value.
    """
    columns, config = checked_config(path, literal, readers)
    table, sha256 = _read(path)
    trim_freed_memory()  # the file's bytes, and what took them apart: twice the table
    check_subject_column(path, table)
    stop_at([*faults_of_roles(config), *faults_of_names(list(table.columns))])
    if list(table.columns) != columns:  # not as this tool writes it: only now the columns are known
        config = validate_config(literal, known_columns(list(table.columns), path.parent), readers)
    subjects = table[SUBJECT_COLUMN] = _in_one_piece(table[SUBJECT_COLUMN])
    n_blank = int(subjects.isna().sum())
    faults = faults_of_subjects(len(subjects), n_blank, _n_distinct(subjects), path.name)
    typed = {}
    for name in config.quasi_identifiers + config.sensitive_features if is_assessed else ():
        try:
            typed[name] = typed_column(table[name], config)
        except FaultyInputError as error:
            faults += [f"{path.name}: {fault}" for fault in error.faults]
    stop_at(faults)
    return config, CombinedDataset(pd.DataFrame(typed), subjects, sha256, table, path.name)


def read_as_written(path: Path | SourceFile) -> SourceTable:
    """A file that this tool wrote, all text. Raises ``FaultyInputError``."""
    return read_domain_file(path, AS_WRITTEN)


def _read(path: Path) -> tuple[pd.DataFrame, str]:
    """The file as text, and its SHA-256. Raises ``FaultyInputError``."""
    if suffix_of(path) != ".parquet":
        source = read_as_written(path)
        return source.frame, source.sha256
    import pyarrow as pa

    blocks = BlocksOfParquet(path)
    table = pa.Table.from_batches(blocks)
    return frame_of({name: clean_text(table.column(name)) for name in blocks.columns}), blocks.sha256


def checked_config(
    path: Path, literal: Mapping, readers: Mapping[str, KeyReader]
) -> tuple[list[str] | None, PilotConfig]:
    """The columns of the dataset's header, None where they are not known yet, and the config checked against them.

    Raises ``FaultyInputError``, also where there is no dataset.
    """
    columns = header_of(path)
    known = None if columns is None else known_columns(columns, path.parent)
    config = validate_config(literal, known, readers)
    if not path.is_file():
        raise FaultyInputError(f"{path.name}: not there; run Create_Combined_Pilot_Dataset.py for this pilot first")
    return columns, config


def check_subject_column(path: Path, columns: Container[str]) -> None:
    """Raise ``FaultyInputError`` unless the subjects' ids are among the columns."""
    if SUBJECT_COLUMN not in columns:
        raise FaultyInputError(
            f"{path.name}: no column {SUBJECT_COLUMN!r}; the file is not as Create_Combined_Pilot_Dataset.py writes it"
        )


def header_of(path: Path) -> list[str] | None:
    """The columns of the combined dataset; None where there is none yet, or none that can be read as it was written."""
    try:
        if suffix_of(path) == ".parquet":
            header = BlocksOfParquet(path).columns
        else:
            with path.open(encoding="utf-8-sig", newline="") as file:
                header = next(csv.reader(file), [])
    except (OSError, UnicodeDecodeError, csv.Error, FaultyInputError):
        return None
    return header if SUBJECT_COLUMN in header and len(set(header)) == len(header) else None


def _in_one_piece(texts: pd.Series) -> pd.Series:
    """The column in memory that Arrow's functions, of which several ask for all ids, need no copy of."""
    import pyarrow as pa

    return pd.Series(pd.array(pa.array(texts), dtype="str"), texts.index, name=texts.name, copy=False)


def _n_distinct(subjects: pd.Series) -> int:
    """Number of different ids; a file of this tool has them in rising order, where neighbours tell."""
    import pyarrow as pa

    return len(subjects) if are_rising(pa.array(subjects)) else int(subjects.nunique())
