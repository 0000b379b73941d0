"""Meanings of headings, in several languages: a hint beside the values, and never the only reason for a finding."""

from __future__ import annotations

import re
import unicodedata
from functools import cache


@cache
def folded(heading: str) -> str:
    """A heading in small letters without accents, words divided by single blanks: ``Date_of-Birth`` and ``dateOfBirth``
    are ``date of birth``."""
    spaced = re.sub(r"(?<=[^\W\d_A-Z])(?=[A-Z])|[\W_]+", " ", unicodedata.normalize("NFC", heading))
    letters = unicodedata.normalize("NFD", spaced.casefold())
    return " ".join("".join(letter for letter in letters if not unicodedata.combining(letter)).split())


@cache
def any_of(*words: str) -> re.Pattern:
    """A pattern that finds one of these beginnings of words in a folded heading; ``=`` before one asks for it whole.

    The words are folded here, as the headings are.
    """
    parts = [rf"{re.escape(folded(word[1:]))}\b" if word.startswith("=") else re.escape(folded(word)) for word in words]
    return re.compile(rf"\b(?:{'|'.join(parts)})")
