"""What released columns tell of what a step took out: the examples of an attacker, and what is no relation."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from disclosure_control.assess.assessment import assess
from disclosure_control.attack.tells import hidden_columns, levels_asked
from disclosure_control.basics.telling.reasons import Gravity
from disclosure_control.basics.telling.small_counts import EXACT, MASKED
from disclosure_control.remedy.treatments.treat import treat
from disclosure_control.steps.treatment.figures import treatment_findings
from disclosure_control.steps.treatment.report import treatment_report
from tests.config_keys import settings_of_key
from tests.examples import some_of
from tests.found import InSummary
from tests.remedy.treatments.treatment_frames import config_for

BAND = {"method": "band", "column": "age", "width": 10}


def figures_of(frame: pd.DataFrame, *steps, config, harmless=None, policy=MASKED) -> dict:
    settings = settings_of_key("treatment", {"steps": list(steps), "harmless": harmless or {}})
    return InSummary(treatment_findings(assess(frame, config), treat(frame, config, steps), frame, settings)(policy))


def told(figures: dict) -> dict[tuple, tuple]:
    """By the columns that disclose one together, and this one: the people who are told, and those changed."""
    return {
        (*by["variable"].split(" and "), one["tells"]): (by["people_told"], one["people_changed"])
        for one in figures["telling"]["told"]
        for by in one["by"]
    }


def people(n: int, seed: int = 1, **columns) -> pd.DataFrame:
    """Men and women of 20 to 80 years, whose other columns have nothing to do with it."""
    generator = np.random.default_rng(seed)
    frame = {
        "USUBJID": [f"S-{i}" for i in range(n)],
        "sex": generator.choice(["F", "M"], n),
        "age": generator.integers(20, 80, n).astype(float),
        "LB__X": generator.normal(5, 1, n).round(2),
        "LB__Y": generator.integers(0, 7, n).astype(str),
        "visit": generator.permutation(n),
    }
    return pd.DataFrame({**frame, **columns})


@pytest.mark.thorough("0.4 s")
@pytest.mark.parametrize("heading", ["yob", "CODE_7"])
def test_a_year_of_birth_tells_a_banded_age_within_a_year(heading):
    frame = people(300)
    birthday_was = np.random.default_rng(2).integers(0, 2, 300)
    frame[heading] = (2024 - frame["age"] - birthday_was).astype(int).astype(str)
    """How closely is one person's distance, and for the controller alone."""
    asked = {"config": config_for(["sex"], ["age"], K=2), "policy": EXACT}
    figures = figures_of(frame, BAND, **asked)
    assert told(figures) == {(heading, "age"): (300, 300)}
    sentence = "Released columns disclose the original age within 1 for 300 of 300 people"
    to_others = treatment_report(figures_of(frame, BAND, config=asked["config"]).found)
    assert sentence.replace(" within 1", "") in to_others
    assert sentence in treatment_report(figures.found)
    reason = next(one for one in figures.found.leaving.reasons() if sentence in one.sentence)
    assert reason.gravity == Gravity.OUTSIDERS_CAN_SINGLE_OUT
    declared = figures_of(frame, BAND, harmless={heading: "scrambled"}, **asked)
    assert not any(sentence in one.sentence for one in declared.found.leaving.reasons())
    assert sentence in treatment_report(declared.found)


@pytest.mark.parametrize("form", some_of(["%d%b%Y", "%Y-%m-%dT08:00", "%d.%m.%Y"]))
def test_a_date_of_birth_under_another_name_tells_a_banded_age(form):
    """Nearly every date is another one: nothing but the order of the dates tells."""
    frame = people(300)
    days = np.random.default_rng(3).integers(0, 365, 300)
    born = pd.Timestamp("2024-01-01") - pd.to_timedelta(frame["age"] * 365.25 + days, unit="D")
    frame["CODE_7"] = born.dt.strftime(form)
    ((key, (n, of)),) = told(figures_of(frame, BAND, config=config_for(["sex"], ["age"], K=2))).items()
    assert key == ("CODE_7", "age")
    assert (n >= 297, of) == (True, 300)


@pytest.mark.parametrize(("n_together", "is_told"), [(3, False), (14, True)])
def test_what_nearly_all_share_is_not_told_by_a_pair_that_tells_few_others(n_together, is_told):
    """Of 250 people 14 are others. A pair that puts three of them apart is right for 239, and guessing for 236."""
    place = np.arange(250)
    is_other, is_apart = place < 14, place < n_together
    frame = people(250, LB__Y=np.where(is_apart, "a", place % 5).astype(str), LB__X=np.ones(250))
    frame["LB__Z"] = np.where(is_apart, "a", (place // 5) % 4).astype(str)
    frame["LB__Y"] = np.where((place == 100) | (place == 101), "a", frame["LB__Y"])  # neither tells it alone
    frame["LB__Z"] = np.where((place == 102) | (place == 103), "a", frame["LB__Z"])
    frame["group"] = np.where(is_other, "yes", "no")
    step = {"method": "drop_column", "columns": ["group"]}
    figures = figures_of(frame.drop(columns="visit"), step, config=config_for(["sex", "group"], [], K=2))
    assert bool(told(figures)) == is_told


@pytest.mark.thorough("0.6 s")
def test_postal_codes_of_which_ten_were_touched_tell_the_region_of_390():
    codes = np.repeat(np.arange(40), 10)
    frame = people(400, zip=(10_000 + 25 * codes).astype(str), region=pd.Series(codes // 4).map("region {}".format))
    group = {"method": "group", "column": "region", "groups": {"north": [f"region {i}" for i in range(5)]}}
    group["others"] = "south"
    touch = {"method": "group", "column": "zip", "groups": {"*": ["10000"]}}
    figures = figures_of(frame, group, touch, config=config_for(["sex", "region"], K=2))
    assert told(figures) == {("zip", "region"): (400, 400)}  # those with * are of one region too
    one_each = frame.assign(zip=(10_000 + 13 * np.arange(400)).astype(str))  # a postal code for everybody
    hidden = [str(10_000 + 13 * i) for i in range(0, 400, 40)]
    touch = {"method": "group", "column": "zip", "groups": {"*": hidden}}
    n, of = told(figures_of(one_each, group, touch, config=config_for(["sex", "region"], K=2)))["zip", "region"]
    assert (n >= 360, of) == (True, 400)  # by the neighbours, of those with a code


def test_two_categories_tell_together_what_neither_tells_alone():
    generator = np.random.default_rng(6)
    one, other = generator.integers(0, 5, (2, 400))
    frame = people(400, a=one.astype(str), b=other.astype(str), town=pd.Series((one + other) % 5).map("t{}".format))
    figures = figures_of(frame, {"method": "drop_column", "columns": ["town"]}, config=config_for(["sex", "town"], K=2))
    assert told(figures) == {("a", "b", "town"): (400, 400)}


def test_the_last_digit_tells_an_age_with_its_band():
    frame = people(600).assign(digit=lambda f: (f["age"] % 10).astype(int).astype(str))
    figures = figures_of(frame, BAND, config=config_for(["sex"], ["age"], K=2))
    assert told(figures) == {("digit", "age", "age"): (600, 600)}
    (reason,) = [one for one in figures.found.leaving.reasons() if "digit" in one.sentence]
    assert [one.value["columns"] for one in reason.changes] == [["digit"]], "the band itself stays"


@pytest.mark.thorough("0.9 s")
def test_what_tells_a_part_of_the_people():
    frame = people(400)
    town = np.random.default_rng(7).integers(0, 4, 400)
    frame["town"] = pd.Series(town).map("t{}".format)
    frame["clinic"] = [f"c{t}" if i < 120 else "elsewhere" for i, t in enumerate(town)]
    step = {"method": "drop_column", "columns": ["town"]}
    figures = figures_of(frame, step, config=config_for(["sex", "town"], K=2))
    assert told(figures) == {("clinic", "town"): (120, 400)}


def test_a_few_suppressed_cells_are_asked_for_by_themselves():
    """Of 400 people 40 lose their town: all others' is in the file, and the clinic tells those 40."""
    town = np.repeat(np.arange(20), 20)
    frame = people(400, town=pd.Series(town).map("t{}".format), clinic=pd.Series(town).map("c{}".format))
    step = {"method": "group", "column": "town", "groups": {"*": ["t3", "t7"]}}
    figures = figures_of(frame, step, config=config_for(["sex", "town"], K=2))
    assert told(figures) == {("clinic", "town"): (40, 40)}


@pytest.mark.parametrize("n", [16, 40])
def test_a_copy_of_all_labels_is_found_in_a_small_study(n):
    """One in 6,435 divides 16 people, eight of each sex, as the sex does: beyond what chance gives six columns."""
    frame = people(n, sex=["F", "M"] * (n // 2), gender=["w", "m"] * (n // 2), half=["a", "b", "b", "a"] * (n // 4))
    drop = {"method": "drop_column", "columns": ["sex"]}
    assert told(figures_of(frame, drop, config=config_for(["sex"], K=2))) == {("gender", "sex"): (n, n)}


@pytest.mark.thorough("0.3 s")
@pytest.mark.parametrize("seed", some_of(range(4)))
def test_columns_that_have_nothing_to_do_with_it_tell_nothing(seed):
    """An id, a text of few values, numbers, 60 people and 300: luck is no relation."""
    n = 300 if seed % 2 else 60
    frame = people(n, seed).assign(town=lambda f: "t" + (f["age"] // 4).astype(int).astype(str))
    frame["town"] = frame["town"].sample(frac=1, random_state=seed).to_numpy()
    drop = {"method": "drop_column", "columns": ["town"]}
    figures = figures_of(frame, BAND, drop, config=config_for(["sex", "town"], ["age"], K=2))
    assert told(figures) == {}


def test_quasi_identifiers_are_assessed_with_what_they_tell():
    """The exact town stays a quasi-identifier: that it tells the region that went is in k already."""
    town = np.repeat(np.arange(20), 20)
    frame = people(400, town=pd.Series(town).map("t{}".format), region=pd.Series(town // 5).map("r{}".format))
    step = {"method": "drop_column", "columns": ["region"]}
    assert told(figures_of(frame, step, config=config_for(["sex", "town", "region"], K=2))) == {}


@pytest.mark.thorough("0.3 s")
def test_the_order_of_records_and_a_part_of_the_people(monkeypatch):
    frame = people(300, seed=9)
    frame = frame.assign(yob=2024 - frame["age"], LB__Z=np.random.default_rng(9).normal(size=300))
    config = config_for(["sex"], ["age"], K=2)
    shuffled = frame.sample(frac=1, random_state=1)
    monkeypatch.setattr(hidden_columns, "MOST_PEOPLE", 200)
    monkeypatch.setattr(levels_asked, "MOST_PAIRS", 1)
    figures = figures_of(frame, BAND, config=config)
    assert figures["telling"] == figures_of(shuffled, BAND, config=config)["telling"]
    assert told(figures)["yob", "age"][:2] == (200, 200)
    text = treatment_report(figures.found)
    assert "The columns and rows of 200 of 300 people were searched" in text
    assert "1 of 4 pairs of columns were searched" in text
