"""Names of persons, by the shape and the variety of the values, titles, endings, and the heading."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

import numpy as np

from disclosure_control.basics.column_names import any_of, folded
from disclosure_control.identifiers.column_findings import Grade
from disclosure_control.identifiers.column_values import FEWEST_PEOPLE, ColumnValues
from disclosure_control.identifiers.name_words import TITLED, ends_as_surname, is_first_name
from disclosure_control.identifiers.registry import Hits, IdentifierKind

# One to five words of letters alone, each with a capital first or an initial; particles may be small.
_WORD = (
    r"([\p{Lu}][\pL'’´`-]+|[\p{Lu}]\.|[\p{Lu}]|(de|del|la|las|los|van|von|der|den|di|da|dos|du|le|y|e|zu|bin|el|al)\b)"
)
SHAPE = rf"^{_WORD}([ ,]+{_WORD}){{0,5}}$"
INVERTED = r"^[\p{Lu}][\pL'’ -]+, ?[\p{Lu}][\pL'’.-]*( [\p{Lu}][\pL.]*)*$"  # Papadopoulou, Maria
WITH_INITIAL = r"^([\p{Lu}]\. ?){1,2}[\p{Lu}][\pL'’-]{2,}$|^[\p{Lu}][\pL'’-]{2,} ([\p{Lu}]\. ?){1,2}$"
HEADING = any_of("name", "nombre", "ονομα", "=име", "имена", "nome", "naam", "=nom", "nume", "jmeno", "=ime", "=ad")
# Headings that speak of persons alone; the last of them only where they are the whole heading.
PERSON = any_of(
    *("surname", "forename", "first name", "last name", "given name", "family name", "middle name", "maiden"),
    *(
        "full name",
        "lastname",
        "firstname",
        "fullname",
        "patient name",
        "vorname",
        "nachname",
        "familienname",
        "zuname",
    ),
    *("apellid", "nazwisk", "=imie", "επωνυμ", "επιθετο", "ονοματεπ", "фамил", "презим", "cognom", "prenom", "prenume"),
    *("prijm", "=krestni", "efternamn", "fornamn", "achternaam", "voornaam", "sukunimi", "etunimi", "soyad", "=adı"),
    *("apelido", "sobrenome", "vezetek", "kereszt", "prezime", "fornavn", "etternavn", "efternavn"),
)
_NAME = ("name", "nombre", "όνομα", "име", "nome", "nome próprio", "nom", "nume", "jméno", "ime", "navn")
ALONE = re.compile(rf"({'|'.join(map(folded, _NAME))})s?")
DOCTOR = any_of(
    *(
        "investigator",
        "physician",
        "doctor",
        "invnam",
        "treating",
        "nurse",
        "ιατρ",
        "γιατρ",
        "arzt",
        "medico",
        "lekarz",
    ),
    *("лекар", "medecin", "next of kin", "mother", "father", "contact person", "συγγεν", "μητερα", "πατερα"),
)
NAMED_IN_TEXT = 2


@dataclass(frozen=True)
class _Told:
    """Of values (n_sample,) of letters alone: which are shaped as names, which have a name's word, how many words."""

    shaped: np.ndarray
    telling: np.ndarray
    n_words: np.ndarray


def detect(column: ColumnValues) -> Hits | None:
    """A column of names; else names behind a title, or a common first name with another word, within the values."""
    if column.is_number or column.are_days:
        return None
    told = _told(column)
    certainty = _certainty_of_column(column, told)
    titled = column.matches(TITLED)
    if certainty:
        return Hits(told.shaped | titled, certainty)
    within = titled | _first_name_and_more(column)
    if within.sum() >= NAMED_IN_TEXT:
        return Hits(within, "sure" if titled.sum() >= 5 else "likely")
    return None


def _told(column: ColumnValues) -> _Told:
    shaped = column.matches(SHAPE) | column.matches(INVERTED)
    telling, n_words = np.zeros(len(shaped), dtype=bool), np.zeros(len(shaped), dtype=int)
    for row in np.flatnonzero(shaped):  # of distinct values, at most a sample
        words = [word for word in re.split(r"[ ,.]+", column.sample[row]) if len(word) > 1]
        n_words[row] = len(words)
        telling[row] = any(is_first_name(word) or ends_as_surname(word) for word in words)
    with_initial = column.matches(WITH_INITIAL) | column.matches(INVERTED)
    return _Told(shaped, telling | with_initial, n_words)


def _certainty_of_column(column: ColumnValues, told: _Told) -> str | None:
    """How certain it is that the column as a whole contains names; None without any sign."""
    shaped = column.share(told.shaped)
    if shaped < 0.75 or column.n_distinct < FEWEST_PEOPLE:
        return None
    if column.is_headed(PERSON) or ALONE.fullmatch(column.heading):
        return "sure"
    telling = float(told.telling[told.shaped].mean())
    several = float((told.n_words[told.shaped] >= 2).mean())
    if column.is_headed(DOCTOR) and telling >= 0.2:
        return "sure"
    if column.n_people and not column.is_one_each and telling < 0.5:
        return None  # terms of events, of which a person has several
    variety = column.n_distinct / column.n_people if column.n_people else 1.0
    is_headed = column.is_headed(HEADING)
    if telling >= 0.6 or (telling >= 0.35 and (variety >= 0.15 or is_headed)):
        return "sure" if is_headed or (several >= 0.5 and telling >= 0.5) else "likely"
    if is_headed and variety >= 0.15:
        return "likely"
    return "likely" if variety >= 0.5 and several >= 0.8 and _combines(column, told) else None


def _combines(column: ColumnValues, told: _Told) -> bool:
    """Whether values are made as first names and surnames are: every word with a capital, and words that recur, each
    time beside another one."""
    values = np.asarray(column.sample, dtype=object)[told.shaped & (told.n_words >= 2)]
    words = [re.split(r"[ ,]+", value) for value in values]
    is_written_so = np.mean([not any(word.isupper() for word in each if len(word) > 2) for each in words])
    capital = np.mean([each[0][:1].isupper() and each[-1][:1].isupper() for each in words])
    of_first, of_last = Counter(each[0] for each in words), Counter(each[-1] for each in words)
    recurring = max(
        np.mean([of_first[each[0]] > 1 for each in words]), np.mean([of_last[each[-1]] > 1 for each in words])
    )
    many = min(len(of_first), len(of_last)) >= FEWEST_PEOPLE
    return bool(capital >= 0.95 and is_written_so >= 0.9 and recurring >= 0.5 and many)


def _first_name_and_more(column: ColumnValues) -> np.ndarray:
    """Values, or pieces of longer texts, of a common first name beside another word with a capital."""
    maybe = column.matches(r"[\p{Lu}][\p{Ll}]+[ ,]+[\p{Lu}][\p{Ll}]+")
    found = np.zeros(len(maybe), dtype=bool)
    for row in np.flatnonzero(maybe):
        pairs = re.findall(r"(?=\b([^\W\d_]+)[ ,]+([^\W\d_]+))", column.sample[row])
        found[row] = any(
            one[0].isupper() and other[0].isupper() and not one.isupper() and _are_name(one, other)
            for one, other in pairs
        )
    return found


def _are_name(one: str, other: str) -> bool:
    if is_first_name(one):
        return len(other) > 2
    return ends_as_surname(one) and is_first_name(other)


KINDS = {
    "person_name": IdentifierKind(
        grade=Grade.NAMES_A_PERSON,
        words="names of persons",
        what_to_do="drop the column; where the text must stay, cut them out before the merge",
        documentation=(
            "words of letters with capitals, in any alphabet, recognised as names by their variety and by headings, "
            "endings of surnames, common first names, initials or a comma; within a text, behind a title (Mr, Herr, "
            "Sra, κ., г-жа, pani, ...) or as a first name and another word"
        ),
        detect=detect,
        yields_to=("subject_id", "address"),
        place=35,
    )
}
