"""What each way to guess finds of made people, by which facts and how strongly: as it is kept."""

from __future__ import annotations

import numpy as np
import pytest

from disclosure_control.attack.answerers.others import HiddenOfPeople, log_arrangements
from disclosure_control.attack.asking import HiddenQuestion, exchanged, intercepts, is_beyond_chance
from disclosure_control.attack.fits import Fits
from disclosure_control.attack.search import OF_DAYS_OF_THE_YEAR, OF_LABELS, OF_NUMBERS
from tests.kept import changed_since_kept

N = 90


def made_facts(draw: np.random.Generator, sex: np.ndarray, age: np.ndarray) -> dict[str, np.ndarray]:
    """Facts of people by the formulas that answerers know, beside noise."""
    noise = np.exp(draw.normal(3, 0.3, (N, 4)))
    two = np.column_stack([noise[:, 0], age * noise[:, 0] / 10])
    gaps = np.where(draw.random((N, 2)) < 0.1, np.nan, noise[:, :2] + 3 * sex[:, None])
    around = np.column_stack([np.sin(age / 50 * 2 * np.pi), np.cos(age / 50 * 2 * np.pi)])
    many = age[:, None] * draw.uniform(0.5, 1.5, 12) + draw.normal(0, 5, (N, 12))
    return {
        "noise": noise,
        "a ratio": np.column_stack([two, noise[:, 1]]),
        "gaps": gaps,
        "a season": np.column_stack([around, noise]),
        "many": np.column_stack([many, sex + draw.normal(0, 0.4, N)]),
        "one": age[:, None] + draw.integers(0, 2, (N, 1)),
        "bits": (age.astype(int)[:, None] >> np.arange(6)) & 1,
        "a curve of each sex": np.column_stack([np.where(sex, age**2, 1e4 / age), noise[:, 2]]),
    }


@pytest.mark.parametrize("answerers", [OF_NUMBERS, OF_LABELS, OF_DAYS_OF_THE_YEAR])
def test_what_each_answerer_guesses(answerers):
    draw, found = np.random.default_rng(6), {}
    sex, age = draw.integers(0, 2, N), draw.integers(20, 80, N).astype(float)
    given, asked = intercepts([(age // 20).astype(int), np.where(np.arange(N) < 9, 1, 0)]), np.arange(N) % 4 > 0
    value = sex.astype(float) if answerers is OF_LABELS else age
    for name, facts in made_facts(draw, sex, age).items():
        if answerers is OF_DAYS_OF_THE_YEAR and name not in ("a season", "many"):
            continue
        values = exchanged(value, (age // 20).astype(int), asked)[:, :4]
        fits, question = Fits(facts.astype(float), given), HiddenQuestion(values, sex)
        for answerer in answerers:
            guess = answerer.answer(fits, question)
            if guess is not None:
                found[f"{name}, {answerer.name}"] = {
                    "by": guess.by,
                    "guessed": np.round(np.asarray(guess.guessed, dtype=float), 3),
                    "strength": np.round(guess.strength[:3], 4),
                    "beyond": [is_beyond_chance(guess.strength, n) for n in (1, 50)],
                }
    name = {OF_NUMBERS: "numbers", OF_LABELS: "labels", OF_DAYS_OF_THE_YEAR: "days"}[answerers]
    assert changed_since_kept(f"answerers_of_{name}", found) == {}


def test_who_is_told_by_the_others_of_a_level():
    draw, found = np.random.default_rng(9), {}
    for case in range(30):
        n, n_values = 8 + 2 * (case % 5), 2 + case % 3
        value, level = draw.integers(0, n_values, n), draw.integers(0, 6, n)
        level = np.where(draw.random(n) < 0.7, value + case % 2, level)
        level = np.argsort(np.argsort(value * 10 + draw.integers(0, 3, n))) + 1 if case % 6 == 5 else level
        released, asked = draw.integers(0, 2, n), draw.random(n) < 0.9
        chance, log = np.full(n, 0.2 + 0.1 * (case % 4)), log_arrangements(value[asked], released[asked])
        for tolerance in (None, 1.0):
            hidden = HiddenOfPeople(
                np.arange(n), value if tolerance is None else value * 1.5, tolerance, asked, chance, log
            )
            who = [hidden.told_by(level, most, is_ordered=is_ordered) for most in (0.0, -3.0) for is_ordered in (0, 1)]
            told = ["".join(map(str, one.astype(int))) for one in who]
            found[f"{case} {tolerance}"] = [*told, hidden.can_be_told(-4.0), round(log, 6)]
    assert changed_since_kept("told_by_others", found) == {}
