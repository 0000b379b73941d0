"""SUDA2 against its definition: every subset of every person looked at one by one, by hand and by Hypothesis."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from Anonymization_Models import form_equivalence_classes
from disclosure_control.basics.encoding.keys import number_groups
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.measures import special_uniques as module
from disclosure_control.measures.special_uniques import (
    WEIGHTINGS,
    MinimalUniques,
    dis_scores,
    match_probability,
    special_uniques,
)
from tests.examples import examples

REFEREE_WEIGHTS = {
    "elliot": lambda m, s: math.factorial(m - s),
    "ihsn": lambda m, s: (2 ** (m - s) - 1) / math.comb(m, s),
}


def referee(df: pd.DataFrame, max_size: int) -> list[list[tuple[int, ...]]]:
    """Minimal sample uniques of each record, by the definition; a missing value equals nothing."""
    rows = [tuple(None if pd.isna(value) else value for value in row) for row in df.itertuples(index=False)]
    found: list[list[tuple[int, ...]]] = [[] for _ in rows]
    for size in range(1, max_size + 1):
        for subset in itertools.combinations(range(df.shape[1]), size):
            parts = [tuple(row[j] for j in subset) for row in rows]
            n_people = Counter(parts)
            for part, minimal in zip(parts, found, strict=True):
                unique = None not in part and n_people[part] == 1
                if unique and not any(set(smaller) < set(subset) for smaller in minimal):
                    minimal.append(subset)
    return found


def expected(df: pd.DataFrame, max_size: int, weighting: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Scores, number of minimal uniques, and contributions of each record, from the referee."""
    n_attributes, of_record = df.shape[1], referee(df, max_size)
    scores, contribution = np.zeros(len(df)), np.zeros(df.shape)
    for i, minimal in enumerate(of_record):
        for subset in minimal:
            weight = REFEREE_WEIGHTS[weighting](n_attributes, len(subset))
            scores[i] += weight
            contribution[i, list(subset)] += weight
    contribution /= np.where(scores > 0, scores, 1)[:, None]
    return scores, np.array([len(minimal) for minimal in of_record]), contribution


@st.composite
def frames(draw, missing: bool = True) -> pd.DataFrame:
    """Few values and many ties; repeated records, so that some classes hold more than one person."""
    n_attributes = draw(st.integers(1, 5))
    value = st.sampled_from(["a", "b", "c", "d", None]) if missing else st.sampled_from(["a", "b", "c", "d"])
    few = st.sampled_from(["a", "b", None]) if missing else st.sampled_from(["a", "b"])
    columns = [draw(st.sampled_from([value, few])) for _ in range(n_attributes)]
    rows = draw(st.lists(st.tuples(*columns), max_size=16))
    rows += draw(st.lists(st.sampled_from(rows), max_size=4)) if rows else []
    return pd.DataFrame(rows, columns=[f"q{i}" for i in range(n_attributes)], dtype=object)


def classes_of(df: pd.DataFrame):
    return form_equivalence_classes(df, list(df.columns))


def of_records(classes, *settings, **more) -> SimpleNamespace:
    """The figures of each record, which are those of its class."""
    found, of_record = special_uniques(classes, *settings, **more), classes.class_of_record
    return SimpleNamespace(
        scores=found.score_of_class[of_record],
        dis_scores=found.dis_score_of_class[of_record],
        n_minimal=found.n_of_class[of_record],
        smallest=found.smallest_size_of_class[of_record],
        contribution=found.contribution_of_class[of_record],
        of_all=found,
    )


@examples(120)
@given(frames(), st.integers(1, 5), st.sampled_from(sorted(WEIGHTINGS)))
def test_every_record_agrees_with_the_definition(df, max_size, weighting):
    scores, n_minimal, contribution = expected(df, min(max_size, df.shape[1]), weighting)
    of_each = of_records(classes_of(df), max_size, weighting)
    result = of_each.of_all
    np.testing.assert_allclose(of_each.scores, scores, rtol=1e-12)
    np.testing.assert_array_equal(of_each.n_minimal, n_minimal)
    np.testing.assert_allclose(of_each.contribution, contribution, rtol=1e-12, atol=1e-15)
    assert result.total_score == pytest.approx(scores.sum(), rel=1e-12)
    assert result.n_special_uniques == (scores > 0).sum()
    total = scores.sum() or 1.0
    shares = (contribution * scores[:, None]).sum(axis=0) / total
    assert list(result.contribution_rates) == list(df.columns)
    np.testing.assert_allclose(list(result.contribution_rates.values()), shares, rtol=1e-12, atol=1e-15)


@examples(60)
@given(frames())
def test_the_subsets_are_those_of_the_definition(df):
    classes = classes_of(df)
    uniques = MinimalUniques(classes, df.shape[1]).search()
    found = {(c, tuple(sorted(subset))) for subset, members in uniques for c in members.tolist()}
    of_record = referee(df, df.shape[1])
    assert found == {
        (int(classes.class_of_record[i]), subset) for i, minimal in enumerate(of_record) for subset in minimal
    }
    smallest = [min(map(len, minimal), default=0) for minimal in of_record]
    assert of_records(classes).smallest.tolist() == smallest


@pytest.mark.parametrize(("n_values", "is_hashed"), [(12, False), (900, True)])
def test_groups_that_are_counted_and_groups_that_are_hashed(n_values, is_hashed, monkeypatch):
    """Above 65,536 possible keys groups are numbered another way; sizes of keys on either side of that."""
    calls = []
    monkeypatch.setattr(module, "number_groups", lambda *keys: calls.append(keys) or number_groups(*keys))
    random = np.random.default_rng(5)
    df = pd.DataFrame({f"q{i}": random.integers(0, n_values, 1_500).astype(float) for i in range(3)})
    df = df.mask(random.random(df.shape) < 0.05)
    scores, n_minimal, contribution = expected(df, 3, "elliot")
    assert n_minimal.max() >= 1
    result = of_records(classes_of(df))
    assert bool(calls) == is_hashed
    np.testing.assert_array_equal(result.scores, scores)
    np.testing.assert_array_equal(result.n_minimal, n_minimal)
    np.testing.assert_allclose(result.contribution, contribution, rtol=1e-12)


def test_three_people_by_hand():
    """Also the example of sdcMicro's own tests: contributions of 50, 37.5 and 37.5 percent.

    The first is alone with a = 2; the second with b = 3 and with c = 6; the third shares each value with somebody and
    is alone with a and b together, and with a and c. Weights: (3 - 1)! = 2 and (3 - 2)! = 1.
    """
    df = pd.DataFrame({"a": [2, 1, 1], "b": [0, 3, 0], "c": [0, 6, 0]})
    result = of_records(classes_of(df))
    assert result.scores.tolist() == [2, 4, 2]
    assert result.n_minimal.tolist() == [1, 2, 2]
    assert result.smallest.tolist() == [1, 1, 2]
    assert result.contribution.tolist() == [[1, 0, 0], [0, 0.5, 0.5], [1, 0.5, 0.5]]
    assert result.of_all.contribution_rates == {"a": 0.5, "b": 0.375, "c": 0.375}
    # All three are unique and there is no pair, so a match is right for certain.
    assert result.of_all.match_probability == 1
    assert result.dis_scores.tolist() == [1, 1, 1]


def test_dis_scores_by_hand():
    """Two uniques with scores 1 and 4, one pair, one in ten of the population, eight attributes.

    theta = 2 * 0.1 / (2 * 0.1 + 2 * 0.9) = 0.1, odds against 2 / 0.1 - 2 = 18, shared out by score * (1 + 1/4):
    1 / (1 + 18 / 1.25) and 1 / (1 + 18 / 5).
    """
    probability = match_probability(2, 2, 0.1)
    assert probability == pytest.approx(0.1, rel=1e-15)
    dis = dis_scores(np.array([0.0, 1.0, 4.0]), 2, probability, 1.0)
    np.testing.assert_allclose(dis, [0, 1.25 / 19.25, 5 / 23], rtol=1e-14)


def test_a_file_with_a_sampling_fraction_of_one_is_the_population():
    df = pd.DataFrame({"a": ["x", "x", "y", "z"]})
    assert of_records(classes_of(df), dis_fraction=1).dis_scores.tolist() == [0, 0, 1, 1]


def test_dis_scores_that_would_fall_with_the_score_are_not_given():
    assert np.isnan(dis_scores(np.array([0.0, 2.0]), 1, 0.5, -0.05)).tolist() == [False, True]


def test_no_record_and_no_attribute():
    assert special_uniques(classes_of(pd.DataFrame({"a": []}, dtype=object))).score_of_class.tolist() == []
    nothing_known = special_uniques(form_equivalence_classes(pd.DataFrame({"a": ["x"]}), []))
    assert nothing_known.score_of_class.tolist() == nothing_known.smallest_size_of_class.tolist() == [0]
    assert nothing_known.contribution_of_class.shape == (1, 0)


def test_more_subsets_than_can_be_looked_at():
    df = pd.DataFrame({f"q{i}": ["x", "y"] for i in range(30)})
    with pytest.raises(FaultyInputError, match=r"30 quasi-identifiers have 1,073,741,823 subsets.*max_size to 4 or"):
        special_uniques(classes_of(df))
    assert special_uniques(classes_of(df), 4).n_of_class.tolist() == [30, 30]
