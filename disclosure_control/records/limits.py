"""How much of the records is in memory at once."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from disclosure_control.basics.encoding.keys import KEY_LIMIT
from disclosure_control.records.merging import USUAL_MERGE_LIMITS, MergeLimits
from study.formats.delimited_blocks import BLOCK_BYTES


@dataclass(frozen=True)
class Limits:
    """How much is in memory at once: bytes of text, people of a part, flagged people of a part, classes, and values.

    ``few_texts``: of columns that the config does not name, so many distinct values are kept, of others a sample.
    ``cells_at_hand``: of what leaves, people times columns that are searched together for who is alone.
    ``range_bytes``: so much of the text is one worker's at a time, where there are several. ``rows_at_hand``: of a
    released domain file, that are searched together for what its rows tell; ``domains`` are those of domain files.
    """

    block_bytes: int = BLOCK_BYTES
    range_bytes: int = 1 << 26
    people_per_part: int = 1 << 22
    flagged_per_part: int = 1 << 20
    n_classes: int = 10_000_000
    n_values: int = 10_000_000
    few_texts: int = 1 << 20
    cells_at_hand: int = 1 << 25
    key_limit: int = KEY_LIMIT
    rows_at_hand: int = 1 << 22
    domains: MergeLimits = USUAL_MERGE_LIMITS


USUAL_LIMITS = Limits()
NO_LIMITS = Limits(  # all is in memory
    people_per_part=sys.maxsize,
    flagged_per_part=sys.maxsize,
    n_classes=sys.maxsize,
    n_values=sys.maxsize,
    few_texts=sys.maxsize,
    cells_at_hand=sys.maxsize,
    rows_at_hand=sys.maxsize,
)
