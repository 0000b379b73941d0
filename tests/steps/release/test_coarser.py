"""The fewest quasi-identifiers that have to go, so that nobody is alone by one fact: against every set of them."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from disclosure_control.steps.release.coarser import FewerColumns, fewer_columns

PEOPLE = st.integers(2, 8)


@st.composite
def studies(draw):
    n = draw(PEOPLE)
    columns = {name: draw(st.lists(st.integers(-1, 2), min_size=n, max_size=n)) for name in "abc"}
    entries = draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, 3)), max_size=14))
    return n, columns, entries


def alone(n: int, columns: dict[str, list[int]], entries) -> int:
    """Who is alone in the class, or in it by a fact: person by person."""
    found = 0
    for one in range(n):
        like = [other for other in range(n) if all(codes[other] == codes[one] for codes in columns.values())]
        facts = {fact for person, fact in entries if person == one}
        has = [sum((other, fact) in entries for other in like) for fact in facts]
        found += len(like) == 1 or 1 in has
    return found


@given(studies(), st.integers(0, 2))
def test_the_fewest_that_are_enough(study, most):
    n, columns, entries = study
    people, facts = (np.array([entry[i] for entry in entries], dtype=np.int64) for i in (0, 1))
    found = fewer_columns({name: np.array(codes) for name, codes in columns.items()}, people, facts, most)
    without = alone(n, {}, entries)
    enough = [
        set(dropped)
        for size in range(1, 4)
        for dropped in itertools.combinations(columns, size)
        if alone(n, {name: codes for name, codes in columns.items() if name not in dropped}, entries) <= most
    ]
    assert found is not None
    assert found.alone_without == without
    if without > most:
        assert found == FewerColumns((), without)
    else:
        assert set(found.columns) in enough
        assert len(found.columns) == min(map(len, enough))


def test_too_many_entries_are_not_looked_at():
    people = np.arange(2)
    columns = {f"c{i}": np.zeros(2, dtype=np.int64) for i in range(40)}
    assert fewer_columns(columns, people, people, 0) is None
