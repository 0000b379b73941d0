"""The blocks of a file of text, and how far the reading of them is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import pyarrow as pa

from disclosure_control.basics.telling.progress import progress


class ReadInBlocks(Protocol):
    """A file that is read block by block: ``n_bytes_read`` of ``n_bytes`` are read."""

    path: Path
    n_bytes: int
    n_bytes_read: int

    def __iter__(self) -> Iterator[pa.RecordBatch]: ...


def with_progress(text: ReadInBlocks) -> Iterator[pa.RecordBatch]:
    """The blocks of a text; after each, the number of bytes done is reported."""
    n_read = 0
    with progress(f"Reading {text.path.name}", text.n_bytes, "bytes") as advance:
        for block in text:
            yield block
            advance(text.n_bytes_read - n_read)
            n_read = text.n_bytes_read
