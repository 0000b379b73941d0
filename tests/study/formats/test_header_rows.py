"""Headings below titles: where they are found, what is joined, and what never becomes a header."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.records.domain_files import LargeFile
from disclosure_control.records.limits import Limits
from disclosure_control.records.merging import read_by_size
from disclosure_control.records.sql import database_in
from study.formats.files import read_domain_file
from study.formats.header_rows import HeaderRow, find_header, looks_like_a_table
from study.formats.tables import FileOptions, SourceTable
from tests.cases import each

HEADINGS = ["PatNr", "Sex", "Age", "Visit"]
RECORDS = [["DOLLY", "m", 50, "2020-01-05"], ["P2", "f", 61, "2020-02-01"], ["P3", "f", 47, "2020-02-03"]]
TITLE = ["A study of DOLLY and others"]
ONE_ABOVE = "the headings were found in row 2; row 1 above them holds text that is not read"


def workbook(folder: Path, rows: list[list], **declared) -> SourceTable:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.save(folder / "dm.xlsx")
    return read_domain_file(folder / "dm.xlsx", FileOptions(**declared))


def text(folder: Path, content: str, **declared) -> SourceTable:
    (folder / "dm.csv").write_text(content, encoding="utf-8")
    return read_domain_file(folder / "dm.csv", FileOptions(**declared))


def csv(rows: list[list], delimiter: str = ",") -> str:
    return "".join(delimiter.join(map(str, row)) + "\n" for row in rows)


def is_read(table: SourceTable, *notes: str) -> None:
    """The records under their headings, the ids first, and these notes."""
    assert list(table.frame.columns) == HEADINGS
    assert list(table.frame["PatNr"]) == ["DOLLY", "P2", "P3"]
    assert list(table.frame["Age"].astype(float)) == [50.0, 61.0, 47.0]
    assert [note for note in table.notes if "heading" in note] == list(notes)
    assert not any("DOLLY" in note for note in table.notes)


@pytest.mark.thorough("0.4 s")
@each(
    ("above", "note"),
    [
        ([TITLE], ONE_ABOVE),
        ([TITLE, []], "the headings were found in row 3; row 1 above them holds text that is not read"),
        (
            [["Site", "Athens"], ["As of", "2024-05-01"], []],
            "the headings were found in row 4; rows 1-2 above them hold text that is not read",
        ),
        ([[], TITLE, []], "the headings were found in row 4; row 2 above them holds text that is not read"),
    ],
)
def test_titles_above_the_headings(tmp_path, above, note):
    is_read(workbook(tmp_path, [*above, HEADINGS, *RECORDS]), note)
    is_read(text(tmp_path, csv([*above, HEADINGS, *RECORDS])), note)
    filled = [[*row, *[""] * 4][:4] for row in above]
    is_read(text(tmp_path, csv([*filled, HEADINGS, *RECORDS], ";")), note)


def test_a_table_that_begins_further_right(tmp_path):
    rows = [TITLE, [None], [None, None, *HEADINGS], *([None, None, *record] for record in RECORDS)]
    note = "the headings were found in row 3; row 1 above them holds text that is not read"
    is_read(workbook(tmp_path, rows), note)


@each("title", ["One study, of Athens, 2020, Vol. 1", "Study, of", "Study"])
def test_a_title_with_another_sign_than_the_columns(tmp_path, title):
    table = text(tmp_path, f"{title}\n" + csv([HEADINGS, *RECORDS], ";"))
    is_read(table, ONE_ABOVE)
    assert "delimiter ';' guessed" in table.notes


def test_a_proper_first_row_is_the_header_unless_one_below_names_the_person(tmp_path):
    rows = [["A", "B", "C"], ["Ward", "Sex", "Age"], ["P1", "m", 5], ["P2", "f", 6]]
    for table in (workbook(tmp_path, rows), text(tmp_path, csv(rows))):
        assert list(table.frame.columns) == ["A", "B", "C"]
        assert table.notes == ()


# Hand-worked: groups above names, with the blank cells that merged ones leave.
GROUPS = [
    (
        ["", "Visit 1", "", "Visit 2", ""],
        ["PatNr", "Weight", "Pulse", "Weight", "Pulse"],
        ["PatNr", "Visit 1 Weight", "Visit 1 Pulse", "Visit 2 Weight", "Visit 2 Pulse"],
    ),
    (
        ["PatNr", "Visit 1", "", "Visit 2", ""],
        ["", "Weight", "Pulse", "Weight", "Pulse"],
        ["PatNr", "Visit 1 Weight", "Visit 1 Pulse", "Visit 2 Weight", "Visit 2 Pulse"],
    ),
    (
        ["Person", "", "Vitals", "", ""],
        ["PatNr", "Sex", "Weight", "Pulse", "Height"],
        ["PatNr", "Person Sex", "Vitals Weight", "Vitals Pulse", "Vitals Height"],
    ),
    (
        ["PatNr", "Sex", "Vitals", "", "Outcome"],
        ["", "", "Weight", "Pulse", ""],
        ["PatNr", "Sex", "Vitals Weight", "Vitals Pulse", "Outcome"],
    ),
]


@each(("upper", "lower", "names"), GROUPS)
@each("has_title", [False, True])
def test_groups_above_names_are_joined(upper, lower, names, has_title):
    records = [[f"P{number}", "m", "70", "60", "x"] for number in range(9)]
    found = find_header([*[["A title"]] * has_title, upper, lower, *records])
    assert found.names == names
    where = "rows 2 and 3" if has_title else "rows 1 and 2"
    assert found.notes[0].startswith(f"the headings were found in {where}, groups above names, and joined")
    assert ("row 1 above them holds text" in found.notes[0]) == has_title


def test_joined_headings_are_those_of_the_table(tmp_path):
    upper, lower, names = GROUPS[1]
    rows = [upper, lower, *[[f"P{number}", 70, 60, 71, 61] for number in range(3)]]
    for table in (workbook(tmp_path, rows), text(tmp_path, csv(rows))):
        assert list(table.frame.columns) == names
        assert table.n_rows == 3


@each("keep", [(), ("Kennzahl",)])
def test_the_declared_person_keeps_its_own_heading(keep):
    rows = [["Person", "", "Vitals", ""], ["Kennzahl", "Sex", "Weight", "Pulse"], *[["a", "m", "7", "6"]] * 4]
    assert find_header(rows, keep).names[0] == ("Kennzahl" if keep else "Person Kennzahl")


@each(
    "rows",
    [
        [["A", "", ""], ["DOLLY", "m", "5"], ["P2", "f", "6"]],  # a header without names, and a record with a number
        [["A", ""], ["DOLLY", "m"], ["P2", "m"], ["P3", "m"], ["P4", "m"], ["P5", "f"]],  # the value of a record recurs
        [["A", "", ""], ["DOLLY", "m", "x"], ["P2", "f", "y"], ["P3", "f", "z"]],  # texts that prove nothing
        [["A", "B", ""], ["PatNr", "Sex", "Age"], ["P2", "f", "6"]],  # one name is missing: no title
        [["A", "", ""], ["PatNr", "Sex", "Sex"], ["P2", "f", "6"]],  # a name that repeats
        [["A", "", ""], ["PatNr", "", "Age"], ["P2", "f", "6"]],
        [["A", "", ""], ["PatNr", "Sex", "Age"]],  # no record below it
        [["Site", "Athens", "", ""], ["PatNr", "Sex", "Age", ""], ["P1", "m", "5", "x"]],
    ],
)
def test_what_is_in_doubt_stays_in_the_first_row(rows):
    assert find_header(rows) == HeaderRow(0, rows[0])


@given(st.lists(st.lists(st.sampled_from(["", "a", "b", "PatNr", "7"]), min_size=3, max_size=3), min_size=1))
def test_a_complete_first_row_is_never_passed_over(rows):
    rows[0] = [cell or "name" for cell in rows[0]]
    assert find_header(rows) == HeaderRow(0, rows[0])


def test_rows_above_the_declared_header_are_not_read(tmp_path):
    rows = [["A", "B", "C", "D"], ["x", "y", "z", "q"], HEADINGS, *RECORDS]
    is_read(workbook(tmp_path, rows, header_row=3))
    is_read(text(tmp_path, csv(rows), header_row=3))
    is_read(workbook(tmp_path, [[], *rows], header_row=4))
    is_read(text(tmp_path, "\n" + csv(rows), header_row=4))
    is_read(text(tmp_path, "one, two, three\n" + csv([HEADINGS, *RECORDS], ";"), header_row=2))


@each("header_row", [2, 9])
def test_a_declared_header_that_is_not_there(tmp_path, header_row):
    rows = [TITLE, [], HEADINGS, *RECORDS]
    for read in (workbook, lambda folder, rows, **declared: text(folder, csv(rows), **declared)):
        with pytest.raises(FaultyInputError, match=rf"declared to be in row {header_row}, ") as caught:
            read(tmp_path, rows, header_row=header_row)
        assert 'merge: {"files": {"DM": {"header_row": ' in str(caught.value)
        assert "DOLLY" not in str(caught.value)


def test_names_that_are_missing_are_a_fault_with_the_number_of_the_row(tmp_path):
    with pytest.raises(FaultyInputError, match=r'2 columns without a name .*"header_row": ') as caught:
        workbook(tmp_path, [["PatNr", None, None], ["DOLLY", "m", 1]])
    assert "unnamed" not in str(caught.value)
    assert "DOLLY" not in str(caught.value)


def test_lines_are_counted_as_in_the_file(tmp_path):
    with pytest.raises(FaultyInputError, match="1 record with 5; the first begins at line 6"):
        text(tmp_path, "Title\n\n" + csv([HEADINGS, *RECORDS[:2], [*RECORDS[2], "more"], *RECORDS]))
    with pytest.raises(FaultyInputError, match="the record that begins at line 4, a quote is opened and never closed"):
        text(tmp_path, f"Title\n{csv([HEADINGS])}P1,m,5,x\n" + '"P2,f,6,x\n')


def test_a_large_text_with_a_title_is_read_whole(tmp_path):
    limits = Limits(large_bytes=1)
    content = csv([HEADINGS, *RECORDS])
    (tmp_path / "dm.csv").write_text(content)
    with database_in(tmp_path) as database:
        assert isinstance(read_by_size(tmp_path / "dm.csv", FileOptions(), database, limits), LargeFile)
        (tmp_path / "dm.csv").write_text(f"Title\n{content}")
        table = read_by_size(tmp_path / "dm.csv", FileOptions(), database, limits)
    assert not isinstance(table, LargeFile)
    is_read(table, ONE_ABOVE)


@each(
    "title",
    [
        ["Register", "export", "of", "2023"],  # a text above each heading
        ["Export of the register", "ward 3", "all visits", "made in May", "by the clinic"],  # and one more
    ],
)
def test_headings_below_a_full_title_that_name_the_person(title: list[str], tmp_path: Path) -> None:
    records = [[10 + i, "mf"[i % 2], 40 + i, "2020-01-05"] for i in range(4)]
    table = workbook(tmp_path, [title, HEADINGS, *records])
    assert ([name for name in table.frame.columns if name], table.n_rows) == (HEADINGS, len(records))


@each(
    ("rows", "row"),
    [
        ([["Register", "Clinic", "2023"], HEADINGS, *RECORDS], 2),  # of three cells: no sparse title
        ([["Export"], [], ["pat_no", "2019", "2020"], *[[f"P{i}", 10 + i, 20 + i] for i in range(6)]], 3),
    ],
)
def test_the_fault_of_a_title_offers_the_row_that_works(rows: list[list], row: int, tmp_path: Path) -> None:
    rows = [*rows, *[rows[-1]] * 3]
    for read in (partial(text, tmp_path, csv(rows)), partial(workbook, tmp_path, rows)):
        with pytest.raises(FaultyInputError) as fault:
            read()
        assert f'"header_row": {row}}}' in str(fault.value)
        assert list(read(header_row=row).frame.columns) == list(map(str, rows[row - 1]))


def test_groups_in_each_cell_are_joined_as_those_in_their_first_cell(tmp_path: Path) -> None:
    rows = [["", "start", "start", "end", "end"], ["PatNr", "weight", "sbp", "weight", "sbp"]]
    table = text(tmp_path, csv([*rows, *[[f"P{i}", 60 + i, 120, 70 + i, 130] for i in range(6)]]))
    assert list(table.frame.columns) == ["PatNr", "start weight", "start sbp", "end weight", "end sbp"]


@each(
    "text",
    [
        "Dear colleague,\nplease find enclosed\nthe data, as you asked, of May\n" * 10,
        "Export log\n" + "".join(f"2020-01-{day}, exported table {day}\n" for day in range(10, 32)) * 2,
        "Changes\n" + "".join(f"v{number}; fixed {number}\n" for number in range(30)),
        "Settings\n" + "".join(f"name{number}\tvalue{number}\n" for number in range(30)),
        "References\n" + "".join(f"Smith J, Miller K, Huber B. A trial {number}.\n" for number in range(30)),
        "Log\n" + "".join(f"INFO\texported\ttable {number}\n" for number in range(30)),
    ],
)
def test_a_text_with_titles_above_its_table_is_a_table_and_a_letter_is_none(text: str) -> None:
    records = b"PatNr\tSex\tAge\n" + b"1\tm\t50\n" * 40
    assert looks_like_a_table(b"Device: XY\nUser: admin\n\n" + records)
    assert not looks_like_a_table(text.encode())
