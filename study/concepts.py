"""What the heading of a column says about its values, in several languages: by the words of ``words.json``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from itertools import chain
from typing import Any

from study.headings import spellings_of, words_of
from study.words import words_of_examinations, words_of_the_pilots

FEWEST_LETTERS, FEWEST_LETTERS_WITH_POINT = 6, 3  # of a word that is cut off
_NUMBER_OF_A_QUESTION = re.compile(r"^[a-z]{1,2}\d+(?:[a-z]\d+)?\b")  # "Q2", "G1Q2" before the question itself
_WITH_POINT = re.compile(r"[^\W\d_]+(?=\.)")


class Part(Enum):
    """The part that a concept plays in a config."""

    KNOWN = "quasi-identifier"  # acquaintances know it
    SEEN = "seen"  # visible to anybody who meets the person
    SENSITIVE = "sensitive"
    PRIVATE = "private"  # sensitive where a controller says so: a habit, which many see


@dataclass(frozen=True)
class Concept:
    """What headings with one of these words name. ``words`` may be phrases; ``why`` is for people.

    ``endings``: words that also name it at the end of a longer one, as in ``Hauptdiagnose``. ``kind``: the kind of
    knowledge, of what outsiders may know or see. Among columns of
    ``SENSITIVE`` concepts, the earlier in the table, the more sensitive.
    """

    name: str
    part: Part
    why: str
    words: tuple[str, ...]
    endings: tuple[str, ...] = ()
    kind: str = ""


@cache
def _beside(name: str) -> frozenset[str]:
    """The words that leave an age or a sex what it is: "age at death" is another matter, "sex partners" what people do.

    Those beside an age, words above a group of headings among them, may stand beside a sex, too.
    """
    words = words_of_the_pilots()["beside people"]
    return frozenset(words_of(" ".join(words["age"] if name == "age" else words["age"] + words["sex"])).split())


def _concept(declared: Mapping[str, Any]) -> Concept:
    return Concept(
        declared["name"],
        Part[declared["part"].upper()],
        declared["why"],
        tuple(chain.from_iterable(map(spellings_of, declared["words"]))),
        tuple(chain.from_iterable(map(spellings_of, declared.get("endings", ())))),
        declared.get("kind", ""),
    )


CONCEPTS: tuple[Concept, ...] = tuple(map(_concept, words_of_the_pilots()["concepts"]))
CONCEPT_OF_NAME = {concept.name: concept for concept in CONCEPTS}
LABORATORY_RESULT = CONCEPT_OF_NAME["a laboratory result"]


MEASURES = ("age", "body mass index", "height or weight", "an income", "a laboratory result")


def names_a_measure(heading: str) -> bool:
    """Whether a heading names what is measured or counted in numbers of any size, and is no day."""
    concept = concept_of(heading)
    return concept is not None and concept.name in MEASURES


@cache
def concept_of(heading: str) -> Concept | None:
    """The concept that a heading names; None if it contains no word of the table.

    The words of a phrase have to be in it whole and side by side; the longest phrase decides, then the table's
    order, and none beside a word for what outsiders know. Else a word that ends so, then a word that is cut off:
    ``Geschl.``, ``DIAGNOS``. ``Alt`` is German for old, where ``ALT`` and ``alt`` are an enzyme: in doubt the age.
    """
    words = words_of(re.sub(r"(?<![^\W_])Alt(?![^\W_])", "Alter", heading))
    found = [
        (len(phrase), concept)
        for concept in CONCEPTS
        for phrase in concept.words
        if f" {phrase} " in f" {words} " and _means(concept, phrase, words)
    ]
    if not found:
        return _by_ending(words) or _cut_off(heading, words)
    concept = max(found, key=lambda pair: pair[0])[1]
    is_known = concept.part in (Part.KNOWN, Part.SEEN)
    return concept if is_known or not names_what_is_known(heading) else None


@cache
def names_what_is_known(heading: str) -> bool:
    """Whether a heading has a word for what outsiders know, whatever stands beside it: ``place of residence, stroke``.

    Who knows the home or the age at a diagnosis cannot be said by the word for the diagnosis.
    """
    words = f" {words_of(heading)} "
    return any(f" {phrase} " in words for one in CONCEPTS if one.kind for phrase in one.words)


@cache
def names_an_examination(heading: str) -> bool:
    """Whether a heading says nothing but what those alone know who examined the person: ``CRP week 4``, ``cd420``.

    Every word of it has to be one for an examination, a sensitive matter or a habit, or one that stands beside these;
    numbers may end it. A single word that is none of them may be about anything.
    """
    concept = concept_of(heading)
    if concept is not None and concept.part in (Part.KNOWN, Part.SEEN):
        return False
    examined, beside = words_of_examinations()
    of_concept = set(" ".join(phrase for phrase in concept.words).split()) if concept else set()
    ending = concept.endings if concept else ()

    def is_one(spelled: str) -> bool:
        words = [word for word in words_of(spelled).split() if not _without_number(word, beside)]
        named = all(_without_number(word, examined) or word in of_concept or word.endswith(ending) for word in words)
        return named and any(not word.isdecimal() for word in words)

    return is_one(heading) or is_one(heading.casefold())  # HBsAg and MoCA are one word each


def _without_number(word: str, words: frozenset[str]) -> bool:
    """Whether a word, or what is left of it without digits at its end, is one of some words; or only digits."""
    n_digits = len(word) - len(word.rstrip("0123456789"))
    return n_digits == len(word) or any(word[: len(word) - cut] in words for cut in range(n_digits + 1))


def _by_ending(words: str) -> Concept | None:
    return next((one for one in CONCEPTS for word in words.split() if one.endings and word.endswith(one.endings)), None)


def _cut_off(heading: str, words: str) -> Concept | None:
    """The one concept of which a word of the heading is the beginning: it ends in a point, or is long enough."""
    marked = {words_of(word) for word in _WITH_POINT.findall(heading)}
    alone = [word for word in words.split() if not _without_number(word, words_of_examinations()[1])]
    for word in words.split():
        if word not in marked and len(alone) > 1:  # the beginning of one word among others may be a word of its own
            continue
        least = FEWEST_LETTERS_WITH_POINT if word in marked else FEWEST_LETTERS
        meant = {one.name: one for one in CONCEPTS if len(word) >= least and _begins(one, word)}
        if len(meant) == 1 and not any(_begins_a_compound(one, word) for one in meant.values()):
            return next(iter(meant.values()))
    return None


def _begins_a_compound(concept: Concept, cut: str) -> bool:
    """Whether a word is the first of two in one: ``Aufnahme`` is no diagnosis, as ``Aufnahmediagnose`` is."""
    whole = (word for phrase in concept.words for word in phrase.split() if word.startswith(cut))
    return any(word[len(cut) :].endswith(concept.words) for word in whole)


def _begins(concept: Concept, cut: str) -> bool:
    """Whether a word of the concept goes on for two letters or more; what ends with one may begin anywhere."""
    whole = (word for phrase in concept.words for word in phrase.split())
    return any(word.startswith(cut) and len(word) >= len(cut) + 2 for word in whole) or any(
        cut.endswith(ending[:n]) for ending in concept.endings for n in range(FEWEST_LETTERS - 1, len(ending))
    )


def _means(concept: Concept, phrase: str, words: str) -> bool:
    """Whether a phrase in a heading means the concept: other words may say that it is about something else."""
    beside = set(_NUMBER_OF_A_QUESTION.sub("", words).split()) - set(phrase.split())
    if concept.name == "age" or phrase == "sex":
        return beside <= _beside(concept.name)
    return concept.part not in (Part.KNOWN, Part.SEEN) or not beside & words_of_examinations()[0]


def rank_of(concept: Concept, heading: str) -> tuple[int, int]:
    """Place of the concept in the table, and of the heading's word in the concept: earlier is more likely meant."""
    words = f" {words_of(heading)} "
    places = (place for place, phrase in enumerate(concept.words) if f" {phrase} " in words)
    return CONCEPTS.index(concept), next(places, len(concept.words))
