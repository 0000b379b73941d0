"""The names of countries in the languages of Europe, ``countries.json``, and their continents, ``continents.json``."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from functools import cache
from pathlib import Path

from study.headings import words_of

MOST_COUNTRIES = 300
SHORTEST = 4  # letters of a name: codes of two and three letters are other things as well


@cache
def _codes() -> dict[str, str]:
    listed = json.loads(Path(__file__).with_name("countries.json").read_text(encoding="utf-8"))["words"]
    return {name: code for code, names in listed.items() for name in names.split("; ") if len(name) >= SHORTEST}


def are_codes_of_countries(texts: Collection[str]) -> bool:
    """Whether all texts are ISO 3166-1 codes of two letters, and at least two of them."""
    return len(texts) > 1 and set(_codes().values()).issuperset(texts)


def country_of(text: str) -> str | None:
    """The ISO 3166-1 code of a country by its name in any of the languages, in any case; None for anything else."""
    return _codes().get(words_of(text))


def are_countries(texts: Iterable[str]) -> bool:
    """Whether all texts are names of countries, and at least two of them of different ones."""
    found = set()
    for text in texts:
        if (code := country_of(text)) is None:
            return False
        found.add(code)
    return len(found) > 1


@cache
def _continents() -> dict[str, str]:
    """The continent of each code of a country, of three letters or of two, and of its own name."""
    listed = json.loads(Path(__file__).with_name("continents.json").read_text(encoding="utf-8"))["countries"]
    codes = {name: " ".join(pairs).replace(":", " ").split() for name, pairs in listed.items()}
    return {code: name for name, of_name in codes.items() for code in (name, *of_name)}


def continent_of(country: str) -> str | None:
    """The continent of a country's code or name, in capitals; a continent is its own; None for anything else."""
    text = country.strip().upper()
    return _continents().get(text) or _continents().get(country_of(country) or "")
