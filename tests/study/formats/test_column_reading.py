"""What columns mean, alike in every format: settings that hold everywhere, row numbers, NA of R."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pandas as pd
import pytest

from disclosure_control.basics.telling.faults import FaultyInputError
from study.formats.files import read_domain_file
from study.formats.tables import FileOptions, SourceTable
from tests.cases import each
from tests.study.formats.asked import cells
from tests.study.merge.merge_files import write

# Every writer of a format that keeps text as text.
FORMATS = ["vs.csv", "vs.xpt", "vs.json", "vs.parquet"]


def read(folder: Path, name: str, content: str | bytes | pd.DataFrame, **declared) -> SourceTable:
    write(folder / name, content)
    return read_domain_file(folder / name, FileOptions(**declared))


# Settings hold in every format


@each("name", FORMATS)
def test_settings_of_columns_hold_in_every_format(tmp_path, name):
    frame = pd.DataFrame({"GLUC": ["3,42", "<3,1", "UNK"], "NOTE": ["UNK", "1,5", "x"]})
    table = read(tmp_path, name, frame, decimal=",", numbers=("GLUC",), missing=("UNK",))
    assert cells(table) == {"GLUC": ["3.42", None, None], "NOTE": [None, "1.5", "x"]}
    assert "decimal comma declared in 'GLUC', 'NOTE'" in table.notes
    assert "values that are not numbers, in columns declared as numbers, read as missing: 'GLUC' (1)" in table.notes


@each("name", FORMATS)
def test_tokens_mean_the_same_in_every_format(tmp_path, name):
    frame = pd.DataFrame({"CD4": ["1", "NA", "-"], "DAY": ["2014-01", "NULL", "2014"], "COUNTRY": ["NA", "GR", "-"]})
    table = read(tmp_path, name, frame)
    assert cells(table) == {
        "CD4": ["1", None, None],
        "DAY": ["2014-01", None, "2014"],
        "COUNTRY": ["NA", "GR", "-"],
    }
    assert set(table.notes) == {
        "'NA' in columns of numbers or dates read as missing: 'CD4' (1)",
        "'-' in columns of numbers or dates read as missing: 'CD4' (1)",
        "'NULL' in columns of numbers or dates read as missing: 'DAY' (1)",
        "'NA' kept as text: 'COUNTRY' (1); if that means missing, declare it for all files: "
        'merge: {"missing": ["NA"]}',
        "'-' kept as text: 'COUNTRY' (1); if that means missing, declare it for all files: "
        'merge: {"missing": ["-"]}',
    }


@each("name", FORMATS)
def test_columns_that_are_declared_and_not_there_are_faults_in_every_format(tmp_path, name):
    frame = pd.DataFrame({"AGE": ["1", "2"]})
    with pytest.raises(FaultyInputError) as caught:
        read(tmp_path, name, frame, numbers=("AGEE",), dates={"DAY": "DMY"})
    assert len(caught.value.faults) == 2
    assert f"{name}: declared as numbers, but not in the file: 'AGEE'; did you mean 'AGE'?" in str(caught.value)
    assert f"{name}: declared as dates, but not in the file: 'DAY'" in str(caught.value)


# R


def as_r_writes(frame: pd.DataFrame, row_names: bool = True) -> str:
    """What R's write.csv makes of a table: names and text in quotes, numbers without, NA without, rows numbered."""
    quoted = [] if not row_names else ['""']
    lines = [",".join(quoted + [f'"{name}"' for name in frame])]
    for number, row in enumerate(frame.itertuples(index=False), start=1):
        fields = [f'"{number}"'] if row_names else []
        for cell in row:
            fields.append("NA" if pd.isna(cell) else str(cell) if isinstance(cell, int | float) else f'"{cell}"')
        lines.append(",".join(fields))
    return "\n".join(lines) + "\n"


TABLE = pd.DataFrame({"USUBJID": ["S1", "S2", "S3"], "COUNTRY": ["NA", None, "GR"], "AGE": [50, None, 52.5]})
EXPECTED = {"USUBJID": ["S1", "S2", "S3"], "COUNTRY": ["NA", None, "GR"], "AGE": ["50.0", None, "52.5"]}


@each("row_names", [True, False])
def test_what_r_writes_without_quotes_is_missing_and_with_quotes_is_namibia(tmp_path, row_names):
    table = read(tmp_path, "vs.csv", as_r_writes(TABLE, row_names))
    assert cells(table) == EXPECTED
    assert "NA without quotes, as R writes missing values, read as missing (2)" in table.notes
    rows = "the first column, without a name, contains row numbers (1 to 3): left out"
    assert (rows in table.notes) is row_names


def test_empty_text_beside_the_na_of_r_is_missing(tmp_path):
    assert cells(read(tmp_path, "vs.csv", '"A","B"\n"",1\n"x",NA\n')) == {"A": [None, "x"], "B": ["1", None]}


@each(
    "text",
    [
        '"ID","COUNTRY"\nS1,NA\nS2,GR\n',  # text without quotes: NA may be Namibia
        '"ID","COUNTRY"\n"S1","NA"\n"S2","GR"\n',
        'ID,COUNTRY\n"S1",NA\n"S2","GR"\n',  # names without quotes: not as R writes
        '"ID","COUNTRY"\n"S1, NA",NAM\n"S2",GR\n',
    ],
)
def test_na_is_text_where_text_has_no_quotes_or_na_has(tmp_path, text):
    expected = [row[1] for row in csv.reader(io.StringIO(text))][1:]
    table = read(tmp_path, "vs.csv", text)
    assert cells(table)["COUNTRY"] == expected
    assert not any("without quotes" in note for note in table.notes)


def test_na_of_r_beside_delimiters_and_line_ends_within_quotes(tmp_path):
    table = read(tmp_path, "vs.csv", '"A","B"\r\n"x, NA,\r\nNA",NA\r\n"say ""NA""",2\r\n')
    assert cells(table) == {"A": ["x, NA,\r\nNA", 'say "NA"'], "B": [None, "2"]}
    assert "read as missing (1)" in table.notes[0]


# Row numbers


@each(
    "first_name, numbers, how",
    [
        ("", ["1", "2", "3"], "1 to 3"),
        ("", ["0", "1", "2"], "0 to 2"),
        ("", ["3", "1", "2"], "1 to 3"),
        ("", ["4", "17", "9"], "whole numbers without repeats"),
        ("Unnamed: 0", ["0", "1", "2"], "0 to 2"),
        ("...1", ["1", "2", "3"], "1 to 3"),
    ],
)
def test_row_numbers_are_left_out_aloud(tmp_path, first_name, numbers, how):
    frame = pd.DataFrame({first_name: numbers, "A": ["x", "y", "z"]})
    table = read(tmp_path, "vs.csv", frame)
    assert cells(table) == {"A": ["x", "y", "z"]}
    called = repr(first_name) if first_name else "without a name"
    assert table.notes == (f"the first column, {called}, contains row numbers ({how}): left out",)


@each("numbers", [["1", "1", "2"], ["1", "", "2"], ["a", "b", "c"], ["1.5", "2", "3"]])
def test_a_column_without_a_name_that_numbers_no_rows_needs_a_setting(tmp_path, numbers):
    frame = pd.DataFrame({"": numbers, "A": ["x", "y", "z"]})
    with pytest.raises(FaultyInputError, match=r'1 column without a name .*"unnamed": "drop"') as caught:
        read(tmp_path, "vs.csv", frame)
    assert "'a'" not in str(caught.value)
    table = read(tmp_path, "vs.csv", frame, unnamed="drop")
    assert cells(table) == {"A": ["x", "y", "z"]}
    assert "left out, as declared" in table.notes[0]


def test_named_columns_of_numbers_stay(tmp_path):
    assert list(cells(read(tmp_path, "vs.csv", "ROW,A\n1,x\n2,y\n"))) == ["ROW", "A"]
    assert list(cells(read(tmp_path, "vs.csv", "Unnamed: 0,A\n5,x\n5,y\n"))) == ["Unnamed: 0", "A"]
    kept = read(tmp_path, "vs.csv", "Unnamed: 0,A\n1,x\n2,y\n", keep=("Unnamed: 0",))
    assert list(cells(kept)) == ["Unnamed: 0", "A"]


def test_column_without_a_name_elsewhere_is_a_fault(tmp_path):
    with pytest.raises(FaultyInputError, match=r"1 column without a name \(position 2 of 2\)"):
        read(tmp_path, "vs.csv", "A,\nx,1\ny,2\n")
