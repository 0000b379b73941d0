"""SPSS, Stata and SAS data sets: values, dates by their formats, value labels, and what is cut off."""

from __future__ import annotations

import datetime
from pathlib import Path

import numpy as np
import pandas as pd
import pyreadstat

from study.formats import packed
from study.formats.files import read_domain_file
from study.formats.statistics_files import SAS_FORMATS, SPSS_FORMATS, STATA_FORMATS, iso_by_format
from study.formats.tables import FileOptions
from tests.cases import each
from tests.study.formats.asked import cells, faults_of

DAYS = [datetime.date(2014, 1, 31), None, datetime.date(1940, 2, 29)]
MOMENTS = [datetime.datetime(2014, 1, 31, 10, 30), None, datetime.datetime(1940, 2, 29, 0, 0, 5)]
TIMES = [datetime.time(10, 30), None, datetime.time(1, 2, 3)]
TABLE = pd.DataFrame(
    {
        "USUBJID": ["DOLLY", "S2", "S3"],
        "SEX": [1.0, 2.0, np.nan],
        "DAY": DAYS,
        "MOMENT": MOMENTS,
        "HOUR": TIMES,
        "CITY": ["Αθήνα", " x ", ""],
    }
)
ISO = {
    "DAY": ["2014-01-31", None, "1940-02-29"],
    "MOMENT": ["2014-01-31T10:30:00", None, "1940-02-29T00:00:05"],
    "HOUR": ["10:30:00", None, "01:02:03"],
}
LABELS = {"SEX": {1: "male", 2: "female"}}
WRITERS = {
    "dm.sav": lambda frame, path: pyreadstat.write_sav(frame, path, variable_value_labels=LABELS),
    "dm.zsav": lambda frame, path: pyreadstat.write_sav(frame, path, compress=True, variable_value_labels=LABELS),
    "dm.dta": lambda frame, path: pyreadstat.write_dta(frame, path, variable_value_labels=LABELS),
}


def written(folder: Path, name: str, frame: pd.DataFrame = TABLE) -> Path:
    WRITERS[name](frame, folder / name)
    return folder / name


@each("name", WRITERS)
def test_numbers_text_and_dates(tmp_path, name):
    table = read_domain_file(written(tmp_path, name))
    plain = {"USUBJID": ["DOLLY", "S2", "S3"], "SEX": [1.0, 2.0, None], "CITY": ["Αθήνα", "x", None]}
    assert cells(table) == plain | ISO
    assert table.notes == (
        "codes kept where the file has value labels: 'SEX'; for labels: "
        'merge: {"files": {"DM": {"value_labels": "labels"}}}',
    )


@each("name", WRITERS)
def test_labels_take_the_place_of_codes_where_declared(tmp_path, name):
    frame = TABLE.assign(SEX=[1.0, 2.0, 9.0])
    table = read_domain_file(written(tmp_path, name, frame), FileOptions(value_labels="labels"))
    assert cells(table)["SEX"] == ["male", "female", "9"]
    assert table.notes == ("value labels read instead of codes: 'SEX'",)


def test_what_spss_declares_missing_is_missing(tmp_path):
    path = tmp_path / "dm.sav"
    pyreadstat.write_sav(TABLE[["USUBJID", "SEX"]], path, missing_ranges={"SEX": [2]}, column_labels=["Person", "Sex"])
    table = read_domain_file(path)
    assert cells(table)["SEX"] == [1.0, None, None]
    assert table.labels == {"USUBJID": "Person", "SEX": "Sex"}


@each("name", WRITERS)
def test_settings_hold_as_in_other_formats(tmp_path, name):
    frame = pd.DataFrame({"GLUC": ["3,42", "UNK"], "AGE": [50.0, -99.0]})
    path = tmp_path / name
    WRITERS[name](frame.assign(SEX=1.0), path)
    table = read_domain_file(path, FileOptions(decimal=",", missing=("UNK", "-99")))
    assert cells(table) == {"GLUC": ["3.42", None], "AGE": [50.0, None], "SEX": [1.0, 1.0]}


@each("name", WRITERS)
def test_a_file_that_is_cut_off_or_none_at_all(tmp_path, name):
    content = written(tmp_path, name).read_bytes()
    for length in [1, *range(50, len(content), len(content) // 5), len(content) - 1]:
        (tmp_path / name).write_bytes(content[:length])
        assert "the file is cut off, damaged, or no" in faults_of(tmp_path / name)[0]
    for other in (b"USUBJID,AGE\nDOLLY,50\n", b"\0" * 500, b"$FL2" + b"\xff" * 500, b"<stata_dta>DOLLY</stata_dta>"):
        (tmp_path / name).write_bytes(other)
        assert "the file is cut off, damaged, or no" in faults_of(tmp_path / name)[0]


@each("content", [b"USUBJID,AGE\nDOLLY,50\n", bytes(2000), b"\xc2\xea\x81\x60" * 400])
def test_what_is_no_sas_data_set(tmp_path, content):
    path = tmp_path / "dm.sas7bdat"
    path.write_bytes(content)
    assert "not a .sas7bdat file" in faults_of(path)[0]


def test_a_file_that_announces_more_than_the_memory_holds(tmp_path, monkeypatch):
    monkeypatch.setattr(packed, "LARGEST_UNFOLDED", 100)
    monkeypatch.setattr(packed, "LARGEST_RATIO", 0)
    assert "would unfold to" in faults_of(written(tmp_path, "dm.dta"))[0]


@each(
    ("formats", "format_name", "number", "iso"),
    [
        (SAS_FORMATS, "DATE9", 19724.0, "2014-01-01"),
        (SAS_FORMATS, "YYMMDD10", -1.0, "1959-12-31"),
        (SAS_FORMATS, "E8601DA", 0.0, "1960-01-01"),
        (SAS_FORMATS, "DATETIME20", 86_400.0 + 3_661, "1960-01-02T01:01:01"),
        (SAS_FORMATS, "E8601DT19", 1.0, "1960-01-01T00:00:01"),
        (SAS_FORMATS, "DTDATE9", 86_400.0, "1960-01-02"),
        (SAS_FORMATS, "TIME8", 3_661.0, "01:01:01"),
        (SPSS_FORMATS, "EDATE10", 86_400.0, "1582-10-15"),
        (SPSS_FORMATS, "DATETIME20", 86_401.0, "1582-10-15T00:00:01"),
        (STATA_FORMATS, "%td", 1.0, "1960-01-02"),
        (STATA_FORMATS, "%tdDD/NN/CCYY", 1.0, "1960-01-02"),
        (STATA_FORMATS, "%tc", 1_000.0, "1960-01-01T00:00:01"),
        (STATA_FORMATS, "%tw", 53.0, "1961-01-08"),
        (STATA_FORMATS, "%tm", 61.0, "1965-02"),
        (STATA_FORMATS, "%tq", 5.0, "1961-04"),
        (STATA_FORMATS, "%th", 3.0, "1961-07"),
        (STATA_FORMATS, "%ty", 1961.0, "1961"),
    ],
)
def test_formats_of_dates(formats, format_name, number, iso):
    """Days and seconds counted by hand from the programs' documented origins."""
    assert iso_by_format(np.array([number, np.nan]), formats, format_name).to_pylist() == [iso, None]


@each("formats", [SAS_FORMATS, SPSS_FORMATS, STATA_FORMATS])
@each("format_name", ["BEST12", "F8.2", "%9.0g", "DOLLAR8", "", None, "COMMA10"])
def test_formats_that_are_none_of_dates(formats, format_name):
    assert iso_by_format(np.array([7.0]), formats, format_name)[0] == 7.0


def test_how_long_something_took_is_no_time_of_day():
    assert iso_by_format(np.array([7.0]), SPSS_FORMATS, "DTIME10")[0] == 7.0
