"""The names of columns, as all rules that go by names read them."""

from __future__ import annotations

import re
import unicodedata
from functools import cache


def variables_of(column: str) -> tuple[str, ...]:
    """The names by which a rule may know a column: what follows the domain, and what follows the last dot of that.

    ``DM__RFSTDTC`` is RFSTDTC; ``LB__Cholesterol.LBDTC``, as ``merge`` carries a variable beside a test, is LBDTC too.
    """
    heading = column.rpartition("__")[2]
    variable = heading.rpartition(".")[2]
    return (heading,) if variable in ("", heading) else (heading, variable)


def is_variable(column: str, names: str) -> bool:
    """Whether the whole name of a column's variable matches the pattern ``names``."""
    return any(re.fullmatch(names, variable) for variable in variables_of(column))


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
