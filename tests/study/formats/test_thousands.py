"""Signs between groups of three digits: left out where one reading is left, asked where two are."""

from __future__ import annotations

import re

import pytest

from disclosure_control.basics.telling.faults import FaultyInputError
from study.formats.files import read_domain_file
from study.formats.tables import FileOptions
from tests.cases import each


def read(folder, incomes: list[str], weights: list[str], delimiter: str = ";", **declared) -> list[str]:
    rows = "".join(f'"{one}"{delimiter}"{two}"\n' for one, two in zip(incomes, weights, strict=True))
    (folder / "p.csv").write_text(f"income{delimiter}weight\n{rows}")
    frame = read_domain_file(folder / "p.csv", FileOptions(delimiter=delimiter, **declared)).frame
    return frame["income"].tolist()


@each(
    "incomes, weights, declared, found",
    [
        (["1.250", "2.345"], ["70,5", "80,1"], {"decimal": ","}, ["1250", "2345"]),
        (["1.250", "2.345"], ["70,5", "80,1"], {}, ["1250", "2345"]),
        (["1.250", "2.345"], ["70.5", "80.1"], {}, ["1.250", "2.345"]),
        (["1,250", "2,345"], ["70.5", "80.1"], {}, ["1250", "2345"]),
        (["1,250", "2,345"], ["70,5", "80,1"], {}, ["1.250", "2.345"]),
        (["1.250.000", "980"], ["70", "80"], {}, ["1250000", "980"]),
        (["1.250,50", "980"], ["70", "80"], {}, ["1250.50", "980"]),
        (["1'250", "980"], ["70", "80"], {}, ["1250", "980"]),
        (["1\u202f250", "980"], ["70", "80"], {}, ["1250", "980"]),
        (["0.125", "1.250"], ["70", "80"], {}, ["0.125", "1.250"]),
        (["1.250", "2.345"], ["70", "80"], {"thousands": "."}, ["1250", "2345"]),
        (["1.250", "2.345"], ["70", "80"], {"thousands": "none"}, ["1.250", "2.345"]),
    ],
)
def test_one_reading(tmp_path, incomes, weights, declared, found):
    assert read(tmp_path, incomes, weights, **declared) == found


def test_two_readings_are_a_fault_that_asks(tmp_path):
    for sign, delimiter in ((".", ";"), (",", ",")):  # of an English export, 11,400 has quotes
        with pytest.raises(FaultyInputError, match=rf'"thousands": "{re.escape(sign)}"') as caught:
            read(tmp_path, [f"1{sign}250", f"2{sign}345"], ["70", "80"], delimiter=delimiter)
        assert '"thousands": "none"' in str(caught.value)
    assert read(tmp_path, ["1.250", "2.345"], ["70", "80"], delimiter=",") == ["1.250", "2.345"]


def test_two_readings_with_a_blank_between_them_stay_two(tmp_path):
    (tmp_path / "p.csv").write_text("id,glucose,sbp\n1,100 200,120 080\n2,5,130 090\n")
    frame = read_domain_file(tmp_path / "p.csv", FileOptions()).frame
    assert frame["glucose"].tolist() == ["100 200", "5"]
    assert frame["sbp"].tolist() == ["120 080", "130 090"]


def test_two_numbers_of_teeth_stay_text_and_are_reported(tmp_path):
    (tmp_path / "p.csv").write_text('id,teeth\n1,"101,202"\n2,"103,204"\n')
    table = read_domain_file(tmp_path / "p.csv", FileOptions())
    assert table.frame["teeth"].tolist() == ["101,202", "103,204"]
    assert table.notes[0].startswith("numbers with a comma kept as text: 'teeth' (2)")
