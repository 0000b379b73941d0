"""What the deliverable D4.2 calls, as it calls it: nine names, two samples or two distributions, plain faults."""

from collections import Counter

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import Anonymization_Models as models
from disclosure_control.basics.telling.faults import FaultyInputError
from tests.cases import each

PEOPLE = pd.DataFrame({"SEX": ["F", "M", "F", "F"], "AGE": [20.0, 30.0, 25.0, 21.0]})


def test_all_nine_names_come_with_a_star():
    found: dict = {}
    exec("from Anonymization_Models import *", found)
    assert {name for name in found if not name.startswith("__")} == set(models.__all__)
    assert len(models.__all__) == 9


def test_what_apply_feature_binning_returns_is_a_table_and_more():
    both = models.apply_feature_binning(PEOPLE, {"AGE": [0, 25, 50]})
    with pytest.raises(FaultyInputError, match="pass the first of the two results"):
        models.run_k_anonymity(both, ["AGE"], 2)
    assert models.run_k_anonymity(both[0], ["AGE"], 2).n_risky == 0


@each(
    "call",
    [
        lambda: models.run_k_anonymity(PEOPLE, ["SEXX", "AGE"], 2),
        lambda: models.run_l_diversity(PEOPLE, ["SEX"], "AGES", 2),
        lambda: models.run_t_closeness(PEOPLE, ["SEX"], "AGES", 2),
    ],
)
def test_a_column_that_is_not_there_is_named_with_the_nearest(call):
    with pytest.raises(FaultyInputError, match=r"no such column; did you mean '(SEX|AGE)'"):
        call()


SHARES = ({"a": 0.5, "b": 0.5}, {"a": 1.0})


@each("side", [dict, pd.Series])
def test_two_distributions_are_compared_by_their_shares(side):
    assert models.categorical_distance(side(SHARES[0]), side(SHARES[1])) == 0.5
    assert models.numerical_distance(side({1: 0.25, 3: 0.75}), side({1: 0.75, 3: 0.25})) == 1.0


@pytest.mark.thorough("0.3 s")
@given(st.lists(st.sampled_from("abcd"), min_size=1), st.lists(st.sampled_from("abcd"), min_size=1))
def test_a_distribution_is_as_far_as_the_sample_that_it_is_of(mine, theirs):
    as_shares = [pd.Series(one).value_counts(normalize=True) for one in (mine, theirs)]
    expected = pytest.approx(models.categorical_distance(mine, theirs), abs=1e-12)
    assert models.categorical_distance(*as_shares) == expected
    assert models.categorical_distance(Counter(mine), theirs) == expected
    numbers = [[ord(one) for one in side] for side in (mine, theirs)]
    of_numbers = [pd.Series(one, dtype=int).value_counts(normalize=True) for one in numbers]
    assert models.numerical_distance(*of_numbers) == pytest.approx(models.numerical_distance(*numbers), abs=1e-12)


def test_people_of_whom_one_has_a_one_are_a_sample():
    mine = pd.Series([0.0, 1.0, 0.0], index=[7, 8, 9])
    assert models.categorical_distance(mine, [0, 0, 0, 1]) == pytest.approx(1 / 3 - 1 / 4)


@each("side", [{"a": -0.5, "b": 1.5}, {"a": float("nan")}, {}, {"a": 0}])
def test_shares_that_are_none_are_refused(side):
    with pytest.raises(FaultyInputError):
        models.categorical_distance(side, ["a"])


@each("distance", [models.numerical_distance, models.categorical_distance])
def test_fractions_by_row_number_may_be_either_and_are_refused(distance):
    with pytest.raises(FaultyInputError, match="a list for a sample, a dict for a distribution"):
        distance(pd.Series({0: 0.25, 1: 0.75}), {0: 0.75, 1: 0.25})


def test_the_report_of_three_results_says_their_figures():
    """By hand: classes of 2, 2 and 1; the last holds one value, and its distance is 20 less the mean of 20, 20, 30,
    40, 40 in absolute differences: 0, 0, 10, 20, 20."""
    df = pd.DataFrame({"sex": list("MMFFX"), "age": [20, 40, 30, 40, 20]})
    results = [
        models.run_k_anonymity(df, ["sex"], 2),
        models.run_l_diversity(df, ["sex"], "age", 2),
        models.run_t_closeness(df, ["sex"], "age", 5),
    ]
    assert models.generate_full_privacy_report("WARD", *results).splitlines() == [
        "Privacy report WARD, for the data controller alone",
        "Quasi-identifiers: sex",
        "k-anonymity: at risk where k < 2",
        "  records 5, evaluated 5, at risk 1 (20.0%)",
        "  smallest class: 1",
        "l-diversity of age: at risk where l < 2",
        "  records 5, evaluated 5, at risk 1 (20.0%)",
        "  fewest values in a class: 1",
        "t-closeness of age: at risk where t > 5",
        "  records 5, evaluated 5, at risk 1 (20.0%)",
        "  largest distance of a class: 10",
    ]
    with pytest.raises(FaultyInputError, match="found DataFrame; allowed: the results of run_k_anonymity"):
        models.generate_full_privacy_report(df)
