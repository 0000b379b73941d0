"""What the heading of a column of a plain table says of its role, in several languages.

Headings are compared in small letters, without accents, one blank between words (``study.headings.words_of``). The
words are the lists of ``words.json``: ``*datum`` is any word that ends so, ``geb*`` any that begins so. A role
by its heading holds only as far as the values agree; ``column_roles`` asks them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from study.concepts import Part, concept_of
from study.headings import is_number, words_of
from study.models.roles import Role
from study.words import form_of, listed_words, words_of_births, words_of_the_pilots


@dataclass(frozen=True)
class HeadingSays:
    """The role that a heading names, and why."""

    role: Role
    reason: str


_OF_A_BODY = r"blood|blut|sang\w*|krwi|side|circumference|span|upper|left|right|mid|risk|peer|food|ethnic"  # group, arm
# What a heading must not have beside the words of a role: "visit id" numbers records, "anchor year group" says when.
_NOT_BESIDE = {
    "visit": r"(?!.*\b(?:id|key|uuid|gesta\w*|pregnan\w*)\b)",
    # No station, and the site of a body.
    "site": r"(?!.*\b(?:gesta|manifesta|infesta|tumou?r|lesion|metasta|biops|injecti|infus|infecti|bleed|pain|anatom))",
    "arm": rf"(?!.*\b(?:years? groups?|{_OF_A_BODY})\b)",
}
# A number of several things is a count, and of one thing its id: of visits, of the stay. And words that end as ids do,
# acids, fluids, steroids: no others, as exports have a SUBJECTOID.
_NO_KEY = re.compile(
    r"\b(?:(?:number|num|no) of(?= (?:\w+ )*(?:\w+[^\Wsiu]s|children|people|men|women|teeth)\b)"
    r"|\w*(?:steroid|thyroid|opioid|rheumatoid|carcinoid|lymphoid|sigmoid|typhoid|amyloid|haemorrhoid|hemorrhoid)"
    r"|\w*(?:acid|fluid|lipid)|covid|carotid|vid)\b"
)
_ALONE = "part of a name or address"  # "first", "name": of a person as a whole heading alone
# Lists of words that a heading has all of, the role, and what it names. The first that fits decides, so those that
# disclose most come first: "date of birth of the mother" is a birth.
_Table = tuple[tuple[tuple[str, ...], Role, str], ...]
_DISCLOSING: _Table = (
    (("birth",), Role.BIRTH, "a date of birth"),
    (("name or way to reach",), Role.IDENTIFIER, "a name, or a way to reach a person"),
    ((_ALONE,), Role.IDENTIFIER, "a name, or a way to reach a person"),
    (("number of a person",), Role.IDENTIFIER, "a number of a person in other files"),
    (("place",), Role.PLACE, "a place"),
)
_FURTHER: _Table = (
    (("death", "date"), Role.DEATH_DATE, "a date of death"),
    (("text as entered",), Role.VERBATIM, "text as it was entered"),
    (("date",), Role.DATE, "a date"),
    (("unit",), Role.UNIT, "a unit"),
    (("visit",), Role.VISIT, "a visit, or another part of a plan"),
    (("arm",), Role.ARM, "a treatment group"),
    # Before the site: "hospital death" is a death.
    (("death",), Role.DEATH, "a death"),
    (("site",), Role.SITE, "a site, or who treats the person"),
)


@cache
def _lists() -> dict[str, list[str]]:
    """The words and phrases of each list, the headings of births in every language among them."""
    found = {name: listed_words("roles", name) for name in words_of_the_pilots()["roles"]}
    return {**found, "birth": [*found["birth"], *words_of_births()]}


@cache
def _form(name: str) -> re.Pattern[str]:
    """The form of the headings that have a word or phrase of a list."""
    phrases = form_of(_lists()[name])
    return re.compile(f"(?:{phrases})" if name == _ALONE else rf"{_NOT_BESIDE.get(name, '')}.*\b(?:{phrases})\b.*")


def _has(name: str, words: str) -> bool:
    return _form(name).fullmatch(words) is not None


@cache
def role_of_heading(heading: str) -> HeadingSays | None:
    """The role that a heading names; None where it names none, and the values have to say."""
    words = words_of(heading)
    return _first(_DISCLOSING, words) or _of_concept(heading) or _first(_FURTHER, words)


def _first(table: _Table, words: str) -> HeadingSays | None:
    found = (row for row in table if all(_has(name, words) for name in row[0]))
    return next((HeadingSays(role, f"the heading names {what}") for _, role, what in found), None)


# What acquaintances know, by the table of concepts; what is no role of its own is a category or a number.
_ROLE_OF_CONCEPT = {
    "age": Role.AGE,
    "year of birth": Role.BIRTH_YEAR,
    "sex": Role.SEX,
    "race": Role.ORIGIN,
    "country": Role.ORIGIN,
    "place": Role.PLACE,
}


def role_of_phrase(heading: str) -> HeadingSays | None:
    """The role of the concept that a heading names as a whole: "anno di nascita" is a year, not a birth."""
    concept = concept_of(heading)
    return _of_concept(heading) if concept and words_of(heading) in concept.words else None


def _of_concept(heading: str) -> HeadingSays | None:
    concept = concept_of(heading)
    role = _ROLE_OF_CONCEPT.get(concept.name) if concept else None
    return HeadingSays(role, f"the heading names the {concept.name}") if concept and role else None


@cache
def words_of_roles() -> frozenset[str]:
    """The single words of these lists, without the beginnings and endings of words."""
    words = (word for phrases in _lists().values() for phrase in phrases for word in phrase.split() if "*" not in word)
    return frozenset(part for word in words for part in re.findall(r"[^\W\d_]{2,}", word))


def is_known_to_acquaintances(heading: str) -> bool:
    """Whether a heading names what acquaintances know or see: education, an occupation, the body weight."""
    concept = concept_of(heading)
    return concept is not None and concept.part in (Part.KNOWN, Part.SEEN)


def numbers_a_person(heading: str) -> bool:
    """Whether a heading names a number that a person has in many files, as that of a state or an insurance."""
    return _has("number of a person", words_of(heading))


def names_a_term(heading: str) -> bool:
    """Whether a heading names a diagnosis, drug or procedure, or the code of one."""
    return _has("term", words_of(heading)) or names_a_code(heading)


def names_a_code(heading: str) -> bool:
    """Whether a heading names the code of something, whose numbers are no days."""
    return _has("code", words_of(heading))


def words_beside_unit(heading: str) -> str:
    """The words of a heading without those for a unit: of what it is the unit."""
    return " ".join(word for word in words_of(heading).split() if not _has("unit", word))


def unit_beside(name: str, names: Sequence[str]) -> str | None:
    """Which of the columns of a table names the unit of another one's numbers: ``AGEU`` of ``AGE``; None for none.

    Its heading has the same words, or none but for a unit, and it stands directly behind the numbers.
    """
    if f"{name}U" in names:
        return f"{name}U"
    says = {other: role_of_heading(other) for other in names}
    words = {other: words_beside_unit(other) for other, one in says.items() if one and one.role is Role.UNIT}
    behind = names[names.index(name) + 1 :][:1]
    return next((one for one in words if words[one] == words_of(name) or (words[one] == "" and one in behind)), None)


def names_a_label(heading: str) -> bool:
    """Whether a heading names words for a code beside it."""
    return _has("label", words_of(heading))


def is_key(heading: str) -> bool:
    """Whether a heading names a number or id of a record: no acid, and no number of what is counted."""
    words = _NO_KEY.sub("", words_of(heading))
    return is_number(heading) or any(_has("key", word) for word in words.split())
