"""Addresses of houses: a street and a number, in many languages."""

from __future__ import annotations

import numpy as np

from disclosure_control.basics.column_names import any_of
from disclosure_control.identifiers.column_findings import Grade
from disclosure_control.identifiers.column_values import FEWEST_PEOPLE, ColumnValues
from disclosure_control.identifiers.registry import Hits, IdentifierKind

_BEFORE = (
    r"calle|c/|avda\.?|avenida|plaza|paseo|camino|rue|boulevard|bd|chemin|via|viale|piazza|corso|ulica|ul\.|aleja|al\.|"
    r"os\.|plac|pl\.|ул\.|улица|бул\.|булевард|пл\.|ж\.к\.|οδός|οδος|οδ\.|λεωφ\.|λεωφόρος|λεωφορος|πλ\.|πλατεία|"
    r"strada|str\.|rua|travessa|largo|estrada|bulevardul|cesta|trg|leof\.|odos|plateia"
)
_BEHIND = (
    r"street|st\.?|road|rd\.?|avenue|ave\.?|lane|ln\.?|drive|dr\.?|court|close|crescent|terrace|gardens|way|place|"
    r"square|hill|row|grove|mews"
)
_AFTER_A_NAME = (
    r"straße|strasse|weg|platz|allee|ring|cad\.?|caddesi|sokak|sokağı|sok\.?|bulvarı|blv\.?|mah\.?|mahallesi|utca|út|útja|"
    r"tér|körút|gatan|vägen|väg|gata|tie|ulice|námestí|třída|nám\."
)
_GERMAN = (
    r"[\pL]+(katu|vej|gade|straße|strasse|str\.|weg|gasse|platz|allee|ring|damm|ufer|straat|laan|gatan|vägen|utca|"
    r"ulice)"
)
STREET_THEN_NUMBER = (
    rf"(?i:(^|[^\pL])({_BEFORE}) ?[\pL][\pL.'’ -]*,? *(nr\.? ?|no\.? ?|№ ?|n[º°]\.? ?)?\d{{1,4}}|"
    rf"({_GERMAN}|[\pL]+ ({_AFTER_A_NAME})) +\d{{1,4}})"
)
NUMBER_THEN_STREET = (
    rf"(?i:(^|[^\pL\d])\d{{1,4}}[a-z]?,? [\pL' ]+ ({_BEHIND})($|[^\pL])|\d{{1,4}},? (rue|boulevard) [\pL])"
)
NAME_AND_NUMBER = r"^[\p{Lu}][\pL.'’]+( [\pL.'’]+){0,3},? \d{1,3}[\pL]?(,.*)?$"
HEADING = any_of(
    *("address", "addr", "street", "residence", "anschrift", "adresse", "strasse", "wohn", "direccion", "domicil"),
    *("calle", "adres", "ulica", "zamieszk", "διευθυνσ", "οδος", "κατοικ", "адрес", "улица", "indirizzo", "adresa"),
)


def detect(column: ColumnValues) -> Hits | None:
    """A word for a street beside a number, anywhere; or a column of words and numbers with hardly any repeats."""
    if column.is_number:
        return None
    plain = column.matches(r"[\pL]{2}.*\d|\d.*[\pL]{2}")
    if not plain.any():
        return None
    told = column.matches(f"{STREET_THEN_NUMBER}|{NUMBER_THEN_STREET}") & plain
    if told.sum() >= 3 and (column.share(told) >= 0.05 or told.sum() >= 8):
        of_places = told | (column.matches(NAME_AND_NUMBER) if column.share(told) >= 0.2 else False)
        return Hits(of_places, "sure" if column.share(told) >= 0.3 else "likely")
    named = column.matches(NAME_AND_NUMBER)
    various = column.n_distinct >= FEWEST_PEOPLE and (column.alone_rate >= 0.5 or not column.n_people)
    words = {value.rstrip("0123456789abcdαβγ, ") for value in np.asarray(column.sample, dtype=object)[named]}
    if various and column.share(named) >= (0.5 if column.is_headed(HEADING) else 0.8) and len(words) >= 5:
        return Hits(named, "sure" if column.is_headed(HEADING) else "likely")
    return None


KINDS = {
    "address": IdentifierKind(
        grade=Grade.KNOWN_TO_OUTSIDERS,
        words="addresses",
        what_to_do="drop the column; keep a district or the first digits of the postcode instead",
        documentation=(
            "a word for a street beside a number, in a dozen languages; or a column of names and house numbers that "
            "are almost all different"
        ),
        detect=detect,
        yields_to=("subject_id",),
        place=51,
    )
}
