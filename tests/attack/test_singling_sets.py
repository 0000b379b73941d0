"""Sets of one, two and three columns by which people are alone: a slow referee, cases by hand, bounds."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from disclosure_control.attack.alone.singling_sets import singling_sets
from disclosure_control.basics.encoding.columns import encode_column
from tests.examples import examples


def encoded(frame: pd.DataFrame) -> dict:
    return {str(name): encode_column(column) for name, column in frame.items()}


def referee(rows: list[tuple], names: list[str], wanted: set[str] | None = None) -> dict[int, dict]:
    """By size: of each set of columns who is alone by it, by looking at everybody."""
    found: dict[int, dict] = {}
    for size in (1, 2, 3):
        for places in itertools.combinations(range(len(names)), size):
            chosen = tuple(names[i] for i in places)
            if wanted is None or set(chosen) & wanted:
                values = [tuple(row[i] for i in places) for row in rows]
                count = Counter(values)
                found.setdefault(size, {})[chosen] = {i for i, value in enumerate(values) if count[value] == 1}
    return found


@st.composite
def tables(draw) -> pd.DataFrame:
    n, n_columns = draw(st.integers(0, 12)), draw(st.integers(1, 5))
    value = st.sampled_from(["a", "b", "c", None])
    cells = {
        f"c{i}": draw(st.lists(value if i % 2 else st.integers(0, 9).map(str), min_size=n, max_size=n))
        for i in range(n_columns)
    }
    return pd.DataFrame(cells, dtype="str")


@examples(100)
@given(frame=tables(), data=st.data())
def test_as_the_slow_referee_counts(frame, data):
    names = list(frame.columns)
    wanted = data.draw(st.none() | st.sets(st.sampled_from(names), min_size=1))
    rows = [tuple(None if pd.isna(cell) else cell for cell in row) for row in frame.itertuples(index=False)]
    truth = referee(rows, names, wanted)
    found = singling_sets(encoded(frame), len(frame), wanted)
    assert [one.size for one in found] == [size for size in (1, 2, 3) if size <= len(names)]
    alone: set[int] = set()
    for one in found:
        by_set = truth.get(one.size, {})
        alone |= set().union(*by_set.values())
        assert one.n_sets == one.n_counted == len(by_set)
        assert one.n_singling == sum(map(bool, by_set.values()))
        assert one.n_alone == len(alone)
        assert [len(by_set[best.columns]) for best in one.riskiest] == [best.n_alone for best in one.riskiest]
        assert [best.n_alone for best in one.riskiest] == sorted(filter(None, map(len, by_set.values())))[::-1][:3]


def test_bounded_work_says_how_many_sets_were_counted():
    """Of three pairs there is work for two: those with the most combinations of values."""
    frame = pd.DataFrame({"a": list("0123456789"), "b": list("0011223344"), "c": list("0000011111")})
    one, two, three = singling_sets(encoded(frame), 10, most_work=50)
    assert (one.n_sets, one.n_counted) == (3, 3)
    assert (two.n_sets, two.n_counted) == (3, 2)
    assert {best.columns for best in two.riskiest} == {("a", "b"), ("a", "c")}
    assert (three.n_sets, three.n_counted) == (1, 0)


def test_the_order_of_records_and_columns_makes_no_difference_to_the_counts():
    generator = np.random.default_rng(1)
    frame = pd.DataFrame({f"c{i}": generator.integers(0, 4 + 3 * i, 60).astype(str) for i in range(5)})
    other = frame.iloc[generator.permutation(60)][frame.columns[::-1]]
    found, again = (singling_sets(encoded(one), 60) for one in (frame, other))
    assert [(one.n_singling, one.n_alone) for one in found] == [(one.n_singling, one.n_alone) for one in again]
