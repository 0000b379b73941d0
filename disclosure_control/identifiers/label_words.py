"""Whether a label, or the name of a file or column, names a person, or the place where somebody is treated.

A label describes everybody's values, so a count of people says nothing of it: its words decide. Common surnames and
towns of the pilots' countries are a short list of our own, without those that are words, eponyms or short names in
medicine (Lang, Klein, Weber, Barcelona).
"""

from __future__ import annotations

import re
from functools import cache

from disclosure_control.basics.column_names import folded
from disclosure_control.identifiers.name_words import TITLED, common_first_names
from disclosure_control.identifiers.patterns import in_python
from disclosure_control.identifiers.single_texts import FORMS, certain_forms, possible_forms
from study.models.standard_words import is_word_of_labels
from study.words import words_of_the_pilots

_SHORTEST = 4  # Ana, Jan and Ali are tests, months and affixes, too
_NO_NAMES = frozenset({"rosa", "rose", "porto", "mario", "marie", "granada"})
_PLACE_WORDS = (
    "site|centre|center|clinic|klinik|klinikum|hospital|spital|krankenhaus|lkh|zentrum|praxis|szpital|νοσοκομείο|"
    "болница|hôpital"
)
_PLACE = rf"(?i:\b(?:{_PLACE_WORDS})\b)[ _:#.-]*(?i:no\.? ?|nr\.? ?)?"
_NUMBERED_PLACE = re.compile(rf"{_PLACE}\d{{3,}}")
_NAMED_PLACE = in_python(rf"{_PLACE}([\p{{Lu}}][\pL-]+)")
_AFTER_A_TITLE = re.compile(r"\b(?:dr|frau|herr|prof|mrs)[_. ]+([^\W\d_]{3,})")
_EXPORTED = re.compile(r"(?<!\d)20\d\d([-_.]?)(0[1-9]|1[0-2])\1(0[1-9]|[12]\d|3[01])([-_T ]?\d{4}(\d\d)?)?(?!\d)")
_WORDS_LIKE_TITLES = frozenset({"mr", "ms", "sig", "pan", "sr", "pani", "lek", "κ"})  # magnetic resonance, signs
_NOT_AFTER_A_TITLE = frozenset({"visit", "visits", "name", "appointment", "appointments", "contact", "referral"})
_WORD = re.compile(r"[^\W\d_]+")
# Ordinary names of columns look like these forms: TreatmentArm2Code, age.at, year_2013.
_NOT_OF_NAMES = ("encoded", "web_address", "account", "year", "quoted")
_NOT_OF_LABELS = ("year", "quoted", "encoded")


@cache
def _listed(name: str) -> frozenset[str]:
    """Surnames, towns, or eponyms: names that a disease, an operation or a score has, too, such as Wilson."""
    return frozenset(folded(word) for line in words_of_the_pilots()["names"][name] for word in line.split())


@cache
def _names() -> frozenset[str]:
    return (_listed("surnames") | _listed("towns")) - _listed("eponyms")


def names_somebody(word: str) -> bool:
    """Whether a word is a common first name, surname or town, and no other word."""
    letters = folded(word)
    if len(letters) < _SHORTEST or letters in _NO_NAMES:
        return False
    return letters in _names() or letters in common_first_names()


@cache
def is_a_place_word(word: str) -> bool:
    """Whether a word, without accents, is one for a place of treatment."""
    return word in {folded(one) for one in _PLACE_WORDS.split("|")}


def is_listed_name(word: str) -> bool:
    """Whether a word is a common first name, surname or town, also one that a disease has, too."""
    return names_somebody(word) or folded(word) in _listed("eponyms")


def without_moment(stem: str) -> str:
    """The name of a file without the date and time at which it was exported, which are those of nobody's life."""
    return _EXPORTED.sub("", stem)


def why_of_name(name: str) -> str:
    """Why the name of a column, or of a file ``without_moment``, may name somebody, "" of an ordinary one."""
    spaced = folded(name)
    found = next((one for one in certain_forms([name, spaced]) if one and one not in _NOT_OF_NAMES), "")
    if found and not (found == "titled_name" and not _has_a_title(name)):
        return f"holds {FORMS[found].words}"
    if _has_a_title(name) or _has_a_title(spaced) or any(map(names_somebody, spaced.split())):
        return "holds a name of a person or a town"
    return why_of_term(name.replace("_", " "))


def why_of_label(label: str) -> str:
    """Why a label may name somebody, "" of an ordinary one."""
    (found,) = possible_forms([label])
    words = _WORD.findall(label)
    if found == "titled_name" and not _has_a_title(label):
        found = ""
    if found == "name" and all(map(is_word_of_labels, words)):
        found = ""
    if found == "name" or any(map(names_somebody, words)) or _has_a_title(label.casefold()):
        return "holds a name of a person or a town"
    if found and found not in _NOT_OF_LABELS:
        return f"holds {FORMS[found].words}"
    return why_of_term(label)


def why_of_term(text: str) -> str:
    """Why an entry of a dictionary may name somebody: terms have the names of people who described a disease."""
    named = any(not is_word_of_labels(match.group(1)) for match in _NAMED_PLACE.finditer(text))
    return "holds the number or name of a place of treatment" if named or _NUMBERED_PLACE.search(text) else ""


def _has_a_title(text: str) -> bool:
    """Whether a title stands before a name: Dr. Huber and Dr. Young, and neither MR imaging nor Dr. visits."""
    for match in (*in_python(TITLED).finditer(text), *_AFTER_A_TITLE.finditer(text)):
        title, *_, name = re.split(r"[\W_]+", match.group().strip(" _"))
        if name.casefold() in _NOT_AFTER_A_TITLE:
            continue
        if title.casefold() not in _WORDS_LIKE_TITLES or not is_word_of_labels(name):
            return True
    return False
