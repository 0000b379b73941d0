"""Rows that are no records: each kind is left out and named by its number, and what may be a person never is."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.records.domain_files import read_large_file
from disclosure_control.records.sql import database_in
from study.formats.files import read_domain_file
from study.formats.tables import FileOptions, SourceTable
from tests.cases import each

HEADINGS = ["pat_no", "sex", "age", "weight"]
RECORDS = [[str(100 + i), "mf"[i % 2], str(30 + 7 * i % 40), f"{60 + i}.5"] for i in range(12)]
NAMES = ["AB", "SD", "MN", "KL", "QR", "ST", "UV", "WX", "YZ", "CD", "EF", "GH"]
SUMS = [str(sum(int(row[2]) for row in RECORDS)), str(sum(float(row[3]) for row in RECORDS))]

SUM_OF_F = str(sum(int(row[2]) for row in RECORDS if row[1] == "f"))


def table_of(folder: Path, rows: list[list[str]], headings: list[str] = HEADINGS) -> SourceTable:
    text = "".join(",".join(row) + "\n" for row in [headings, *rows])
    (folder / "clinic.csv").write_text(text, encoding="utf-8")
    return read_domain_file(folder / "clinic.csv")


@pytest.mark.thorough("0.3 s")
@each(
    ("rows", "left_out"),
    [
        ([["", "m/f", "years", "kg"], *RECORDS], "a row of units (sex: m/f, age: years, weight: kg) left out"),
        ([["no.", "", "years", "kg"], *RECORDS], "a row of units (pat_no: no., age: years, weight: kg) left out"),
        ([*RECORDS, ["Total", "", *SUMS]], "a row of totals left out"),
        ([*RECORDS, ["Średnia", "", "46,3", "66.0"]], "a row of totals left out"),
        ([*RECORDS, ["Subtotal", "m", "240", ""]], "a row of totals left out"),
        ([*RECORDS, ["Standardabw.", "", "8.2", ""]], "a row of totals left out"),
        ([*RECORDS, ["Τυπική απόκλιση", "", "8.2", ""]], "a row of totals left out"),
        ([*RECORDS, ["", "", *SUMS]], "a row of totals left out"),
        ([*RECORDS, ["", "Summe", *SUMS]], "a row of totals left out"),
        ([*RECORDS, ["n valid", "12", "12", "12"]], "a row of totals left out"),
        ([*RECORDS, ["Total général", "", "1", ""]], "a row of totals left out"),
        ([*RECORDS, ["Kaikkiaan", "", *SUMS]], "a row of totals left out"),  # no list has the word
        ([["(1)", "(2)", "(3)", "(4)"], *RECORDS], "a row that numbers the columns left out"),
        ([["1", "2", "3", "4"], *RECORDS], "a row that numbers the columns left out"),
        ([["", "", "18-99", "<150"], *RECORDS], "a row of units (age: 18-99, weight: <150) left out"),
        ([*RECORDS, ["Zwischensumme", "", "12", ""]], "a row of totals left out"),
        ([["------", "---", "---", "------"], *RECORDS], "a row without any value left out"),
        ([*RECORDS, ["Summe Arm A", "", "12", ""]], "a row of totals left out"),
        ([*RECORDS, ["Summe Arm F", "", SUM_OF_F, ""]], "a row of totals left out"),
        ([*RECORDS, ["p-value", "", "0.04", ""]], "a row of totals left out"),
        ([*RECORDS[:5], [one.upper() for one in HEADINGS], *RECORDS[5:]], "a row of the headings once more left out"),
        ([*RECORDS, ["printed on 3 May by the ward", "", "", ""]], "a row of text left out"),
        ([*RECORDS[:5], ["", "", "", ""], *RECORDS[5:]], "a row without any value left out"),
    ],
)
def test_rows_of_nobody_are_left_out_and_named(rows: list[list[str]], left_out: str, tmp_path: Path) -> None:
    rows = [[cell.replace("46,3", "46.3") for cell in row] for row in rows]
    table = table_of(tmp_path, rows)
    assert list(table.frame["pat_no"]) == [row[0] for row in RECORDS]
    [note] = [note for note in table.notes if "no record of a person" in note]
    place = next(place for place, row in enumerate(rows, start=1) if row not in RECORDS)
    assert note == f"{left_out}, as no record of a person: row {place} below the headings"
    assert not set(rows[place - 1][:1]) & {"printed on 3 May by the ward"} or "ward" not in note
    with pytest.raises(FaultyInputError, match=r"which (is|are) no record"), database_in(tmp_path) as database:
        read_large_file(tmp_path / "clinic.csv", FileOptions(), database)


def test_a_total_among_ids_of_letters_is_no_record(tmp_path: Path) -> None:
    initials = [f"{letter}X" for letter in "ABCDEFGHIJKL"]
    records = [[name, *row[1:]] for name, row in zip(initials, RECORDS, strict=True)]
    assert list(table_of(tmp_path, [*records, ["Total", "", *SUMS]]).frame["pat_no"]) == initials


def test_a_mean_of_the_rows_above_it_is_no_record(tmp_path: Path) -> None:
    """Each group of a printed table ends by its mean, and no column names the groups."""
    means = [
        ["Mittelwert Gruppe " + "AB"[n], "", f"{sum(int(row[2]) for row in half) / 6:.2f}", ""]
        for n, half in enumerate((RECORDS[:6], RECORDS[6:]))
    ]
    rows = [*RECORDS[:6], means[0], *RECORDS[6:], means[1]]
    assert table_of(tmp_path, rows).n_rows == len(RECORDS)
    rows[6] = ["Mittelwert Gruppe A", "", "31.07", ""]
    assert table_of(tmp_path, rows).n_rows > len(RECORDS)


def test_a_legend_below_a_blank_row_is_no_record(tmp_path: Path) -> None:
    rows = [*RECORDS, ["", "", "", ""], ["*", "imputed value", "", ""]]
    wide = [[*row, "", ""] if not row[2] else [*row, "1", "2"] for row in rows]
    table = table_of(tmp_path, wide, [*HEADINGS, "visit", "score"])
    assert table.n_rows == len(RECORDS)


@each(
    "row",
    [
        ["112", "m", "unknown", "not done"],  # a person of whom nothing is known
        ["1O2", "f", "abc", "xyz"],  # a letter in an id
        ["112", "", "", ""],
        ["", "m", "34", "70.5"],  # a fault of another kind: it has no id
        ["Meyer", "f", "34", "70.5"],
        ["Meyer", "", "34", "70.5"],
        ["Test", "", "45.5", "71.5"],  # years with a half, where all others have whole ones
        ["Min Ho", "", "45", "71.5"],
        ["Min Ho", "", "47", ""],  # the mean
        ["112", "-", "-", "-"],  # of whom nothing is known
        ["Huber", "1", "45", ""],  # a sex by its code, where others have letters
        ["", "2", "45", "70"],
        ["pending", "9", "51", "77"],
        ["1", "2", "3", "4"],  # not below the headings
    ],
)
def test_what_may_be_a_person_stays(row: list[str], tmp_path: Path) -> None:
    table = table_of(tmp_path, [*RECORDS[:6], row, *RECORDS[6:]])
    assert table.n_rows == len(RECORDS) + 1
    assert not any("no record of a person" in note for note in table.notes)


@each("first", [["1", "2", "3", "4"], ["1", "2", "3", "4", "5"]])
def test_a_first_person_whose_answers_count_up_stays(first: list[str], tmp_path: Path) -> None:
    rows = [first, *([str(n), *[str(1 + (n * place) % 5) for place in range(1, len(first))]] for n in range(2, 14))]
    table = table_of(tmp_path, rows, ["pat_no", "q1", "q2", "q3", "q4"][: len(first)])
    assert list(table.frame["pat_no"]) == [row[0] for row in rows]


def test_a_first_person_whose_answers_count_up_stays_in_a_table_of_few(tmp_path: Path) -> None:
    assert table_of(tmp_path, [["1", "2", "3", "4"], ["2", "m", "31", "70"]]).n_rows == 2


def test_a_person_without_an_id_stays_where_one_value_fits(tmp_path: Path) -> None:
    rows = [[*row, str(150 + place)] for place, row in enumerate(RECORDS)]
    assert table_of(tmp_path, [["", "-", "adult", "refused", "155"], *rows], [*HEADINGS, "height"]).n_rows == 13


def test_a_long_text_is_told_from_a_word_for_a_total_at_once(tmp_path: Path) -> None:
    start = time.process_time()
    assert table_of(tmp_path, [*RECORDS, ["Meyer", "m", "total" * 40 + "x", ""]]).n_rows == 13
    assert time.process_time() - start < 1


def test_initials_that_are_a_word_for_a_summary_stay(tmp_path: Path) -> None:
    rows = [[name, *row[1:]] for name, row in zip(NAMES, RECORDS, strict=True)]
    assert table_of(tmp_path, rows).n_rows == len(rows)


def test_every_record_without_an_id_is_no_row_of_nobody(tmp_path: Path) -> None:
    """Texts in a third of the rows are no remarks: there the table is another one than it seems."""
    rows = [["", "", "some text", ""] if i % 3 else row for i, row in enumerate(RECORDS * 8)]
    assert table_of(tmp_path, rows).n_rows == len(rows)


def test_a_file_on_disk_with_a_total_is_at_fault(tmp_path: Path) -> None:
    table_of(tmp_path, [*RECORDS, ["Total", "", *SUMS]])
    with (
        pytest.raises(FaultyInputError, match="pat_no has a row of totals"),
        database_in(tmp_path) as database,
    ):
        read_large_file(tmp_path / "clinic.csv", FileOptions(), database)


@pytest.mark.parametrize("rows", [[["", "", "years", "kg"], *RECORDS], [*RECORDS, ["Exported on Monday", "", "", ""]]])
def test_a_row_of_nobody_at_an_end_of_a_file_on_disk_is_at_fault(tmp_path: Path, rows: list[list[str]]) -> None:
    """From there no row is left out; what this tool wrote has records alone."""
    assert table_of(tmp_path, rows).n_rows == len(RECORDS)
    with database_in(tmp_path) as database:
        with pytest.raises(FaultyInputError, match=r"clinic\.csv: at its beginning or end are rows of units"):
            read_large_file(tmp_path / "clinic.csv", FileOptions(), database)
        written = read_large_file(tmp_path / "clinic.csv", FileOptions(is_written_as_meant=True), database)
        assert written.n_rows == len(rows)


def test_a_ward_in_a_file_on_disk_is_no_total_beside_ids_of_people(tmp_path: Path) -> None:
    table_of(tmp_path, [["General", *row] for row in RECORDS], ["ward", "patient_id", *HEADINGS[1:]])
    with database_in(tmp_path) as database:
        assert read_large_file(tmp_path / "clinic.csv", FileOptions(), database).n_rows == len(RECORDS)
