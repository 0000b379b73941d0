"""Reading Parquet."""

import datetime
import decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

from study.formats import packed
from study.formats.files import read_domain_file
from study.formats.tables import FileOptions, SourceTable
from tests.cases import each
from tests.study.formats.asked import cells, faults_of


def read(folder: Path, table: pa.Table, **declared) -> SourceTable:
    path = folder / "vs.parquet"
    pyarrow.parquet.write_table(table, path)
    return read_domain_file(path, FileOptions(**declared))


MIDNIGHT, MORNING = datetime.datetime(2020, 1, 2), datetime.datetime(2020, 1, 2, 3, 4, 5)


@each(
    "column, expected",
    [
        (pa.array([" a", "", None, "007"]), ["a", None, None, "007"]),
        (pa.array(["a", None, "a"]).dictionary_encode(), ["a", None, "a"]),
        (pa.array([5, 6, 5]).dictionary_encode(), [5.0, 6.0, 5.0]),
        (pa.array([b"a", "ά".encode()]), ["a", "ά"]),
        (pa.array([1, None, 2], pa.int8()), [1.0, None, 2.0]),
        (pa.array([2**53, -(2**53)]), [2.0**53, -(2.0**53)]),
        (pa.array([2**53 + 1, 7, None]), ["9007199254740993", "7", None]),
        (pa.array([2**64 - 1, 0], pa.uint64()), ["18446744073709551615", "0"]),
        (pa.array([0.0, -1.5, None]), [0.0, -1.5, None]),
        (pa.array(np.array([0.5], np.float16)), [0.5]),
        (pa.array([decimal.Decimal("12.50"), None]), [12.5, None]),
        (pa.array([decimal.Decimal("12345678901234567890"), None]), ["12345678901234567890", None]),
        (pa.array([True, None, False]), ["True", None, "False"]),
        (pa.array([datetime.date(1950, 2, 3), None]), ["1950-02-03", None]),
        (pa.array([MIDNIGHT, None], pa.timestamp("ns")), ["2020-01-02", None]),
        (pa.array([MIDNIGHT, MORNING], pa.timestamp("us")), ["2020-01-02T00:00:00", "2020-01-02T03:04:05"]),
        (
            pa.array([MORNING.replace(microsecond=500)], pa.timestamp("us")),
            ["2020-01-02T03:04:05.000500"],
        ),
        (pa.array([datetime.time(3, 4), None]), ["03:04:00", None]),
        (pa.nulls(2), [None, None]),
    ],
)
def test_each_type(tmp_path, column, expected):
    table = read(tmp_path, pa.table({"A": column}))
    assert cells(table) == {"A": expected}
    assert str(table.frame["A"].dtype) in ("str", "float64")


def test_time_stamps_of_a_time_zone_are_in_its_time(tmp_path):
    column = pa.array([datetime.datetime(2020, 7, 1, 21, 0)], pa.timestamp("us", "Europe/Athens"))
    assert cells(read(tmp_path, pa.table({"A": column}))) == {"A": ["2020-07-02"]}


def test_table_of_a_frame_whose_row_labels_were_written(tmp_path):
    path = tmp_path / "vs.parquet"
    pd.DataFrame({"A": ["x", "y"]}, index=[7, 9]).to_parquet(path)
    table = read_domain_file(path)
    assert cells(table) == {"A": ["x", "y"]}
    assert table.frame.index.equals(pd.RangeIndex(2))
    assert table.notes == ("row labels written by pandas left out",)


def test_several_row_groups_keep_their_order(tmp_path):
    path = tmp_path / "vs.parquet"
    pyarrow.parquet.write_table(pa.table({"A": list("dbca"), "B": range(4)}), path, row_group_size=1)
    assert cells(read_domain_file(path)) == {"A": list("dbca"), "B": [0.0, 1.0, 2.0, 3.0]}


def test_nested_columns_are_named_together_with_other_faults(tmp_path):
    table = pa.table(
        [pa.array([["DOLLY"]]), pa.array([{"a": "DOLLY"}]), pa.array([datetime.timedelta(1)]), pa.array([1])],
        names=["LIST", "STRUCT", "SPAN", ""],
    )
    path = tmp_path / "vs.parquet"
    pyarrow.parquet.write_table(table, path)
    faults = faults_of(path)
    assert "1 column without a name" in faults[0]
    assert "3 of 4 columns are neither text, numbers nor dates: 'LIST' (nested), 'STRUCT' (nested)" in faults[1]


def test_bytes_that_are_no_text(tmp_path):
    path = tmp_path / "vs.parquet"
    pyarrow.parquet.write_table(pa.table({"A": [b"DOLLY\xff"]}), path)
    assert "'A' (binary)" in faults_of(path)[0]


def test_duplicate_names(tmp_path):
    path = tmp_path / "vs.parquet"
    pyarrow.parquet.write_table(pa.table([pa.array([1]), pa.array(["DOLLY"])], names=["A", "A "]), path)
    assert "2 columns have the name 'A' (positions 1, 2)" in faults_of(path)[0]
    pyarrow.parquet.write_table(pa.table([pa.array([1]), pa.array(["DOLLY"])], names=["A", "A"]), path)
    assert "2 columns have the name 'A' (positions 1, 2)" in faults_of(path)[0]


def test_no_records(tmp_path):
    path = tmp_path / "vs.parquet"
    pyarrow.parquet.write_table(pa.table({"A": pa.array([], pa.string())}), path)
    assert "column names but no records" in faults_of(path)[0]


def test_file_that_is_cut_off(tmp_path):
    path = tmp_path / "vs.parquet"
    pyarrow.parquet.write_table(pa.table({"A": ["DOLLY"] * 50}), path)
    content = path.read_bytes()
    for size in range(4, len(content), 13):
        path.write_bytes(content[:size])
        assert "the file is cut off or damaged" in faults_of(path)[0]


def test_no_parquet_file_at_all(tmp_path):
    path = tmp_path / "vs.parquet"
    path.write_bytes(b"USUBJID,AGE\nDOLLY,5\n")
    (fault,) = faults_of(path)
    assert "vs.parquet: the file is not a Parquet file" in fault
    assert 'merge: {"ignore": ["VS"]}' in fault


def test_one_long_text_for_everybody_is_bounded_before_it_is_unfolded(tmp_path):
    """Six gigabytes in a file of a few kilobytes: the text stands once, and each record points to it."""
    text = pa.DictionaryArray.from_arrays(pa.array(np.zeros(100_000, dtype=np.int32)), ["A" * 60_000])
    path = tmp_path / "vs.parquet"
    pyarrow.parquet.write_table(pa.table({"NOTE": text}), path, store_schema=False)
    before = pa.total_allocated_bytes()
    [fault] = faults_of(path)
    assert "would unfold to 6.0 GB; allowed: up to 2.1 GB" in fault
    assert pa.total_allocated_bytes() - before < 1e8


def test_text_stored_by_its_differences_is_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(packed, "LARGEST_UNFOLDED", 10**6)
    path = tmp_path / "vs.parquet"
    values = pa.array(["A" * 1000] * 3000, type=pa.large_string())
    pyarrow.parquet.write_table(
        pa.table({"NOTE": values}), path, use_dictionary=False, column_encoding="DELTA_BYTE_ARRAY"
    )
    assert path.stat().st_size < 10**5
    assert "would unfold to 0.0 GB" in faults_of(path)[0]


def test_numbers_that_are_all_alike_are_bounded_by_what_the_file_announces(tmp_path, monkeypatch):
    monkeypatch.setattr(packed, "LARGEST_UNFOLDED", 10**6)
    monkeypatch.setattr(pyarrow.parquet.ParquetFile, "read", None)
    path = tmp_path / "vs.parquet"
    pyarrow.parquet.write_table(pa.table({"AGE": np.zeros(10**6)}), path)
    assert "would unfold to 0.0 GB" in faults_of(path)[0]


@pytest.mark.thorough("0.3 s")
def test_text_that_repeats_is_read_as_it_stands(tmp_path):
    values = ["a", None, "b", "", " a "] * 1000
    for options in ({}, {"use_dictionary": False}, {"row_group_size": 7}, {"column_encoding": "DELTA_BYTE_ARRAY"}):
        path = tmp_path / "vs.parquet"
        plain = {"use_dictionary": False} if "column_encoding" in options else {}
        pyarrow.parquet.write_table(pa.table({"NOTE": values}), path, **options, **plain)
        assert cells(read_domain_file(path))["NOTE"] == ["a", None, "b", None, "a"] * 1000


@each("encoding", ["DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY", "PLAIN"])
def test_text_is_read_however_it_is_stored(tmp_path, encoding):
    path, columns = tmp_path / "vs.parquet", {"USUBJID": ["S1", "S2", "S2"], "VSPOS": ["SITTING", None, "SUPINE"]}
    pyarrow.parquet.write_table(pa.table(columns), path, use_dictionary=False, column_encoding=encoding)
    assert cells(read_domain_file(path)) == columns


@each("options", [{}, {"use_dictionary": False}])
def test_text_that_is_not_utf8_is_a_fault_of_the_file(tmp_path, options):
    offsets = pa.py_buffer(np.array([0, 6, 12], dtype=np.int32))
    notes = pa.Array.from_buffers(pa.string(), 2, [None, offsets, pa.py_buffer(b"DOLLY\xffDOLLY ")])
    pyarrow.parquet.write_table(pa.table({"USUBJID": ["S1", "S2"], "NOTE": notes}), tmp_path / "vs.parquet", **options)
    assert "1 of 2 columns are neither" in (fault := faults_of(tmp_path / "vs.parquet")[0])
    assert "'NOTE' (text that is not UTF-8)" in fault
