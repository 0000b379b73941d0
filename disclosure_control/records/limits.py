"""How much of the records is in memory at once."""

from __future__ import annotations

import sys
from dataclasses import dataclass, fields

from study.formats.delimited_blocks import BLOCK_BYTES


@dataclass(frozen=True)
class Limits:
    """How much is in memory at once: bytes of text, cells of a part, flagged people of a part, classes, and values.

    ``few_texts``: distinct values kept of a column that the config does not name; of columns with more, a sample.
    ``cells_at_hand``: people times columns of the release that are searched together for who is alone.
    ``rows_at_hand``: rows of a released domain file that are searched together for facts. A domain file of fewer than
    ``large_bytes`` is read whole, others by ``file_block_bytes``, of which Arrow reads 32 blocks ahead;
    ``rows_per_part`` of all domains together are merged at once.
    """

    block_bytes: int = BLOCK_BYTES
    cells_per_part: int = 1 << 22
    flagged_per_part: int = 1 << 20
    n_classes: int = 10_000_000
    n_values: int = 10_000_000
    few_texts: int = 1 << 20
    cells_at_hand: int = 1 << 25
    rows_at_hand: int = 1 << 22
    large_bytes: int = 1 << 25
    file_block_bytes: int = 1 << 23
    rows_per_part: int = 1 << 17


USUAL_LIMITS = Limits()
NO_LIMITS = Limits(**dict.fromkeys((one.name for one in fields(Limits)), sys.maxsize))  # all is in memory
