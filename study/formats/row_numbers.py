"""The row numbers that R and pandas write before the data: a column without a name, or with the name of none."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from disclosure_control.basics.encoding.text_codes import TextCodes
from study.formats.matches import all_match
from study.formats.messages import setting_of, shown_name
from study.formats.tables import ColumnFound, FileOptions

# What pandas, readr and readxl call a column without a name, so that files that went through them twice are known.
_NO_NAME = re.compile(r"|Unnamed: 0(_level_\d+)?|\.\.\.1")
DROP = "drop"


def without_row_numbers(
    columns: Mapping[str, ColumnFound], path: Path, options: FileOptions
) -> tuple[dict[str, ColumnFound], list[str]]:
    """Return the columns without that of the row numbers, and a note if there was one.

    Row numbers are in the first column, have no name, and are whole numbers without repeats: 1 to n, or the rest of
    these after records were removed. Any other column without a name is kept, for ``name_faults`` to refuse, unless the
    config says that such columns are to be dropped.
    """
    kept = dict(columns)
    first = next(iter(kept), "x")
    notes = []
    may_number = may_be_row_numbers(first) and first not in options.keep
    if may_number and (how := _numbering(kept[first])) is not None:
        called = shown_name(first) if first else "without a name"
        notes.append(f"the first column, {called}, contains row numbers ({how}): left out")
        del kept[first]
    if "" in kept and options.unnamed == DROP:
        notes.append(f"the column without a name left out, as declared: {setting_of(path, 'unnamed', DROP)}")
        del kept[""]
    return kept, notes


def may_be_row_numbers(first: str) -> bool:
    """Whether the first column of a file is named as row numbers are."""
    return _NO_NAME.fullmatch(first) is not None


def _numbering(column: ColumnFound) -> str | None:
    """How the rows are numbered, None where these are no row numbers."""
    if isinstance(column, TextCodes):
        return None  # it repeats its texts
    if not isinstance(column, np.ndarray):
        if column.null_count or not all_match(column, r"^\s*\d{1,15}\s*$"):
            return None
        column = pc.utf8_trim_whitespace(column).cast(pa.float64()).to_numpy()
    numbers = np.unique(column)  # NaN comes last
    are_whole = np.isfinite(numbers).all() and (numbers == np.trunc(numbers)).all()
    if not len(numbers) or len(numbers) < len(column) or numbers[0] < 0 or not are_whole:
        return None
    is_whole_range = numbers[-1] - numbers[0] == len(numbers) - 1 and numbers[0] in (0, 1)
    return f"{numbers[0]:.0f} to {numbers[-1]:,.0f}" if is_whole_range else "whole numbers without repeats"
