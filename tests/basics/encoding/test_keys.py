"""Counts of keys and of pairs against a plain count, where the keys are few enough for an array and where not."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from Anonymization_Models import form_equivalence_classes
from disclosure_control.basics.encoding.columns import CODE
from disclosure_control.basics.encoding.keys import count_pairs
from tests.examples import examples

PAIRS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3), st.integers(1, 9)), max_size=30)


@pytest.mark.parametrize("scale", [1, 10**6])  # few possible pairs, and too many for an array
@examples(100)
@given(entries=PAIRS)
def test_pairs_are_counted(scale, entries):
    one, other, people = (np.array(part, dtype=np.int64) for part in np.reshape(entries, (-1, 3)).T)
    counts, weights = Counter(), Counter()
    for i, j, n in entries:
        counts[i * scale, j] += 1
        weights[i * scale, j] += n
    for given_people, expected in ((None, counts), (people, weights)):
        found = count_pairs(one * scale, other, 5 * scale, 4, given_people)
        assert np.transpose(found).tolist() == [[i, j, n] for (i, j), n in sorted(expected.items())]


def test_codes_are_narrow_and_their_products_are_not():
    """300 labels in each of nine columns: 300**9 possible keys are far more than 32 bits, or 64, tell apart."""
    generator = np.random.default_rng(3)
    frame = pd.DataFrame({f"c{i}": np.append(generator.integers(0, 300, 400), np.arange(300)) for i in range(9)})
    frame["text"] = frame["c0"].map("t{:03d}".format)
    frame = pd.concat([frame, frame.iloc[:200]], ignore_index=True)
    for n_columns in (2, 4, 5, 10):  # 90,000 keys, 8e9 of them, 2e12, 6e24
        names = list(frame)[-n_columns:]
        classes = form_equivalence_classes(frame, names)
        assert {column.codes.dtype for column in classes.columns} == {np.dtype(CODE)}
        assert np.array_equal(classes.class_of_record, frame.groupby(names).ngroup().to_numpy())
        assert classes.size.sum() == len(frame)
