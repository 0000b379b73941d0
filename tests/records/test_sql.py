"""People with the same codes, counted by every engine: what NumPy counts, in its order, in memory that is bounded."""

from __future__ import annotations

import os

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from Anonymization_Models import EquivalenceClasses
from disclosure_control.basics.encoding.keys import number_rows
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.records import sql
from disclosure_control.records.classes import class_of_each, counted_classes
from disclosure_control.records.cluster import counting_by
from disclosure_control.records.spill import put_codes
from disclosure_control.records.sql import database_in
from disclosure_control.records.subjects import SubjectsOnDisk
from tests.examples import examples

COUNTED_BY = {"disk": None, "cluster": counting_by(lambda people: people.compute(scheduler="synchronous"))}


@pytest.fixture
def database(tmp_path):
    with database_in(tmp_path) as found:
        yield found


@st.composite
def coded_blocks(draw):
    """The number of codes of each column, the records of each block, and the codes (n_columns, n_records)."""
    radices = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    lengths = draw(st.lists(st.integers(0, 6), min_size=1, max_size=4))
    codes = [[draw(st.integers(-1, radix - 2)) for _ in range(sum(lengths))] for radix in radices]
    return radices, np.cumsum(lengths)[:-1], np.array(codes, dtype=np.int64)


@pytest.mark.thorough("1.4 s")
@pytest.mark.parametrize("engine", COUNTED_BY)
@examples(30)
@given(coded_blocks())
def test_classes_are_numbered_as_in_memory(database, engine, made):
    radices, ends, codes = made
    if engine == "cluster":
        pytest.importorskip("dask", reason="requirements/cluster.txt is not installed")
    blocks = np.split(codes, ends, axis=1)
    with database_in(database.new_folder(), COUNTED_BY[engine]) as counting:
        found, size = counted_classes(blocks, len(radices), codes.shape[1], counting, 1000)
        assert not list(counting.folder.glob("*/codes*"))
    labels = tuple(np.arange(radix - 1) for radix in radices)
    classes = EquivalenceClasses(tuple(map(str, radices)), labels, found, size)
    class_of_record = class_of_each(classes, list(codes), codes.shape[1])
    expected, size_expected = number_rows(list(codes), radices, codes.shape[1], least=-1)
    np.testing.assert_array_equal(size, size_expected)
    np.testing.assert_array_equal(class_of_record, expected)
    np.testing.assert_array_equal(found[:, class_of_record], codes)


def test_more_classes_than_allowed_are_a_fault_that_says_what_would_help(database):
    assert len(counted_classes([[np.arange(20)]], 1, 20, database, 20)[1]) == 20
    with pytest.raises(FaultyInputError, match=r"more than 19 classes.*bin what is continuous"):
        counted_classes([[np.arange(20)]], 1, 20, database, 19)


def test_the_files_of_a_run_are_read_and_no_others(tmp_path):
    import duckdb

    (tmp_path / "run").mkdir()
    put_codes(tmp_path / "codes", [[np.arange(20)]], 1)
    assert (tmp_path / "codes").stat().st_mode & 0o777 == 0o600
    with database_in(tmp_path / "run") as database:
        connection = database._opened()
        (spill,) = (tmp_path / "run").iterdir()
        assert spill.stat().st_mode & 0o777 == 0o700
        for asked in (
            f"SELECT * FROM read_parquet('{os.fspath(tmp_path / 'codes')}')",
            "INSTALL httpfs",
            "SET enable_external_access = true",
            "SET memory_limit = '1GB'",
        ):
            with pytest.raises(duckdb.Error, match=r"disabled|locked"):
                connection.execute(asked)


@pytest.mark.thorough("0.2 s")
def test_too_little_memory_is_a_fault_with_what_to_change(tmp_path, monkeypatch):
    monkeypatch.setattr(sql, "memory_for", lambda free: 1 << 20)
    generator = np.random.default_rng(3)
    put_codes(tmp_path / "codes", [[generator.permutation(400_000)] * 3], 3)
    fault = r"DuckDB may take 1 MB of memory.*--memory of the container"
    with pytest.raises(FaultyInputError, match=fault), database_in(tmp_path) as database:
        list(database.count(tmp_path / "codes", [0, 1, 2]))
    records = [[generator.permutation(400_000).astype(np.int32)]]
    with pytest.raises(FaultyInputError, match=r"systemd unit\), or a way out$"), database_in(tmp_path) as database:
        list(database.in_order(records, [pa.int32()], 1, 9, "a way out"))


def test_memory_grows_with_what_is_free():
    free = [None, 1 << 20, 1 << 28, 1 << 29, 1 << 33, 1 << 36]
    assert [sql.memory_for(one) for one in free] == [1 << 28, 1 << 27, 1 << 27, 1 << 28, 1 << 28, 1 << 31]


@examples(20)
@given(st.lists(st.lists(st.tuples(st.integers(-3, 3), st.sampled_from(["a", "b", "Z", "é", "東", "𝄞", ""])))))
def test_records_come_in_the_order_of_their_numbers_and_texts(database, blocks):
    columns = ([[row[i] for row in one] for i in (0, 1)] for one in blocks)
    kinds = [pa.int32(), pa.large_string()]
    found = [row for one in database.in_order(columns, kinds, 2, 5) for row in one.to_pylist()]
    assert [(row["c0"], row["c1"]) for row in found] == sorted(pair for one in blocks for pair in one)


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyError("ZZ"), KeyboardInterrupt()])
def test_what_goes_wrong_in_the_records_themselves_is_no_error_of_duckdb(database, error):
    def records():
        yield [["a"]]
        raise error

    with pytest.raises(type(error)) as raised:
        list(database.in_order(records(), [pa.large_string()], 1, 5))
    assert raised.value is error


@examples(20)
@given(st.lists(st.lists(st.sampled_from(["a", "b", "é", "c", None]), max_size=4), max_size=4))
def test_ids_are_counted_in_any_order(database, blocks):
    subjects = SubjectsOnDisk(database)
    for block in blocks:
        subjects.append(pa.array(block, pa.large_string()))
    ids = [one for block in blocks for one in block]
    assert subjects.count_distinct() == len({one for one in ids if one is not None})
    assert subjects.n_blank == ids.count(None)
