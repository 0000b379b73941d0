"""What a config declares about a file, what a reader finds in it, and the table that comes of both."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    import pyarrow as pa


@dataclass(frozen=True)
class FileOptions:
    """What the config declares about one file; None means: guess, and say so. ``numbers``: columns of numbers alone."""

    delimiter: str | None = None
    encoding: str | None = None
    decimal: str | None = None
    missing: tuple[str, ...] | None = None
    numbers: tuple[str, ...] = ()


NOTHING_DECLARED = FileOptions()


@dataclass(frozen=True)
class FileContents:
    """What a reader finds: cleaned columns by name, (n_records,) each, text as Arrow arrays and numbers as float64.

    ``notes`` says what was guessed; ``labels`` maps columns to labels where the format has them.
    """

    columns: Mapping[str, pa.ChunkedArray | np.ndarray]
    notes: Sequence[str]
    labels: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class SourceTable:
    """One domain file as it was read.

    ``sha256`` is of the very bytes that were parsed. ``frame`` has a RangeIndex in the order of the file; text columns
    have pandas' default ``str`` dtype with missing as NaN and never ``''``, numeric columns are float64. Columns of CSV
    files are all text. ``labels`` maps columns to labels where the format has them. ``notes`` says what was guessed.
    """

    domain: str
    file_name: str
    sha256: str
    frame: pd.DataFrame
    labels: Mapping[str, str]
    notes: tuple[str, ...]


def domain_of(path: Path) -> str:
    """Return the domain that a file holds: its stem in capitals."""
    return unicodedata.normalize("NFC", path.stem).strip().upper()
