"""The sheet of columns as people send it back: read as it is meant, or every fault with its row and column."""

from __future__ import annotations

import dataclasses
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disclosure_control.basics.files import SourceFile
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.run.config_files import write_sheet
from study.columns.closed import is_pattern
from study.columns.profile import AGREED, ColumnProfile, Degree, Known, Status, UnderstoodAs
from study.columns.sheet import HEADINGS, ColumnSheet, parsed_sheet, read_sheet
from study.models.roles import Role
from tests.cases import each
from tests.examples import examples

WEIGHT = {"table": "VISITS", "column": "wtkg", "role": "number", "known_to_outsiders": "yes"}


def sheet_of_cells(*rows: dict[str, str], delimiter: str = ",", end: str = "\n", headings=HEADINGS) -> bytes:
    lines = [headings, *([row.get(name, "") for name in headings] for row in rows)]
    return end.join(
        delimiter.join(f'"{cell}"' if delimiter in cell else cell for cell in line) for line in lines
    ).encode()


def parsed(content: bytes) -> ColumnSheet:
    return parsed_sheet(SourceFile(Path("P.columns.csv"), content))


def only_row(**cells: str) -> ColumnProfile:
    (row,) = parsed(sheet_of_cells(WEIGHT | cells)).rows.values()
    return row


def faults_of(content: bytes) -> tuple[str, ...]:
    with pytest.raises(FaultyInputError) as error:
        parsed(content)
    return error.value.faults


# Texts that a spreadsheet or its sign for formulas could change, and no breaks of lines, which names never have.
NAMES = (
    st.text(st.sampled_from("aZ_é=+-@ 1,;'|%\t"), min_size=1, max_size=8)
    .map(str.strip)
    .filter(lambda name: name and not name.startswith("'") and ";" not in name and "\t" not in name)
)


@examples(60)
@given(
    st.lists(
        st.builds(
            ColumnProfile,
            table=NAMES,
            column=NAMES,
            understood_as=st.sampled_from(UnderstoodAs),
            missing_codes=st.lists(st.sampled_from(["-99", "999", "9999-12-31", "unk"]), unique=True).map(tuple),
            role=st.sampled_from(Role),
            known_to_outsiders=st.sampled_from([Known.YES, Known.NO]),
            degree=st.sampled_from(Degree),
            status=st.sampled_from(Status),
            decision=st.sampled_from(["", AGREED]),
            decided_on=st.sampled_from(["", "2026-06-30"]),
        ),
        unique_by=lambda row: row.name,
        min_size=1,
    ).filter(lambda rows: not any(map(is_pattern, rows))),  # which stands for other rows
    st.sampled_from(",;\t"),
)
def test_what_is_written_is_read_again(rows, delimiter):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "P.columns.csv"
        write_sheet(rows, path)
        earlier = dataclasses.replace(read_sheet(path), delimiter=delimiter)
        write_sheet(rows, path, earlier)
        assert list(read_sheet(path).rows.values()) == rows
        assert path.stat().st_mode & 0o777 == 0o600


@each("delimiter, end, prefix", [(",", "\n", b""), (";", "\r\n", b"\xef\xbb\xbf"), ("\t", "\r\n", b"")])
def test_the_forms_in_which_a_spreadsheet_saves_are_one(delimiter, end, prefix):
    saved = parsed(prefix + sheet_of_cells(WEIGHT, delimiter=delimiter, end=end))
    assert list(saved.rows.values()) == [only_row()]
    assert saved.delimiter == delimiter


@each(
    "heading, cell, meant",
    [
        ("known_to_outsiders", "TRUE", Known.YES),
        ("known_to_outsiders", "False", Known.NO),
        ("known_to_outsiders", "", Known.UNDECIDED),
        ("decision", "Agreed", AGREED),
        ("decision", "TRUE", AGREED),
        ("role", "Race or  Origin", Role.ORIGIN),
        ("decided_on", "30.06.2026", "2026-06-30"),
        ("decided_on", "6/30/2026", "2026-06-30"),
        ("decided_on", "46203", "2026-06-30"),
        ("decided_on", "2026-06-30 00:00:00", "2026-06-30"),
        ("column", "'=total", "=total"),
        ("missing_codes", "-99|999", ("-99", "999")),
    ],
)
def test_cells_that_a_spreadsheet_wrote_in_its_way_are_read_as_meant(heading, cell, meant):
    assert getattr(only_row(**{heading: cell}), heading) == meant


@each(
    "heading, cell, says",
    [
        ("decided_on", "03/04/2026", "day and month are not certain"),
        ("decided_on", "soon", "no date"),
        ("missing_codes", "1.00E+05", "such as 1E5"),
        ("missing_codes", "1/2/9999", "day and month are not certain"),
        ("role", "wight", "allowed: person, record key"),
        ("known_to_outsiders", "perhaps", "allowed: yes, no, undecided"),
        ("decision", "later", 'allowed: "agreed"'),
        ("status", "old", "allowed: to decide, new, changed"),
        ("column", "", "allowed: a name"),
    ],
)
def test_a_cell_that_is_not_clear_is_a_fault_of_its_row_and_column(heading, cell, says):
    (fault,) = faults_of(sheet_of_cells({"table": "T", "column": "a"}, WEIGHT | {heading: cell}))
    assert fault.startswith(f"P.columns.csv, row 3, {heading}: ")
    assert says in fault


def test_all_faults_are_named_at_once_by_the_row_of_the_spreadsheet():
    content = sheet_of_cells(WEIGHT, {}, WEIGHT, {"table": "T", "column": "a", "role": "?", "degree": "?"})
    assert [fault.partition(": ")[0] for fault in faults_of(content)] == [
        "P.columns.csv, row 5, role",
        "P.columns.csv, row 5, degree",
        "P.columns.csv, row 4, column",
    ]


def test_headings_are_needed_and_none_is_unknown():
    headings = [*HEADINGS[1:], "decison"]
    assert [fault.split("heading")[0] for fault in faults_of(sheet_of_cells(WEIGHT, headings=headings))] == [
        "P.columns.csv, row 1: the ",
        "P.columns.csv, row 1: 'decison' is no ",
    ]
    assert faults_of(b"")[0] == "P.columns.csv, row 1: the heading 'table' is missing"


def test_a_decision_leaves_nothing_undecided():
    (fault,) = faults_of(sheet_of_cells(WEIGHT | {"known_to_outsiders": "undecided", "decision": "agreed"}))
    assert "row 2, known_to_outsiders: undecided beside a decision" in fault


def test_text_that_is_not_utf_8_is_a_fault_with_the_way_out():
    assert "CSV UTF-8" in faults_of("Größe".encode("cp1252"))[0]


# ---------------------------------------------------------------- what it says to a run


def test_decisions_stand_below_the_config_and_rows_without_one_say_nothing():
    agreed = {"decision": "agreed", "known_to_outsiders": "no", "missing_codes": "-99|88,8"}
    sheet = parsed(sheet_of_cells(WEIGHT | agreed, {"table": "T", "column": "open", "missing_codes": "7"}))
    of_sheet = {"known_to_outsiders": False, "role": "number", "missing": ["-99", "88,8", "88.8"]}
    assert sheet.below({"K": 5}) == {"K": 5, "merge": {"columns": {"VISITS__wtkg": of_sheet}}}
    stands = {"merge": {"drop": ["T__x"], "columns": {"VISITS__wtkg": {"known_to_outsiders": True}}}}
    assert sheet.below(stands)["merge"] == {
        "drop": ["T__x"],
        "columns": {"VISITS__wtkg": of_sheet | {"known_to_outsiders": True}},
    }


@each(
    "status, decision, is_open",
    [
        ("", "", False),
        ("to decide", "", True),
        ("new", "", True),
        ("new", "agreed", False),
        ("changed", "", True),
        ("changed", "agreed", True),
    ],
)
def test_what_is_open(status, decision, is_open):
    assert only_row(status=status, decision=decision).is_open is is_open
