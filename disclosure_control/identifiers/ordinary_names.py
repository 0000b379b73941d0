"""Whether the name of a column, a file or a QNAM is ordinary: made of words that headings have, and nothing else.

Lists of names and towns never end, so a name that leaves is asked the other way round: what is in no list of the
standards' words, of medicine or of headings in the pilots' languages may be the name of a person or a place.
"""

from __future__ import annotations

import re
from functools import cache

from disclosure_control.identifiers.label_words import (
    is_a_place_word,
    is_listed_name,
    why_of_label,
    why_of_name,
)
from disclosure_control.identifiers.name_words import ends_as_surname
from study.headings import words_of
from study.models.role_words import words_of_roles
from study.models.standard_words import (
    is_a_word_of_medicine,
    is_made_of_fragments,
    standard_data_set_labels,
    standard_label,
    words_of_the_standard,
)
from study.words import words_of_examinations, words_of_headings

_MARKED = re.compile(r"<[^>]*>|&\w+;")  # as web pages are written
_PART = re.compile(r"[^\W\d_]+|\d+")
_DURATION = re.compile(r"P(?=T?\d)(\d{1,3}[YMWD])*(T(\d{1,3}[HMS])+)?")  # ISO 8601: P28D
_LONGEST_NUMBER, _MOST_DIGITS = 2, 3  # digits: of a visit or an item, not of a site, a person or a day
_SHORTEST_PART, _LONG_PART = 3, 5  # letters of the words of a compound, of which one is long


def is_ordinary_name(name: str, of_a_standard: bool = False) -> bool:
    """Whether a name has known words, single letters and short numbers alone.

    ``of_a_standard``: names of SDTM and ADaM are known, too, and what is made of the fragments of their names.
    """
    if why_of_name(name):
        return False
    if standard_label(name) or standard_data_set_labels(name) or (of_a_standard and is_made_of_fragments(name)):
        return True
    parts = _PART.findall(words_of(name))
    numbers = [part for part in parts if part.isdecimal()]
    words = [part for part in parts if not part.isdecimal()]
    if any(len(one) > _LONGEST_NUMBER for one in numbers) or sum(map(len, numbers)) > _MOST_DIGITS:
        return False
    # Letters alone are initials, or those of a number plate; ``hr_1`` and ``q12`` are one abbreviation with its number,
    # and ``mh62`` is a person born then.
    is_abbreviation = len(words) == 1 and sum(map(len, numbers)) <= _LONGEST_NUMBER + 1 - len(words[0])
    if not (is_abbreviation or any(len(word) >= _SHORTEST_PART for word in words)):
        return False
    if numbers and any(map(is_a_place_word, words)):
        return False
    return all(len(word) == 1 or is_known_word(word) for word in words)


def is_in_known_words(text: str) -> bool:
    """Whether a text of a description has known words, single letters and numbers of at most three digits alone."""
    if _DURATION.fullmatch(text):
        return True
    parts = _PART.findall(words_of(_MARKED.sub(" ", text)))
    words = [part for part in parts if not part.isdecimal()]
    if len(words) > 1 and all(len(word) == 1 for word in words):
        return False  # initials
    if any(part.isdecimal() and len(part) > 1 for part in parts) and any(map(is_a_place_word, words)):
        return False  # the number of a site, and no group of sites: "Pooled Site Group 1"
    return not why_of_label(text) and all(
        len(part) <= _MOST_DIGITS if part.isdecimal() else len(part) == 1 or is_known_word(part) for part in parts
    )


def may_name_somebody(text: str, is_text: bool) -> bool:
    """Whether a word of a text, or of a name, that no list has may be the name of a person or a place.

    It ends as surnames do, or is written with a capital: in a text anywhere (``Station Haslinger``), in the name of a
    column or file behind another word.
    """
    words = re.findall(r"[^\W\d_]+", text)
    unknown = [word for word in words if len(word) >= _LONG_PART - 1 and not is_known_word(words_of(word))]
    marked = words if is_text else words[1:]
    return any(ends_as_surname(word) or (word in marked and word.istitle()) for word in unknown)


@cache
def is_known_word(word: str) -> bool:
    """Whether a word is in a list, in one of its forms, or is made of two or three that are."""
    if is_listed_name(word):
        return False
    return _is_listed(word) or _is_compound(word)


def _is_listed(word: str) -> bool:
    forms = (word, word.removesuffix("s"), word.removesuffix("es"), word.removesuffix("n"), word.removesuffix("en"))
    return any(form in _words() for form in forms if len(form) > 1) or is_a_word_of_medicine(word)


def _is_compound(word: str) -> bool:
    """Whether a word is written of known ones without a blank: ``bloodpressure``, ``herzfrequenz``."""
    if len(word) < _SHORTEST_PART + _LONG_PART or ends_as_surname(word):
        return False
    return any(
        max(place, len(word) - place) >= _LONG_PART and _is_listed(word[:place]) and _is_listed(word[place:])
        for place in range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 1)
    )


@cache
def _words() -> frozenset[str]:
    given = {word for text in words_of_the_standard() for word in words_of(text).split()}
    return frozenset(given | words_of_headings() | words_of_roles() | words_of_examinations()[0])
