"""Reading the combined dataset: the columns that the config names, categories as text, numbers as numbers."""

from __future__ import annotations

import csv
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from config import COMBINED_DATASETS
from config.model_settings import KeyReader, PilotConfig, validate_config
from disclosure_control.assess.absent_columns import known_columns
from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN
from disclosure_control.basics.telling.faults import FaultyInputError, at_hand
from disclosure_control.records.domains import DomainReader
from disclosure_control.records.records import EncodedRecords
from disclosure_control.records.store import AllRecords
from disclosure_control.records.text_table import TextTable
from study.formats.parquet_blocks import BlocksOfParquet
from study.formats.tables import suffix_of

__all__ = ["SUBJECT_COLUMN", "CombinedDataset", "checked_config", "header_of"]


@dataclass(frozen=True)
class CombinedDataset:
    """The combined dataset of a pilot: its SHA-256, its subjects, one per row, and access to its columns.

    ``table`` is the whole file as text, column by column; ``domains`` reads the domain files beside it; ``records``
    gives every column record by record, the config's typed. Code that declared to need everyone at once has all
    records: the ``frame`` (n_subjects,) of the config's columns, the ``subjects``' ids, the file as ``text`` and as
    ``typed_table``. ``file`` is its name.
    """

    sha256: str
    n_subjects: int
    table: TextTable
    domains: DomainReader
    records: Callable[[], EncodedRecords]
    at_once: AllRecords | None = field(default=None, repr=False)
    file: str = COMBINED_DATASETS["csv"]

    @classmethod
    def of(cls, frame: pd.DataFrame, subjects: pd.Series, text: pd.DataFrame, sha256: str = "") -> CombinedDataset:
        """That of records in memory: ``frame`` (n_subjects,) of the typed columns, the ids, and the file as text."""
        found = AllRecords(frame, subjects, text)
        return cls(sha256, len(subjects), found.table, DomainReader(), found.encoded, found)

    @property
    def frame(self) -> pd.DataFrame:
        """The config's columns, typed."""
        return at_hand(self.at_once, "the combined dataset").frame

    @property
    def subjects(self) -> pd.Series:
        """The subjects' ids."""
        return at_hand(self.at_once, "the list of all subjects").subjects

    @property
    def text(self) -> pd.DataFrame:
        """The whole file as text."""
        return at_hand(self.at_once, "the combined dataset").text

    @property
    def typed_table(self) -> pd.DataFrame:
        """The whole file, the config's columns typed and the others as text."""
        return at_hand(self.at_once, "the combined dataset").typed_table


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
