"""What names a person in one text, on its own: no column and no share of one is asked.

The kinds of ``registry`` judge columns: a share of the values, their variety, chance. In a column of ordinary values,
one text with a telephone number is lost among them. Here each text is judged alone. A form that ``is_certain`` is none
of an ordinary value, however many people have it; the others are judged where a text is rare, or describes nobody.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np

from disclosure_control.basics.column_names import folded
from disclosure_control.identifiers.kinds.address import NUMBER_THEN_STREET, STREET_THEN_NUMBER
from disclosure_control.identifiers.kinds.coordinates import DEGREES
from disclosure_control.identifiers.kinds.net_addresses import EMAIL, IPV4, IPV6, MAC
from disclosure_control.identifiers.kinds.phone import AFTER_A_WORD, INTERNATIONAL
from disclosure_control.identifiers.name_words import TITLED, ends_as_surname, is_first_name
from disclosure_control.identifiers.patterns import in_python
from disclosure_control.identifiers.telephone_numbers import holds_a_number
from study.formats.dates import ROMAN, months_by_language


@dataclass(frozen=True)
class TextForm:
    """A form of texts that name a person: its ``words`` in the plural, and the pattern that a text holds."""

    words: str
    pattern: str
    is_certain: bool = True


_DAY, _YEAR = r"(0?[1-9]|[12]\d|3[01])", r"(1[89]|20)\d\d"
_MONTH = r"(0?[1-9]|1[0-2])"
_TOP_LEVEL = "com|net|org|info|biz|eu|at|de|ch|es|gr|pl|bg|it|fr|uk|ie|be|pt|ro|nl|se|cz|hu|hr|io|me|tv"
_DIVIDED = r"\s?[-./ ]\s?"
# Of three letters, in the languages of the pilots alone: many are words of other languages.
_OF_THREE_LETTERS = ("en", "de", "es", "fr", "it", "pl", "el", "bg")
_MONTHS = frozenset(
    name
    for language, names in months_by_language().items()
    for name in names
    if len(name) > (2 if language in _OF_THREE_LETTERS else 3 if language != ROMAN else 9)
)
# May and march, mars and mai are words, too: of these, a number of a day or a year stands beside.
_WITH_MONTH = re.compile(r"[^\W\d_]+")
_BIRTH = (
    r"(?i:\b(born|birthday|birth|geboren|geburtstag|geb\.|nacid[oa]|née?\b|nat[oa] il|urodz\w*|γεννη\w*|род[еи]н\w*))"
)

FORMS: dict[str, TextForm] = {
    "email": TextForm("e-mail addresses", EMAIL),
    "spoken_email": TextForm(
        "e-mail addresses",
        r"(?i:[\w.-]{2,} ?[\[({]?\b(at|ät|arroba|chiocciola|malpa|małpa)\b[\])}]? ?[\w-]{2,} ?[\[({]?"
        rf"\b(dot|punkt|punto|point|kropka)\b[\])}}]? ?({_TOP_LEVEL})\b)",
    ),
    "web_address": TextForm(
        "web addresses",
        rf"(?i:\b(https?|ftp)[:/]|\bwww\.|\b[\w-]{{3,}}\.({_TOP_LEVEL})(/\S*)?(?![\w.]))",
    ),
    "ip_address": TextForm("addresses of devices in a network", rf"{IPV4}|{IPV6}|{MAC}"),
    "phone": TextForm(
        "telephone numbers",
        rf"{INTERNATIONAL}|{AFTER_A_WORD}|"
        rf"(?<![\w.])\(?0\d{{1,4}}\)? ?[ /.-] ?\d{{2,4}}([ /.-]?\d{{2,4}}){{1,4}}(?![\w.])|"
        r"(?<![\w.-])\(?\d{3}\)?[ .-]\d{3}[ .-]\d{3,4}(?![\w.-])",
    ),
    "bank_account": TextForm("bank accounts", r"(?<!\w)[A-Z]{2}\d{2}( ?[A-Z0-9]{4}){3,7}( ?[A-Z0-9]{1,4})?(?!\w)"),
    "long_number": TextForm("long numbers", r"(?<![\w.])(?:[A-Z]{1,6}[-_ ]?\d{8,}|\d([ ./-]?\d){7,})(?![\w.])"),
    "number_of_a_person": TextForm(
        "numbers of a person",
        r"(?i:\b(mrn|svnr|sv-?nr|vsnr|vs-?nr|kvnr|pesel|amka|αμκα|afm|egn|егн|dni|nif|nie|nhs|ssn|bsn|cnp|nir|ahv|pid|"
        r"passport|reisepass|hospital no|patient(en)? ?-?(nr|id|no|number)|pat-?nr|fall-?nr|case no|fallnummer|"
        r"aufnahmezahl|subject|subj)\b\.?:? ?#?[A-Z]{0,3}[-/ ]?\d{3,})",
    ),
    "date": TextForm(
        "dates",
        rf"(?<!\d){_YEAR}{_DIVIDED}{_MONTH}{_DIVIDED}{_DAY}(?!\d)|(?<![\d.]){_DAY}{_DIVIDED}{_MONTH}{_DIVIDED}{_YEAR}(?!\d)|"
        rf"(?<!\d){_MONTH}{_DIVIDED}{_DAY}{_DIVIDED}{_YEAR}(?!\d)|(?<!\d){_YEAR}{_MONTH.replace('0?', '0')}"
        rf"{_DAY.replace('0?', '0')}(?!\d)|(?<![\d.]){_DAY}[./]{_MONTH}[./]\d\d(?![\d.])",
    ),
    "file": TextForm(
        "names of files",
        r"(?i:\w\.(jpe?g|png|gif|bmp|tiff?|dcm|heic|webp|pdf|docx?|xlsx?|rtf|mp[34]|wav|avi|mov|zip|svg|eml|msg)(?!\w))|"
        r"(?i:\b(img|dsc|dscn|scan|photo|pxl)[_-]?\d{3,})",
    ),
    "encoded": TextForm(
        "encoded texts",
        r"(?<![\w+])(?=[\w+]*[a-z][A-Z\d]|[\w+]*\d[a-zA-Z])(?=[\w+]*\d|[\w+]*[A-Z][a-z]+[A-Z])[A-Za-z0-9+]{12,}={0,2}"
        r"(?![\w+])|(?<!\w)[A-Za-z0-9+/]{6,}={1,2}(?!\w)|(?i:\b0x[0-9a-f]{6,}|base64|&#\d+;|%[0-9A-F]{2}%[0-9A-F]{2})",
    ),
    "coordinates": TextForm(
        "places on the map",
        rf"{DEGREES}|(?<![\d.])[-+]?\d{{1,2}}[.,]\d{{3,8}}°?[ ]?[NS]?\s?[,;/ ]\s?[-+]?\d{{1,3}}[.,]\d{{3,8}}(?!\d)",
    ),
    "account": TextForm(
        "names in networks", r"(?<!\w)@[A-Za-z]\w{2,}|(?i:\b(instagram|facebook|twitter|tiktok|whatsapp|linkedin)\b)"
    ),
    "titled_name": TextForm("names of persons", TITLED),
    "address": TextForm("addresses", rf"{STREET_THEN_NUMBER}|{NUMBER_THEN_STREET}", False),
    "quoted": TextForm("quoted words", r"['\"„“«‚‘][\p{Lu}][\pL' -]+ ?\d*['\"”“»’]", False),
    "year": TextForm("years", rf"(?<![\d.,]){_YEAR}(?![\d.,])", False),
}
_HARDLY = 0.1  # share of the rows
# Letters of other alphabets than most of a column's: one text in Greek among Latin ones.
_ALPHABETS = {
    "Latin": r"A-Za-zÀ-ɏ",
    "Greek": "Ͱ-Ͽἀ-῿",
    "Cyrillic": "Ѐ-ӿ",
    "Arabic": "؀-ۿ",
    "Hebrew": "֐-׿",
    "East Asian": "぀-ヿ㐀-鿿가-힯",
}


def certain_forms(texts: Sequence[str]) -> np.ndarray:
    """The form by which each text (n,) names somebody for certain, "" of others."""
    return np.array([_certain_form(text) for text in texts], dtype=object)


def possible_forms(texts: Sequence[str]) -> np.ndarray:
    """The same, with forms that ordinary texts may have by chance, and names of persons."""
    return np.array([_certain_form(text) or _possible_form(text) for text in texts], dtype=object)


def _certain_form(text: str) -> str:
    return _form_of(text, True) or ("date" if _names_a_day(text) else "phone" if holds_a_number(text) else "")


def _possible_form(text: str) -> str:
    return _form_of(text, False) or ("name" if names_a_person(text) else "")


def _form_of(text: str, certain: bool) -> str:
    return next((name for name, pattern in _compiled(certain) if pattern.search(text)), "")


@cache
def _compiled(certain: bool) -> list[tuple[str, re.Pattern[str]]]:
    return [(name, in_python(form.pattern)) for name, form in FORMS.items() if form.is_certain == certain]


def _names_a_day(text: str) -> bool:
    """Whether a text names a month in words beside a number, or a birth: 25FEB2014, the second of March 1962."""
    words = [folded(word) for word in _WITH_MONTH.findall(text)]
    months = [word for word in words if word in _MONTHS]
    has_year = re.search(rf"(?<!\d){_YEAR}(?!\d)", text) is not None
    has_day = re.search(rf"(?<![\d.,]){_DAY}(?:st|nd|rd|th|\.|er|º|ª)?[ -]?(?:of |de |di )?[^\W\d_]", text) is not None
    if months and (has_year or (has_day and any(len(word) > 3 for word in months))):
        return True
    return re.search(_BIRTH, text) is not None and (has_year or bool(months) or re.search(r"\d", text) is not None)


def names_a_person(text: str) -> bool:
    """Whether two words stand together of which one is a common first name, or that end as surnames do."""
    words = re.findall(r"[^\W\d_][\w'’-]*", text)
    pairs = pairwise(words)
    return any(
        (is_first_name(one) or is_first_name(other)) and one[:1].isupper() and other[:1].isupper()
        for one, other in pairs
    ) or (len(words) == 2 and all(word.istitle() for word in words) and any(map(ends_as_surname, words)))


def is_in_another_alphabet(texts: Sequence[str], rows: np.ndarray) -> np.ndarray:
    """Which texts (n,) have letters of an alphabet that less than one in ten of the column's rows has.

    ``rows`` (n,) have each of the texts.
    """
    strange = np.zeros(len(texts), dtype=bool)
    others = rf"(?![{''.join(_ALPHABETS.values())}µªº])[^\W\d_]"  # Georgian, Armenian, Devanagari, Thai, ...
    for letters in (*(f"[{one}]" for one in _ALPHABETS.values()), others):
        has = np.array([re.search(letters, text) is not None for text in texts], dtype=bool)
        strange |= has & bool(rows[has].sum() < _HARDLY * rows.sum())
    return strange
