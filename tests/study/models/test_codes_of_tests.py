"""Which column has the code of a test: one whose codes belong to one test each, and never the person's."""

from __future__ import annotations

import pandas as pd
import pytest

from study.formats.tables import SourceTable
from study.models.flat import described


def long_table(person: str, **columns: list[str]) -> SourceTable:
    """Three tests of forty people, each on two days."""
    rows = pd.DataFrame(
        [
            {person: f"IT{i:03}", "data": f"2020-01-{day:02}", "esame": test, "valore": str(i + day)}
            for i in range(40)
            for day in (1, 2)
            for test in ("Glucosio", "Sodio", "Potassio")
        ]
    ).astype("str")
    return SourceTable("ESAMI", "esami.csv", "", rows.assign(**columns), {}, ())


@pytest.mark.parametrize("person", ["codice_paziente", "patient_code", "Patientencode"])
def test_the_code_of_the_person_is_none_of_a_test(person):
    model = described([long_table(person)], None)
    assert model.tables["ESAMI"].short["esame"] == "TEST"
    assert "TESTCD" not in model.tables["ESAMI"].short.values()


def test_a_code_of_each_test_is_and_one_of_a_sample_is_not():
    codes = {"Glucosio": "2345-7", "Sodio": "2951-2", "Potassio": "2823-3"}
    plain = long_table("paziente")
    tests = plain.frame["esame"]
    with_codes = long_table("paziente", loinc=tests.map(codes).tolist())
    assert described([with_codes], None).tables["ESAMI"].short["loinc"] == "TESTCD"
    mixed = long_table("paziente", loinc=[f"{i % 7}-{i % 5}" for i in range(len(tests))])
    assert "TESTCD" not in described([mixed], None).tables["ESAMI"].short.values()
