"""Words of the corpus: names, streets, cities, diagnoses and headings, by language; ``languages.json`` has them.

``TUNING`` is what the kinds were tried on while they were written, ``SECOND_ROUND`` what they were mended with, and
``HELD_OUT`` what they are measured on: further names of the same languages, and four further languages each.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

_KEYS = (
    *("surname", "first", "national_id", "phone", "email", "birth", "street", "postcode", "sex", "age"),
    *("diagnosis", "city", "cholesterol", "admission", "note"),
)


@dataclass(frozen=True)
class Language:
    """``first`` and ``last`` names, ``street`` patterns with the house number, headings by what a column holds.

    ``national`` names the national id, ``date`` and ``phone`` their forms, ``title`` stands before a name in a text.
    """

    first: tuple[str, ...]
    last: tuple[str, ...]
    street: tuple[str, ...]
    city: tuple[str, ...]
    diagnosis: tuple[str, ...]
    headings: dict[str, str]
    note: str
    national: str
    date: str
    phone: str
    postcode: str
    title: str

    @classmethod
    def of(cls, said: dict[str, str]) -> Language:
        several = {key: tuple(said[key].split(",")) for key in ("first", "last", "street", "city", "diagnosis")}
        return cls(**{**said, **several, "headings": dict(zip(_KEYS, said["headings"].split(","), strict=True))})


_WORDS = json.loads(Path(__file__).with_name("languages.json").read_text(encoding="utf-8"))
TUNING, SECOND_ROUND, HELD_OUT = (
    {name: Language.of({**_WORDS["tuning"].get(name, {}), **said}) for name, said in _WORDS[part].items()}
    for part in ("tuning", "second round", "held out")
)
