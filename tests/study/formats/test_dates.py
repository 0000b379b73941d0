"""Dates as they are written: to ISO 8601 where one reading is left, otherwise as they stand and said."""

from __future__ import annotations

import datetime
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from study.formats.files import read_domain_file
from study.formats.meanings import columns_as_meant
from study.formats.tables import FileContents, FileOptions, SourceTable
from study.formats.values import frame_of
from tests.cases import each
from tests.examples import examples
from tests.study.merge.merge_files import write

SAS, EXCEL = datetime.date(1960, 1, 1), datetime.date(1899, 12, 30)


def read(folder, text: str, name: str = "dm.csv", **declared) -> SourceTable:
    write(folder / name, text)
    return read_domain_file(folder / name, FileOptions(**declared))


def column(values, name="DAY", **declared) -> tuple[list, list[str]]:
    """What a column of texts means, and the notes on it."""
    contents = FileContents({name: pa.array(map(str, values), pa.large_string())}, [])
    columns, readings, notes = columns_as_meant(contents, Path("dm.csv"), FileOptions(**declared))
    found = frame_of(columns, {name: readings[name].encoded})[name].astype(object)
    return found.where(found.notna(), None).tolist(), notes


@each(
    "written, iso",
    [
        (["31/12/2014", "01/02/2014"], ["2014-12-31", "2014-02-01"]),
        (["12/31/2014", "01/02/2014"], ["2014-12-31", "2014-01-02"]),
        (["1.2.2014", "03.04.2014"], ["2014-02-01", "2014-04-03"]),
        (["12.31.2014", "01.02.2014"], ["2014-12-31", "2014-01-02"]),
        (["13-01-2014", "1-2-2014"], ["2014-01-13", "2014-02-01"]),
        (["31DEC2014", "1feb2014", "02-Mar-2014"], ["2014-12-31", "2014-02-01", "2014-03-02"]),
        (["31DEC2014:10:30:05", "01JAN2015:00:00:00"], ["2014-12-31T10:30:05", "2015-01-01T00:00:00"]),
        (["2014/02/01", "2014.3.4"], ["2014-02-01", "2014-03-04"]),
        (["31/12/2014 10:30", "01/02/2014"], ["2014-12-31T10:30:00", "2014-02-01"]),
        (["12/31/2014 1:05 PM", "12/30/2014 12:05 am"], ["2014-12-31T13:05:00", "2014-12-30T00:05:00"]),
        (["2014-02-01 00:00:00", "2014-02-02 00:00:00"], ["2014-02-01", "2014-02-02"]),
        (["2014-02-01 10:30:00", ""], ["2014-02-01T10:30:00", None]),
        (["31/12/2014", "2014-05", "NA"], ["2014-12-31", "2014-05", None]),
        (["29/02/2012"], ["2012-02-29"]),
        (["Mar-2016", "May 2016", "MAR2015"], ["2016-03", "2016-05", "2015-03"]),
        (["03/2016", "12/2016"], ["2016-03", "2016-12"]),
        (["UN-MAR-2016", "12-APR-2016"], ["2016-03", "2016-04-12"]),
    ],
)
def test_one_reading_becomes_iso(written, iso):
    found, notes = column(written, "DATE")
    assert found == iso
    assert any("now ISO 8601: 'DATE'" in note and "the only possible reading" in note for note in notes)


@each(
    "written",
    [
        ["2014-02-01", "2014-02", "2014-02-01T10:30"],
        ["31/12/2014", "12/31/2014"],  # no order reads both
        ["31/12/2014", "clotted"],
        ["29/02/2013", "01/02/2014"],
        ["31/12/14", "30/12/14"],
        ["1.2.3", "4.5.6"],
        ["31/12/1014"],
        ["13/2014", "11/2014"],
        ["10/30", "120/80"],
        ["31/12/2014 25:00", "30/12/2014 10:00"],
    ],
)
def test_what_is_no_date_or_a_date_already_stays(written):
    found, notes = column(written)
    assert found == written
    assert not any("now ISO" in note for note in notes)


@each(
    "name, written",
    [
        ("subjid", ["01-1001", "02-2001"]),
        ("block", ["6/2016", "7/2016"]),
        ("season", ["2009/10", "2010/11"]),
        ("titer", ["1/1280", "1/2560"]),
        ("biobank", ["PENTELI-0024", "LINK-0001"]),
    ],
)
def test_numbers_with_a_sign_are_no_months(name, written):
    for declared in ({}, {"dates": "DMY"}):
        assert column(written, name, **declared) == (written, [])


def test_what_stays_is_said():
    assert "some begin with the day and others with the month: 'DAY' (2)" in column(["31/12/2014", "12/31/2014"])[1][0]
    assert "a year of two digits, left unchanged: 'DAY' (2)" in column(["31/12/14", "30/12/14"])[1][0]


@each(
    "written, declared, begins",
    [
        (["31/12/2014", "12/31/2014"], None, "dates left unchanged"),
        (["03/04/2014", "05/06/2014"], None, "dates that may begin with"),
        (["31/12/14", "30/12/14"], None, "dates with a year of two digits"),
        (["31/12/2014", "30/12/2014"], None, "dates read as day, month, year (the only possible reading"),
        (["2014-12-31 10:11:12", "2014-12-30 00:00:00"], None, "dates read as year, month, day (the only"),
        (["03/04/2014", "05/06/2014"], "DMY", "dates read as day, month, year (declared"),
        (["20089", "20090"], "SAS", "dates read as"),
    ],
)
def test_missing_dates_are_not_counted(written, declared, begins):
    _, [note] = column([*written, "", "", ""], name="VISITDTC", **({"dates": declared} if declared else {}))
    assert note.startswith(begins)
    assert "'VISITDTC' (2)" in note


def test_two_readings_are_left_and_said_with_the_setting():
    found, [note] = column(["03/04/2014", "05/06/2014"])
    assert found == ["03/04/2014", "05/06/2014"]
    assert note == (
        "dates that may begin with the day or the month, left unchanged: 'DAY' (2); declare which: "
        'merge: {"files": {"DM": {"dates": "DMY"}}} or merge: {"files": {"DM": {"dates": "MDY"}}}'
    )


@each("decides, iso", [("31/12/2013", "2014-04-03"), ("12/31/2013", "2014-03-04")])
def test_other_columns_of_the_file_decide(tmp_path, decides, iso):
    table = read(tmp_path, f"A,B\n03/04/2014,{decides}\n")
    assert table.frame["A"].tolist() == [iso]
    assert "(as in other columns of the file), now ISO 8601: 'A' (1)" in " ".join(table.notes)


def test_other_columns_that_contradict_each_other_decide_nothing(tmp_path):
    table = read(tmp_path, "A,B,C\n03/04/2014,31/12/2013,12/31/2013\n")
    assert table.frame.iloc[0].tolist() == ["03/04/2014", "2013-12-31", "2013-12-31"]


def test_a_setting_decides_value_by_value():
    written = ["03/04/2014", "12/31/2014", "clotted", "2014-05"]
    assert column(written, dates="DMY")[0] == ["2014-04-03", "12/31/2014", "clotted", "2014-05"]
    assert column(written, dates={"DAY": "MDY"})[0] == ["2014-03-04", "2014-12-31", "clotted", "2014-05"]
    assert column(["31/12/2014", ""], dates="keep") == (["31/12/2014", None], [])


def test_the_order_of_records_changes_nothing():
    written = ["2014-05"] * 80 + ["03/04/2014", "31/12/2014"]
    found = column(written)[0]
    assert column(written[::-1])[0] == found[::-1]


days = st.dates(datetime.date(1901, 1, 1), datetime.date(2049, 12, 31))
ORDERS = {"DMY": "{0.day}/{0.month:02d}/{0.year}", "MDY": "{0.month}/{0.day:02d}/{0.year}"}


@pytest.mark.thorough("0.3 s")
@given(st.lists(days, min_size=1, max_size=6), st.sampled_from(sorted(ORDERS)))
@examples(60)
def test_a_declared_order_reads_what_it_wrote(written, order):
    """The calendar of Python's datetime is the referee."""
    texts = [ORDERS[order].format(day) for day in written]
    assert column(texts, dates=order)[0] == [day.isoformat() for day in written]
    guessed = column(texts)[0]
    assert guessed in (texts, [day.isoformat() for day in written])
    if any(day.day > 12 for day in written):
        assert guessed != texts


# Numbers


def serials(origin: datetime.date, *written: str) -> list[int]:
    return [(datetime.date.fromisoformat(day) - origin).days for day in written]


def test_days_of_excel_that_sas_cannot_mean():
    written = ["2014-01-31", "2015-02-01"]
    found, notes = column(serials(EXCEL, *written), name="RFSTDTC")
    assert found == written
    assert "dates read as days since 1899-12-30 (Excel) (the only possible reading)" in notes[0]


def test_days_of_sas_are_two_readings_until_declared_or_decided_by_another_column(tmp_path):
    days_of_sas = serials(SAS, "2014-01-31", "2015-02-01")
    found, [note] = column(days_of_sas, name="RFSTDTC")
    assert found == list(map(str, days_of_sas))
    assert '"dates": "SAS"' in note
    for declared in ("SAS", {"RFSTDTC": "SAS"}):
        assert column(days_of_sas, name="RFSTDTC", dates=declared)[0] == ["2014-01-31", "2015-02-01"]
    table = read(tmp_path, f"RFSTDTC,VISIT\n{days_of_sas[0]},2014-02-03\n{days_of_sas[1]},2015-02-01\n")
    assert table.frame["RFSTDTC"].tolist() == ["2014-01-31", "2015-02-01"]


@each(
    "name, values",
    [("PLATELETS", ["41000", "42000"]), ("BRTHDTC", ["1941", "1950"]), ("VSDTC", ["-3", "12"]), ("ADT", ["1.5", "2"])],
)
def test_numbers_that_are_no_dates(name, values):
    assert column(values, name=name) == (values, [])


def test_a_declared_serial_of_the_whole_file_touches_columns_named_as_dates_alone(tmp_path):
    table = read(tmp_path, "AGE,VISDT\n20000,20000\n", dates="SAS")
    assert table.frame.iloc[0].tolist() == ["20000", "2014-10-04"]


def test_times_of_day_of_excel():
    assert column(["41670.5", "41671.75"], name="VISDT")[0] == ["2014-01-31T12:00:00", "2014-02-01T18:00:00"]
