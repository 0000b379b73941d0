"""Prosecutor, journalist and marketer risk and the profile: a slow referee, properties, and small tables by hand."""

import itertools
from collections import Counter
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from Anonymization_Models import form_equivalence_classes
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.measures.reidentification import (
    count_population,
    intruders,
    journalist_risk,
    prosecutor_risk,
    risk_profile,
    smallest_class_within,
)
from tests.examples import examples

SETTINGS = examples(60)
NAMES = ["x", "y", "z"]
POLICIES = ["category", "exclude", "wildcard"]

policies = st.sampled_from(POLICIES)
rows_of_people = st.tuples(*[st.sampled_from([*"abcd", None])] * 3)
tables = st.lists(rows_of_people, min_size=1, max_size=30)
thresholds = st.sampled_from([0.05, 0.09, 0.1, 0.2, 0.33, 0.5, 1.0])


def classes_of(rows: list[tuple]):
    return form_equivalence_classes(pd.DataFrame(rows, columns=NAMES, dtype=object), NAMES)


def could_be(mine: tuple, other: tuple, missing_qis: str) -> bool:
    if missing_qis == "wildcard":
        return all(a is None or b is None or a == b for a, b in zip(mine, other, strict=True))
    return mine == other


def count_matches(rows: list[tuple], among: list[tuple], missing_qis: str) -> list[int | None]:
    """People ``among`` whom each record could be; None where the policy does not evaluate it."""
    return [
        None
        if missing_qis == "exclude" and None in mine
        else sum(could_be(mine, other, missing_qis) for other in among)
        for mine in rows
    ]


@SETTINGS
@given(tables, policies, thresholds)
def test_prosecutor_risk_by_counting(rows, missing_qis, threshold):
    found = prosecutor_risk(classes_of(rows), threshold, missing_qis)
    f = count_matches(rows, rows, missing_qis)
    evaluated = [k for k in f if k is not None]
    assert found.n_evaluated == len(evaluated)
    np.testing.assert_array_equal(found.of_record, [np.nan if k is None else 1.0 / k for k in f])
    if not evaluated:
        assert (found.highest, found.average, found.lowest, found.at_risk_rate) == (None, None, None, None)
        return
    risks = [Fraction(1, k) for k in evaluated]
    assert found.highest == float(max(risks))
    assert found.lowest == float(min(risks))
    assert found.average == pytest.approx(float(sum(risks) / len(risks)), rel=1e-12)
    limit = Fraction(str(threshold))
    assert found.at_risk_rate == sum(risk > limit for risk in risks) / len(risks)
    # The smallest class that the threshold allows parts the records in the same way.
    least = Fraction(1, smallest_class_within(threshold))
    assert found.at_risk_rate == sum(risk > least for risk in risks) / len(risks)
    assert least <= limit


@SETTINGS
@given(tables, tables, policies)
def test_journalist_and_marketer_risk_by_counting(rows, others, missing_qis):
    classes = classes_of(rows)
    population = pd.DataFrame(rows + others, columns=NAMES, dtype=object).iloc[::-1]
    people = count_population(classes, population, missing_qis)
    matches = count_matches(rows, rows + others, missing_qis)
    assert [int(people[c]) for c, k in zip(classes.class_of_record, matches, strict=True) if k is not None] == [
        k for k in matches if k is not None
    ]
    without_sample = pd.DataFrame(others, columns=NAMES, dtype=object)
    np.testing.assert_array_equal(people, count_population(classes, without_sample, missing_qis, includes_sample=False))

    prosecutor = prosecutor_risk(classes, missing_qis=missing_qis)
    same, journalist, marketer = intruders(classes, missing_qis=missing_qis, population_size=people).values()
    np.testing.assert_array_equal(prosecutor.of_record, same.of_record)  # who is known to be in the pilot
    np.testing.assert_array_equal(journalist.of_record, [np.nan if k is None else 1.0 / k for k in matches])
    evaluated = ~np.isnan(journalist.of_record)
    assert (journalist.of_record[evaluated] <= prosecutor.of_record[evaluated]).all()
    if evaluated.any():
        assert journalist.highest <= prosecutor.highest
        assert journalist.at_risk_rate <= prosecutor.at_risk_rate
        assert marketer.average <= prosecutor.average * (1 + 1e-12)
        expected = sum(Fraction(1, k) for k in matches if k) / int(evaluated.sum())
        assert marketer.average == pytest.approx(float(expected), rel=1e-12)


@SETTINGS
@given(tables, policies, st.sampled_from([1e-6, 0.01, 0.3, 1.0]))
def test_risk_by_the_sampling_fraction(rows, missing_qis, fraction):
    classes = classes_of(rows)
    prosecutor = prosecutor_risk(classes, missing_qis=missing_qis)
    journalist = journalist_risk(classes, missing_qis=missing_qis, sampling_fraction=fraction)
    evaluated = ~np.isnan(prosecutor.of_record)
    ratio = journalist.of_record[evaluated] / prosecutor.of_record[evaluated]
    assert (ratio <= 1 + 1e-12).all()
    assert (ratio >= fraction * (1 - 1e-12)).all()  # 1/E[F] is never above E[1/F]
    if fraction == 1.0:
        np.testing.assert_allclose(ratio, 1.0, rtol=1e-12)
    else:
        assert (ratio < 1).all()
        assert (journalist.average or 0) <= (prosecutor.average or 0)


@SETTINGS
@given(tables, policies, st.lists(st.integers(1, 12), max_size=4, unique=True))
def test_profile_by_counting(rows, missing_qis, limits):
    found = risk_profile(classes_of(rows), limits, missing_qis)
    f = [k for k in count_matches(rows, rows, missing_qis) if k is not None]
    assert found.n_evaluated == len(f)
    assert found.n_unique == f.count(1)
    assert found.n_k_at_most == {limit: sum(k <= limit for k in f) for limit in limits}
    assert found.expected_reidentifications == pytest.approx(float(sum(Fraction(1, k) for k in f)), rel=1e-12)
    if f:
        assert found.k_at_most_rate == {limit: sum(k <= limit for k in f) / len(f) for limit in limits}
        assert found.global_risk == pytest.approx(found.expected_reidentifications / len(f), rel=1e-12)
        assert found.unique_rate == f.count(1) / len(f)
    else:
        assert (found.global_risk, found.unique_rate) == (None, None)
    if missing_qis == "category":
        assert found.expected_reidentifications == pytest.approx(len(Counter(rows)), rel=1e-12)


# ---------------------------------------------------------------- by hand


def test_alpha_on_a_small_table():
    """(a,.) could be both (a,b) and (a,c); each of those could be (a,.), which counts alpha for them."""
    classes = classes_of([("a", "b", "1"), ("a", "c", "1"), ("a", None, "1")])
    risk = prosecutor_risk(classes, missing_qis="wildcard", alpha=0.5)
    np.testing.assert_allclose(risk.of_record, [1 / 1.5, 1 / 1.5, 1 / 3], rtol=1e-15)
    profile = risk_profile(classes, (1, 2, 3), "wildcard", 0.5)
    assert profile.n_k_at_most == {1: 0, 2: 2, 3: 3}
    assert profile.expected_reidentifications == pytest.approx(2 / 1.5 + 1 / 3, rel=1e-15)
    assert risk_profile(classes, (1,), "wildcard", 0.0).n_unique == 2


def test_sums_of_alpha_meet_their_threshold():
    """Shares of people that add up to one make k = 2; a hair of rounding more or less decides nothing."""
    tenths = [("a", "b", "1")] + [("a", "b", None)] * 2 + [("a", None, "1")] + [(None, "b", "1")] * 7
    assert risk_profile(classes_of(tenths), (2,), "wildcard", 0.1).n_k_at_most == {2: 1}
    seven_patterns = [p for p in itertools.product([True, False], repeat=4) if not all(p)][:7]
    sevenths = [tuple("abcd")] + [tuple(np.where(p, list("abcd"), None)) for p in seven_patterns]
    classes = form_equivalence_classes(pd.DataFrame(sevenths, columns=list("wxyz"), dtype=object), list("wxyz"))
    risk = prosecutor_risk(classes, 0.5, "wildcard", 1 / 7)
    above = risk.of_record > 0.5 * (1 + 1e-9)
    assert risk.of_record[0] == pytest.approx(0.5)
    assert risk.at_risk_rate == above.mean()
    assert not above[0]


def test_classes_that_are_not_evaluated_need_no_population():
    classes = classes_of([("a", "b", "1"), ("a", "b", None)])
    people = np.where(classes.complete, 4.0, 0.0)
    with np.errstate(all="raise"):
        assert journalist_risk(classes, missing_qis="exclude", population_size=people).highest == 0.25


def test_population_values_are_the_same_where_they_read_the_same():
    classes = form_equivalence_classes(
        pd.DataFrame({"age": [1.0, 2.0, None], "sex": ["1", " 2 ", None]}), ["age", "sex"]
    )
    population = pd.DataFrame({"sex": [1.0, 2.0, 2.0, np.nan, 3.0], "age": ["1", "2.0", " 2", None, "1"], "other": 0})
    assert count_population(classes, population)[classes.class_of_record].tolist() == [1, 2, 1]
    assert count_population(classes, population, "wildcard")[classes.class_of_record].tolist() == [2, 3, 5]
    close = form_equivalence_classes(pd.DataFrame({"x": [0.3, 0.1 + 0.2]}), ["x"])
    assert count_population(close, pd.DataFrame({"x": [0.1 + 0.2, 0.3, 0.3]}))[close.class_of_record].tolist() == [2, 1]


@pytest.mark.parametrize(("threshold", "k"), [(1, 1), (0.5, 2), (0.33, 4), (1 / 3, 3), (0.2, 5), (0.1, 10), (0.09, 12)])
def test_smallest_class_within_a_threshold(threshold, k):
    assert smallest_class_within(threshold) == k
    for k in range(1, 2000):
        assert smallest_class_within(1 / k) == k


@pytest.mark.parametrize("people", [[1.0, 1.0], [np.nan, 5.0]])
def test_a_population_that_lacks_people_of_the_pilot_is_a_fault(people):
    classes = form_equivalence_classes(pd.DataFrame({"x": ["secret", "secret", "b"]}), ["x"])
    assert classes.size.tolist() == [1, 2]
    with pytest.raises(FaultyInputError, match="1 of 2 classes have fewer people") as caught:
        journalist_risk(classes, population_size=np.array(people))
    assert "secret" not in str(caught.value)
