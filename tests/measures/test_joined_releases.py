"""Two releases under one pseudonym: a slow referee, and two releases that are safe each by itself."""

from __future__ import annotations

from collections import Counter

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from disclosure_control.basics.columns import encode_column
from disclosure_control.measures.joined_releases import JoinedRisk, joined_risk
from tests.examples import examples
from tests.treatments.treatment_frames import shared

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


def test_actg175_two_releases_of_five_alike_leave_people_alone_together():
    """Ages and weights in other bands: each file holds k = 5, and pandas counts both together."""
    frame = pd.read_csv(shared("data", "actg175", "aids_original_data.csv"), sep=";", dtype="str")
    numbers = frame[["age", "wtkg"]].astype(float)
    releases = []
    for years, kilos in ((10, 20), (15, 15)):
        banded = frame[["pidnum", "gender", "race", "homo"]].assign(
            age=(numbers["age"] // years).astype(str), wtkg=(numbers["wtkg"] // kilos).astype(str)
        )
        names = list(banded.columns[1:])
        size = banded.groupby(names)["pidnum"].transform("size")
        releases.append(banded[size >= 5])
    earlier, this = releases
    both = this.merge(earlier, on="pidnum", how="left", suffixes=("", "_earlier"), indicator=True)
    size = both.groupby([name for name in both if name != "pidnum"], dropna=False, observed=True)["pidnum"]
    size = size.transform("size")
    columns = [[encoded(one[name]) for name in names] for one in (this, earlier)]
    found = joined_risk(this["pidnum"].tolist(), columns[0], earlier["pidnum"].tolist(), columns[1], 5)
    assert (found.n_alone_here, found.n_below_k_here) == (0, 0)
    assert (found.n_alone, found.n_below_k) == (int((size == 1).sum()), int((size < 5).sum()))
    assert found.n_in_both == len(set(this["pidnum"]) & set(earlier["pidnum"]))
    assert found.n_alone > 0
    assert found.n_below_k > 100
