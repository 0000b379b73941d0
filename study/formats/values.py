"""Column names and values as every reader passes them on: normalised, trimmed, blanks missing.

The distinct values of a column are cleaned, and a column in which nothing had to change is passed on unchanged: most
columns of a clinical data set repeat a few clean values.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from disclosure_control.basics.encoding.text_codes import TextCodes, column_of_codes
from disclosure_control.basics.telling.words import counted, listed
from study.formats.messages import setting_of, shown_name

Column: TypeAlias = pa.ChunkedArray | np.ndarray  # texts or numbers (n_values,)
NUMBER_PATTERN = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"
COMPARATOR = r"(?:[<>]=?|[≤≥])"  # before the limit of a measurement
_DASH = (r"^[\x{2010}-\x{2015}\x{2212}\x{FE63}\x{FF0D}]([.,]?\d)", r"-\1")  # as print has a minus: −99
# What no reader of a text sees: soft hyphens, blanks of no width, directions, tags; joiners join letters that are not
# Latin. And every blank: no-break, thin, ideographic.
_UNSEEN = (
    (
        r"[\x{AD}\x{180E}\x{200B}\x{200E}\x{200F}\x{202A}-\x{202E}\x{2060}-\x{2064}\x{2066}-\x{206F}"
        r"\x{FEFF}\x{FFF9}-\x{FFFB}\x{E0000}-\x{E007F}]",
        "",
    ),
    (r"(^|[\x00-\x{24F}])[\x{200C}\x{200D}]+", r"\1"),
    (r"\p{Zs}", " "),
)
MOST_COLUMNS = 20_000
# Above this, float64 no longer represents every integer.
LARGEST_EXACT_INTEGER = 2**53


def clean_name(name: str) -> str:
    """Return a column name in Unicode NFC without blanks around it."""
    return unicodedata.normalize("NFC", name).strip()


def with_repeats_numbered(names: Sequence[str]) -> list[str]:
    """The names; those that an export of REDCap with labels repeats get a number: ``Complete? (2)``.

    There, each form has a column ``Complete?``, and two fields may have one label. In other files a repeat is a fault.
    """
    if "Complete?" not in names:
        return list(names)
    n_before = [list(names[:place]).count(name) for place, name in enumerate(names)]
    return [f"{name} ({n + 1})" if n else name for name, n in zip(names, n_before, strict=True)]


def has_value(column: pa.Array | pa.ChunkedArray) -> np.ndarray:
    """Whether each text (n,) of a column, encoded or not, has more than blanks."""
    n_characters = pc.binary_length(pc.utf8_trim_whitespace(column.cast(pa.large_string())))
    found: np.ndarray = pc.fill_null(n_characters, 0).to_numpy() > 0
    return found


def n_without_empty_end(records: pa.Table | pa.RecordBatch) -> int:
    """Return the number of records without empty ones at the end: bare delimiters of a spreadsheet.

    In a file of one column an empty record is a missing value and stays.
    """
    n_rows, columns = int(records.num_rows), records.columns
    if not n_rows or len(columns) == 1 or any(has_value(column[-1:])[0] for column in columns):
        return n_rows
    is_there = np.logical_or.reduce([has_value(column) for column in columns])
    return int(np.flatnonzero(is_there)[-1]) + 1 if is_there.any() else 0


def name_faults(
    names: Sequence[str],
    path: Path,
    show_names: bool = True,
    first_may_be_unnamed: bool = False,
    left_out: Collection[int] = (),
    header_row: int = 3,
) -> list[str]:
    """Return the faults of a file's column names: empty ones, and repeated ones.

    ``show_names=False`` shows positions only, for a first line that may not be a header at all.
    ``first_may_be_unnamed``: a first column without a name is judged by its values, by ``without_row_numbers``.
    ``left_out``: places, from 0, of columns that are not handed on. ``header_row``: where the headings may be instead.
    """
    if len(names) > MOST_COLUMNS:
        return [
            f"{path.name}: {len(names):,} columns; up to {MOST_COLUMNS:,} are allowed. Put measurements below each "
            "other, one in a row with its name, or keep the columns that the study needs."
        ]
    faults = []
    positions: dict[str, list[int]] = {}
    is_judged_later = first_may_be_unnamed and not names[0]
    for place, name in enumerate(names):
        if place not in left_out and (place or not is_judged_later):
            positions.setdefault(name, []).append(place + 1)
    if "" in positions:
        empty = positions.pop("")
        where = listed(map(str, empty), at_most=8)
        if first_may_be_unnamed:
            setting = setting_of(path, "header_row", header_row)
            otherwise = f"if the headings are in another row, give its number: {setting}."
        else:
            otherwise = f"a first column without a name is left out by {setting_of(path, 'unnamed', 'drop')}."
        faults.append(
            f"{path.name}: {counted(len(empty), 'column')} without a name (position {where} of {len(names)}). "
            f"Give every column a name, or remove the column; {otherwise}"
        )
    for name, places in positions.items():
        if len(places) > 1:
            # Without a header the first record is read as names, and an id must not be shown.
            may_be_value = not show_names or any(letter.isdigit() for letter in name)
            which = "that is not shown because it may be a value" if may_be_value else shown_name(name)
            faults.append(
                f"{path.name}: {len(places)} columns have the name {which} "
                f"(positions {listed(map(str, places), at_most=8)}); a name may stand once. Rename or remove "
                "the others, or put a header first if there is none."
            )
    return faults


def declared_missing(tokens: Iterable[str] | None) -> frozenset[str]:
    """Return the tokens declared to mean missing, in the form that cleaned values have."""
    return frozenset(clean_name(token) for token in tokens or ())


def clean_text(column: pa.ChunkedArray | pa.Array) -> pa.ChunkedArray:
    """Return a text column as ``clean_values`` does."""
    column = as_large_text(column)
    distinct = pc.unique(column)
    cleaned = clean_values(distinct)
    return column if cleaned.equals(distinct) else cleaned.take(pc.index_in(column, value_set=distinct))


def clean_values(values: pa.Array, missing: frozenset[str] = frozenset()) -> pa.Array:
    """Return text values in Unicode NFC, trimmed, with blanks and declared tokens missing.

    Characters that nobody sees are removed, and every kind of blank becomes a plain one: texts that look alike are one.
    """
    if not pc.all(pc.string_is_ascii(values)).as_py():
        values = pc.utf8_normalize(values, form="NFC")
        for pattern, instead in (*_UNSEEN, _DASH):
            values = pc.replace_substring_regex(pc.utf8_trim_whitespace(values), pattern, instead)
    values = pc.utf8_trim_whitespace(values)
    to_missing = pa.array(sorted(missing | {""}), type=values.type)
    return pc.if_else(pc.is_in(values, value_set=to_missing), pa.scalar(None, type=values.type), values)


def n_records_of(which: pa.ChunkedArray | pa.Array, n_records: np.ndarray | None) -> int:
    """How many records the chosen values (n_values,) represent; ``n_records`` (n_values,) is the number for each."""
    if n_records is None:
        return int(pc.sum(which).as_py() or 0)
    return int(n_records[pc.fill_null(which, False).to_numpy(zero_copy_only=False)].sum())


def as_large_text(column: pa.ChunkedArray | pa.Array) -> pa.ChunkedArray:
    """Return a text column as the type behind pandas' text, which has no 2 GB limit."""
    if isinstance(column, pa.Array):
        column = pa.chunked_array([column])
    return column.cast(pa.large_string())


def clean_numbers(values: np.ndarray, missing: frozenset[str] = frozenset()) -> np.ndarray:
    """Return numbers as float64 with declared tokens missing, where a token is a number: '-99' is -99.0."""
    values = np.asarray(values, dtype=np.float64)
    tokens = [float(token) for token in missing if pc.match_substring_regex(token, NUMBER_PATTERN).as_py()]
    return np.where(np.isin(values, tokens), np.nan, values) if tokens else values


def frame_of(
    columns: Mapping[str, pa.ChunkedArray | np.ndarray], encoded: Mapping[str, TextCodes | None] = MappingProxyType({})
) -> pd.DataFrame:
    """Return the table of a file from its columns, text as Arrow arrays and numbers as float64 arrays.

    ``encoded``: columns whose texts are replaced by others, the missing one last.
    """
    series = {}
    for name, values in columns.items():
        codes = encoded.get(name)
        if isinstance(values, np.ndarray):
            series[name] = pd.Series(values, copy=False)
        elif codes is not None:
            series[name] = column_of_codes(values.combine_chunks()[:-1], codes)
        else:
            series[name] = pd.Series(pd.array(values, dtype="str"), copy=False)
    return pd.DataFrame(series, copy=False)
