"""Measurements so exact that few people share one."""

from __future__ import annotations

import numpy as np

from disclosure_control.identifiers.column_findings import Grade
from disclosure_control.identifiers.column_values import FEWEST_PEOPLE, ColumnValues
from disclosure_control.identifiers.registry import Hits, IdentifierKind

FEW_SHARE = 0.3


def detect(column: ColumnValues) -> Hits | None:
    """Numbers, one for each person, with which three people of ten or more are alone."""
    if column.n_people < FEWEST_PEOPLE or not column.is_one_each or not column.are_numbers:
        return None
    if column.alone_rate < FEW_SHARE:
        return None
    return Hits(np.isfinite(column.numbers) & (column.people_of_value == 1), "sure")


KIND = IdentifierKind(
    grade=Grade.EXACT_MEASUREMENT,
    words="exact measurements that nobody else has",
    what_to_do="round or band it (band, round): a laboratory, a ward or the person could know the exact value",
    documentation="numbers, one for each person, that single out at least three people in ten",
    detect=detect,
    yields_to=(
        *("subject_id", "running_number", "unique_code", "same_order", "national_id", "phone", "card_number"),
        *("birth_date", "event_date", "death_date", "coordinates", "postcode"),
    ),
    place=90,
)
