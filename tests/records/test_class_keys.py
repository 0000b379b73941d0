"""Keys and ids that are counted block by block are those that are counted at once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disclosure_control.records import class_keys
from disclosure_control.records.class_keys import count_in_blocks
from tests.examples import examples


@examples(100)
@given(st.lists(st.lists(st.integers(0, 9), max_size=8), max_size=6), st.sampled_from([2, 1 << 22]))
def test_keys_are_counted_over_blocks(blocks, n_dense):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(class_keys, "DENSE_KEYS", n_dense)
        keys, people = count_in_blocks([np.array(block, dtype=np.int64) for block in blocks], 10)
    expected = [key for block in blocks for key in block]
    assert keys.tolist() == sorted(set(expected))
    assert people.tolist() == [expected.count(key) for key in sorted(set(expected))]
