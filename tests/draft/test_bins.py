"""Drafted bins: edges that a config may have, nobody nearly alone in a bin or tail, and the edges of the field."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from Anonymization_Models import apply_feature_binning
from disclosure_control.basics.encoding.binning import are_edges
from disclosure_control.draft.bins import age_bins, body_mass_bins, people_of_bins, quantile_bins, round_number
from tests.cases import each
from tests.examples import examples

AGES = st.lists(st.integers(0, 110).map(float), min_size=1, max_size=60).map(np.array)
MEASURED = st.lists(
    st.floats(-1e6, 1e6, allow_subnormal=False) | st.sampled_from([0.0, 5.0, 5.5, 100.0]), min_size=1, max_size=60
).map(np.array)
KINDS = {"age": (age_bins, AGES), "body mass index": (body_mass_bins, MEASURED), "any": (quantile_bins, MEASURED)}


@pytest.mark.parametrize("kind", KINDS)
@examples(100)
@given(data=st.data(), at_least=st.integers(1, 12))
def test_every_bin_and_tail_is_empty_or_holds_enough_people(kind, data, at_least):
    draft, numbers = KINDS[kind]
    values = data.draw(numbers)
    edges = draft(values, at_least).value
    assert are_edges(edges)
    n_each = people_of_bins(values, edges)
    assert n_each.sum() == len(values)
    assert all(n == 0 or n >= min(at_least, len(values)) for n in n_each), (edges, n_each)


@pytest.mark.parametrize("kind", KINDS)
@examples(50)
@given(data=st.data(), at_least=st.integers(1, 6), seed=st.randoms(use_true_random=False))
def test_the_order_of_people_makes_no_difference(kind, data, at_least, seed):
    draft, numbers = KINDS[kind]
    values = data.draw(numbers)
    shuffled = values.copy()
    seed.shuffle(shuffled)
    assert draft(values, at_least) == draft(shuffled, at_least)


@examples(200)
@given(AGES, st.integers(2, 6), st.data())
def test_no_edge_tells_how_old_the_oldest_is(ages, at_least, data):
    """Fewer people than make a bin, of 90 years and more: how much more moves no edge."""
    few = data.draw(st.integers(1, at_least - 1))
    ages = ages[ages < 90]
    oldest = st.lists(st.integers(90, 130), min_size=few, max_size=few)
    one, other = (age_bins(np.append(ages, data.draw(oldest)), at_least) for _ in range(2))
    assert one == other


@examples(200)
@given(MEASURED, st.integers(2, 6), st.floats(1, 9))
def test_an_edge_beyond_all_values_is_a_power_of_ten(values, at_least, times):
    """The largest of few people, anywhere between two powers of ten, moves no edge of classes that the field has."""
    few = np.full(at_least - 1, 1e7)
    assert body_mass_bins(np.append(values, few), at_least) == body_mass_bins(np.append(values, times * few), at_least)


def test_the_oldest_of_few_move_no_edge():
    ages = np.random.default_rng(1).integers(20, 90, 300).astype(float)
    found = [age_bins(np.append(ages, [91, 92, 93, 94, oldest]), 5).value for oldest in (90, 95, 104, 113, 129)]
    assert found == [[20, 30, 40, 50, 60, 70, 80, 90, 130]] * 5


@examples(50)
@given(MEASURED, st.integers(1, 6))
def test_people_are_counted_as_door_2_counts_them(values, at_least):
    edges = quantile_bins(values, at_least).value
    binned, _ = apply_feature_binning(pd.DataFrame({"x": values}), {"x": edges})
    n_each = people_of_bins(values, edges)
    assert sorted(binned["x"].value_counts()[lambda n: n > 0]) == sorted(n for n in n_each if n)


def repeated(counts: dict[float, int]) -> np.ndarray:
    return np.repeat(list(counts), list(counts.values())).astype(float)


@each(
    ("people", "edges"),
    [
        ({50: 5, 60: 5, 70: 5, 89: 5}, [50, 60, 70, 80, 130]),
        ({52: 2, 61: 5, 70: 5, 89: 5}, [70, 80, 130]),  # two people in their fifties go with the sixties, in a tail
        ({50: 5, 60: 5, 70: 5, 81: 2}, [50, 60, 70, 130]),  # and two in their eighties with the seventies
        ({50: 5, 60: 2, 70: 5, 80: 5}, [50, 60, 80, 130]),
        ({75: 5, 85: 5, 92: 5, 97: 5, 104: 5}, [70, 80, 90, 130]),  # all from 90 on are one
        ({90: 5, 97: 5}, [0, 130]),
        ({20: 5}, [0, 130]),
        ({20: 2, 61: 2}, [0, 130]),  # too few for two groups
    ],
)
def test_ages_of_adults_by_hand(people, edges):
    assert age_bins(repeated(people), 5).value == edges


@each(
    ("people", "edges"),
    [
        ({2: 5, 8: 5, 15: 5}, [0, 6, 12, 18]),
        ({2: 1, 8: 5, 15: 5}, [12, 18]),
        ({3: 40, 8: 50, 15: 60, 25: 6}, [0, 6, 12, 18]),  # young adults of a children's clinic are a tail
        ({3: 40, 8: 50, 15: 60, 25: 2}, [0, 6, 12]),
        ({3: 40, 8: 50, 12: 60, 25: 2}, [0, 6, 12, 130]),  # above 12 are two
        ({16: 1, 17: 2}, [0, 130]),
    ],
)
def test_ages_of_children_by_hand(people, edges):
    assert age_bins(repeated(people), 5).value == edges


def test_body_mass_index_has_the_edges_of_the_world_health_organization():
    everybody = repeated({17: 5, 20: 5, 27: 5, 32: 5, 37: 5, 45: 5})
    assert body_mass_bins(everybody, 5).value == [18.5, 25, 30, 35, 40]
    assert body_mass_bins(repeated({17: 1, 20: 5, 27: 5, 32: 5, 45: 1}), 5).value == [25, 30]


def test_quantiles_are_round_and_share_people_out():
    values = np.random.default_rng(5).normal(200, 40, 10_000)
    assert quantile_bins(values, 5).value == [165.0, 190.0, 210.0, 235.0]
    assert people_of_bins(values, quantile_bins(values, 5).value).min() > 1_700


def test_many_equal_values_take_a_bin_of_their_own():
    values = repeated({0: 90, 1: 4, 2: 3, 3: 3})
    edges = quantile_bins(values, 5).value
    assert [n for n in people_of_bins(values, edges) if n] in ([90, 10], [100])


@pytest.mark.parametrize(
    ("number", "step", "rounded"), [(5.4321, 0.1, 5.4), (237.0, 5.0, 235.0), (0.30000004, 0.1, 0.3)]
)
def test_rounding(number, step, rounded):
    assert round_number(number, step) == rounded
