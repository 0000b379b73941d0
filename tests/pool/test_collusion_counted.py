"""What two of five hospitals can learn, counted on 8,000 invented people: the figures that docs/pool.md gives."""

from __future__ import annotations

import itertools
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from config.model_settings import validate_config
from disclosure_control.assess.assessment import assess
from disclosure_control.pooling.answer import class_sizes
from tests.places import PROJECT
from tests.pool.nodes import FIVE

PAGE = " ".join((PROJECT / "docs" / "pool.md").read_text(encoding="utf-8").split())
N_PEOPLE, K = 8_000, 5


@pytest.fixture(scope="module")
def sizes() -> pd.DataFrame:
    """People by class of sex, region, age in fives and BMI in fives, and by hospital: most are from regions near by."""
    chance = np.random.default_rng(27)
    hospital = chance.integers(0, 5, N_PEOPLE)
    near = (hospital * 3 + chance.geometric(0.3, N_PEOPLE)) % 13
    columns = {
        "sex": chance.integers(0, 2, N_PEOPLE),
        "region": np.where(chance.random(N_PEOPLE) < 0.7, near, chance.integers(0, 13, N_PEOPLE)),
        "age": np.clip(chance.normal(55, 18, N_PEOPLE), 18, 95) // 5,
        "bmi": np.clip(chance.normal(26, 5, N_PEOPLE), 15, 45) // 5,
        "hospital": hospital,
    }
    found = pd.DataFrame(columns).groupby(["sex", "region", "age", "bmi", "hospital"]).size()
    return found.unstack("hospital", fill_value=0)


def at_risk(sizes: pd.DataFrame, by: pd.Series) -> int:
    """People in classes below K by these counts."""
    return int(sizes.sum(axis=1)[by < K].sum())


def test_home_and_pool(sizes):
    pool = sizes.sum(axis=1)
    home = sum(int(sizes.loc[sizes[one] < K, one].sum()) for one in range(len(FIVE)))
    words = f"By their own counts {home:,} of {N_PEOPLE:,} people ({home / N_PEOPLE:.1%}) are below K = 5"
    assert words in PAGE
    of_pool = at_risk(sizes, pool)
    assert f"by those of the pool {of_pool:,} ({of_pool / N_PEOPLE:.1%})" in PAGE


def test_two_hospitals_without_the_party_that_sums(sizes):
    """They know the flags of the classes in which one of them has people, and of no other."""
    n_classes = len(sizes)
    known = max(int((sizes[list(pair)].sum(axis=1) > 0).sum()) for pair in itertools.combinations(range(5), 2))
    one = max(int((sizes[single] > 0).sum()) for single in range(5))
    assert (
        f"one alone reads the flags of up to {one:,} of {n_classes:,} occupied classes, two together of up to {known:,}"
        in PAGE
    )


def test_a_size_that_follows_from_flag_histogram_and_own_count(sizes):
    """For every class of a hospital: the sizes that occur, from its own count on, on the flag's side of K."""
    pool = sizes.sum(axis=1).to_numpy()
    people = pd.DataFrame({"Q": np.arange(len(pool)).repeat(pool).astype(str)})
    literal = {"categorical_qis": ["Q"], "continuous_qis": [], "sensitive_feature": [], "K": K, "binning_config": {}}
    bars = class_sizes(SimpleNamespace(assessment=assess(people, validate_config(literal))))
    told = [(bar["from"], bar["to"] or N_PEOPLE) for bar in bars if bar["people"]]
    occur = np.concatenate([np.arange(first, last + 1) for first, last in told])
    followed = []
    for one in range(len(FIVE)):
        has_people = sizes[one].to_numpy() > 0
        own, of_pool = sizes[one].to_numpy()[has_people], pool[has_people]
        fits = (occur >= own[:, None]) & ((occur < K) == (of_pool < K)[:, None])
        followed.append((int((fits.sum(axis=1) == 1).sum()), len(own)))
    alone, n_classes = max(followed)
    assert f"one alone of up to {alone:,} of {n_classes:,} classes" in PAGE


def test_two_hospitals_with_the_party_that_sums(sizes):
    """They know the sum of the other three, and so who is alone there; a class of n has (n + 2 over 2) divisions."""
    known = []
    for pair in itertools.combinations(range(5), 2):
        rest = sizes.drop(columns=list(pair)).sum(axis=1)
        known.append((int((rest == 1).sum()), int(rest.sum())))
    alone, people = max(known)
    assert f"up to {alone:,} of {people:,} people are then known to be alone among the other three" in PAGE
