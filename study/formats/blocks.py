"""A combined dataset that may not fit in memory, opened by its suffix: text, or Parquet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pyarrow as pa

from study.formats.delimited_blocks import BlocksOfText, CutText, RangeOfText
from study.formats.parquet_blocks import BlocksOfParquet, CutParquet, RangeOfParquet, bytes_as_text
from study.formats.tables import suffix_of


class Range(Protocol):
    """Whole records of a file: iterate ``kept`` once.

    Each block is a table of text with the file's ``columns``, of about ``block_bytes`` of text. ``n_bytes_read`` of
    ``n_bytes`` are read. ``kept`` leaves out empty records at the end, ``n_empty_end``, and those with another number
    of fields, ``n_fields_of_ragged``.
    """

    path: Path
    block_bytes: int
    columns: list[str]
    n_records: int
    n_bytes: int
    n_bytes_read: int
    n_empty_end: int
    n_fields_of_ragged: Counter[int]

    def kept(self) -> Iterator[pa.RecordBatch]: ...


class Blocks(Range, Protocol):
    """All records of a file, some at a time: iterate once, then ask for ``sha256`` and ``n_records``."""

    sha256: str

    def __iter__(self) -> Iterator[pa.RecordBatch]: ...


class Cut(Protocol):
    """A file cut into ranges of whole records: iterate once for (start, length); ``sha256`` is there at the end."""

    sha256: str

    def __iter__(self) -> Iterator[tuple[int, int]]: ...


@dataclass(frozen=True)
class FileKind:
    """A kind of file: ``blocks`` of it, a ``range`` of it, how it is ``cut``, and how long it is as text."""

    blocks: Callable[[Path, int], Blocks]
    range: Callable[[Path, list[str], int, int, int], Range]
    cut: Callable[[Path, int], Cut]
    bytes_as_text: Callable[[Path], int]


_TEXT = FileKind(BlocksOfText, RangeOfText, CutText, lambda path: path.stat().st_size)
_KINDS = {".parquet": FileKind(BlocksOfParquet, RangeOfParquet, CutParquet, bytes_as_text)}


def kind_of(path: Path) -> FileKind:
    """The kind of a file by its suffix; text for any other suffix."""
    return _KINDS.get(suffix_of(path), _TEXT)
