"""What outsiders may know of a person, by the names of columns: ages, dates, places, occupations, events, ...

A neighbour, a colleague or an employer knows these; no outsider knows a laboratory value, an exact score or a count of
cells. Only names are examined: a column whose heading says nothing stays here until a person decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from disclosure_control.basics.column_names import variables_of
from study.concepts import concept_of
from study.words import form_of, words_of_the_pilots

# Variables of SDTM, in capitals, by the kind of knowledge. Sources: those of the words, in ``words.json``.
_VARIABLES = {
    "age": r"AGE|AGETXT|AGEGR\d*",
    "date": r"[A-Z0-9]{0,6}DTC",
    "sex or family": r"SEX",
    "origin": r"RACE\d*|ETHNIC",
    "place": r"COUNTRY|SITEID|REGION|STATE|CITY|ZIP",
    "occupation": r"OCCUP\w*",
    "event": r"DTHFL|DTH",
    "body measure": r"HEIGHT|WEIGHT|BMI",
}
KINDS = tuple(_VARIABLES)
_EVENTS = ("AE", "CE", "DD", "DS", "HO", "MH", "PR")  # every column of these domains
# Domains of measurements: outsiders with access to a laboratory, a device or a questionnaire know its results.
MEASUREMENTS = ("EG", "IS", "LB", "MB", "MI", "PC", "PP", "QS", "RE", "RS", "TR")


AS_DECIDED = "as you decided"  # the kind of what only a person says that outsiders know
# LOINC names what a laboratory measures: "Glucose (Mass/volume) in Blood" is no mass of a body.
_LOINC_PROPERTY = re.compile(r"(?i)[(\[][^)\]]*\b(mass|volume|moles|units)\b[^)\]]*[)\]]")


def known_to_outsiders(columns: Iterable[str], decided: Mapping[str, bool] | None = None) -> dict[str, str]:
    """Column -> the kind of knowledge that outsiders may have of it, for the columns whose name shows it.

    ``decided``: of which columns a person said whether outsiders know them, whatever their names show.
    """
    found, decided = {}, decided or {}
    for column in columns:
        domain = column.partition("__")[0] if "__" in column else ""
        told = _LOINC_PROPERTY.sub("", column)
        names = [name for name in variables_of(told) if domain not in MEASUREMENTS or name.endswith("DTC")]
        knowledge = "event" if domain in _EVENTS else next(iter(_kinds(names)), None)
        if decided.get(column, knowledge is not None):
            found[column] = knowledge or AS_DECIDED
    return found


def _kinds(names: Iterable[str]) -> Iterator[str]:
    """The kinds that names show: of a variable of SDTM, by the concept of a heading, by one of its words."""
    for name in names:
        yield from (kind for kind, variables in _VARIABLES.items() if re.fullmatch(variables, name))
        concept = concept_of(name)
        if concept is not None and concept.kind:
            yield concept.kind
        spelled = re.sub(r"(?<=[a-zα-ω])(?=[A-ZΑ-Ω])|[\s._\-']+", " ", name).strip().lower()
        yield from (kind for kind, pattern in _words().items() if pattern.search(spelled))


@cache
def _words() -> dict[str, re.Pattern[str]]:
    """For each kind its words; one that ends in ``*`` begins a word of a heading."""
    known = words_of_the_pilots()["known"]
    return {kind: re.compile(rf"\b(?:{form_of(words.split())})\b") for kind, words in known.items()}
