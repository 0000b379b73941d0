"""Telephone numbers within a text, by the numbering plans of countries: Google's libphonenumber, if it is installed.

``requirements/texts.txt`` has it. Without it, ``single_texts`` recognises numbers with a country's code, after a word
for telephone, or divided as numbers are.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

# Of a number without a country's code: the countries of the project's pilots.
COUNTRIES = ("AT", "DE", "CH", "ES", "GR", "PL", "BG", "IT", "FR", "GB", "IE", "NL", "BE", "PT", "RO", "US")
_MAY_BE = re.compile(r"(?:\d[\s()./-]{0,3}){7,}")


@cache
def _library() -> Any:
    try:
        import phonenumbers
    except ImportError:
        return None
    return phonenumbers


def holds_a_number(text: str) -> bool:
    """Whether a text holds a number that one of the countries gives to a telephone; never without the library."""
    library = _library() if _MAY_BE.search(text) else None
    if library is None:
        return False
    strict = library.Leniency.VALID
    return any(library.PhoneNumberMatcher(text, country, leniency=strict).has_next() for country in COUNTRIES)
