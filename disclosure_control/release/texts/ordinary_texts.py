"""Texts that tell of nobody, however few people have them: results, units, codes of systems, terms of the standard."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import cache

import numpy as np
import pyarrow as pa

from disclosure_control.release.terms.raised_terms import NOT_RELEASED
from study.formats.matches import are_matching
from study.models.standard_words import standard_terms
from study.models.values_seen import CODE_SYSTEMS
from study.words import words_of_the_pilots, yes_and_no

# A result: a number of seven digits at most before the point, with a sign; limits, ratios, titres, intervals, grades.
# Longer numbers, and those with zeros in front, are numbers of something: of a telephone, a person, a case.
_SIGN = r"(?:[<>]=?|=|~|≤|≥|±|\+|-|>=?-|<=?-)?"
_INTEGER = r"(?:0{0,2}\d{1,3}|[1-9]\d{0,6}|[1-9]\d{0,2}(?:,\d{3}){1,2})"
_NUMBER = rf"{_SIGN} ?(?:{_INTEGER})?(?:[.,]\d{{1,20}})?(?:[eE][-+]?\d{{1,3}})?"
_RESULTS = (
    rf"{_NUMBER} ?%?",
    r"\d{1,3} ?(?:/|:|x) ?\d{1,3}",
    r"1 ?: ?\d{1,5}",
    rf"{_NUMBER}--{_NUMBER}",
    r"\d{1,3}(?:[.,]\d{1,4})? ?- ?\d{1,3}(?:[.,]\d{1,4})?",
    r"\+{1,4}|-|\.|\w|\d\+",
    r"-?P(?:\d+(?:\.\d+)?[YMWD])*(?:T(?:\d+(?:\.\d+)?[HMS])+)?",
)
_RESULT = f"^(?:{'|'.join(_RESULTS)})$"
# Numbers of trials in the registers, which are public.
_REGISTERED = r"(?:NCT|ISRCTN|DRKS|ACTRN|EUCTR|UMIN|CTRI|JPRN-)\d{8,14}|\d{4}-\d{6}-\d{2}(?:-\d{2})?"
_CODE = f"^(?:{'|'.join((*CODE_SYSTEMS.values(), _REGISTERED))})$"
_USUAL_UNITS = """
    % g kg mg ug μg µg mcg ng pg fg l dl cl ml ul μl µl nl pl fl m cm mm um μm µm nm km m2 cm2 mm2 m3 cm3 mm3 mol
    mmol umol μmol µmol nmol pmol fmol eq meq ueq mosm osm iu miu uiu kiu u mu ku ukat nkat kat s sec ms msec us min
    mins minute minutes h hr hrs hour hours d day days wk week weeks mo month months y yr year years bpm beats beat
    breaths breath mmhg hg mmh2o kpa pa hpa cmh2o torr c f k deg degc degf degree degrees hpf lpf cells cell rbc wbc
    ratio score copies copy tablet tablets capsule capsules tab cap kcal cal kj j puff puffs drop drops in inch ft
    lb lbs oz cfu pfu index unit units mv v w hz db ppm ppb mg% vol% gtt dose fraction million thousand e n no per
    of log10 stk mval
"""
_UNITS = frozenset(_USUAL_UNITS.split())
_PARTS_OF_A_UNIT = re.compile(
    r"[\s/*·^()\[\]{}-]+|(?<!\w)\d+(?:\.\d+)?|x?10\^?[eE*]*\d{0,2}(?!\w)|(?<=[a-zA-Zμµ])[23](?!\w)"
)
_DIGITS = re.compile(r"\d+(?:[.,]\d+)?")
_NUMBER_OF_A_UNIT = re.compile(r"\d{1,2}|10+|1[.,]\d{1,2}")  # no W-48217K: powers of ten, 24 h, 1.73 m2
_WORD = re.compile(r"[^\W\d_]+")
# Words in which plans of visits are written, beside those of the standard's terms.
_PLANS = "week day month visit cycle hour hours phase period part grade class stage type arm group no"
_OF_PLANS = frozenset(_PLANS.split())
_MOST_WORDS, MOST_DIGITS = 8, 3


def are_ordinary(texts: pa.LargeStringArray) -> np.ndarray:
    """Which texts (n,) are results, units, codes or terms: whoever has one is told by none of them."""
    found = are_matching(texts, _RESULT) | are_matching(texts, _CODE)
    rest = np.flatnonzero(~found)
    for place, text in zip(rest.tolist(), texts.take(pa.array(rest)).to_pylist(), strict=True):
        found[place] = is_of_the_standard(text) or is_a_unit(text)
    return found


@cache
def _terms() -> frozenset[str]:
    """Terms of the standard, and words for yes, no, a sex or a marital status in the languages of the pilots."""
    of_values = [
        word.casefold()
        for languages in words_of_the_pilots()["values"].values()
        for groups in languages.values()
        for words in groups
        for word in words
    ]
    ours = {NOT_RELEASED.casefold(), "discontinued"}  # what ``rare_terms`` puts in place of a term
    return standard_terms() | ours | yes_and_no() | frozenset(of_values)


@cache
def _words_of_terms() -> frozenset[str]:
    return frozenset(word for term in standard_terms() for word in _WORD.findall(term)) | _OF_PLANS


def is_a_term_of_the_standard(text: str) -> bool:
    """Whether a text is one of the terms of the standard."""
    return text.casefold() in _terms()


def is_of_the_standard(text: str) -> bool:
    """Whether a text is a term of the standard, or is made of words of such terms and hardly a digit."""
    folded = text.casefold()
    return folded in _terms() or has_known_words(folded, _words_of_terms())


def has_known_words(text: str, words: Collection[str]) -> bool:
    """Whether a short text has none but these words, in small letters, and at most four digits."""
    found = _WORD.findall(text.casefold())
    is_short = 0 < len(found) <= _MOST_WORDS and sum(map(str.isdigit, text)) <= MOST_DIGITS + 1
    return is_short and all(len(word) > 1 and word in words for word in found)  # one letter is an initial


def is_a_unit(text: str) -> bool:
    """Whether a text is a unit of measurement: parts of the usual units alone."""
    parts = [part for part in _PARTS_OF_A_UNIT.split(text.casefold()) if part]
    is_short = len(text) <= 24 and sum(map(str.isdigit, text)) <= MOST_DIGITS + 2  # mL/min/1.73m2
    if not all(map(_NUMBER_OF_A_UNIT.fullmatch, _DIGITS.findall(text))):
        return False
    return bool(parts) and is_short and all(part in _UNITS or part.isdigit() for part in parts)


def are_flags(texts: Sequence[str]) -> np.ndarray:
    """Which texts (n,) a flag may hold: yes, no or not known, in the pilots' languages, or one digit."""
    allowed = yes_and_no() | {"u", "na", "unknown"}
    return np.array([text.casefold() in allowed or (len(text) == 1 and text.isdigit()) for text in texts], dtype=bool)


def without_digits(text: str) -> str:
    """The plan of a text: each digit as #; "" where it has more than a few, which may be those of a telephone."""
    n_digits = sum(map(str.isdigit, text))
    return re.sub(r"\d", "#", text) if 0 < n_digits <= MOST_DIGITS else ""


def words_of(texts: Sequence[str]) -> set[str]:
    """The words of texts, in small letters."""
    return {word for text in texts for word in _WORD.findall(text.casefold())}
