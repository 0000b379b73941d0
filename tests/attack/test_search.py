"""The attack by many facts together: each answer beside its own chance, and no "nothing found" where nobody asked."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from config.model_settings import validate_config
from disclosure_control.assess.assessment import assess
from disclosure_control.attack import search
from disclosure_control.attack.answerers import labels
from disclosure_control.attack.asking import Answerer, Guess
from disclosure_control.attack.attacked import BY_LUCK, TOO_SMALL
from disclosure_control.attack.leaving import Leaving
from disclosure_control.attack.tells.hidden_columns import HiddenColumn, PeopleAsked
from disclosure_control.basics.telling.small_counts import EXACT
from disclosure_control.remedy.treatments.treat import treat
from disclosure_control.steps import READERS

N = 160
SEX = np.where(np.arange(N) % 2, "F", "M")
CONFIG = {
    "categorical_qis": ["sex", "city"],
    "continuous_qis": [],
    "binning_config": {},
    "sensitive_feature": ["ill"],
    "sensitive_binning_config_for_L": {},
    "K": 5,
    "L": 2,
    "T": 0.9,
}


def leaving_of(people: dict, *dropped: str) -> tuple[Leaving, pd.DataFrame]:
    """What leaves of these columns without those that are ``dropped``, and all of them."""
    frame = pd.DataFrame({"city": "x", "ill": "no", **people}, range(N)).set_index(
        pd.Index([f"S{i}" for i in range(N)], name="USUBJID")
    )
    config = validate_config(CONFIG, list(frame.columns), READERS)
    treated = treat(frame, config, [{"method": "drop_column", "columns": list(dropped)}])
    return Leaving.of(assess(frame, config), treated), frame


def attempts(apart: float) -> tuple[dict, search.Attacked]:
    """The city of eight people each, and a sensitive feature with ten facts that lie ``apart``, in its two values."""
    generator = np.random.default_rng(7)
    ill = generator.permutation(N) % 2
    facts = {f"fact{number}": generator.normal(apart * ill, 1.0) for number in range(10)}
    city = [f"city {number % 20}" for number in range(N)]
    people = {"sex": SEX, "city": city, "ill": np.where(ill, "yes", "no"), **facts}
    leaving, _ = leaving_of(people, "city", "ill")
    found = search.attacked(leaving, PeopleAsked.of(leaving))(EXACT)
    return {one.column: one for one in found.attempts}, found


def test_a_category_whose_values_few_people_have_is_not_said_to_be_safe():
    by_column, found = attempts(0.0)
    assert by_column["city"].not_asked == TOO_SMALL
    assert not by_column["ill"].not_asked
    (unseen,) = found.not_looked_at()
    assert unseen == f"Many facts together give no answer about city: {TOO_SMALL}."
    assert [one for one in found.words() if "too little to report of: ill." in one]


def test_those_whose_value_leaves_teach_what_the_facts_say_of_the_others():
    """Forty of 160 people lose their sex, which ten facts give: the forty alone would be too few to learn from."""
    generator = np.random.default_rng(3)
    sex = generator.permutation(N) % 2
    facts = {f"fact{number}": generator.normal(1.3 * sex, 1.0) for number in range(10)}
    leaving, frame = leaving_of({"sex": np.where(sex, "F", "M"), **facts}, "sex")
    asked = PeopleAsked.of(leaving)
    changed, sex = np.arange(N) < 40, frame["sex"].take(asked.rows).reset_index(drop=True)
    one = HiddenColumn.beside("sex", sex, sex.where(~changed), changed)
    (found,) = search.attacked(leaving, replace(asked, hidden=[one]))(EXACT).attempts
    assert found.answerer
    assert found.is_reason
    assert found.found >= 25


def as_strong_by_chance(fits, question) -> Guess:
    """The truth, with a strength that all exchanges have."""
    return Guess((), question.values[:, 0] * 0.98 + 0.01, np.full(question.values.shape[1], 1e9))


@pytest.mark.thorough("0.4 s")
def test_an_answer_that_may_be_chance_hides_no_other_one(monkeypatch: pytest.MonkeyPatch):
    luck = Answerer("luck", as_strong_by_chance)
    monkeypatch.setattr(search, "OF_LABELS", (luck, labels.BY_MANY))
    assert attempts(1.0)[0]["ill"].answerer == labels.BY_MANY.name
    monkeypatch.setattr(search, "OF_LABELS", (luck,))
    assert attempts(1.0)[0]["ill"].not_asked == BY_LUCK


@pytest.mark.thorough("0.3 s")
def test_sure_guesses_of_a_sensitive_feature_hold_even_where_they_are_few():
    by_column, found = attempts(1.0)
    ill = by_column["ill"]
    assert ill.found < search.WHOLE * N
    (reason,) = found.reasons()
    assert reason.infers
    assert ill.is_reason


@pytest.mark.thorough("0.4 s")
def test_all_values_of_a_category_count_together():
    """Each of three cities is sure by a fact of its own; a third of the people alone would be no reason."""
    generator = np.random.default_rng(9)
    city = generator.permutation(N) % 3
    facts = {f"fact{which}": np.where(city == which, 1.0, 0.0) + generator.normal(0, 0.1, N) for which in range(3)}
    leaving, _ = leaving_of({"sex": SEX, "city": np.array(["A", "B", "C"])[city], **facts}, "city")
    (found,) = search.attacked(leaving, PeopleAsked.of(leaving))(EXACT).attempts
    assert found.found > search.WHOLE * N
    assert found.is_reason
    assert found.lines_are_tried
