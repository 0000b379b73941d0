"""Levels that disclose a hidden value: compared with a slow count over each level, and with exchanged people."""

from __future__ import annotations

import math
from statistics import median

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disclosure_control.attack.answerers.levels import (
    LEAST_SUPPORT,
    LEFT,
    PURE,
    LevelMembers,
    LevelsOfSummaries,
    RankedPeople,
    away_from_others,
    chance_within,
    told_by_membership,
    told_by_neighbours,
    told_by_the_known,
    told_near_median,
)
from disclosure_control.identifiers.chance import log_luck


@given(n=st.integers(1, 60), chance=st.floats(0.01, 0.9), share=st.floats(0, 1))
def test_the_bound_of_chance_is_above_the_binomial_tail(n, chance, share):
    k = round(share * n)
    tail = sum(math.comb(n, i) * chance**i * (1 - chance) ** (n - i) for i in range(k, n + 1))
    bound = float(log_luck(np.array([k]), np.array([n]), np.array([chance]))[0])
    assert bound >= math.log(tail) - 1e-9
    if k == n:
        assert bound == pytest.approx(n * math.log(chance))


def slowly(members, label, released, asked, most, is_out):
    """Who is told by being in a level, or out of it, level by level."""
    told = set()
    people = [p for p in range(len(label)) if asked[p]]
    for level in range(members.n_levels):
        inside = {int(p) for one, p in zip(members.level, members.person, strict=True) if one == level}
        group = [p for p in people if (p in inside) != is_out]
        if len(group) < LEAST_SUPPORT or (is_out and len(group) == len(people)):
            continue
        labels = [int(label[p]) for p in group]
        best = min(set(labels), key=lambda one: (-labels.count(one), one))
        n_best, n = labels.count(best), len(group)
        chances = []
        for p in group:
            alike = [q for q in people if released[q] == released[p]]
            chances.append(sum(label[q] == best for q in alike) / len(alike))
        chance = sum(chances) / n
        if n_best < PURE * n or chance >= PURE or 1 - n_best / n > LEFT * (1 - chance):
            continue
        hit = n_best / n * math.log(n_best / n / chance)
        missed = 0 if n_best == n else (1 - n_best / n) * math.log((1 - n_best / n) / (1 - chance))
        if -n * (hit + missed) <= most:
            told |= {(level, p) for p in group if label[p] == best}
    return told


@st.composite
def memberships(draw):
    n, n_levels = draw(st.integers(1, 40)), draw(st.integers(1, 4))
    label = np.array(draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
    released = np.array(draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)))
    asked = np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    likely = draw(st.booleans())  # levels that go with the label, or any
    pairs = {
        (level, p)
        for level in range(n_levels)
        for p in range(n)
        if (draw(st.booleans()) if not likely else label[p] == level and draw(st.integers(0, 9)) > 0)
    }
    level, person = np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2).T
    return LevelMembers(level, person, n_levels), label, released, asked


@given(given_=memberships(), most=st.floats(-12, -0.5))
def test_levels_that_tell_are_those_of_a_slow_count(given_, most):
    members, label, released, asked = given_
    inside, outside = told_by_membership(members, label, released, asked, most)
    for found, is_out in ((inside, False), (outside, True)):
        pairs = set(zip(found.by.tolist(), found.person.tolist(), strict=True))
        assert pairs == slowly(members, label, released, asked, most, is_out)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 20)), min_size=1, max_size=30), st.integers(0, 4))
def test_nobody_who_guesses_by_the_released_value_is_right_more_often(people, tolerance):
    released, number = np.array(people).T
    for p, share in enumerate(chance_within(number.astype(float), released, float(tolerance))):
        alike = number[released == released[p]]
        best = max(sum(abs(alike - guess / 2) <= tolerance) for guess in range(-10, 60))
        assert share == pytest.approx(best / len(alike))


def ranked_by(*columns) -> RankedPeople:
    n = len(columns[0])
    return RankedPeople(
        np.concatenate([np.argsort(one, kind="stable") for one in columns]), np.arange(0, 99 * n, n)[: len(columns) + 1]
    )


def test_a_rising_and_a_falling_number_tell_within_a_tolerance():
    hidden = np.random.default_rng(1).normal(75, 12, 200)
    unrelated = np.random.default_rng(2).normal(0, 1, 200)
    ranked, chance = ranked_by(hidden**3, -hidden, unrelated), np.full(200, 0.15)
    told = told_by_neighbours(ranked, hidden, 3.0, chance, np.ones(200, dtype=bool), -20)
    assert set(told.by.tolist()) == {0, 1}
    assert np.bincount(told.by, minlength=3)[:2].min() >= 185


def test_levels_of_people_with_close_numbers_tell_within_a_tolerance():
    number = np.array([70.0] * 20 + list(np.linspace(40, 120, 80)))
    level = np.array([0] * 20 + [1] * 80)
    members = LevelMembers(level, np.arange(100), 2)
    asked, chance = np.ones(100, dtype=bool), np.full(100, 0.3)
    told = told_near_median(members, number, 1.0, chance, asked, -10)
    assert told.person.tolist() == list(range(20))
    assert len(told_near_median(members, number, 1.0, chance, asked, -13).person) == 0  # 10 times log 0.3 is -12.04


def test_people_who_kept_their_value_teach_that_of_those_who_lost_it():
    """Of each of twenty towns two people lost theirs, and the clinic is that of the others of the town."""
    town = np.repeat(np.arange(20), 20)
    known = np.arange(400) % 20 >= 2
    members, nothing = LevelMembers(town, np.arange(400), 20), np.zeros(400, dtype=np.int64)
    told = told_by_the_known(members, np.zeros(20, np.int64), town, nothing, ~known, known, -10)
    assert sorted(told.person) == np.flatnonzero(~known).tolist()
    exchanged = np.random.default_rng(1).permutation(town)
    told = told_by_the_known(members, np.zeros(20, np.int64), exchanged, nothing, ~known, known, -10)
    assert len(told.person) == 0


@pytest.mark.thorough("0.5 s")
def test_under_exchanged_people_hardly_any_search_finds_a_level():
    """Two hundred searches of 500 levels each, by the bound that a release uses: at most a few in a hundred."""
    generator = np.random.default_rng(7)
    n, n_levels = 120, 500
    pairs = np.unique(generator.integers(0, n * n_levels, 9_000))
    members = LevelMembers(pairs // n, pairs % n, n_levels)
    asked, nothing = np.ones(n, dtype=bool), np.zeros(n, dtype=np.int64)
    label = np.repeat([0, 1, 2], [60, 50, 10])
    number = generator.normal(75, 12, n)
    ranked = ranked_by(*generator.normal(size=(50, n)))
    chance = chance_within(number, nothing, 2.5)
    together = LevelsOfSummaries(np.arange(n_levels) // 10, np.full(50, 5.0))
    n_found = 0
    most = math.log(0.01 / (2 * n_levels + 50 * 8))
    for _ in range(200):
        exchanged = generator.permutation(label)
        inside, outside = told_by_membership(members, exchanged, nothing, asked, most, together)
        order = generator.permutation(n)
        near = told_near_median(members, number[order], 2.5, chance[order], asked, most, together)
        beside = told_by_neighbours(ranked, number[order], 2.5, chance[order], asked, most)
        n_found += any(len(one.person) for one in (inside, outside, near, beside))
    assert n_found <= 6


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(-9, 9)), max_size=12))
def test_the_distance_from_the_median_of_the_others_as_a_slow_referee_has_it(people):
    level, number = np.array(people, dtype=float).reshape(-1, 2).T
    others = [
        [x for j, (other, x) in enumerate(people) if j != i and other == one] for i, (one, _) in enumerate(people)
    ]
    expected = [abs(own - median(of)) if of else math.inf for (_, own), of in zip(people, others, strict=True)]
    assert away_from_others(level.astype(int), number).tolist() == expected
