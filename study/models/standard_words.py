"""What says the same in every study: labels, terms and fragments of names of SDTM and ADaM, and words of medicine.

The lists are data, ``standard_words.json``, which names their sources. A text made of them names no person and no
place; terms are compared without regard to case.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from study.words import words_of_the_pilots

_WORD = re.compile(r"[^\W\d_]+")
_NAME = re.compile(r"[A-Z][A-Z0-9]{0,7}")
_ENDINGS = ("", "N", "C", "U", "F")  # of a variable: numeric, character, unit, flag
_LONG = 5  # letters of an ending that no name has


@cache
def standard_lists() -> dict[str, Any]:
    """The lists by name, read once."""
    found: dict[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
    return found


def _words_of(name: str) -> list[str]:
    return " ".join(standard_lists()[name]).split()


# ---------------------------------------------------------------- labels and terms


def standard_label(variable: str) -> str:
    """The standard's label of a variable in whatever domain, "" of one that it does not have."""
    known, name = standard_lists()["labels"], variable.upper()
    return str(known.get(name) or known.get(f"--{name[2:]}", ""))


def standard_data_set_labels(data_set: str) -> list[str]:
    """The standard's labels of a data set, the first is the usual one; none of others than the standard's."""
    return list(standard_lists()["data sets"].get(data_set.upper(), ()))


@cache
def standard_terms() -> frozenset[str]:
    """Every term, code and name of a test of the standard's lists, in small letters."""
    lists = standard_lists()
    terms = (*lists["terms"], *lists["terms of trials"], *lists["tests"].keys(), *lists["tests"].values())
    return frozenset(map(str.casefold, terms))


@cache
def classes_of_terms() -> frozenset[str]:
    """The classes of MedDRA and of ATC at their highest level, in small letters."""
    lists = standard_lists()
    return frozenset(map(str.casefold, (*lists["system organ classes"], *lists["drug groups"])))


@cache
def words_of_the_standard() -> frozenset[str]:
    """The words in which the standard describes variables, in small letters."""
    lists = standard_lists()
    of_data_sets = (text for name, labels in lists["data sets"].items() for text in (name, *labels))
    texts = (*lists["labels"].values(), *of_data_sets, *standard_terms())
    headings = {word for one in words_of_the_pilots()["concepts"] for text in one["words"] for word in text.split()}
    found = {word.casefold() for text in texts for word in _WORD.findall(text)}
    return frozenset(found | headings | set(_words_of("words of labels")))


def is_word_of_labels(word: str) -> bool:
    """Whether the standard's labels and terms have a word, or a medical dictionary would."""
    return word.casefold() in words_of_the_standard() or is_a_medical_term(word)


# ---------------------------------------------------------------- names of variables


def is_made_of_fragments(name: str) -> bool:
    """Whether a name of at most eight letters and digits is made of the standard's fragments, as sponsors make theirs.

    It has at most two digits at a time.
    """
    letters = name.upper()
    if not _NAME.fullmatch(letters) or re.search(r"\d{3}", letters):
        return False
    return all(_is_made(part) for part in re.split(r"\d+", letters) if part)


@cache
def _is_made(part: str) -> bool:
    parts = (part, part.removeprefix("A"))  # A stands for the analysis
    divided = any(_is_divided(one.removesuffix(end)) for one in parts for end in _ENDINGS if one.endswith(end))
    return divided or part in "NCUP"


@cache
def _is_divided(part: str) -> bool:
    return part in _fragments() or any(
        part[:place] in _fragments() and _is_divided(part[place:]) for place in range(2, len(part) - 1)
    )


@cache
def _fragments() -> frozenset[str]:
    return frozenset((*_words_of("fragments"), *standard_lists()["data sets"]))


# ---------------------------------------------------------------- medicine


@cache
def words_of_medicine() -> frozenset[str]:
    """Words of coded terms of events, procedures and drugs, and of the standard's own, in small letters."""
    of_terms = {word for term in standard_terms() for word in _WORD.findall(term) if len(word) > 2}
    return frozenset(_words_of("words of medicine")) | of_terms


@cache
def _ending() -> re.Pattern[str]:
    """A word with an ending of medicine; the shorter this is, the more stands before it: -ed is that of names, too."""
    by_length: dict[int, list[str]] = {}
    for one in _words_of("endings of medicine"):
        by_length.setdefault(min(max(len(one), 2), _LONG), []).append(one)
    before = {2: 4, 3: 2, 4: 2, _LONG: 0}
    parts = [rf"\w{{{before[length]},}}(?:{'|'.join(endings)})" for length, endings in sorted(by_length.items())]
    return re.compile(rf"(?:{'|'.join(parts)})s?")


@cache
def _long_ending() -> re.Pattern[str]:
    return re.compile(
        rf"\w{{2,}}(?:{'|'.join(one for one in _words_of('endings of medicine') if len(one) >= _LONG)})s?"
    )


def is_a_medical_term(text: str) -> bool:
    """Whether a text has a word of medicine, by its ending or whole."""
    words = _WORD.findall(text.casefold())
    return any(word in words_of_medicine() or _ending().fullmatch(word) for word in words)


def is_a_word_of_medicine(word: str) -> bool:
    """Whether a word, in small letters, is one whole or has an ending of five letters and more: no name has."""
    return word in words_of_medicine() or _long_ending().fullmatch(word) is not None
