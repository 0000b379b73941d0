"""How columns and headings are named: the variable a column holds, and the words that a heading begins with."""

from __future__ import annotations

from disclosure_control.basics.column_names import any_of, is_variable, variables_of
from tests.cases import each


@each(
    ("column", "names"),
    [
        ("RFSTDTC", ("RFSTDTC",)),
        ("DM__RFSTDTC", ("RFSTDTC",)),
        ("LB__Cholesterol.LBDTC", ("Cholesterol.LBDTC", "LBDTC")),
        ("LB__Ratio 1.5.LBDTC", ("Ratio 1.5.LBDTC", "LBDTC")),
        ("LB__ends in a dot.", ("ends in a dot.",)),
    ],
)
def test_a_variable_is_what_follows_the_domain_and_what_follows_the_last_dot(column, names):
    assert variables_of(column) == names
    assert [is_variable(column, name.replace(".", r"\.")) for name in names] == [True] * len(names)
    assert not is_variable(column, names[-1][:-1].replace(".", r"\."))  # a part of it is not the variable


@each(
    ("heading", "is_found"),
    [("telephone", True), ("home tel", True), ("hotel", False), ("id", True), ("idea", False), ("my id 2", True)],
)
def test_a_word_begins_and_one_asked_for_whole_ends_there_too(heading, is_found):
    assert bool(any_of("Tel", "=ID").search(heading)) is is_found
