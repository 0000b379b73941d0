"""A column as it stands in a file, as numbers or as days."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from study.formats.matches import all_match, any_match, which_match
from study.formats.values import NUMBER_PATTERN, Column

LOOKED_AT = 64  # values of a column that show what it may have
_DAY = r"^\d{4}-\d{2}-\d{2}(?:T|$)"


def days_of(column: pd.Series) -> np.ndarray:
    """The complete dates of a column (n_rows,) as datetime64[D]; NaT for all others."""
    codes, distinct = pd.factorize(column.astype("str").str.slice(0, 10))
    days = pd.to_datetime(pd.Series(distinct, dtype="str"), format="%Y-%m-%d", errors="coerce")
    found: np.ndarray = np.append(days.to_numpy(), np.datetime64("NaT"))[codes].astype("datetime64[D]")
    return found


def day_numbers(days: np.ndarray) -> np.ndarray:
    """Days (n,) as numbers since 1970, NaN where there is none."""
    return np.where(np.isnat(days), np.nan, days.astype("datetime64[D]").astype(float))


def first_days_of(frame: pd.DataFrame, columns: Sequence[str]) -> np.ndarray:
    """The complete date of each row (n_rows,), in the first of the columns that has it; NaT without one."""
    days = np.full(len(frame), np.datetime64("NaT", "D"))
    for column in columns:
        days = np.where(np.isnat(days), days_of(frame[column]), days)
    return days


def days_since_1970(texts: Sequence[str]) -> np.ndarray:
    """Days of ISO 8601 (n,) in days; of one that no calendar has, the first of its year."""
    try:
        return np.array(texts, dtype="datetime64[D]").astype(np.int64)
    except ValueError:
        own = f"{texts[0][:4]}-01-01"
        return days_since_1970([own]) if len(texts) == 1 else np.concatenate([days_since_1970([one]) for one in texts])


def beginning(column: Column) -> pa.Array:
    """The first values of a column that are there."""
    if isinstance(column, np.ndarray):
        return pa.array(column[: LOOKED_AT * 4], from_pandas=True).drop_null().slice(0, LOOKED_AT)
    return column.slice(0, LOOKED_AT * 4).combine_chunks().drop_null().slice(0, LOOKED_AT)


def numbers_of(column: Column | pa.Array) -> np.ndarray | None:
    """A column as numbers, NaN where missing; None if it contains other text, or nothing."""
    if isinstance(column, np.ndarray):
        return column
    if pa.types.is_floating(column.type):
        return np.asarray(column.to_numpy(zero_copy_only=False))
    if column.null_count == len(column) or not all_match(column, NUMBER_PATTERN):
        return None
    return np.asarray(column.cast(pa.float64()).to_numpy(zero_copy_only=False))


def counted(values: np.ndarray, n_records: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """The distinct numbers or days (n_values,), sorted, NaN left out, and how many records have each."""
    is_there = ~np.isnan(values) if n_records is None else ~np.isnan(values) & (n_records > 0)
    distinct, place = np.unique(values[is_there], return_inverse=True)
    weights = None if n_records is None else n_records[is_there]
    return distinct, np.bincount(place, weights, len(distinct)).astype(np.int64)


def days_in(column: Column, n_records: np.ndarray | None) -> tuple[np.ndarray, np.ndarray, list[str]] | None:
    """The distinct days of a column in ISO 8601, since 1970, how many records have each, and as text; None without."""
    if isinstance(column, np.ndarray) or not any_match(beginning(column), _DAY):
        return None
    values = column.combine_chunks()
    is_day = which_match(values, _DAY)
    encoded = pc.utf8_slice_codeunits(values.filter(is_day), 0, 10).dictionary_encode()
    texts = encoded.dictionary.to_pylist()
    weights = None if n_records is None else n_records[is_day.to_numpy(zero_copy_only=False)]
    counts = np.bincount(encoded.indices.to_numpy(), weights, len(texts)).astype(np.int64)
    return days_since_1970(texts), counts, texts
