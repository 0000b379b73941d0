"""Records of a file that may not fit in memory: what its readers have in common."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TypeAlias

from study.formats.delimited_blocks import BlocksOfText
from study.formats.hand_over import BlocksOfTyped
from study.formats.packed import bytes_unpacked
from study.formats.parquet_domains import BlocksOfParquetDomain, parquet_as_text
from study.formats.tables import GZIP_SUFFIX, suffix_of

# All records of a file, some at a time: iterate once, then ask for ``sha256`` and ``n_records``. Each block is a table
# of text with the file's ``columns``; ``n_bytes_read`` of ``n_bytes`` are read.
Blocks: TypeAlias = BlocksOfText | BlocksOfTyped | BlocksOfParquetDomain


def bytes_as_text(path: Path) -> int:
    """About how many bytes a file has as text, unpacked; its own size where it does not say, or cannot be read."""
    with contextlib.suppress(OSError):
        if suffix_of(path).endswith(GZIP_SUFFIX):
            return bytes_unpacked(path)
        if suffix_of(path) == ".parquet":
            return parquet_as_text(path)
    return path.stat().st_size
