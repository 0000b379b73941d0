"""Columns at the edge of what each kind asks for: what is found, how sure, in how many rows and of how many people."""

from __future__ import annotations

import math
import re
from string import ascii_lowercase

import numpy as np
import pandas as pd
import pyarrow as pa

from disclosure_control.identifiers.chance import log_luck
from disclosure_control.identifiers.column_values import column_values
from disclosure_control.identifiers.holders import RowHolders
from disclosure_control.identifiers.named_columns import identifier_columns
from disclosure_control.identifiers.patterns import in_python
from tests.cases import each
from tests.identifiers.scanned import scan_table

LETTERS = ascii_lowercase
TREES = ("Linde", "Birke", "Eiche", "Tanne", "Buche")
FIRST = ("Maria", "Anna", "Peter", "Hans", "Eva", "Josef", "Karl", "Franz", "Paul", "Lukas")
LAST = ("Huber", "Gruber", "Bauer", "Wagner", "Pichler", "Steiner", "Moser", "Mayer", "Hofer", "Leitner")
MADE = [f"{a}{b}er" for a in "ABCDE" for b in ("el", "or")]
COUNTED = [*range(20)]


def days(n: int, step: int = 1, start: str = "2001-01-01") -> list[str]:
    return [str(np.datetime64(start) + i * step) for i in range(n)]


def words(n: int, before: str = "text") -> list[str]:
    return [f"{before}{LETTERS[i % 26]}{LETTERS[i // 26]}" for i in range(n)]


def found(values, heading="V", n_rows_each=1, ids=None) -> dict[str, tuple[str, int, int]]:
    ids = ids or [f"P{i * 37 % len(values) // n_rows_each:03d}x" for i in range(len(values))]
    frame = pd.DataFrame({"USUBJID": ids, heading: values})
    frame = frame.astype({heading: "str"}) if frame[heading].dtype == object else frame
    findings = scan_table("DM", frame).findings
    return {one.kind: (one.certainty, one.n_hits, one.n_people) for one in findings}


STREETS = [f"Lindenweg {i + 1}" for i in COUNTED]
AS_TREES = [f"{TREES[i % 5]} {i + 1}" for i in COUNTED]
FEBRUARY = days(6, start="2001-02-01")
FOX = [f"the quick brown fox {letter} jumped over" for letter in LETTERS]
NARROW = [f"3{i % 5}.98{i * 37 % 1000:03d}" for i in COUNTED]
MIXED = [(0, 2, 6, 7, 8, 9)[i % 6] for i in range(12)]
RISING = [f"{1.5 * i + 0.25:.2f}" for i in range(1, 31)]
MIXED_UP = [i * 37 % 20 for i in COUNTED]


@each(
    "values, more, kinds",
    [
        ([f"{44 if i < 4 else 1}.2.3.{i}" for i in range(8)], {}, {"ip_address": ("sure", 8, 8)}),
        ([f"{44 if i < 3 else 1}.2.3.{i}" for i in range(8)], {}, {}),  # chapters
        # Dates: one in ten alone, three in ten, one each; seven people are too few, eight years too short for births.
        (days(2) + sorted(FEBRUARY * 3), {}, {"event_date": ("possible", 20, 20)}),
        (days(1) + (FEBRUARY * 4)[:19], {}, {}),
        (days(2) + sorted(FEBRUARY * 3), {"heading": "admission"}, {"event_date": ("sure", 20, 20)}),
        (days(6) + days(7, start="2001-02-01") * 2, {}, {"event_date": ("likely", 20, 20)}),
        (days(5) + days(7, start="2001-02-01") * 2, {}, {"event_date": ("possible", 19, 19)}),
        (days(20, 3), {"n_rows_each": 2}, {"event_date": ("possible", 20, 10)}),
        (days(20, 3), {"heading": "aestdtc"}, {"event_date": ("possible", 20, 20)}),
        (days(20, 3), {"heading": "died_on"}, {"death_date": ("sure", 20, 20)}),
        (days(8, 3), {}, {"event_date": ("likely", 8, 8)}),
        (days(7, 3), {}, {}),
        (days(20, 200, "1950-01-01"), {}, {"birth_date": ("likely", 20, 20)}),
        (days(20, 200, "1950-01-01"), {"heading": "onset"}, {"event_date": ("likely", 20, 20)}),
        (days(20, 150, "1950-01-01"), {}, {"event_date": ("likely", 20, 20)}),
        (days(6, 200, "1950-01-01") + words(14), {"heading": "dob"}, {"birth_date": ("sure", 6, 6)}),
        (days(5, 200, "1950-01-01") + words(15), {"heading": "dob"}, {}),
        # Addresses: three of sixty, or eight of any; words and numbers of five words.
        (STREETS[:3] + words(57), {}, {"address": ("likely", 3, 3), "free_text": ("likely", 57, 57)}),
        (STREETS[:3] + words(58), {}, {"free_text": ("likely", 58, 58)}),
        (STREETS[:8] + words(192), {}, {"address": ("likely", 8, 8), "free_text": ("likely", 192, 192)}),
        (STREETS[:7] + words(193), {}, {"free_text": ("likely", 193, 193)}),
        (STREETS[:2] + words(8), {}, {}),
        (AS_TREES, {}, {"address": ("likely", 20, 20)}),
        ([f"{TREES[i % 4]} {i + 1}" for i in COUNTED], {}, {}),
        (AS_TREES[:10] + words(10), {"heading": "address"}, {"address": ("sure", 10, 10)}),
        (AS_TREES[:10] + words(10), {}, {}),
        (AS_TREES * 2, {}, {}),  # two people each
        (STREETS * 2, {"n_rows_each": 4}, {"address": ("sure", 40, 10)}),
        # Codes and numbers that nobody shares.
        ([f"K-{i * 7919 % 100000:05d}" for i in range(60)], {}, {"unique_code": ("likely", 60, 60)}),
        ([f"K-{i * 7919 % 100000:05d}" for i in range(60)], {"n_rows_each": 2}, {"unique_code": ("possible", 60, 30)}),
        ([f"K-{i // 2 * 7919 % 100000:05d}" for i in range(60)], {}, {}),
        ([str(i * 3 % 40 + 100) for i in COUNTED], {}, {"unique_code": ("sure", 20, 20)}),  # half of a range
        ([str(10_000 + i * 4001) for i in COUNTED], {}, {"unique_code": ("likely", 20, 20)}),
        ([str(100 + i * 4001) for i in COUNTED], {}, {}),
        ([str(100 + i * 4001) for i in COUNTED], {"heading": "patient id"}, {"unique_code": ("likely", 20, 20)}),
        (np.array([10_000.0 + i * 4001 for i in COUNTED]), {}, {"unique_code": ("likely", 20, 20)}),
        (np.array([10_000.5 + i * 4001 for i in COUNTED]), {}, {}),
        # Places.
        ([f"37.9{i:04d}, 23.7{i:04d}" for i in range(3)] + words(5), {}, {"coordinates": ("sure", 3, 3)}),
        ([f"37.9{i:04d}, 23.7{i:04d}" for i in range(2)] + words(7), {}, {}),
        (NARROW, {}, {"coordinates": ("possible", 20, 20)}),
        (NARROW, {"heading": "lat"}, {"coordinates": ("sure", 20, 20)}),
        ([one.replace(".", "0.") for one in NARROW], {"heading": "lat"}, {}),
        ([one[1:] for one in NARROW], {}, {}),
        ([f"{20 + i * 3}.98{i * 37 % 1000:03d}" for i in COUNTED], {}, {}),
        ([f"{10 + i % 5}-1{i % 6:02d}" for i in range(30)], {}, {"postcode": ("likely", 30, 30)}),
        ([f"{10_000 + i % 12 * 700}" for i in range(30)], {}, {"postcode": ("likely", 30, 30)}),
        ([f"{10_000 + i % 12 * 90}" for i in range(30)], {}, {}),
        ([f"{100 + i % 12 * 80:05d}" for i in range(30)], {}, {"postcode": ("likely", 30, 30)}),
        ([f"{1000 + i * 70}" for i in range(7)] + [*"abc"], {"heading": "plz"}, {"postcode": ("sure", 7, 7)}),
        ([f"{1000 + i * 70}" for i in range(6)] + [*"abcd"], {"heading": "plz"}, {}),
        ([f"{1000 + i % 8 * 70}" for i in range(400)], {"heading": "plz"}, {"postcode": ("sure", 400, 400)}),
        ([f"{1000 + i % 8 * 70}" for i in range(401)], {"heading": "plz"}, {"postcode": ("possible", 401, 401)}),
        # Texts: three in ten, of eight people, two rows each at most.
        (FOX[:9] + [str(i) for i in range(21)], {}, {"free_text": ("likely", 9, 9)}),
        (FOX[:8] + [str(i) for i in range(20)], {}, {}),
        (FOX[:8], {}, {"free_text": ("sure", 8, 8)}),
        (FOX[:7], {}, {}),
        (FOX[:10] * 2, {}, {"free_text": ("sure", 20, 20)}),
        (FOX[:10] * 3, {}, {}),
        # The order of the ids, and the ids.
        (RISING[:20], {"ids": [f"S{i:02d}" for i in COUNTED]}, {"same_order": ("sure", 20, 20)}),
        (RISING[19::-1], {"ids": [f"S{i:02d}" for i in COUNTED]}, {"same_order": ("sure", 20, 20)}),
        (RISING[:19], {"ids": [f"S{i:02d}" for i in range(19)]}, {}),
        (RISING, {"ids": [f"S-{i}" for i in range(1, 31)]}, {"same_order": ("sure", 30, 30)}),
        ([f"{i:03d}" for i in MIXED_UP], {"ids": [f"P{i:03d}x" for i in MIXED_UP]}, {"subject_id": ("sure", 20, 20)}),
        ([f"A{i:03d} c" for i in MIXED_UP], {"ids": [f"A{i:03d}" for i in MIXED_UP]}, {"subject_id": ("sure", 19, 19)}),
        ([f"{i}" for i in MIXED_UP], {"ids": [f"S-{i:03d}" for i in MIXED_UP]}, {"subject_id": ("sure", 19, 19)}),
        # Telephone numbers: with signs, or a whole column that begins alike.
        ([f"069{' ' * (i < 5)}5556{i:03d}" for i in range(10)], {}, {"phone": ("likely", 10, 10)}),
        ([f"0695556{i:03d}" for i in range(10)], {}, {"phone": ("likely", 10, 10)}),
        ([f"{one}695556{i:03d}" for i, one in enumerate(MIXED)], {}, {"unique_code": ("likely", 12, 12)}),
        ([f"({one}69) 5556{i:03d}" for i, one in enumerate(MIXED)], {}, {"phone": ("likely", 12, 12)}),
        ([f"({1 + i % 6}69) 5556{i:03d}" for i in range(12)], {}, {}),
        ([f"tel. 0{69555600 + i * 13}" for i in range(3)] + [*"abcdefg"], {}, {"phone": ("sure", 3, 3)}),
        ([f"tel. 0{69555600 + i * 13}" for i in range(2)] + [*"abcdefg"], {}, {"phone": ("likely", 2, 2)}),
        # Names.
        (MADE, {"heading": "surname"}, {"person_name": ("sure", 10, 10)}),
        (MADE, {"heading": "name"}, {"person_name": ("sure", 10, 10)}),
        (MADE[:7], {"heading": "surname"}, {}),
        (MADE, {}, {"free_text": ("likely", 10, 10)}),
        ([*map(" ".join, zip(FIRST, LAST, strict=True))], {}, {"person_name": ("sure", 10, 10)}),
        ([*map(" ".join, zip(LAST, FIRST, strict=True))], {}, {"person_name": ("sure", 10, 10)}),
        ([f"{one} Platz" for one in LAST], {}, {"person_name": ("likely", 10, 10)}),
        ([f"{b}, {a[0]}." for a, b in zip(FIRST, LAST, strict=True)], {}, {"person_name": ("likely", 10, 10)}),
        ([LAST[0], LAST[2], *MADE[:8]], {"heading": "physician"}, {"person_name": ("sure", 10, 10)}),
        ([*LAST[:1], *MADE[:9]], {"heading": "physician"}, {"free_text": ("likely", 10, 10)}),
        (["by Dr. Huber", "by Dr. Moser", *"abcde"], {}, {"person_name": ("likely", 2, 2)}),
        (["by Dr. Huber", *"abcde"], {}, {}),
    ],
)  # fmt: skip
def test_columns_at_the_edge(values, more, kinds):
    assert found(values, **more) == kinds


@each(
    "column, is_dropped",
    [
        ("DM__SUBJID", True), ("DM__AGE", False), ("DM__COUNTRY", False), ("AE__AETERM", True), ("USUBJID", False),
        ("X__phone2", True), ("X__name", True), ("X__sex", False), ("SC__MARISTAT", False), ("X__patient_no", True),
        ("X__birth.date", True), ("X__date_of_birth", True), ("X__comment", True), ("X__centre_id", True),
    ],
)  # fmt: skip
def test_columns_that_name_a_person_by_their_names(column, is_dropped):
    assert (column in identifier_columns([column])) is is_dropped


def test_letters_of_any_alphabet_are_letters_in_a_pattern():
    for name, is_in in ((r"\pL", str.isalpha), (r"\p{Lu}", str.isupper), (r"\p{Ll}", str.islower)):
        pattern = in_python(rf"^[{name}]$")
        assert [n for n in range(0x2000) if bool(pattern.match(chr(n))) is not is_in(chr(n))] == []
    assert in_python("^a$") == re.compile("^a$")


def test_luck_is_bounded_as_chernoff_has_it():
    found = log_luck(np.array([3, 1, 0, 4]), np.array([4, 4, 4, 4]), np.array([0.5, 0.25, 0.5, 0.5]))
    expected = [-4 * (0.75 * math.log(1.5) + 0.25 * math.log(0.5)), 0, 0, -4 * math.log(2)]
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_who_has_which_value():
    """Rows of three people, one of them of nobody; two rows of one person have the same value."""
    subjects = RowHolders(np.array([0, 0, 1, 2, -1, 1]), pa.array(["a", "b", "c"]))
    column = column_values("DM", "V", pd.Series(["x ", "x", "y", "z", "z", " "], dtype="str"), subjects)
    assert column.sample == ["x", "y", "z"]
    assert (column.holders.rows_of_value.tolist(), column.holders.people_of_value.tolist()) == ([2, 1, 2], [1, 1, 1])
    assert (column.holders.n_people, column.alone_rate, column.is_one_each) == (3, 1.0, True)
    assert column.ids_of_lone().to_pylist() == ["a", "b", "c"]
    assert column.holders.people_with(np.array([True, False, True])) == 2
    own = RowHolders(np.arange(3), pa.array(["a", "b", "c"]))
    assert (own.has_a_row_each, subjects.has_a_row_each) == (True, False)
    assert not RowHolders(np.array([0, -1, 1]), pa.array(["a", "b", "c"])).has_a_row_each
    numbers = column_values("DM", "V", pd.Series([2.0, 2.0, 1e20]), own)
    assert numbers.holders.people_of_value.tolist() == [2, 1]
