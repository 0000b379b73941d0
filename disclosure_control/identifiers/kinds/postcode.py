"""Postcodes: forms of many countries that hardly anything else has, and five digits that repeat as places do."""

from __future__ import annotations

import numpy as np

from disclosure_control.basics.column_names import any_of
from disclosure_control.identifiers.column_findings import Grade
from disclosure_control.identifiers.column_values import FEWEST_PEOPLE, ColumnValues
from disclosure_control.identifiers.registry import Hits, IdentifierKind

FORMS = (
    r"^(GIR ?0AA|[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2})$",  # United Kingdom
    r"^\d{2}-\d{3}$",  # Poland
    r"^\d{3} \d{2}$",  # Greece, Sweden, Czechia, Slovakia
    r"^\d{4} ?[A-Z]{2}$",  # Netherlands
    r"^\d{4}-\d{3}$",  # Portugal
    r"^[A-Z]\d[A-Z] ?\d[A-Z]\d$",  # Canada
    r"^(D|A|CH|GR|F|I|E|B|BG|PL|RO|LV|LT|FI|SE|DK|HR|SI|MD|AD)-\d{4,5}$",
    r"^\d{5}-\d{4}$",  # United States, with the last four
    r"^\d{5}$",  # Germany, Greece, Spain, France, Italy, United States, ...
)
SHORT = r"^\d{4}$|^\d{6}$"  # Bulgaria, Austria, Switzerland, ...; Romania, ...: as much else
HEADING = any_of(
    *("post code", "postcode", "postal", "=zip", "zip code", "=plz", "postleit", "codigo postal", "=cp", "=cap"),
    *("kod poczt", "poczt", "=τκ", "=τ κ", "ταχ", "ταχυδρ", "пощенски", "=пк", "пощ", "код", "psc", "irany"),
)
MOST_PEOPLE = 50  # of a place that few people share


def detect(column: ColumnValues) -> Hits | None:
    """Values of one of the forms, nearly all of a column; few enough people share one."""
    if column.n_distinct < FEWEST_PEOPLE:
        return None
    is_headed = column.is_headed(HEADING)
    forms = [*FORMS, *([SHORT] if is_headed else [])]
    found = [column.matches(form) for form in forms]
    best = int(np.argmax([is_one.sum() for is_one in found]))
    if column.share(found[best]) < (0.7 if is_headed else 0.95):
        return None
    if not is_headed and forms[best] == r"^\d{5}$" and not _are_places(column):
        return None
    few_share = not column.n_people or column.n_people <= MOST_PEOPLE * column.n_distinct
    certainty = ("sure" if is_headed else "likely") if few_share else "possible"
    return Hits(found[best], certainty)


def _are_places(column: ColumnValues) -> bool:
    """Whether five digits repeat as places do: some people share one, and they are no measurement's round spread."""
    numbers = column.numbers
    shared = column.is_one_each and column.alone_rate < 0.9
    spread = float(np.nanmax(numbers) - np.nanmin(numbers))
    begins_with_zero = column.share(column.matches(r"^0")) > 0
    return shared and (begins_with_zero or spread > 1000)


KINDS = {
    "postcode": IdentifierKind(
        grade=Grade.KNOWN_TO_OUTSIDERS,
        words="postcodes",
        what_to_do="keep only the first digits (group, recode), name it as a quasi-identifier, or drop the column",
        documentation=(
            "a column of postcodes in a known form; five plain digits where people share them as they share places, "
            "and four or six where the heading names a postcode; no veto where more than 50 people share each"
        ),
        detect=detect,
        yields_to=("subject_id", "national_id", "same_order"),
        place=50,
    )
}
