"""The blocks of a file of text, and how far the reading of them is."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from cdisc.formats.blocks import Blocks
from disclosure_control.run.progress import progress


def with_progress(text: Blocks) -> Iterator[pa.RecordBatch]:
    """The blocks of a text; how many of its bytes are done is said after each, when that one was worked on."""
    n_read = 0
    with progress(f"Reading {text.path.name}", text.n_bytes, "bytes") as advance:
        for block in text:
            yield block
            advance(text.n_bytes_read - n_read)
            n_read = text.n_bytes_read
