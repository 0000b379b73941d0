"""First names of many languages within sentences, and what is none."""

from __future__ import annotations

from disclosure_control.identifiers.name_words import first_names, is_first_name
from disclosure_control.identifiers.single_texts import names_a_person
from study.models.standard_words import words_of_medicine
from tests.cases import each


@each(
    "text",
    [
        "seen by Zsuzsanna Kiss on the ward",
        "Tochter Annelies Gruber verständigt",
        "rozmowa z Wojciech Zielony",
        "syn Ondřej Malý přítomen",
        "кызы Людмила Петровна пришла",
        "συνοδός Ευαγγελία Παππά",
        "hermano Gonzalo Rivas avisado",
    ],
)
def test_a_name_within_a_sentence(text: str) -> None:
    assert names_a_person(text)


@each(
    "text",
    [
        "Aloe Vera Gel",
        "Root Canal Procedure",
        "North America",
        "Kelvin International Units",
        "Migraine With Aura",
        "Linea Alba",
    ],
)
def test_words_of_texts_are_no_names(text: str) -> None:
    assert not names_a_person(text)


def test_the_list_is_of_names_alone() -> None:
    assert len(first_names()) > 10_000
    assert all(len(name) >= 3 for name in first_names())
    assert not first_names() & words_of_medicine()
    assert is_first_name("Małgorzata")
    assert is_first_name("ΓΕΩΡΓΙΑ")
