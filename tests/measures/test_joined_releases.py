"""Two releases under one pseudonym: a slow referee, and two releases that are safe each by itself."""

from __future__ import annotations

from collections import Counter

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from disclosure_control.basics.columns import encode_column
from disclosure_control.measures.joined_releases import JoinedRisk, joined_risk
from tests.examples import examples

VALUE = st.sampled_from(["a", "b", None])


def encoded(values):
    return encode_column(pd.Series(values, dtype="str"))


@examples(150)
@given(
    here=st.lists(VALUE, max_size=9),
    earlier=st.lists(st.tuples(VALUE, VALUE), max_size=9),
    shift=st.integers(0, 5),
    k=st.integers(1, 4),
)
def test_as_the_slow_referee_counts(here, earlier, shift, k):
    ids, earlier_ids = [f"p{i}" for i in range(len(here))], [f"p{i + shift}" for i in range(len(earlier))]
    of_earlier = dict(zip(earlier_ids, earlier, strict=True))
    both = [(value, of_earlier.get(one, "absent")) for one, value in zip(ids, here, strict=True)]
    in_both, in_this = Counter(both), Counter(here)
    columns = [encoded([pair[i] for pair in earlier]) for i in (0, 1)]
    assert joined_risk(ids, [encoded(here)], earlier_ids, columns, k) == JoinedRisk(
        len(here),
        len(set(ids) & set(earlier_ids)),
        sum(in_both[one] == 1 for one in both),
        sum(in_both[one] < k for one in both),
        sum(in_this[one] == 1 for one in here),
        sum(in_this[one] < k for one in here),
    )


def test_two_releases_of_two_each_single_everybody_out():
    """By age in tens two are alike, by sex two others: both together leave each alone."""
    found = joined_risk("abcd", [encoded(["30", "30", "40", "40"])], "abcd", [encoded(["F", "M", "F", "M"])], 2)
    assert found == JoinedRisk(4, 4, 4, 4, 0, 0)
