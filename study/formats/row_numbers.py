"""The row numbers that R and pandas write before the data: a column without a name, or with the name of none."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from disclosure_control.basics.encoding.text_codes import TextCodes
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
        notes.append(f"the first column, {_called(first)}, contains row numbers ({how}): left out")
        del kept[first]
    if "" in kept and options.unnamed == DROP:
        notes.append(f"the column without a name left out, as declared: {setting_of(path, 'unnamed', DROP)}")
        del kept[""]
    return kept, notes


def may_be_row_numbers(first: str) -> bool:
    """Whether the first column of a file is named as row numbers are."""
    return _NO_NAME.fullmatch(first) is not None


def _called(name: str) -> str:
    return shown_name(name) if name else "without a name"


def _numbering(column: ColumnFound) -> str | None:
    """How the rows are numbered, None where these are no row numbers."""
    if isinstance(column, TextCodes):
        return None  # it repeats its texts
    if isinstance(column, np.ndarray):
        column = pa.array(column, from_pandas=True)
    elif column.null_count or not pc.all(pc.match_substring_regex(column, r"^\s*\d{1,15}\s*$")).as_py():
        return None
    try:
        numbers = pc.cast(pc.utf8_trim_whitespace(column), pa.int64()) if _is_text(column) else column.cast(pa.int64())
    except pa.ArrowInvalid:
        return None
    if not len(numbers) or numbers.null_count or pc.count_distinct(numbers).as_py() != len(numbers):
        return None
    low, high = pc.min_max(numbers).as_py().values()
    if low < 0:
        return None
    is_whole_range = high - low == len(numbers) - 1 and low in (0, 1)
    return f"{low} to {high:,}" if is_whole_range else "whole numbers without repeats"


def _is_text(column: pa.ChunkedArray | pa.Array) -> bool:
    return bool(pa.types.is_string(column.type) or pa.types.is_large_string(column.type))
