"""Reading Parquet: text, numbers as float64, dates and truth values as text."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from disclosure_control.basics.files import SourceFile
from disclosure_control.basics.telling.faults import stop_at
from disclosure_control.basics.telling.words import listed
from study.formats.messages import damaged_fault, in_our_words, leave_out_setting, no_record_fault, shown_name
from study.formats.outgoing import FileWriter, OutgoingTable
from study.formats.packed import check_unfolded_size
from study.formats.registry import Format
from study.formats.tables import FileContents, FileOptions
from study.formats.values import LARGEST_EXACT_INTEGER, clean_name, name_faults

if TYPE_CHECKING:
    from pyarrow.parquet import ColumnChunkMetaData, FileMetaData, ParquetFile

_MAGIC = b"PAR1"
UNREADABLE = (pa.ArrowException, OSError, ValueError)
# pandas writes an index without a name under such names; row labels are no data.
INDEX_NAME_BEGINNING, INDEX_NOTE = "__index_level_", "row labels written by pandas left out"

BYTES_OF_VALUE = 8
BY_DIFFERENCE = "DELTA_BYTE_ARRAY"  # text as what differs from the text before
_PACKED_LENGTHS = {BY_DIFFERENCE, "DELTA_LENGTH_BYTE_ARRAY"}
_SMALL_BATCH = 256


def read_parquet(source: SourceFile, options: FileOptions) -> FileContents:
    """Read a Parquet file: integers, decimals and floats as float64, all else as text.

    Integers beyond 2**53, which float64 cannot represent exactly, make their column text. Raises FaultyInputError
    for a file that is cut off or no Parquet file, and for nested columns.
    """
    path = source.path
    table = _opened(source)
    index_names = [name for name in table.column_names if name.startswith(INDEX_NAME_BEGINNING)]
    table = table.drop_columns(index_names)
    names = [clean_name(name) for name in table.column_names]
    values, faults_of_values = values_of(list(zip(names, table.columns, strict=True)), path)
    stop_at([*name_faults(names, path), *faults_of_values, *([] if table.num_rows else [no_record_fault(path)])])
    labels, label = labels_of(table.schema, table.column_names)
    integers = [name for name, column in zip(names, table.columns, strict=True) if pa.types.is_integer(column.type)]
    notes = [INDEX_NOTE] if index_names else []
    return FileContents(values, notes, labels, label=label, types=dict.fromkeys(integers, "integer"))


def values_of(
    columns: Sequence[tuple[str, pa.ChunkedArray]], path: Path
) -> tuple[dict[str, pa.ChunkedArray | np.ndarray], list[str]]:
    """Every named column as text or as float64, and a fault of those that are neither, or text that is not UTF-8."""
    values: dict[str, pa.ChunkedArray | np.ndarray] = {}
    unsupported = []
    for name, column in columns:
        try:
            if holds_text(column.type):
                column.validate(full=True)  # what Arrow reads as text may be any bytes
            values[name] = _as_text_or_numbers(column)
        except (pa.ArrowException, UnicodeError):
            unsupported.append(f"{shown_name(name)} ({_kind(column.type)})")
    if not unsupported:
        return values, []
    return values, [
        f"{path.name}: {len(unsupported)} of {len(columns)} columns are neither text, numbers nor dates: "
        f"{listed(unsupported, at_most=8)}. Write each part of them as a column of its own, text as UTF-8, or "
        f"leave the domain out by {leave_out_setting(path)}."
    ]


def labels_of(schema: pa.Schema, names: Sequence[str]) -> tuple[dict[str, str], str]:
    """The labels of those of these columns that have one, by their clean names, and that of the data set."""
    described = {clean_name(name): _label(schema.field(schema.names.index(name))) for name in names}
    return {name: label for name, label in described.items() if label}, _label(schema)


def _label(described: pa.Field | pa.Schema) -> str:
    return clean_name(((described.metadata or {}).get(b"label") or b"").decode(errors="ignore"))


def _opened(source: SourceFile) -> pa.Table:
    """The table of a file, text folded as the file folds it. Raises FaultyInputError before it fills the memory."""
    from pyarrow.parquet import ParquetFile

    with in_our_words(damaged_parquet(source.path, source.content.startswith(_MAGIC)), *UNREADABLE):
        file = ParquetFile(pa.BufferReader(source.content))
        chunks = chunks_of(file.metadata)
        _check_size(source, bytes_by_account(file.metadata))
        # Text may be stored as differences from the text before, whose length is known only after reading.
        by_difference = {chunk.path_in_schema for chunk in chunks if BY_DIFFERENCE in chunk.encodings}
        n_bytes = 0
        for batch in file.iter_batches(_SMALL_BATCH, columns=sorted(by_difference)) if by_difference else ():
            n_bytes += batch.nbytes
            _check_size(source, n_bytes)
        folded = folded_columns(file)
        table = ParquetFile(pa.BufferReader(source.content), read_dictionary=folded).read()
        _check_size(source, sum(map(_unfolded_bytes, table.columns)))
        return table


def folded_columns(file: ParquetFile) -> list[str]:
    """The text columns that can be read as dictionaries: Arrow cannot where lengths are packed."""
    packed = {chunk.path_in_schema for chunk in chunks_of(file.metadata) if _PACKED_LENGTHS & set(chunk.encodings)}
    return [field.name for field in file.schema_arrow if is_text(field.type) and field.name not in packed]


def damaged_parquet(path: Path, is_parquet: bool = True) -> str:
    """The fault of a file that cannot be read, which begins as a Parquet file or not."""
    return damaged_fault(path, "the file is cut off or damaged" if is_parquet else "the file is not a Parquet file")


def chunks_of(metadata: FileMetaData) -> list[ColumnChunkMetaData]:
    """The file's statistics of each column within each group of its records."""
    groups = map(metadata.row_group, range(metadata.num_row_groups))
    return [group.column(column) for group in groups for column in range(metadata.num_columns)]


def bytes_by_account(metadata: FileMetaData) -> int:
    """How much a file contains by its own account: its pages, and eight bytes for every value."""
    return sum(max(one.total_uncompressed_size, BYTES_OF_VALUE * one.num_values) for one in chunks_of(metadata))


def _unfolded_bytes(column: pa.ChunkedArray) -> int:
    """Bytes of a column with a text per record: a file may store one long text for a million records."""
    if not pa.types.is_dictionary(column.type) or not is_text(column.type.value_type):
        return int(column.nbytes)
    return sum(
        BYTES_OF_VALUE * len(chunk) + (pc.sum(pc.binary_length(chunk.dictionary).take(chunk.indices)).as_py() or 0)
        for chunk in column.chunks
    )


def is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def holds_text(kind: pa.DataType) -> bool:
    """Whether a column has text, folded or not."""
    return is_text(kind.value_type if pa.types.is_dictionary(kind) else kind)


def _check_size(source: SourceFile, n_bytes: int) -> None:
    check_unfolded_size(source.path, len(source.content), n_bytes)


def _as_text_or_numbers(column: pa.ChunkedArray) -> pa.ChunkedArray | np.ndarray:
    """Return a column as text or as float64; raise ArrowException where it is neither."""
    if isinstance(column.type, pa.BaseExtensionType):
        column = column.cast(column.type.storage_type)
    if pa.types.is_dictionary(column.type):
        column = _unfolded(column)
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


def _unfolded(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The values of a dictionary column; text as large text, of which a chunk may exceed 2 GB."""
    kind = pa.large_string() if is_text(column.type.value_type) else column.type.value_type
    return pa.chunked_array([chunk.dictionary.cast(kind).take(chunk.indices) for chunk in column.chunks], type=kind)


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
    if holds_text(kind):
        return "text that is not UTF-8"
    return "nested" if pa.types.is_nested(kind) else str(kind)[:30]


def write_parquet(table: OutgoingTable) -> bytes:
    """A Parquet file: text, doubles, and whole numbers where the source had such; labels with each column.

    No statistics, which would show extremes of values.
    """
    from pyarrow import parquet

    names = [str(name) for name in table.frame]
    arrays = [_written(table, name) for name in names]
    labels: list[dict[str | bytes, str | bytes]] = [{"label": table.labels.get(name, "")} for name in names]
    fields = [pa.field(n, a.type, metadata=label) for n, a, label in zip(names, arrays, labels, strict=True)]
    content = io.BytesIO()
    written = pa.Table.from_arrays(arrays, schema=pa.schema(fields, metadata={"label": table.label}))
    parquet.write_table(written, content, write_statistics=False, store_schema=True)
    return content.getvalue()


def _written(table: OutgoingTable, name: str) -> pa.Array:
    values = pa.array(table.frame[name], from_pandas=True)
    is_whole = table.types.get(name) == "integer" and table.data_type(name) == "integer"
    return values.cast(pa.int64()) if is_whole else values


FORMAT = Format(
    readers={".parquet": read_parquet},
    documentation="Parquet",
    place=4,
    writers={"parquet": FileWriter(".parquet", write_parquet)},
)
