"""Re-identification risk against figures of sdcMicro, of ARX and of the documents that the project implements."""

import json

import numpy as np
import pandas as pd
import pytest

from Anonymization_Models import form_equivalence_classes
from disclosure_control.measures.reidentification import (
    count_population,
    intruders,
    journalist_risk,
    prosecutor_risk,
    risk_profile,
    smallest_class_within,
)
from disclosure_control.measures.sampling_weights import exact_risk, frequencies, household_risk, risk_of_classes
from tests.examples import some_of
from tests.places import SHARED

SDCMICRO = SHARED / "oracles" / "sdcmicro"
ARX = SHARED / "oracles" / "arx"
CLOSE = {"rtol": 1e-9, "atol": 0.0}
ADULT_KEYS = ["sex", "age", "race", "marital-status", "education"]
SYNTH_KEYS = ["sex", "country", "district", "agebin", "bmibin"]

pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="shared/ is not beside the clone; it is public data")


def sdcmicro_cases(function: str) -> list:
    path = SDCMICRO / "cases.json"
    cases = json.loads(path.read_text())["cases"] if path.is_file() else []
    return [pytest.param(case, id=case["id"]) for case in cases if case["fn"] == function]


def prepare(case: dict):
    frame = pd.read_csv(SDCMICRO / "data" / f"{case['data']}.csv")
    parameters = case["params"]
    classes = form_equivalence_classes(frame, parameters["keyVars"])
    weights = frame[parameters["w"]] if parameters["w"] else None
    # sdcMicro's own rule for records without any quasi-identifier; elsewhere it makes no difference.
    settings = {
        "weight_of_class": None if weights is None else np.bincount(classes.class_of_record, weights),
        "missing_qis": "wildcard",
        "alpha": parameters.get("alpha", 1.0),
        "empty_records": "sdcmicro",
    }
    rows = pd.read_csv(SDCMICRO / case["rows"]) if case["rows"] else None
    return frame, classes, settings, rows


def assert_right_between_one_and_two(f, population_f, risk) -> None:
    """The figures that sdcMicro lacks: E[1/F] for 1 < f < 2 lies between those of f = 1 and f = 2."""
    assert (risk < exact_risk(np.ones_like(f), population_f / f)).all()
    assert (risk > exact_risk(np.full_like(f, 2.0), 2.0 * population_f / f)).all()


@pytest.mark.parametrize("case", some_of(sdcmicro_cases("freqCalc+indivRisk")))
def test_frequency_and_individual_risk(case):
    _, classes, settings, rows = prepare(case)
    of_record = classes.class_of_record
    f, population_f = (figures[of_record] for figures in frequencies(classes, **settings))
    np.testing.assert_allclose(f, rows["fk"], **CLOSE)
    np.testing.assert_allclose(population_f, rows["Fk"], **CLOSE)

    found, scalars = risk_of_classes(classes, **settings), case["scalars"]
    risk = found.of_each[of_record]
    # sdcMicro says 0 for 1 < fk < 2 (its note); the risk of a record that is nearly unique is not 0.
    wrong = (rows["risk"] == 0).to_numpy()
    assert wrong.sum() == scalars["n_zero_risk"]
    assert (wrong == ((f > 1) & (f < 2) & (settings["weight_of_class"] is not None))).all()
    np.testing.assert_allclose(risk[~wrong], rows["risk"][~wrong], **CLOSE)
    assert_right_between_one_and_two(f[wrong], population_f[wrong], risk[wrong])
    right_total = scalars["global_risk_ER"] + risk[wrong].sum()
    assert found.expected_reidentifications == pytest.approx(right_total, rel=1e-9)
    if not wrong.any():
        assert found.highest == pytest.approx(scalars["max_risk"], rel=1e-9)
    profile = risk_profile(classes, (2, 4), "wildcard", settings["alpha"])
    if "allna" not in case["data"]:
        assert profile.n_unique == scalars["n1"]
        assert profile.expected_reidentifications == pytest.approx(scalars["sum_inv_fk"], rel=1e-9)


@pytest.mark.parametrize(
    "case", some_of([c for c in sdcmicro_cases("freqCalc+indivRisk") if c.values[0]["params"]["w"]])
)
def test_exact_individual_risk(case):
    _, classes, settings, rows = prepare(case)
    risk = risk_of_classes(classes, method="exact", **settings).of_each[classes.class_of_record]
    # sdcMicro overflows for large frequencies (NA), and for those that are not whole gives 0 or NA.
    usable = (rows["risk_exact"].notna() & (rows["fk"] % 1 == 0)).to_numpy()
    np.testing.assert_allclose(risk[usable], rows["risk_exact"][usable], **CLOSE)
    assert not np.isnan(risk).any()
    if (rows["fk"] % 1 == 0).all():
        assert risk[usable].sum() == pytest.approx(case["scalars"]["ER_exact"], rel=1e-9)


@pytest.mark.parametrize("case", sdcmicro_cases("measure_risk"))
def test_global_and_household_risk(case):
    frame, classes, settings, rows = prepare(case)
    found, scalars, household = risk_of_classes(classes, **settings), case["scalars"], case["params"]["hid"]
    risk = found.of_each[classes.class_of_record]
    assert found.expected_reidentifications == pytest.approx(scalars["global_risk_ER"], rel=1e-9)
    assert found.global_risk == pytest.approx(scalars["global_risk"], rel=1e-9)
    if rows is not None:
        np.testing.assert_allclose(risk, rows["risk"], **CLOSE)
    if household:
        together = household_risk(risk, frame[household])
        assert together.expected_reidentifications == pytest.approx(scalars["hier_risk_ER"], rel=1e-9)
        assert together.global_risk == pytest.approx(scalars["hier_risk"], rel=1e-9)
        if rows is not None:
            np.testing.assert_allclose(together.of_each, rows["hier_risk"], **CLOSE)


def test_records_without_any_quasi_identifier():
    """By definition the empty record of this table can be anybody and counts for everybody compatible, times alpha.

    sdcMicro does not count it for complete records (fk 2 instead of 3), but for partial ones, and leaves its own
    frequency without alpha; both readings can be had.
    """
    frame = pd.read_csv(SDCMICRO / "data" / "francdat_allna.csv")
    classes = form_equivalence_classes(frame, ["Key1", "Key2", "Key3", "Key4"])
    by_rule, _ = frequencies(classes, missing_qis="wildcard")
    as_sdcmicro, _ = frequencies(classes, missing_qis="wildcard", empty_records="sdcmicro")
    assert by_rule[classes.class_of_record].tolist() == [3, 3, 4, 4, 4, 3, 3, 8]
    assert as_sdcmicro[classes.class_of_record].tolist() == [2, 2, 4, 4, 4, 3, 2, 8]
    halved, _ = frequencies(classes, missing_qis="wildcard", alpha=0.5)
    assert halved[classes.class_of_record][7] == 1 + 3 + 0.5 * 4


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
    assert journalist_risk(classes).average == pytest.approx(expected["estMarketer"], rel=1e-12)


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
    by_name = intruders(classes, population_size=population)
    figures = {"atRisk": "at_risk_rate", "high": "highest", "low": "lowest", "success": "average"}
    found = {
        f"{name_of_intruder[0].upper()}_{name}": getattr(risk, attribute)
        for name_of_intruder, risk in by_name.items()
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
