"""Words, names and terms that say the same in every study, and how people left one."""

from __future__ import annotations

import numpy as np

from study.models.disposition import DISCONTINUED, are_dispositions, disposition_level, is_reason
from study.models.standard_words import (
    classes_of_terms,
    is_a_medical_term,
    is_a_word_of_medicine,
    is_made_of_fragments,
    is_word_of_labels,
    standard_data_set_labels,
    standard_label,
    standard_terms,
    words_of_medicine,
)
from tests.cases import each


def test_names_made_of_fragments():
    made = ["AGEGR1", "TRTSDT", "AETERM", "AVAL12", "AGEN", "N", "LBORRES", "AAGE", "AAGEU", "aval", "DTHDTF", "BMIBL"]
    others = ["ZZZZ", "AVAL123", "ABCDEFGHI", "A1", "X", "", "SEXQ", "1AGE", "AGE_1", "QAGE", "AGEZ", "TRTSDTXX"]
    assert [name for name in (*made, *others) if is_made_of_fragments(name)] == made


def test_labels_of_the_standard():
    names = ("AGE", "age", "LBORRES", "QQORRES", "ZZZ", "")
    result = "Result or Finding in Original Units"
    assert [*map(standard_label, names)] == ["Age", "Age", result, result, "", ""]
    assert [standard_data_set_labels(name) for name in ("ae", "ZZ")] == [["Adverse Events"], []]


@each(
    "word, is_term, is_word, is_of_labels",
    [
        ("headache", True, True, True),
        ("hepatitis", True, False, True),  # four letters end names as well
        ("appendectomy", True, True, True),
        ("tested", True, False, True),
        ("red", True, True, True),
        ("shed", False, False, False),
        ("smith", False, False, False),
        ("subject", True, True, True),
    ],
)
def test_words_of_medicine_and_of_labels(word, is_term, is_word, is_of_labels):
    asked = (is_a_medical_term, is_a_word_of_medicine, is_word_of_labels)
    assert [ask(word) for ask in asked] == [is_term, is_word, is_of_labels]
    assert is_a_medical_term(f"Smith, {word.upper()}") is is_term


def test_lists_are_in_small_letters():
    for terms in (standard_terms(), classes_of_terms(), words_of_medicine()):
        assert terms == {term.casefold() for term in terms}
    assert {"y", "alb", "albumin"} <= standard_terms()
    assert {"cardiac disorders", "cardiovascular system"} <= classes_of_terms()
    assert {"aminotransferase", "abscess"} <= words_of_medicine()
    assert not {"y", "na"} & words_of_medicine()


@each(
    "terms, are",
    [
        (["Completed", "Adverse event"], True),
        (["Completed", "Screen failure"], False),  # nobody left
        (["LOST TO FOLLOW-UP", "x"], True),
        (["LOST TO FOLLOW-UP", "x", "y"], False),
        (["death", "Death"], True),
        ([], False),
    ],
)
def test_which_terms_say_how_people_left(terms, are):
    assert are_dispositions(terms) is are
    assert [is_reason(one) for one in ("Withdrawal by parent/guardian", "completed", "x")] == [True, False, False]


def test_all_ways_to_discontinue_are_one():
    terms = np.array(["COMPLETED", "DEATH", "Screen failure", "ENTERED", "OTHER", None], dtype=object)
    categories = np.array(["DISPOSITION EVENT", "disposition event ", None, "PROTOCOL MILESTONE", "", ""], dtype=object)
    expected = ["COMPLETED", DISCONTINUED, "Screen failure", "ENTERED", DISCONTINUED, None]
    assert disposition_level(terms, categories).tolist() == expected
