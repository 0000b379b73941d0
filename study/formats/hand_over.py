"""The combined dataset as door 1 hands it over to door 2 beside its text: the same rows in typed columns of Parquet.

Texts are folded into dictionaries, and a missing value is a null. A column of numbers has numbers; where these do not
say how they were written (``1.0``, ``007``), a column behind it, whose name ends with ``AS_TEXT``, has their texts. The
file says of which text it is, by size and SHA-256. Its values are those that ``delimited_text`` reads from that text.
"""

from __future__ import annotations

import contextlib
import io
import itertools
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, TypeAlias

import pandas as pd
import pyarrow as pa

from disclosure_control.basics.encoding.columns import parse_numbers
from disclosure_control.basics.encoding.text_codes import TextCodes, column_of_codes, known_codes
from disclosure_control.basics.files import sha256_of_file
from study.formats.tables import SourceTable
from study.formats.values import clean_values

if TYPE_CHECKING:
    from pyarrow.parquet import ParquetFile

AS_TEXT = "\ttext"  # no name of a column has a tab
CELLS_OF_GROUP = 1 << 23  # about so many are in a group of records, and in memory beside the dataset
PROBED = 1 << 14  # records, by which it is known whether a column has few texts
# Numbers that everybody writes alike: nine digits at most before the point, four after it.
PLAIN_NUMBER = r"^(?:0|-?[1-9][0-9]{0,8}|-?(?:0|[1-9][0-9]{0,8})\.[0-9]{0,3}[1-9])$"

_UNREADABLE = (pa.ArrowException, OSError, ValueError)

Texts: TypeAlias = pa.DictionaryArray | pa.LargeStringArray


def about_text(n_bytes: int, sha256: str) -> dict[str, str]:
    """Of which text the columns are."""
    return {"n_bytes": str(n_bytes), "sha256": sha256}


# ---------------------------------------------------------------- writing


def typed_bytes(
    pieces: Iterable[pd.DataFrame],
    numbers: Mapping[str, bool],
    about: Mapping[str, str],
    cells_of_group: int = CELLS_OF_GROUP,
) -> Iterator[bytes]:
    """The file, of a table that comes in pieces, at least one, all of it text: the same bytes however it comes.

    ``numbers`` are the columns of numbers, and whether all of a column are a ``PLAIN_NUMBER``; ``about``: the text.
    """
    from pyarrow.parquet import ParquetWriter

    groups = _typed_groups(_groups(pieces, cells_of_group), numbers)
    first = next(groups).replace_schema_metadata(dict(about))
    folded = [field.name for field in first.schema if not pa.types.is_large_string(field.type)]
    passing = _Passing()
    with ParquetWriter(
        passing,
        first.schema,
        compression="lz4",
        write_page_checksum=True,
        use_dictionary=folded,
        write_statistics=False,  # which would show the extremes of values
    ) as writer:
        for group in itertools.chain([first], groups):
            writer.write_table(group.cast(first.schema), row_group_size=max(len(group), 1))
            yield passing.taken()
    yield passing.taken()


def _groups(pieces: Iterable[pd.DataFrame], cells_of_group: int) -> Iterator[pa.Table]:
    """The pieces as groups of as many records each, the last one of those that are left."""
    waiting: pa.Table | None = None
    for piece in pieces:
        table = pa.table({str(name): _as_it_is(column) for name, column in piece.items()})
        waiting = table if waiting is None else pa.concat_tables([waiting, table.cast(waiting.schema)])
        n_records = max(cells_of_group // waiting.num_columns, 1)
        while len(waiting) > n_records:
            yield waiting.slice(0, n_records)
            waiting = waiting.slice(n_records)
    if waiting is not None:
        yield waiting


def _as_it_is(column: pd.Series) -> pa.ChunkedArray:
    """A column of text, folded if it is known by the codes of its texts."""
    if (known := known_codes(column)) is None:
        return pa.chunked_array(pa.array(column, from_pandas=True)).cast(pa.large_string())
    codes = pa.array(known.codes, mask=known.codes < 0)
    return pa.chunked_array([pa.DictionaryArray.from_arrays(codes, known.texts)])


def _typed_groups(groups: Iterable[pa.Table], numbers: Mapping[str, bool]) -> Iterator[pa.Table]:
    """The groups typed. Columns are folded that have few texts at their beginning."""
    folded: set[str] | None = None
    for group in groups:
        if folded is None:
            beginning = {name: _folded(group[name][:PROBED]) for name in group.column_names}
            folded = {name for name, one in beginning.items() if 2 * len(one.dictionary) <= len(one)}
        columns: dict[str, pa.Array] = {}
        for name, column in zip(group.column_names, group.columns, strict=True):
            in_full = None if name in folded else column.cast(pa.large_string()).combine_chunks()
            one = _folded(column) if in_full is None else clean_values(in_full)
            if name in numbers:
                columns[name] = _numbers(one)
            if not numbers.get(name):
                columns[name + AS_TEXT if name in numbers else name] = one
        yield pa.table(columns)


def _folded(column: pa.ChunkedArray) -> pa.DictionaryArray:
    """The texts as they are read again, each in the dictionary once, in the order in which they come."""
    if pa.types.is_dictionary(column.type):
        whole = column.unify_dictionaries().combine_chunks()
        used = whole.indices.dictionary_encode()
        found = pa.DictionaryArray.from_arrays(used.indices, whole.dictionary.take(used.dictionary))
    else:
        found = column.combine_chunks().dictionary_encode()
    cleaned = clean_values(found.dictionary)
    return found if cleaned.equals(found.dictionary) else cleaned.take(found.indices).dictionary_encode()


def _numbers(texts: Texts) -> pa.DoubleArray:
    is_folded = pa.types.is_dictionary(texts.type)
    distinct = pd.Series(pd.array(pa.chunked_array([texts.dictionary if is_folded else texts]), dtype="str"))
    numbers = pa.array(parse_numbers(distinct), from_pandas=True)
    return numbers.take(texts.indices) if is_folded else numbers


class _Passing(io.BytesIO):
    """Takes bytes that are written, to be taken on as they come."""

    _n_taken = 0

    def tell(self) -> int:
        return self._n_taken + super().tell()

    def taken(self) -> bytes:
        """The bytes written since the last call."""
        found = self.getvalue()
        self._n_taken += len(found)
        self.seek(0)
        self.truncate(0)
        return found


# ---------------------------------------------------------------- reading


def read_typed(text: Path, typed: Path) -> SourceTable | None:
    """The table that is in a ``text``, from its ``typed`` columns; None if these are of another text, or not there."""
    try:
        with typed.open("rb") as file:
            if (parquet := _of_text(file, text)) is None:
                return None
            columns, sha256 = _columns(parquet), _said(parquet)["sha256"]
            table = parquet.read(list(columns.values()), use_threads=False)  # they take longer to start than to read
    except _UNREADABLE:  # cut off or damaged: the text is there
        return None
    frame = pd.DataFrame(dict(zip(columns, map(_column, table.columns), strict=True)), copy=False)
    return SourceTable("", text.name, sha256, frame, {}, ())


class DamagedColumnsError(Exception):
    """Typed columns that are damaged behind their beginning: the text is there."""


class BlocksOfTyped:
    """The records of a ``text`` from its ``typed`` columns, some at a time: see ``blocks.Blocks``.

    A column that is stored as codes comes as codes, each block with the texts that are in it, in the order in which
    they come. Raises ``DamagedColumnsError``, also while it is read.
    """

    def __init__(self, text: Path, typed: Path, block_bytes: int):
        self.path, self._typed, self.n_bytes, self.n_bytes_read = text, typed, text.stat().st_size, 0
        with self._opened() as parquet:
            self.columns, self.sha256 = list(_columns(parquet)), _said(parquet)["sha256"]
            self._n_to_read = parquet.metadata.num_rows
        self.n_records, self._n_at_once = 0, max(block_bytes * self._n_to_read // max(self.n_bytes, 1), 1)

    @classmethod
    def of(cls, text: Path, typed: Path, block_bytes: int) -> BlocksOfTyped | None:
        """They, where the columns are there and are those of the text."""
        with contextlib.suppress(*_UNREADABLE, DamagedColumnsError), typed.open("rb") as file:
            return cls(text, typed, block_bytes) if _of_text(file, text) is not None else None
        return None

    @contextlib.contextmanager
    def _opened(self) -> Iterator[ParquetFile]:
        from pyarrow.parquet import ParquetFile

        with self._typed.open("rb") as file:
            try:
                yield ParquetFile(file, page_checksum_verification=True)
            except _UNREADABLE:
                raise DamagedColumnsError from None

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        with self._opened() as parquet:
            columns, n_groups = _columns(parquet), parquet.metadata.num_row_groups
            batches = (parquet.iter_batches(self._n_at_once, [i], list(columns.values())) for i in range(n_groups))
            for batch in itertools.chain.from_iterable(batches):
                self.n_records += batch.num_rows
                self.n_bytes_read = self.n_bytes * self.n_records // self._n_to_read
                yield pa.RecordBatch.from_arrays([_block(one) for one in batch.columns], names=list(columns))


def _said(parquet: ParquetFile) -> dict[str, str]:
    return {key.decode(): value.decode() for key, value in (parquet.schema_arrow.metadata or {}).items()}


def _of_text(file: IO[bytes], text: Path) -> ParquetFile | None:
    """The file as Parquet, if it says that it is of this text."""
    from pyarrow.parquet import ParquetFile

    parquet = ParquetFile(file, page_checksum_verification=True)
    said, n_bytes = _said(parquet), text.stat().st_size
    fits = said.get("n_bytes") == str(n_bytes) and said == about_text(n_bytes, sha256_of_file(text))
    return parquet if fits else None


def _columns(parquet: ParquetFile) -> dict[str, str]:
    """The columns of the text, and by which of its own the file says what is in each."""
    names = parquet.schema_arrow.names
    own = [name for name in names if not name.endswith(AS_TEXT)]
    return {name: name + AS_TEXT if name + AS_TEXT in names else name for name in own}


def _block(values: pa.Array) -> Texts:
    """Some records of a column, as codes of the texts that they have if it is stored as codes or has numbers."""
    if pa.types.is_floating(values.type):
        folded = values.dictionary_encode()
        return pa.DictionaryArray.from_arrays(folded.indices, folded.dictionary.cast(pa.large_string()))
    if not pa.types.is_dictionary(values.type):
        return values.cast(pa.large_string())
    used = values.indices.dictionary_encode()
    return pa.DictionaryArray.from_arrays(used.indices, values.dictionary.take(used.dictionary).cast(pa.large_string()))


def _column(values: pa.ChunkedArray) -> pd.Series:
    """A column of text, encoded if it is stored so, or has numbers."""
    if pa.types.is_floating(values.type):
        values = pa.chunked_array([_block(values.combine_chunks())])
    if not pa.types.is_dictionary(values.type):
        return pd.Series(pd.array(values.cast(pa.large_string()), dtype="str"), copy=False)
    folded = TextCodes.of(values)
    texts = folded.texts.cast(pa.large_string())  # Parquet has one kind of text
    return column_of_codes(texts, TextCodes(folded.codes, texts))
