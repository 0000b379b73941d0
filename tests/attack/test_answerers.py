"""What answerers of many facts find: known formulas among noise, and nothing in noise, at any size."""

from __future__ import annotations

import numpy as np
import pytest

from disclosure_control.attack.answerers import circle, labels, many, ordered, pairs
from disclosure_control.attack.asking import HiddenQuestion, exchanged, intercepts, is_beyond_chance
from disclosure_control.attack.fits import Fits
from disclosure_control.attack.found_again import KnownToAttacker, found_again
from tests.cases import quick
from tests.examples import some_of

N = 300
GENERATOR = np.random.default_rng(5)
MALE = GENERATOR.integers(0, 2, N)
AGE = GENERATOR.integers(30, 80, N).astype(float)
BAND = (AGE // 10).astype(int)
NOISE = np.exp(GENERATOR.normal(3, 0.3, (N, 6)))


def creatinine_and_its_clearance() -> np.ndarray:
    """CKD-EPI 2021: another exponent and another hinge for each sex."""
    creatinine = np.exp(GENERATOR.normal(np.where(MALE, -0.05, -0.35), 0.25)).round(2)
    part, power = creatinine / np.where(MALE, 0.9, 0.7), np.where(MALE, -0.302, -0.241)
    rate = 142 * np.minimum(part, 1) ** power * np.maximum(part, 1) ** -1.2 * 0.9938**AGE * np.where(MALE, 1, 1.012)
    return np.column_stack([creatinine, rate.round(1)])


def fib4() -> np.ndarray:
    ast, alt, platelets = np.exp(GENERATOR.normal([3.2, 3.1, 5.4], [0.4, 0.45, 0.25], (N, 3))).round().T
    return np.column_stack([ast, alt, platelets, (AGE * ast / (platelets * np.sqrt(alt))).round(2)])


def sum_of_items() -> np.ndarray:
    items = GENERATOR.integers(10, 60, (N, 3))
    return np.column_stack([items, AGE + items.sum(axis=1)])


def markers() -> np.ndarray:
    return AGE[:, None] * GENERATOR.uniform(0.5, 1.5, 25) + GENERATOR.normal(0, 8, (N, 25))


def binary_items() -> np.ndarray:
    return (AGE.astype(int)[:, None] >> np.arange(7)) & 1


def body_mass() -> np.ndarray:
    """Of a number in the place of the age, its product with a square: no smooth curves need be added."""
    height = GENERATOR.normal(170, 9, N).round()
    return np.column_stack([height, (AGE * (height / 100) ** 2).round(1)])


def change_and_its_percentage() -> np.ndarray:
    change = GENERATOR.normal(0, 6, N).round(2)
    return np.column_stack([change, (100 * change / AGE).round(3)])


def basal_rate() -> np.ndarray:
    """Harris and Benedict: other weights of weight, height and age for each sex."""
    weight, height = GENERATOR.normal(75, 13, N).round(1), GENERATOR.normal(170, 9, N).round()
    men = 88.362 + 13.397 * weight + 4.799 * height - 5.677 * AGE
    women = 447.593 + 9.247 * weight + 3.098 * height - 4.33 * AGE
    return np.column_stack([weight, height, np.where(MALE, men, women).round()])


def distance() -> np.ndarray:
    one = GENERATOR.integers(0, 120, N)
    return np.column_stack([one, one + AGE * GENERATOR.choice([-1, 1], N)])


RELATIONS = {
    body_mass: (pairs.ANSWERER, 80),
    creatinine_and_its_clearance: (pairs.ANSWERER, 45),
    distance: (ordered.ANSWERER, 60),
    fib4: (many.ANSWERER, 80),
    change_and_its_percentage: (pairs.ANSWERER, 40),
    basal_rate: (many.ANSWERER, 60),
    sum_of_items: (many.ANSWERER, 80),
    markers: (many.ANSWERER, 20),
    binary_items: (many.ANSWERER, 80),
}


@pytest.mark.thorough("0.3 s")
@pytest.mark.parametrize("made", quick(4, list(RELATIONS), "0.3 s"))
def test_a_relation_of_many_facts_finds_people_again(made):
    answerer, least = RELATIONS[made]
    question = HiddenQuestion(exchanged(AGE, BAND, np.ones(N, dtype=bool)), MALE)
    fits = Fits(np.column_stack([NOISE, made()]), intercepts([BAND, MALE]))
    guess = answerer.answer(fits, question)
    assert is_beyond_chance(guess.strength, 10)
    known = KnownToAttacker(BAND * 2 + MALE, np.ones(N, dtype=bool), 1.0, 5)
    found = found_again(guess.guessed, AGE, many.out_of_fold(fits, AGE[:, None])[:, 0], known)
    assert found.is_more(10)
    assert found.found >= least > 2 * found.found_by_class


def test_a_score_and_the_density_that_it_is_made_of_give_the_sex():
    density = GENERATOR.normal(np.where(MALE, 1.0, 0.95), 0.12).round(3)
    score = ((density - np.where(MALE, 0.94, 0.86)) / np.where(MALE, 0.14, 0.11)).round(1)
    fits = Fits(np.column_stack([NOISE, density, score]), np.ones((N, 1)))
    values = exchanged(MALE.astype(float), np.zeros(N, dtype=int), np.ones(N, dtype=bool))
    guess = labels.BY_TWO.answer(fits, HiddenQuestion(values, np.zeros(N, dtype=int)))
    assert is_beyond_chance(guess.strength, 10)
    assert ((guess.guessed > 0.5) == MALE).mean() > 0.98


def test_the_factor_between_two_units_gives_the_site():
    site = GENERATOR.integers(0, 3, N)
    one = GENERATOR.normal(5.5, 0.8, N).round(3)
    other = (one * np.array([18.0, 18.04, 18.16])[site]).round(2)
    fits = Fits(np.column_stack([NOISE, one, other]), np.ones((N, 1)))
    for which in range(2):
        values = exchanged((site == which) * 1.0, np.zeros(N, dtype=int), np.ones(N, dtype=bool))
        guess = ordered.ANSWERER.answer(fits, HiddenQuestion(values, np.zeros(N, dtype=int)))
        assert is_beyond_chance(guess.strength, 10)
        assert ((guess.guessed > 0.5) == (site == which)).mean() > 0.95


def test_two_facts_that_nobody_has_together_guess_nothing():
    """Half of the people have the one, half the other: it ended the run."""
    one, values = np.arange(N, dtype=float), exchanged(np.arange(N) % 7 + 1.0, np.zeros(N, dtype=int), np.ones(N, bool))
    facts = np.column_stack([np.where(one < N / 2, one, np.nan), np.where(one < N / 2, np.nan, one)])
    guess = pairs.ANSWERER.answer(Fits(facts, np.ones((N, 1))), HiddenQuestion(values, np.zeros(N, dtype=int)))
    assert np.isnan(guess.guessed).all()


def test_no_own_value_is_in_the_guess_by_an_order():
    """Before, the first and the last in an order were their own neighbours."""
    values = np.zeros((N, 1))
    one = np.arange(N, dtype=float)
    for person in (0, 1, N - 1):
        values[:] = 0.0
        values[person] = 1.0
        fits = Fits(np.column_stack([one, one * 0 + 1]), np.ones((N, 1)))
        guess = ordered.ANSWERER.answer(fits, HiddenQuestion(values, np.zeros(N, dtype=int)))
        assert guess.guessed[person] == 0


def test_two_facts_that_repeat_themselves_with_the_seasons_give_the_day_of_the_year():
    day = GENERATOR.integers(0, 366, N).astype(float)
    angle = day * 2 * np.pi / 366
    warmth, light = 12 + 10 * np.cos(angle), 60 + 25 * np.sin(angle)
    facts = np.column_stack([NOISE, warmth + GENERATOR.normal(0, 0.4, N), light + GENERATOR.normal(0, 1, N)])
    question = HiddenQuestion(exchanged(day, np.zeros(N, dtype=int), np.ones(N, dtype=bool)), MALE)
    guess = circle.around(many.ANSWERER).answer(Fits(facts, np.ones((N, 1))), question)
    assert is_beyond_chance(guess.strength, 10)
    assert np.median(np.abs(guess.guessed - day)) < 3


@pytest.mark.thorough("0.4 s")
@pytest.mark.parametrize("n", some_of([60, 100, 1000, 300]))
def test_noise_tells_nothing(n):
    """Neither of the age within its bands, nor of the sex; centring is learnt in each part from the other people."""
    generator = np.random.default_rng(n)
    age, male = generator.integers(30, 80, n).astype(float), generator.integers(0, 2, n)
    band, everybody = (age // 10).astype(int), np.ones(n, dtype=bool)
    facts = np.where(generator.random((n, 40)) < 0.1, np.nan, np.exp(generator.normal(3, 0.3, (n, 40))))
    asked = [
        (answerer, exchanged(age, band, everybody), intercepts([band, male]), male)
        for answerer in (pairs.ANSWERER, many.ANSWERER, ordered.ANSWERER)
    ] + [
        (answerer, exchanged(male * 1.0, 0 * male, everybody), np.ones((n, 1)), 0 * male)
        for answerer in (labels.BY_TWO, labels.BY_MANY, ordered.ANSWERER)
    ]
    for answerer, values, given, groups in asked:
        guess = answerer.answer(Fits(facts, given), HiddenQuestion(values, groups))
        assert not is_beyond_chance(guess.strength, 10), answerer.name


def test_who_is_found_at_the_first_attempt():
    """Two classes: in the first each own guess is nearest, in the second all guesses are alike."""
    value = np.array([1.0, 2.0, 3.0, 5.0, 6.0])
    guessed = np.array([1.1, 2.1, 2.9, 5.0, 5.0])
    known = KnownToAttacker(np.array([0, 0, 0, 1, 1]), np.ones(5, dtype=bool), 1.0, 2)
    found = found_again(guessed, value, np.zeros(5), known)
    assert (found.found, found.found_by_class) == (4.0, 2.0)
    assert found.below_k == 3, "in the first class only one guess is as near to a value as guesses are"


def test_of_fewer_people_than_facts_the_penalised_models_are_those_of_the_definition():
    """Ridge regression by its normal equations, part by part."""
    generator = np.random.default_rng(3)
    facts, values = generator.normal(size=(30, 80)), generator.normal(size=(30, 2))
    fits = Fits(facts, np.ones((30, 1)))
    (first, *_) = many._penalised(fits.plain_parts, values)
    for part in fits.plain_parts:
        x, mean = part.z[~part.out], values[~part.out].mean(axis=0)
        penalty = many.PENALTIES[0] * np.trace(x.T @ x) / 80
        weights = np.linalg.solve(x.T @ x + penalty * np.eye(80), x.T @ (values[~part.out] - mean))
        np.testing.assert_allclose(first[part.out], mean + part.z[part.out] @ weights, atol=1e-8)
