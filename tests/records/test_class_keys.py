"""Classes and keys that are counted block by block are those that are counted at once."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disclosure_control.basics.encoding.keys import number_rows
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.records import class_keys
from disclosure_control.records.class_keys import KeyCounter, find_class_keys, parts_of_classes
from disclosure_control.records.subjects import SubjectsOnDisk
from tests.examples import examples


@st.composite
def coded_blocks(draw):
    radices = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    lengths = draw(st.lists(st.integers(0, 6), min_size=1, max_size=4).filter(any))
    codes = [[draw(st.integers(0, radix - 1)) for _ in range(sum(lengths))] for radix in radices]
    return radices, lengths, [np.array(column, dtype=np.int64) for column in codes]


@examples(200)
@given(coded_blocks(), st.sampled_from([1, 5, 2**62]), st.sampled_from([0, 1 << 22]))
def test_classes_are_numbered_as_in_memory(made, key_limit, n_dense):
    radices, lengths, columns = made
    ends = np.cumsum(lengths)[:-1]
    split = [np.split(column, ends) for column in columns]

    def blocks():
        yield from zip(lengths, zip(*split, strict=True), strict=True)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(class_keys, "DENSE_KEYS", n_dense)
        keys = find_class_keys(blocks, radices, 1000, key_limit)
        found = np.concatenate([keys.class_of(codes, n) for n, codes in blocks()])
    expected, size = number_rows(columns, radices, sum(lengths))
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(keys.stages[-1].people, size)
    np.testing.assert_array_equal(keys.class_codes()[:, found], np.array(columns) - 1)


def test_more_classes_than_allowed_are_a_fault_that_says_what_would_help():
    columns = np.arange(20)
    with pytest.raises(FaultyInputError, match=r"more than 19 classes.*bin what is continuous"):
        find_class_keys(lambda: [(20, [columns])], [20], 19)


@examples(100)
@given(st.lists(st.lists(st.integers(0, 9), max_size=8), max_size=6), st.sampled_from([0, 1 << 22]))
def test_keys_are_counted_over_blocks(blocks, n_dense):
    counter = KeyCounter(10, 10, "", n_dense)
    for block in blocks:
        counter.add(np.array(block, dtype=np.int64))
    keys, people = counter.result()
    expected = [key for block in blocks for key in block]
    assert keys.tolist() == sorted(set(expected))
    assert people.tolist() == [expected.count(key) for key in sorted(set(expected))]


@given(st.lists(st.integers(0, 9), min_size=1, max_size=30), st.integers(1, 12), st.integers(1, 5))
@examples(100)
def test_parts_are_neighbours_and_hold_every_class_once(size, n_people, n_most):
    parts = list(parts_of_classes(np.array(size), n_people, n_most))
    assert [i for part in parts for i in range(part.start, part.stop)] == list(range(len(size)))
    assert len(parts) <= n_most
    at_once = max(n_people, -(-sum(size) // n_most))
    assert all(sum(size[part]) < at_once + max(size[part]) for part in parts)


@examples(100)
@given(st.lists(st.lists(st.sampled_from(["a", "b", "é", "c", None]), max_size=4), max_size=4), st.integers(1, 3))
def test_ids_are_counted_in_any_order(tmp_path_factory, blocks, ids_per_part):
    subjects = SubjectsOnDisk(tmp_path_factory.mktemp("ids"), ids_per_part)
    for block in blocks:
        subjects.append(pa.array(block, pa.large_string()))
    ids = [one for block in blocks for one in block]
    assert subjects.count_distinct() == len({one for one in ids if one is not None})
    assert subjects.n_blank == ids.count(None)
