"""The step ``recommend``: its key, its answers recounted on the records, what it says and what it never shows."""

import ast
import dataclasses
import hashlib
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from config.model_settings import validate_config
from disclosure_control.assess.assessment import assess
from disclosure_control.assess.combined_dataset import CombinedDataset
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.remedy.treatments.treat import treat
from disclosure_control.steps import READERS
from disclosure_control.steps.recommend.step import run_step
from disclosure_control.steps.running import StepInput
from tests.cases import each
from tests.config_keys import faults_of_key, settings_of_key
from tests.kept import changed_since_kept
from tests.ninety_people import outcome_of
from tests.report import small_pilots

CONFIG = small_pilots.CONFIG | {"T": 12}


def people(n: int = 200, seed: int = 1) -> pd.DataFrame:
    draw = np.random.default_rng(seed)
    towns = draw.choice(["Alpha", "Beta", "Gamma", "Delta", None], n, p=[0.5, 0.3, 0.12, 0.03, 0.05])
    frame = pd.DataFrame({"sex": draw.choice(["F", "M"], n), "town": towns})
    frame["age"] = np.where(draw.random(n) < 0.05, np.nan, draw.integers(1, 90, n))
    frame["lab"] = np.where(draw.random(n) < 0.1, np.nan, draw.normal(15, 6, n).clip(0, 30).round(1))
    return frame


def given(frame: pd.DataFrame, settings: dict | None = None, folder: Path = Path(), **config) -> StepInput:
    literal = {**CONFIG, **config, "recommend": settings or {}}
    checked = validate_config(literal, frame.columns, READERS)
    subjects = pd.Series([f"S{number:04d}" for number in range(len(frame))], index=frame.index, name="USUBJID")
    table = frame.astype("str").where(frame.notna(), None).assign(USUBJID=subjects)
    dataset = CombinedDataset.of(frame, subjects, table)
    typed = settings_of_key("recommend", settings or {}, literal)
    return StepInput("PILOT", folder, typed, dataset, assess(frame, checked), {})


# ---------------------------------------------------------------- by hand


def test_the_best_answer_of_a_small_table_by_hand():
    """Six people: F 25, F 25, F 30; M 65, M 65, M 70, K = 3, in bins of ten years.

    Bins of ten years leave classes of 2 and 1, so everybody is at risk, also without sex. Bins of 20 make two classes
    of 3 and lose (2/6 - 1/6) / (1 - 1/6) = 1/5 of age; sex loses nothing: the geometric mean is sqrt(6/5) - 1. Bins of
    40 from 20 on join nobody else and are no level of their own: age has three, with the last, which drops it.
    """
    frame = pd.DataFrame({"sex": list("FFFMMM"), "age": [25.0, 25, 30, 65, 65, 70], "lab": [1.0, 5, 9] * 2})
    config = {
        "categorical_qis": ["sex"],
        "binning_config": {"age": [20, 30, 40, 50, 60, 70, 80]},
        "sensitive_binning_config_for_L": {},
    }
    step = given(frame, {"suppression_limit": 1}, **config)
    result = run_step(step)
    assert result.figures["optimal"] is True
    assert result.figures["counted_from"] == "the config's bins"
    assert result.figures["levels"] == {"sex": 0, "age": 1}
    assert result.figures["loss"] == pytest.approx(np.sqrt(6 / 5) - 1, rel=1e-12)
    assert (result.figures["suppressed"], result.figures["anybody_at_risk"]) == (0, True)
    assert result.figures["lattice_size"] == 2 * 3
    (first,) = result.figures["short_list"]  # to recode nothing leaves nobody, and is no answer
    assert first["treatment"] == [{"method": "bins", "column": "age", "edges": [20, 40, 60, 80]}]
    released = treat(frame, step.assessment.config, first["treatment"]).frame
    assert sorted(set(released["age"])) == ["20--40", "60--80"]
    assert first["titles"] == [
        "Least loss, up to 100% left out",
        "Nobody left out",
        "Change one attribute only",
        "Least loss, however many are left out",
    ]
    assert [step.literal for step in result.outcome.treatment] == first["treatment"]
    assert "Recode age in 20--40, 40--60, 60--80; 0 of 6 records left out: all thresholds hold." in result.report
    assert "the values' domain that is given up, counted from the config's bins: 0.09545." in result.report


def test_without_bins_the_loss_starts_from_exact_values():
    """Four towns of one person each, joined as "other": one value where there were four."""
    frame = pd.DataFrame({"town": list("ABCD") + list("EEEE"), "lab": [1.0, 5, 9, 15] * 2})
    config = {"categorical_qis": ["town"], "continuous_qis": [], "binning_config": {}, "K": 4}
    step = given(frame, {"suppression_limit": 0}, **config)
    result = run_step(step)
    expected = (4 * 4 / 5 + 4 * 1 / 5 - 8 / 5) / (8 - 8 / 5)
    assert result.figures["loss"] == pytest.approx(expected, rel=1e-12)
    assert "that is given up, counted from exact values: 0.375." in result.report


# ---------------------------------------------------------------- recounted on the records

VARIANTS = {
    "default": {},
    "nobody left out": {"settings": {"suppression_limit": 0}},
    "discernibility": {"settings": {"metric": "discernibility"}},
    "average class size": {"settings": {"metric": "average_class_size"}},
    "entropy, weighted": {"settings": {"metric": "non_uniform_entropy", "weights": {"age": 5}}},
    "precision, half left out": {"settings": {"metric": "precision", "suppression_limit": 0.5}},
    "strict t": {"T": 1.5, "settings": {"suppression_limit": 0.3}},
    "difference of means": {"T": 1.0, "t_distance": "mean_difference", "settings": {"suppression_limit": 0.3}},
    "text as sensitive": {
        "sensitive_feature": ["lab", "town"],
        "categorical_qis": ["sex"],
        "L": {"lab": 2, "town": 2},
        "T": {"lab": 12, "town": 0.3},
    },
    "out of range missing": {"out_of_range": "missing"},
    "exact age": {"binning_config": {}},
    "intervals": {"settings": {"hierarchies": {"age": {"intervals": [5, 10, 30]}}}},
    "large K": {"K": 30},
}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if place % 3 == 0 else pytest.mark.thorough("0.2 s"))
        for place, name in enumerate(VARIANTS)
    ],
)
def test_every_answer_is_what_its_snippet_gives(name):
    """The printed list, pasted into a config: the same records left out, nobody at risk; counted with pandas."""
    variant = dict(VARIANTS[name])
    frame = people()
    step = given(frame, variant.pop("settings", None), **variant)
    result = run_step(step)
    snippets = re.findall(r'"treatment": (\[\n.*?\n +\])', result.report, flags=re.DOTALL)
    assert result.figures["optimal"] is True
    assert len(result.figures["short_list"]) >= 2
    with_steps = [answer for answer in result.figures["short_list"] if answer["treatment"]]
    assert len(snippets) == len(with_steps)
    config = step.assessment.config
    for answer, snippet in zip(with_steps, snippets, strict=True):
        steps = ast.literal_eval(snippet)
        assert check_treatment(steps, frame) == []
        treated = treat(step.dataset.everybody.typed_table, config, steps)
        n_removed = treated.n_records_removed
        assert answer["suppressed"] == (n_removed if n_removed == 0 or 10 <= n_removed <= 190 else None)
        assert answer["suppressed_few"] == (0 < n_removed < 10)
        assert all(one.n_risky == 0 for one in treated.assessment.results)
        quasi_identifiers = [name for name in config.quasi_identifiers if name in treated.frame]
        if quasi_identifiers:
            released = treated.frame[quasi_identifiers].astype("str")
            assert released.groupby(quasi_identifiers, dropna=False).size().min() >= config.K


def check_treatment(steps, frame) -> list[str]:
    return faults_of_key("treatment", steps, CONFIG, [*frame.columns, "USUBJID"])


def test_who_is_not_evaluated_is_counted():
    frame = people()
    n_incomplete = int(frame[["sex", "town", "age"]].isna().any(axis=1).sum())
    result = run_step(given(frame, missing_qis="exclude"))
    assert result.figures["not_evaluated"] == n_incomplete
    assert f"{n_incomplete} of 200 records are not evaluated" in result.report


@pytest.mark.thorough("0.3 s")
def test_what_cannot_be_met_is_said_and_left_out():
    result = run_step(given(people(), L=9))
    assert result.figures["models"] == ["k", "t"]
    assert "L = 9 cannot be met: lab has only 3 distinct values" in result.report
    assert result.figures["short_list"][0]["treatment"][-1] == {"method": "suppress_records", "models": ["k", "t"]}
    too_few = run_step(given(people(10), K=11, L=9))
    assert too_few.figures["models"] == ["t"]
    assert "K = 11 cannot be met by 10 evaluated records" in too_few.report
    nothing = run_step(given(people(10), K=11, L=9, sensitive_feature=[], sensitive_binning_config_for_L={}))
    assert nothing.figures["models"] == []


def test_nobody_evaluated_is_no_good_news():
    frame = people(20).assign(age=np.nan)
    result = run_step(given(frame, missing_qis="exclude"))
    assert "No record is evaluated: there is nothing to recommend." in result.report
    assert "nothing has to be given up" not in result.report
    assert result.outcome.treatment is None


def test_a_search_that_is_cut_short_says_so():
    result = run_step(given(people(), {"time_limit": 1e-9}))
    assert result.figures["optimal"] is False


@pytest.mark.thorough("0.4 s")
def test_exact_values_of_a_binned_column_do_not_come_out(tmp_path):
    ages = "\n".join(f"{age};{age // 10 * 10}s;{age // 30 * 30}+;*" for age in range(100))
    (tmp_path / "age.csv").write_text(ages, encoding="utf-8")
    result = run_step(given(people(), {"hierarchies": {"age": "age.csv"}}, tmp_path))
    assert all(answer["levels"]["age"] >= 1 for answer in result.figures["short_list"])
    bins = [["<0", "known", "*"], ["0--20", "young", "*"], ["20--40", "young", "*"], ["40--60", "old", "*"]]
    bins += [["60--80", "old", "*"], [">80", "old", "*"]]
    (tmp_path / "bins.csv").write_text("\n".join(map(";".join, bins)), encoding="utf-8")
    result = run_step(given(people(), {"hierarchies": {"age": "bins.csv"}, "fixed": {"age": 1}}, tmp_path))
    first = result.figures["short_list"][0]
    assert [step["method"] for step in first["treatment"] if step.get("column") == "age"] == ["bins", "hierarchy"]


# ---------------------------------------------------------------- what is never shown, what never matters


def test_no_value_of_a_person_is_shown():
    frame = people()
    frame["town"] = frame["town"].replace({"Delta": "MARKER", "Gamma": "MARKER2"})
    result = run_step(given(frame))
    assert "MARKER" not in result.report + result.on_screen + json.dumps(result.figures)
    assert not re.search(r"S\d{4}", result.report + json.dumps(result.figures))


# ---------------------------------------------------------------- the config key


@each(
    ("value", "words"),
    [
        (5, "dictionary"),
        ({"metrik": "loss"}, "'metric'?"),
        ({"metric": "los"}, "discernibility"),
        ({"weights": {"agee": 1}}, "'age'?"),
        ({"weights": {"age": 0, "sex": 0, "town": 0}}, "above 0"),
        ({"weights": {"age": 2}, "metric": "discernibility"}, "no weight"),
        ({"fixed": {"age": 1}, "max_level": {"age": 2}}, "one of the two"),
        ({"hierarchies": {"age": {"interval": [5]}}}, "intervals"),
    ],
)
def test_faults_of_the_key(value, words):
    (fault,) = faults_of_key("recommend", value, CONFIG, None)
    assert fault.startswith("recommend")
    assert words in fault
    assert faults_of_key("recommend", {}, CONFIG, None) == []


def test_faults_that_only_the_data_tell(tmp_path):
    with pytest.raises(FaultyInputError) as error:
        run_step(given(people(), {"fixed": {"age": 9}, "max_level": {"sex": 7}}))
    assert [fault.split(":")[0] for fault in error.value.faults] == [
        "recommend['fixed']['age']",
        "recommend['max_level']['sex']",
    ]
    with pytest.raises(FaultyInputError, match=r"there is no file 'town\.csv'"):
        run_step(given(people(), {"hierarchies": {"town": "town.csv"}}, tmp_path))
    (tmp_path / "town.csv").write_text("Alpha;*\n", encoding="utf-8")
    with pytest.raises(FaultyInputError, match="3 of 4 distinct values"):
        run_step(given(people(), {"hierarchies": {"town": "town.csv"}}, tmp_path))
    with pytest.raises(FaultyInputError, match="lies outside the pilot's folder"):
        run_step(given(people(), {"hierarchies": {"town": "../town.csv"}}, tmp_path))


def test_the_hash_of_a_hierarchy_is_among_the_inputs(tmp_path):
    rows = "".join(f"{town};{town[0]};*\n" for town in ("Alpha", "Beta", "Gamma", "Delta"))
    (tmp_path / "town.csv").write_text(rows, encoding="utf-8")
    result = run_step(given(people(), {"hierarchies": {"town": "town.csv"}}, tmp_path))
    assert result.inputs["town.csv"]["sha256"] == hashlib.sha256(rows.encode()).hexdigest()


def test_nothing_is_released_where_nothing_was_found():
    from disclosure_control.steps.treatment import step as treatment

    step = given(people(5), {"suppression_limit": 0.0, "max_level": {"town": 0, "sex": 0, "age": 0}})
    found = run_step(step)
    assert found.outcome.treatment is None
    settings = settings_of_key("treatment", [{"method": "recommended"}], {"recommend": {}})
    result = treatment.run_step(dataclasses.replace(step, settings=settings, earlier={"recommend": found}))
    assert result.figures["released"] is False
    assert not result.datasets


# ---------------------------------------------------------------- through the doors


OF_NINETY = {
    "loss": {},
    "discernibility": {"metric": "discernibility", "suppression_limit": 0.1},
    "bounded": {"fixed": {"DM__SEX": 0}, "max_level": {"DM__ZIP": 2}, "weights": {"DM__AGE": 3}, "at_least": 5},
}


@pytest.mark.parametrize("way", OF_NINETY)
def test_answers_for_ninety_people(way):
    """The recoding, its alternatives and what each threshold costs."""
    assert changed_since_kept(f"recommend_{way}", outcome_of("recommend", OF_NINETY[way])) == {}
