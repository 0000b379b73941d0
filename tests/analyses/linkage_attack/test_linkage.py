"""Linkage: properties that hold on any release, figures by hand, scores against a referee, and rates."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disclosure_control.analyses.linkage_attack.codebook import Codebook
from disclosure_control.analyses.linkage_attack.linkage import (
    METHODS,
    NOT_IN_PILOT,
    NOT_RELEASED,
    attack_linkage,
    compare_tables,
    success_by_knowledge,
)
from disclosure_control.analyses.linkage_attack.rates import AttackRates, Rate
from tests.examples import examples

KNOWN = {"sex": "sex", "age": "age", "place": "place"}


def some_people(n, seed=1, n_ages=40, n_places=15):
    generator = np.random.default_rng(seed)
    columns = {
        "sex": generator.choice(["F", "M"], n),
        "age": generator.integers(0, n_ages, n).astype(str),
        "place": np.char.add("P", generator.integers(0, n_places, n).astype(str)),
    }
    return pd.DataFrame(columns, dtype="str")


def attacked(released, identified, truth, method="generalised", known=KNOWN, **options):
    return attack_linkage(compare_tables(released, identified, known, method), truth, method, **options)


@pytest.mark.parametrize("method", ["exact", "generalised"])
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
    assert attack.found.candidate.tolist() == [0, 1, -1, -1, 3]
    assert (attack.pairs.attack.n_hits, attack.pairs.attack.n) == (3, 4)
    assert (attack.pairs.control.n_hits, attack.pairs.control.n) == (0, 1)
    assert attack.pairs.baseline.n_hits == pytest.approx(4 / 4)
    assert attack.chance.tolist() == [1, 1, 1, 0, 1]


@pytest.mark.thorough("2 s: many draws; one of each kind in the quick run")
@pytest.mark.parametrize("method", list(METHODS))
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
    matching = compare_tables(released, people, KNOWN, method, codebook=Codebook(people))
    attack = attack_linkage(matching, np.arange(600), method)
    assert attack.chance.max() <= 1 / k + 1e-12
    assert attack.pairs.attack.n_hits == 0
    assert attack.guesses.attack.interval[0] <= 1 / k
    if method != "exact":
        assert attack.guesses.attack.n_hits > 0  # the own record is among the candidates


@pytest.mark.parametrize("method", list(METHODS))
def test_on_independent_data_no_attack_beats_guessing(method):
    n_beaten = 0
    for seed in range(6):
        released, identified = some_people(200, 2 * seed), some_people(200, 2 * seed + 1)
        attack = attacked(released, identified, np.arange(200), method)
        n_beaten += bool(attack.pairs.beats_baseline) + bool(attack.guesses.beats_baseline)
    assert n_beaten <= 2  # of 12; each time by chance at most


@pytest.mark.parametrize("method", list(METHODS))
def test_the_order_of_rows_does_not_matter(method):
    people = some_people(300)
    released = people.iloc[:200].reset_index(drop=True)
    released.loc[:10, "age"] = "5--25"
    truth = np.where(np.arange(300) < 200, np.arange(300), NOT_IN_PILOT)
    attack = attacked(released, people, truth, method)
    generator = np.random.default_rng(3)
    mine, theirs = generator.permutation(300), generator.permutation(200)
    place = np.empty(200, dtype=int)
    place[theirs] = np.arange(200)
    moved_truth = np.where(truth[mine] >= 0, place[np.maximum(truth[mine], 0)], truth[mine])
    moved = attacked(released.iloc[theirs].set_axis(generator.permutation(200)), people.iloc[mine], moved_truth, method)
    assert moved.pairs == attack.pairs
    assert moved.guesses.attack.n_hits == attack.guesses.attack.n_hits
    candidate = attack.found.candidate[mine]
    assert moved.found.candidate.tolist() == np.where(candidate >= 0, place[np.maximum(candidate, 0)], -1).tolist()
    assert moved.claimed.sum() > 0


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
    assert (attack.pairs, attack.guesses, attack.correct) == (None, None, None)
    assert attack.claims.n_hits == 100


def test_success_by_how_much_is_known_never_falls_for_the_best_set_of_a_unique_release():
    people = some_people(400)
    levels, said = success_by_knowledge(compare_tables(people, people, KNOWN), np.arange(400), "generalised")
    assert [(level.n_attributes, level.n_sets) for level in levels] == [(1, 3), (2, 3), (3, 1)]
    assert levels[0].best_rate <= levels[1].best_rate <= levels[2].best_rate
    for level in levels:
        for names in itertools.combinations(KNOWN, level.n_attributes):
            size = people.groupby(list(names)).sex.transform("size")
            assert (size == 1).mean() <= level.best_rate
    assert said == ""


def test_of_many_sets_those_that_were_not_tried_are_counted():
    people = pd.DataFrame({f"c{i}": np.random.default_rng(i).choice(list("ab"), 50) for i in range(9)})
    levels, said = success_by_knowledge(
        compare_tables(people, people, dict(zip(people, people, strict=True))), None, "exact"
    )
    n_tried = sum(level.n_sets for level in levels)
    assert said.startswith(f"{2**9 - 1 - n_tried} of {2**9 - 1} sets")
    assert levels[-1].n_attributes == 9


@pytest.mark.parametrize("method", ["exact", "generalised"])
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


@pytest.mark.parametrize("method", list(METHODS))
def test_nobody_is_named_for_whom_another_of_the_register_fits_as_well(method):
    """Of the control group nobody is, because each is like somebody in the pilot."""
    people = some_people(400, n_ages=60, n_places=12)
    people = pd.concat([people, people.iloc[:100]], ignore_index=True)
    truth = np.where(np.arange(500) < 400, np.arange(500), NOT_IN_PILOT)
    attack = attacked(people.iloc[:400], people, truth, method)
    assert (attack.pairs.control.n_hits, attack.pairs.control.n) == (0, 100)
    assert not attack.claimed[:100].any()
    assert attack.pairs.attack.n_hits > 0


# ---------------------------------------------------------------- scores


def referee_best(released, known, agreement_rate):
    """Fellegi and Sunter's weights pair by pair."""
    results = []
    for person in known:
        scores = []
        for record in released:
            score = 0.0
            for i, value in enumerate(person):
                if value is None:
                    continue
                fits = [one[i] is None or one[i] == value for one in released]
                u = min(sum(fits) / len(released), agreement_rate)
                mine = record[i] is None or record[i] == value
                score += math.log2(agreement_rate / u) if mine else math.log2((1 - agreement_rate) / (1 - u))
            scores.append(score)
        best = max(scores)
        results.append((best, [j for j, score in enumerate(scores) if score > best - 1e-6]))
    return results


cells = st.tuples(
    st.sampled_from(["a", "b", None]), st.sampled_from(["1", "2", "3"]), st.sampled_from(["x", "y", None])
)


@examples(100)
@given(st.lists(cells, min_size=1, max_size=9), st.lists(cells, min_size=1, max_size=9))
def test_scores_and_best_records_are_those_of_a_slow_referee(released, known):
    frames = [pd.DataFrame(side, columns=list(KNOWN), dtype="str") for side in (released, known)]
    found = attacked(*frames, None, "probabilistic", agreement_rate=0.9, threshold=1e-9).found
    for i, (best, records) in enumerate(referee_best(released, known, 0.9)):
        assert found.score[i] == pytest.approx(best, abs=1e-6)
        assert found.n_candidates[i] == len(records)
        odds = 2**best / len(released)
        assert found.probability[i] == pytest.approx(odds / (1 + odds))
        if found.candidate[i] >= 0:
            assert records == [found.candidate[i]]


def test_a_typing_error_hides_nobody_from_scores():
    people = some_people(300, n_ages=90, n_places=200)
    released = people.copy()
    released.loc[:99, "age"] = "999"
    exact = attacked(released, people, np.arange(300), "exact").pairs.attack.n_hits
    scored = attacked(released, people, np.arange(300), "probabilistic", threshold=0.01)
    assert exact < 200 < scored.pairs.attack.n_hits
    assert scored.correct[:100].sum() > 0


# ---------------------------------------------------------------- rates


def test_excess_is_what_is_gained_above_guessing_and_control():
    rates = AttackRates(Rate(60, 100), Rate(20, 100), Rate(10, 50))
    assert rates.excess_rate == pytest.approx((0.6 - 0.2) / 0.8)
    assert rates.beats_baseline is True
    assert AttackRates(Rate(10, 100), Rate(20, 100)).excess_rate == 0
    assert AttackRates(Rate(0, 0), Rate(0, 0)).attack.rate is None
    assert AttackRates(Rate(22, 100), Rate(20, 100)).beats_baseline is False


def test_a_verdict_needs_enough_attacks_and_more_than_chance():
    """By hand: all 5 hits on one side of 10 and 10 attacks, C(10, 5) / C(20, 5); 3 hits or more of 10 by chance 0.1."""
    assert AttackRates(Rate(2, 4), Rate(0, 4)).beats_baseline is None
    found = AttackRates(Rate(5, 10), Rate(0, 10))
    assert found.p_value == pytest.approx(252 / 15504)
    assert found.beats_baseline is True
    known = AttackRates(Rate(3, 10), Rate(1, 10), baseline_is_known=True)
    by_hand = 1 - sum(math.comb(10, i) * 0.1**i * 0.9 ** (10 - i) for i in range(3))
    assert known.p_value == pytest.approx(by_hand)
    assert known.beats_baseline is False
    # Half of a hit is no hit of the attack, and a whole one of guessing.
    assert AttackRates(Rate(2.5, 10), Rate(1, 10), baseline_is_known=True).p_value > known.p_value
    assert AttackRates(Rate(5, 10), Rate(0.5, 10)).p_value > found.p_value


@pytest.mark.thorough("0.5 s; attacks on independent data are in the quick run")
def test_verdicts_of_chance_alone_are_wrong_in_one_of_twenty_at_most():
    generator = np.random.default_rng(6)
    for chance in (0.02, 0.2, 0.6):
        hits = generator.binomial(200, chance, (500, 2)).tolist()
        counted = [AttackRates(Rate(one, 200), Rate(other, 200)).beats_baseline for one, other in hits]
        known = [AttackRates(Rate(one, 200), Rate(200 * chance, 200), None, True).beats_baseline for one, _ in hits]
        assert 0 < sum(counted) <= 25
        assert 0 < sum(known) <= 35  # 25 expected at most


def test_intervals_are_wilsons():
    """Wilson 1927 as in Newcombe 1998, table I: 81 of 263 gives 0.2553 to 0.3662."""
    low, high = Rate(81, 263).interval
    assert (round(low, 4), round(high, 4)) == (0.2553, 0.3662)
