"""Key sets against a group-by of every subset of the quasi-identifiers, and what each attribute adds to the risk."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from Anonymization_Models import MISSING_POLICIES, form_equivalence_classes
from disclosure_control.basics.encoding import keys
from disclosure_control.basics.encoding.keys import number_groups
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.measures.key_sets import KeySet, attribute_effects, key_sets
from tests.examples import examples

THRESHOLDS = (1, 2, 5)


def parts_of(df: pd.DataFrame, names: tuple[str, ...]) -> list[tuple]:
    """The values of each record in some columns, None where missing."""
    return [tuple(None if pd.isna(value) else value for value in row) for row in df[list(names)].values.tolist()]


def is_like(mine: tuple, other: tuple) -> bool:
    return all(a == b or a is None or b is None for a, b in zip(mine, other, strict=True))


def k_of_records(parts: list[tuple], missing_qis: str) -> np.ndarray:
    """k of each evaluated record from the records themselves: a group-by, or all pairs under "wildcard"."""
    if missing_qis == "wildcard":
        return np.array([sum(is_like(mine, other) for other in parts) for mine in parts])
    n_people = Counter(parts)
    return np.array([n_people[part] for part in parts])


def assert_agrees(result: KeySet, df: pd.DataFrame, missing_qis: str) -> None:
    names = result.quasi_identifiers
    parts = parts_of(df, names)
    if missing_qis == "exclude":
        parts = [part for part in parts if None not in part]
    k, sizes = k_of_records(parts, missing_qis), np.array(list(Counter(parts).values()))
    n = len(parts)
    assert (result.n_evaluated, result.n_classes) == (n, len(sizes))
    if n == 0:
        assert result == KeySet(names, 0, 0, None, None, dict.fromkeys(THRESHOLDS), None, None, None)
        return
    assert result.unique_rate == pytest.approx((k == 1).mean(), rel=1e-14)
    assert result.median_k == np.median(k)
    assert result.k_at_most_rate == pytest.approx({t: (k <= t).mean() for t in THRESHOLDS}, rel=1e-14)
    assert result.distinction == pytest.approx(len(sizes) / n, rel=1e-14)
    if n == 1:
        assert result.separation is None
    else:
        n_parted = n * n - (sizes.astype(float) ** 2).sum()  # ordered pairs of people in different groups
        assert result.separation == pytest.approx(n_parted / (n * (n - 1)), rel=1e-12, abs=1e-15)


def all_subsets(names: list[str], max_size: int) -> list[tuple[str, ...]]:
    return [subset for size in range(1, max_size + 1) for subset in itertools.combinations(names, size)]


@st.composite
def frames(draw) -> pd.DataFrame:
    """Few values and many ties, in columns of unequal numbers of values, in any order."""
    pools = [st.sampled_from(values) for values in (["a", None], ["a", "b"], ["a", "b", "c", None], list("abcdefgh"))]
    columns = draw(st.lists(st.sampled_from(pools), min_size=1, max_size=5))
    rows = draw(st.lists(st.tuples(*columns), max_size=25))
    return pd.DataFrame(rows, columns=[f"q{i}" for i in range(len(columns))], dtype=object)


def classes_of(df: pd.DataFrame):
    return form_equivalence_classes(df, list(df.columns))


@pytest.mark.thorough("0.3 s")
@examples(75)
@given(frames(), st.integers(1, 5), st.sampled_from(MISSING_POLICIES))
def test_every_subset_agrees_with_a_group_by(df, max_size, missing_qis):
    results = key_sets(classes_of(df), max_size, THRESHOLDS, missing_qis)
    names = [result.quasi_identifiers for result in results]
    assert names == all_subsets(list(df.columns), min(max_size, df.shape[1]))
    for result in results:
        assert_agrees(result, df, missing_qis)


@pytest.mark.parametrize(
    ("n_values", "is_hashed"), [pytest.param(2, False, marks=pytest.mark.thorough("0.2 s")), (400, True)]
)
def test_groups_that_are_counted_and_groups_that_are_hashed(n_values, is_hashed, monkeypatch):
    """Keys of few possible values are counted, of many hashed; ten columns of 400 values pass 64 bits."""
    n_keys = []
    random = np.random.default_rng(5)
    df = pd.DataFrame({f"q{i}": random.integers(0, n_values, 300).astype(float) for i in range(10)})
    df = df.mask(random.random(df.shape) < 0.05)
    df = pd.concat([df, df[:100]], ignore_index=True)
    classes = classes_of(df)
    monkeypatch.setattr(keys, "number_groups", lambda key, n: n_keys.append(n) or number_groups(key, n))
    results = {result.quasi_identifiers: result for result in key_sets(classes, None, THRESHOLDS)}
    assert len(results) == 1023
    assert (max(n_keys) > 65_536) == is_hashed
    assert max(n_keys) < 2**62
    assert (n_values + 1) ** 9 >= 2**62 or not is_hashed  # so that a key of nine columns cannot be one number
    for names in [tuple(df.columns), *all_subsets(list(df.columns), 2)[::9], *itertools.combinations(df.columns, 9)]:
        assert_agrees(results[names], df, "category")


def test_eight_people_by_hand():
    df = pd.DataFrame({"sex": list("FFFFMMMM"), "age": [30, 30, 40, 50, 30, 30, 40, None]})
    sex, age, both = key_sets(classes_of(df), thresholds=(1, 3))
    assert sex == KeySet(("sex",), 8, 2, 0.0, 4.0, {1: 0.0, 3: 0.0}, 0.25, 1 - 24 / 56, 0.25)
    # 30 four times, 40 twice, 50 and missing once: k is 4 4 4 4 2 2 1 1, pairs alike 12 + 2 of 56.
    assert age == KeySet(("age",), 8, 4, 0.25, 3.0, {1: 0.25, 3: 0.5}, 0.5, 1 - 14 / 56, 0.5)
    # F30 twice, M30 twice, four alone.
    assert both == KeySet(("sex", "age"), 8, 6, 0.5, 1.5, {1: 0.5, 3: 1.0}, 0.75, 1 - 4 / 56, 0.75)
    # Without the one of unknown age: k is 2 2 2 2 1 1 1, pairs alike 4 of 42.
    without = key_sets(classes_of(df), thresholds=(1, 3), missing_qis="exclude")[2]
    assert without == KeySet(("sex", "age"), 7, 5, 3 / 7, 2.0, {1: 3 / 7, 3: 1.0}, 5 / 7, 1 - 4 / 42, 5 / 7)
    # Who is not known to be of another age is one of them: the last is like all four men, and each of them like him.
    wild = key_sets(classes_of(df), thresholds=(1, 3), missing_qis="wildcard")[2]
    assert (wild.n_evaluated, wild.unique_rate, wild.median_k) == (8, 0.25, 2.0)
    assert wild.k_at_most_rate == {1: 0.25, 3: 7 / 8}


def test_what_each_attribute_adds_by_hand():
    df = pd.DataFrame({"sex": list("FFFFMMMM"), "age": [30, 30, 40, 50, 30, 30, 40, None]})
    classes = classes_of(df)
    sex, age = attribute_effects(classes, thresholds=(1, 3))
    assert (sex.quasi_identifier, age.quasi_identifier) == ("sex", "age")
    assert (sex.unique_rate_added, sex.average_risk_added) == (0.25, 0.25)
    assert (age.unique_rate_added, age.average_risk_added) == (0.5, 0.5)
    assert sex.k_at_most_rate_added == {1: 0.25, 3: 0.5}
    assert (sex.alone.quasi_identifiers, sex.without.quasi_identifiers) == (("sex",), ("age",))
    assert sex.together.quasi_identifiers == ("sex", "age")


def test_no_record_and_no_attribute():
    empty = pd.DataFrame({"a": [], "b": []}, dtype=object)
    for missing_qis in MISSING_POLICIES:
        for result in key_sets(classes_of(empty), thresholds=(3,), missing_qis=missing_qis):
            assert result == KeySet(result.quasi_identifiers, 0, 0, None, None, {3: None}, None, None, None)
    assert attribute_effects(classes_of(empty))[0].unique_rate_added is None
    assert key_sets(form_equivalence_classes(pd.DataFrame({"a": ["x"]}), [])) == []


def test_more_subsets_than_can_be_counted():
    df = pd.DataFrame({f"q{i}": ["x", "y"] for i in range(40)})
    with pytest.raises(FaultyInputError, match=r"40 quasi-identifiers have .* set max_size to 3 or less"):
        key_sets(classes_of(df))
    assert len(key_sets(classes_of(df), 2)) == 40 + 780
