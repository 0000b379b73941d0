"""The step ``risk``: its config key, its figures on a table small enough to work by hand, and what it writes."""

import json
from pathlib import Path

import pandas as pd
import pytest

from Anonymization_Models import FaultyInputError, validate_config
from disclosure_control import step_checks
from disclosure_control.assessment import assess
from disclosure_control.risk import (
    SECTIONS,
    check_settings,
    evaluate_risk,
    read_risk_settings,
    risk_per_record,
    risk_report,
    wilson_interval,
)

SHARED = Path(__file__).resolve().parents[3] / "shared"
SMALL = pd.DataFrame(
    {"sex": list("FFFMM"), "age": ["old", "old", "young", "old", "old"], "disease": ["a", "a", "b", "c", "a"]}
)


def assessed(frame=SMALL, qis=("sex", "age"), sensitive="disease"):
    literal = {
        "categorical_qis": list(qis),
        "continuous_qis": [],
        "sensitive_feature": sensitive,
        "K": 2,
        "L": 2,
        "T": 0.5,
    }
    return assess(frame, validate_config(literal, frame.columns))


def test_the_figures_of_a_small_table_by_hand():
    """Classes: F old 2, F young 1, M old 2."""
    figures = evaluate_risk(assessed(), read_risk_settings("all"))
    assert figures["expected_reidentifications"] == 3
    assert figures["global_risk"] == pytest.approx(3 / 5)
    assert figures["unique_rate"] == pytest.approx(1 / 5)
    assert figures["k_at_most_rate"] == {1: pytest.approx(0.2), 2: 1.0, 3: 1.0, 5: 1.0, 10: 1.0}
    assert figures["prosecutor"]["highest"] == 1.0
    assert figures["prosecutor"]["average"] == figures["marketer"]["average"] == pytest.approx(3 / 5)
    by_attribute = {entry["quasi_identifier"]: entry for entry in figures["determined_by"]["disease"]}
    # F: a a b and M: c a give 2 + 1 right; old: a a c a and young: b give 3 + 1 right; everybody is guessed a: 3.
    assert by_attribute["sex"]["predicted_rate"] == pytest.approx(3 / 5)
    assert by_attribute["age"]["predicted_rate"] == pytest.approx(4 / 5)
    assert by_attribute["age"]["baseline_rate"] == pytest.approx(3 / 5)
    assert figures["suda2"]["special_uniques"] == 1
    assert [keys["quasi_identifiers"] for keys in figures["key_sets"]] == [["sex"], ["age"], ["sex", "age"]]
    assert {"prosecutor", "journalist", "marketer", "models", "by_group"} <= set(figures)
    json.dumps(figures, allow_nan=False)


def test_an_attribute_that_determines_a_sensitive_one():
    path = SHARED / "data" / "actg175" / "aids_original_data.csv"
    if not path.is_file():
        pytest.skip("shared/data is not beside the clone")
    frame = pd.read_csv(path, sep=";")
    figures = evaluate_risk(
        assessed(frame, ("arms", "gender"), "treat"), read_risk_settings({"sections": ["determined_by"]})
    )
    first, second = figures["determined_by"]["treat"]
    assert (first["quasi_identifier"], first["determines"]) == ("arms", True)
    assert not second["determines"]


def test_groups_are_printed_from_ten_people_up():
    frame = pd.DataFrame({"sex": ["F"] * 12 + ["M"] * 3, "disease": "a"})
    figures = evaluate_risk(assessed(frame, ("sex",)), read_risk_settings({"sections": ["by_group"]}))
    women, others = figures["by_group"]["sex"]
    assert (women["people"], women["risky"]) == (12, 0)
    assert "people" not in others
    assert "M" not in others["group"]


def test_no_value_of_a_person_on_the_screen():
    frame = pd.DataFrame({"sex": ["MARKER"] * 20, "disease": "MARKER"})
    figures = evaluate_risk(assessed(frame, ("sex",)), read_risk_settings("all"))
    assert "MARKER" in risk_report(figures)
    assert "MARKER" not in risk_report(figures, for_screen=True)


def test_wilson_interval_by_hand():
    """By hand for 8 of 10: centre (0.8 + 0.192) / 1.384, half-width from z = 1.96."""
    low, high = wilson_interval(8, 10)
    assert (low, high) == (pytest.approx(0.4901625, abs=1e-6), pytest.approx(0.9433178, abs=1e-6))
    assert wilson_interval(0, 10)[0] == pytest.approx(0.0, abs=1e-12)
    assert wilson_interval(10, 10)[1] == pytest.approx(1.0)


def test_each_record_has_its_chance():
    subjects = pd.Series([f"S{i}" for i in range(5)])
    rows = risk_per_record(assessed(), subjects, read_risk_settings("all"))
    assert rows["USUBJID"].tolist() == ["S2", "S0", "S1", "S3", "S4"]
    assert rows["prosecutor_risk"].tolist() == [1.0, 0.5, 0.5, 0.5, 0.5]
    assert rows["smallest_unique_set"].tolist() == [1, 0, 0, 0, 0]


@pytest.mark.parametrize(
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
    (fault,) = check_settings(value, {}, None)
    assert fault.startswith("risk")
    assert words in fault
    with pytest.raises(FaultyInputError):
        read_risk_settings(value)


def test_settings():
    assert read_risk_settings("all").sections == tuple(SECTIONS)
    assert read_risk_settings({"max_key_set": 2}).max_key_set == 2
    assert step_checks({}, None)["risk"]({"sections": "all"}) == []
