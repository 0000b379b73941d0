"""The step ``risk``: its config key, its figures on a table small enough to work by hand, and what it writes."""

import json
from pathlib import Path

import pandas as pd
import pytest

from config.model_settings import validate_config
from disclosure_control.assess.assessment import assess
from disclosure_control.assess.combined_dataset import CombinedDataset
from disclosure_control.assess.told import ToldModel
from disclosure_control.basics.telling.confidence_intervals import wilson_interval
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.basics.telling.small_counts import EXACT
from disclosure_control.basics.telling.told_outside import ToldCounts
from disclosure_control.steps import READERS
from disclosure_control.steps.risk.step import run_step
from disclosure_control.steps.running import StepInput
from tests.cases import each
from tests.config_keys import faults_of_key, settings_of_key
from tests.kept import changed_since_kept
from tests.ninety_people import step_on_ninety

SMALL = pd.DataFrame(
    {"sex": list("FFFMM"), "age": ["old", "old", "young", "old", "old"], "disease": ["a", "a", "b", "c", "a"]}
)


def typed(value):
    literal = {"missing_qis": "wildcard", "sensitive_feature": "disease"}
    return settings_of_key("risk", {} if value is None else value, literal)


def run(value, frame=SMALL, folder=Path(), **roles):
    """The step on a table, every column of it also as text, as the combined dataset has it."""
    subjects = pd.Series([f"S{i}" for i in range(len(frame))])
    table = frame.astype("str").assign(USUBJID=subjects)
    dataset = CombinedDataset.of(frame, subjects, table)
    assessment = assessed(frame, {} if value is None else {"risk": {}}, subjects, **roles)
    return run_step(StepInput("P", folder, typed(value), dataset, assessment, {}))


def assessed(frame, keys, subjects, qis=("sex", "age"), sensitive="disease", missing_qis="category"):
    literal = {"categorical_qis": list(qis), "continuous_qis": [], "sensitive_feature": sensitive}
    literal |= {"K": 2, "L": 2, "T": 0.5, "missing_qis": missing_qis, **keys}
    return assess(frame, validate_config(literal, frame.columns, READERS), subjects)


def test_the_figures_of_a_small_table_by_hand():
    """Classes: F old 2, F young 1, M old 2."""
    figures = run("all").figures
    assert figures["expected_reidentifications"] == 3
    assert figures["global_risk"] == pytest.approx(3 / 5)
    assert figures["unique_rate"] == pytest.approx(1 / 5)
    assert figures["k_at_most_rate"] == {1: pytest.approx(0.2), 2: 1.0, 3: 1.0, 5: 1.0, 10: 1.0}
    assert figures["prosecutor"]["highest"] == 1.0
    assert figures["prosecutor"]["average"] == figures["marketer"]["average"] == pytest.approx(3 / 5)
    by_attribute = {entry["attribute"]: entry for entry in figures["determined_by"]["disease"]}
    # F: a a b and M: c a give 2 + 1 right; old: a a c a and young: b give 3 + 1 right; everybody is guessed a: 3.
    assert by_attribute["sex"]["predicted_rate"] == pytest.approx(3 / 5)
    assert by_attribute["age"]["predicted_rate"] == pytest.approx(4 / 5)
    assert by_attribute["age"]["baseline_rate"] == pytest.approx(3 / 5)
    assert figures["suda2"]["special_uniques"] is None  # one of five: masked, as every count of few people is
    assert [keys["quasi_identifiers"] for keys in figures["key_sets"]] == [["sex"], ["age"], ["sex", "age"]]
    assert {"prosecutor", "journalist", "marketer", "models", "by_group"} <= set(figures)
    json.dumps(figures, allow_nan=False)


def test_an_attribute_that_nearly_determines_a_sensitive_one():
    """Ward A has 40 of x and 1 of y, ward B 9 of y: 49 of 50 are guessed, where guessing x gives 40."""
    frame = pd.DataFrame({"sex": "F", "ward": ["A"] * 41 + ["B"] * 9, "disease": ["x"] * 40 + ["y"] * 10})
    frame["comment"] = [f"C{i}" for i in range(50)]
    result = run({"sections": ["determined_by"]}, frame, qis=("sex",))
    sex, ward = sorted(result.figures["determined_by"]["disease"], key=lambda entry: entry["attribute"])
    assert (sex["predicted_rate"], sex["determines"], sex["nearly"]) == (0.8, False, False)
    assert (ward["predicted_rate"], ward["baseline_rate"]) == (0.98, 0.8)
    assert (ward["determines"], ward["nearly"]) == (False, True)
    assert result.figures["determined_by_not_looked_at"] == 1  # as many comments as people
    constant = run(None, frame.assign(disease="x"), qis=("sex",)).figures["determined_by"]["disease"]
    assert not constant[0]["determines"]


def test_no_value_of_a_person_on_the_screen():
    frame = pd.DataFrame({"sex": ["MARKER"] * 20, "disease": "MARKER"})
    result = run("all", frame, qis=("sex",))
    assert "MARKER" in result.report
    assert "MARKER" not in result.on_screen + result.first_lines


def test_wilson_interval_by_hand():
    """By hand for 8 of 10: centre (0.8 + 0.192) / 1.384, half-width from z = 1.96."""
    low, high = wilson_interval(8, 10)
    assert (low, high) == (pytest.approx(0.4901625, abs=1e-6), pytest.approx(0.9433178, abs=1e-6))
    assert wilson_interval(0, 10)[0] == pytest.approx(0.0, abs=1e-12)
    assert wilson_interval(10, 10)[1] == pytest.approx(1.0)


def test_each_record_has_its_chance():
    (rows,) = run("all").tables["record_risk.csv"]
    assert rows["USUBJID"].tolist() == ["S2", "S0", "S1", "S3", "S4"]
    assert rows["prosecutor_risk"].tolist() == [1.0, 0.5, 0.5, 0.5, 0.5]
    assert rows["smallest_unique_set"].tolist() == [1, 0, 0, 0, 0]


@each(
    ("value", "words"),
    [
        (5, '"all"'),
        ({"section": "all"}, "'sections'?"),
        ({"sections": ["suda3"]}, "suda2"),
        ({"threshold": 0}, "above 0"),
        ({"k_at_most": [0]}, "from 1"),
        ({"max_key_set": True}, "from 1"),
        ({"sampling_fraction": 1.5}, "up to 1"),
    ],
)
def test_faults_of_the_key(value, words):
    (fault,) = faults_of_key("risk", value, {}, None)
    assert fault.startswith("risk")
    assert words in fault
    with pytest.raises(FaultyInputError):
        settings_of_key("risk", value)


# ---------------------------------------------------------------- what needs a setting, and what it then gives


@pytest.mark.parametrize(
    ("n_certain", "n_mixed", "told"), [(0, 40, 0), (4, 40, None), (12, 40, 12), (20, 4, None), (20, 0, 20)]
)
def test_what_is_certain_is_told_by_the_policy_and_answered_exactly(n_certain, n_mixed, told):
    """The women all have a, the men have a and b by turns: the value of every woman is certain."""
    diseases = ["a"] * n_certain + list("ab") * (n_mixed // 2)
    frame = pd.DataFrame({"sex": ["F"] * n_certain + ["M"] * n_mixed, "disease": diseases})
    answer = run({"threshold": 0.5}, frame, qis=("sex",)).figures["three_questions"]["inference"]
    assert answer["figures"]["disease"]["certain"] == told
    assert answer["figures"]["disease"]["with_value"] == n_certain + n_mixed
    masked = "fewer than 10" if n_certain == 4 else "an undisclosed number"
    assert f" {masked if told is None else told} of {n_certain + n_mixed} people" in answer["sentence"]
    assert (answer["answer"] == "yes") or not n_certain


def test_without_any_record_nothing_is_answered():
    frame = pd.DataFrame({"sex": pd.Series([None, None], dtype="str"), "disease": ["a", "b"]})
    result = run("all", frame, qis=("sex",), missing_qis="exclude")
    assert {one["answer"] for one in result.figures["three_questions"].values()} == {"not assessable"}
    assert result.figures["prosecutor"]["highest"] is None
    json.dumps(result.figures, allow_nan=False)


def test_what_lacks_its_setting_is_named():
    figures = run("all").figures
    assert set(figures["not_computed"]) == {"sampling", "population_uniqueness"}
    (fault,) = faults_of_key("risk", {"sections": ["sampling"]}, {}, None)
    assert "'weights'" in fault


def test_models_hold_one_entry_per_measure_and_sensitive_attribute():
    from disclosure_control.measures.syntactic_measures import SYNTACTIC_MODELS

    frame = SMALL.assign(cost=[1.0, 2.0, 3.0, 4.0, 5.0])
    settings = {"models": {"entropy_l": {"threshold": {"disease": 1.5}}, "recursive_l": {"c": 3}}}
    models = run(settings, frame, sensitive=["disease", "cost"]).figures["models"]
    fit_no_text = {"ordered_t", "wasserstein_t"}
    for name in SYNTACTIC_MODELS.keys() - {"hierarchical_t"}:
        lacking = {sensitive for sensitive, entry in models[name].items() if "not_computed" in entry}
        assert set(models[name]) == {"disease", "cost"}, name
        assert lacking == ({"disease"} if name in fit_no_text else set()), name
    assert all("not_computed" in entry for entry in models["hierarchical_t"].values())
    assert "not_computed" in models["delta_presence"]
    assert models["recursive_l"]["cost"]["parameters"] == {"c": 3}
    # Entropy l: F old has a a: 1; F young b: 1; M old c a: 2.
    assert models["entropy_l"]["disease"]["risky"] == 3
    assert models["entropy_l"]["cost"]["threshold"] is None
    assert models["k"]["worst"] == 1
    assert models["average_class_size"]["worst"] == pytest.approx(5 / 3)
    assert models["discernibility"]["worst"] == 9


def test_a_hierarchy_of_a_sensitive_attribute(tmp_path):
    (tmp_path / "disease.csv").write_text("a;infection;*\nb;infection;*\nc;other;*\n", encoding="utf-8")
    settings = {"models": {"hierarchical_t": {"hierarchy": {"disease": "disease.csv"}, "threshold": 0.2}}}
    models = run(settings, folder=tmp_path).figures["models"]
    # Of all: infection 4/5, other 1/5. F young is b for sure: from {a 3/5, b 1/5, c 1/5} 3/5 move within infection
    # (half the height) and 1/5 across (the whole): 0.3 + 0.2.
    # It is of one person: bounds, which are the threshold times neighbouring powers of two.
    assert models["hierarchical_t"]["disease"]["worst"] is None
    assert models["hierarchical_t"]["disease"]["worst_between"] == [0.4, 0.8]
    with pytest.raises(FaultyInputError, match="no file 'disease\\.csv' in the pilot's folder"):
        run(settings, folder=tmp_path / "elsewhere")
    assert faults_of_key("risk", settings, {"sensitive_feature": "disease"}, None) == []


def test_a_population_table(tmp_path):
    """In the population: F old 4, F young 2, M old 2, and one M young whom nobody in the pilot equals."""
    people = ["F,old"] * 4 + ["F,young"] * 2 + ["M,old"] * 2 + ["M,young"]
    (tmp_path / "people.csv").write_text("\n".join(["gender,age", *people]) + "\n", encoding="utf-8")
    population = {"file": "people.csv", "columns": {"sex": "gender"}}
    result = run({"population": population, "sections": "all"}, folder=tmp_path)
    journalist = result.figures["journalist"]
    assert (journalist["highest"], journalist["average"]) == (0.5, pytest.approx((2 / 4 + 1 / 2 + 2 / 2) / 5))
    presence = result.figures["models"]["delta_presence"]
    assert (presence["delta_min"], presence["delta_max"]) == (0.0, 1.0)
    with pytest.raises(FaultyInputError, match="no column 'sexx' for the quasi-identifier 'sex'"):
        run({"population": {**population, "columns": {"sex": "sexx"}}}, folder=tmp_path)
    with pytest.raises(FaultyInputError, match=r"no file 'nobody\.csv' in the pilot"):
        run({"population": {"file": "nobody.csv"}}, folder=tmp_path)
    with pytest.raises(FaultyInputError, match="lies outside the pilot's folder"):
        run({"population": {"file": "../people.csv"}}, folder=tmp_path)
    coded = "\n".join(["gender,age", *(f"{person[0]}emale,{person[2:]}" for person in people)])
    (tmp_path / "coded.csv").write_text(coded, encoding="utf-8")
    with pytest.raises(FaultyInputError, match="nobody there has the quasi-identifiers of anybody"):
        run({"population": {**population, "file": "coded.csv", "includes_sample": False}}, folder=tmp_path)
    assert result.figures["population"]["people"] == 9
    assert result.figures["population"]["in_a_class_of_the_pilot"] == 8
    assert result.inputs["people.csv"]["rows"] == 9
    assert len(result.inputs["people.csv"]["sha256"]) == 64


def test_sampling_weights_and_households():
    """Weights of 2 everywhere: F = 2 f. By the definition for f = 1, p = 1/2: p/(1-p) ln(1/p) = ln 2."""
    frame = SMALL.assign(weight=2, home=["x", "x", "y", "y", "z"])
    result = run({"weights": "weight", "household": "home"}, frame)
    rows = pd.concat(result.tables["record_risk.csv"]).set_index("USUBJID")
    assert rows.loc["S2", "individual_risk"] == pytest.approx(0.6931471805599453)
    pair = rows.loc["S0", "individual_risk"]
    assert pair == pytest.approx(1 - 0.6931471805599453)  # f = 2, p = 1/2: p/(1-p) - (p/(1-p))^2 ln(1/p)
    assert rows.loc["S0", "household_risk"] == pytest.approx(1 - (1 - pair) ** 2)
    assert rows.loc["S4", "household_risk"] == pytest.approx(pair)
    sampling = result.figures["sampling"]["individual"]["exact"]
    assert sampling["expected_reidentifications"] == pytest.approx(0.6931471805599453 + 4 * pair)


def test_groups_may_be_other_columns():
    frame = SMALL.loc[[0, 1, 2, 3, 4] * 3].reset_index(drop=True).assign(site=["A"] * 12 + ["B"] * 3)
    groups = run({"groups": ["site"]}, frame, qis=("sex", "age")).figures["by_group"]
    assert [one.get("people") for one in groups["site"]] == [15]
    (fault,) = faults_of_key("risk", {"groups": ["sit"]}, {}, ["site"])
    assert "did you mean 'site'?" in fault


def test_values_of_few_people_stand_in_no_text_of_others():
    result = run("all")
    assert "young" not in result.report
    assert "young" not in json.dumps(result.figures)


@each(
    ("value", "words"),
    [
        ({"population": {"columns": {}}}, "['file']: missing"),
        ({"population": {"file": "a.csv"}, "sampling_fraction": 0.5}, "both given"),
        ({"household": "H"}, "needs weights"),
        ({"weights": "WEIGTH"}, "did you mean 'WEIGHT'?"),
        ({"models": {"entropy": {}}}, "did you mean 'entropy_l'?"),
        ({"models": {"entropy_l": {"c": 3}}}, "threshold"),
        ({"presets": "all"}, "['presets']: gone since version 4.0.0"),
        ({"sections": ["riskiest_classes"]}, "'riskiest_classes' is not known; gone since version 4.0.0; quasi_"),
    ],
)
def test_faults_of_settings_that_belong_together(value, words):
    (fault,) = faults_of_key("risk", value, {"sensitive_feature": "disease"}, ["WEIGHT", "ZIP", "H"])
    assert fault.startswith("risk")
    assert words in fault


def test_a_complete_population_of_a_pilot_with_gaps(tmp_path):
    """Nobody of the census lacks an age; the pilot's F without one counts as if the pilot were the population."""
    frame = SMALL.assign(age=["old", "old", None, "old", "old"])
    people = ["F,old"] * 4 + ["F,young"] + ["M,old"] * 2
    (tmp_path / "people.csv").write_text("\n".join(["sex,age", *people]) + "\n", encoding="utf-8")
    result = run({"population": {"file": "people.csv"}, "sections": "all"}, frame, folder=tmp_path)
    assert result.figures["population"]["counted_as_in_the_pilot"] == 1
    journalist = result.figures["journalist"]
    assert (journalist["highest"], journalist["average"]) == (1.0, pytest.approx((2 / 4 + 1 + 2 / 2) / 5))
    assert "1 people of the pilot have nobody like them there, for lack of a value" in result.report
    presence = result.figures["models"]["delta_presence"]
    assert (presence["delta_min"], presence["delta_max"]) == (0.0, 1.0)


def test_a_parameter_of_a_model_that_cannot_run_is_a_fault():
    with pytest.raises(FaultyInputError, match="disease lacks numbers"):
        run({"models": {"wasserstein_t": {"threshold": 5}}})
    with pytest.raises(FaultyInputError, match="set hierarchy to its file"):
        run({"models": {"hierarchical_t": {"threshold": 0.2}}})


@pytest.mark.parametrize("policy", ["category", "exclude", "wildcard"])
def test_every_section_of_ninety_people(policy):
    result = run_step(step_on_ninety(typed("all"), missing_qis=policy, risk="all"))
    of_readers = {"exact": result.for_reader(EXACT), "masked": result}
    found = {name: {"figures": one.figures, "sections": one.sections} for name, one in of_readers.items()}
    found["outside"] = result.outside(ToldCounts(90), ToldModel(3, 90, 90, 0, 20, 20 / 90))
    assert changed_since_kept(f"risk_{policy}", found) == {}
