"""A Parquet domain file, read some records at a time, with the same result as reading it whole.

The meaning of a column depends on all of its values: whole numbers become text if one of them is too large, times
become dates if all are midnights. So each value is represented by a text, and read once the distinct ones are known.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from disclosure_control.basics.telling.faults import FaultyInputError, stop_at
from study.formats.messages import in_our_words
from study.formats.packed import check_unfolded_size
from study.formats.parquet import (
    BY_DIFFERENCE,
    BYTES_OF_VALUE,
    INDEX_NAME_BEGINNING,
    INDEX_NOTE,
    UNREADABLE,
    bytes_by_account,
    chunks_of,
    damaged_parquet,
    folded_columns,
    is_text,
    labels_of,
    values_of,
)
from study.formats.row_numbers import may_be_row_numbers
from study.formats.tables import FileContents
from study.formats.values import clean_name

_WHOLE = {8: pa.int8(), 16: pa.int16(), 32: pa.int32(), 64: pa.int64()}


def parquet_as_text(path: Path) -> int:
    """About how many bytes a Parquet file would have as text, by its own account; its size where it has none."""
    from pyarrow.parquet import read_metadata

    try:
        return bytes_by_account(read_metadata(path))
    except UNREADABLE:
        return path.stat().st_size


def can_be_read_in_pieces(path: Path) -> bool:
    """Whether a Parquet file can: its columns contain plain values, and nothing requires a look at the whole file.

    Not if names are faulty or may be those of row numbers, or if text is stored as differences from the previous text,
    whose length is known only after reading. A file that is not Parquet is left to the reader of whole files.
    """
    from pyarrow.parquet import ParquetFile

    try:
        with path.open("rb") as file:
            parquet = ParquetFile(file)
            names = [clean_name(name) for name in _names(parquet.schema_arrow)]
            types = [parquet.schema_arrow.field(name).type for name in _names(parquet.schema_arrow)]
            encodings = {encoding for chunk in chunks_of(parquet.metadata) for encoding in chunk.encodings}
            has_records = parquet.metadata.num_rows > 0
    except (*UNREADABLE, KeyError):
        return False
    are_names = bool(names) and "" not in names and len(set(names)) == len(names) and not may_be_row_numbers(names[0])
    return has_records and are_names and all(map(_is_plain, types)) and BY_DIFFERENCE not in encodings


class BlocksOfParquetDomain:
    """The records of a file that can be read in pieces: iterate once, then ask for ``sha256`` and ``contents``.

    Each block is a table of text: see ``blocks.Blocks``.
    """

    n_empty_end = 0

    def __init__(self, path: Path, block_bytes: int):
        from pyarrow.parquet import ParquetFile

        self.path, self.block_bytes = path, block_bytes
        self.sha256, self.n_records, self.n_bytes_read = "", 0, 0
        with path.open("rb") as file, in_our_words(damaged_parquet(path), *UNREADABLE):
            parquet = ParquetFile(file)
            self.schema, self.n_bytes = parquet.schema_arrow, bytes_by_account(parquet.metadata)
            self._folded = folded_columns(parquet)
        check_unfolded_size(path, path.stat().st_size, self.n_bytes)
        self._names = _names(self.schema)
        self.columns = [clean_name(name) for name in self._names]

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        from pyarrow.parquet import ParquetFile

        with self.path.open("rb") as file, in_our_words(damaged_parquet(self.path), *UNREADABLE):
            before = os.fstat(file.fileno())
            self.sha256 = hashlib.file_digest(file, "sha256").hexdigest()
            parquet = ParquetFile(file, read_dictionary=self._folded)
            n_rows = parquet.metadata.num_rows
            n_at_once = max(self.block_bytes * n_rows // max(self.n_bytes, 1), 1)
            for batch in parquet.iter_batches(n_at_once, columns=self._names):
                self.n_records += batch.num_rows
                self.n_bytes_read = self.n_bytes * self.n_records // n_rows
                texts = [_as_text(batch.column(name)) for name in self._names]
                yield pa.RecordBatch.from_arrays(texts, self.columns)
            after = os.fstat(file.fileno())
            if (after.st_size, after.st_mtime_ns) != (before.st_size, before.st_mtime_ns):
                raise FaultyInputError(f"{self.path.name}: the file changed while it was read; run again")

    def contents(self, distinct: Mapping[str, pa.Array], n_records: Mapping[str, np.ndarray]) -> FileContents:
        """The content of the file, from the ``distinct`` texts of each column's blocks and their counts."""
        columns, n_bytes = [], 0
        for name, stored in zip(self.columns, self._names, strict=True):
            kind = self.schema.field(stored).type
            typed = _from_text(distinct[name], kind)
            lengths = pc.fill_null(pc.binary_length(typed), 0).to_numpy() if is_text(typed.type) else 0
            n_bytes += int(((BYTES_OF_VALUE + lengths) * n_records[name]).sum())
            columns.append((name, pa.chunked_array([typed])))
        check_unfolded_size(self.path, self.path.stat().st_size, n_bytes)
        values, faults = values_of(columns, self.path)
        stop_at(faults)
        notes = [INDEX_NOTE] if len(self._names) < len(self.schema.names) else []
        labels, label = labels_of(self.schema, self._names)
        return FileContents(values, notes, labels, label=label, n_records=n_records)


def _names(schema: pa.Schema) -> list[str]:
    return [name for name in schema.names if not name.startswith(INDEX_NAME_BEGINNING)]


def _is_plain(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        return is_text(kind.value_type)
    if _is_told_by_text(kind) or pa.types.is_boolean(kind) or pa.types.is_decimal128(kind):
        return True
    is_number = pa.types.is_integer(kind) or pa.types.is_floating(kind)
    return is_number or pa.types.is_date(kind) or pa.types.is_time(kind) or pa.types.is_timestamp(kind)


def _is_told_by_text(kind: pa.DataType) -> bool:
    return is_text(kind) or bool(pa.types.is_null(kind))


def _as_text(column: pa.Array) -> pa.Array:
    """Each value as a text of its own, missing ones missing; text folded, as in the file."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        return _folded(column)
    if pa.types.is_boolean(kind) or pa.types.is_decimal(kind) or _is_told_by_text(kind):
        return column.cast(pa.large_string())
    return column.view(_WHOLE[kind.bit_width]).cast(pa.large_string())


def _from_text(texts: pa.Array, kind: pa.DataType) -> pa.Array:
    """The values from the texts of ``_as_text``."""
    if pa.types.is_dictionary(kind) or _is_told_by_text(kind):
        return texts
    if pa.types.is_boolean(kind) or pa.types.is_decimal(kind):
        return texts.cast(kind)
    return texts.cast(_WHOLE[kind.bit_width]).view(kind)


def _folded(column: pa.DictionaryArray) -> pa.DictionaryArray:
    """The column with those texts alone that some record has, each once."""
    is_missing = column.is_null().to_numpy(zero_copy_only=False)
    code = column.indices.fill_null(0).to_numpy()
    is_used = np.zeros(len(column.dictionary), dtype=bool)
    is_used[code[~is_missing]] = True
    texts = column.dictionary.filter(pa.array(is_used)).cast(pa.large_string()).dictionary_encode()
    place = np.zeros(len(is_used) + 1, dtype=np.int32)
    place[:-1][is_used] = texts.indices.to_numpy()
    return pa.DictionaryArray.from_arrays(pa.array(place[code], mask=is_missing), texts.dictionary)
