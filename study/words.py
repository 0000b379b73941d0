"""The words of headings and of values in the languages of the pilots: ``words.json``, read once."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from study.headings import spellings_of, words_of

MOST_WORDS_OF_VALUES = 20  # different values of a column that are words for one thing
FEWEST_MEANINGS = 2  # that values have, for them to say what the column is: "m" alone may be metres


@cache
def words_of_the_pilots() -> Mapping[str, Any]:
    """The file: concepts of headings, and values by concept and language; its ``sources`` name the public lists."""
    found: dict[str, Any] = json.loads(Path(__file__).with_name("words.json").read_text(encoding="utf-8"))
    return found


def listed_words(part: str, name: str) -> list[str]:
    """The words and phrases of a list, in the order of the file."""
    return ", ".join(words_of_the_pilots()[part][name]).split(", ")


def form_of(phrases: Iterable[str]) -> str:
    """The form of any of some words and phrases: ``*datum`` is any word that ends so, ``geb*`` any that begins so."""
    return "|".join(re.escape(one).replace(r"\*", r"\w*").replace(r"\ ", " ") for one in phrases)


@cache
def words_of_headings() -> frozenset[str]:
    """Words that headings are made of, one by one, as ``study.headings.words_of`` gives them: in every language."""
    concepts = [text for concept in words_of_the_pilots()["concepts"] for text in concept["words"]]
    texts = [text for lines in words_of_the_pilots()["headings"].values() for text in lines]
    return frozenset(word for text in (*concepts, *texts) for one in spellings_of(text) for word in one.split())


@cache
def words_of_results() -> frozenset[str]:
    """Words for the result of a test that another column names."""
    return frozenset(words_of(" ".join(words_of_the_pilots()["results"])).split())


@cache
def words_of_examinations() -> tuple[frozenset[str], frozenset[str]]:
    """Words for what is found out about a person by examining them, in every language; and words beside them."""
    found = words_of_the_pilots()
    examined = " ".join(line for lines in found["examined"].values() for line in lines)
    return frozenset(words_of(examined).split()), frozenset(words_of(" ".join(found["beside"])).split())


@cache
def yes_or_no() -> tuple[frozenset[str], frozenset[str]]:
    """The words for yes, and those for no, in every language, in small letters."""
    yes, no = zip(*words_of_the_pilots()["yes and no"].values(), strict=True)
    return frozenset(" ".join(yes).split()), frozenset(" ".join(no).split())


@cache
def yes_and_no() -> frozenset[str]:
    """The words of both."""
    return frozenset.union(*yes_or_no())


@cache
def words_of_summaries() -> frozenset[str]:
    """The words that rows of totals, means and the like begin with, in every language, as they are written."""
    return frozenset(word for words in words_of_the_pilots()["summaries"].values() for word in words.split())


@cache
def words_for_missing() -> frozenset[str]:
    """Words that say that a value is not known, in every language, in small letters: unknown, k. A., not done."""
    return frozenset(word for words in words_of_the_pilots()["missing"].values() for word in words)


@cache
def words_for_missing_among_numbers() -> frozenset[str]:
    """These, and words that are values among others: MSK is an organ system, and ``fehlt`` is said of a reflex."""
    further = words_of_the_pilots()["missing among numbers"].values()
    return words_for_missing().union(word for words in further for word in words)


@cache
def words_of_births() -> tuple[str, ...]:
    """The headings of a date of birth in every language, as ``words_of`` gives them."""
    texts = (text for texts in words_of_the_pilots()["births"].values() for text in texts)
    return tuple(dict.fromkeys(one for text in texts for one in spellings_of(text)))


@cache
def _meanings() -> Sequence[tuple[str, Mapping[str, int], int]]:
    """By concept and language: each word and its meaning, of which the last one says that nothing is known."""
    return [
        (
            concept,
            {one: i for i, words in reversed(list(enumerate(groups))) for word in words for one in spellings_of(word)},
            len(groups) - 1,
        )
        for concept, languages in words_of_the_pilots()["values"].items()
        for groups in languages.values()
    ]


def named_by_values(texts: Iterable[str]) -> str | None:
    """The concept that the distinct values of a column are words of: all in one language, at least two meanings.

    None where no concept has all of them; ``m`` and ``w`` are the sexes, ``m`` and ``km`` are nothing.
    """
    found = set(map(words_of, texts))
    meant = (
        concept
        for concept, meanings, nothing in _meanings()
        if found <= meanings.keys() and len({meanings[one] for one in found} - {nothing}) >= FEWEST_MEANINGS
    )
    return next(meant, None)
