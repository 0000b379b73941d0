"""Key sets as others publish them: ARX's attribute risks, and the key sets and small levels of ACTG175."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from Anonymization_Models import form_equivalence_classes
from disclosure_control.measures.key_sets import key_sets
from tests.places import SHARED

SHARED_FOLDER = SHARED
ARX = {
    "adult5": ("oracles/arx/risk_adult5.json", "data/adult/adult.csv"),
    "synth": ("oracles/arx/risk_synth_10000.json", "oracles/arx/synth/synth_10000.csv"),
}

pytestmark = pytest.mark.skipif(
    not (SHARED_FOLDER / "oracles").is_dir(),
    reason="shared/oracles is not beside the clone; it is public data that the project does not carry",
)


@pytest.mark.parametrize("name", ARX)
def test_distinction_and_separation_of_all_subsets_as_arx(name):
    risk_file, data_file = ARX[name]
    oracle = json.loads((SHARED_FOLDER / risk_file).read_text())
    classes = form_equivalence_classes(pd.read_csv(SHARED_FOLDER / data_file, sep=";"), oracle["qis"])
    results = {frozenset(result.quasi_identifiers): result for result in key_sets(classes)}
    assert len(oracle["attributeRisks"]) == len(results) == 31
    for risk in oracle["attributeRisks"]:
        result = results[frozenset(risk["qi"])]
        assert result.distinction == pytest.approx(risk["distinction"], rel=1e-12)
        assert result.separation == pytest.approx(risk["separation"], rel=1e-12)
    everything = results[frozenset(oracle["qis"])]
    assert everything.n_classes == oracle["numClasses"]
    assert everything.unique_rate == pytest.approx(oracle["fracUniques"], rel=1e-12)
    assert everything.distinction == pytest.approx(oracle["sampleRisks"]["average"], rel=1e-12)


@pytest.mark.parametrize("name", ARX)
def test_k_at_most_is_what_arx_calls_records_at_risk(name):
    """Above a risk of 0.05 are those with k < 20, above 0.1 k < 10, above 0.2 k < 5, above 0.33 k <= 3."""
    risk_file, data_file = ARX[name]
    oracle = json.loads((SHARED_FOLDER / risk_file).read_text())
    classes = form_equivalence_classes(pd.read_csv(SHARED_FOLDER / data_file, sep=";"), oracle["qis"])
    rates = key_sets(classes, thresholds=(19, 9, 4, 1))[-1].k_at_most_rate
    for threshold, summary in ((19, "summary_0.05"), (9, "summary_0.1"), (4, "summary_0.2"), (1, "summary_0.5")):
        assert rates[threshold] == pytest.approx(oracle[summary]["P_recordsAtRisk"], rel=1e-12)


@pytest.fixture(scope="module")
def actg175() -> tuple[dict, object]:
    published = json.loads((SHARED_FOLDER / "oracles" / "published.json").read_text())["actg175"]
    df = pd.read_csv(SHARED_FOLDER / "data" / "actg175" / "aids_original_data.csv", sep=";")
    return published, form_equivalence_classes(df, published["quasi_identifiers"])


def test_the_seven_key_sets_of_actg175(actg175):
    published, classes = actg175
    snapshots = {name: figures for name, figures in published["key_set_snapshots"].items() if name != "columns"}
    assert published["key_set_snapshots"]["columns"] == [
        "percent unique",
        "median k over records",
        "percent with k <= 5",
    ]
    ours = {
        "+".join(result.quasi_identifiers): [
            round(100 * result.unique_rate, 2),
            result.median_k,
            round(100 * result.k_at_most_rate[5], 2),
        ]
        for result in key_sets(classes, thresholds=(5,))
    }
    assert len(ours) == 7
    assert ours == snapshots


def test_the_risk_summary_of_actg175(actg175):
    published, classes = actg175
    summary, result = published["risk_summary"], key_sets(classes, thresholds=(5,))[-1]
    assert result.n_classes == summary["expected_reidentifications"]
    assert round(100 * result.distinction, 2) == summary["global_risk_percent"]
    assert result.unique_rate * result.n_evaluated == pytest.approx(summary["n_unique"])
    assert result.k_at_most_rate[5] * result.n_evaluated == pytest.approx(summary["n_k_le_5"])
