"""Codes and numbers that one person has and nobody else: as good as a name."""

from __future__ import annotations

import numpy as np

from disclosure_control.basics.column_names import any_of
from disclosure_control.identifiers.column_findings import Grade
from disclosure_control.identifiers.column_values import ColumnValues
from disclosure_control.identifiers.registry import Hits, IdentifierKind

HEADING = any_of(
    *("=id", "subjid", "patid", "=pid", "pidnum", "patient id", "patient no", "identif", "mrn", "record n", "=code"),
    *("=nr", "=no", "number", "numer", "nummer", "αριθμ", "μητρω", "κωδ", "номер", "код", "=ид", "kod", "codigo"),
)
DENSE = 0.5  # share of the numbers between the first and the last one that are there: running numbers
MEASURED = r"^[+-]?[\d.,]+([eE][+-]?\d+)?$|^\d{1,3}([/:]\d{1,3}){1,2}$"  # numbers, blood pressures, times
CODE = r"^[\pL\d][\pL\d._/:#-]*$"


def detect(column: ColumnValues) -> Hits | None:
    """Codes in a word, with a digit, that hardly anybody shares; whole numbers that were assigned once each."""
    if column.n_people == 0 or column.are_days:
        return None
    if column.whole_numbers is not None:
        return _numbers(column, column.whole_numbers)
    codes = column.matches(CODE) & column.matches(r"\d") & ~column.matches(MEASURED)
    if column.share(codes) < 0.9:
        return None
    if column.is_hardly_shared:
        return Hits(codes, "likely")
    belong = len(column.lone) / len(codes) >= 0.99
    is_of_many = not column.is_one_each and column.n_distinct >= column.n_people
    return Hits(codes, "possible") if is_of_many and belong else None


def _numbers(column: ColumnValues, numbers: np.ndarray) -> Hits | None:
    """Numbers without a repeat where measurements of that range would repeat; or all of one length."""
    if not column.is_hardly_shared:
        return None
    n, span = column.n_people / column.share_at_hand, float(np.ptp(numbers)) + 1
    everybody = np.ones(len(numbers), dtype=bool)
    expected = n * (n - 1) / 2 / span  # pairs that share a number, if it were drawn from the range
    is_running = column.n_distinct >= DENSE * span * column.share_at_hand
    if column.alone_rate == 1 and (expected >= 5 or is_running):
        return Hits(everybody, "sure")
    if column.is_headed(HEADING):
        return Hits(everybody, "likely")
    if column.share(column.matches(r"^\d{5,}$")) < 0.95:
        return None
    lengths = {len(value) for value in column.sample}
    return Hits(everybody, "likely") if len(lengths) == 1 or column.alone_rate == 1 else None


KINDS = {
    "unique_code": IdentifierKind(
        grade=Grade.NAMES_A_PERSON,
        words="codes that nobody else has",
        what_to_do="drop the column, or name it under the columns of recode_ids",
        documentation=(
            "codes of one word with a digit that almost nobody shares; running numbers; whole numbers of five digits "
            "or more, or of fewer where random numbers of that range would repeat, or the heading names an id or a "
            "number"
        ),
        detect=detect,
        yields_to=(
            *("subject_id", "national_id", "phone", "card_number", "bank_account", "email", "postcode"),
            *("ip_address", "web_address", "birth_date", "event_date", "coordinates", "person_name"),
        ),
        place=80,
    )
}
