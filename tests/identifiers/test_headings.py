"""How columns and headings are named: the variable a column holds, and the words that a heading begins with."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from disclosure_control.basics.column_names import any_of, is_variable, variables_of
from disclosure_control.identifiers.column_values import column_values
from disclosure_control.identifiers.holders import RowHolders
from disclosure_control.identifiers.registry import kinds
from tests.cases import each
from tests.places import PROJECT

HEADINGS = json.loads((PROJECT / "tests" / "corpus" / "headings.json").read_text(encoding="utf-8"))["headings"]
N = 40
WORDS = [f"{start}{end}" for start in ("Kand", "Tolv", "Sorb", "Almad", "Quorr") for end in ("al", "ik", "et", "u")]
# Of each kind, values that the heading alone makes one of it.
UNDECIDED = {
    "person_name": WORDS * 2,
    "phone": [f"{210 + i} {5550 + 7 * i}" for i in range(N)],
    "postcode": [str(1_010 + 390 * (i % 14)) for i in range(N)],
    "coordinates": [f"{4 + 37 * i % 41 / 20:.3f}{10 + i}" for i in range(N)],
    "birth_date": [f"19{40 + i}-03-1{i % 9}" if i % 3 == 0 else f"not told {i}" for i in range(N)],
    "death_date": [f"2021-03-{10 + i % 12}" for i in range(N)],
    "event_date": [f"2021-03-{10 + i if i < 6 else 20 + i % 5}" for i in range(N)],
    "address": [f"{word} {1 + i}" if i % 3 else word for i, word in enumerate(WORDS * 2)],
    "unique_code": [str(101 + 797 * i % 899) for i in range(N)],
}


@pytest.mark.parametrize("kind", UNDECIDED)
def test_headings_in_every_language_say_what_values_alone_do_not(kind):
    """A list of words that loses a language is noticed here."""
    people = RowHolders(np.arange(N), pa.array([f"S-{7 * i % 41:02d}" for i in range(N)], pa.large_string()))
    headings = [heading for some in HEADINGS[kind].values() for heading in some.split(", ")]
    values = pd.Series(UNDECIDED[kind], dtype="str")
    hits = {one: kinds()[kind].detect(column_values("DM", one, values, people)) for one in [*headings, "V1"]}
    assert [one for one, found in hits.items() if found is None or found.certainty == "possible"] == ["V1"]


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
