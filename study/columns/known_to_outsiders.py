"""What outsiders may know of a person, by the names of columns: ages, dates, places, occupations, events, ...

A neighbour, a colleague or an employer knows these; no outsider knows a laboratory value, an exact score or a count of
cells. Only names are examined: such data under another heading are not found.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from disclosure_control.basics.column_names import variables_of


@dataclass(frozen=True)
class Knowledge:
    """One ``kind`` of what outsiders may know, and its columns.

    ``variables``: SDTM variables, in capitals. ``words``: one of them is a word of the heading, in small letters; a
    word that ends in ``*`` begins one. ``domains``: every column of these SDTM domains.
    """

    kind: str
    variables: str = ""
    words: str = ""
    domains: tuple[str, ...] = ()

    def holds(self, domain: str, variables: Iterable[str]) -> bool:
        if domain in self.domains:
            return True
        pattern = "|".join(re.escape(word).replace(r"\*", r"\w*") for word in self.words.split())
        return any(
            re.fullmatch(self.variables, variable) or re.search(rf"\b(?:{pattern})\b", _spelled(variable))
            for variable in variables
        )


# Sources: PHUSE De-identification Standard for SDTM 3.2 (quasi-identifiers of both levels); HIPAA safe harbour, 45 CFR
# 164.514(b)(2); EMA Policy 0070, external guidance. Words in English, German, French, Italian, Spanish and Greek.
KNOWLEDGE: tuple[Knowledge, ...] = (
    Knowledge("age", r"AGE|AGETXT|AGEGR\d*", "age alter âge età edad ηλικία yob"),
    Knowledge(
        "date", r"[A-Z0-9]{0,6}DTC", "date dates dob birth* born year geburt* datum naissance nascita fecha γέννη*"
    ),
    Knowledge("sex or family", r"SEX", "sex gender marital married children pregnan* geschlecht sexe sesso sexo φύλο"),
    Knowledge("origin", r"RACE\d*|ETHNIC", "race ethnic* nationality language religion herkunft origine origen"),
    Knowledge(
        "place",
        r"COUNTRY|SITEID|REGION|STATE|CITY|ZIP",
        "country region district zip zipcode postal postcode city town village province county address residence "
        "municipality hospital site ort plz land ville pays città paese ciudad país πόλη νομός",
    ),
    Knowledge(
        "occupation",
        r"OCCUP\w*",
        "occupation* job profession* employment employer education school beruf* métier mestiere profesión επάγγελμα",
    ),
    Knowledge(
        "event",
        r"DTHFL|DTH",
        "death died deceased hospitalised hospitalized admission* discharge* accident* surger* operation* transplant* "
        "adverse incarcerat* emigrat*",
        domains=("AE", "CE", "DD", "DS", "HO", "MH", "PR"),
    ),
    Knowledge(
        "body measure",
        r"HEIGHT|WEIGHT|BMI",
        "height weight wtkg htcm wt ht bmi mass waist hip shoe stature größe gewicht taille poids altezza peso altura "
        "ύψος βάρος",
    ),
)
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
        knowledge = next((one.kind for one in KNOWLEDGE if one.holds(domain, names)), None)
        if decided.get(column, knowledge is not None):
            found[column] = knowledge or AS_DECIDED
    return found


def _spelled(heading: str) -> str:
    return re.sub(r"(?<=[a-zα-ω])(?=[A-ZΑ-Ω])|[\s._\-']+", " ", heading).strip().lower()
