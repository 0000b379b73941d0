"""Re-identification risk against figures of sdcMicro, of ARX and of the documents that the project implements."""

import json

import numpy as np
import pandas as pd
import pytest

from Anonymization_Models import form_equivalence_classes
from disclosure_control.measures.reidentification import (
    count_population,
    exact_risk,
    journalist_risk,
    marketer_risk,
    prosecutor_risk,
    risk_profile,
    smallest_class_within,
)
from tests.examples import some_of
from tests.places import SHARED

SDCMICRO = SHARED / "oracles" / "sdcmicro"
ARX = SHARED / "oracles" / "arx"
ADULT_KEYS = ["sex", "age", "race", "marital-status", "education"]
SYNTH_KEYS = ["sex", "country", "district", "agebin", "bmibin"]

pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="shared/ is not beside the clone; it is public data")


def weighted_cases() -> list:
    path = SDCMICRO / "cases.json"
    cases = json.loads(path.read_text())["cases"] if path.is_file() else []
    weighted = [case for case in cases if case["fn"] == "freqCalc+indivRisk" and case["params"]["w"]]
    return [pytest.param(case, id=case["id"]) for case in weighted]


@pytest.mark.parametrize("case", some_of(weighted_cases()))
def test_the_exact_risk_of_frequencies_in_sample_and_population(case):
    rows = pd.read_csv(SDCMICRO / case["rows"])
    # sdcMicro overflows for large frequencies (NA), and for those that are not whole gives 0 or NA.
    usable = rows["risk_exact"].notna() & (rows["fk"] % 1 == 0)
    f, population_f, expected = (rows.loc[usable, name].to_numpy(float) for name in ("fk", "Fk", "risk_exact"))
    np.testing.assert_allclose(exact_risk(f, np.maximum(f, population_f)), expected, rtol=1e-9, atol=0.0)


# ---------------------------------------------------------------- ARX


def read_arx(name: str) -> tuple[dict, pd.DataFrame]:
    oracle = json.loads((ARX / f"risk_{name}.json").read_text())
    path = SHARED / "data" / "adult" / "adult.csv" if name == "adult5" else ARX / "synth" / "synth_10000.csv"
    return oracle, pd.read_csv(path, sep=";", dtype=str)


@pytest.mark.parametrize(("name", "keys"), [("adult5", ADULT_KEYS), ("synth_10000", SYNTH_KEYS)])
def test_sample_risks(name, keys):
    oracle, frame = read_arx(name)
    classes = form_equivalence_classes(frame, keys)
    risk, expected = prosecutor_risk(classes), oracle["sampleRisks"]
    figures = {"highest": risk.highest, "average": risk.average, "lowest": risk.lowest}
    assert figures == pytest.approx({key: expected[key] for key in figures}, rel=1e-12)
    assert (risk.of_record == risk.highest).mean() == pytest.approx(expected["fracHighest"], rel=1e-12)
    assert (risk.of_record == risk.lowest).sum() == expected["recordsLowest"]
    profile = risk_profile(classes)
    assert profile.n_unique == oracle["uniques"]
    assert profile.unique_rate == pytest.approx(oracle.get("fracUniques", expected["fracHighest"]), rel=1e-12)
    assert profile.expected_reidentifications == oracle["numClasses"]
    assert marketer_risk(classes).average == pytest.approx(expected["estMarketer"], rel=1e-12)


@pytest.mark.parametrize(("name", "keys"), [("adult5", ADULT_KEYS), ("synth_10000", SYNTH_KEYS)])
@pytest.mark.parametrize("threshold", [0.05, 0.1, 0.2, 0.33, 0.5])
def test_share_at_risk(name, keys, threshold):
    oracle, frame = read_arx(name)
    classes, expected = form_equivalence_classes(frame, keys), oracle[f"summary_{threshold}"]
    prosecutor, journalist = prosecutor_risk(classes, threshold), journalist_risk(classes, threshold)
    assert prosecutor.at_risk_rate == pytest.approx(expected["P_recordsAtRisk"], rel=1e-12)
    assert 1 / smallest_class_within(threshold) == pytest.approx(expected["P_effThreshold"], rel=1e-12)
    assert journalist.at_risk_rate == pytest.approx(expected["J_recordsAtRisk"], rel=1e-12)
    assert journalist.average == pytest.approx(expected["J_success"], rel=1e-12)


@pytest.mark.parametrize(("name", "keys"), [("adult5", ADULT_KEYS), ("synth_10000", SYNTH_KEYS)])
def test_cumulative_risk_distribution(name, keys):
    oracle, frame = read_arx(name)
    of_record = prosecutor_risk(form_equivalence_classes(frame, keys)).of_record
    found = [(of_record <= upper).mean() for upper in oracle["riskDist_upper"]]
    assert found == pytest.approx(oracle["riskDist_cumulative"], rel=1e-9)


@pytest.mark.parametrize(("name", "keys"), [("adult5", ADULT_KEYS), ("synth_10000", SYNTH_KEYS)])
def test_wildcards_change_nothing_without_missing_values(name, keys):
    oracle, frame = read_arx(name)
    risk, expected = prosecutor_risk(form_equivalence_classes(frame, keys), 0.2, "wildcard"), oracle["wildcard"]
    found = {"avg": risk.average, "high": risk.highest, "low": risk.lowest, "atRisk": risk.at_risk_rate}
    assert found == pytest.approx(expected, rel=1e-12)


def journalist_lines() -> list:
    path = ARX / "journalist.jsonl"
    lines = path.read_text().splitlines() if path.is_file() else []
    return [pytest.param(json.loads(line), id=json.loads(line)["model"].split(",")[0]) for line in lines]


def assert_arx_view(classes, population, expected: dict) -> None:
    by_intruder = {
        "P": prosecutor_risk(classes),
        "J": journalist_risk(classes, population_size=population),
        "M": marketer_risk(classes, population_size=population),
    }
    figures = {"atRisk": "at_risk_rate", "high": "highest", "low": "lowest", "success": "average"}
    found = {
        f"{letter}_{name}": getattr(risk, attribute)
        for letter, risk in by_intruder.items()
        for name, attribute in figures.items()
    }
    assert {key: found[key] for key in expected} == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("line", journalist_lines())
def test_journalist_view_of_the_input(line):
    adult = read_arx("adult5")[1]
    classes = form_equivalence_classes(adult.iloc[::10], ADULT_KEYS)
    assert_arx_view(classes, count_population(classes, adult), line["input_view"])


@pytest.mark.parametrize("line", journalist_lines())
def test_journalist_view_of_the_output(line):
    """The subset after ARX's generalisation, without the records that it suppresses for want of k in the population."""
    adult = read_arx("adult5")[1]
    for name, level in line["levels"].items():
        path = SHARED / "data" / "adult" / f"adult_hierarchy_{name}.csv"
        hierarchy = pd.read_csv(path, sep=";", header=None, dtype=str)
        adult[name] = adult[name].map(dict(zip(hierarchy[0], hierarchy[level], strict=True)))
    subset, k = adult.iloc[::10], int(line["model"].split()[1].strip(","))
    classes = form_equivalence_classes(subset, ADULT_KEYS)
    kept = (count_population(classes, adult) >= k)[classes.class_of_record]
    assert (~kept).sum() == line["suppressedInSubset"]
    classes = form_equivalence_classes(subset[kept], ADULT_KEYS)
    assert classes.n_classes == line["classesInSubset"]
    assert_arx_view(classes, count_population(classes, adult), line["output_view"])


def test_missing_values_as_arx_reads_them():
    """To ARX the empty text is a value like any other and only "*" is a wildcard; suppressed records do not count."""
    line = json.loads((ARX / "missing.jsonl").read_text().splitlines()[0])
    rows = [text.strip("[]").split("|") for text in line["values"] if not text.endswith("SUPPRESSED")]
    frame = pd.DataFrame(rows, columns=["age", "sex", "zip"]).replace("", "(empty)")
    assert len(frame) == line["numRecords"]
    profile = risk_profile(form_equivalence_classes(frame, list(frame)))
    assert (profile.n_unique, profile.global_risk) == (line["uniques"], pytest.approx(line["avgRisk"], rel=1e-12))
    risk = prosecutor_risk(form_equivalence_classes(frame.replace("*", None), list(frame)), 0.2, "wildcard")
    assert risk.average == pytest.approx(line["wildcardAvg"], rel=1e-12)
    assert risk.highest == line["wildcardHigh"]
    assert risk.at_risk_rate == pytest.approx(line["wildcardAtRisk"], rel=1e-12)


# ---------------------------------------------------------------- published figures


def test_actg175_risk_summary():
    expected = json.loads((SHARED / "oracles" / "published.json").read_text())["actg175"]
    frame = pd.read_csv(SHARED / "data" / "actg175" / "aids_original_data.csv", sep=";")
    classes = form_equivalence_classes(frame, expected["quasi_identifiers"])
    profile, summary = risk_profile(classes, (5,)), expected["risk_summary"]
    assert profile.n_unique == summary["n_unique"]
    assert profile.n_k_at_most == {5: summary["n_k_le_5"]}
    assert profile.expected_reidentifications == summary["expected_reidentifications"]
    assert round(100 * profile.global_risk, 2) == summary["global_risk_percent"]
    assert round(100 * profile.unique_rate, 2) == summary["percent_unique"]
    assert round(100 * profile.k_at_most_rate[5], 2) == summary["percent_k_le_5"]
