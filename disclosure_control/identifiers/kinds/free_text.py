"""Free text: sentences, and words that nobody else has."""

from __future__ import annotations

import numpy as np

from disclosure_control.identifiers.column_findings import Grade
from disclosure_control.identifiers.column_values import FEWEST_PEOPLE, ColumnValues
from disclosure_control.identifiers.patterns import in_python
from disclosure_control.identifiers.registry import Hits, IdentifierKind

WORDS = 4  # a term has fewer
LETTERS = 25
_WORD = in_python(r"[\pL']{2,}")


def detect(column: ColumnValues) -> Hits | None:
    """Texts of several words that are written for one person; and short ones with hardly any repeats."""
    if column.is_number or column.are_days or column.n_people < FEWEST_PEOPLE:
        return None
    words = np.array([len(_WORD.findall(value)) for value in column.sample])
    long = (words >= WORDS) & (np.array([len(value) for value in column.sample]) >= LETTERS)
    rows_of_value = column.holders.rows_of_value[column.looked_at].mean()
    if column.share(long) >= 0.3 and rows_of_value <= 2 and long.sum() >= FEWEST_PEOPLE:
        return Hits(long, "sure" if column.share(long) >= 0.6 else "likely")
    worded = (words >= 1) & ~column.matches(r"\d")
    if column.share(worded) >= 0.9 and column.is_hardly_shared:
        return Hits(worded, "likely")
    return None


KINDS = {
    "free_text": IdentifierKind(
        grade=Grade.KNOWN_TO_OUTSIDERS,
        words="free text",
        what_to_do="drop the column, or code it before the merge",
        documentation="texts of four words or more, few of them alike, with words that almost nobody else has",
        detect=detect,
        yields_to=("person_name", "address", "email", "web_address", "subject_id", "coordinates"),
        place=60,
    )
}
