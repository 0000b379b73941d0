"""The typed hand-over: what is read from it is what is read from the text, in every column, or it is not read."""

from __future__ import annotations

import contextlib
import hashlib
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from disclosure_control.basics.encoding.columns import encode_column, parse_numbers
from disclosure_control.basics.encoding.text_codes import text_codes
from disclosure_control.records.store import read_as_written
from disclosure_control.run.tables import csv_bytes
from study.formats.hand_over import (
    AS_TEXT,
    PLAIN_NUMBER,
    BlocksOfTyped,
    DamagedColumnsError,
    about_text,
    read_typed,
    typed_bytes,
)
from study.merge.combine import Assembly, Combined
from study.merge.settings import MergeSettings
from study.merge.state import MergeState
from study.merge.subject_ids import SubjectIdRule
from tests.cases import each
from tests.examples import examples

PLAIN, WRITTEN = ["0", "38", "-7", "31.25", "-0.5"], ["1.0", "007", "+5", "1e3", "-0", "1234567890", ".5", "1e999"]
TEXTS = ["a", "b", "NA", "nan", "two\r\nlines", 'x"y', "a,b", "東京", "e\u0301", " padded ", "\u00a0", " ", ""]
kinds = st.sampled_from([PLAIN, PLAIN + WRITTEN, TEXTS, TEXTS + PLAIN, [None]])


@st.composite
def columns(draw):
    """Some columns of one length, each as a merge gives them: objects, or a table's own text, encoded or not."""
    n = draw(st.integers(1, 40))
    found = {}
    for i, kind in enumerate(draw(st.lists(kinds, min_size=1, max_size=4))):
        values = draw(st.lists(st.sampled_from([None, *kind]), min_size=n, max_size=n))
        column = pd.Series(values, dtype="str")
        if draw(st.booleans()):
            text_codes(column)
        found[f"D.{i}é__x"] = column if draw(st.booleans()) else np.array(values, dtype=object)
    return n, found


def combined_of(n: int, found: dict) -> Combined:
    assembly = Assembly(MergeState(SubjectIdRule(), MergeSettings()), [])
    assembly.add(pd.Index([f"id {i}" for i in range(n)], dtype="str"), found)
    return assembly.combined()


def handed_over(folder: Path, combined: Combined, cells: int = 1 << 20) -> tuple[Path, Path]:
    text, typed = folder / "combined_dataset.csv", folder / "combined_dataset.typed.parquet"
    text.write_bytes(csv_bytes(combined.frame))
    about = about_text(text.stat().st_size, hashlib.sha256(text.read_bytes()).hexdigest())
    typed.write_bytes(b"".join(typed_bytes(combined.pieces, combined.numbers, about, cells)))
    return text, typed


@pytest.mark.thorough("0.7 s")
@examples(200)
@given(columns(), st.integers(1, 60))
def test_reading_the_columns_equals_reading_the_text(tmp_path_factory, made, cells):
    text, typed = handed_over(tmp_path_factory.mktemp("pilot"), combined_of(*made), cells)
    of_text, of_columns = read_as_written(text), read_typed(text, typed)
    assert of_columns is not None
    assert (of_columns.file_name, of_columns.sha256) == (of_text.file_name, of_text.sha256)
    pd.testing.assert_frame_equal(of_columns.frame, of_text.frame, check_exact=True)
    for name, column in of_text.frame.items():
        other = of_columns.frame[name]
        assert other.isna().tolist() == column.isna().tolist()
        assert text_codes(other).texts.equals(text_codes(column).texts)  # in the same order
        assert text_codes(other).codes.tolist() == text_codes(column).codes.tolist()
        assert encode_column(other).labels.tolist() == encode_column(column).labels.tolist()


@examples(100)
@given(columns(), st.integers(1, 60), st.integers(1, 300))
def test_block_by_block_the_columns_are_the_texts_in_the_order_in_which_they_come(
    tmp_path_factory, made, cells, block_bytes
):
    text, typed = handed_over(tmp_path_factory.mktemp("pilot"), combined_of(*made), cells)
    expected, blocks = read_as_written(text), BlocksOfTyped.of(text, typed, block_bytes)
    found = list(blocks)
    assert (blocks.columns, blocks.sha256, blocks.n_records) == (list(expected.frame), expected.sha256, made[0])
    for name, column in expected.frame.items():
        assert [value for block in found for value in block.column(name).to_pylist()] == column.astype(object).where(
            column.notna(), None
        ).tolist()
        for one in (block.column(name) for block in found if pa.types.is_dictionary(block.column(name).type)):
            assert one.dictionary.equals(one.cast(pa.large_string()).drop_null().unique())


@examples(60)
@given(columns(), st.integers(1, 60), st.data())
def test_however_the_pieces_come_the_bytes_are_the_same(made, cells, data):
    combined = combined_of(*made)
    at = data.draw(st.lists(st.integers(0, made[0]), max_size=3).map(sorted))
    as_text = combined.frame.astype(object).astype("str")
    pieces = [as_text.iloc[start:stop] for start, stop in zip([0, *at], [*at, made[0]], strict=True)]
    whole = b"".join(typed_bytes(combined.pieces, combined.numbers, {}, cells))
    assert b"".join(typed_bytes(pieces, combined.numbers, {}, cells)) == whole


@pytest.mark.thorough("2 s: whole public exports; every form by small ones in the quick run")
@examples(300)
@given(st.from_regex(PLAIN_NUMBER, fullmatch=True))
def test_a_plain_number_is_written_as_it_came(text):
    assert pa.array([float(text)]).cast(pa.large_string()).to_pylist() == [text]


def test_numbers_are_numbers_beside_the_text_that_they_came_as(tmp_path):
    found = {"DM__AGE": ["38", None, "7", "38"], "LB__X": ["1.0", "007", "1.0", None], "DM__SEX": ["F", "F", "M", None]}
    combined = combined_of(4, {name: np.array(values, dtype=object) for name, values in found.items()})
    _, typed = handed_over(tmp_path, combined)
    frame = pd.read_parquet(typed)
    assert list(frame) == ["USUBJID", "DM__AGE", "LB__X", "LB__X" + AS_TEXT, "DM__SEX"]
    assert frame["DM__AGE"].dropna().tolist() == [38.0, 7.0, 38.0]
    assert frame["LB__X"].dropna().tolist() == parse_numbers(pd.Series(["1.0", "007", "1.0"])).tolist()
    assert frame["LB__X" + AS_TEXT].dropna().tolist() == ["1.0", "007", "1.0"]
    assert isinstance(frame["DM__SEX"].dtype, pd.CategoricalDtype)
    metadata = parquet.read_metadata(typed)
    assert not any(metadata.row_group(0).column(i).is_stats_set for i in range(metadata.num_columns))


def of_another_text(text, typed):
    text.write_bytes(text.read_bytes().replace(b"38", b"39"))


def longer(text, typed):
    text.write_bytes(text.read_bytes() + b"\n")


def cut_off(text, typed):
    typed.write_bytes(typed.read_bytes()[:-9])


def damaged(text, typed):
    content = typed.read_bytes()
    typed.write_bytes(content[:30] + bytes(byte ^ 1 for byte in content[30:60]) + content[60:])


def of_another_program(text, typed):
    pd.DataFrame({"USUBJID": ["id 0"]}).to_parquet(typed)


def absent(text, typed):
    typed.unlink()


@each("spoil", [of_another_text, longer, cut_off, damaged, of_another_program, absent])
def test_columns_that_are_not_of_the_text_are_not_read(tmp_path, spoil):
    text, typed = handed_over(tmp_path, combined_of(2, {"DM__AGE": np.array(["38", "7"], dtype=object)}))
    assert read_typed(text, typed) is not None
    spoil(text, typed)
    assert read_typed(text, typed) is None
    with contextlib.suppress(DamagedColumnsError):  # behind the beginning
        assert not list(BlocksOfTyped.of(text, typed, 1 << 20) or [])


def test_who_edits_the_text_gets_what_they_wrote_whatever_it_looks_like(tmp_path):
    """Rows and cells that would be no people, codes or placeholders in a pilot's own file."""
    path = tmp_path / "combined_dataset.csv"
    path.write_text('"USUBJID","DM__AGE","DM__X"\n"A","40","1.250"\n"B","-99","9999-12-31"\n"Total","41","999"\n')
    frame = read_as_written(path).frame
    assert frame.to_numpy().tolist() == [["A", "40", "1.250"], ["B", "-99", "9999-12-31"], ["Total", "41", "999"]]
