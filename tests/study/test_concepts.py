"""Headings in several languages: what they say, and what only looks alike."""

from __future__ import annotations

from study.concepts import CONCEPTS, concept_of, names_an_examination
from tests.cases import each

OTHERS = [
    "age at death",
    "how old is the implant",
    "Q1 age of the mother",
    "AGEU",
    "passage",
    "message",
    "sextant",
    "ChestPainType",
    "strat",
    "racecourse",
    "count",
    "ARM",
    "VISIT",
    "karnof",
    "",
    "   ",
    "123",
    "Αγάπη",
    "z30",
    "Aufnahme",  # begins Aufnahmediagnose, and is an admission
    "Haushalt",  # begins Haushaltseinkommen
    "age_at_diagnosis",  # who knows it is open
    "Wohnort bei Erkrankung",
    "place_of_diagnosis",
    "Alt (U/L)",  # the enzyme or an age
    "Wie alt ist Ihr Kind?",
]


@each(
    "heading",
    [
        "Wie alt sind Sie?",
        "Alt",  # not ALT, the enzyme
        "Pat_Alt (Jahre)",
        "Hur gammal är du?",
        "Vârsta (ani)",
        "anchor_age",
        "AGE_IN_YEARS_NUM",
        "G1Q2. How old are you?",
        "Q3 Age",
        "Věk pacienta",
        "Wiek pacjenta",
    ],
)
def test_an_age_in_the_words_of_an_export_or_a_question_is_an_age(heading):
    assert concept_of(heading) is CONCEPTS[0]


@each("heading", OTHERS)
def test_what_only_looks_alike_is_nothing(heading):
    assert concept_of(heading) is None


def test_accents_and_capitals_make_no_difference():
    assert concept_of("ΗΛΙΚΊΑ") is concept_of("ηλικια") is concept_of("Age (years)") is concept_of("âge")


def test_no_phrase_stands_in_two_concepts():
    phrases = [phrase for concept in CONCEPTS for phrase in set(concept.words)]
    assert len(phrases) == len(set(phrases))


@each(
    "heading, is_one",
    [
        ("lab", False),
        ("lab_crp", True),
        ("uric acid", True),
        ("age at diagnosis", False),
        ("disease_duration_years", True),
        ("duration", False),
        ("ALT", True),
        ("Alt", False),
    ],
)
def test_who_examined_is_no_examination(heading, is_one):
    assert names_an_examination(heading) == is_one
