"""Reasons to hold a file: the gravest finding of each column, and each remedy beside the columns that it mends."""

from __future__ import annotations

from disclosure_control.basics.telling.reasons import Gravity
from disclosure_control.basics.telling.small_counts import MASKED
from disclosure_control.identifiers.column_findings import ColumnFinding, Grade
from disclosure_control.identifiers.outcome import one_per_column, reasons_of


def finding(column: str, grade: Grade, what_to_do: str, kind: str = "kind") -> ColumnFinding:
    return ColumnFinding("DM", column, kind, grade, 400, 400, 400, 400, 0.0, "sure", what_to_do, f"{kind}s")


PHONE = finding("PHONE", Grade.NAMES_A_PERSON, "drop it", "telephone number")
MAIL = finding("MAIL", Grade.NAMES_A_PERSON, "drop it", "mail address")
ID = finding("ID", Grade.NAMES_A_PERSON, "recode it", "patient id")
BIRTH = finding("BIRTH", Grade.KNOWN_TO_OUTSIDERS, "give the year", "date of birth")
PHONE_AS_DAY = finding("PHONE", Grade.KNOWN_TO_OUTSIDERS, "give the year", "date")


def test_a_column_counts_by_its_gravest_finding():
    assert one_per_column([BIRTH, PHONE_AS_DAY, PHONE]) == [PHONE, BIRTH]
    assert one_per_column([PHONE, PHONE_AS_DAY]) == [PHONE]


def test_each_remedy_stands_beside_its_columns():
    by_names, by_outsiders = reasons_of(MASKED, [BIRTH, PHONE, ID, PHONE_AS_DAY, MAIL], "the combined dataset")
    assert by_names.gravity is Gravity.NAMES_A_PERSON
    assert by_names.remedy.startswith("or DM__PHONE, DM__MAIL: drop it; DM__ID: recode it; ")
    assert by_outsiders.gravity is Gravity.OUTSIDERS_CAN_SINGLE_OUT
    assert by_outsiders.remedy.startswith("or DM__BIRTH: give the year; ")
    assert "DM__PHONE" not in by_outsiders.sentence
