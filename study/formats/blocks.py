"""A combined dataset that may not fit in memory, opened by its suffix: text, or Parquet."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pyarrow as pa

from study.formats.delimited_blocks import BlocksOfText
from study.formats.parquet_blocks import BlocksOfParquet, bytes_as_text
from study.formats.tables import suffix_of


class Blocks(Protocol):
    """All records of a file, some at a time: iterate once, then ask for ``sha256`` and ``n_records``.

    Each block is a table of text with the file's ``columns``. ``n_bytes_read`` of ``n_bytes`` are read.
    """

    path: Path
    columns: list[str]
    sha256: str
    n_records: int
    n_bytes: int
    n_bytes_read: int

    def __iter__(self) -> Iterator[pa.RecordBatch]: ...


@dataclass(frozen=True)
class FileKind:
    """A kind of file: ``blocks`` of it, of about so many bytes of text, and how long it is as text."""

    blocks: Callable[[Path, int], Blocks]
    bytes_as_text: Callable[[Path], int]


_TEXT = FileKind(BlocksOfText, lambda path: path.stat().st_size)
_KINDS = {".parquet": FileKind(BlocksOfParquet, bytes_as_text)}


def kind_of(path: Path) -> FileKind:
    """The kind of a file by its suffix; text for any other suffix."""
    return _KINDS.get(suffix_of(path), _TEXT)
