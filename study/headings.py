"""What the heading of a column says of its values: its words, and whether it names the person of a record."""

from __future__ import annotations

import re
import unicodedata

_PLAIN = str.maketrans({"ς": "σ", "ł": "l", "ø": "o", "đ": "d", "æ": "ae", "'": None})
_IN_TWO_LETTERS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"})


def words_of(heading: str) -> str:
    """A heading in small letters without accents, a blank between words: ``ChestPainType`` is ``chest pain type``."""
    neighbours = zip(" " + heading, heading, heading[1:] + " ", strict=False)
    apart = "".join(
        f" {letter}" if letter.isupper() and (before.islower() or (before.isupper() and after.islower())) else letter
        for before, letter, after in neighbours
    )
    if not apart.isascii():
        decomposed = unicodedata.normalize("NFKD", apart)
        apart = "".join(letter for letter in decomposed if not unicodedata.combining(letter))
    return " ".join(re.findall(r"[^\W_]+", apart.casefold().translate(_PLAIN)))


def spellings_of(text: str) -> tuple[str, ...]:
    """A listed phrase as ``words_of`` gives it, and as a keyboard without its letters writes it: ``groesse``."""
    written = dict.fromkeys((text, text.casefold().translate(_IN_TWO_LETTERS)))
    return tuple(dict.fromkeys(map(words_of, written)))


# Words of a heading that names a subject and nothing more: "patient id", not "patient name".
_PERSON = re.compile(
    r"(patient(en|s|e)?|pacient[ea]?|pacjenta?|paziente|пациента?|ασθεν(ησ|ουσ)|subj(ect)?|participant|proband(en)?|person|pat"
    r"|pseudonym|psn|member|beneficiary|client|respondent|volunteer|donor)"
    r"(id|no|nr|num|nummer|number|code|kod|kennung)?|p(id|nr|no|idnum)|uniquepid|usubjid|mrn|nhc"
)
_NUMBERS = frozenset(
    words_of(
        "id no nr num number code key nummer kode kennung número código numer kod κωδικός αριθμός Α/Α номер код numéro "
        "codice číslo case record row"
    ).split()
)
_BETWEEN = frozenset(("of", "the", "de", "del", "na", "на", "του"))


def names_subjects(heading: str) -> bool:
    """Whether a heading names the subject: a word for a person, alone or with a word for a number or code."""
    words = set(words_of(heading).split()) - _BETWEEN - _NUMBERS
    return bool(words) and all(_PERSON.fullmatch(word) for word in words)


def is_number(heading: str) -> bool:
    """Whether a heading means a number without naming what it numbers: ``id``, ``no``, ``A/A``."""
    words = set(words_of(heading).split()) - _BETWEEN
    return bool(words) and words <= _NUMBERS
