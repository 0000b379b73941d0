"""Reading a sheet of a workbook: cells of each kind, the sheet that is meant, and what is no workbook."""

from __future__ import annotations

import datetime
import sys
from pathlib import Path

import openpyxl
import pandas as pd
import pytest

from disclosure_control.basics.files import read_file
from study.formats import packed
from study.formats.excel import sheets_with_data
from study.formats.files import read_domain_file
from study.formats.tables import FileOptions, SourceTable
from tests.cases import each
from tests.study.formats import asked
from tests.study.formats.asked import cells

DAY, MOMENT = datetime.datetime(2014, 1, 31), datetime.datetime(2014, 1, 31, 10, 30)


def written(folder: Path, rows: list[list], name: str = "dm.xlsx", **more: list[list]) -> Path:
    """A workbook with a first sheet of these rows, and ``more`` by name."""
    book = openpyxl.Workbook()
    sheets = {"Sheet1": rows} | more
    for title, lines in sheets.items():
        sheet = book.active if title == "Sheet1" else book.create_sheet(title)
        sheet.title = title
        for line in lines:
            sheet.append(line)
    book.save(folder / name)
    return folder / name


def read(folder: Path, rows: list[list], options: FileOptions | None = None, **more: list[list]) -> SourceTable:
    return read_domain_file(written(folder, rows, **more), options or FileOptions())


def faults_of(path: Path, **declared) -> str:
    return "\n".join(asked.faults_of(path, **declared))


def test_cells_of_each_kind(tmp_path):
    rows = [
        ["USUBJID", "AGE", "DAY", "MOMENT", "FLAG", "MIXED", 2020],
        ["DOLLY", 50, DAY, MOMENT, True, 1, "x"],
        [" S2 ", 1.5, None, DAY, False, "a", None],
        ["007", None, DAY, None, None, 2.5, ""],
    ]
    table = read(tmp_path, rows)
    assert cells(table) == {
        "USUBJID": ["DOLLY", "S2", "007"],
        "AGE": [50.0, 1.5, None],
        "DAY": ["2014-01-31", None, "2014-01-31"],
        "MOMENT": ["2014-01-31T10:30:00", "2014-01-31T00:00:00", None],
        "FLAG": ["True", "False", None],
        "MIXED": ["1", "a", "2.5"],
        "2020": ["x", None, None],
    }
    assert table.notes == ()


def test_text_means_the_same_as_in_other_formats(tmp_path):
    table = read(tmp_path, [["CD4", "COUNTRY", "DAY"], ["1", "NA", "31/12/2014"], ["#N/A", "GR", "NA"]])
    assert cells(table) == {"CD4": ["1", None], "COUNTRY": ["NA", "GR"], "DAY": ["2014-12-31", None]}


def test_an_index_of_pandas_is_left_out(tmp_path):
    path = tmp_path / "dm.xlsx"
    pd.DataFrame({"A": ["x", "y"]}).to_excel(path)
    table = read_domain_file(path)
    assert cells(table) == {"A": ["x", "y"]}
    assert "contains row numbers (0 to 1): left out" in table.notes[0]


def test_rows_before_the_header_and_empty_edges_are_passed_over(tmp_path):
    table = read(tmp_path, [[None], [None, None], ["A", "B"], ["x", None], [None, None], ["y", 2], [None, " "]])
    assert cells(table) == {"A": ["x", "y"], "B": [None, 2.0]}


def test_the_sheet_of_the_domain_the_named_one_or_the_only_one(tmp_path):
    rows, others = [["A"], ["x"]], {"DM": [["B"], ["y"]], "Notes": [["C"], ["z"]]}
    table = read(tmp_path, rows, **others)
    assert cells(table) == {"B": ["y"]}
    assert table.notes == ("sheet 'DM' read, and 2 other sheets left out",)
    assert cells(read(tmp_path, rows, FileOptions(sheet="Notes"), **others)) == {"C": ["z"]}
    assert cells(read(tmp_path, rows, Empty=[])) == {"A": ["x"]}


def test_hidden_sheets_are_left_out_and_named(tmp_path):
    path = written(tmp_path, [["A", "B"], ["x", 1], ["y", 2]], Second=[["A", "C"], ["x", 3]], Names=[["A"], ["DOLLY"]])
    book = openpyxl.load_workbook(path)
    book["Names"].sheet_state = "hidden"
    book.save(path)
    found = sheets_with_data(read_file(path), "A")
    assert found.with_data == ("Sheet1", "Second")
    assert found.left_out == {"Names": "a hidden sheet"}
    assert "3 sheets" not in faults_of(path)


def test_several_sheets_are_a_fault_with_the_setting(tmp_path):
    path = written(tmp_path, [["A"], ["DOLLY"]], Second=[["A"], ["DOLLY"]])
    fault = faults_of(path)
    assert "2 sheets with cells ('Sheet1', 'Second')" in fault
    assert 'merge: {"files": {"DM": {"sheet": "Sheet1"}}}' in fault
    assert "no sheet 'Third' with cells; allowed: 'Sheet1', 'Second'" in faults_of(path, sheet="Third")


@each(
    "rows, says",
    [
        ([], "no visible sheet with cells"),
        ([["A", "B"]], "column names but no records"),
        ([["A", "A"], ["DOLLY", 1]], "2 columns have the name 'A'"),
        ([["A", None], ["DOLLY", 1]], "1 column without a name (position 2 of 2)"),
        ([["A"], ["DOLLY", 1]], "1 column without a name (position 2 of 2)"),
    ],
)
def test_faults_of_sheets(tmp_path, rows, says):
    assert says in faults_of(written(tmp_path, rows))


@each("content", [b"PK\x03\x04" + bytes(200), b"\xd0\xcf\x11\xe0" + bytes(600), b"A,B\nDOLLY,1\n"])
@each("name", ["dm.xlsx", "dm.xls"])
def test_what_is_no_workbook(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    assert "the workbook is cut off, damaged, or locked" in faults_of(tmp_path / name)


def test_a_workbook_that_is_cut_off(tmp_path):
    content = written(tmp_path, [["A"], ["DOLLY"]]).read_bytes()
    for length in range(10, len(content), len(content) // 10):
        (tmp_path / "dm.xlsx").write_bytes(content[:length])
        assert "cut off" in faults_of(tmp_path / "dm.xlsx")


def test_a_workbook_that_would_fill_the_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(packed, "LARGEST_UNFOLDED", 100)
    monkeypatch.setattr(packed, "LARGEST_RATIO", 0)
    assert "would unfold to" in faults_of(written(tmp_path, [["A"], ["DOLLY"]]))


def test_a_library_that_is_not_there_is_named_with_the_remedy(tmp_path, monkeypatch):
    path = written(tmp_path, [["A"], ["DOLLY"]])
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    assert (
        "reading Excel workbooks needs python_calamine; install it with pip install -r requirements/formats"
        in faults_of(path)
    )


def test_each_cell_of_a_merged_area_has_its_value_below_the_headings(tmp_path):
    records = [["DOLLY", "Graz", 50], [None, None, 51], ["S2", "Linz", 60]]
    path = written(tmp_path, [["Visits", None, None], ["ID", "SITE", "AGE"], *records])
    book = openpyxl.load_workbook(path)
    for area in ("A1:C1", "A3:A4", "B3:B4"):
        book.active.merge_cells(area)
    book.save(path)
    assert cells(read_domain_file(path)) == {
        "ID": ["DOLLY", "DOLLY", "S2"],
        "SITE": ["Graz", "Graz", "Linz"],
        "AGE": [50.0, 51.0, 60.0],
    }


def test_a_formula_that_nobody_calculated_is_a_fault_and_an_error_is_missing(tmp_path):
    path = written(tmp_path, [["ID", "AGE", "BMI"], ["DOLLY", "=40+1", 20], ["S2", "=40+2", 21]])
    fault = faults_of(path)
    assert "2 cells with a formula and no stored value, in column B" in fault
    book = openpyxl.Workbook()
    for row in [["ID", "AGE"], ["DOLLY", 41], ["S2", "#DIV/0!"]]:
        book.active.append(row)
    book.save(path)
    table = read_domain_file(path)
    assert cells(table) == {"ID": ["DOLLY", "S2"], "AGE": [41.0, None]}
    assert table.notes == ("1 cell with an error of a formula read as missing",)


def test_a_cell_far_from_the_table_is_a_fault_before_the_cells_are_read(tmp_path):
    path = written(tmp_path, [["ID", "AGE"], ["DOLLY", 41]])
    book = openpyxl.load_workbook(path)
    book.active["XFD1048576"] = "x"
    book.save(path)
    assert "5 cells of a sheet reach to row 1,048,576" in faults_of(path)


def test_old_workbooks(tmp_path):
    """A workbook in the form of before 2007, written by xlwt, which is no dependency."""
    xlwt = pytest.importorskip("xlwt", reason="xlwt, which writes old workbooks, is not installed")
    book = xlwt.Workbook()
    sheet = book.add_sheet("DM")
    days = xlwt.XFStyle()
    days.num_format_str = "DD/MM/YYYY"
    rows = [["USUBJID", "AGE", "DAY", "FLAG"], ["DOLLY", 50, DAY, True], ["S2", "", DAY, False]]
    for number, row in enumerate(rows):
        for position, cell in enumerate(row):
            sheet.write(number, position, cell, *([days] if isinstance(cell, datetime.datetime) else []))
    for name in ("dm.xls", "dm2.xlsx"):
        book.save(str(tmp_path / name))
        assert cells(read_domain_file(tmp_path / name)) == {
            "USUBJID": ["DOLLY", "S2"],
            "AGE": [50.0, None],
            "DAY": ["2014-01-31", "2014-01-31"],
            "FLAG": ["True", "False"],
        }
