"""Groups within groups: what a country and its districts tell of each other, against a slow subtraction."""

from __future__ import annotations

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from disclosure_control.basics.encoding.columns import encode_column
from disclosure_control.basics.encoding.nested_groups import hidden_beside_each_other
from disclosure_control.basics.telling.plain import plain
from disclosure_control.basics.telling.small_counts import MASKED, SMALLER_GROUPS, MissingShown, shares_by_group
from tests.examples import examples

DISTRICTS = st.lists(
    st.tuples(st.integers(0, 3), st.integers(1, 40), st.integers(0, 40)), min_size=1, max_size=8
)  # the country, people, and how many of them are hit


def told_of(districts: list[tuple[int, int, int]]) -> dict[str, list[dict]]:
    """What ``by_group`` tells of countries and their districts."""
    people = [(f"c{c}", f"d{i}", j < n_hit) for i, (c, n, n_hit) in enumerate(districts) for j in range(n)]
    frame = pd.DataFrame(people, columns=["country", "district", "hit"])
    columns = {name: encode_column(frame[name]) for name in ("district", "country")}
    hit, all_of_them = frame["hit"].to_numpy(), np.ones(len(frame), dtype=bool)
    one_each = np.ones(len(frame), dtype=np.int64)
    gaps = [MissingShown.LIKE_ANY_GROUP] * 2
    hidden = hidden_beside_each_other(MASKED, list(columns.values()), all_of_them, hit, gaps, one_each)
    return {
        name: plain(shares_by_group(MASKED, column, all_of_them, hit, "risky", also=also))
        for (name, column), also in zip(columns.items(), hidden, strict=True)
    }


def test_the_district_that_is_hidden_does_not_follow_from_its_country():
    """Greece has 600 people, Attica 300 and Crete 295 of them: it was told, and Zagori has 5."""
    told = told_of([(0, 300, 30), (0, 295, 29), (0, 5, 1), (1, 28, 14), (1, 25, 12)])
    assert {row["group"]: row["people"] for row in told["country"]} == {"c0": 600, "c1": 53}
    # The fifth district is hidden beside the third, as of any column; the second, as both lie in Greece.
    district = {row["group"]: row["people"] for row in told["district"]}
    assert district == {"d0": 300, "d3": 28, SMALLER_GROUPS: 295 + 5 + 25}


def test_districts_without_small_counts_are_left_as_they_are():
    told = told_of([(0, 40, 20), (0, 30, 15), (1, 28, 14), (1, 25, 12)])
    assert [row["people"] for row in told["district"]] == [40, 30, 28, 25]


@examples(300)
@given(DISTRICTS)
def test_no_small_count_follows_by_subtraction(districts):
    """Country by country: what its told districts leave of it is nobody, or at least ten people, hit and not."""
    told = told_of(districts)
    by_name = {row["group"]: row for row in told["district"]}
    for row in told["country"]:
        if row["group"] == SMALLER_GROUPS or row.get("people") is None or row["risky"] is None:
            continue
        inside = [i for i, (country, _, _) in enumerate(districts) if f"c{country}" == row["group"]]
        open_ones = [by_name[f"d{i}"] for i in inside if f"d{i}" in by_name]
        open_ones = [one for one in open_ones if one["people"] is not None and one["risky"] is not None]
        n, n_hit = (row[key] - sum(one[key] for one in open_ones) for key in ("people", "risky"))
        assert n_hit == 0 or n_hit >= 10, (districts, told)
        assert n - n_hit == 0 or n - n_hit >= 10, (districts, told)
