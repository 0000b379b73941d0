"""Counts of keys and of pairs against a plain count, where the keys are few enough for an array and where not."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disclosure_control.basics.keys import count_keys, count_pairs
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


@pytest.mark.parametrize("n_keys", [1_000, 2**40])
@examples(60)
@given(keys=st.lists(st.integers(0, 999), max_size=30))
def test_keys_are_counted_and_stay_as_they_were(n_keys, keys):
    handed_in = np.array(keys, dtype=np.int64)
    found, count = count_keys(handed_in, n_keys)
    assert dict(zip(found.tolist(), count.tolist(), strict=True)) == Counter(keys)
    assert found.tolist() == sorted(set(keys))
    assert handed_in.tolist() == keys
