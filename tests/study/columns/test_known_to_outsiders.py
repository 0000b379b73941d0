"""What outsiders may know, by the names of columns: every kind, SDTM and plain headings, and what is none of it."""

from __future__ import annotations

from study.columns.known_to_outsiders import KINDS, known_to_outsiders
from tests.cases import each

KNOWN = {
    "age": ["DM__AGE", "age", "P__Age at entry", "Alter"],
    "date": ["DM__RFSTDTC", "LB__Cholesterol.LBDTC", "P__dateOfDeath", "YearOfBirth", "yob", "admission_date"],
    "sex or family": ["DM__SEX", "gender", "SC__Marital Status", "n_children", "φύλο"],
    "origin": ["DM__RACE", "DM__ETHNIC", "native_language", "Nationality"],
    "place": ["DM__COUNTRY", "DM__SITEID", "zip", "P__postal_code", "SC__District of Permanent Address", "Ville"],
    "occupation": ["occupation", "P__Job title", "Beruf", "SC__Level of Education"],
    "event": ["AE__count", "MH__MHDECOD=ASTHMA", "HO__count", "DM__DTHFL", "P__Hospitalised", "surgeries"],
    "body measure": [
        "VS__HEIGHT",
        "VS__Weight",
        "wtkg",
        "bmi",
        "VS__Body Mass Index",
        "VS__Waist Circumference",
        "Masa ciała",
        "Hmotnost",
    ],
}
NOT_KNOWN = [
    "LB__Cholesterol",
    "LB__WEIGHT",
    "cd40",
    "QS__Age-related score",
    "karnof",
    "VS__Systolic Blood Pressure",
    "arms",
    "days",
    "package",
    "EG__Heart rate",
    "damage",
    "stage",
]


@each("kind", list(KINDS))
def test_every_kind_is_found_by_name(kind):
    assert known_to_outsiders(KNOWN[kind]) == dict.fromkeys(KNOWN[kind], kind)


def test_what_nobody_outside_knows():
    assert known_to_outsiders(NOT_KNOWN) == {}


def test_the_mass_that_a_laboratory_measures_is_none_of_a_body():
    names = ["MEASUREMENT__Glucose (Mass/volume) in Blood", "LB2__Protein [Mass/time]", "MEASUREMENT__Body mass index"]
    assert known_to_outsiders(names) == {"MEASUREMENT__Body mass index": "body measure"}
