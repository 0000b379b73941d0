"""How much of the records is in memory at once."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from study.formats.delimited_blocks import BLOCK_BYTES


@dataclass(frozen=True)
class FileLimits:
    """How much is in memory at once: bytes of text, of which Arrow reads 32 blocks ahead, and a column's values."""

    block_bytes: int = 1 << 23
    n_values: int = 10_000_000


USUAL_FILE_LIMITS = FileLimits()


@dataclass(frozen=True)
class MergeLimits:
    """A file of fewer bytes is read whole; ``rows_per_part`` of all domains together are merged at once."""

    large_bytes: int = 1 << 25
    rows_per_part: int = 1 << 18
    file: FileLimits = USUAL_FILE_LIMITS


USUAL_MERGE_LIMITS = MergeLimits()


@dataclass(frozen=True)
class Limits:
    """How much is in memory at once: bytes of text, cells of a part, flagged people of a part, classes, and values.

    ``few_texts``: distinct values kept of a column that the config does not name; of columns with more, a sample.
    ``rows_at_hand``: rows of a released domain file that are searched together for facts; ``domains`` are the limits of
    domain files.
    """

    block_bytes: int = BLOCK_BYTES
    cells_per_part: int = 1 << 22
    flagged_per_part: int = 1 << 20
    n_classes: int = 10_000_000
    n_values: int = 10_000_000
    few_texts: int = 1 << 20
    rows_at_hand: int = 1 << 22
    domains: MergeLimits = USUAL_MERGE_LIMITS


USUAL_LIMITS = Limits()
NO_LIMITS = Limits(  # all is in memory
    cells_per_part=sys.maxsize,
    flagged_per_part=sys.maxsize,
    n_classes=sys.maxsize,
    n_values=sys.maxsize,
    few_texts=sys.maxsize,
    rows_at_hand=sys.maxsize,
)
