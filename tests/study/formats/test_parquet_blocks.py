"""The combined dataset as Parquet: what is written comes back, in blocks, in ranges, and whole, or is at fault."""

from __future__ import annotations

import hashlib
import os

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from disclosure_control.basics.telling.faults import FaultyInputError
from study.formats.blocks import bytes_as_text
from study.formats.parquet_blocks import BlocksOfParquet, parquet_bytes
from tests.cases import each
from tests.examples import examples

TEXTS = st.sampled_from([None, "", " ", "a", "NA", "01", "1.0", "two\r\nlines", 'x"y', "東京", "long " * 50])
tables = st.integers(1, 4).flatmap(
    lambda n_columns: st.lists(st.lists(TEXTS, min_size=n_columns, max_size=n_columns), min_size=1, max_size=20)
)


def frame_of(rows) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=[f"C{i}é" for i in range(len(rows[0]))], dtype="str")


def values_of(batches, columns) -> list[list[str | None]]:
    lists = ([batch.column(name).to_pylist() for name in columns] for batch in batches)
    return [list(row) for of_columns in lists for row in zip(*of_columns, strict=True)]


def groups_of(path) -> list[int]:
    metadata = parquet.read_metadata(path)
    return [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)]


def fitting(rows, most):
    """How many records come into each group, one record after the other."""
    n_records = n_bytes = 0
    for row in rows:
        length = sum(8 + len((value or "").encode()) for value in row)
        if n_records and n_bytes + length > most:
            yield n_records
            n_records = n_bytes = 0
        n_records, n_bytes = n_records + 1, n_bytes + length
    yield n_records


@examples(100)
@given(tables, st.integers(1, 400), st.integers(1, 400), st.data())
def test_what_is_written_comes_back_in_blocks(tmp_path_factory, rows, group_bytes, block_bytes, data):
    path = tmp_path_factory.mktemp("pilot") / "combined_dataset.parquet"
    frame = frame_of(rows)
    at = data.draw(st.lists(st.integers(0, len(rows)), max_size=3).map(sorted))
    pieces = [frame.iloc[start:stop] for start, stop in zip([0, *at], [*at, len(rows)], strict=True)]
    content = b"".join(parquet_bytes(pieces, group_bytes))
    assert content == b"".join(parquet_bytes([frame], group_bytes))  # however it came
    path.write_bytes(content)
    assert groups_of(path) == list(fitting(rows, group_bytes))
    blocks = BlocksOfParquet(path, block_bytes)
    assert values_of(blocks, blocks.columns) == rows
    assert (blocks.columns, blocks.n_records, blocks.n_bytes_read) == (list(frame), len(rows), blocks.n_bytes)
    assert blocks.sha256 == hashlib.sha256(content).hexdigest()


def test_others_read_the_same_text_and_no_extremes(tmp_path):
    path = tmp_path / "combined_dataset.parquet"
    frame = frame_of([["01", None], ["NA", "x"]])
    path.write_bytes(b"".join(parquet_bytes([frame])))
    pd.testing.assert_frame_equal(pd.read_parquet(path), frame)
    assert not parquet.read_metadata(path).row_group(0).column(0).is_stats_set
    assert parquet.read_schema(path).types == [pa.string()] * 2


@each("kind", [pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())])
def test_text_of_any_kind_is_text(tmp_path, kind):
    path = tmp_path / "combined_dataset.parquet"
    parquet.write_table(pa.table({"USUBJID": pa.array(["1", None, "é"]).cast(kind)}), path)
    assert values_of(BlocksOfParquet(path, 1), ["USUBJID"]) == [["1"], [None], ["é"]]


def damaged(path):
    content = path.read_bytes()
    path.write_bytes(content[:20] + b"\xff" * 40 + content[60:])


def not_utf8(path):
    wrong = pa.Array.from_buffers(pa.string(), 1, [None, pa.py_buffer(b"\0\0\0\0\2\0\0\0"), pa.py_buffer(b"\xff\xfe")])
    parquet.write_table(pa.table({"USUBJID": wrong}), path)


FAULTS = {
    "cut off": (lambda path: path.write_bytes(path.read_bytes()[:-9]), "cut off, damaged or not a Parquet file"),
    "damaged": (damaged, "cut off, damaged or not a Parquet file"),
    "empty": (lambda path: path.write_bytes(b""), "cut off, damaged or not a Parquet file"),
    "text": (lambda path: path.write_bytes(b'"USUBJID"\n"ZZ"\n' * 30), "cut off, damaged or not a Parquet file"),
    "not UTF-8": (not_utf8, "cut off, damaged or not a Parquet file"),
    "numbers": (
        lambda path: parquet.write_table(pa.table({"USUBJID": ["ZZ"], "AGE": [1.5]}), path),
        "1 column of 2 not text: 'AGE' (double)",
    ),
    "names": (
        lambda path: parquet.write_table(pa.table([["ZZ"], ["ZZ"]], names=["A", " A"]), path),
        "column names are empty",
    ),
    "nobody": (
        lambda path: parquet.write_table(pa.table({"USUBJID": pa.array([], pa.string())}), path),
        "no record",
    ),
}


@each("name", FAULTS)
def test_what_is_not_as_this_tool_writes_it_is_at_fault(tmp_path, name):
    path = tmp_path / "combined_dataset.parquet"
    path.write_bytes(b"".join(parquet_bytes([frame_of([["ZZ" * 40, None], ["NA", "x"]])])))
    spoil, words = FAULTS[name]
    spoil(path)
    with pytest.raises(FaultyInputError) as raised:
        list(BlocksOfParquet(path))
    (fault,) = raised.value.faults
    assert fault.startswith("combined_dataset.parquet: ")
    assert words in fault
    assert "ZZ" not in fault
    assert bytes_as_text(path) >= 0  # who asks before the file is read gets an answer


def test_a_file_that_changes_while_it_is_read_is_at_fault(tmp_path):
    path = tmp_path / "combined_dataset.parquet"
    path.write_bytes(b"".join(parquet_bytes([frame_of([["a"], ["b"]])], 1)))
    blocks = iter(BlocksOfParquet(path))
    next(blocks)
    os.utime(path, ns=(0, 0))
    with pytest.raises(FaultyInputError, match="changed while it was read"):
        list(blocks)


def test_how_long_it_is_as_text_is_told_without_reading_it(tmp_path):
    path = tmp_path / "combined_dataset.parquet"
    path.write_bytes(b"".join(parquet_bytes([frame_of([["a" * 20, "b"]] * 10_000)])))
    assert path.stat().st_size < 5_000
    assert bytes_as_text(path) >= 2 * 8 * 10_000
