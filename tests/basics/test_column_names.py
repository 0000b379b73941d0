"""What a rule that goes by names reads in a heading."""

from __future__ import annotations

from disclosure_control.basics.column_names import any_of, folded, is_variable, variables_of
from tests.cases import each


@each(
    "column, variables",
    [
        ("DM__AGE", ("AGE",)), ("AGE", ("AGE",)), ("LB__Chol.LBDTC", ("Chol.LBDTC", "LBDTC")), ("A__x.", ("x.",)),
        ("A__.x", (".x", "x")), ("a.b.c", ("a.b.c", "c")), ("A__B__C", ("C",)),
    ],
)  # fmt: skip
def test_variables(column, variables):
    assert variables_of(column) == variables
    assert [is_variable(column, name) for name in (variables[-1].replace(".", "[.]"), "AG")] == [True, False]


@each(
    "heading, words",
    [
        ("Date_of-Birth", "date of birth"), ("dateOfBirth", "date of birth"), ("  ΗΛΙΚΊΑ ", "ηλικια"),
        ("e\u0301ge", "ege"), ("BMI2", "bmi2"), ("HTTPServer", "httpserver"), ("a1B", "a1b"), ("Straße", "strasse"),
    ],
)  # fmt: skip
def test_a_heading_in_words(heading, words):
    assert folded(heading) == words


def test_beginnings_of_words_and_whole_words():
    pattern = any_of("Geburts", "=Dob")
    found = [
        bool(pattern.search(text)) for text in ("geburtstag", "mein geburtsort", "dob", "dobro", "ungeburts", "x dob")
    ]
    assert found == [True, True, True, False, False, True]
