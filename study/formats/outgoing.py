"""What a writer is given: one data set as it leaves, with the descriptions of its variables."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import numpy as np
import pandas as pd

from disclosure_control.basics.encoding.columns import number_text

# The creation date in a file: the moment of the release, never that of the source.
Moment = datetime


@dataclass(frozen=True)
class OutgoingTable:
    """One data set to be written: ``name`` in capitals, ``label``, and the ``frame`` (n_records, n_columns).

    Columns are text (missing as NaN) or float64. ``labels`` maps columns to labels, ``types`` to the data types of
    Dataset-JSON where they are known; ``study`` and ``created`` may be in a header.
    """

    name: str
    label: str
    frame: pd.DataFrame = field(repr=False)
    labels: Mapping[str, str]
    study: str
    created: Moment
    types: Mapping[str, str] = field(default_factory=dict)

    def data_type(self, column: str) -> str:
        """The data type of a column as Dataset-JSON names it: that of the source where the values still are of it."""
        values, known = self.frame[column], self.types.get(column, "")
        if values.dtype.kind != "f":
            return known if known in ("date", "datetime", "time") and _are_all(values, known) else "string"
        numbers = values.to_numpy()
        is_whole = bool(np.all(np.isnan(numbers) | (numbers == np.trunc(numbers))))
        if is_whole and known in ("", "integer"):
            return "integer"
        return known if known in ("float", "double") else "double"

    def length(self, column: str) -> int:
        """The most letters of a value, 1 at least; numbers count as written."""
        distinct = self.frame[column].dropna().drop_duplicates()
        texts = distinct if distinct.dtype.kind != "f" else distinct.map(number_text).astype("str")
        return max(1, int(texts.str.len().max())) if len(texts) else 1

    def decimals(self, column: str) -> int:
        """The most digits after the decimal point in a column of numbers, as written."""
        texts = self.frame[column].dropna().drop_duplicates().map(number_text).astype("str")
        decimals = [len(text.partition(".")[2].partition("e")[0]) for text in texts]
        return max(decimals, default=0)


def _are_all(values: pd.Series, kind: str) -> bool:
    patterns = {
        "date": r"\d{4}-\d\d-\d\d",
        "datetime": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?",
        "time": r"\d\d:\d\d:\d\d(\.\d+)?",
    }
    return bool(values.dropna().drop_duplicates().str.fullmatch(patterns[kind]).all())


# Gives the bytes of a file. Raises FaultyInputError if the format cannot represent the table; messages name no value.
Writer = Callable[[OutgoingTable], bytes]


@dataclass(frozen=True)
class FileWriter:
    """How a format is written: the ``suffix`` of its files, and whether spreadsheets open them and run formulas.

    ``write_rows`` gives the bytes of some rows, with a header or without: of formats that are written part by part.
    """

    suffix: str
    write: Writer
    opened_by_spreadsheets: bool = False
    write_rows: Callable[[pd.DataFrame, bool], bytes] | None = None


def bytes_of_file(write: Callable[[Path], None]) -> bytes:
    """What ``write`` puts into a file: for libraries that write to a path alone; nobody else may read it meanwhile.

    A file in memory where the system has such: no full disk cuts it off, and of a run that is killed nothing stays.
    """
    if hasattr(os, "memfd_create"):
        with os.fdopen(os.memfd_create("data"), "rb") as file:
            write(Path(f"/proc/self/fd/{file.fileno()}"))
            return file.read()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data"
        write(path)
        return path.read_bytes()
