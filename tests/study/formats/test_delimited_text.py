"""Reading delimited text: what is guessed, what is missing, what is a fault."""

import contextlib
import csv
import io
import itertools
import re
import unicodedata
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disclosure_control.basics.settings.fields import faults_of as faults_of_settings
from disclosure_control.basics.settings.kinds import Place
from disclosure_control.basics.telling.faults import FaultyInputError
from study.formats.column_reading import MISSING_TOKENS
from study.formats.files import read_domain_file
from study.formats.tables import FileOptions, SourceTable
from study.words import words_for_missing_among_numbers
from tests.cases import each
from tests.examples import examples, some_of
from tests.study.formats import asked
from tests.study.formats.asked import cells, shared


def read(folder: Path, text: str | bytes, name: str = "vs.csv", **declared) -> SourceTable:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_domain_file(path, FileOptions(**declared))


def faults_of(folder: Path, text: str | bytes, name: str = "vs.csv", **declared) -> tuple[str, ...]:
    (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return asked.faults_of(folder / name, **declared)


# Fields and records


def test_every_column_is_text_as_it_stands(tmp_path):
    table = read(tmp_path, "SUBJID,VISITNUM,DATE,FLAG\n007,1.0,2012-01,TRUE\n7,1,2012,1e5\n")
    assert cells(table) == {
        "SUBJID": ["007", "7"],
        "VISITNUM": ["1.0", "1"],
        "DATE": ["2012-01", "2012"],
        "FLAG": ["TRUE", "1e5"],
    }
    assert table.notes == ()


def test_quoted_fields(tmp_path):
    table = read(tmp_path, '"A","B, C",D\n"x\ny","p,q","say ""yes"""\n"",5" tube,"z"\n')
    assert cells(table) == {"A": ["x\ny", None], "B, C": ["p,q", '5" tube'], "D": ['say "yes"', "z"]}


@each("line_end", ["\n", "\r\n", "\r"])
def test_line_ends_and_blank_lines(tmp_path, line_end):
    text = line_end.join(["", "A,B", "1,2", "", "3,4"])
    assert cells(read(tmp_path, text)) == {"A": ["1", "3"], "B": ["2", "4"]}


def test_header_over_two_lines(tmp_path):
    assert cells(read(tmp_path, '"Blood\npressure";B\n1;2\n')) == {"Blood\npressure": ["1"], "B": ["2"]}


def test_names_and_values_are_composed_and_trimmed(tmp_path):
    table = read(tmp_path, "\ufeff ΗΛΙΚΙΑ ,B\u0301\n x\u00a0,α\u0301\n\t,ά \n")
    assert cells(table) == {"ΗΛΙΚΙΑ": ["x", None], "B\u0301": ["ά", "ά"]}


def test_one_column_keeps_its_missing_values(tmp_path):
    assert cells(read(tmp_path, 'NAME\nx\n""\n')) == {"NAME": ["x", None]}


def test_empty_records_that_a_spreadsheet_adds_at_the_end_are_left_out(tmp_path):
    table = read(tmp_path, "A;B\n1;2\n;\n3;\n;\n ;\n")
    assert cells(table) == {"A": ["1", "3"], "B": ["2", None]}
    assert "2 records at the end without any value left out" in table.notes


def test_record_of_tokens_for_missing_at_the_end_is_a_record(tmp_path):
    assert cells(read(tmp_path, "A,B\n1,2\nNA,.\n")) == {"A": ["1", None], "B": ["2", None]}
    assert cells(read(tmp_path, "A,B\n1,2\n-,-\n", missing=("-",))) == {"A": ["1", None], "B": ["2", None]}


def test_record_larger_than_a_block(tmp_path, monkeypatch):
    monkeypatch.setattr("study.formats.delimited_text._BLOCK_BYTES", 64)
    note = "line\n" * 100
    table = read(tmp_path, f'A,B\n1,"{note}"\n' + "2,x\n" * 50)
    assert cells(table) == {"A": ["1"] + ["2"] * 50, "B": [note.strip()] + ["x"] * 50}


def test_line_ends_within_values_survive_the_ends_of_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr("study.formats.delimited_text._BLOCK_BYTES", 64)
    values = ["x" * length + "\r\ny" for length in range(1, 40)] * 9
    text = "A,B\n" + "".join(f'1,"{value}"\n' for value in values)
    # So that a block does end between CR and LF.
    assert any(text[end - 1 : end + 1] == "\r\n" for end in range(64, len(text), 64))
    assert cells(read(tmp_path, text))["B"] == values


def test_header_longer_than_the_sample(tmp_path, monkeypatch):
    monkeypatch.setattr("study.formats.delimited_text.SAMPLE_BYTES", 10)
    names = [f"COLUMN{number}" for number in range(20)]
    assert list(read(tmp_path, ",".join(names) + "\n" + ",".join(names) + "\n").frame) == names


# Delimiter


@each(
    "delimiter, name, note",
    [
        (",", "vs.csv", ()),
        ("\t", "vs.tsv", ()),
        (";", "vs.csv", ("delimiter ';' guessed",)),
        ("\t", "vs.csv", ("delimiter tab guessed",)),
        ("|", "vs.csv", ("delimiter '|' guessed",)),
        (",", "vs.tsv", ("delimiter ',' guessed",)),
    ],
)
def test_delimiter_is_guessed_unless_it_is_the_usual_one(tmp_path, delimiter, name, note):
    text = f'A{delimiter}"B;,|\tC"{delimiter}D\n1{delimiter}x{delimiter}3\n'
    table = read(tmp_path, text, name)
    assert cells(table) == {"A": ["1"], "B;,|\tC": ["x"], "D": ["3"]}
    assert table.notes == note


def test_delimiter_among_decimal_commas_and_text_with_commas(tmp_path):
    table = read(tmp_path, "ID;NOTE;BMI\na;well, mostly;22,5\nb;no;23,0\n")
    assert list(table.frame) == ["ID", "NOTE", "BMI"]


def test_one_column_of_numbers_with_commas_is_one_column(tmp_path):
    assert cells(read(tmp_path, "BMI\n22,5\n23,1\n")) == {"BMI": ["22.5", "23.1"]}


def test_declared_delimiter_is_taken_as_declared(tmp_path):
    table = read(tmp_path, "A:B;C\n1:2;3\n", delimiter=":")
    assert cells(table) == {"A": ["1"], "B;C": ["2;3"]}
    assert table.notes == ()


# Decimal sign


def test_decimal_comma_is_guessed_per_column_and_said(tmp_path):
    table = read(tmp_path, "BMI;CODES;AGE;RANGE;T\n22,5;1,2;50;,5;1.000,5\n-23;1,2,3;51;1,5e3;2,5\n")
    assert cells(table) == {
        "BMI": ["22.5", "-23"],
        "CODES": ["1,2", "1,2,3"],
        "AGE": ["50", "51"],
        "RANGE": [".5", "1.5e3"],
        "T": ["1000.5", "2.5"],
    }
    assert table.notes == (
        "delimiter ';' guessed",
        "'.' between groups of three digits left out: 'T'",
        "decimal comma guessed in 'BMI', 'RANGE', 'T'",
    )


def test_comma_in_a_comma_separated_file_is_no_decimal_sign(tmp_path):
    assert cells(read(tmp_path, 'A,B\n"1,5",x\n"2,5",y\n'))["A"] == ["1,5", "2,5"]


ODD_VALUES = ["unknown", "7.5", "<3,42", "NA", "-99", "1,2,3", "", "12/03/2020", "1e301"]


@pytest.mark.parametrize("numbers", [(), ("GLUCOSE",)], ids=["undeclared", "declared"])
@pytest.mark.parametrize("odd", some_of(ODD_VALUES))
def test_one_value_decides_nothing_about_others(odd, numbers, tmp_path):
    """What is declared holds value by value: fifty numbers stay numbers whoever comes to them."""
    values = [f"{number},{number % 10}" for number in range(3, 53)]
    declared = {"delimiter": ";", "encoding": "utf-8", "decimal": ",", "missing": ("-99",), "numbers": numbers}
    for place in (0, 25, 50):
        given = [*values[:place], odd, *values[place:]]
        table = read(tmp_path, "ID;GLUCOSE\n" + "".join(f"P{i};{v}\n" for i, v in enumerate(given)), **declared)
        found = cells(table)["GLUCOSE"]
        assert found[:place] + found[place + 1 :] == [value.replace(",", ".") for value in values]
        kept = {"-99": None, "": None, "1e301": "1e301", "<3,42": None if numbers else "<3.42"}
        assert found[place] == kept.get(odd, None if numbers else odd)


@each("numbers", [(), ("A",)])
def test_a_value_is_read_alike_in_whatever_company(numbers, tmp_path):
    """Every subset of a column reads its values as the whole column does."""
    values = ["7.5", "3,42", "unknown", "7", "<3,42", "-99", "1.234", "NA"]
    declared = {"delimiter": ";", "encoding": "utf-8", "decimal": ",", "missing": ("-99",), "numbers": numbers}

    def read_together(given):
        return cells(read(tmp_path, "ID;A\n" + "".join(f"P;{value}\n" for value in given), **declared))["A"]

    whole = dict(zip(values, read_together(values), strict=True))
    for n in (1, 2):
        for some in some_of(list(itertools.combinations(values, n))):
            assert read_together(some) == [whole[value] for value in some]


def test_what_is_no_number_in_a_column_of_numbers_is_missing_and_counted(tmp_path):
    data = "A;B\n1,5;NA\nunknown;2.5\n<3,42;3,5\n7.5;x\n;-99\n"
    table = read(tmp_path, data, delimiter=";", decimal=",", missing=("-99",), numbers=("A", "B"))
    assert cells(table) == {"A": ["1.5", None, None, None, None], "B": [None, None, "3.5", None, None]}
    assert table.notes[1:] == (
        "values that are not numbers, in columns declared as numbers, read as missing: 'A' (3), 'B' (3)",
    )
    guessed = read(tmp_path, data, delimiter=";", numbers=("A",))
    assert cells(guessed)["A"] == [None, None, None, "7.5", None]  # two signs, and none of them declared
    commas = read(tmp_path, "A;B\n1,5;1\nclotted;2\nNA;3\n", delimiter=";", numbers=("A",))
    assert cells(commas)["A"] == ["1.5", None, None]
    assert commas.notes == (
        "decimal comma guessed in 'A'",
        "'NA' in columns of numbers or dates read as missing: 'A' (1)",
        "values that are not numbers, in columns declared as numbers, read as missing: 'A' (1)",
    )


def test_numbers_that_a_guess_takes_for_text_are_counted_aloud(tmp_path):
    table = read(tmp_path, "A;B\n1,5;x\n2,5;1,5\nclotted;y\n")
    assert cells(table)["A"] == ["1,5", "2,5", "clotted"]
    assert table.notes[1].startswith(
        "numbers with a comma kept as text: 'A' (2); if the comma is a decimal sign, declare"
    )
    assert read(tmp_path, 'A,B\n"1,5",x\n"2,5",y\n').notes[0].startswith("numbers with a comma kept as text: 'A' (2)")
    mixed = read(tmp_path, "A;B\n1,5;x\n7.5;y\n7.25;z\n", decimal=",")
    assert mixed.notes[-1] == "values with a decimal point in columns of decimal commas, left unchanged: 'A' (2)"


def test_a_column_of_numbers_that_is_not_there_is_a_fault(tmp_path):
    [fault] = faults_of(tmp_path, "AGE;BMI\n1;2\n", numbers=("BMI", "AGEE"))
    assert "declared as numbers, but not in the file: 'AGEE'; did you mean 'AGE'?" in fault


def test_declared_decimal_sign(tmp_path):
    table = read(tmp_path, 'A,B\n"1,5",x\n"2,5",y\n', decimal=",")
    assert cells(table)["A"] == ["1.5", "2.5"]
    assert table.notes == ("decimal comma declared in 'A'",)
    assert cells(read(tmp_path, "A;B\n1,5;x\n", decimal="."))["A"] == ["1,5"]


# Missing values


def test_words_for_missing_are_missing_among_numbers_and_dates_alone(tmp_path):
    table = read(tmp_path, "A,B,C\n1,2020-01-03,x\nUNK,unbekannt,unknown\nNI,fehlt,MSK\n")
    assert cells(table) == {"A": ["1", None, None], "B": ["2020-01-03", None, None], "C": ["x", "unknown", "MSK"]}
    assert "'UNK' in columns of numbers or dates read as missing: 'A' (1)" in table.notes


def test_tokens_are_missing_among_numbers_alone_and_counted(tmp_path):
    table = read(tmp_path, "CD4,COUNTRY,LAB\n1,NA,.\nNA,GR,2.5\nNA,,-3e2\n.,GR,N/A\n")
    assert cells(table) == {
        "CD4": ["1", None, None, None],
        "COUNTRY": ["NA", "GR", None, "GR"],
        "LAB": [None, "2.5", "-3e2", None],
    }
    assert set(table.notes) == {
        "'NA' in columns of numbers or dates read as missing: 'CD4' (2)",
        "'N/A' in columns of numbers or dates read as missing: 'LAB' (1)",
        "'.' in columns of numbers or dates read as missing: 'CD4' (1), 'LAB' (1)",
        "'NA' kept as text: 'COUNTRY' (1); if that means missing, declare it for all files: merge: "
        '{"missing": ["NA"]}',
    }


def test_each_token(tmp_path):
    """Missing among numbers and dates, and no part of another text."""
    names = [f"C{number}" for number in range(len(MISSING_TOKENS))]
    for first, before, found in (("1", " ", None), ("2014-01-02", " ", None), ("1", "x", "x")):
        rows = (["ID", *names], ["p", *[first] * len(names)], ["q", *[before + token for token in MISSING_TOKENS]])
        read_again = cells(read(tmp_path, "".join(",".join(row) + "\n" for row in rows)))
        wanted = {name: [first, found and found + one] for name, one in zip(names, MISSING_TOKENS, strict=True)}
        assert {name: read_again[name] for name in names} == wanted


def test_column_of_nothing_but_tokens_is_kept_and_said(tmp_path):
    table = read(tmp_path, "COUNTRY,B\nNA,x\nNA,y\n")
    assert cells(table)["COUNTRY"] == ["NA", "NA"]
    assert table.notes == (
        "'NA' kept as text: 'COUNTRY' (2); if that means missing, declare it for all files: merge: "
        '{"missing": ["NA"]}',
    )


def test_declared_tokens_are_missing_everywhere(tmp_path):
    table = read(tmp_path, "A,B\n1,UNK\n-99, unknown \nUNK,z\n", missing=("UNK", "unknown", "-99"))
    assert cells(table) == {"A": ["1", None, None], "B": [None, None, "z"]}


# Encoding


def test_greek_file_from_a_spreadsheet(tmp_path):
    table = read(tmp_path, "ΚΩΔΙΚΟΣ;ΒΑΡΟΣ\nΆλφα;70,5\n".encode("cp1253"))
    assert cells(table) == {"ΚΩΔΙΚΟΣ": ["Άλφα"], "ΒΑΡΟΣ": ["70.5"]}
    assert table.notes == (
        "not UTF-8: read as cp1253 (guessed)",
        "delimiter ';' guessed",
        "decimal comma guessed in 'ΒΑΡΟΣ'",
    )


@each("encoding", ["utf-8-sig", "utf-16"])
def test_byte_order_mark_is_no_part_of_the_first_name(tmp_path, encoding):
    assert cells(read(tmp_path, '"Α","Β"\n"Γ","Δ"\n'.encode(encoding))) == {"Α": ["Γ"], "Β": ["Δ"]}


# Faults


@each("text", ["\n", "\r\n\n", "  \n ", "\ufeff", "\ufeff\n"])
def test_blank_file(tmp_path, text):
    (fault,) = faults_of(tmp_path, text)
    assert "the file is empty" in fault
    assert 'merge: {"ignore": ["VS"]}' in fault


@each("text", ["A,B", "A,B\n", "A,B\r\n\r\n", "A;B\n;\n;\n", '"A\nx",B', "AGE"])
def test_header_without_a_record(tmp_path, text):
    (fault,) = faults_of(tmp_path, text)
    assert "column names but no records" in fault


def test_header_faults_and_ragged_records_come_together(tmp_path):
    faults = faults_of(tmp_path, "A,B,A,\nDOLLY,2,3,4\n1,2\n1,2\n1,2,3,4,5\n")
    assert len(faults) == 3
    assert "1 column without a name (position 4 of 4)" in faults[0]
    assert "2 columns have the name 'A' (positions 1, 3)" in faults[1]
    assert "3 records with another number of fields than the 4 columns of the header" in faults[2]
    assert "2 records with 2, 1 record with 5; the first begins at line 3" in faults[2]


@each("delimiter", [",", ";", "\t"])
def test_delimiters_at_the_end_of_all_lines_are_no_column(tmp_path, delimiter):
    text = "A,B,,\n1,x,,\n2,y, ,\n".replace(",", delimiter)
    table = read(tmp_path, text)
    assert cells(table) == {"A": ["1", "2"], "B": ["x", "y"]}
    assert "2 columns without a name and without any value left out" in table.notes


def test_columns_without_a_name_are_judged_one_by_one(tmp_path):
    assert cells(read(tmp_path, ",A,\n1,x,\n2,y,\n")) == {"A": ["x", "y"]}
    assert cells(read(tmp_path, ",A,B\n,x,1\n,y,2\n")) == {"A": ["x", "y"], "B": ["1", "2"]}
    (fault,) = faults_of(tmp_path, "A,,B,\n1,,3,\n2,,3,4\n")
    assert "1 column without a name (position 4 of 4)" in fault
    (fault,) = faults_of(tmp_path, '""\n""\n""\n')
    assert "1 column without a name" in fault


def test_names_that_are_equal_once_composed_are_duplicates(tmp_path):
    (fault,) = faults_of(tmp_path, "é, e\u0301\n1,2\n")
    assert "2 columns have the name 'é'" in fault


@each("header", ["01,1950-02-03,DOLLY,45.5,1\n", "7;7;1;0,5;DOLLY\n", "2012-01-05,3\n"])
def test_missing_header_is_noticed_and_not_shown(tmp_path, header):
    faults = faults_of(tmp_path, header * 2)
    assert "the first line looks like a record" in faults[-1]
    assert not any(value in fault for fault in faults for value in ("1950", "45.5", "2012", "'7'"))


def test_years_among_names_are_names(tmp_path):
    assert list(read(tmp_path, "ID,SEX,2019,2020\na,b,1,2\n").frame) == ["ID", "SEX", "2019", "2020"]


def test_line_of_the_first_ragged_record_counts_quoted_line_ends(tmp_path):
    (fault,) = faults_of(tmp_path, 'A,B\n\n"x\ny\nz",2\nDOLLY\n')
    assert "1 record with 1; the first begins at line 6" in fault
    assert '{"delimiter": ";"}' in fault


@each("n_records", [3, 40_000])
def test_quote_that_is_never_closed(tmp_path, n_records):
    (fault,) = faults_of(tmp_path, 'A,B\n1,x\n2,"DOLLY\n' + "DOLLY,y\n" * n_records)
    assert "unbalanced quotes: in the record that begins at line 3, a quote is opened and never closed" in fault


def test_stray_quotes_that_pair_up_over_several_records(tmp_path):
    text = 'A,B\n1,"DOLLY 5 mg\n2,"well"\n3,x\n4,"DOLLY 10 mg\n'
    (fault,) = faults_of(tmp_path, text)
    assert "line 2, text follows a closing quote" in fault


def test_stray_quote_in_the_header_shows_nothing_of_the_records(tmp_path):
    (fault,) = faults_of(tmp_path, 'A,"B,A\nDOLLY,1,2\nDOLLY,2,3\n')
    assert "unbalanced quotes" in fault


def test_quotes_across_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr("study.formats.delimited_text._SMALL_BLOCK_BYTES", 3)
    text = '"A","B"\n"x, ""y""","z"\n"","""a"""\n'
    assert cells(read(tmp_path, text)) == {"A": ['x, "y"', None], "B": ["z", '"a"']}
    assert "unbalanced" in faults_of(tmp_path, '"A","B"\n"x","y"DOLLY\n')[0]
    assert "unbalanced" in faults_of(tmp_path, '"A","B"\n"x","y')[0]


@each("name, values", [("delimiter", ["", ";;", "·", '"', "\n"]), ("encoding", ["klingon", "hex", "cp\0"])])
def test_declared_settings_that_cannot_be_used(name, values):
    assert all(faults_of_settings(FileOptions, {name: value}, Place("VS")) for value in values)
    assert not faults_of_settings(FileOptions, {"delimiter": ";", "encoding": "cp1253"}, Place("VS"))


# What Python's csv module writes is read back

UNSEEN = "\u00ad\u200b\ufeff\U000e0041"
CHARACTERS = st.sampled_from("abNA09.-,;|\t\"' \r\ne\u00e9\u0301\u03a9\u00a0\u2009\u2028\u0085\U0001f600\x1f" + UNSEEN)
TEXTS = st.one_of(st.text(CHARACTERS, max_size=8), st.sampled_from(["NA", ".", "nan", "1", "-2.5", "1,5", "007"]))
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
TOKENS = {"NA", "N/A", "NaN", "nan", "null", "NULL", ".", "-", "--", "n/a", "N.A.", "#N/A", "<NA>", "None", "NaT"}
WORDS = words_for_missing_among_numbers()
TOKENS |= {f".{letter}" for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ_"}  # of SAS


def cleaned(text: str) -> str | None:
    seen = (one for one in unicodedata.normalize("NFC", text) if one not in UNSEEN)
    return "".join(" " if unicodedata.category(one) == "Zs" else one for one in seen).strip() or None


@st.composite
def tables(draw) -> tuple[list[str], list[list[str]]]:
    n_columns = draw(st.integers(1, 5))
    names = st.text(CHARACTERS, max_size=5).map(lambda text: "N" + text)
    header = draw(st.lists(names, min_size=n_columns, max_size=n_columns, unique_by=cleaned))
    row = st.lists(TEXTS, min_size=n_columns, max_size=n_columns)
    return header, draw(st.lists(row, min_size=1, max_size=5))  # too few for forms to be known


def expected_columns(header: list[str], rows: list[list[str]]) -> dict[str, list[str | None]]:
    """What the reader promises, slowly: cleaned text, empty records left out, tokens among numbers."""

    records = [[cleaned(value) for value in row] for row in rows]
    records = [record for record in records if len(header) == 1 or any(record)]
    columns = {}
    for position, name in enumerate(header):
        values = [record[position] for record in records]
        left = [None if value in TOKENS or str(value).lower() in WORDS else value for value in values]
        others = [value for value in left if value is not None]
        if others and all(NUMBER.fullmatch(value) for value in others):
            values = left
        columns[unicodedata.normalize("NFC", name).strip()] = values
    return columns


@pytest.mark.thorough("0.9 s")
@examples(300)
@given(
    table=tables(),
    delimiter=st.sampled_from([",", ";", "\t", "|", ":"]),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    line_end=st.sampled_from(["\n", "\r\n", "\r"]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
    block_bytes=st.sampled_from([64, 1 << 20]),
)
def test_what_the_csv_module_writes_comes_back(
    tmp_path, monkeypatch, table, delimiter, quoting, line_end, encoding, block_bytes
):
    monkeypatch.setattr("study.formats.delimited_text._BLOCK_BYTES", block_bytes)
    header, rows = table
    text = io.StringIO()
    # With a line end of one character the csv module leaves the other character unquoted.
    writer = csv.writer(
        text, delimiter=delimiter, quoting=quoting if line_end == "\r\n" else csv.QUOTE_ALL, lineterminator=line_end
    )
    writer.writerows([header, *rows])
    expected = expected_columns(header, rows)
    data = text.getvalue().encode(encoding)
    if not any(expected.values()):
        assert "no record" in faults_of(tmp_path, data, delimiter=delimiter, decimal=".")[0]
    else:
        assert cells(read(tmp_path, data, delimiter=delimiter, decimal=".")) == expected


@examples(100)
@given(st.binary(max_size=60).map(lambda tail: b"A,B\nx,1\n" + tail))
def test_any_bytes_are_read_or_refused_in_words(tmp_path, data):
    # Anything but a table or a FaultyInputError fails the test by itself.
    with contextlib.suppress(FaultyInputError):
        assert len(read(tmp_path, data).frame) >= 1


@examples(200)
@given(st.text(st.sampled_from('"a,\n'), max_size=25))
def test_quotes_are_read_as_the_csv_module_reads_them_or_refused(tmp_path, text):
    """Loose quotes must never move text between records unnoticed."""
    text = "A,B\n" + text
    try:
        strict = [row for row in csv.reader(io.StringIO(text, newline=""), strict=True) if row]
    except csv.Error:
        assert "unbalanced quotes" in faults_of(tmp_path, text)[0]
        return
    if len(strict) > 1 and all(len(row) == 2 for row in strict) and "a" in str(strict[1:]):
        frame = read(tmp_path, text, delimiter=",").frame.fillna("")
        values = [[value.strip() for value in row] for row in strict[1:]]
        values = [row for row in values if any(row)]  # a blank row is nobody
        assert frame.to_numpy().tolist() == values


# Real files


def test_actg175():
    table = read_domain_file(shared("actg175/aids_original_data.csv"))
    assert table.domain == "AIDS_ORIGINAL_DATA"
    assert table.frame.shape == (2139, 27)
    assert list(table.frame)[:3] == ["pidnum", "age", "wtkg"]
    assert table.notes == (
        "delimiter ';' guessed",
        "NA without quotes, as R writes missing values, read as missing (797)",
    )
    assert table.frame["cd496"].isna().sum() == 797
    assert table.frame.drop(columns="cd496").notna().all(axis=None)


@pytest.mark.thorough("0.4 s")
@each("name, delimiter", [("heart/heart.csv", ","), ("adult/adult.csv", ";")])
def test_real_files_agree_with_pandas(name, delimiter):
    path = shared(name)
    expected = pd.read_csv(path, sep=delimiter, dtype=str, keep_default_na=False, skipinitialspace=True)
    pd.testing.assert_frame_equal(read_domain_file(path).frame, expected.apply(lambda column: column.str.strip()))


def test_lines_of_words_below_the_records_are_a_footer(tmp_path):
    records = "pat_no,sex,age,weight\n" + "".join(f"{100 + i},m,4{i},70.5\n" for i in range(8))
    (tmp_path / "dm.csv").write_text(f"{records}\nSource: the clinic, printed in May\nn = 8\n")
    table = read_domain_file(tmp_path / "dm.csv")
    assert table.n_rows == 8
    assert table.notes == ("2 lines of text below the records left out, as no record of a person",)
    (tmp_path / "dm.csv").write_text(f"{records}108,m")  # cut off
    with pytest.raises(FaultyInputError, match="1 record with 2"):
        read_domain_file(tmp_path / "dm.csv")


def test_a_hundred_thousand_columns_are_refused_before_they_are_parsed(tmp_path, monkeypatch):
    monkeypatch.setattr("study.formats.delimited_text._parsed", lambda *nothing: pytest.fail("parsed"))
    (tmp_path / "genes.csv").write_text(",".join(f"g{i}" for i in range(100_000)) + "\n" + ",".join(["1"] * 100_000))
    with pytest.raises(FaultyInputError, match="100,000 columns; up to 20,000 are allowed"):
        read_domain_file(tmp_path / "genes.csv")


def test_a_first_line_longer_than_a_field_may_be_is_refused_in_words(tmp_path):
    (fault,) = faults_of(tmp_path, "a" * 200_000 + "\n1\n")
    assert fault == "vs.csv: the text cannot be split into records. Export the file again as CSV."
