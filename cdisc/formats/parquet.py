"""Reading Parquet: text, numbers as float64, dates and truth values as text."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cdisc.formats.messages import leave_out_setting, no_record_fault, shown_name
from cdisc.formats.registry import Format
from cdisc.formats.tables import FileContents, FileOptions
from cdisc.formats.values import LARGEST_EXACT_INTEGER, clean_cells, clean_name, declared_missing, name_faults
from disclosure_control.basics.faults import FaultyInputError
from disclosure_control.basics.files import SourceFile
from disclosure_control.basics.words import listed

_MAGIC = b"PAR1"
# pandas writes an index without a name under such names; row labels are no data.
_INDEX_NAME_BEGINNING = "__index_level_"


def read_parquet(source: SourceFile, options: FileOptions) -> FileContents:
    """Read a Parquet file: integers, decimals and floats as float64, all else as text.

    Integers beyond 2**53, which float64 cannot hold exactly, make their column text. Raises FaultyInputError
    for a file that is cut off or no Parquet file, and for nested columns.
    """
    path = source.path
    table = _opened(source)
    notes = []
    index_names = [name for name in table.column_names if name.startswith(_INDEX_NAME_BEGINNING)]
    if index_names:
        table = table.drop_columns(index_names)
        notes.append("row labels written by pandas left out")
    names = [clean_name(name) for name in table.column_names]
    faults = name_faults(names, path)
    missing = declared_missing(options.missing)
    values: dict[str, pa.ChunkedArray | np.ndarray] = {}
    unsupported = []
    for name, column in zip(names, table.columns, strict=True):
        try:
            values[name] = clean_cells(_as_text_or_numbers(column), missing)
        except (pa.ArrowException, UnicodeError):
            unsupported.append(f"{shown_name(name)} ({_kind(column.type)})")
    if unsupported:
        faults.append(
            f"{path.name}: {len(unsupported)} of {len(names)} columns hold neither text, numbers nor dates: "
            f"{listed(unsupported, at_most=8)}. Write each part of them as a column of its own, or leave the "
            f"domain out by {leave_out_setting(path)}."
        )
    if table.num_rows == 0:
        faults.append(no_record_fault(path))
    if faults:
        raise FaultyInputError(faults)
    return FileContents(values, notes)


def _opened(source: SourceFile) -> pa.Table:
    import pyarrow.parquet

    try:
        return pyarrow.parquet.ParquetFile(pa.BufferReader(source.content)).read()
    except (pa.ArrowException, OSError, ValueError):
        what = "is cut off or damaged" if source.content.startswith(_MAGIC) else "is not a Parquet file"
        raise FaultyInputError(
            f"{source.name}: the file {what}. Copy or export it again, or leave the domain out by "
            f"{leave_out_setting(source.path)}."
        ) from None


def _as_text_or_numbers(column: pa.ChunkedArray) -> pa.ChunkedArray | np.ndarray:
    """Return a column as text or as float64; raise ArrowException where it is neither."""
    if isinstance(column.type, pa.BaseExtensionType):
        column = column.cast(column.type.storage_type)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    kind = column.type
    if pa.types.is_integer(kind) or pa.types.is_decimal(kind) or pa.types.is_floating(kind):
        return _numbers(column)
    if pa.types.is_boolean(kind):
        return pc.if_else(column, "True", "False")
    if pa.types.is_timestamp(kind):
        return _iso_moments(column)
    if pa.types.is_time(kind):
        return _without_zero_fraction(column.cast(pa.large_string()))
    if pa.types.is_nested(kind) or pa.types.is_duration(kind):
        raise pa.ArrowTypeError("neither text nor a number")
    return column.cast(pa.large_string())


def _numbers(column: pa.ChunkedArray) -> pa.ChunkedArray | np.ndarray:
    kind = column.type
    is_integral = pa.types.is_integer(kind) or (pa.types.is_decimal(kind) and kind.scale <= 0)
    if is_integral and column.null_count < len(column):
        smallest, largest = pc.min_max(column).as_py().values()
        if max(-smallest, largest) > LARGEST_EXACT_INTEGER:
            return column.cast(pa.large_string())
    return column.cast(pa.float64(), safe=False).to_numpy()


def _iso_moments(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return time stamps as ISO text, as dates where all of them are midnights, in the time zone of the column."""
    days = pc.floor_temporal(column, unit="day")
    if pc.all(pc.equal(days, column)).as_py() is not False:
        return pc.strftime(column, format="%Y-%m-%d")
    zone = "%z" if column.type.tz else ""
    return _without_zero_fraction(pc.strftime(column, format=f"%Y-%m-%dT%H:%M:%S{zone}"))


def _without_zero_fraction(times: pa.ChunkedArray) -> pa.ChunkedArray:
    # Fractions of a second that are all zero are a matter of the type, not of the data.
    return pc.replace_substring_regex(times, pattern=r"\.0+($|[+-])", replacement=r"\1")


def _kind(kind: pa.DataType) -> str:
    return "nested" if pa.types.is_nested(kind) else str(kind)[:30]


FORMAT = Format(readers={".parquet": read_parquet}, documentation="Parquet", place=4)
