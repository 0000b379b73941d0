"""Linkage: properties that hold on any release, figures by hand, and rates."""

import math

import numpy as np
import pandas as pd
import pytest

from disclosure_control.analyses.linkage_attack.linkage import (
    METHODS,
    NOT_IN_PILOT,
    NOT_RELEASED,
    Codebook,
    attack_linkage,
    compare_tables,
)
from disclosure_control.analyses.linkage_attack.rates import AttackRates, Rate
from disclosure_control.remedy.treatments.registry import Reading

KNOWN = {"sex": "sex", "age": "age", "place": "place"}


def some_people(n, seed=1, n_ages=40, n_places=15):
    generator = np.random.default_rng(seed)
    columns = {
        "sex": generator.choice(["F", "M"], n),
        "age": generator.integers(0, n_ages, n).astype(str),
        "place": np.char.add("P", generator.integers(0, n_places, n).astype(str)),
    }
    return pd.DataFrame(columns, dtype="str")


def attacked(released, identified, truth, method="generalised", known=KNOWN):
    return attack_linkage(compare_tables(released, identified, known, method), truth, method)


@pytest.mark.parametrize("method", METHODS)
def test_a_release_that_equals_the_identified_table_gives_everyone_away_who_is_unique(method):
    people = some_people(500)
    attack = attacked(people, people, np.arange(500), method)
    size = people.groupby(list(KNOWN)).sex.transform("size").to_numpy()
    assert attack.claimed.tolist() == (size == 1).tolist()
    assert attack.correct.tolist() == (size == 1).tolist()
    assert 0 < attack.pairs.attack.n_hits < 500
    assert attack.guesses.attack.n_hits == pytest.approx((1 / size).sum(), rel=1e-12)


def test_linkage_report_by_hand():
    """Published method: a pair of sex and postal code that is unique on both sides is a re-identification."""
    identified = pd.DataFrame({"sex": list("FFMMM"), "place": ["1", "2", "1", "1", "3"]})
    released = pd.DataFrame({"sex": list("FFMM"), "place": ["1", "2", "1", "3"]})
    truth = np.array([0, 1, 2, NOT_IN_PILOT, 3])
    attack = attacked(released, identified, truth, "exact", {"sex": "sex", "place": "place"})
    # (M, 1) stands twice in the identified table, so that record is nobody's for certain.
    assert attack.candidate.tolist() == [0, 1, -1, -1, 3]
    assert (attack.pairs.attack.n_hits, attack.pairs.attack.n) == (3, 4)
    assert (attack.pairs.control.n_hits, attack.pairs.control.n) == (0, 1)
    assert attack.pairs.baseline.n_hits == pytest.approx(4 / 4)
    assert attack.guesses.attack.n_hits == 4  # one of them by a record that two people fit


@pytest.mark.thorough("2 s: many draws; one of each kind in the quick run")
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("k", [2, pytest.param(5, marks=pytest.mark.thorough("0.4 s for all"))])
def test_no_guess_beats_one_in_k_where_the_release_is_k_anonymous(method, k):
    """Labels of groups of at least k people, made here by sorting: intervals and sets lie across each other."""
    people = some_people(600, seed=k)
    group = people.assign(number=people.age.astype(int)).sort_values(["number", "place"]).index
    number = np.empty(600, dtype=int)
    number[group] = np.minimum(np.arange(600) // k, 600 // k - 1)
    ages = people.age.astype(int).groupby(number)
    low, high = ages.transform("min"), ages.transform("max")
    released = pd.DataFrame(
        {
            "age": (low.astype(str) + "--" + high.astype(str)).where(low < high, low.astype(str)),
            "sex": people.sex.groupby(number).transform(lambda part: "|".join(sorted(set(part)))),
            "place": people.place.groupby(number).transform(lambda part: "|".join(sorted(set(part)))),
        }
    )
    matching = compare_tables(
        released, people, KNOWN, method, codebook=Codebook(people, dict.fromkeys(KNOWN, Reading.AS_LABEL))
    )
    attack = attack_linkage(matching, np.arange(600), method)
    assert attack.n_candidates[attack.fits].min(initial=600) >= k
    assert attack.pairs.attack.n_hits == 0
    assert attack.guesses.attack.interval[0] <= 1 / k
    if method != "exact":
        assert attack.guesses.attack.n_hits > 0  # the own record is among the candidates


@pytest.mark.parametrize("method", METHODS)
def test_on_independent_data_no_attack_beats_guessing(method):
    n_beaten = 0
    for seed in range(6):
        released, identified = some_people(200, 2 * seed), some_people(200, 2 * seed + 1)
        attack = attacked(released, identified, np.arange(200), method)
        n_beaten += bool(attack.pairs.beats_baseline) + bool(attack.guesses.beats_baseline)
    assert n_beaten <= 2  # of 12; each time by chance at most


def test_people_whose_record_was_removed_are_not_found_and_stay_in_the_denominator():
    people = some_people(100, n_ages=1000)
    released = people.iloc[20:].reset_index(drop=True)
    truth = np.where(np.arange(100) >= 20, np.arange(100) - 20, NOT_RELEASED)
    attack = attacked(released, people, truth, "exact")
    assert (attack.pairs.attack.n_hits, attack.pairs.attack.n) == (80, 100)
    assert attack.pairs.control is None


def test_without_truth_there_are_claims_only():
    people = some_people(100, n_ages=1000)
    attack = attacked(people, people, None, "exact")
    assert (attack.pairs, attack.guesses) == (None, None)
    assert attack.claims.n_hits == 100


@pytest.mark.parametrize("method", METHODS)
def test_people_whose_postal_codes_look_like_intervals_are_found_as_well(method):
    """Polish postal codes: 12-345 is no interval, although most of them would share a number."""
    people = some_people(400, n_places=90)
    people["place"] = [f"{10 + int(place[1:])}-{100 + 3 * int(place[1:])}" for place in people.place]
    others = people.iloc[100:].reset_index(drop=True)  # 100 people of the register are not in the release
    truth = np.where(np.arange(400) >= 100, np.arange(400) - 100, NOT_IN_PILOT)
    attack = attacked(others, people, truth, method)
    size = people.groupby(list(KNOWN)).sex.transform("size").to_numpy()
    is_found = (size == 1) & (truth >= 0)
    assert is_found.sum() > 200
    assert attack.correct.tolist() == is_found.tolist()
    assert attack.pairs.control.n_hits <= 1  # of codes that nobody in the release has


# ---------------------------------------------------------------- with and without the codebook

N = 300
TOWNS = pd.Series([f"town {i % 40}" for i in range(N)], dtype="str")
REGIONS = "region " + pd.Series([i % 40 % 4 for i in range(N)]).astype("str")
PEOPLE = pd.DataFrame({"zip": [f"z{i}" for i in range(N)], "town": TOWNS})


def linked(codebook):
    matching = compare_tables(PEOPLE.assign(town=REGIONS), PEOPLE, {"zip": "zip", "town": "town"}, codebook=codebook)
    return attack_linkage(matching, np.arange(N)).pairs


def test_whom_an_untouched_column_tells_is_found_however_the_others_are_grouped():
    rates = linked(Codebook(PEOPLE, {"town": Reading.BY_VALUE}))
    assert (rates.attack.n_hits, rates.beats_baseline) == (N, True)


def test_labels_that_nobody_reads_give_no_verdict():
    rates = linked(None)
    assert (rates.attack.n_hits, rates.n_unread, rates.beats_baseline) == (0, N, None)


def test_a_no_needs_that_what_was_not_read_could_not_change_it():
    def beats(n_hits, n_unread):
        return AttackRates(Rate(n_hits, 100), Rate(10, 100), None, n_unread).beats_baseline

    assert (beats(10, 0), beats(10, 2), beats(10, 20), beats(40, 20)) == (False, False, None, True)


# ---------------------------------------------------------------- rates


def test_a_verdict_needs_enough_attacks_and_more_than_chance():
    """By hand: 3 hits or more of 10 by chance 0.1."""
    assert AttackRates(Rate(2, 4), Rate(0, 4)).beats_baseline is None
    assert AttackRates(Rate(0, 0), Rate(0, 0)).beats_baseline is None
    found = AttackRates(Rate(3, 10), Rate(1, 10))
    by_hand = 1 - sum(math.comb(10, i) * 0.1**i * 0.9 ** (10 - i) for i in range(3))
    assert found.p_value == pytest.approx(by_hand)
    assert found.beats_baseline is False
    assert AttackRates(Rate(4, 10), Rate(1, 10)).beats_baseline is True
    assert AttackRates(Rate(2.5, 10), Rate(1, 10)).p_value > found.p_value  # half of a hit is none


def test_intervals_are_wilsons():
    """Wilson 1927 as in Newcombe 1998, table I: 81 of 263 gives 0.2553 to 0.3662."""
    low, high = Rate(81, 263).interval
    assert (round(low, 4), round(high, 4)) == (0.2553, 0.3662)
