"""Running numbers: one for each person, without gaps."""

from __future__ import annotations

import numpy as np

from disclosure_control.identifiers.column_findings import Grade
from disclosure_control.identifiers.column_values import ColumnValues
from disclosure_control.identifiers.registry import Hits, IdentifierKind

DENSE = 0.5


def detect(column: ColumnValues) -> Hits | None:
    """Whole numbers that no two people share, with few gaps between the first and the last."""
    if not column.is_hardly_shared or not column.are_whole or column.alone_rate < 1:
        return None
    numbers = column.numbers
    span = float(numbers.max() - numbers.min()) + 1
    n_distinct = column.n_distinct / column.share_at_hand
    if n_distinct < DENSE * span:
        return None
    return Hits(np.ones(column.n_distinct, dtype=bool), "sure" if n_distinct >= 0.9 * span else "likely")


KIND = IdentifierKind(
    grade=Grade.NAMES_A_PERSON,
    words="running numbers",
    what_to_do="drop the column, or name it under the columns of recode_ids",
    documentation="whole numbers with few gaps, one for each person and none shared",
    detect=detect,
    yields_to=("subject_id",),
    place=71,
)
