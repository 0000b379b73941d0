"""Words that indicate names of persons: titles, endings of surnames, and first names in the languages of Europe.

``first_names.json`` names its source and the script that makes it. A first name alone is a hint, beside the shape and
the variety of a column's values; within a text another word with a capital has to stand beside it.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

from disclosure_control.basics.column_names import folded

# Endings of surnames that few other words have; of folded words, without accents.
SURNAME = re.compile(
    r"(?:οπουλοσ|οπουλου|οπουλος|ιδης|ιδησ|ιδου|ιαδης|ιαδησ|ιαδου|ακης|ακησ|ακη|ογλου|ελλης|ελλησ|ουδης|ουδησ|"
    r"opoulos|opoulou|idis|idou|iadis|iadou|akis|oglou|oglu|"
    r"ов|ова|ев|ева|ски|ска|ский|ская|енко|ович|чук|"
    r"ov|ova|ev|eva|ski|ska|sky|icz|czyk|czak|enko|vic|"
    r"mann|meier|meyer|maier|mayer|berger|bauer|hofer|stein|huber|schmidt|"
    r"guez|dez|nez|mez|pez|rez|tez|"
    r"sson|ssen|nsen|dottir|strom|qvist|quist|"
    r"eau|ault|elli|etti|ucci|ini|escu|escu|yan|ian)$"
)

TITLED = (
    r"(^|[^\pL])(Mr|Mrs|Ms|Dr|Prof|Herr|Herrn|Frau|Sr|Sra|Señor|Señora|Pan|Pana|Pani|Panem|Panią|Mme|Monsieur|Madame|"
    r"Signor|Signora|Sig|κ|κα|κος|Κος|Κα|Κυρία|Κύριος|κυρία|κύριος|κύριο|κυρίου|κ\.κ|γιατρός|ιατρός|Δρ|г-н|г-жа|Г-н|"
    r"Г-жа|д-р|Д-р|проф|lek|DR|MR|MRS|PROF)\.? (med\. |n\. |hab\. )?([\p{Lu}]\. ?){0,2}[\p{Lu}][\pL'’-]{2,}"
)


@cache
def _listed() -> dict[str, str]:
    listed: dict[str, str] = json.loads(Path(__file__).with_name("first_names.json").read_text(encoding="utf-8"))[
        "words"
    ]
    return listed


@cache
def first_names() -> frozenset[str]:
    """First names, folded, in Latin, Greek and Cyrillic letters."""
    return frozenset(name for some in _listed().values() for name in some.split())


@cache
def common_first_names() -> frozenset[str]:
    """Those of several languages, which hardly any text has as another word, and the most common ones of the pilots."""
    return frozenset(_listed()["common"].split())


def is_first_name(word: str) -> bool:
    """Whether a word is one of the first names."""
    return folded(word) in first_names()


def ends_as_surname(word: str) -> bool:
    """Whether a word of five letters and more ends as surnames do."""
    letters = folded(word)
    return len(letters) >= 5 and SURNAME.search(letters) is not None
