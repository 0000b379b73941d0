"""Record by record against sdcMicro 5.8.1: frequencies with missing keys, and distinct l."""

import json

import numpy as np
import pandas as pd
import pytest

import Anonymization_Models as models

FREQUENCY_CASES = [
    f"freqCalc__{data}__unweighted__a{alpha}"
    for data, alphas in {
        "testdata__k5": "1",
        "testdata__k7": "1",
        "testdata2__k7": "1",
        "francdat__k4": "1",
        "testdata_na__k5": "0 0.5 1",
        "testdata2_na__k7": "0 0.5 1",
        "francdat_na__k4": "0 0.5 1",
        "francdat_na__k1": "0 0.5 1",
        "francdat_allna__k4": "0 0.5 1",
    }.items()
    for alpha in alphas.split()
]
# A record without any key. By the definition (own pattern, plus compatible ones, those with a missing value times
# alpha) it counts like every other record; sdcMicro does not count it for the complete records 1, 2 and 7, and gives
# itself everybody whatever alpha is. "Missing matches anything" is the definition, so that is what is asserted.
RECORD_WITHOUT_KEYS = {
    0: [1, 1, 3, 2, 1, 1, 1, 4],
    0.5: [2, 2, 3.5, 3, 2.5, 2, 2, 6],
    1: [3, 3, 4, 4, 4, 3, 3, 8],
}
DIVERSITY_CASES = [
    f"ldiversity__{name}__c1"
    for name in (
        "testdata__electcon",
        "testdata__electcon+relat",
        "testdata__hhcivil",
        "testdata2__relat",
        "testdata_na__electcon",
    )
]


@pytest.fixture(scope="module")
def cases(shared_file):
    every_case = json.loads(shared_file("oracles/sdcmicro/cases.json").read_text(encoding="utf-8"))["cases"]
    return {case["id"]: case for case in every_case}


@pytest.fixture
def read(shared_file):
    def read_case(case):
        data = pd.read_csv(shared_file(f"oracles/sdcmicro/data/{case['data']}.csv"))
        return data, pd.read_csv(shared_file(f"oracles/sdcmicro/{case['rows']}"))

    return read_case


def test_no_case_is_left_out(cases):
    unweighted = {name for name, case in cases.items() if name.startswith("freqCalc") and case["params"]["w"] is None}
    assert unweighted == set(FREQUENCY_CASES)
    # The constant of recursive l, c1 to c3, does not touch distinct l.
    assert {name for name in cases if name.startswith("ldiversity") and name.endswith("c1")} == set(DIVERSITY_CASES)


@pytest.mark.parametrize("name", FREQUENCY_CASES)
def test_frequency_with_missing_keys(cases, read, name):
    case = cases[name]
    data, rows = read(case)
    keys, alpha = case["params"]["keyVars"], case["params"]["alpha"]
    classes = models.form_equivalence_classes(data, keys)
    frequency = models.wildcard_frequency(classes, alpha)[classes.class_of_record]
    if case["data"] == "francdat_allna":
        assert frequency.tolist() == RECORD_WITHOUT_KEYS[alpha]
        incomplete = data[keys].isna().any(axis=1) & data[keys].notna().any(axis=1)
        assert frequency[incomplete].tolist() == rows["fk"][incomplete].tolist()
        return
    np.testing.assert_array_equal(frequency, rows["fk"])
    scalars = case["scalars"]
    assert frequency.sum() == scalars["sum_fk"]
    assert (1 / frequency).sum() == pytest.approx(scalars["sum_inv_fk"], rel=1e-12)
    if alpha != 1:
        return
    result = models.run_k_anonymity(data, keys, 5, "wildcard")
    assert result.measure.tolist() == rows["fk"].tolist()
    assert result.n_risky == scalars["n_fk_lt5"]
    counts = models.count_by_missing_policy(classes, 3)
    assert counts["wildcard"] == {"evaluated": len(data), "not_evaluated": 0, "risky": scalars["n_fk_lt3"]}
    if not data[keys].isna().any(axis=None):
        assert result.measure.tolist() == models.run_k_anonymity(data, keys, 5).measure.tolist()


@pytest.mark.parametrize("missing_qis", ["category", "wildcard"])
@pytest.mark.parametrize("name", DIVERSITY_CASES)
def test_distinct_l(cases, read, name, missing_qis):
    """Groups are exact there, a missing key being a level; so they are for l under "wildcard" too."""
    case = cases[name]
    data, rows = read(case)
    for sensitive in case["params"]["ldiv_index"]:
        result = models.run_l_diversity(data, case["params"]["keyVars"], sensitive, 2, missing_qis=missing_qis)
        np.testing.assert_array_equal(result.measure, rows[f"{sensitive}_Distinct_Ldiversity"])
        assert result.worst == case["scalars"][f"min_{sensitive}_Distinct_Ldiversity"]
        assert result.n_risky == (rows[f"{sensitive}_Distinct_Ldiversity"] < 2).sum()
        mean = case["scalars"][f"mean_{sensitive}_Distinct_Ldiversity"]
        assert result.measure.mean() == pytest.approx(mean, rel=1e-12)
