"""Telephone and fax numbers, alone or within a text."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np

from disclosure_control.basics.column_names import any_of
from disclosure_control.identifiers.column_findings import Grade
from disclosure_control.identifiers.column_values import ColumnValues
from disclosure_control.identifiers.registry import Hits, IdentifierKind

# Not within a number: 5.0019999999999 has the digits of one from Austria behind its point.
INTERNATIONAL = r"(^|[^\w+.,]|(^|\D)[.,])(\+ ?|00 ?)[1-9]\d{0,2}[ ()./-]{0,2}(\d[ ()./-]{0,2}){6,12}\d($|[^\w])"
AFTER_A_WORD = (
    r"(?i:(^|[^\pL])(tel|telefon|telefono|teléfono|telephone|phone|mobile|mob|fax|kom|gsm|τηλ|τηλέφωνο|κιν|тел|телефон|"
    r"моб|handy)\.?:? ?(no\.?:? ?)?[+(]?(\d[ ()./-]{0,2}){6,14})"
)
DIVIDED = r"^\(?0?\d{2,5}\)?[ ./-]{1,3}(\d{2,4}[ .-]?){1,3}\d{2,4}$"
PLAIN = r"^0?\d{9,11}$"
DATE_OR_NUMBER = r"^\d{4}[-./]\d{1,2}[-./]\d{1,2}|^\d{1,2}[-./]\d{1,2}[-./]\d{2,4}$|^\d+[.]\d+$"
HEADING = any_of(
    *("phone", "=tel", "telef", "telephon", "mobile", "mob", "fax", "cell", "kontakt", "contact", "handy", "komork"),
    *("τηλ", "κινητ", "επικοινων", "тел", "моб", "gsm", "movil", "fijo", "rufnummer", "portable"),
)


def detect(column: ColumnValues) -> Hits | None:
    """Numbers with the signs of a telephone number; plain digits where a whole column of them begins alike."""
    hits = np.zeros(column.n_distinct, dtype=bool)
    if not column.is_number:
        maybe = column.somewhere(r"\d\D{0,3}\d\D{0,3}\d")
        maybe = column.somewhere(r"\+|(^|\D)00 ?[1-9]|(?i:tel|phone|mob|fax|kom|gsm|τηλ|κιν|тел|моб|handy)", maybe)
        hits = column.somewhere(INTERNATIONAL, maybe) | column.somewhere(AFTER_A_WORD, maybe)
    national = _national(column)
    if national is not None and national.is_hit.sum() > hits[column.looked_at].sum():
        return replace(national, is_hit=national.is_hit | hits[column.looked_at])
    return Hits(hits, "sure" if hits.sum() >= 3 else "likely") if hits.any() else None


def _national(column: ColumnValues) -> Hits | None:
    """Numbers without a country's code, where nearly the whole column has their form."""
    is_headed = column.is_headed(HEADING)
    digits = np.array([sum(map(str.isdigit, value)) for value in column.sample])
    of_length = (digits >= (7 if is_headed else 9)) & (digits <= 12) & ~column.matches(DATE_OR_NUMBER)
    divided, plain = column.matches(DIVIDED) & of_length, column.matches(PLAIN) & of_length
    either = divided | plain
    if column.share(either) < (0.5 if is_headed else 0.9) or either.sum() < 8:
        return None
    if is_headed:
        return Hits(either, "sure")
    first = Counter(value.lstrip("(")[0] for value, is_one in zip(column.sample, either, strict=True) if is_one)
    commonest = max(first.values()) / first.total()
    rare = column.n_people == 0 or column.alone_rate >= 0.5
    begins_alike = commonest >= 0.9 or column.share(column.matches(r"^\(?[026789]")) >= 0.95
    is_divided = divided.sum() >= 0.5 * either.sum() or commonest >= 0.5
    return Hits(either, "likely") if rare and begins_alike and is_divided else None


KINDS = {
    "phone": IdentifierKind(
        grade=Grade.NAMES_A_PERSON,
        words="telephone numbers",
        what_to_do="drop the column; where the text must stay, cut them out before the merge",
        documentation=(
            "`+` or `00` and a country's code, a number after a word for telephone, both anywhere in a text; or a "
            "column of 9 to 12 digits that begin alike or are divided as telephone numbers are, and that few "
            "people share"
        ),
        detect=detect,
        yields_to=("national_id", "card_number", "bank_account", "subject_id", "birth_date"),
        place=30,
    )
}
