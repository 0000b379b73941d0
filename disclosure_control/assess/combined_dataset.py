"""Reading the combined dataset: the columns that the config names, categories as text, numbers as numbers."""

from __future__ import annotations

import csv
from collections.abc import Container, Mapping
from pathlib import Path

from config.model_settings import KeyReader, PilotConfig, validate_config
from disclosure_control.assess.absent_columns import known_columns
from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.records.store import CombinedDataset

__all__ = ["SUBJECT_COLUMN", "CombinedDataset", "checked_config", "header_of"]


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
        with path.open(encoding="utf-8-sig", newline="") as file:
            header = next(csv.reader(file), [])
    except (OSError, UnicodeDecodeError, csv.Error):
        return None
    return header if SUBJECT_COLUMN in header and len(set(header)) == len(header) else None
